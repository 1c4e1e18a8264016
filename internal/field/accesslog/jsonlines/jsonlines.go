// Package jsonlines makes a log of JSON objects one of lines: an object a line, whatever stood around and between them.
//
// Collectors write objects in lists (OpenTelemetry's logRecords, Azure's records, CloudWatch's logEvents), one behind
// another without a newline (Firehose), in one array, or on several lines each.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// Reader delivers the objects of a log that begins as named, one a line.
func Reader(src *bufio.Reader, begins Form) io.Reader {
	in := &limited{src: src}
	return &reader{in: in, dec: json.NewDecoder(in), form: begins}
}

// reader walks through the containers. Beside those that are open it remembers one record.
type reader struct {
	in       *limited
	dec      *json.Decoder
	form     Form
	open     []container
	resource []byte // OpenTelemetry's: what wrote the records
	stream   []byte // CloudWatch's: likewise
	labels   []byte // Loki's: likewise
	out      bytes.Buffer
	err      error
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
	switch name, _ := key.(string); name {
	case "resource":
		return r.keep(&r.resource)
	case "stream": // Loki's labels
		return r.keep(&r.labels)
	case "logStream":
		return r.keep(&r.stream)
	default:
		return r.enter(slices.Contains(lists, name))
	}
}

// keep keeps a value that belongs to all records after it.
func (r *reader) keep(into *[]byte) error {
	var value json.RawMessage
	err := r.dec.Decode(&value)
	*into = value
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
	line := flat(object, r.resource)
	if line[0] == '[' {
		line = paired(line, r.labels)
	}
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
