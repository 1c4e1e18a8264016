package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

// jsonName normalises a key, so that connection_id, connectionId and Connection-ID are the same name.
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

// jsonReader reads lines that are JSON objects, by their keys. The keys of an object within count with the key that it
// stands under before them: request.remote_ip. Lists are passed through.
type jsonReader struct {
	names map[string]field // by jsonName of the whole path
	known map[string]jsonKey
	path  []byte
	end   int // of the last value of the outermost object
	clock clock
	// serial says that a line needs the connection's serial number, ordinal that it needs the request's. Without the first
	// a number is the connection's name, and the client's address and port are another one.
	serial, ordinal bool
}

// jsonKey is what is known of a path as it is written.
type jsonKey struct {
	name  string // its words in lower case, with points between them
	field field
	leads bool // to names that are read
}

// mostKeys limits the keys that are remembered from hostile lines, deepestKey the objects within one another.
const mostKeys, deepestKey = 4096, 8

func newJSONReader(extra map[string]string) *jsonReader {
	names := maps.Clone(data().ofJSON)
	for ours, theirs := range extra {
		names[jsonName(theirs)] = names[jsonName(ours)]
	}
	return &jsonReader{names: names, known: map[string]jsonKey{}, serial: true, ordinal: true}
}

// line reads one line into the record and reports whether it matches the format.
func (j *jsonReader) line(line []byte, r *Record) bool {
	if !j.parse(line, r) {
		return false
	}
	connection := r.numbered
	if !j.serial {
		_, connection = r.peer()
	}
	return connection && (r.Ordinal > 0 || !j.ordinal)
}

func (j *jsonReader) parse(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	j.end = 0
	o := gjson.ParseBytes(line)
	return o.IsObject() && j.object(line, o, 0, r) && // gjson accepts a line that is cut off
		string(bytes.TrimSpace(line[j.end:])) == "}"
}

// object reads the keys of an object, or of each object in a list, below the path so far.
func (j *jsonReader) object(line []byte, o gjson.Result, depth int, r *Record) bool {
	ok, before := true, len(j.path)
	o.ForEach(func(key, value gjson.Result) bool {
		if o.IsObject() {
			j.path = append(append(j.path, '.'), key.Str...)
		}
		switch k := j.key(); {
		case value.Type == gjson.JSON:
			ok = ok && (!k.leads || depth >= deepestKey || j.object(line, value, depth+1, r))
		case k.field != skipped && (value.Type == gjson.String || value.Type == gjson.Number):
			raw := line[value.Index : value.Index+len(value.Raw)]
			if value.Type == gjson.String && len(raw) == len(value.Str)+2 {
				raw = raw[1 : len(raw)-1]
			} else if value.Type == gjson.String {
				raw = []byte(value.Str)
			}
			j.set(r, k.field, raw)
		}
		if j.path = j.path[:before]; depth == 0 {
			j.end = value.Index + len(value.Raw)
		}
		return ok
	})
	return ok
}

// key is what is known of the path.
func (j *jsonReader) key() jsonKey {
	k, known := j.known[string(j.path)]
	if !known {
		words := strings.Split(string(j.path[1:]), ".")
		for i := range words {
			words[i] = jsonName(words[i])
		}
		k.name = strings.Join(words, ".")
		whole := jsonName(k.name)
		k.field = j.names[whole]
		for name := range j.names {
			k.leads = k.leads || strings.HasPrefix(name, whole)
		}
		if len(j.known) < mostKeys {
			j.known[string(j.path)] = k
		}
	}
	return k
}

// set reads a value. One that its key's name doesn't promise ("connection":"keep-alive") is not read, except that an
// address may have a port behind it, and a connection a name instead of a number.
func (j *jsonReader) set(r *Record, f field, raw []byte) {
	port := bytes.LastIndexByte(raw, ':')
	switch {
	case empty(f, raw):
		return
	case f == fTime:
		f = timeKind(raw)
	case f == fAddr && port > 0 && (raw[0] == '[' || bytes.IndexByte(raw, ':') == port):
		f = fPeer
	}
	if f == fConnection && (!j.serial || !r.set(f, raw, &j.clock)) {
		if _, number := digits(raw, mostSerial); number || len(raw) >= 6 && bytes.ContainsAny(raw, "0123456789") &&
			bytes.IndexByte(raw, ' ') < 0 {
			r.ID = raw
		}
	} else if f != fConnection {
		r.set(f, raw, &j.clock)
	}
}

