package accesslog

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Protocol is the HTTP version of a request, as far as this package distinguishes it.
type Protocol uint8

// The protocols. A connection never changes its protocol.
const (
	Unknown Protocol = iota
	HTTP1
	HTTP2
	HTTP3
	protocols
)

// String is the protocol's name in logs.
func (p Protocol) String() string {
	return [protocols]string{"unknown", "HTTP/1", "HTTP/2", "HTTP/3"}[p]
}

// protocolOf reads $server_protocol, Envoy's and ALPN's names, a version alone, or the end of $request.
func protocolOf(v []byte) Protocol {
	for _, prefix := range []string{"HTTP/", "http/", "HTTP", "h"} {
		if startsWith(v, prefix) {
			v = v[len(prefix):]
			break
		}
	}
	switch string(v) {
	case "1", "1.0", "1.1", "10", "11":
		return HTTP1
	case "2", "2.0", "2c":
		return HTTP2
	case "3", "3.0":
		return HTTP3
	}
	return Unknown
}

// field is a part of a line that this package reads.
type field uint8

const (
	skipped     field = iota
	fConnection       // the connection's serial number
	fOrdinal          // the request's number on its connection
	fTime             // a time as text
	fTimeUnix         // seconds since 1970, with fractions, or a whole number of a smaller unit
	fAge              // the connection's age: seconds, with fractions
	fProtocol         // $server_protocol, %PROTOCOL%
	fHTTP2            // $http2: h2, h2c or nothing
	fRequest          // $request, whose last word is the protocol
	fStatus           // $status, %RESPONSE_CODE%
	fUpstream         // $upstream_addr: as many addresses as attempts
	fHost             // which server wrote the line
	fFlags            // %RESPONSE_FLAGS%
	fAddr             // the client's address
	fPort             // the client's port
	fPeer             // both of them, as address:port
	fAgent            // $http_user_agent
	fPath             // the path alone, where there is no $request
	fID               // a name of the connection that is no serial number
	fields
)

// fieldNames are the names of the fields in data/formats.toml.
var fieldNames = [fields]string{"", "connection", "ordinal", "time", "msec", "age", "protocol", "http2", "request", "status",
	"upstream", "host", "flags", "addr", "port", "peer", "agent", "path", "id"}

// Record is the content of one line.
type Record struct {
	// Connection is the connection's serial number.
	Connection uint64
	// Ordinal is the request's number on its connection, from 1; 0 if the format has none, as
	// Envoy's.
	Ordinal uint32
	// Time is in milliseconds since 1970; Timed is set if the line has one.
	Time  int64
	Timed bool
	// Age is the connection's age in milliseconds; -1 if it isn't logged.
	Age      int64
	Protocol Protocol
	Status   int
	// Upstreams is how many upstream servers were tried for the answer; -1 if it isn't logged.
	Upstreams int
	// Host is the name of the server that wrote the line; it is a slice of the line.
	Host []byte
	// Addr and Port are the client's, Agent its User-Agent, and Request the request line or its path; slices of the line.
	Addr, Port, Agent, Request []byte
	// ID is the connection's name, where that is no number.
	ID []byte

	numbered bool // the line has the connection's serial number
}

// The maximum of a serial, an ordinal and an age: a line with more doesn't match the format. 2^48
// connections are 8,900 years at 1,000 per second.
const (
	mostSerial  = 1<<48 - 1
	mostOrdinal = 1<<32 - 1
	mostAgeMS   = 100 * 365 * 24 * 3600 * 1000
)

// set parses one field's text into the record and reports whether it is valid.
func (r *Record) set(f field, v []byte, c *clock) bool {
	ok := true
	switch f {
	case fConnection:
		r.Connection, ok = digits(v, mostSerial)
		r.numbered = ok
	case fOrdinal:
		var n uint64
		n, ok = digits(v, mostOrdinal)
		r.Ordinal, ok = uint32(n), ok && n > 0
	case fTime, fTimeUnix:
		ok = r.setTime(f, v, c)
	case fAge:
		r.Age, ok = millis(v)
		ok = ok && r.Age <= mostAgeMS
	case fProtocol:
		r.Protocol = protocolOf(v)
	case fHTTP2:
		if startsWith(v, "h") {
			r.Protocol = HTTP2
		}
	case fRequest:
		r.Request = v
		if r.Protocol == Unknown {
			r.Protocol = protocolOf(v[bytes.LastIndexByte(v, ' ')+1:])
		}
	case fStatus:
		var n uint64
		if n, ok = digits(v, 999); string(v) == "-1" { // HAProxy's, where no answer was sent
			n, ok = 0, true
		}
		r.Status = int(n)
	case fUpstream:
		r.Upstreams = addresses(v)
	case fHost:
		r.Host = v
	case fID:
		r.ID, ok = v, len(v) > 0
	default:
		return r.setClient(f, v)
	}
	return ok
}

