package accesslog

import (
	"bytes"

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

// protocolOf reads $server_protocol, Envoy's %PROTOCOL%, or the end of $request.
func protocolOf(v []byte) Protocol {
	if len(v) < 6 || string(v[:5]) != "HTTP/" {
		return Unknown
	}
	switch v[5] {
	case '1':
		return HTTP1
	case '2':
		return HTTP2
	case '3':
		return HTTP3
	}
	return Unknown
}

// protocolNamed also reads a version alone, and Envoy's and ALPN's names.
func protocolNamed(v []byte) Protocol {
	if p := protocolOf(v); p != Unknown {
		return p
	}
	switch string(v) {
	case "1.0", "1.1", "HTTP10", "HTTP11", "http/1.1", "http/1.0":
		return HTTP1
	case "2", "2.0", "HTTP2", "h2", "h2c", "http/2", "http/2.0":
		return HTTP2
	case "3", "3.0", "HTTP3", "h3", "http/3", "http/3.0":
		return HTTP3
	}
	return Unknown
}

// field is a part of a line that this package reads.
type field uint8

const (
	skipped      field = iota
	fConnection        // $connection, %CONNECTION_ID%
	fOrdinal           // $connection_requests
	fTimeLocal         // 22/Sep/2026:10:00:00 +0000
	fTimeISO           // 2026-09-22T10:00:00+00:00, or with Z and fractions
	fTimeUnix          // seconds since 1970, with fractions
	fAge               // $connection_time: seconds, with fractions
	fProtocol          // $server_protocol, %PROTOCOL%
	fHTTP2             // $http2: h2, h2c or nothing
	fRequest           // $request, whose last word is the protocol
	fStatus            // $status, %RESPONSE_CODE%
	fUpstream          // $upstream_addr: as many addresses as attempts
	fHost              // $hostname: which nginx wrote the line
	fFlags             // %RESPONSE_FLAGS%
	fAddr              // $remote_addr: the client's address
	fPort              // $remote_port: the client's port
	fPeer              // both of them, as address:port
	fAgent             // $http_user_agent
	fPath              // the path alone, where there is no $request
	fTimeHAProxy       // 22/Sep/2026:10:00:00.000, in HAProxy's own time zone
	fOrdinal0          // the number of requests before this one on the connection: Apache's %k
	fID                // a name of the connection that is no serial number: Apache's %{c}L, Kestrel's
	fInner             // the server's own line, within a collector's
	fields
)

// nginxFields are the variables of a log_format that are read.
var nginxFields = map[string]field{
	"connection": fConnection, "connection_requests": fOrdinal, "connection_time": fAge,
	"time_local": fTimeLocal, "time_iso8601": fTimeISO, "msec": fTimeUnix,
	"server_protocol": fProtocol, "http2": fHTTP2, "request": fRequest, "status": fStatus,
	"upstream_addr": fUpstream, "hostname": fHost,
	"remote_addr": fAddr, "remote_port": fPort, "http_user_agent": fAgent,
}

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
	// Flags are Envoy's response flags; they are a slice of the line, as are the next four.
	Flags []byte
	// Addr and Port are the client's, Agent its User-Agent, and Request the request line or its path.
	Addr, Port, Agent, Request []byte
	// ID is the connection's name, where that is no number.
	ID []byte

	numbered bool   // the line has the connection's serial number
	inner    []byte // the server's own line, within a collector's
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
	case fOrdinal0:
		var n uint64
		n, ok = digits(v, mostOrdinal-1)
		r.Ordinal = uint32(n + 1)
	case fTimeLocal, fTimeISO, fTimeUnix, fTimeHAProxy:
		ok = r.setTime(f, v, c)
	case fAge:
		r.Age, ok = millis(v)
		ok = ok && r.Age <= mostAgeMS
	case fProtocol:
		r.Protocol = protocolNamed(v)
	case fHTTP2:
		if len(v) > 0 && v[0] == 'h' {
			r.Protocol = HTTP2
		}
	case fRequest:
		r.Request = v
		if r.Protocol == Unknown {
			r.Protocol = protocolOf(v[max(0, len(v)-8):])
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
	case fFlags:
		r.Flags = v
	case fID:
		r.ID = v
		if at := bytes.IndexByte(v, ':'); at >= 0 { // Kestrel's request: its connection's, and a number
			r.ID = v[:at]
		}
		ok = len(r.ID) > 0
	case fInner:
		r.inner = v
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
		} else {
			n = n*10 + uint64(c)
		}
	}
	return n, n <= most
}

// millis parses seconds with up to nine decimals, as milliseconds.
func millis(v []byte) (ms int64, ok bool) {
	point := len(v)
	for i, c := range v {
		if c == '.' {
			point = i
			break
		}
	}
	whole, ok := digits(v[:point], 1<<40)
	if !ok {
		return 0, false
	}
	ms = int64(whole) * 1000
	if point == len(v) {
		return ms, true
	}
	frac := v[point+1:]
	if _, ok = digits(frac, 1<<62); !ok || len(frac) > 9 {
		return 0, false
	}
	for i, unit := 0, int64(100); i < len(frac) && unit > 0; i, unit = i+1, unit/10 {
		ms += int64(frac[i]-'0') * unit
	}
	return ms, true
}

// addresses counts those of $upstream_addr: ", " separates them within a group and " : " between
// groups; "-" is none (ngx_http_upstream_addr_variable).
func addresses(v []byte) int {
	if len(v) == 0 || len(v) == 1 && v[0] == '-' {
		return 0
	}
	n := 1
	for i := 0; i+1 < len(v); i++ {
		if v[i] == ',' || v[i] == ':' && v[i+1] == ' ' {
			n++
		}
	}
	return n
}
