package decode

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
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
		for _, text := range report.texts {
			for frame, wrap := range frames {
				if frame == "docker compose" && strings.Contains(text, "\n") {
					continue // each line is an event of its own
				}
				got := decoded(t, wrap(mutated(text, r)))
				if len(got) != 1 || name(got[0]) != report.id || got[0].Kind != report.kind {
					t.Errorf("row %s in %s: %v, want %s %s: %.200q", report.row, frame, names(got), report.id,
						report.kind, wrap(text))
				}
			}
		}
	}
}

// A log line is often cut off. The rest must be recognised as the same text, as a more general one
// or not at all, never as another.
func TestACutTextIsNotTakenForAnother(t *testing.T) {
	for _, report := range publicReports {
		text := report.texts[0]
		for cut := len(text) * 3 / 4; cut < len(text); cut++ {
			f := NewDecoder().Text([]byte(text[:cut]))
			if f == nil || f.Signature == nil || f.Signature.ID == report.id {
				continue
			}
			if a, b := signature(t, report.id), *f.Signature; !related(a, b) {
				t.Errorf("row %s cut to %q is taken for %s", report.row, text[:cut], b.ID)
			}
		}
	}
}

// related reports whether two signatures are of the same library, or one of them wraps the other's
// text or is more general.
func related(a, b Signature) bool {
	words := func(s Signature) []string {
		return strings.FieldsFunc(strings.ToLower(s.Library),
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

func TestOrdinaryLinesAreUnknown(t *testing.T) {
	for _, line := range []string{
		`192.0.2.1 - - [21/Nov/2026:07:00:00 +0000] "GET / HTTP/2.0" 200 612 "-" "curl/8.5.0"`,
		`192.0.2.1 - - [21/Nov/2026:07:00:00 +0000] "GET /goaway HTTP/2.0" 404 153 "-" "Mozilla/5.0"`,
		`user bought GoAway Mosquito Spray, 3 pieces`,
		`GOAWAY! sale, 50 % off`,
		`[goaway-service] started in 1.2 s`,
		`goaway-service received order 42`,
		`deploying image registry.test/goaway:1.2.3`,
		`INFO http2 enabled, listening on :8443`,
		`using HTTP/2, ALPN h2`,
		`java.io.IOException: closed by the user`,
		`java.io.IOException: shutdown in progress`,
		`the order was refused: stream of events interrupted`,
		`INTERNAL_ERROR in module billing`,
		`error code 7`,
		`status 502 Bad Gateway`,
		`stream 42 opened`,
		`last stream was fine`,
		`CANCEL`, "", " ", "\x00\x01\x02\xff\xfe", "<!-- -->",
		`the cat sat on the frame`,
		strings.Repeat("a", 300000),
	} {
		if got := decoded(t, "12:00:00 INFO up\n12:00:01 "+line); len(got) != 0 {
			t.Errorf("%.120q is taken for %v", line, names(got))
		}
	}
}

// Connection errors without a sign of HTTP/2 stay out: they are counted as unrelated, with the
// reservation that the client may speak HTTP/2 all the same.
func TestPlainConnectionErrorsStayOut(t *testing.T) {
	for _, line := range []string{
		`read tcp 10.0.0.1:443->10.0.0.2:5555: read: connection reset by peer`,
		`Error: read ECONNRESET`,
		`Error: socket hang up`,
		`java.net.SocketException: Connection reset`,
		`Socket closed`,
		`curl: (6) Could not resolve host: example.org`,
		`connect() failed (111: Connection refused) while connecting to upstream`,
		`curl: (28) Operation timed out after 5000 milliseconds`,
		`context canceled`,
		`cancelled by user`,
		`PROTOCOL_ERROR`,
	} {
		got := decoded(t, "12:00:00 INFO http2 enabled\n12:00:01 ERROR "+line)
		if len(got) != 1 || got[0].Kind != Plain {
			t.Errorf("%s: %v", line, names(got))
			continue
		}
		if r := got[0].reported(""); r.Executed == nil || len(r.Changes) > 0 {
			t.Errorf("%s: executed %v, changes %v", line, r.Executed, r.Changes)
		}
	}
}

// A text that is about gRPC and names no event says which facts would decide.
func TestUnknownNamesTheFactsThatDecide(t *testing.T) {
	got := decoded(t, `rpc error: code = Internal desc = internal error`)
	if len(got) != 1 || got[0].Kind != Unclear {
		t.Fatalf("%v", names(got))
	}
	if r := got[0].reported(""); len(r.Decides) != 3 || len(r.Changes) != 0 || *r.Executed != CantSay {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsNotHTTP2IsCalledSo(t *testing.T) {
	for text, id := range map[string]string{
		`urllib3.exceptions.ProtocolError: ('Connection aborted.', RemoteDisconnected('Remote ` +
			`end closed connection without response'))`: "http1-stale-keepalive",
		`java.io.IOException: HTTP/1.1 header ` +
			`parser received no bytes`: "http1-stale-keepalive",
		`websocket: close 1006 (abnormal closure): unexpected EOF`:                              "websocket",
		`WebSocket connection to 'wss://x.test/' failed: Error during WebSocket handshake`:      "websocket",
		`*1 upstream prematurely closed connection while reading response header from upstream`: "nginx-upstream-http1",
		`hyper::Error(IncompleteMessage): connection closed before message completed`:           "hyper-incomplete",
	} {
		got := decoded(t, text)
		if len(got) != 1 || name(got[0]) != id || got[0].Kind != Unrelated && got[0].Kind != Plain {
			t.Errorf("%q: %v, want %s unrelated", text, names(got), id)
		}
	}
}
