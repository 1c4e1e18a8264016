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
	"uri": fPath, "path": fPath, "requesturi": fPath, "requestpath": fPath, "url": fPath,
	// Fastly's client.requests (fastly.com/documentation, VCL variables).
	"clientrequests": fOrdinal,
	// Cloudflare's Logpush, Azure's Front Door and Application Gateway (their documentation of access logs).
	"clientsrcport": fPort, "edgeendtimestamp": fTimeISO, "edgestarttimestamp": fTimeISO,
	"edgeresponsestatus": fStatus, "clientrequestprotocol": fProtocol, "clientrequestuseragent": fAgent,
	"clientrequesturi": fPath, "httpstatuscode": fStatus, "httpstatus": fStatus, "responsestatus": fStatus,
	// The W3C's extended log file format, as of IIS and CloudFront.
	"cip": fAddr, "cport": fPort, "csuseragent": fAgent, "scstatus": fStatus, "csprotocolversion": fProtocol,
	"csversion": fProtocol, "csuristem": fPath,
	// HAProxy's aliases of its log-format variables.
	"ci": fAddr, "cp": fPort, "st": fStatus, "hr": fRequest,
}

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
	root  *branch
	clock clock
	// number says that a line needs the connection's number, ordinal that it needs the request's.
	number, ordinal bool
}

// branch is an object within a line: which of its keys are read, and which hold objects or lists of them.
type branch struct {
	names map[string]field
	subs  map[string]*branch
	// keys are those of the last line in order, with their fields: the next line nearly always has
	// the same.
	keys []knownKey
}

type knownKey struct {
	key   string
	field field
	sub   *branch
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
	return &jsonReader{root: &branch{names: names}, number: true, ordinal: true}
}

// line reads one line into the record and reports whether it matches the format.
func (j *jsonReader) line(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	o := object{rest: line}
	if !o.open() || !j.object(&o, j.root, r) {
		return false
	}
	connection := r.numbered
	if !j.number {
		_, connection = r.peer()
	}
	return o.whole && connection && (r.Ordinal > 0 || !j.ordinal)
}

// object reads the keys of an object that was opened.
func (j *jsonReader) object(o *object, b *branch, r *Record) bool {
	for i := 0; ; i++ {
		key, value, more := o.next()
		if !more {
			return true
		}
		k := b.known(i, key)
		if k.sub != nil && (value[0] == '{' || value[0] == '[') {
			if !j.nested(value, k.sub, r) {
				return false
			}
			continue
		}
		if k.field == skipped || len(value) == 0 || string(value) == "null" {
			continue
		}
		if !j.set(r, k.field, value) {
			return false
		}
	}
}

// nested reads an object, or each object of a list. A list of strings, as of a header's values, has one key.
func (j *jsonReader) nested(value []byte, b *branch, r *Record) bool {
	o := object{rest: value}
	if o.open() {
		return j.object(&o, b, r)
	}
	for o.rest = value[1:]; ; {
		item, more := o.item()
		switch {
		case !more:
			return true
		case item[0] == '{':
			if in := (object{rest: item}); in.open() && !j.object(&in, b, r) {
				return false
			}
		case item[0] == '"' && b.names[""] != skipped:
			return j.set(r, b.names[""], item)
		}
	}
}

// known is the i-th key of an object.
func (b *branch) known(i int, key []byte) *knownKey {
	if i < len(b.keys) && b.keys[i].key == string(key) {
		return &b.keys[i]
	}
	k := b.look(key)
	switch {
	case i < len(b.keys):
		b.keys[i] = k
		return &b.keys[i]
	case i == len(b.keys) && i < mostKeys:
		b.keys = append(b.keys, k)
		return &b.keys[i]
	}
	return &knownKey{field: k.field, sub: k.sub}
}

func (b *branch) look(key []byte) knownKey {
	name := jsonName(string(key))
	return knownKey{string(key), b.names[name], b.subs[name]}
}

// set reads a value: a string with its quotes, or a number.
func (j *jsonReader) set(r *Record, f field, value []byte) bool {
	switch c := value[0]; {
	case c == '"':
		value = value[1 : len(value)-1]
		if bytes.IndexByte(value, '\\') >= 0 { // rare in the fields that are read
			value = []byte(gjson.ParseBytes(append(append([]byte{'"'}, value...), '"')).Str)
		}
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

// timeKind distinguishes seconds since 1970 from the formats of text, by what stands where they have a sign.
func timeKind(v []byte) field {
	switch {
	case len(v) > 4 && v[4] >= '0' && v[4] <= '9' && v[2] >= '0' && v[2] <= '9' && v[0] >= '0' && v[0] <= '9':
		return fTimeUnix
	case len(v) > 2 && v[2] == '/':
		return fTimeLocal
	}
	if _, ok := millis(v); ok {
		return fTimeUnix
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
