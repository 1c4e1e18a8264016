package accesslog

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// column is what the sample's lines have at one place: under a key, or after the same separators.
type column struct {
	path   []string // the keys that lead to it, or its label; none for a place in a text
	values []string // one for each line, empty where the line has none
	list   bool     // a key's value is a list of texts
}

// name is the key alone.
func (c *column) name() string {
	if len(c.path) == 0 {
		return ""
	}
	return c.path[len(c.path)-1]
}

const (
	// mostAgree is the share of a column's values that must have a form, leastSet that of the lines with a value.
	mostAgree, leastSet = 0.9, 0.5
)

// all reports whether the values have a form.
func (c *column) all(is func(string) bool) bool {
	set, good := 0, 0
	for _, v := range c.values {
		if v == "" || v == "-" || v == "null" {
			continue
		}
		if set++; is(v) {
			good++
		}
	}
	return set > 0 && float64(set) >= leastSet*float64(len(c.values)) && float64(good) >= mostAgree*float64(set)
}

func isAddr(v string) bool {
	_, err := netip.ParseAddr(strings.Trim(v, "[]"))
	return err == nil
}

func isPeer(v string) bool {
	at := strings.LastIndexByte(v, ':')
	return at > 0 && isAddr(v[:at]) && isPort(v[at+1:]) && (strings.Count(v, ":") == 1 || v[0] == '[')
}

func isPort(v string) bool {
	n, ok := digits([]byte(v), 1<<16-1)
	return ok && n > 0
}

func isNumber(v string) bool {
	_, ok := digits([]byte(v), mostSerial)
	return ok
}

// isName reports whether a value may be a connection's name: one word with a digit or of several cases, as the
// names that servers generate.
func isName(v string) bool {
	return len(v) >= 6 && len(v) <= 80 && !strings.ContainsAny(v, " \"{}[]") && !isAddr(v) &&
		strings.ContainsFunc(v, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) })
}

// ownStatuses are those of nginx, HAProxy, Cloudflare and AWS's balancers.
var ownStatuses = []string{"444", "460", "463", "464", "494", "495", "496", "497", "499", "520", "521", "522", "523",
	"524", "525", "526", "530", "561", "000", "-1"}

func isStatus(v string) bool {
	n, err := strconv.Atoi(v)
	return err == nil && len(v) == 3 && http.StatusText(n) != "" || slices.Contains(ownStatuses, v)
}

// isKestrel recognises the id that Kestrel gives to a request: its connection's name, a colon and a number
// (Microsoft.AspNetCore.Server.Kestrel, TraceIdentifier).
func isKestrel(v string) bool {
	id, n, ok := strings.Cut(v, ":")
	return ok && len(id) == 13 && len(n) == 8 && strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUV") == "" &&
		strings.Trim(n, "0123456789ABCDEF") == ""
}

// certain reports whether the name alone says that a column names connections.
func (c *column) certain() bool {
	f := jsonNames[jsonName(c.name())]
	return f == fConnection || anyOf(words([]string{c.name()}), "connection", "conn")
}

// isRequest recognises a request line, and a method with a path.
func isRequest(v string) bool {
	method, rest, ok := strings.Cut(v, " ")
	return ok && len(method) > 2 && len(method) < 12 && strings.ToUpper(method) == method && rest != "" &&
		(rest[0] == '/' || rest[0] == '*' || strings.Contains(rest, "://") || strings.Contains(rest, "HTTP/"))
}

// methods reports whether a column has methods alone.
func methods(c column) bool {
	return c.all(func(v string) bool {
		return slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"}, v)
	})
}

// transports reports whether a column says that connections are counted: nginx's stream module has a status too.
func transports(c column) bool {
	return c.all(func(v string) bool { return slices.Contains([]string{"TCP", "UDP", "tcp", "udp", "tls", "TLS"}, v) })
}

// isTime recognises a time since 2000: small numbers are none.
func isTime(v string) bool {
	_, ok := instant(v)
	return ok
}

// instant reads a time of this century, in milliseconds.
func instant(v string) (int64, bool) {
	var c clock
	ms, ok := c.read(timeKind([]byte(v)), []byte(v))
	return ms, ok && ms > 946684800000 && ms < 4102444800000
}

// fractions reports whether the times of a column have fractions of a second, and are of the same seconds as those of
// another one, if there is one.
func (c *column) fractions(of *column) bool {
	fine := false
	for i, v := range c.values {
		ms, ok := instant(v)
		if of != nil {
			other, both := instant(of.values[i])
			if ok && both && ms/1000 != other/1000 {
				return false
			}
		}
		fine = fine || ok && ms%1000 != 0
	}
	return fine
}