// recogniseJSON finds out which known keys the first objects have, whose they are, and whether they identify the
// connection.
func recogniseJSON(lines [][]byte, keys map[string]string) (chosen, error) {
	j := newJSONReader(keys)
	c := chosen{reader: j, server: cure.Unknown, name: facts.Verbatim("JSON")}
	var serials, ordinals, peers int
	for _, l := range lines {
		var r Record
		if !j.parse(l, &r) {
			continue
		}
		if r.numbered {
			serials++
		}
		if r.Ordinal > 0 {
			ordinals++
		}
		if _, named := r.peer(); named {
			peers++
		}
	}
	c.of(j)
	most := func(n int) bool { return 2*n > len(lines) }
	requested := c.has[fRequest] || c.has[fPath] || c.has[fStatus] || c.has[fFlags]
	switch {
	case c.server != cure.Unknown:
		c.name = data().jsonLogs[c.server]
	case most(serials) && most(ordinals) || serials+peers == 0:
		c.server = cure.Nginx
	}
	fromNginx := c.server == cure.Nginx || c.server == cure.IngressNginx
	// Without ordinals nothing says that another server's numbers have no gaps: they are names.
	j.serial = most(serials) && (most(ordinals) || fromNginx || c.server == cure.Envoy)
	j.ordinal = most(ordinals)
	c.has[fConnection], c.has[fOrdinal] = j.serial, j.ordinal
	if !j.serial && most(serials) {
		c.has[fID], peers = true, serials
	}
	first := keysOf(lines[0])
	var lacks error
	switch {
	case len(keys) == 0 && c.server == cure.Unknown && serials+peers > 0 && !requested:
		lacks = errors.New("these lines have what identifies a connection, but no request and no status: they are of connections")
	case j.serial && !j.ordinal && fromNginx:
		lacks = fmt.Errorf("these JSON lines have no key for $connection_requests (their keys:%.200s); where one "+
			"has another name: --key connection_requests=NAME", first)
	case j.serial, most(peers):
		return c, nil
	case c.has[fPeer] || c.has[fPort] || c.has[fID]:
		lacks = fmt.Errorf("these lines are %s, and most of them have no client port (their keys:%.200s)", texts.English.In(c.name), first)
	case fromNginx:
		lacks = fmt.Errorf("these JSON lines have no key for the connection (their keys:%.200s); where one has "+
			"another name: --key connection=NAME --key connection_requests=NAME", first)
	default:
		lacks = fmt.Errorf("these lines are %s, which has neither the connection's number nor the client's port (its "+
			"keys:%.200s)", texts.English.In(c.name), first)
	}
	return chosen{}, &MissingError{Format: texts.English.In(c.name), Server: c.server, Err: lacks}
}

// of notes which fields the keys that were met stand for, and whose keys they are.
func (c *chosen) of(j *jsonReader) {
	for _, k := range j.known {
		c.has[k.field] = true
		if k.field == fConnection && k.name == "connection" && c.server == cure.Unknown {
			c.server = cure.Nginx
		}
		for server, names := range data().Servers {
			if slices.Contains(names, k.name) && (c.server == cure.Unknown || c.server == cure.Nginx) {
				c.server = server
			}
		}
	}
}

// keysOf are the keys of a line, for a message.
func keysOf(line []byte) (keys string) {
	gjson.ParseBytes(line).ForEach(func(key, _ gjson.Result) bool {
		keys += " " + key.Str
		return len(keys) < 200
	})
	return keys
}

// KeyFields are the fields that --key can name.
var KeyFields = []string{"connection", "connection_requests", "connection_time", "time", "protocol", "status", "request",
	"upstream_addr", "hostname", "remote_addr", "remote_port", "http_user_agent"}

// KnownKey reports whether --key can name a field.
func KnownKey(name string) bool { return data().ofJSON[jsonName(name)] != skipped }
