package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/facts"
)

// standIn puts a script on an otherwise empty PATH as a capture program.
func standIn(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// Where the program's words and its end are as here, they are tcpdump 4.99's and dumpcap 4.0's.
func TestACaptureProgramThatCantIsFoundOutBeforeAnythingIsSent(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"not permitted":       {"echo \"tcpdump: lo: You don't have permission to perform this capture on that device\" >&2; echo '(socket: Operation not permitted)' >&2; exit 1", "tcpdump may not capture here (socket: Operation not permitted); next: sudo"},
		"no such device":      {"echo 'tcpdump: lo: No such device exists' >&2; exit 1", "tcpdump does not capture: lo: No such device exists; next"},
		"ends after a header": {"printf head; echo 'tcpdump: gone' >&2; exit 1", "tcpdump does not capture: gone"},
	} {
		t.Run(name, func(t *testing.T) {
			standIn(t, "tcpdump", c.script)
			_, err := findSniffer(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || statusOf(err) != statusMissing {
				t.Errorf("status %d, error %v, want %q", statusOf(err), err, c.want)
			}
		})
	}
}

func TestATcpdumpThatWasNotInstalledStaysRoot(t *testing.T) {
	standIn(t, "tcpdump", `[ "$1" = -Z ] || { printf head; echo "tcpdump: Couldn't find user 'tcpdump'" >&2; exit 1; }
printf head; exec /bin/sleep 60`)
	s, err := findSniffer(t.Context())
	if err != nil || strings.Join(s.more, " ") != "-Z root" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestDumpcapServesWhereThereIsNoTcpdump(t *testing.T) {
	standIn(t, "dumpcap", "printf head; exec /bin/sleep 60")
	s, err := findSniffer(t.Context())
	if err != nil || filepath.Base(s.program) != "dumpcap" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestACaptureHoldsWhatTheProgramWroteAndItsWarnings(t *testing.T) {
	standIn(t, "tcpdump", `trap 'printf tail; echo "12 packets dropped by kernel" >&2; exit 0' INT; printf head; while :; do /bin/sleep 0.01; done`)
	var out bytes.Buffer
	run, err := mySniffer().start(t.Context(), loopback9(), &out)
	if err != nil {
		t.Fatal(err)
	}
	done, err := run.stop(0)
	if err != nil || out.String() != "headtail" || len(done.warnings) != 1 || !strings.Contains(done.warnings[0], "12 packets") {
		t.Errorf("%q, %+v, %v", out.String(), done, err)
	}
}

// Ctrl-C is a context that ends.
func TestACaptureProgramEndsWithItsContext(t *testing.T) {
	standIn(t, "tcpdump", "printf head; exec /bin/sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	run, err := mySniffer().start(ctx, loopback9(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	pid := run.PID
	cancel()
	if _, err := run.stop(0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is there still: %v", pid, err)
	}
}

func TestACaptureIsBounded(t *testing.T) {
	standIn(t, "tcpdump", "printf head; exec /bin/cat /dev/zero")
	run, err := mySniffer().start(t.Context(), loopback9(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	run.mu.Lock()
	run.n = mostCaptured
	run.mu.Unlock()
	<-run.Exited()
	if _, err := run.stop(0); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Errorf("error %v", err)
	}
}

// mySniffer runs the tcpdump on the PATH untried.
func mySniffer() *sniffer {
	return &sniffer{program: lookCapture("tcpdump"), args: func(device, filter string) []string { return []string{device, filter} }}
}

func loopback9() net.TCPAddr { return net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9} }

func TestOnlyLoopbackIsWatchedAlone(t *testing.T) {
	if d := captureDevice(net.IPv4(192, 0, 2, 1)); d != "any" {
		t.Errorf("192.0.2.1 goes by %s", d)
	}
	if d := captureDevice(net.IPv4(127, 0, 0, 1)); !strings.HasPrefix(d, "lo") {
		t.Errorf("127.0.0.1 goes by %s", d)
	}
}

func TestFilesThatCantBeWrittenAreFoundOutFirst(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		out, keylog, pcap, want string
		status                  int
	}{
		"no directory":  {filepath.Join(dir, "no", "x"), "", "", "no such file or directory", statusCouldNot},
		"a device":      {"", os.DevNull, "", "--keylog can't be written: " + os.DevNull + " is no regular file", statusCouldNot},
		"a directory":   {"", "", dir, "is no regular file", statusCouldNot},
		"the same name": {filepath.Join(dir, "x"), "", filepath.Join(dir, ".", "x"), "is named twice", statusUsage},
	} {
		_, err := openTraceFiles(c.out, c.keylog, c.pcap)
		if err == nil || !strings.Contains(err.Error(), c.want) || statusOf(err) != c.status {
			t.Errorf("%s: status %d, %v", name, statusOf(err), err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAShellWordIsReadBackAsItWas(t *testing.T) {
	for in, want := range map[string]string{"https://h:1/a-b": "https://h:1/a-b", "a b": "'a b'", "https://h/?a=1&b": "'https://h/?a=1&b'", "it's": `'it'\''s'`, "": "''"} {
		if got := shellWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// The page names every option and every field, and shows what the verb prints.
func TestTheTracePageNamesEveryOptionAndField(t *testing.T) {
	b, err := os.ReadFile("../../docs/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	options := reflect.TypeFor[traceCmd]()
	for i := range options.NumField() {
		f := options.Field(i)
		if f.Tag.Get("arg") != "" || strings.HasPrefix(string(f.Tag), "arg:") {
			continue
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = strings.Trim(regexp.MustCompile(`[A-Z][a-z]*`).ReplaceAllStringFunc(f.Name, func(s string) string { return "-" + strings.ToLower(s) }), "-")
		}
		if !strings.Contains(page, "`--"+name) {
			t.Errorf("docs/trace.md doesn't name --%s", name)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[facts.Timeline](), reflect.TypeFor[facts.Head]()} {
		for i := range typ.NumField() {
			if name := typ.Field(i).Tag.Get("json"); !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/trace.md doesn't name the field %s of %s", name, typ)
			}
		}
	}
}

func TestNextStepsCanBePasted(t *testing.T) {
	limit, asked := 1000, 2500
	for name, c := range map[string]struct {
		cmd     traceCmd
		line    facts.Timeline
		capture *captured
		want    string
	}{
		"a limit":      {traceCmd{}, facts.Timeline{Limit: &limit}, nil, "h2lab probe https://h/"},
		"no limit":     {traceCmd{}, facts.Timeline{AskedUpTo: &asked}, nil, "h2lab trace --max-streams 25000 https://h/"},
		"HTTP/1.1":     {traceCmd{HTTP1: true}, facts.Timeline{Limit: &limit}, nil, "h2lab trace https://h/"},
		"with secrets": {traceCmd{Pcap: "a b.pcap"}, facts.Timeline{Limit: &limit}, &captured{open: true}, "tshark -r 'a b.pcap' -Y http2"},
		"a key log":    {traceCmd{Pcap: "a.pcap", KeyLog: "k"}, facts.Timeline{Limit: &limit}, &captured{}, "tshark -r a.pcap -o tls.keylog_file:k -Y http2"},
		"no secrets":   {traceCmd{Pcap: "a.pcap"}, facts.Timeline{Limit: &limit}, &captured{}, "h2lab trace --keylog keys.log --pcap a.pcap https://h/"},
	} {
		c.cmd.URL = "https://h/"
		if got := c.cmd.next(c.line, c.capture); !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A server that takes the connection and says nothing.
func TestAHostThatDoesNotAnswerEndsTheTraceInTime(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	dir := t.TempDir()
	var out, said bytes.Buffer
	status := run(t.Context(), []string{"trace", "--limit", "5", "--timeout", "200ms", "--out", filepath.Join(dir, "o"), fmt.Sprintf("https://%s/", ln.Addr())}, &out, &said)
	if status != statusCouldNot || !strings.Contains(said.String(), "says nothing to a TLS handshake for 200ms") || out.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out.String(), said.String())
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if status := run(ctx, []string{"trace", "--limit", "5", fmt.Sprintf("https://%s/", ln.Addr())}, &out, &said); status != statusCouldNot {
		t.Errorf("interrupted: status %d", status)
	}
}
