package family

import (
	"fmt"
	"strings"
	"unicode"

	"h2lab/internal/facts"
)

// shape is a SETTINGS frame that a family sends: its fields in their order.
// Nobody chooses that order, so it tells more than the values.
type shape struct {
	fields []field
	weight int // as it comes; one less where a value was configured
	source string
}

// field is one setting. A fixed value has no option; any other is a default.
type field struct {
	name  string // without SETTINGS_
	value uint32
	fixed bool
}

// fits compares a frame with the shape: whether names, order and fixed values
// agree, and which of the other values are not the default.
func (s shape) fits(got []facts.Setting) (changed []string, ok bool) {
	if len(got) != len(s.fields) {
		return nil, false
	}
	for i, f := range s.fields {
		if got[i].Name != "SETTINGS_"+f.name || f.fixed && got[i].Value != f.value {
			return nil, false
		}
		if got[i].Value != f.value {
			changed = append(changed, fmt.Sprintf("%s is %d, not the default %d", f.name, got[i].Value, f.value))
		}
	}
	return changed, true
}

// weighSettings compares an endpoint's SETTINGS with all shapes of a family.
func (s server) weighSettings(e facts.Endpoint, to *Candidate) {
	if !isH2(e) || e.Settings == nil {
		return
	}
	best := Evidence{About: aboutSettings}
	for _, sh := range s.settings {
		changed, ok := sh.fits(e.Settings)
		if !ok {
			continue
		}
		weight, says := sh.weight, fmt.Sprintf("its SETTINGS frame is that of %s: %s", s.short, spelled(e.Settings))
		if len(changed) > 0 {
			weight = max(weight-1, weak)
			says += " (" + strings.Join(changed, "; ") + ")"
		}
		if weight > best.Weight {
			best.Weight, best.Says, best.Source = weight, says, sh.source
		}
	}
	if best.Weight > 0 {
		to.speaksFor(best)
		return
	}
	to.speaksAgainst(Evidence{About: aboutSettings, Weight: fair, Source: s.settings[0].source,
		Says: fmt.Sprintf("its SETTINGS frame (%s) is none that %s is known to send", spelled(e.Settings), s.short)})
}

// spelled lists settings in words; an empty frame is a fact as well.
func spelled(all []facts.Setting) string {
	const most = 8 // RFC 9113 bounds a frame's length, not the number of its fields
	var out []string
	for i, s := range all {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		out = append(out, fmt.Sprintf("%s %d", plain(strings.TrimPrefix(s.Name, "SETTINGS_")), s.Value))
	}
	if len(out) == 0 {
		return "empty"
	}
	return strings.Join(out, ", ")
}

// plain keeps a word that came from outside from moving a terminal's cursor.
func plain(word string) string {
	for _, r := range word {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return fmt.Sprintf("%.60q", word)
		}
	}
	return word
}

// printable drops what is no character of a text.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
