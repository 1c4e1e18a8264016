package kinds

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// StubStatus has the numbers under nginx's own names. A gauge is absent when the page has no valid value
// for it; accepts, handled and requests are always present.
type StubStatus map[string]int64

const (
	first   = "Active connections:"
	columns = "accepts handled requests"
	gauges  = 3 // Reading, Writing, Waiting
)

// IsStubStatus reports whether a text begins as the page does.
func IsStubStatus(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte(first)) }

// ParseStubStatus reads
//
//	Active connections: 3
//	server accepts handled requests
//	 20 20 41
//	Reading: 0 Writing: 1 Waiting: 2
//
// Tengine adds a column, request_time
// (https://tengine.taobao.org/document/http_stub_status.html), so the second
// line names the columns and further ones are kept under their own names.
func ParseStubStatus(text []byte) (StubStatus, error) {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 4 || !IsStubStatus(text) {
		return nil, fmt.Errorf("%.60q is not a stub_status page", text)
	}
	page := make(StubStatus, 8)
	if err := page.gauge("active", strings.TrimPrefix(lines[0], first)); err != nil {
		return nil, err
	}
	if err := page.counters(lines[1], lines[2]); err != nil {
		return nil, err
	}
	return page, page.states(lines[3])
}

// counters reads the two lines of the table.
func (p StubStatus) counters(head, row string) error {
	names, ours := strings.CutPrefix(strings.TrimSpace(head), "server ")
	if !ours || !strings.HasPrefix(names+" ", columns+" ") {
		return fmt.Errorf("stub_status: %.60q lacks the columns server %s", head, columns)
	}
	values := strings.Fields(row)
	for i, name := range strings.Fields(names) {
		if i >= len(values) {
			return fmt.Errorf("stub_status: %.60q has no number for %s", row, name)
		}
		v, err := strconv.ParseInt(values[i], 10, 64)
		if err != nil || v < 0 {
			return fmt.Errorf("stub_status: %s: %.20q is not a count", name, values[i])
		}
		p[name] = v
	}
	if more := len(values) - len(strings.Fields(names)); more > 0 {
		return fmt.Errorf("stub_status: %.60q has more numbers than columns", row)
	}
	return nil
}

// states reads the last line.
func (p StubStatus) states(line string) error {
	words := strings.Fields(line)
	if len(words) != 2*gauges {
		return fmt.Errorf("stub_status: %.60q is not Reading, Writing and Waiting", line)
	}
	for i, name := range []string{"Reading", "Writing", "Waiting"} {
		if words[2*i] != name+":" {
			return fmt.Errorf("stub_status: %.20q is where %s: is expected", words[2*i], name)
		}
		if err := p.gauge(strings.ToLower(name), words[2*i+1]); err != nil {
			return err
		}
	}
	return nil
}

// gauge reads a number of connections. Workers add to and subtract from nginx's unsigned integer,
// which nginx prints with %uA: after a worker was killed it can wrap below zero. Such a value is
// unknown, not an error.
func (p StubStatus) gauge(name, text string) error {
	v, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return fmt.Errorf("stub_status: %s: %.20q is not a count", name, text)
	}
	if signed := int64(v); signed >= 0 {
		p[name] = signed
	}
	return nil
}
