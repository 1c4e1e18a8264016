package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/field/cure"
)

// place is where a field stands in a line.
type place struct {
	field field
	at    int    // the part's number
	span  int    // of how many parts it consists: a date and a time of day are two
	name  string // what #Fields calls it
	label string // what stands before the value, or nothing
	half  int    // 1 or 2: before or after the sign in it
}

// placesReader reads lines by the places of their fields.
type placesReader struct {
	places
	take  []place
	count int // how many parts a line has; 0 means any number, where every field has a label
	clock clock
	w3c   bool // lines that begin with # are directives
	// number and ordinal are those of jsonReader.
	number, ordinal bool
}

func (p *placesReader) line(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	p.split(line)
	if p.count > 0 && len(p.from) != p.count {
		return false
	}
	for i := range p.take {
		v, found := p.value(line, &p.take[i])
		f := p.take[i].field
		if !found || len(v) == 0 || len(v) == 1 && v[0] == '-' {
			continue
		}
		if f == fTimeISO {
			f = timeKind(v)
		}
		if !r.set(f, v, &p.clock) {
			return false
		}
	}
	identified := r.numbered
	if !p.number {
		_, identified = r.peer()
	}
	return identified && (r.Ordinal > 0 || !p.ordinal)
}

// value is the text at a place. A labelled one may stand elsewhere in another line.
func (p *placesReader) value(line []byte, w *place) (v []byte, found bool) {
	if w.at+w.span > len(p.from) && w.label == "" {
		return nil, false
	}
	if w.label == "" {
		v = unquote(line[p.from[w.at]:p.to[w.at+w.span-1]])
	} else if v, found = p.labelled(line, w); !found {
		return nil, false
	}
	if w.half > 0 {
		at := bytes.IndexAny(v, pairSigns)
		switch {
		case at < 0:
			return nil, false
		case w.half == 1:
			return v[:at], true
		}
		return v[at+1:], true
	}
	return v, true
}

func (p *placesReader) labelled(line []byte, w *place) ([]byte, bool) {
	for i := range p.from {
		at := (w.at + i) % len(p.from)
		part := line[p.from[at]:p.to[at]]
		if len(part) > len(w.label) && string(part[:len(w.label)]) == w.label &&
			(part[len(w.label)] == '=' || part[len(w.label)] == ':') {
			return unquote(part[len(w.label)+1:]), true
		}
	}
	return nil, false
}

// inferText finds out where lines of an unknown format have the connection, from what they have in common.
func inferText(lines [][]byte) (chosen, error) {
	names, lines := w3cNames(lines)
	if len(lines) == 0 || lines[0][0] == '{' {
		return chosen{}, errNotInferred
	}
	bare := false
	for _, sep := range separators(lines) {
		p := &placesReader{places: places{sep: sep}, w3c: len(names) > 0}
		cols, where := p.columns(lines, names)
		if len(cols) < 3 {
			continue
		}
		a := assign(cols)
		if asks := a.has(fRequest) || a.has(fPath) || slices.ContainsFunc(cols, methods); !asks &&
			(!a.has(fStatus) || slices.ContainsFunc(cols, transports)) {
			continue // a log of something else, as of connections
		}
		if !a.identifies() {
			bare = bare || a.has(fAddr)
			continue
		}
		if c := p.chosen(a, cols, where); 2*fitting(c, lines) > len(lines) {
			return c, nil
		}
	}
	if bare {
		return chosen{}, errBare
	}
	return chosen{}, errNotInferred
}

var (
	errNotInferred = errors.New("nothing in these lines identifies connections")
	errBare        = &MissingError{Format: "text", Server: cure.Unknown, Err: errors.New("these lines have the client's " +
		"address, but nothing that is recognised as its port or as a connection's number (where one is: --format)")}
)

// chosen makes the reader read what was assigned.
func (p *placesReader) chosen(a *assigned, cols []column, where []place) chosen {
	c := chosen{reader: p, name: describe(a, cols), server: cure.Unknown}
	if a.has(fConnection) && (a.has(fOrdinal) || a.has(fOrdinal0)) {
		c.server = cure.Nginx
	} else if a.has(fConnection) { // nothing says that its numbers have no gaps
		a[fID], a[fConnection] = a[fConnection], 0
	}
	labelled := true
	for f, i := range a {
		if i == 0 {
			continue
		}
		w := where[i-1]
		w.field = field(f)
		p.take = append(p.take, w)
		c.has[f] = true
		labelled = labelled && w.label != ""
	}
	if labelled {
		p.count = 0
	}
	c.has[fOrdinal] = c.has[fOrdinal] || c.has[fOrdinal0]
	p.number, p.ordinal = c.has[fConnection], c.has[fOrdinal]
	return c
}

