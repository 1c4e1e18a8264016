package family

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"h2lab/internal/facts"
)

// shape is a SETTINGS frame of a family: its fields in order. The order is no configuration option,
// so it is stronger evidence than the values.
type shape struct {
	fields []field
	weight int // of an unchanged frame; one less if a value was configured
	source string
	// anyOrder families write their fields in an order that differs from one start to the next.
	anyOrder bool
}

// field is one setting. A fixed value has no configuration option; any other is a default.
type field struct {
	name  string // without SETTINGS_
	value uint32
	fixed bool
}

// fits compares a frame with the shape: ok if names, order and fixed values agree; changed lists
// the other values that differ from the default.
func (s shape) fits(got []facts.Setting) (changed []string, ok bool) {
	if len(got) != len(s.fields) {
		return nil, false
	}
	if s.anyOrder {
		got = s.ordered(got)
	}
	for i, f := range s.fields {
		if strings.TrimPrefix(got[i].Name, "SETTINGS_") != f.name || f.fixed && got[i].Value != f.value {
			return nil, false
		}
		if got[i].Value != f.value {
			changed = append(changed, fmt.Sprintf("%s is %d, not the default %d", f.name, got[i].Value, f.value))
		}
	}
	return changed, true
}

// ordered puts the settings of the shape's fields into the shape's order; what is no field of it comes last.
func (s shape) ordered(got []facts.Setting) []facts.Setting {
	place := func(of facts.Setting) int {
		i := slices.IndexFunc(s.fields, func(f field) bool { return f.name == strings.TrimPrefix(of.Name, "SETTINGS_") })
		if i < 0 {
			return len(s.fields)
		}
		return i
	}
	return slices.SortedStableFunc(slices.Values(got), func(a, b facts.Setting) int { return cmp.Compare(place(a), place(b)) })
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
	weight := telling
	if s.fixedSettings {
		weight = veto
	}
	to.speaksAgainst(Evidence{About: aboutSettings, Weight: weight, Source: s.settings[0].source,
		Says: fmt.Sprintf("its SETTINGS frame (%s) is none that %s is known to send", spelled(e.Settings), s.short)})
}

// spelled lists settings as text, an empty frame too.
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

// plain removes control characters from text that came from outside, so that it can't control a
// terminal.
func plain(word string) string {
	for _, r := range word {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return fmt.Sprintf("%.60q", word)
		}
	}
	return word
}

// printable drops control characters and other non-printable ones.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