// fits reports whether a column's values are those of a field.
func (c *column) fits(f field) bool {
	switch f {
	case fConnection, fOrdinal0:
		return c.all(isNumber)
	case fOrdinal:
		return c.all(isNumber) && !slices.Contains(c.values, "0")
	case fID:
		return c.all(isName)
	case fTimeISO, fTimeLocal, fTimeUnix, fTimeHAProxy:
		return c.all(isTime)
	case fProtocol:
		return c.all(func(v string) bool { return protocolNamed([]byte(v)) != Unknown })
	case fStatus:
		return c.all(isStatus)
	case fAddr:
		return c.all(isAddr)
	case fPeer:
		return c.all(isPeer)
	case fPort:
		return c.all(isPort)
	case fRequest:
		return c.all(isRequest)
	case fHTTP2, fAge:
		return false // nginx's own, and always under its own name
	}
	return true
}

// afterConn are what is often written as one word with conn.
var afterConn = []string{"id", "no", "num", "serial", "req", "reqs", "request", "requests", "count", "seq"}

// words splits keys into words: clientPort, client_port and client.port are client and port.
func words(path []string) map[string]bool {
	out := map[string]bool{}
	for _, key := range path {
		word := strings.Builder{}
		end := func() {
			if w := strings.ToLower(word.String()); w != "" {
				out[w] = true
				if after, is := strings.CutPrefix(w, "conn"); is && slices.Contains(afterConn, after) {
					out["conn"], out[after] = true, true
				}
			}
			word.Reset()
		}
		lower := false
		for _, r := range key {
			switch {
			case !unicode.IsLetter(r) && !unicode.IsDigit(r):
				end()
				continue
			case unicode.IsUpper(r) && lower:
				end()
			}
			lower = !unicode.IsUpper(r)
			word.WriteRune(r)
		}
		end()
	}
	return out
}

func anyOf(w map[string]bool, names ...string) bool {
	for _, n := range names {
		if w[n] {
			return true
		}
	}
	return false
}

// otherEnds are names of a connection's other end, and of other connections.
var otherEnds = []string{"upstream", "backend", "origin", "target", "server", "local", "destination", "dst", "listener"}

// meanings are what a column may be by its name, the likeliest first: a known name, or words that say it.
func (c *column) meanings() (out []field) {
	if c.name() == "" {
		return nil
	}
	if f := jsonNames[jsonName(c.name())]; f != skipped {
		out = append(out, f)
	}
	if n := len(c.path); n > 1 {
		if f := jsonNames[jsonName(c.path[n-2]+c.path[n-1])]; f != skipped {
			out = append(out, f)
		}
	}
	w := words(c.path)
	end := words([]string{c.name()})
	switch connection := anyOf(w, "connection", "conn", "cnx", "cid", "connections", "c", "creq", "cr"); {
	case anyOf(w, "active", "open", "opened", "current", "total", "max", "idle", "waiting", "reading", "writing", "limit"),
		anyOf(w, otherEnds...):
		// how many there are, the connection's other end, or another connection
	case connection && anyOf(end, "requests", "request", "reqs", "req", "count", "seq", "ordinal", "creq", "cr", "reqno"):
		out = append(out, fOrdinal, fOrdinal0)
	case anyOf(w, "keepalive", "ka", "k") && len(c.path) == 1:
		out = append(out, fOrdinal, fOrdinal0)
	case connection && !anyOf(end, "time", "duration", "age", "state", "status", "details", "bytes", "type"):
		out = append(out, fConnection, fID)
	case anyOf(w, "client", "remote", "peer", "source", "src", "downstream"):
		switch {
		case anyOf(end, "port") || anyOf(w, "port") && end["value"]:
			out = append(out, fPort)
		default:
			out = append(out, fPeer, fAddr)
		}
	case len(c.path) == 1 && anyOf(end, "port", "rport", "sport") && c.several() && c.all(isEphemeral):
		out = append(out, fPort)
	case anyOf(end, "time", "timestamp", "ts", "datetime"):
		out = append(out, fTimeISO)
	case anyOf(w, "user") && anyOf(w, "agent") || end["ua"]:
		out = append(out, fAgent)
	case len(c.path) == 1 && anyOf(end, "ip", "addr", "address", "host", "from") && c.several():
		out = append(out, fAddr) // LTSV's host is the client (ltsv.org)
	case anyOf(end, "path", "uri", "url"), anyOf(w, "grpc", "rpc") && end["method"]:
		out = append(out, fPath)
	case anyOf(end, "status", "code"):
		out = append(out, fStatus)
	}
	return out
}
