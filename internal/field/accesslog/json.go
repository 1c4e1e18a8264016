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
	// number says that a line needs the connection's number, ordinal that it needs the request's.
	number, ordinal bool
	// met, if not nil, is called with each value instead.
	met func(name string, f field, value []byte)
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
	return &jsonReader{names: names, known: map[string]jsonKey{}, number: true, ordinal: true}
}

// line reads one line into the record and reports whether it matches the format.
func (j *jsonReader) line(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	j.end = 0
	if o := gjson.ParseBytes(line); !o.IsObject() || !j.object(line, o, 0, r) || string(bytes.TrimSpace(line[j.end:])) != "}" {
		return false // gjson accepts a line that is cut off
	}
	connection := r.numbered
	if !j.number {
		_, connection = r.peer()
	}
	return connection && (r.Ordinal > 0 || !j.ordinal)
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
		case value.Type != gjson.Null && k.field != skipped:
			ok = ok && j.set(r, k, value, line[value.Index:value.Index+len(value.Raw)])
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

// set reads a value: a string or a number.
func (j *jsonReader) set(r *Record, k jsonKey, value gjson.Result, raw []byte) bool {
	f := k.field
	switch {
	case value.Type == gjson.String && len(raw) == len(value.Str)+2:
		raw = raw[1 : len(raw)-1]
	case value.Type == gjson.String:
		raw = []byte(value.Str)
	case value.Type != gjson.Number:
		return f != fConnection && f != fOrdinal
	}
	if j.met != nil {
		j.met(jsonName(k.name), f, raw)
		return true
	}
	if f == fTime {
		f = timeKind(raw)
	}
	// X-Forwarded-For under the name of an address may be a list.
	return empty(f, raw) || r.set(f, raw, &j.clock) || f == fAddr || f == fPeer
}

// recogniseJSON finds out which known keys the first objects have, whose they are, and whether they identify the
// connection.
func recogniseJSON(lines [][]byte, keys map[string]string) (chosen, error) {
	j := newJSONReader(keys)
	c := chosen{reader: j, server: cure.Unknown, name: facts.Verbatim("JSON")}
	first := j.survey(&c, lines)
	identified := c.has[fConnection] || c.has[fID] || c.has[fPeer] || c.has[fAddr] && c.has[fPort]
	switch requested := c.has[fRequest] || c.has[fPath] || c.has[fStatus] || c.has[fFlags]; {
	case c.server != cure.Unknown:
		c.name = data().jsonLogs[c.server]
	case len(keys) == 0 && identified && !requested:
		return chosen{}, &MissingError{Format: "JSON", Server: cure.Unknown, Err: errors.New("these lines have what identifies " +
			"a connection, but no request and no status: they are of connections")}
	case c.has[fConnection] && c.has[fOrdinal] || !identified:
		c.server = cure.Nginx
	case c.has[fConnection]: // nothing says that its numbers have no gaps
		for name, f := range j.names {
			if f == fConnection {
				j.names[name] = fID
			}
		}
		clear(j.known)
		c.has[fConnection], c.has[fID] = false, true
	}
	if lacks := c.lacksInJSON(lines, first); lacks != nil {
		return chosen{}, &MissingError{Format: texts.English.In(c.name), Server: c.server, Err: lacks}
	}
	return c, nil
}

// survey reads the sample: which fields its lines have, whose keys they are, and the keys of the first line. A known
// name whose values are something else ("connection":"keep-alive") is not read; one of a connection may be a name.
func (j *jsonReader) survey(c *chosen, lines [][]byte) (first string) {
	kinds := map[string]*[fields]int{}
	j.met = func(name string, f field, value []byte) {
		if kinds[name] == nil {
			kinds[name] = &[fields]int{}
		}
		if len(value) > 0 && !empty(f, value) {
			kinds[name][j.kind(f, value)]++
		}
	}
	for _, l := range lines {
		j.object(l, gjson.ParseBytes(l), 0, nil)
	}
	j.met = nil
	for name, of := range kinds {
		if most := slices.Max(of[:]); most > 0 {
			j.names[name] = field(slices.Index(of[:], most))
		}
		c.has[j.names[name]] = true
	}
	for _, k := range j.known {
		if k.name == "connection" && j.names[k.name] == fConnection && c.server == cure.Unknown {
			c.server = cure.Nginx
		}
		for server, names := range data().Servers {
			if slices.Contains(names, k.name) && (c.server == cure.Unknown || c.server == cure.Nginx) {
				c.server = server
			}
		}
	}
	clear(j.known)
	gjson.ParseBytes(lines[0]).ForEach(func(key, _ gjson.Result) bool {
		first += " " + key.Str
		return len(first) < 200
	})
	return first
}

// kind is what a value under a field's name is: the field, another one or none.
func (j *jsonReader) kind(f field, value []byte) field {
	var r Record
	as := f
	if f == fTime {
		as = timeKind(value)
	}
	port := bytes.LastIndexByte(value, ':')
	switch {
	case f == fAddr && port > 0 && (value[0] == '[' || bytes.IndexByte(value, ':') == port):
		return fPeer
	case r.set(as, value, &j.clock) || f == fAddr:
		return f
	case f == fConnection && len(value) >= 6 && bytes.ContainsAny(value, "0123456789") && bytes.IndexByte(value, ' ') < 0:
		return fID
	}
	return skipped
}

// lacksInJSON says what the objects need to identify their connection.
func (c *chosen) lacksInJSON(lines [][]byte, keys string) error {
	j, fromNginx := c.reader.(*jsonReader), c.server == cure.Nginx || c.server == cure.IngressNginx
	j.number, j.ordinal = c.has[fConnection], c.has[fOrdinal]
	switch {
	case c.has[fConnection] && !c.has[fOrdinal] && fromNginx:
		return fmt.Errorf("these JSON lines have no key for $connection_requests (their keys:%.200s); where one "+
			"has another name: --key connection_requests=NAME", keys)
	case c.has[fConnection]:
		return nil
	case c.has[fPeer] || c.has[fPort] || c.has[fID]:
		if 2*fitting(*c, lines) > len(lines) {
			return nil
		}
		return fmt.Errorf("these lines are %s, and most of them have no client port (their keys:%.200s)", texts.English.In(c.name), keys)
	case fromNginx:
		return fmt.Errorf("these JSON lines have no key for the connection (their keys:%.200s); where one has "+
			"another name: --key connection=NAME --key connection_requests=NAME", keys)
	}
	return fmt.Errorf("these lines are %s, which has neither the connection's number nor the client's port (its "+
		"keys:%.200s)", texts.English.In(c.name), keys)
}

// KeyFields are the fields that --key can name.
var KeyFields = []string{"connection", "connection_requests", "connection_time", "time", "protocol", "status", "request",
	"upstream_addr", "hostname", "remote_addr", "remote_port", "http_user_agent"}

// KnownKey reports whether --key can name a field.
func KnownKey(name string) bool { return data().ofJSON[jsonName(name)] != skipped }
