package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/clients/kit"
)

func newBook() *book {
	return &book{flags: kit.Flags{Patience: time.Second}, tally: kit.NewTally(), began: time.Unix(1000, 0)}
}

func TestALineOfCurlsReportIsATransfer(t *testing.T) {
	r, err := parseCurl("200\t0\t0.012500\t1\t1\t2\t")
	if err != nil || r.took != 12500*time.Microsecond || r.connects != 1 || r.version != "2" ||
		r.failure(1, true) != nil {
		t.Errorf("%+v, %v", r, err)
	}
	for line, want := range map[string]string{
		"000\t16\t0.003209\t0\t0\t0\tError in the HTTP2 framing layer": "curl: (16) Error in the HTTP2 framing layer",
		"502\t0\t0.1\t0\t157\t2\t":                                     "HTTP status 502",
		"200\t0\t0.1\t0\t7\t2\t": "the answer is not the body that was sent: 1 " +
			"bytes sent, 7 received",
		"000\t55\t0.1\t0\t0\t0\tSend failure: a\ttab": "curl: (55) Send failure: a\ttab",
	} {
		r, err := parseCurl(line)
		if err != nil {
			t.Fatal(err)
		}
		if f := r.failure(1, true); f == nil || f.Message != want {
			t.Errorf("%q is %+v, want %s", line, f, want)
		}
	}
	for _, line := range []string{"", "200\t0", "x\t0\t0.1\t0\t7\t2\t"} {
		if _, err := parseCurl(line); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}

func TestCurlsWindowBeginsWithItsFirstTransfer(t *testing.T) {
	c := &curl{client: &client{flags: kit.Flags{Method: "POST", BodyBytes: 1, Protocol: "h2", URL: "https://a/echo"}}}
	b := newBook()
	said, err := c.read(strings.NewReader("curl: (16) said aside\n"+curlMark+"200\t0\t0.5\t1\t1\t2\t\n"+curlMark+
		"200\t0\t0.1\t0\t1\t2\t\n"), b)
	if err != nil || b.tally.Attempts() != 2 || b.connects != 1 || !strings.Contains(said.String(), "said aside") {
		t.Errorf("%v, %d attempts, %d connects, %s", err, b.tally.Attempts(), b.connects, said)
	}
	if took := b.last.Sub(b.began); took < 400*time.Millisecond || took > 2*time.Second {
		t.Errorf("the window is %s", took)
	}
	if _, err := c.read(strings.NewReader(curlMark+"200\t0\t0.5\t1\t1\t1.1\t\n"), newBook()); err == nil ||
		!strings.Contains(err.Error(), "wrong protocol") {
		t.Errorf("HTTP/1.1 under the name of h2: %v", err)
	}
}

func TestEveryTransferOfCurlHasAnIdOfItsOwn(t *testing.T) {
	c := &curl{
		client: &client{
			dir: "/d",
			flags: kit.Flags{
				URL:         "https://a/echo?ms=0",
				Method:      "POST",
				BodyBytes:   1,
				Protocol:    "h1",
				MaxTLS:      "1.2",
				CA:          "/ca.crt",
				Concurrency: 2,
				Nonce:       "n",
			},
		},
		extra: retrying,
	}
	var w bytes.Buffer
	c.writeConfig(&w, "run", 3)
	text := w.String()
	for want, n := range map[string]int{"next\n": 2, "n-run-0-0\"": 1, "n-run-1-1\"": 1, "n-run-0-2\"": 1,
		"http1.1\n": 3, "tls-max = 1.2\n": 3,
		"cacert = \"/ca.crt\"\n": 3, "data-binary = \"@/d/body\"\n": 3, "retry-all-errors\n": 3,
		"url = \"https://a/echo?ms=0\"\n": 3} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q %d times, want %d:\n%s", want, got, n, text)
		}
	}
}

func TestTheNumberOfTransfersFollowsThePace(t *testing.T) {
	c := &curl{client: &client{flags: kit.Flags{Concurrency: 100}}}
	for _, k := range []struct {
		pace float64
		want int
	}{{0, 4000}, {5000, 20000}, {1, 100}, {1e9, mostTransfers}} {
		c.pace = k.pace
		if got := c.transfers(4 * time.Second); got != k.want {
			t.Errorf("at %v a second: %d, want %d", k.pace, got, k.want)
		}
	}
}

const h2loadSays = `starting benchmark...
TLS Protocol: TLSv1.3
Application protocol: h2
Process Request Failure:2

finished in 2.00s, 500.00 req/s, 43.49KB/s
requests: 1014 total, 1035 started, 1014 done, 1000 succeeded, 14 failed, 14 errored, 0 timeout
`

