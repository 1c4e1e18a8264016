package decode

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

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
		for k, w := range weaker {
			if (i+k)%(len(weaker)/2) != 0 || w.change(l.Text) == l.Text {
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
	if tried < 1500 || failed > tried/1000 {
		t.Errorf("%d texts were tried, and of %d more is said than of the whole: more than one in a thousand", tried, failed)
	}
}

// Neither a deed that failed nor the code of a whole connection proves what happened to a stream, and a cause behind
// "cannot connect" counts more than the words before it.
func TestWhatProvesLessThanItSays(t *testing.T) {
	for text, want := range map[string]struct {
		kind     Kind
		executed Answer
	}{
		"received GOAWAY, last_stream_id: 7, error code REFUSED_STREAM":                                                               {Failed, Maybe},
		"push write failed: GOAWAY: PROTOCOL_ERROR Stream 5 does not exist":                                                           {Failed, Maybe},
		"io.vertx.core.http.HttpClosedException: Stream was closed (GOAWAY error code = 0)":                                           {Ended, Maybe},
		"http2: error reading preface from client: connection reset by peer":                                                          {ServerLog, ""},
		"INTERNAL: Required SETTINGS preface not received":                                                                            {Malformed, Maybe},
		"[DEBUG] HTTP/2 stream was closed because the connection did not receive a SETTINGS acknowledgement on time":                  {Malformed, Maybe},
		"gRPC config stream closed: 5, the configuration was not found":                                                               {Unrelated, ""},
		"http2: close gracefully with activeStreams=2, keepAliveState=closing":                                                        {"", ""},
		"StreamTransportClosedException: call is closed at io.grpc.stub.ServerCalls$Listener.onMessage(ServerCalls.java:262)":         {ServerLog, Maybe},
		"INFO [DHTTP2:0x7] Timeout shrpx_http2_session.cc\ncurl: (92) HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)": {Reset, Maybe},
		`{"level":"info","msg":"got SIGTERM"}`:                                                                                        {ServerLog, ""},
	} {
		groups := decoded(t, text)
		if len(groups) == 0 {
			if want.kind != "" {
				t.Errorf("%s: nothing, want %s", text, want.kind)
			}
			continue
		}
		r := groups[0].reported("")
		var executed Answer
		if r.Executed != nil {
			executed = *r.Executed
		}
		if r.Kind != want.kind || executed != want.executed {
			t.Errorf("%s: %s, executed %q; want %s, %q", text, r.Kind, executed, want.kind, want.executed)
		}
	}
}

// An entry of a list of changes reports no failure, whatever failure it names; a line of curl's trace, which begins with
// a star too, does.
func TestAListOfChangesReportsNoFailure(t *testing.T) {
	areQuiet(t,
		"* Fixed a race that answered REFUSED_STREAM after a GOAWAY was sent",
		"- [http2] fix too-many-streams error with the load generator #608 (someone)",
		"* **client:** retry when the pool checkout returns a closed HTTP/2 connection (#2585)",
		"*) mod_http2: Fixed the SSL handshake timeouts that were disabled",
		"- Mitigates HTTP/2 rapid reset attacks with a limit of streams")
	areOf(t, map[string]Kind{
		"* HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)\n* Connection #0 to host a.example left intact": Reset,
		"* Send failure: Broken pipe (HTTP/2)": Lost,
	})
}