// described are the fields that identify a connection, the surest first, and those that number its requests.
var described = [2][]struct {
	field field
	name  string
}{
	{{fConnection, "a connection's number"}, {fID, "a connection's name"}, {fPeer, "a client's address with its port"},
		{fPort, "a client's port"}},
	{{fOrdinal, "a request's number"}, {fOrdinal0, "a number of requests before"}},
}

// describe says where the connection was found, for the user to see.
func describe(a *assigned, cols []column) string {
	var out []string
	for _, group := range described {
		for _, f := range group {
			if i := a[f.field]; i > 0 {
				at := slices.IndexFunc(cols[i-1].values, func(v string) bool { return v != "" && v != "-" })
				out = append(out, fmt.Sprintf("%s (%s)", f.name, cols[i-1].values[at]))
				break
			}
		}
	}
	return "text with " + strings.Join(out, " and ")
}

// mostPlaces is far above the number of parts of a line in any format in use.
const mostPlaces = 256

// columns are the parts that most of the lines have, with the places of each.
func (p *placesReader) columns(lines [][]byte, names []string) (cols []column, where []place) {
	widths := map[int]int{}
	for _, l := range lines {
		p.split(l)
		widths[len(p.from)]++
	}
	for n, of := range widths {
		if of > widths[p.count] || of == widths[p.count] && n > p.count {
			p.count = n
		}
	}
	if 2*widths[p.count] <= len(lines) || p.count > mostPlaces {
		return nil, nil
	}
	cols, where = make([]column, p.count), make([]place, p.count)
	for i := range cols {
		where[i] = place{at: i, span: 1}
		if len(names) == p.count {
			cols[i].path, where[i].name = []string{names[i]}, names[i]
		}
	}
	for _, l := range lines {
		if p.split(l); len(p.from) != p.count {
			continue
		}
		for i := range cols {
			part := l[p.from[i]:p.to[i]]
			if name, v := label(part); name != nil && len(names) == 0 && (len(cols[i].values) == 0 || where[i].label != "") {
				where[i].label, cols[i].path = string(name), []string{string(name)}
				part = v
			} else if where[i].label != "" { // not a label after all
				where[i].label, cols[i].path = "", nil
			}
			cols[i].values = append(cols[i].values, string(unquote(part)))
		}
	}
	if p.sep == ' ' {
		named(cols)
	}
	return p.joined(cols, where)
}

// named gives a part the name that stands before it, a blank apart, where it means something: conn: 17.
func named(cols []column) {
	for i := range len(cols) - 1 {
		v := cols[i].values[0]
		name, _ := label([]byte(v + "x"))
		if len(v) != len(name)+1 || len(cols[i].path)+len(cols[i+1].path) > 0 ||
			slices.ContainsFunc(cols[i].values, func(other string) bool { return other != v }) {
			continue
		}
		if cols[i+1].path = []string{string(name)}; len(cols[i+1].meanings()) == 0 {
			cols[i+1].path = nil
		}
	}
}

// joined adds what is in one part or in two: numbers with a sign between them, a date and a time of day.
func (p *placesReader) joined(cols []column, where []place) ([]column, []place) {
	for i := range p.count {
		if i+1 < p.count && cols[i].all(isDate) {
			c := column{values: make([]string, len(cols[i].values))}
			for l, v := range cols[i].values {
				c.values[l] = v + string(p.sep) + cols[i+1].values[l]
			}
			if c.all(isTime) {
				cols, where = append(cols, c), append(where, place{at: i, span: 2, name: where[i].name})
			}
		}
		if !cols[i].all(isPair) {
			continue
		}
		one, two := column{}, column{}
		for _, v := range cols[i].values {
			at := strings.IndexAny(v, pairSigns)
			one.values, two.values = append(one.values, v[:max(at, 0)]), append(two.values, v[at+1:])
		}
		first, second := where[i], where[i]
		first.half, second.half = 1, 2
		cols, where = append(cols, one, two), append(where, first, second)
	}
	return cols, where
}

func isDate(v string) bool { return len(v) == 10 && (v[4] == '-' || v[4] == '/') && isNumber(v[:4]) }

// pairSigns stand between two numbers in one part.
const pairSigns = "/:-"

func isPair(v string) bool {
	at := strings.IndexAny(v, pairSigns)
	return at > 0 && isNumber(v[:at]) && isNumber(v[at+1:])
}
