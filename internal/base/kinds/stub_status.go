package kinds

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// StubStatus has the numbers under nginx's own names. A gauge is absent when the page has no valid value
// for it; accepts, handled and requests are always present.
type StubStatus map[string]int64

// IsStubStatus reports whether a text begins as the page does.
func IsStubStatus(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("Active connections:"))
}

// stubPage matches
//
//	Active connections: 3
//	server accepts handled requests
//	 20 20 41
//	Reading: 0 Writing: 1 Waiting: 2
//
// Tengine adds a column, request_time
// (https://tengine.taobao.org/document/http_stub_status.html), so the second
// line names the columns and further ones are kept under their own names.
var stubPage = regexp.MustCompile(`^\s*Active connections:(.*)\n\s*server (accepts handled requests(?:\s.*)?)\n(.*)\n` +
	`\s*Reading: *(\S+) +Writing: *(\S+) +Waiting: *(\S+)\s*$`)

// ParseStubStatus reads the page. Workers add to and subtract from nginx's unsigned gauges, which nginx prints with %uA:
// after a worker was killed one can wrap below zero. Such a value is unknown, not an error.
func ParseStubStatus(text []byte) (StubStatus, error) {
	m := stubPage.FindStringSubmatch(string(text))
	if m == nil {
		return nil, fmt.Errorf("%.60q is not a stub_status page", text)
	}
	names, values := strings.Fields(m[2]), strings.Fields(m[3])
	if len(names) != len(values) {
		return nil, fmt.Errorf("stub_status: %.60q has not one number for each of %s", m[3], m[2])
	}
	counters := len(names)
	names, values = append(names, "active", "reading", "writing", "waiting"), append(values, m[1], m[4], m[5], m[6])
	page := make(StubStatus, len(names))
	for i, name := range names {
		v, err := strconv.ParseUint(strings.TrimSpace(values[i]), 10, 64)
		switch signed := int64(v); {
		case err != nil, i < counters && signed < 0:
			return nil, fmt.Errorf("stub_status: %s: %.20q is not a count", name, values[i])
		case signed >= 0:
			page[name] = signed
		}
	}
	return page, nil
}
