package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

func TestBadInputIsRefusedWithAReasonAndNotExecuted(t *testing.T) {
	r := startBackend(t, time.Second)
	long := strings.Repeat("1", maxBodyBytes+1)
	clients := map[string]*http.Client{"h1": r.client(false), "h2": r.client(true)}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"a delay that is no number", "GET", "/delay?ms=abc", "", 400,
			`ms="abc" is not a whole number from 0 to 30000`},
		{"a negative delay", "POST", "/echo?ms=-1", "1", 400, `ms="-1"`},
		{"too long a delay", "GET", "/delay?ms=30001", "", 400, `ms="30001"`},
		{"a delay of a hundred digits", "GET", "/delay?ms=" + strings.Repeat("9", 100), "", 400, "…"},
		{"an empty delay", "GET", "/delay?ms=", "", 400, `ms=""`},
		{"a misspelt parameter", "GET", "/delay?sm=5", "", 400, `"sm=5" is not ms=N`},
		{"the delay twice", "GET", "/delay?ms=5&ms=6", "", 400, "is not ms=N"},
		{"a broken escape", "POST", "/echo?ms=%zz", "1", 400, "is not ms=N"},
		{"a check whose delay is no number", "GET", "/check?ms=x", "", 400, `ms="x"`},
		{"a check with too long a delay", "GET", "/check?ms=30001", "", 400, `ms="30001"`},
		{"a check with another parameter", "GET", "/check?ms=1&n=2", "", 400, "is not ms=N"},
		{"a check by POST", "POST", "/check?ms=0", "1", 405, "Method Not Allowed"},
		{"a delay that is no number, in the path", "POST", "/post/x/1", "{}", 400, `ms="x"`},
		{"too many items", "POST", "/post/0/10001", "{}", 400, `items="10001" is not a whole number from 0 to 10000`},
		{"items below zero", "POST", "/post/0/-1", "{}", 400, `items="-1"`},
		{"a body that is not JSON", "POST", "/post/0/1", "{", 400, "not JSON"},
		{"no body where JSON is wanted", "POST", "/post/0/1", "", 400, "not JSON"},
		{"a body too long", "POST", "/echo", long, 413, "1048577 bytes is longer than the 1048576"},
		{"a method that is not meant", "GET", "/post/0/1", "", 405, "Method Not Allowed"},
		{"a path that is not there", "GET", "/nowhere", "", 404, "not found"},
	} {
		for name, client := range clients {
			a, err := r.send(client, c.method, c.path, "bad", strings.NewReader(c.body))
			if err != nil {
				t.Errorf("%s over %s: %v", c.name, name, err)
				continue
			}
			if a.status != c.status || !strings.Contains(a.body, c.says) {
				t.Errorf("%s over %s: %d %q, want %d and %q", c.name, name, a.status, a.body, c.status, c.says)
			}
		}
	}
	if p := r.page(); p.Executed != 0 || p.HandlingMS.P50 != nil {
		t.Errorf("executed %d, handling %+v: a refused request did work", p.Executed, p.HandlingMS)
	}
}

func TestALongBodyOfUnknownLengthIsCutOff(t *testing.T) {
	r := startBackend(t, time.Second)
	for _, h2 := range []bool{false, true} {
		// without a known length, and so without a Content-Length
		body := io.MultiReader(strings.NewReader(strings.Repeat("1", maxBodyBytes)), strings.NewReader("1"))
		a, err := r.send(r.client(h2), "POST", "/echo", "long", body)
		if err != nil || a.status != 413 || !strings.Contains(a.body, "longer than the 1048576 bytes") {
			t.Errorf("h2 %v: %d %q, %v, want 413", h2, a.status, a.body, err)
		}
	}
}

func TestTheLongestBodyComesBackWhole(t *testing.T) {
	r := startBackend(t, time.Second)
	body := strings.Repeat("0123456789abcdef", maxBodyBytes/16)
	for _, h2 := range []bool{false, true} {
		for _, method := range []string{"POST", "PUT"} {
			if a := r.must(r.client(h2), method, "/echo", "", body); a.status != 200 || a.body != body {
				t.Errorf("h2 %v, %s: status %d, %d bytes", h2, method, a.status, len(a.body))
			}
		}
	}
}

