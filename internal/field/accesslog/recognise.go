package accesslog

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"

	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/intake"
)

//go:embed data/formats.toml
var formats string

// known is what data/formats.toml has.
type known struct {
	Nginx, Envoy             map[string]string
	JSON, Servers            map[string][]string
	Parts, Offers            map[string]string
	Format                   []shape
	ofNginx, ofEnvoy, ofJSON map[string]field
	jsonLogs                 map[string]facts.Text // the names of JSON formats, by server
	reads, lacking           []*shape              // formats that identify connections, and those that don't
}

// shape is a format as a program writes it, and what it lacks.
type shape struct {
	Name                string // of one that lacks something; the key of the others' names in the catalogue
	Text, Server, Lacks string
	format              *Format
}

// data reads the file once; a test reads it too.
var data = sync.OnceValue(func() *known {
	d := &known{ofNginx: map[string]field{}, ofEnvoy: map[string]field{}, ofJSON: map[string]field{}, jsonLogs: map[string]facts.Text{
		cure.Nginx: facts.Verbatim("JSON"), cure.Envoy: facts.T("logs.f-json-envoy"), cure.Traefik: facts.T("logs.f-json-traefik"),
		cure.Caddy: facts.T("logs.f-json-caddy"), cure.IngressNginx: facts.T("logs.f-json-ingress")}}
	if err := toml.Unmarshal([]byte(formats), d); err != nil {
		panic("accesslog: data/formats.toml: " + err.Error())
	}
	byName := func(name string) field { return field(max(0, slices.Index(fieldNames[:], name))) }
	for variable, name := range d.Nginx {
		d.ofNginx[variable] = byName(name)
	}
	for operator, name := range d.Envoy {
		d.ofEnvoy[operator] = byName(name)
	}
	for name, keys := range d.JSON {
		for _, key := range keys {
			d.ofJSON[key] = byName(name)
		}
	}
	return d
})

// filled has the parts of formats in their places.
func (d *known) filled(text string) string {
	for range 2 { // a part may have parts
		for name, part := range d.Parts {
			text = strings.ReplaceAll(text, "{"+name+"}", part)
		}
	}
	return text
}

// shapes compiles the formats, whether or not they identify connections. Each is a constant, and a test compiles them.
var shapes = sync.OnceValue(func() *known {
	d := data()
	for i := range d.Format {
		s := &d.Format[i]
		s.format = &Format{Name: s.Name, Source: d.filled(s.Text), Server: s.Server}
		err, list := s.format.parse(), &d.lacking
		if s.Lacks == "" && err == nil {
			err, list = s.format.finish(), &d.reads
		}
		if err != nil {
			panic("accesslog: " + s.Name + ": " + err.Error())
		}
		*list = append(*list, s)
	}
	return d
})

// Offer is what to add to a server's configuration so that h2lab can read its log.
func Offer(server string) string { return data().filled(data().Offers[server]) }

// reader reads one line into a record; false if it doesn't match the format.
type reader interface {
	line(line []byte, r *Record) bool
}

// chosen is a way to read a log.
type chosen struct {
	reader
	name   facts.Text
	server string
	has    [fields]bool
}

func textReader(f *Format) chosen {
	return chosen{reader: &scanner{format: f}, name: facts.Verbatim(f.Name), server: f.Server, has: f.has}
}

// sample is how many lines are examined.
const sample = 200

// recognise chooses a reader by the log's first lines. What a log collector has wrapped around them is
// taken off where the lines can't be read with it.
func recognise(head []byte, keys map[string]string) (chosen, error) {
	lines := firstLines(head)
	if len(lines) == 0 {
		return chosen{}, errors.New("no line in the log")
	}
	return recogniseWithin(lines, keys, deepest)
}

func firstLines(head []byte) [][]byte {
	var out [][]byte
	for len(out) < sample {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		if line = bytes.TrimRight(line, "\r"); len(line) > 0 && (whole || len(out) == 0) {
			out = append(out, line)
		}
		if head = rest; !whole {
			break
		}
	}
	return out
}

// deepest is how many collectors may have wrapped a line.
const deepest = 3

