package jsonlines

import (
	"bytes"
	"encoding/json"
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

// lists are the keys under which an object has the records: OpenTelemetry's (opentelemetry-proto, logs.proto), Azure's
// diagnostic settings, CloudWatch's subscriptions and its command line, Splunk's, Elasticsearch's and Loki's answers.
var lists = []string{"logRecords", "records", "Records", "logEvents", "events", "results", "hits", pairs}

// certain are those that nothing but a collector writes.
var certain = []string{"logRecords", "logEvents", pairs}

// pairs is Loki's: its records are lists of a time and a line.
const pairs = "values"

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
		if at < 0 || key == pairs && !bytes.Contains(object[:at], []byte(`"stream"`)) {
			continue
		}
		list := bytes.TrimLeft(object[at+len(key)+2:], ": \t\r\n")
		if opens := first(list) == '['; !opens && key != "hits" || // Elasticsearch's are in an object of that name
			opens && first(after(list)) != map[bool]byte{true: '[', false: '{'}[key == pairs] {
			continue
		}
		size := len(list)
		var whole json.RawMessage
		if json.NewDecoder(bytes.NewReader(list)).Decode(&whole) == nil {
			size = len(whole)
		}
		if slices.Contains(certain, key) || float64(size) >= mostOf*float64(len(object)) {
			return true
		}
	}
	return false
}
