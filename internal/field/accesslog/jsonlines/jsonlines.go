// Package jsonlines makes a log of JSON objects one of lines: an object a line, whatever stood around and between them.
//
// Collectors write objects in lists (Azure's records, CloudWatch's logEvents), one behind another without a newline
// (Firehose), in one array, or on several lines each.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// Form is how the objects of a log stand in it.
type Form uint8

// The forms.
const (
	Lines   Form = iota // one on each line, or none at all: there is nothing to do
	Objects             // one behind another, or on several lines each
	Array               // all of them in one array
	Lists               // in lists within others
)

// lists are the keys under which an object has the records: Azure's diagnostic settings, CloudWatch's subscriptions.
var lists = []string{"records", "Records", "logEvents"}

// mostOf is the share of an object's text that its records have, so that a list within a record is none.
const mostOf = 0.5

// Begins tells the form by the beginning of a log.
func Begins(head []byte) Form {
	head = bytes.TrimLeft(head, blanks)
	switch {
	case first(head) == '[' && first(after(head)) == '{':
		return Array
	case first(head) != '{' || first(after(head)) != '"':
		return Lines
	}
	var object json.RawMessage
	if json.NewDecoder(bytes.NewReader(head)).Decode(&object) != nil { // the head is shorter than it, or it is no JSON
		line, rest, several := bytes.Cut(head, []byte("\n"))
		switch {
		case listed(head):
			return Lists
		case several && !json.Valid(line) && first(bytes.TrimLeft(rest, blanks)) == '"':
			return Objects
		}
		return Lines
	}
	switch next := bytes.TrimLeft(head[len(object):], " \t\r"); {
	case listed(object):
		return Lists
	case bytes.IndexByte(object, '\n') >= 0, first(next) == '{':
		return Objects
	}
	return Lines
}

const blanks = " \t\r\n"

func first(text []byte) byte {
	if len(text) == 0 {
		return 0
	}
	return text[0]
}

// after is what follows a bracket.
func after(text []byte) []byte { return bytes.TrimLeft(text[1:], blanks) }

// listed reports whether a list of records is most of an object, of which the beginning is enough.
func listed(object []byte) bool {
	for _, key := range lists {
		at := bytes.Index(object, []byte(`"`+key+`"`))
		if at < 0 {
			continue
		}
		list := bytes.TrimLeft(object[at+len(key)+2:], ": \t\r\n")
		if first(list) != '[' || first(after(list)) != '{' {
			continue
		}
		size := len(list)
		var whole json.RawMessage
		if json.NewDecoder(bytes.NewReader(list)).Decode(&whole) == nil {
			size = len(whole)
		}
		if key == "logEvents" || float64(size) >= mostOf*float64(len(object)) { // nothing else has logEvents
			return true
		}
	}
	return false
}

// Reader delivers the objects of a log that begins as named, one a line.
func Reader(src *bufio.Reader, begins Form) io.Reader {
	in := &limited{src: src}
	return &reader{in: in, dec: json.NewDecoder(in), form: begins}
}

// reader walks through the containers. Beside those that are open it remembers one record.
type reader struct {
	in     *limited
	dec    *json.Decoder
	form   Form
	open   []container
	stream []byte // CloudWatch's: what wrote the records
	out    bytes.Buffer
	err    error
}

// container is a list or an object that was opened.
type container struct {
	list    bool
	records bool // its items are the records
}

// mostOpen is far above the depth of a list of records.
const mostOpen = 64

// Read waits for one record, and goes on as far as the log has arrived.
func (r *reader) Read(p []byte) (int, error) {
	for r.err == nil && (r.out.Len() == 0 || r.out.Len() < len(p) && r.in.src.Buffered() > 0) {
		r.in.since = 0
		r.err = r.step()
	}
	if r.out.Len() > 0 {
		return r.out.Read(p)
	}
	return 0, r.err
}

// step passes one bracket, one key with a value that is none of a record's, or one record.
func (r *reader) step() error {
	depth := len(r.open)
	switch {
	case depth == 0 && r.form == Objects:
		return r.record()
	case depth == 0:
		return r.enter(r.form == Array)
	case depth > mostOpen:
		return errors.New("JSON in more levels than any log's")
	case !r.dec.More():
		r.open = r.open[:depth-1]
		_, err := r.dec.Token()
		return err
	case r.open[depth-1].records:
		return r.record()
	case r.open[depth-1].list:
		return r.enter(false)
	}
	key, err := r.dec.Token()
	if err != nil {
		return err
	}
	if name, _ := key.(string); name != "logStream" {
		return r.enter(slices.Contains(lists, name))
	}
	var value json.RawMessage // of all records after it
	err = r.dec.Decode(&value)
	r.stream = value
	return err
}

// enter opens an object or a list; another value is passed.
func (r *reader) enter(records bool) error {
	token, err := r.dec.Token()
	switch token {
	case json.Delim('['):
		r.open = append(r.open, container{list: true, records: records})
	case json.Delim('{'):
		r.open = append(r.open, container{})
	}
	return err
}

func (r *reader) record() error {
	var object json.RawMessage
	if err := r.dec.Decode(&object); err != nil {
		return err
	}
	if bytes.IndexByte(object, '\n') >= 0 {
		var one bytes.Buffer
		if err := json.Compact(&one, object); err != nil {
			return err
		}
		object = one.Bytes()
	}
	line := []byte(object)
	if len(r.stream) > 0 && len(line) > 2 && line[0] == '{' {
		r.out.WriteString(`{"logStream":`)
		r.out.Write(r.stream)
		r.out.WriteByte(',')
		line = line[1:]
	}
	r.out.Write(line)
	r.out.WriteByte('\n')
	return nil
}

// longest is how long a record may be: the decoder holds a whole one.
const longest = 1 << 22

// limited ends a log whose records are longer than any.
type limited struct {
	src   *bufio.Reader
	since int // bytes since the last record
}

func (l *limited) Read(p []byte) (int, error) {
	if l.since > longest {
		return 0, errors.New("a JSON object that is longer than 4 MiB")
	}
	n, err := l.src.Read(p)
	l.since += n
	return n, err
}
