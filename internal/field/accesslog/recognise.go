package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// reader reads one line into a record; false if it doesn't match the format.
type reader interface {
	line(line []byte, r *Record) bool
}

// chosen is a way to read a log.
type chosen struct {
	reader
	name  string
	envoy bool
	has   [fields]bool
}

func textReader(f *Format) chosen {
	return chosen{reader: &scanner{format: f}, name: f.Name, envoy: f.Envoy, has: f.has}
}

// sample is how many lines are examined.
const sample = 200

// recognise chooses a reader by the log's first lines: JSON by its keys, text by trying the known
// formats.
func recognise(head []byte, keys map[string]string) (chosen, error) {
	lines := firstLines(head)
	if len(lines) == 0 {
		return chosen{}, errors.New("no line in the log")
	}
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

func fitting(r reader, lines [][]byte) (n int) {
	var rec Record
	for _, l := range lines {
		if r.line(l, &rec) {
			n++
		}
	}
	return n
}

// unrecognised describes the lines as far as possible: a known format without the required fields
// is common, and has its own advice.
func unrecognised(lines [][]byte) error {
	for _, k := range []struct {
		name, text string
		envoy      bool
	}{{"combined", combined, false}, {"Envoy's default format", envoyDefault, true}} {
		f, fits := bareFormat(k.text, k.envoy), 0
		for _, l := range lines {
			if f.fits(l) {
				fits++
			}
		}
		if 2*fits > len(lines) {
			err := fmt.Errorf("these lines are nginx's combined format, which has neither $connection nor " +
				"$connection_requests")
			if k.envoy {
				err = errors.New("these lines are Envoy's default format, which has no %CONNECTION_ID%")
			}
			return &MissingError{Format: k.name, Envoy: k.envoy, Err: err}
		}
	}
	return fmt.Errorf("the format of these lines is not known (the first: %.100q); "+
		"name it: h2lab logs --format-from /etc/nginx/nginx.conf#NAME FILE, or --format 'the log_format'", lines[0])
}

// shape is the literal text of a format, to check whether lines match it.
type shape struct {
	format *Format
}

// bareFormat compiles a format without reading any field.
func bareFormat(text string, envoy bool) shape {
	marked := text + " $connection $connection_requests"
	if envoy {
		marked = text + " %CONNECTION_ID%"
	}
	f, err := Compile(marked)
	if err != nil {
		panic("accesslog: " + err.Error()) // a constant
	}
	n := slices.IndexFunc(f.parts, func(p part) bool { return p.field == fConnection })
	f.parts = f.parts[:n]
	f.parts[n-1].until = strings.TrimSuffix(f.parts[n-1].until, " ")
	return shape{f}
}

func (s shape) fits(line []byte) bool {
	var r Record
	return (&scanner{format: s.format}).line(line, &r)
}

// recogniseJSON checks which fields the first objects have.
func recogniseJSON(lines [][]byte, keys map[string]string) (chosen, error) {
	c := chosen{name: "JSON"}
	j := newJSONReader(keys, false)
	envoy, first := false, ""
	for _, l := range lines {
		gjson.ParseBytes(l).ForEach(func(key, _ gjson.Result) bool {
			name := jsonName(key.Str)
			c.has[j.names[name]] = true
			envoy = envoy || slices.Contains(envoyKeys, name)
			if len(first) < 200 {
				first += " " + key.Str
			}
			return true
		})
	}
	j.envoy = envoy && !c.has[fOrdinal]
	c.reader, c.envoy = j, j.envoy
	if j.envoy {
		c.name = "Envoy's JSON"
	}
	switch {
	case !c.has[fConnection]:
		return c, &MissingError{
			Format: c.name,
			Envoy:  envoy,
			Err: fmt.Errorf("these JSON lines have no key for the connection (their keys:%.200s); where one has "+
				"another name: --key connection=NAME --key connection_requests=NAME", first),
		}
	case !c.has[fOrdinal] && !envoy:
		return c, &MissingError{
			Format: c.name,
			Err: fmt.Errorf("these JSON lines have no key for $connection_requests (their keys:%.200s); where one "+
				"has another name: --key connection_requests=NAME", first),
		}
	}
	return c, nil
}