func TestH2loadsSummaryAndLog(t *testing.T) {
	s := summarise(h2loadSays)
	if s.started != 1035 || s.tls != "1.3" || s.protocol != "h2" ||
		!strings.HasPrefix(s.requests, "requests: 1014 total") {
		t.Errorf("%+v", s)
	}
	b := newBook()
	if err := readH2load(strings.NewReader("1000000100\t200\t7432\n1000000200\t-1\t13576850538\n"+
		"1000000300\t503\t100\n"), b); err != nil {
		t.Fatal(err)
	}
	if b.tally.Attempts() != 3 || b.last.Sub(b.began) != 7532*time.Microsecond {
		t.Errorf("%d attempts, the last ended after %s", b.tally.Attempts(), b.last.Sub(b.began))
	}
	if err := readH2load(strings.NewReader("12\t200\n"), b); err == nil {
		t.Error("a broken line is accepted")
	}
}

func TestAToolThatStoppedIsNotAFastOne(t *testing.T) {
	l := &h2load{client: &client{}, clients: 1, streams: 100}
	b := newBook()
	b.last = b.began.Add(60 * time.Millisecond)
	l.stopped(b, 4*time.Second, b.began.Add(4*time.Second))
	if b.tally.Attempts() != 100 || b.idle.Sub(b.began) != 4*time.Second {
		t.Errorf("%d attempts, window %s", b.tally.Attempts(), b.idle.Sub(b.began))
	}
	b = newBook()
	b.last = b.began.Add(3990 * time.Millisecond)
	if l.stopped(b, 4*time.Second, b.began.Add(4*time.Second)); b.tally.Attempts() != 0 {
		t.Errorf("a tool that worked to the end: %d attempts", b.tally.Attempts())
	}
}

func TestRequestsCutShortAreNotHung(t *testing.T) {
	b := newBook()
	b.last = b.began.Add(time.Second)
	if b.unsettled(5, b.began.Add(1100*time.Millisecond), ""); b.tally.Attempts() != 0 {
		t.Errorf("%d counted", b.tally.Attempts())
	}
	if b.unsettled(5, b.began.Add(3*time.Second), ""); b.tally.Attempts() != 5 {
		t.Errorf("%d counted", b.tally.Attempts())
	}
}

func TestHeysReport(t *testing.T) {
	b := newBook()
	report := "ok\t200\t0.012500\t0.001000\t0.100000\nok\t502\t0.010000\t0.000000\t0.200000\nerror\t3\t\"Post " +
		"\\\"https://a\\\": cannot retry\"\n\n"
	if err := readHey(strings.NewReader(report), b); err != nil {
		t.Fatal(err)
	}
	if b.tally.Attempts() != 5 || b.connects != 1 || b.last.Sub(b.began) != 210*time.Millisecond {
		t.Errorf("%d attempts, %d connections, window %s", b.tally.Attempts(), b.connects, b.last.Sub(b.began))
	}
	if err := readHey(strings.NewReader("Usage: hey\n"), b); err == nil {
		t.Error("something else is accepted")
	}
}

// TestTheSnippetsAreWhatRuns compares the options of cures.sh with those that the program passes.
func TestTheSnippetsAreWhatRuns(t *testing.T) {
	text, err := os.ReadFile("cures.sh")
	if err != nil {
		t.Fatal(err)
	}
	flags := func(protocol string) *client {
		return &client{flags: kit.Flags{
			Concurrency: 100,
			Protocol:    protocol,
			Method:      "POST",
			BodyBytes:   1,
			URL:         "https://a/",
		}}
	}
	sections := func(protocol, extra string) []string {
		var w bytes.Buffer
		(&curl{client: flags(protocol), extra: extra}).writeConfig(&w, "run", 1)
		options := []string{"curl", "--parallel", "--parallel-max", "100"}
		for line := range strings.Lines(w.String()) {
			name, value, set := strings.Cut(strings.TrimSpace(line), " = ")
			options = append(options, "--"+name)
			if set {
				options = append(options, value)
			}
		}
		return options
	}
	for mark, argv := range map[string][]string{
		"curl-retry":         sections("h2", retrying),
		"curl-h1":            sections("h1", ""),
		"h2load-connections": (&h2load{client: flags("h2"), clients: 100, streams: 1}).argv(4 * time.Second),
		"h2load-h1":          (&h2load{client: flags("h1"), clients: 1, streams: 100}).argv(4 * time.Second),
		"hey-h1":             (&hey{client: flags("h1")}).argv(4 * time.Second),
	} {
		_, rest, found := strings.Cut(string(text), "# snippet:"+mark+"\n")
		line, _, _ := strings.Cut(rest, "\n")
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line)[1:] {
			known := slices.Contains(argv, word) || word == "4" || word == "body" ||
				strings.HasPrefix(word, "https://") || word == "…"
			if !found || !known {
				t.Errorf("%s: %s is in cures.sh and not in %q", mark, word, argv)
			}
		}
	}
}