func TestAnIDOrHeadersThatAreTooLongAreRefused(t *testing.T) {
	r := startBackend(t, time.Second)
	for _, h2 := range []bool{false, true} {
		c := r.client(h2)
		if a := r.must(c, "POST", "/echo", strings.Repeat("x", maxIDBytes), "1"); a.status != 200 {
			t.Errorf("h2 %v: the longest id: %d %q", h2, a.status, a.body)
		}
		if a := r.must(c, "POST", "/echo", strings.Repeat("x", maxIDBytes+1), "1"); a.status != 400 ||
			!strings.Contains(a.body, "has 257 bytes") {
			t.Errorf("h2 %v: too long an id: %d %q", h2, a.status, a.body)
		}
		// net/http itself allows 4 KiB more than the bound over HTTP/1.1. Over h2 a client may
		// reject the request itself, because it has received SETTINGS_MAX_HEADER_LIST_SIZE.
		a, err := r.send(c, "POST", "/echo", strings.Repeat("x", maxHeaderBytes+8<<10), strings.NewReader("1"))
		if err == nil && a.status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("h2 %v: headers of 24 KiB: %d %q, want 431", h2, a.status, a.body)
		}
	}
	if p := r.page(); p.Executed != 2 {
		t.Errorf("executed %d, want the two whose id was taken", p.Executed)
	}
}

func TestBodiesBeyondTheBudgetAreRefusedAndItIsGivenBack(t *testing.T) {
	b := newBodies(10)
	request := func(body string) *http.Request {
		req, err := http.NewRequest("POST", "/", strings.NewReader(body))
		labtest.Check(t, err)
		return req
	}
	_, done, no := b.read(nil, request("12345678"))
	if no != nil {
		t.Fatal(no.reason)
	}
	if _, _, no := b.read(nil, request("123")); no == nil || no.status != http.StatusServiceUnavailable {
		t.Errorf("11 of 10 bytes: %+v, want 503", no)
	}
	done()
	if got, done, no := b.read(nil, request("123")); no != nil || string(got) != "123" {
		t.Errorf("after the first was done: %q, %+v", got, no)
	} else {
		done()
	}
	if held := b.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
}

func TestPostAnswersAsManyRandomFieldsAsAsked(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.client(true)
	for _, body := range []string{`{"a":[1,2]}`, "1", `"text"`} {
		a := r.must(c, "POST", "/post/1/25", "", body)
		b := r.must(c, "POST", "/post/1/25", "", body)
		var fields map[string]string
		if err := json.Unmarshal([]byte(a.body), &fields); err != nil || len(fields) != 25 ||
			a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d fields as %s, %v", body, len(fields), a.header.Get("Content-Type"), err)
		}
		if a.body == b.body {
			t.Errorf("the same twice: %s", a.body)
		}
	}
	for items, want := range map[string]int{"0": 0, "10000": 10000} {
		var fields map[string]string
		a := r.must(c, "POST", "/post/0/"+items, "", "{}")
		if err := json.Unmarshal([]byte(a.body), &fields); err != nil || len(fields) != want {
			t.Errorf("%s items: %d fields, %v", items, len(fields), err)
		}
	}
}

func TestACheckIsAnsweredWithOkAndExecuted(t *testing.T) {
	r := startBackend(t, time.Second)
	for _, h2 := range []bool{false, true} {
		a := r.must(r.client(h2), "GET", "/check?ms=0", "", "")
		if a.status != 200 || a.body != "ok" || a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("h2 %v: %d %q as %s", h2, a.status, a.body, a.header.Get("Content-Type"))
		}
	}
	r.must(r.client(true), "GET", "/check", "an-id", "")
	if p := r.page(); p.Executed != 1 || p.HandlingMS.P50 == nil {
		t.Errorf("executed %d, handling %+v; want one with an id, and times", p.Executed, p.HandlingMS)
	}
}

func TestTheDelayIsWaitedFor(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.client(true)
	for _, request := range []string{"GET /delay?ms=50", "HEAD /delay?ms=50", "GET /check?ms=50", "PUT /echo?ms=50",
		"POST /post/50/1"} {
		method, path, _ := strings.Cut(request, " ")
		began := time.Now()
		a := r.must(c, method, path, "", map[bool]string{true: "{}", false: ""}[method[0] == 'P'])
		if took := time.Since(began); a.status != 200 || took < 50*time.Millisecond {
			t.Errorf("%s %s: %d after %s", method, path, a.status, took)
		}
	}
	if p50 := r.page().HandlingMS.P50; p50 == nil || *p50 < 49.9 {
		t.Errorf("p50 of the handling time is %v, want 50 or more", p50)
	}
}
