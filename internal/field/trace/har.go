package trace

import (
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// object is an object of an archive: the names are HAR's.
type object map[string]any

// HAR formats a trace as an HTTP Archive 1.2 with an entry for every request. Fields that HAR
// doesn't define begin with an underscore, as HAR requires (docs/trace.md). Unknown times and sizes
// are -1.
func HAR(t facts.FrameTrace) ([]byte, error) {
	entries := []object{}
	for _, x := range exchanges(t) {
		entries = append(entries, x.entry(t))
	}
	return indented(object{"log": object{"version": "1.2",
		"creator": object{"name": "h2lab trace", "version": strconv.Itoa(t.SchemaVersion)}, "pages": []any{},
		"entries": entries, "comment": texts.English.Note(t.Renewal.Summary), "_limit": t.Limit}})
}

func (x *exchange) entry(t facts.FrameTrace) object {
	wait, receive := round(max(0, x.first-x.sent)), round(max(0, x.last-x.first))
	started, connect, ssl := x.sent, -1.0, -1.0
	if x.tcp >= 0 && x.tls >= 0 {
		connect, ssl = round(x.tcp+x.tls), round(x.tls)
		started -= x.tcp + x.tls
	}
	e := object{"request": x.request(t), "response": x.response(t), "cache": object{},
		"startedDateTime": t.Began.UTC().Add(time.Duration(started * float64(time.Millisecond))).
			Format("2006-01-02T15:04:05.000000Z07:00"),
		"time":       round(wait + receive + max(0, connect)),
		"timings":    object{"blocked": -1, "dns": -1, "connect": connect, "ssl": ssl, "send": 0, "wait": wait, "receive": receive},
		"connection": strconv.Itoa(x.connection), "_stream_id": x.stream, "_fate": x.fate(), "_goaway": nil}
	host, _, _ := net.SplitHostPort(t.Address)
	for name, value := range map[string]string{"serverIPAddress": host, "comment": x.note, "_reset": x.reset} {
		if value != "" {
			e[name] = value
		}
	}
	if g := x.goaway; g != nil {
		e["_goaway"] = object{"last_stream_id": g.last, "code": g.code, "debug": g.debug, "t_ms": g.ms,
			"above": x.stream > g.last} // a stream above the last-stream-id was not processed
	}
	return e
}

func (x *exchange) request(t facts.FrameTrace) object {
	args := []object{}
	if u, err := url.Parse(t.URL); err == nil {
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			for _, v := range query[name] {
				args = append(args, object{"name": name, "value": v})
			}
		}
	}
	return object{"method": x.method, "url": t.URL, "httpVersion": version(t), "cookies": []any{}, "headers": []any{},
		"queryString": args, "headersSize": -1, "bodySize": x.body}
}

func (x *exchange) response(t facts.FrameTrace) object {
	content := object{"size": x.size, "mimeType": "x-unknown"}
	headers := []facts.HField{}
	r := object{"status": x.status, "statusText": x.text, "httpVersion": version(t), "cookies": []any{}, "content": content,
		"redirectURL": "", "headersSize": -1, "bodySize": x.size}
	if x.status == 0 {
		r["httpVersion"], r["bodySize"], r["_error"] = "", -1, "no answer"
	} else {
		headers = append(headers, x.head(t)...)
	}
	for _, f := range headers {
		switch http.CanonicalHeaderKey(f.Name) {
		case "Content-Type":
			content["mimeType"] = f.Value
		case "Location":
			r["redirectURL"] = f.Value
		}
	}
	r["headers"] = headers
	return r
}

func version(t facts.FrameTrace) string {
	if t.Renewal.Protocol == string(facts.H1) {
		return "HTTP/1.1"
	}
	return "HTTP/2"
}

// exchange is one request and its result.
type exchange struct {
	connection int
	stream     uint32
	method     string
	body       int     // bytes of the request's body
	sent       float64 // ms
	first      float64 // of the answer; the connection's end if there is none
	last       float64
	tcp, tls   float64 // time to open the connection, for its first request; -1 for others
	status     int
	text       string
	size       int // bytes of the answer's body
	reset      string
	note       string
	complete   bool
	goaway     *goaway // the connection's last GOAWAY
}

