package accesslog

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

// field is a part of a line that this package reads.
type field uint8

const (
	skipped     field = iota
	fConnection       // $connection, %CONNECTION_ID%
	fOrdinal          // $connection_requests
	fTimeLocal        // 22/Sep/2026:10:00:00 +0000
	fTimeISO          // 2026-09-22T10:00:00+00:00, or with Z and fractions
	fTimeUnix         // seconds since 1970, with fractions
	fAge              // $connection_time: seconds, with fractions
	fProtocol         // $server_protocol, %PROTOCOL%
	fHTTP2            // $http2: h2, h2c or nothing
	fRequest          // $request, whose last word is the protocol
	fStatus           // $status, %RESPONSE_CODE%
	fUpstream         // $upstream_addr: as many addresses as attempts
	fHost             // $hostname: which nginx wrote the line
	fFlags            // %RESPONSE_FLAGS%
	fields
)

// nginxFields are the variables of a log_format that are read.
var nginxFields = map[string]field{
	"connection": fConnection, "connection_requests": fOrdinal, "connection_time": fAge,
	"time_local": fTimeLocal, "time_iso8601": fTimeISO, "msec": fTimeUnix,
	"server_protocol": fProtocol, "http2": fHTTP2, "request": fRequest, "status": fStatus,
	"upstream_addr": fUpstream, "hostname": fHost,
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
	// Flags are Envoy's response flags; they are a slice of the line.
	Flags []byte
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
	case fOrdinal:
		var n uint64
		n, ok = digits(v, mostOrdinal)
		r.Ordinal, ok = uint32(n), ok && n > 0
	case fTimeLocal, fTimeISO, fTimeUnix:
		if r.Timed { // a format may have two; the first counts
			return true
		}
		r.Time, r.Timed = c.read(f, v)
		ok = r.Timed
	case fAge:
		r.Age, ok = millis(v)
		ok = ok && r.Age <= mostAgeMS
	case fProtocol:
		r.Protocol = protocolOf(v)
	case fHTTP2:
		if len(v) > 0 && v[0] == 'h' {
			r.Protocol = HTTP2
		}
	case fRequest:
		if r.Protocol == Unknown {
			r.Protocol = protocolOf(v[max(0, len(v)-8):])
		}
	case fStatus:
		var n uint64
		n, ok = digits(v, 999)
		r.Status = int(n)
	case fUpstream:
		r.Upstreams = addresses(v)
	case fHost:
		r.Host = v
	case fFlags:
		r.Flags = v
	}
	return ok
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