// recogniseWithin tries the lines, then what is inside of them.
func recogniseWithin(lines [][]byte, keys map[string]string, deep int) (chosen, error) {
	c, err := recogniseLines(lines, keys)
	if err == nil || deep == 0 {
		return c, err
	}
	for _, w := range intake.Wrappings() {
		inner := w.All(lines)
		if 2*len(inner) <= len(lines) {
			continue
		}
		c, innerErr := recogniseWithin(inner, keys, deep-1)
		var missing *MissingError
		switch {
		case innerErr == nil:
			return c.wrapped(w, lines), nil
		case errors.As(innerErr, &missing) && (w.IsJSON() || !errors.As(err, &missing)):
			err = innerErr
		}
	}
	return chosen{}, err
}

// recogniseLines distinguishes JSON by its keys, and text by trying the known formats.
func recogniseLines(lines [][]byte, keys map[string]string) (chosen, error) {
	objects := slices.DeleteFunc(slices.Clone(lines), func(l []byte) bool { return l[0] != '{' || !gjson.ValidBytes(l) })
	if 2*len(objects) > len(lines) {
		return recogniseJSON(objects, keys)
	}
	for _, s := range shapes().reads {
		if c := textReader(s.format); 2*fitting(c, lines) > len(lines) {
			c.name = facts.T(s.Name)
			return c, nil
		}
	}
	return chosen{}, unrecognised(lines)
}

// fitting counts the lines that are of a format and identify their connection.
func fitting(c chosen, lines [][]byte) (n int) {
	var rec Record
	for _, l := range lines {
		if c.line(l, &rec) && c.identifies(&rec) {
			n++
		}
	}
	return n
}

// identifies reports whether the line says which connection it is of.
func (c *chosen) identifies(r *Record) bool {
	_, ok := r.peer()
	return c.has[fConnection] || ok
}

// unrecognised describes the lines as far as possible: a known format without the required fields
// is common, and has its own advice.
func unrecognised(lines [][]byte) error {
	for _, k := range shapes().lacking {
		s, fits, longer := &scanner{format: k.format}, 0, 0
		var r Record
		for _, l := range lines {
			if !s.line(l, &r) {
				continue
			}
			if _, peered := r.peer(); !peered && k.format.has[fPeer] {
				continue
			}
			fits++
			if s.left > 0 {
				longer++
			}
		}
		if 2*fits <= len(lines) {
			continue
		}
		name, lacks, server := k.Name, k.Lacks, k.Server
		if server == cure.Nginx && 2*longer > len(lines) { // Kong, Skipper, H2O, Varnish and Gunicorn begin like that too
			name, server = "longer than "+name, cure.Unknown
			lacks = "and what follows has no name; where it has a connection's number or a client's port, name the format: --format"
		}
		return &MissingError{Format: name, Server: server, Err: fmt.Errorf("these lines are %s, %s", name, lacks)}
	}
	return fmt.Errorf("the format of these lines is not known (the first: %.100q); name it: h2lab logs --format 'the log_format' FILE, "+
		"or --format-from /etc/nginx/nginx.conf#NAME; or add to http{}: log_format h2lab '%s';", lines[0],
		data().filled("{combined}{added}"))
}

// unwrapping reads lines inside of a wrapping. Its time is that of lines that have none.
type unwrapping struct {
	intake.Wrapping
	inner reader
	clock *clock
}

func (u unwrapping) line(line []byte, r *Record) bool {
	in, ok := u.Unwrap(line)
	if !ok || !u.inner.line(in.Text, r) {
		return false
	}
	if len(r.Host) == 0 {
		r.Host = in.Host
	}
	if !r.Timed {
		r.Time, r.Timed = u.clock.read(timeKind(in.Time), in.Time)
	}
	return true
}

// wrapped is the same format inside of a wrapping.
func (c chosen) wrapped(w intake.Wrapping, lines [][]byte) chosen {
	c.reader, c.name = unwrapping{w, c.reader, &clock{}}, facts.T(w.Inside, c.name)
	var r Record
	for _, l := range lines[:min(2, len(lines))] {
		c.has[fTime] = c.has[fTime] || c.line(l, &r) && r.Timed
	}
	return c
}
