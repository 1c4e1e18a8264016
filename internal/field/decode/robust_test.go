package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"h2lab/internal/base/texts"
)

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// frames are what logs write around a message.
var frames = map[string]func(string) string{
	"time and level": func(s string) string {
		return "2031-12-31T23:59:59.999+02:00 [ERROR] [pool-9-thread-17] " + s
	},
	"syslog":         func(s string) string { return "Feb  3 04:05:06 host-7 app[4711]: " + s },
	"docker compose": func(s string) string { return "api-1  | " + strings.ReplaceAll(s, "\n", "\napi-1  | ") },
	"kubernetes":     func(s string) string { return "2031-01-01T00:00:00.123456789Z stderr F " + s },
	"JSON": func(s string) string {
		return `{"ts":1999999999.1,"lvl":"warn","msg":` + quoted(s) + `,"n":3}`
	},
	"JSON in JSON":     func(s string) string { return `{"log":` + quoted(`{"msg":`+quoted(s)+`}`) + `}` },
	"logfmt":           func(s string) string { return `level=error err=` + quoted(s) + ` attempt=3` },
	"colours":          func(s string) string { return "\x1b[31mERROR\x1b[0m \x1b[1;33m" + s + "\x1b[0m" },
	"colours escaped":  func(s string) string { return `\u001b[31m` + s + `\x1b[0m` },
	"a query":          func(s string) string { return "GET /report?e=" + url.QueryEscape(s) + " HTTP/1.1" },
	"a path":           func(s string) string { return "/err/" + url.PathEscape(s) },
	"HTML":             func(s string) string { return "<td>" + html.EscapeString(s) + "</td>" },
	"a wrapped error":  func(s string) string { return "sync: upload part 17: try 3 of 5: " + s },
	"CRLF":             func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") + "\r\n" },
	"upper-case level": func(s string) string { return "FATAL " + s + " (while it was up for 12345s)" },
	"UTF-16": func(s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
		return b.String()
	},
}

// What varies from one occurrence to the next: ports, addresses, times, hosts.
var varying = regexp.MustCompile(`:\d{4,5}\b|\d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}|@[0-9a-f]{6,}|(?:example|` +
	`nixhelm\.example)\.(?:com|org|net)`)

func mutated(s string, r *rand.Rand) string {
	return varying.ReplaceAllStringFunc(s, func(m string) string {
		if strings.Contains(m, "example") {
			return fmt.Sprintf("host-%d.internal.test", r.IntN(1000))
		}
		return regexp.MustCompile(`\d`).ReplaceAllStringFunc(m,
			func(string) string { return fmt.Sprint(1 + r.IntN(5)) })
	})
}

func TestFramesAndNumbersDontChangeTheDiagnosis(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, report := range publicReports {
		for _, text := range report.Texts {
			for frame, wrap := range frames {
				if frame == "docker compose" && strings.Contains(text, "\n") {
					continue // each line is an event of its own
				}
				got := decoded(t, wrap(mutated(text, r)))
				if len(got) != 1 || name(got[0]) != report.ID || got[0].Kind != report.Kind {
					t.Errorf("row %s in %s: %v, want %s %s: %.200q", report.Row, frame, names(got), report.ID,
						report.Kind, wrap(text))
				}
			}
		}
	}
}

// A log line is often cut off. The rest must be recognised as the same text, as a more general one
// or not at all, never as another.
func TestACutTextIsNotTakenForAnother(t *testing.T) {
	for _, report := range publicReports {
		text := report.Texts[0]
		for cut := len(text) * 3 / 4; cut < len(text); cut++ {
			f := NewDecoder().Text([]byte(text[:cut]))
			if f == nil || f.Signature == nil || f.Signature.ID == report.ID {
				continue
			}
			if a, b := signature(t, report.ID), *f.Signature; !related(a, b) {
				t.Errorf("row %s cut to %q is taken for %s", report.Row, text[:cut], b.ID)
			}
		}
	}
}

// related reports whether two signatures are of the same library, or one of them wraps the other's
// text or is more general.
func related(a, b Signature) bool {
	words := func(s Signature) []string {
		return strings.FieldsFunc(strings.ToLower(said(s.Library.Text).String()),
			func(r rune) bool { return strings.ContainsRune(" ,()/;:", r) })
	}
	for _, w := range words(a) {
		for _, v := range words(b) {
			if w == v && len(w) > 1 {
				return true
			}
		}
	}
	return a.Wraps || b.General
}

// weaker are changes to a text after which it proves the same or less.
var weaker = []struct {
	name   string
	change func(string) string
}{
	{"cut off", func(s string) string { return s[:len(s)*2/3] }},
	{"without its beginning", func(s string) string {
		_, rest, _ := strings.Cut(s[len(s)/3:], " ")
		return rest
	}},
	{"without ids and code", func(s string) string {
		return strings.NewReplacer("NO_ERROR", "", "REFUSED_STREAM", "").Replace(anyID.ReplaceAllString(s, "$1"))
	}},
	{"another code", func(s string) string {
		return strings.NewReplacer("REFUSED_STREAM", "CANCEL", "NO_ERROR", "PROTOCOL_ERROR").Replace(s)
	}},
	{"the other direction", func(s string) string {
		return strings.NewReplacer("received", "sent", "sent", "received", "INBOUND", "OUTBOUND", "recv", "send").Replace(s)
	}},
	{"after other lines", func(s string) string { return "INFO up\nDEBUG the pool has 7 connections\nINFO GET /items 200\n" + s }},
	{"before other lines", func(s string) string { return s + "\nINFO up\nDEBUG cache filled\n" }},
	{"in a list of changes", func(s string) string { return "* Fixed: " + s }},
	{"a translated level", func(s string) string { return "2031年01月02日 03:04:05 [错误] " + s }},
	{"wrapped", func(s string) string { return wrapped(s, 72) }},
	{"in lower case", strings.ToLower},
}

