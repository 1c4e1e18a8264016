package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
)

func TestFilesThatCantBeWrittenAreFoundOutFirst(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		out, keylog, pcap, want string
		status                  int
	}{
		"no directory": {filepath.Join(dir, "no", "x"), "", "", "no such file or directory", exitstatus.Failed},
		"a device": {"", os.DevNull, "", "--keylog can't be written: " + os.DevNull + " is no regular file",
			exitstatus.Failed},
		"a directory": {"", "", dir, "is no regular file", exitstatus.Failed},
		"the same name": {filepath.Join(dir, "x"), "", filepath.Join(dir, ".", "x"), "is named twice",
			exitstatus.Usage},
	} {
		_, err := open(c.out, c.keylog, c.pcap)
		if err == nil || !strings.Contains(err.Error(), c.want) || exitstatus.Of(err) != c.status {
			t.Errorf("%s: status %d, %v", name, exitstatus.Of(err), err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNextStepsCanBePasted(t *testing.T) {
	limit, asked := 1000, 2500
	https := func(o Options) Options { o.Request.URL = "https://h/"; return o }
	for name, c := range map[string]struct {
		options  Options
		seen     facts.FrameTrace
		captured bool
		unlocked bool
		want     string
	}{
		"a limit": {Options{}, facts.FrameTrace{Limit: &limit}, false, false, "h2lab probe https://h/"},
		"no limit": {Options{}, facts.FrameTrace{AskedUpTo: &asked}, false, false,
			"h2lab trace --max-streams 25000 https://h/"},
		"HTTP/1.1": {Options{Request: probe.Request{Question: output.Question{HTTP1: true, CACert: "ca.crt"}}},
			facts.FrameTrace{Limit: &limit}, false, false, "h2lab probe --http1 --cacert ca.crt https://h/"},
		"with secrets": {Options{Pcap: "a b.pcap"}, facts.FrameTrace{Limit: &limit}, true, true,
			"tshark -r 'a b.pcap' -Y http2"},
		"a key log": {Options{Pcap: "a.pcap", KeyLog: "k"}, facts.FrameTrace{Limit: &limit}, true, false,
			"tshark -r a.pcap -o tls.keylog_file:k -Y http2"},
		"no secrets": {Options{Pcap: "a.pcap"}, facts.FrameTrace{Limit: &limit}, true, false,
			"h2lab trace --keylog keys.log --pcap a.pcap https://h/"},
	} {
		r := &recording{Options: https(c.options), captured: c.captured, unlocked: c.unlocked}
		if got := r.next(c.seen); !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := &recording{Options: https(Options{})}
	if got := r.next(facts.FrameTrace{AskedUpTo: &asked}); len(got) != 2 || got[1] != "h2lab probe https://h/" {
		t.Errorf("where no limit was met, the probe can see an age: %q", got)
	}
	elsewhere := facts.JoinNotes(facts.NewNote(notes.LimitElsewhere, "request", 9, "limit", 1000))
	if got := r.next(facts.FrameTrace{Limit: &limit,
		Renewal: facts.Renewal{Summary: elsewhere}}); got[0] != "h2lab probe https://h/" {
		t.Errorf("where the limit is another: %q", got)
	}
}

// A trace that a probe led to does not lead back to that probe.
func TestATraceDoesNotLeadInACircle(t *testing.T) {
	q := output.Question{URL: "https://h/", Method: "GET"}
	for name, want := range map[string]string{"go-chance-200": "grep -rnE 'keepAliveMax", "nginx-1.22-1000": ""} {
		var e facts.Endpoint
		text := labtest.Read(t, filepath.Join("..", "..", "family", "testdata", name+".json"))
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		r := recording{Options: Options{Request: probe.Request{Question: q}}, find: afterProbe(e, q)}
		got := r.next(facts.FrameTrace{})[0]
		if !strings.HasPrefix(r.find, want) || (want == "") != (got == "h2lab probe https://h/") {
			t.Errorf("%s: %q, next: %s", name, r.find, got)
		}
	}
}
