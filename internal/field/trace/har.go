package trace

import (
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// HAR formats a trace as an HTTP Archive 1.2 with an entry for every request. Fields that HAR
// doesn't define begin with an underscore, as HAR requires (docs/trace.md). Unknown times and sizes
// are -1.
func HAR(t facts.FrameTrace) ([]byte, error) {
	log := harLog{Version: "1.2", Creator: harCreator{"h2lab trace", strconv.Itoa(t.SchemaVersion)}, Pages: []any{},
		Entries: []harEntry{},
		Comment: notes.SummaryInEnglish(t.Renewal.Summary), Limit: t.Limit}
	for _, x := range exchanges(t) {
		log.Entries = append(log.Entries, x.entry(t))
	}
	return pretty(map[string]any{"log": log})
}

type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
	Pages   []any      `json:"pages"`
	Entries []harEntry `json:"entries"`
	Comment string     `json:"comment"`
	Limit   *int       `json:"_limit"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harEntry struct {
	Started    string      `json:"startedDateTime"`
	Time       float64     `json:"time"`
	Request    harRequest  `json:"request"`
	Response   harResponse `json:"response"`
	Cache      struct{}    `json:"cache"`
	Timings    harTimings  `json:"timings"`
	Server     string      `json:"serverIPAddress,omitempty"`
	Connection string      `json:"connection"`
	Comment    string      `json:"comment,omitempty"`
	StreamID   uint32      `json:"_stream_id"`
	Fate       string      `json:"_fate"`
	Reset      string      `json:"_reset,omitempty"`
	Goaway     *harGoaway  `json:"_goaway"`
}

type harGoaway struct {
	LastStreamID uint32  `json:"last_stream_id"`
	Code         string  `json:"code"`
	Debug        string  `json:"debug"`
	TMS          float64 `json:"t_ms"`
	// Above is set if the stream is above the last-stream-id: it was not processed.
	Above bool `json:"above"`
}

type harRequest struct {
	Method      string   `json:"method"`
	URL         string   `json:"url"`
	HTTPVersion string   `json:"httpVersion"`
	Cookies     []any    `json:"cookies"`
	Headers     []any    `json:"headers"`
	QueryString []harArg `json:"queryString"`
	HeadersSize int      `json:"headersSize"`
	BodySize    int      `json:"bodySize"`
}

type harArg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harResponse struct {
	Status      int            `json:"status"`
	StatusText  string         `json:"statusText"`
	HTTPVersion string         `json:"httpVersion"`
	Cookies     []any          `json:"cookies"`
	Headers     []facts.HField `json:"headers"`
	Content     harContent     `json:"content"`
	RedirectURL string         `json:"redirectURL"`
	HeadersSize int            `json:"headersSize"`
	BodySize    int            `json:"bodySize"`
	Error       string         `json:"_error,omitempty"`
}

type harContent struct {
	Size     int    `json:"size"`
	MimeType string `json:"mimeType"`
}

type harTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	SSL     float64 `json:"ssl"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

func (x *exchange) entry(t facts.FrameTrace) harEntry {
	wait, receive := max(0, x.first-x.sent), max(0, x.last-x.first)
	started := x.sent
	e := harEntry{Request: x.request(t), Response: x.response(t), Connection: strconv.Itoa(x.connection),
		Comment:  x.note,
		StreamID: x.stream, Fate: x.fate(), Reset: x.reset,
		Timings: harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: round(wait), Receive: round(receive)}}
	if x.tcp >= 0 && x.tls >= 0 {
		e.Timings.Connect, e.Timings.SSL = round(x.tcp+x.tls), round(x.tls)
		started -= x.tcp + x.tls
	}
	e.Time = round(e.Timings.Wait + e.Timings.Receive + max(0, e.Timings.Connect))
	e.Started = t.Began.UTC().Add(time.Duration(started * float64(time.Millisecond))).
		Format("2006-01-02T15:04:05.000000Z07:00")
	if host, _, err := net.SplitHostPort(t.Address); err == nil {
		e.Server = host
	}
	if g := x.goaway; g != nil {
		e.Goaway = &harGoaway{LastStreamID: g.last, Code: g.code, Debug: g.debug, TMS: g.ms, Above: x.stream > g.last}
	}
	return e
}

func (x *exchange) request(t facts.FrameTrace) harRequest {
	q := harRequest{
		Method:      x.method,
		URL:         t.URL,
		HTTPVersion: version(t),
		Cookies:     []any{},
		Headers:     []any{},
		QueryString: []harArg{},
		HeadersSize: -1,
		BodySize:    x.body,
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return q
	}
	for name, values := range u.Query() {
		for _, v := range values {
			q.QueryString = append(q.QueryString, harArg{name, v})
		}
	}
	sortArgs(q.QueryString)
	return q
}

func (x *exchange) response(t facts.FrameTrace) harResponse {
	r := harResponse{Status: x.status, StatusText: x.text, HTTPVersion: version(t), Cookies: []any{},
		Headers: []facts.HField{},
		Content: harContent{Size: x.size, MimeType: "x-unknown"}, HeadersSize: -1, BodySize: x.size}
	if x.status == 0 {
		r.HTTPVersion, r.BodySize, r.Error = "", -1, "no answer"
		return r
	}
	for _, f := range x.head(t) {
		r.Headers = append(r.Headers, f)
		switch http.CanonicalHeaderKey(f.Name) {
		case "Content-Type":
			r.Content.MimeType = f.Value
		case "Location":
			r.RedirectURL = f.Value
		}
	}
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
		if g := read(f).goaway; g != nil && !f.Sent {
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
		if status, err := strconv.Atoi(read(f).pseudo[":status"]); err == nil && status >= 200 {
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
		note: notes.InEnglish(f.Note), method: read(f).pseudo[":method"]}
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

func sortArgs(args []harArg) {
	slices.SortStableFunc(args, func(a, b harArg) int { return strings.Compare(a.Name, b.Name) })
}

// round rounds to microseconds.
func round(ms float64) float64 { return math.Round(ms*1000) / 1000 }
