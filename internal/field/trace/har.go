package trace

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
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
