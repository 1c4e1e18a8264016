package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"h2lab/internal/field/cure"
)

// reader reads one line into a record; false if it doesn't match the format.
type reader interface {
	line(line []byte, r *Record) bool
}

// chosen is a way to read a log.
type chosen struct {
	reader
	name   string
	server string
	has    [fields]bool
}

func textReader(f *Format) chosen {
	return chosen{reader: &scanner{format: f}, name: f.Name, server: f.Server, has: f.has}
}

// sample is how many lines are examined.
const sample = 200

// recognise chooses a reader by the log's first lines. What a log collector has wrapped around them is
// taken off where the lines can't be read with it. A format that isn't known is examined last: what the lines
// have in common may identify connections.
func recognise(head []byte, keys map[string]string) (chosen, error) {
	lines := firstLines(head)
	if len(lines) == 0 {
		return chosen{}, errors.New("no line in the log")
	}
	c, err := unwrapped(lines, func(inner [][]byte) (chosen, error) { return recogniseLines(inner, keys) }, deepest)
	if err == nil {
		return c, nil
	}
	inferred, inferErr := unwrapped(lines, inferText, deepest)
	var missing, bare *MissingError
	switch {
	case inferErr == nil:
		return inferred, nil
	case !errors.As(err, &missing) && errors.As(inferErr, &bare):
		return chosen{}, inferErr
	}
	return chosen{}, err
}

// deepest is how many collectors may have wrapped a line.
const deepest = 3

// unwrapped tries a way to recognise lines, then what is inside of them.
func unwrapped(lines [][]byte, try func([][]byte) (chosen, error), deep int) (chosen, error) {
	c, err := try(lines)
	if err == nil || deep == 0 {
		return c, err
	}
	for _, w := range slices.Concat(envelopes(lines), wrappings) {
		inner := w.all(lines)
		if 2*len(inner) <= len(lines) {
			continue
		}
		c, innerErr := unwrapped(inner, try, deep-1)
		var missing *MissingError
		switch {
		case innerErr == nil:
			return c.wrapped(w, lines), nil
		case errors.As(innerErr, &missing) && !errors.As(err, &missing):
			err = innerErr
		}
	}
	return chosen{}, err
}

// recogniseLines distinguishes JSON by its keys, and text by trying the known formats.
func recogniseLines(lines [][]byte, keys map[string]string) (chosen, error) {
	json := 0
	for _, l := range lines {
		if l[0] == '{' && gjson.ValidBytes(l) {
			json++
		}
	}
	if 2*json > len(lines) {
		return recogniseJSON(lines, keys)
	}
	for _, f := range known() {
		if c := textReader(f); 2*fitting(c, lines) > len(lines) {
			return c, nil
		}
	}
	return chosen{}, unrecognised(lines)
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
	if c.has[fConnection] {
		return true
	}
	_, ok := r.peer()
	return ok
}

// peered reports whether the line has an address and a port where the format has one.
func (s *scanner) peered(r *Record) bool {
	_, ok := r.peer()
	return ok || !s.format.has[fPeer]
}

// unrecognised describes the lines as far as possible: a known format without the required fields
// is common, and has its own advice.
func unrecognised(lines [][]byte) error {
	for _, k := range lacking {
		s, fits, longer, dashes := &scanner{format: k.compile()}, 0, 0, false
		var r Record
		for _, l := range lines {
			if s.line(l, &r) && s.peered(&r) {
				fits++
				if s.left > 0 {
					longer++
				}
				dashes = dashes || bytes.Contains(l, []byte(`" 304 - `)) || bytes.Contains(l, []byte(`" 204 - `))
			}
		}
		if 2*fits <= len(lines) {
			continue
		}
		name, lacks, server := k.name, k.lacks, k.server
		if k.text == combined && dashes { // nginx writes 0 for an empty body, Apache a dash
			name, lacks, server = "Apache httpd's combined format", "which has no client port", cure.Apache
		}
		if k.server == cure.Nginx && 2*longer > len(lines) { // Kong, Skipper, H2O, Varnish and Gunicorn begin like that too
			server = cure.Unknown
			lacks = "and in what follows nothing is recognised as a connection's number or a client's port (where something is: " +
				"--format)"
			name = "longer than " + name
		}
		return &MissingError{Format: name, Server: server, Err: fmt.Errorf("these lines are %s, %s", name, lacks)}
	}
	return fmt.Errorf("the format of these lines is not known (the first: %.100q); "+
		"name it: h2lab logs --format-from /etc/nginx/nginx.conf#NAME FILE, or --format 'the log_format'", lines[0])
}