// exchanges extracts the requests from the frames, in the order they were sent.
func exchanges(t facts.FrameTrace) []*exchange {
	r := &reader{connection: 1, open: map[uint32]*exchange{}, tcp: -1, tls: -1}
	for i, f := range t.Renewal.Frames {
		if opensNext(i, f) {
			r.end()
			r.connection, r.tcp, r.tls = r.connection+1, milliseconds(f.Detail, "TCP in "),
				milliseconds(f.Detail, "TLS in ")
		}
		r.take(i, f)
	}
	r.end()
	return r.all
}

// reader processes one connection after the other.
type reader struct {
	all        []*exchange
	connection int
	open       map[uint32]*exchange // of this connection
	goaway     *goaway
	now        float64
	tcp, tls   float64
}

func (r *reader) take(i int, f facts.Frame) {
	if f.TMS > r.now && !math.IsInf(f.TMS, 0) {
		r.now = f.TMS
	}
	switch f.Type {
	case facts.FrameGap:
		r.tcp, r.tls = -1, -1 // these times belong to an earlier request
	case "TCP":
		if f.Sent && i == 0 && strings.HasPrefix(f.Detail, "connected") {
			r.tcp = f.TMS
		}
	case "TLS":
		if f.Sent && r.tcp >= 0 && r.tls < 0 {
			r.tls = max(0, f.TMS-r.tcp)
		}
	case "GOAWAY":
		if g := goawayOf(f); g != nil && !f.Sent {
			r.goaway = g
		}
	default:
		r.takeStream(f)
	}
}

func (r *reader) takeStream(f facts.Frame) {
	x := r.open[f.StreamID]
	switch {
	case f.Sent && (f.Type == "HEADERS" || f.Type == facts.FrameRequest):
		r.request(f)
	case x == nil:
	case f.Sent && f.Type == "DATA":
		x.body += f.Length
	case f.Sent:
	case f.Type == "HEADERS" || f.Type == "CONTINUATION":
		x.began(r.now)
		if status, err := strconv.Atoi(pseudoOf(f.Detail)[":status"]); err == nil && status >= 200 {
			x.status = status
		}
		x.ended(f, r.now)
	case f.Type == "DATA":
		x.began(r.now)
		x.size += f.Length
		x.ended(f, r.now)
	case f.Type == "RST_STREAM":
		x.began(r.now)
		x.reset = f.Detail
	case f.Type == facts.FrameResponse:
		x.began(r.now)
		x.size, x.complete = f.Length, true
		status, text, _ := strings.Cut(strings.TrimSuffix(f.Detail, ", Connection: close"), " ")
		x.status, _ = strconv.Atoi(status)
		x.text = text
	}
}

func (r *reader) request(f facts.Frame) {
	x := &exchange{connection: r.connection, stream: f.StreamID, sent: r.now, first: -1, tcp: r.tcp, tls: r.tls,
		note: texts.English.Note(f.Note), method: pseudoOf(f.Detail)[":method"]}
	if f.Type == facts.FrameRequest {
		x.method, _, _ = strings.Cut(f.Detail, " ")
	}
	r.tcp, r.tls = -1, -1
	r.open[f.StreamID] = x
	r.all = append(r.all, x)
}

// end finishes the requests of a connection.
func (r *reader) end() {
	for _, x := range r.open {
		x.began(r.now)
		x.goaway = r.goaway
	}
	r.open, r.goaway = map[uint32]*exchange{}, nil
}

func (x *exchange) began(now float64) {
	if x.first < 0 {
		x.first = now
	}
	if !x.complete {
		x.last = now
	}
}

func (x *exchange) ended(f facts.Frame, now float64) {
	if slices.Contains(strings.Split(f.Flags, "|"), "END_STREAM") {
		x.complete, x.last = true, now
	}
}

// fate is what happened to a request.
func (x *exchange) fate() string {
	switch {
	case x.reset == "REFUSED_STREAM":
		return "refused"
	case x.complete:
		return "answered"
	case x.reset != "":
		return "reset"
	case x.status > 0:
		return "cut off"
	}
	return "dropped"
}

// head are the fields of the answer.
func (x *exchange) head(t facts.FrameTrace) []facts.HField {
	for _, h := range t.Heads {
		if h.Connection == x.connection && h.Stream == x.stream {
			return h.Fields
		}
	}
	return nil
}

// round rounds to microseconds.
func round(ms float64) float64 { return math.Round(ms*1000) / 1000 }
