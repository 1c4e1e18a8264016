package family

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/BurntSushi/toml"

	"h2lab/internal/facts"
)

// server is a family of servers: one program and the products based on it.
type server struct {
	id    string
	short string // "nginx"
	// name is the family's name in texts.
	name string
	// headers are the product names in its Server header in lower case, products based on it included.
	headers  []string
	settings []shape
	clues    []clue
	// limits are default request limits, by protocol.
	limits []limit
	// idle are default idle time-outs in seconds, with the setting that has them.
	idle []idleDefault
	// fixedSettings families send no other SETTINGS frames than those listed.
	fixedSettings bool
	// grpc families are gRPC's servers.
	grpc bool
	// quiet families write no Server header: the observed header is an application's.
	quiet bool
	// find is a command that shows the present setting.
	find string
	row  row
}

// limit is a default request limit.
type limit struct {
	protocol facts.Protocol
	n        int
	says     string
}

type idleDefault struct {
	seconds float64
	says    string
}

// notMeasured stands in a row where nothing is known.
const notMeasured = "not measured"

//go:embed families.toml
var families string

// servers are all families, in the order of docs/servers.md.
var servers = sync.OnceValue(func() []server {
	var file struct{ Family []family }
	if _, err := toml.Decode(families, &file); err != nil {
		panic(err) // the file is embedded, and tests read it
	}
	out := make([]server, len(file.Family))
	for i, f := range file.Family {
		out[i] = f.server()
	}
	return out
})

// family is an entry of families.toml.
type family struct {
	ID, Short, Name, Find string
	Headers, Row          []string
	Fixed, Grpc, Quiet    bool
	Limits                []struct {
		Protocol facts.Protocol
		N        int
		Says     string
	}
	Idle []struct {
		Seconds float64
		Says    string
	}
	Settings []struct {
		Weight   int
		Source   string
		Fields   []string
		AnyOrder bool `toml:"any_order"`
	}
	Clue []struct {
		About, If, Source, Says, Denies string
		Weight, Against                 int
	}
}

func (f family) server() server {
	s := server{id: f.ID, short: f.Short, name: f.Name, find: f.Find, headers: f.Headers, fixedSettings: f.Fixed, grpc: f.Grpc,
		quiet: f.Quiet, row: row{f.Row[0], f.Row[1], f.Row[2], f.Row[3], f.Row[4], f.Row[5]}}
	for _, l := range f.Limits {
		s.limits = append(s.limits, limit{l.Protocol, l.N, l.Says})
	}
	for _, d := range f.Idle {
		s.idle = append(s.idle, idleDefault{d.Seconds, d.Says})
	}
	for _, frame := range f.Settings {
		sh := shape{weight: frame.Weight, source: frame.Source, anyOrder: frame.AnyOrder, fields: []field{}}
		for _, text := range frame.Fields {
			name, value, _ := strings.Cut(text, " ")
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				panic(err)
			}
			sh.fields = append(sh.fields, field{strings.TrimPrefix(name, "!"), uint32(n), name[0] == '!'})
		}
		s.settings = append(s.settings, sh)
	}
	for _, c := range f.Clue {
		p := predicates[c.If]
		s.clues = append(s.clues, clue{about: c.About, asked: p.asked, holds: p.holds, weight: c.Weight, says: c.Says,
			against: c.Against, denies: c.Denies, source: c.Source})
	}
	return s
}

// announces reports whether the family ends connections with a GOAWAY.
func (s server) announces() bool { return strings.Contains(s.row.ending, "GOAWAY") }

// announcesIdle reports whether the family ends unused connections with a GOAWAY.
func (s server) announcesIdle() bool {
	return strings.Contains(s.row.idle, "GOAWAY") && !strings.Contains(s.row.idle, "without a GOAWAY")
}

// row is a family's line in the table of docs/servers.md.
type row struct {
	server, limit, ending, inFlight, idle, source string
}

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
