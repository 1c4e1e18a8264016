package accesslog

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// jsonNames maps the keys of JSON logs to fields, in lower case and with letters and digits only:
// connection_id, connectionId and Connection-ID are the same name.
var jsonNames = map[string]field{
	"connection": fConnection, "connectionid": fConnection, "connectionserial": fConnection, "conn": fConnection,
	"connid":             fConnection,
	"connectionrequests": fOrdinal, "connectionrequest": fOrdinal, "connrequests": fOrdinal, "connreqs": fOrdinal,
	"requestsonconnection": fOrdinal,
	"connectiontime":       fAge, "conntime": fAge,
	"time": fTimeISO, "timestamp": fTimeISO, "ts": fTimeISO, "timeiso8601": fTimeISO, "starttime": fTimeISO,
	"timelocal": fTimeISO, "msec": fTimeISO, "date": fTimeISO,
	"serverprotocol": fProtocol, "protocol": fProtocol, "httpversion": fProtocol, "http2": fHTTP2, "request": fRequest,
	"requestprotocol": fProtocol, "proto": fProtocol, "startutc": fTimeISO,
	"status": fStatus, "statuscode": fStatus, "responsecode": fStatus, "downstreamstatus": fStatus,
	"upstreamaddr": fUpstream, "hostname": fHost, "responseflags": fFlags,
	"remoteaddr": fAddr, "remoteip": fAddr, "clientip": fAddr, "clienthost": fAddr,
	"remoteport": fPort, "clientport": fPort,
	"clientaddr": fPeer, "downstreamremoteaddress": fPeer, "downstreamdirectremoteaddress": fPeer,
	"useragent": fAgent, "httpuseragent": fAgent, "requestuseragent": fAgent, "agent": fAgent,
	"uri": fPath, "path": fPath, "requesturi": fPath, "requestpath": fPath,
}

// caddyNames are the keys of the object "request" in Caddy's access logs. Versions before 2.5 have
// remote_addr with the port in it.
var caddyNames = map[string]field{"remote_ip": fAddr, "remote_port": fPort, "remote_addr": fPeer,
	"proto": fProtocol, "uri": fPath, "headers": fAgent}

// jsonName normalises a key for jsonNames.
func jsonName(key string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return -1
	}, key)
}

// jsonReader reads lines that are JSON objects, by their keys.
type jsonReader struct {
	names map[string]field
	// keys are those of the last line in order, with their fields: the next line nearly always has
	// the same.
	keys  []knownKey
	clock clock
	// number says that a line needs the connection's number, ordinal that it needs the request's.
	number, ordinal bool
}

type knownKey struct {
	key   string
	field field
}

// mostKeys limits the keys that are remembered from a hostile line.
const mostKeys = 256

func newJSONReader(extra map[string]string) *jsonReader {
	names := make(map[string]field, len(jsonNames)+len(extra))
	for name, f := range jsonNames {
		names[name] = f
	}
	for ours, theirs := range extra {
		f, known := jsonNames[jsonName(ours)]
		if known {
			names[jsonName(theirs)] = f
		}
	}
	return &jsonReader{names: names, number: true, ordinal: true}
}

// line reads one line into the record and reports whether it matches the format.
func (j *jsonReader) line(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	o := object{rest: line}
	if !o.open() {
		return false
	}
	connection := false
	for i := 0; ; i++ {
		key, value, more := o.next()
		if !more {
			break
		}
		f := j.field(i, key)
		if f == skipped || len(value) == 0 || string(value) == "null" {
			continue
		}
		connection = connection || f == fConnection
		if !j.set(r, f, value) {
			return false
		}
	}
	if !j.number {
		_, connection = r.peer()
	}
	return o.whole && connection && (r.Ordinal > 0 || !j.ordinal)
}

// field is the field of the i-th key of a line.
func (j *jsonReader) field(i int, key []byte) field {
	if i < len(j.keys) && j.keys[i].key == string(key) {
		return j.keys[i].field
	}
	f := j.names[jsonName(string(key))]
	switch {
	case i < len(j.keys):
		j.keys[i] = knownKey{string(key), f}
	case i == len(j.keys) && i < mostKeys:
		j.keys = append(j.keys, knownKey{string(key), f})
	}
	return f
}

// set reads a value: a string with its quotes, or a number.
func (j *jsonReader) set(r *Record, f field, value []byte) bool {
	switch c := value[0]; {
	case c == '"':
		value = value[1 : len(value)-1]
		if bytes.IndexByte(value, '\\') >= 0 { // rare in the fields that are read
			value = []byte(gjson.ParseBytes(append(append([]byte{'"'}, value...), '"')).Str)
		}
	case c == '{' && f == fRequest:
		return j.caddy(r, value)
	case c == '-' && f == fStatus: // HAProxy's -1
		return true
	case c < '0' || c > '9': // true, or an object: not usable
		return f != fConnection && f != fOrdinal
	}
	if f == fTimeISO {
		f = timeKind(value)
	}
	// X-Forwarded-For under the name of an address may be a list.
	return empty(f, value) || r.set(f, value, &j.clock) || f == fAddr || f == fPeer
}

// caddy reads the object "request" of a line, and the agent in its headers.
func (j *jsonReader) caddy(r *Record, request []byte) bool {
	o := object{rest: request}
	if !o.open() {
		return false
	}
	for {
		key, value, more := o.next()
		if !more {
			return o.whole
		}
		switch f := caddyNames[string(key)]; {
		case f == fAgent:
			if _, after, found := bytes.Cut(value, []byte(`"User-Agent":["`)); found {
				r.Agent, _, _ = bytes.Cut(after, []byte{'"'})
			}
		case f != skipped && len(value) > 1 && value[0] == '"':
			r.set(f, value[1:len(value)-1], &j.clock)
		}
	}
}

// timeKind distinguishes the three formats of time.
func timeKind(v []byte) field {
	if _, ok := millis(v); ok {
		return fTimeUnix
	}
	for _, c := range v {
		if c == '/' {
			return fTimeLocal
		}
	}
	return fTimeISO
}

// KeyFields are the fields that --key can name.
var KeyFields = []string{
	"connection",
	"connection_requests",
	"connection_time",
	"time",
	"protocol",
	"status",
	"request",
	"upstream_addr",
	"hostname",
	"remote_addr",
	"remote_port",
	"http_user_agent",
}

// KnownKey reports whether --key can name a field.
func KnownKey(name string) bool { return jsonNames[jsonName(name)] != skipped }
