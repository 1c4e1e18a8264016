// Package trace formats the frames of a connection that reached its limit: as text (text.go), as
// JSON (json.go), as HAR (har.go).
//
// Its input is a trace of internal/facts, new or recorded; it uses no network. It treats a server's
// data in frames as untrusted: it is cut to a length and stripped of control characters.
package trace

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
)

const (
	width  = 98 // of a line
	indent = 13 // where notes begin
)

// Text formats a trace for people: what was requested, every frame with its direction, a summary, and what to do next.
func Text(t facts.FrameTrace, l texts.Language) string {
	var b strings.Builder
	for _, line := range heading(t) {
		b.WriteString(l.In(line) + "\n")
	}
	b.WriteString("\n" + l.In(facts.T("trace.columns")) + "\n")
	said := ""
	for i, f := range t.Renewal.Frames {
		if opensNext(i, f) {
			b.WriteString("\n")
		}
		b.WriteString(line(f, l))
		note := text.Line(l.Note(f.Note))
		switch note {
		case "":
		case said:
			b.WriteString(noted(l.In(facts.T("trace.the-same"))))
		default:
			b.WriteString(noted(note))
			said = note
		}
	}
	b.WriteString("\n")
	folded := func(content string) { b.WriteString(strings.Join(text.Wrap(content, width), "\n") + "\n") }
	if !t.Renewal.Summary.IsZero() {
		folded(text.Line(l.Note(t.Renewal.Summary)))
	}
	for _, w := range t.Warnings {
		folded(l.In(facts.T("trace.note", text.Line(l.Note(w)))))
	}
	for _, n := range t.Next {
		b.WriteString(l.In(facts.T("trace.next", text.Line(n))) + "\n")
	}
	return b.String()
}

// noted is a note below its frame.
func noted(note string) string {
	before := strings.Repeat(" ", indent)
	return text.Hanging(before+"└─ ", before+"   ", note, width) + "\n"
}

// heading says what was requested, and where the limit is from.
func heading(t facts.FrameTrace) []facts.Text {
	where, words := facts.Verbatim(text.Line(t.URL)), facts.Verbatim(version(t))
	if t.Address != "" {
		where = facts.T("trace.at", where, text.Line(t.Address))
	}
	if t.TLS != "" {
		words = facts.Join("join.comma", words, facts.Verbatim(text.Line(t.TLS)))
	}
	lines := []facts.Text{facts.T("trace.heading", where, words)}
	if !t.Verified && t.TLS != "" {
		lines = append(lines, facts.T("trace.not-verified"))
	}
	switch {
	case t.Limit != nil && t.LimitGiven:
		lines = append(lines, facts.T("trace.limit-given", *t.Limit))
	case t.Limit != nil && t.LimitVaries:
		lines = append(lines, facts.T("trace.limit-varies", *t.Limit))
	case t.Limit != nil:
		lines = append(lines, facts.T("trace.limit-found", *t.Limit))
	case t.AskedUpTo != nil:
		lines = append(lines, facts.T("trace.no-limit", *t.AskedUpTo))
	}
	return lines
}

// line is one frame. An arrow to the peer marks a sent frame.
func line(f facts.Frame, l texts.Language) string {
	detail := text.Line(f.Detail)
	if !f.Says.IsZero() {
		detail = text.Line(l.In(f.Says))
	}
	if f.Type == facts.FrameGap {
		return fmt.Sprintf("%9s   ⋮   %s\n", "", detail)
	}
	arrow := "◀──"
	if f.Sent {
		arrow = "──▶"
	}
	name := text.Line(f.Type)
	if f.Type == "TCP" || f.Type == "TLS" {
		return fmt.Sprintf("%9.2f  %s  %-13s %s\n", f.TMS, arrow, name, detail)
	}
	stream := ""
	if f.StreamID > 0 {
		stream = fmt.Sprint(f.StreamID)
	}
	words := strings.TrimSpace(text.Line(f.Flags) + "  " + detail)
	out := fmt.Sprintf("%9.2f  %s  %-13s %6s %6d  ", f.TMS, arrow, name, stream, f.Length)
	return text.Hanging(out, strings.Repeat(" ", text.Columns(out)), words, width) + "\n"
}

// indented is a document as JSON.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	err := output.JSON(&b, v)
	return b.Bytes(), err
}

// JSON is the trace itself, its notes as sentences.
func JSON(t facts.FrameTrace) ([]byte, error) { return indented(worded(t)) }

// worded is a trace whose notes are English sentences.
func worded(t facts.FrameTrace) facts.FrameTrace {
	t.Renewal.Frames = slices.Clone(t.Renewal.Frames)
	for i := range t.Renewal.Frames {
		t.Renewal.Frames[i].Note = texts.Worded(t.Renewal.Frames[i].Note)
	}
	t.Renewal.Summary, t.Warnings = texts.Worded(t.Renewal.Summary), slices.Clone(t.Warnings)
	for i, w := range t.Warnings {
		t.Warnings[i] = texts.Worded(w)
	}
	return t
}

// goaway is the content of a GOAWAY.
type goaway struct {
	last  uint32
	code  string
	debug string
	ms    float64
}

var goawayDetail = regexp.MustCompile(`^last_stream_id=(\d+) (.*?) debug=(".*")$`)

// pseudoOf reads ":method GET :path /lab/health".
func pseudoOf(detail string) map[string]string {
	words := strings.Fields(detail)
	fields := map[string]string{}
	for i := 0; i+1 < len(words); i += 2 {
		if strings.HasPrefix(words[i], ":") {
			fields[words[i]] = words[i+1]
		}
	}
	return fields
}

// goawayOf reads `last_stream_id=1999 NO_ERROR debug=""`.
func goawayOf(f facts.Frame) *goaway {
	m := goawayDetail.FindStringSubmatch(f.Detail)
	if m == nil {
		return nil
	}
	last, err := strconv.ParseUint(m[1], 10, 32)
	debug, err2 := strconv.Unquote(m[3])
	if err != nil || err2 != nil {
		return nil
	}
	return &goaway{last: uint32(last), code: m[2], debug: debug, ms: f.TMS}
}

// milliseconds reads the number before " ms" that follows a word: "TCP in 0.10 ms, TLS in 3.40 ms".
func milliseconds(detail, after string) float64 {
	_, rest, ok := strings.Cut(detail, after)
	if !ok {
		return -1
	}
	word, _, _ := strings.Cut(rest, " ms")
	v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil || v < 0 || v > 1e9 {
		return -1
	}
	return v
}

// opensNext reports whether a frame is the first of another connection.
func opensNext(i int, f facts.Frame) bool {
	return i > 0 && f.Sent && f.Type == "TCP" && strings.HasPrefix(f.Detail, "new connection")
}
