package family

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// server is a family of servers: one program and the products based on it. It is an entry of families.toml.
type server struct {
	ID string
	// Short is "nginx", Name the family's name in texts, Ends how it is known to end connections.
	Short, Name, Ends texts.Sentence
	// Headers are the product names in its Server header in lower case, products based on it included.
	Headers  []string
	Settings []shape
	Clue     []clue
	// Limits are default request limits, by protocol.
	Limits []limit
	// Idle are default idle time-outs in seconds, with the setting that has them.
	Idle []idleDefault
	// Fixed families send no other SETTINGS frames than those listed.
	Fixed bool
	// Grpc families are gRPC's servers.
	Grpc bool
	// Quiet families write no Server header: the observed header is an application's.
	Quiet bool
	// Find is a command that shows the present setting.
	Find string
	// Row is the family's line in the table of docs/servers.md.
	Row []string
}

// The columns of a row.
const (
	rowServer = iota
	rowLimit
	rowEnding
	rowInFlight
	rowIdle
	rowSource
)

// limit is a default request limit.
type limit struct {
	Protocol facts.Protocol
	N        int
	Says     texts.Sentence
}

type idleDefault struct {
	Seconds float64
	Says    texts.Sentence
}

//go:embed families.toml
var families string

// servers are all families, in the order of docs/servers.md.
var servers = sync.OnceValue(func() []server {
	var file struct{ Family []server }
	if _, err := toml.Decode(families, &file); err != nil {
		panic(err) // the file is embedded, and tests read it
	}
	return file.Family
})

// announces reports whether the family ends connections with a GOAWAY.
func (s server) announces() bool { return strings.Contains(s.Row[rowEnding], "GOAWAY") }

// announcesIdle reports whether the family ends unused connections with a GOAWAY.
func (s server) announcesIdle() bool {
	return strings.Contains(s.Row[rowIdle], "GOAWAY") && !strings.Contains(s.Row[rowIdle], "without a GOAWAY")
}

// shape is a SETTINGS frame of a family: its fields in order. The order is no configuration option,
// so it is stronger evidence than the values.
type shape struct {
	Fields []field
	Weight int // of an unchanged frame; one less if a value was configured
	Source string
	// AnyOrder families write their fields in an order that differs from one start to the next.
	AnyOrder bool `toml:"any_order"`
}

// field is one setting. A fixed value has no configuration option; any other is a default.
type field struct {
	name  string // without SETTINGS_
	value uint32
	fixed bool
}

// UnmarshalTOML reads "NAME 7", or "!NAME 7" for a fixed value.
func (f *field) UnmarshalTOML(value any) error {
	name, number, _ := strings.Cut(fmt.Sprint(value), " ")
	n, err := strconv.ParseUint(number, 10, 32)
	f.name, f.value, f.fixed = strings.TrimPrefix(name, "!"), uint32(n), name[0] == '!'
	return err
}

// fits compares a frame with the shape: ok if names, order and fixed values agree; changed lists
// the other values that differ from the default.
func (s shape) fits(got []facts.Setting) (changed []facts.Text, ok bool) {
	if len(got) != len(s.Fields) {
		return nil, false
	}
	if s.AnyOrder {
		got = s.ordered(got)
	}
	for i, f := range s.Fields {
		if strings.TrimPrefix(got[i].Name, "SETTINGS_") != f.name || f.fixed && got[i].Value != f.value {
			return nil, false
		}
		if got[i].Value != f.value {
			changed = append(changed, facts.T("family.not-default", f.name, fmt.Sprint(got[i].Value), fmt.Sprint(f.value)))
		}
	}
	return changed, true
}

// ordered puts the settings of the shape's fields into the shape's order; what is no field of it comes last.
func (s shape) ordered(got []facts.Setting) []facts.Setting {
	place := func(of facts.Setting) int {
		i := slices.IndexFunc(s.Fields, func(f field) bool { return f.name == strings.TrimPrefix(of.Name, "SETTINGS_") })
		if i < 0 {
			return len(s.Fields)
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
	for _, sh := range s.Settings {
		changed, ok := sh.fits(e.Settings)
		if !ok {
			continue
		}
		weight, says := sh.Weight, facts.T("family.settings-of", facts.Text(s.Short), spelled(e.Settings))
		if len(changed) > 0 {
			weight = max(weight-1, weak)
			says.Add(facts.T("family.in-brackets", facts.Join("join.semicolon", changed...)))
		}
		if weight > best.Weight {
			best.Weight, best.Says, best.Source = weight, texts.Sentence(says), sh.Source
		}
	}
	if best.Weight > 0 {
		to.speaksFor(best)
		return
	}
	weight := telling
	if s.Fixed {
		weight = veto
	}
	to.speaksAgainst(Evidence{About: aboutSettings, Weight: weight, Source: s.Settings[0].Source,
		Says: texts.Sentence(facts.T("family.settings-not", spelled(e.Settings), facts.Text(s.Short)))})
}

// spelled lists settings as text, an empty frame too.
func spelled(all []facts.Setting) facts.Text {
	const most = 8 // RFC 9113 bounds a frame's length, not the number of its fields
	var out []facts.Text
	for i, s := range all {
		if i == most {
			out = append(out, facts.T("family.and-more", len(all)-most))
			break
		}
		out = append(out, facts.Verbatim(fmt.Sprintf("%s %d", plain(strings.TrimPrefix(s.Name, "SETTINGS_")), s.Value)))
	}
	if len(out) == 0 {
		return facts.T("family.empty")
	}
	return facts.Join("join.list", out...)
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
