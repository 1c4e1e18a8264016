package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"h2lab/internal/facts"
)

// The shape is that of draft-ietf-quic-qlog-main-schema-08 (version 0.4); the
// frame events follow draft-ietf-quic-qlog-h3-events-07. No draft speaks of
// HTTP/2 over TCP, so the category http2, the frame types that HTTP/3 lacks,
// and everything called h2lab are ours (docs/trace.md).
type qlogFile struct {
	Version     string      `json:"qlog_version"`
	Format      string      `json:"qlog_format"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Traces      []qlogTrace `json:"traces"`
}

type qlogTrace struct {
	Title        string      `json:"title"`
	CommonFields qlogCommon  `json:"common_fields"`
	VantagePoint qlogVantage `json:"vantage_point"`
	Events       []qlogEvent `json:"events"`
}

type qlogCommon struct {
	ProtocolType  []string `json:"protocol_type"`
	GroupID       string   `json:"group_id"`
	TimeFormat    string   `json:"time_format"`
	ReferenceTime float64  `json:"reference_time"`
}

type qlogVantage struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type qlogEvent struct {
	Time float64        `json:"time"`
	Name string         `json:"name"`
	Data map[string]any `json:"data"`
	Note string         `json:"h2lab_note,omitempty"`
}

// QLog draws a timeline as a qlog file, one trace a connection.
func QLog(t facts.Timeline) ([]byte, error) {
	file := qlogFile{Version: "0.4", Format: "JSON", Title: "h2lab trace " + t.URL, Description: t.Renewal.Summary, Traces: []qlogTrace{}}
	var trace *qlogTrace
	for i, f := range t.Renewal.Frames {
		if i == 0 || opensNext(i, f) {
			file.Traces = append(file.Traces, newTrace(t, len(file.Traces)+1))
			trace = &file.Traces[len(file.Traces)-1]
		}
		trace.Events = append(trace.Events, event(f))
	}
	return pretty(file)
}

func newTrace(t facts.Timeline, n int) qlogTrace {
	protocol := "HTTP2"
	if t.Renewal.Protocol == string(facts.H1) {
		protocol = "HTTP1.1"
	}
	reference := 0.0
	if !t.Began.IsZero() {
		reference = float64(t.Began.UnixMicro()) / 1000
	}
	return qlogTrace{Title: fmt.Sprintf("connection %d", n), Events: []qlogEvent{},
		CommonFields: qlogCommon{ProtocolType: []string{"TCP", "TLS", protocol}, GroupID: fmt.Sprint(n), TimeFormat: "relative", ReferenceTime: reference},
		VantagePoint: qlogVantage{Name: "h2lab trace", Type: "client"}}
}

func event(f facts.Frame) qlogEvent {
	e := qlogEvent{Time: round(f.TMS), Note: f.Note}
	switch f.Type {
	case "TCP", "TLS":
		e.Name, e.Data = "h2lab:"+strings.ToLower(f.Type), map[string]any{"owner": owner(f), "text": f.Detail}
	case facts.FrameGap:
		e.Name, e.Data = "h2lab:not_shown", map[string]any{"text": f.Detail}
	case facts.FrameRequest, facts.FrameResponse:
		e.Name, e.Data = "h2lab:http1_"+strings.ToLower(f.Type), map[string]any{"ordinal": f.StreamID, "length": f.Length, "text": f.Detail}
	default:
		e.Name = "http2:frame_parsed"
		if f.Sent {
			e.Name = "http2:frame_created"
		}
		e.Data = map[string]any{"stream_id": f.StreamID, "length": f.Length, "frame": frame(f)}
	}
	return e
}

func owner(f facts.Frame) string {
	if f.Sent {
		return "local"
	}
	return "remote"
}

// frame is the content of an HTTP/2 frame.
func frame(f facts.Frame) map[string]any {
	out := map[string]any{"frame_type": strings.ToLower(f.Type)}
	if f.Flags != "" {
		out["flags"] = strings.Split(f.Flags, "|")
	}
	c := read(f)
	switch {
	case c.goaway != nil:
		out["id"], out["error_code"], out["debug_data"] = c.goaway.last, c.goaway.code, c.goaway.debug
	case c.code != "":
		out["error_code"] = c.code
	case c.increment != nil:
		out["increment"] = *c.increment
	case len(c.settings) > 0:
		out["settings"] = c.settings
	case len(c.pseudo) > 0:
		fields := []facts.HField{}
		for _, name := range []string{":method", ":path", ":status"} {
			if value, there := c.pseudo[name]; there {
				fields = append(fields, facts.HField{Name: name, Value: value})
			}
		}
		out["headers"] = fields
	case f.Detail != "":
		out["text"] = f.Detail
	}
	return out
}

// pretty is JSON for people and programs.
func pretty(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// JSON is the timeline itself.
func JSON(t facts.Timeline) ([]byte, error) { return pretty(t) }