// setClient takes what identifies the client. An address has no space: with one, something stands before
// the line.
func (r *Record) setClient(f field, v []byte) bool {
	switch f {
	case fAddr:
		r.Addr = v
	case fPort:
		r.Port = v
	case fPeer:
		r.Addr, r.Port = v, nil
		if at := bytes.LastIndexByte(v, ':'); at > 0 && at < len(v)-1 {
			r.Addr, r.Port = v[:at], v[at+1:]
		}
	case fAgent:
		r.Agent = v
	case fPath:
		if r.Request == nil {
			r.Request = v
		}
	}
	return f != fAddr && f != fPeer || bytes.IndexByte(v, ' ') < 0
}

// empty reports whether a value is the placeholder that nginx and Envoy write for a missing one.
// That is valid except for the connection and the ordinal, which always exist.
func empty(f field, v []byte) bool {
	switch f {
	case fAge, fStatus, fProtocol, fFlags, fTime, fTimeUnix:
		return len(v) == 0 || len(v) == 1 && v[0] == '-'
	}
	return false
}

// client identifies the client by its address and its program, and the program; 0 means unknown.
func (r *Record) client() (client, program uint32) {
	if len(r.Agent) > 0 {
		program = uint32(xxhash.Sum64(r.Agent)) | 1
	}
	if len(r.Addr)+len(r.Agent) > 0 {
		client = (uint32(xxhash.Sum64(r.Addr))*31 + program) | 1
	}
	return client, program
}

// peer identifies the connection by its name, or by the client's address and port; false if the port is unknown, which
// Envoy writes as 0 where it took the address from a header.
func (r *Record) peer() (uint64, bool) {
	if len(r.ID) > 0 {
		return xxhash.Sum64(r.ID) & mostSerial, true
	}
	n, ok := digits(r.Port, 1<<16-1)
	return (xxhash.Sum64(r.Addr)<<16 | n) & mostSerial, ok && n > 0 && len(r.Addr) > 0
}

// digits parses a whole number.
func digits(v []byte, most uint64) (n uint64, ok bool) {
	if len(v) == 0 || len(v) > 19 {
		return 0, false
	}
	for _, c := range v {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, n <= most
}

// millis parses seconds with decimals, as milliseconds. A number of seconds above 1e11 is one of milliseconds, as Node.js
// and CloudWatch write it, and so on to nanoseconds.
func millis(v []byte) (ms int64, ok bool) {
	if len(v) == 0 || v[0] < '0' || v[0] > '9' {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(string(v), 64)
	for seconds >= 1e11 && seconds < 1e20 {
		seconds /= 1000
	}
	return int64(math.Round(seconds * 1000)), err == nil && seconds < 1e11
}

// addresses counts those of $upstream_addr: ", " separates them within a group and " : " between
// groups; "-" is none (ngx_http_upstream_addr_variable).
func addresses(v []byte) int {
	if len(v) == 0 || len(v) == 1 && v[0] == '-' {
		return 0
	}
	return 1 + bytes.Count(v, []byte{','}) + bytes.Count(v, []byte(": "))
}

// clock parses times. Many consecutive lines of a busy log have the same second, so it keeps the
// last text and compares before it parses.
type clock struct {
	text   [48]byte
	n      int
	ms     int64
	layout string // that of the last text
}

// layouts are how programs write a time as text. Fractions of a second need no layout of their own, and a time
// without a zone counts as UTC.
var layouts = []string{
	time.RFC3339Nano, "02/Jan/2006:15:04:05 -0700", "02/Jan/2006:15:04:05", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700",
}

// read returns milliseconds since 1970.
func (c *clock) read(f field, v []byte) (int64, bool) {
	if f == fTimeUnix {
		return millis(v)
	}
	if c.n > 0 && c.n == len(v) && bytes.Equal(c.text[:c.n], v) {
		return c.ms, true
	}
	if len(v) > len(c.text) || len(v) == 0 {
		return 0, false
	}
	t, err := time.Parse(c.layout, string(v))
	for i := 0; (err != nil || c.layout == "") && i < len(layouts); i++ {
		c.layout = layouts[i]
		t, err = time.Parse(c.layout, string(v))
	}
	if err != nil || t.Year() < 1970 {
		return 0, false
	}
	c.ms, c.n = t.UnixMilli(), copy(c.text[:], v)
	return c.ms, true
}

// timeKind distinguishes numbers since 1970 from times as text.
func timeKind(v []byte) field {
	if len(v) > 4 && len(bytes.Trim(v, "0123456789.")) == 0 {
		return fTimeUnix
	}
	return fTime
}

// setTime reads a time. A format may have two: the first counts, and the other one's fractions where it is of the same
// second ($time_local and $msec).
func (r *Record) setTime(f field, v []byte, c *clock) bool {
	if r.Timed && (r.Time%1000 != 0 || f != fTimeUnix && bytes.IndexByte(v, '.') < 0) {
		return true
	}
	t, ok := c.read(f, v)
	if !r.Timed {
		r.Time, r.Timed = t, ok
	} else if ok && t/1000 == r.Time/1000 {
		r.Time = t
	}
	return r.Timed
}
