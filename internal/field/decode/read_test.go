package decode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
)

func TestATraceIsOneMessage(t *testing.T) {
	log := "10:00:00 INFO start\n" +
		"10:00:01 ERROR call failed\n" +
		"java.util.concurrent.ExecutionException: java.io.IOException: /10.0.0.1:5: GOAWAY received\n" +
		"\tat a.b.C.d(E.java:1)\n" +
		"Caused by: java.io.IOException: /10.0.0.1:5: GOAWAY received\n" +
		"\tat jdk.internal.net.http.Http2Connection.handleGoAway(Http2Connection.java:1008)\n" +
		"\t... 3 more\n" +
		"10:00:02 INFO go on\n" +
		"10:00:03 ERROR again: java.io.IOException: /10.0.0.1:7: GOAWAY received\n"
	var tally Tally
	if err := Read(t.Context(), "log", strings.NewReader(log), &tally); err != nil {
		t.Fatal(err)
	}
	r := tally.Report()
	if r.Events != 4 || r.Recognised != 2 || r.Other != 2 || r.Inputs[0].Lines != 9 {
		t.Errorf("%+v", r)
	}
	if len(r.Findings) != 1 || r.Findings[0].Count != 2 || r.Findings[0].Line != 2 {
		t.Errorf("%+v", r.Findings)
	}
}

func TestIndentedLogLinesAreMessagesOfTheirOwn(t *testing.T) {
	log := strings.Repeat("  2031-01-01 00:00:00 ERROR stream was reset: curl: (16) Error in the HTTP2 framing layer\n",
		5)
	var tally Tally
	if err := Read(t.Context(), "log", strings.NewReader(log), &tally); err != nil {
		t.Fatal(err)
	}
	if g := tally.Groups(); len(g) != 1 || g[0].Count != 5 {
		t.Errorf("%v", names(g))
	}
}

func TestIDsThatDifferAreNoLimit(t *testing.T) {
	const limit = "suggests a request limit"
	for _, tt := range []struct {
		ids  []IDCount
		want string
	}{
		{[]IDCount{{1999, 20}}, limit},
		{[]IDCount{{1999, 20}, {77, 1}, {81, 1}}, limit},
		{[]IDCount{{1999, 2}, {77, 1}, {81, 1}}, "they differ"},
		{[]IDCount{{maxID, 50}}, "2147483647 (50 ×)"},
		{[]IDCount{{1999, 1}}, "1999 (1 ×)"},
	} {
		got := said(Reported{LastStreamIDs: tt.ids}.idWords()).String()
		if !strings.Contains(got, tt.want) ||
			tt.want != limit && strings.Contains(got, limit) {
			t.Errorf("%v: %s, want %s", tt.ids, got, tt.want)
		}
	}
}

func TestGroupsAreDiagnosesNotTexts(t *testing.T) {
	var log strings.Builder
	for i := range 300 {
		id := 1999
		if i%3 == 0 {
			id = 2*i + 1
		}
		fmt.Fprintf(&log,
			"t=%d Get \"https://h%d.test/\": http2: server sent GOAWAY and closed the connection; LastStreamID=%d, "+
				"ErrCode=NO_ERROR, debug=\"\"\n", i, i, id)
	}
	var tally Tally
	if err := Read(t.Context(), "log", strings.NewReader(log.String()), &tally); err != nil {
		t.Fatal(err)
	}
	r := tally.Report()
	if len(r.Findings) != 1 || r.Findings[0].Count != 300 {
		t.Fatalf("%+v", r.Findings)
	}
	f := r.Findings[0]
	if f.LastStreamIDs[0] != (IDCount{1999, 200}) || len(f.Origins) != mostOrigins {
		t.Errorf("%v %v", f.LastStreamIDs, f.Origins)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, texts.English); err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"300 ×, first at line 1",
		"the connection carried 1,000 requests",
		"1999 (200 ×)",
		"suggests a request limit",
		"next: h2lab probe https://HOST/",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// endless yields one long line that fails before its end.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = "{\"a\":\"b\"},"[i%10]
	}
	e.left -= n
	return n, nil
}

func TestALongLineIsReadInPiecesInBoundedMemory(t *testing.T) {
	text := `{"m":"server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=\"\""}`
	const half = 8 << 20
	line := io.MultiReader(&endless{half}, strings.NewReader(text), &endless{half}, strings.NewReader("\nnext line\n"))
	NewDecoder() // reads the data files once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var tally Tally
	if err := Read(t.Context(), "log", line, &tally); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
		t.Errorf("%d bytes were allocated for a line of %d", used, 2*half)
	}
	r := tally.Report()
	if r.Recognised != 1 || r.Inputs[0].LongLines != 1 || r.Inputs[0].Lines != 2 || r.Other != 1 || r.Events != 2 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Findings[0].Text, "GOAWAY") {
		t.Errorf("the excerpt doesn't show it: %q", r.Findings[0].Text)
	}
}

// A message is found wherever the pieces of a long line meet.
func TestAMessageBetweenPiecesIsFound(t *testing.T) {
	text := `java.io.IOException: /127.0.0.1:55606: GOAWAY received `
	for at := piece - len(text) - 2; at <= piece+2; at += 7 {
		line := strings.Repeat("x", at) + " " + text + strings.Repeat("y", piece)
		if g := decoded(t, line); len(g) != 1 || name(g[0]) != "jdk-goaway" || g[0].Count != 1 {
			t.Errorf("at %d: %v", at, names(g))
		}
	}
}

func TestReadingEndsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var tally Tally
	if err := Read(ctx, "log", &endless{1 << 40}, &tally); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTextOfOthersIsHarmlessOnATerminal(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\r\n curl: (16) Error in the HTTP2 framing layer \x9b31m\u200b" +
		strings.Repeat("z", 500)
	var tally Tally
	if err := Read(t.Context(), "log", strings.NewReader(evil), &tally); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tally.Report().WriteText(&b, texts.English); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0x200b {
			t.Fatalf("%q reaches the terminal:\n%q", r, b.String())
		}
	}
}

// A text may name anybody's host: the next step names none.
func TestNextTakesNoHostFromTheText(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://api.example.com:8443/a b": http2: client conn not usable`: "h2lab probe https://HOST/",
		`*1 upstream sent goaway with error 0, host: "example.org"`:             "h2lab lint /etc/nginx/nginx.conf",
		`Post "https://shop.test:8443/x": unexpected EOF`:                       "",
		`hello`: "",
	} {
		var tally Tally
		if err := Read(t.Context(), "", strings.NewReader(text), &tally); err != nil {
			t.Fatal(err)
		}
		if got := tally.Report().Next.String(); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: next: %s, want %s", text, got, want)
		}
	}
}

// Packets are no text, and neither are the secrets that open them: tshark reads both.
func TestACaptureIsNamed(t *testing.T) {
	dir := t.TempDir()
	secrets := strings.Repeat("CLIENT_HANDSHAKE_TRAFFIC_SECRET "+strings.Repeat("ab", 32)+" "+strings.Repeat("cd", 32)+"\n", 3)
	for content, want := range map[string]string{
		"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + strings.Repeat("\x00", 40): "is a packet capture and no log; next: tshark -r ",
		secrets: "is a log of TLS secrets, without packets and no log; next: tshark -r CAPTURE",
	} {
		file := filepath.Join(dir, "given")
		labtest.Write(t, file, content)
		_, err := ReadAll(t.Context(), []Source{{file: file}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