var anyID = regexp.MustCompile(`(?i)(last[ _-]?(?:processed[ _-]?)?stream[ _-]?id|stream[ _-]?id|last_stream)["']?[ =:]+(?:0x)?\d+`)

func wrapped(s string, at int) string {
	var out strings.Builder
	n := 0
	for _, w := range strings.SplitAfter(s, " ") {
		if n > 0 && n+len(w) > at {
			out.WriteString("\n  ")
			n = 0
		}
		out.WriteString(w)
		n += len(w)
	}
	return out.String()
}

// A text that proves less states nothing that the judge of the whole text forbids: no "certainly not" for a failure
// of HTTP/2, and no request limit. Each text is tried with two of the changes.
func TestAWeakerTextStatesNothingFalse(t *testing.T) {
	t.Parallel()
	tried, failed := 0, 0
	for i, l := range corpus(t, "testdata/corpus.jsonl") {
		if i%oneIn != 0 {
			continue
		}
		for k, w := range weaker {
			if (i/oneIn+k)%(len(weaker)/2) != 0 || w.change(l.Text) == l.Text {
				continue
			}
			tried++
			text := w.change(l.Text)
			a := answerTo(t, text)
			plain := strings.Contains(a.label, string(Plain)) // the rest has no sign of HTTP/2
			if a.executed == "no" && !plain && !slices.Contains(l.Executed, "no") {
				failed++
				t.Logf("%d %s: certainly not executed (%s): %q", i+1, w.name, a.label, text)
			}
			limit := string(RequestLimit)
			if slices.Contains(a.changes, limit) && slices.Contains(l.Forbidden, limit) {
				failed++
				t.Logf("%d %s: a request limit (%s): %q", i+1, w.name, a.label, text)
			}
		}
	}
	if tried < 1500/oneIn || failed > max(1, tried/1000) {
		t.Errorf("%d texts were tried, and of %d more is said than of the whole: more than one in a thousand", tried, failed)
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range publicReports {
		for _, text := range r.Texts {
			f.Add([]byte(text))
		}
	}
	for _, frame := range frames {
		f.Add([]byte(frame(publicReports[0].Texts[0])))
	}
	for _, s := range Known() {
		f.Add([]byte(s.Example))
	}
	f.Add([]byte("\\u00"))
	f.Add([]byte("%"))
	f.Add([]byte("\x1b["))
	f.Add([]byte("last_stream_id: 0xffffffff GOAWAY frame"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var tally Tally
		if err := Read(t.Context(), "fuzz", bytes.NewReader(in), &tally); err != nil {
			t.Fatal(err)
		}
		r := tally.Report()
		if got := r.Recognised + r.Unrelated + r.Unknown + r.Other; got != r.Events && r.Inputs[0].LongLines == 0 {
			t.Errorf("%d messages, and %d of them counted", r.Events, got)
		}
		var b strings.Builder
		if err := r.WriteText(&b, texts.English); err != nil {
			t.Fatal(err)
		}
		for _, c := range b.String() {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
				t.Fatalf("%q reaches the terminal", c)
			}
		}
		if strings.ContainsAny(r.Next.String(), "`$;&|<>\"'\\") {
			t.Errorf("not safe to paste: %q", r.Next)
		}
		doc, err := json.Marshal(r)
		if err != nil || !json.Valid(doc) {
			t.Errorf("%v", err)
		}
	})
}

// benchLog is a log of ordinary lines, as most of a log is, or of lines that all have an error.
func benchLog(found bool) []byte {
	var b bytes.Buffer
	for i := range 10000 {
		if found {
			fmt.Fprintf(&b, "2031-01-01T00:00:%02dZ level=error err=\"Get \\\"https://api.example.com/%d\\\": http2: "+
				"server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=\\\"\\\"\"\n",
				i%60, i)
		} else {
			fmt.Fprintf(&b, "192.0.2.%d - - [21/Nov/2026:07:00:%02d +0000] \"GET /api/v1/items/%d HTTP/2.0\" 200 612 "+
				"\"-\" \"Mozilla/5.0 (X11; Linux x86_64)\" rt=0.01\n", i%250, i%60, i)
		}
	}
	return b.Bytes()
}

func BenchmarkOrdinaryLines(b *testing.B) { benchRead(b, benchLog(false)) }
func BenchmarkFoundLines(b *testing.B)    { benchRead(b, benchLog(true)) }

func benchRead(b *testing.B, log []byte) {
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		var t Tally
		if err := Read(b.Context(), "log", bytes.NewReader(log), &t); err != nil {
			b.Fatal(err)
		}
	}
}
