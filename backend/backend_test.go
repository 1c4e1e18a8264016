package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"h2lab/internal/base/labtest"
)

// pair is a self-signed certificate on disk, valid between the two times.
type pair struct {
	certFile, keyFile string
	roots             *x509.CertPool
}

func newPair(t testing.TB, from, to time.Time) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	labtest.Check(t, err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	labtest.Check(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	labtest.Check(t, err)
	p := pair{roots: x509.NewCertPool()}
	p.certFile = writePEM(t, "server.crt", "CERTIFICATE", der)
	p.keyFile = writePEM(t, "server.key", "PRIVATE KEY", keyDER)
	if cert, err := x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	} else {
		p.roots.AddCert(cert)
	}
	return p
}

func writePEM(t testing.TB, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	labtest.Write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	return file
}

// running is a real backend on free ports.
type running struct {
	*server
	t     testing.TB
	roots *x509.CertPool
	end   context.CancelFunc
	ended chan error
}

func startBackend(t testing.TB, grace time.Duration) *running {
	t.Helper()
	p := newPair(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	cert, err := loadCert(p.certFile, p.keyFile, time.Now())
	labtest.Check(t, err)
	s, err := open(config{
		Listen:   "127.0.0.1:0",
		Counters: "127.0.0.1:0",
		Grace:    grace,
	}, cert, log.New(io.Discard, "", 0))
	labtest.Check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{server: s, t: t, roots: p.roots, end: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- s.serve(ctx); close(r.ended) }()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	return r
}

// url returns a URL of the front.
func (r *running) url(path string) string { return "https://" + r.frontLn.Addr().String() + path }

// client has its own pool: one connection as long as no more requests are in flight than the
// connection allows streams.
func (r *running) client(h2 bool) *http.Client {
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: r.roots},
		MaxConnsPerHost: 1,
		Protocols:       new(http.Protocols),
	}
	tr.Protocols.SetHTTP1(!h2)
	tr.Protocols.SetHTTP2(h2)
	r.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// reply is an answer that was read to its end.
type reply struct {
	status int
	proto  int
	header http.Header
	body   string
}

// send makes one request; an empty id sends none.
func (r *running) send(c *http.Client, method, path, id string, body io.Reader) (reply, error) {
	req, err := http.NewRequest(method, r.url(path), body)
	if err != nil {
		return reply{}, err
	}
	if id != "" {
		req.Header.Set(requestIDHeader, id)
	}
	res, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.ProtoMajor, res.Header, string(b)}, err
}

// must sends a request and fails the test unless there is an answer.
func (r *running) must(c *http.Client, method, path, id, body string) reply {
	r.t.Helper()
	a, err := r.send(c, method, path, id, strings.NewReader(body))
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// counter reads a page of the counters' listener.
func (r *running) counter(method, path string) []byte {
	r.t.Helper()
	req, err := http.NewRequest(method, "http://"+r.cntrLn.Addr().String()+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		r.t.Fatalf("%s %s: %s, %v, %q", method, path, res.Status, err, b)
	}
	return b
}

// page reads /ledger.json, and rejects fields that the type page doesn't have.
func (r *running) page() page {
	r.t.Helper()
	var p page
	d := json.NewDecoder(bytes.NewReader(r.counter(http.MethodGet, "/ledger.json")))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// until waits until the ledger fulfils a condition.
func (r *running) until(what string, holds func(page) bool) page {
	r.t.Helper()
	for began := time.Now(); ; {
		p := r.page()
		if holds(p) {
			return p
		}
		if time.Since(began) > 10*time.Second {
			r.t.Fatalf("waited 10 s for %s; the ledger is %+v", what, p)
		}
	}
}

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
		{"a body too long", "POST", "/echo", long, 413, "the body is longer than the 1048576 bytes"},
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

func TestWebPagesReachNoCounter(t *testing.T) {
	r := startBackend(t, time.Second)
	port := r.cntrLn.Addr().(*net.TCPAddr).Port
	at := "http://" + r.cntrLn.Addr().String()
	faults := labtest.NewFaults(t, labtest.HostilePages)
	for _, f := range labtest.PageFaults(port) {
		faults.Try("the backend's counters: "+f.Name, func(t *testing.T) {
			for _, path := range []string{"/ledger.json", "/timings.json", "/metrics", "/healthz", "/ids/forget"} {
				if status, body := labtest.AskAs(t, at+path, f); status != http.StatusForbidden {
					t.Errorf("%s: status %d: %s", path, status, body)
				}
			}
		})
	}
	faults.Try("the backend's counters: a page on the Internet sends POST /ids/forget", func(t *testing.T) {
		r.ledger.execute("an-id")
		page := labtest.PageFault{Method: http.MethodPost, Header: http.Header{"Origin": {"https://attacker.example"}}}
		if status, _ := labtest.AskAs(t, at+"/ids/forget", page); status != http.StatusForbidden {
			t.Errorf("status %d", status)
		}
		r.ledger.execute("an-id")
		if got := r.ledger.read(); got.Duplicates != 1 {
			t.Errorf("%d duplicates, want 1: the ids were forgotten", got.Duplicates)
		}
	})
	faults.Try("the backend's counters: GET /ids/forget, as an image in a page sends it", func(t *testing.T) {
		if status, _ := labtest.AskAs(t, at+"/ids/forget", labtest.PageFault{}); status != http.StatusMethodNotAllowed {
			t.Errorf("status %d", status)
		}
	})
	for _, a := range labtest.AllowedRequests(port) {
		if status, body := labtest.AskAs(t, at+"/ledger.json", a); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", a.Name, status, body)
		}
	}
}

func TestWithoutFlagsTheBackendListensOnLoopbackAlone(t *testing.T) {
	cfg, _, err := parse(nil, io.Discard)
	labtest.Check(t, err)
	for _, addr := range []string{cfg.Listen, cfg.Counters} {
		if host, _, err := net.SplitHostPort(addr); err != nil || host != "127.0.0.1" {
			t.Errorf("it listens on %q (%v)", addr, err)
		}
	}
}

func TestPostSumsTheLengthsOfTheStringValues(t *testing.T) {
	r := startBackend(t, time.Second)
	for body, want := range map[string]string{
		`{}`: "0", `17`: "0", `null`: "0", `""`: "0", `"text"`: "4",
		`{"name":"value"}`:                       "5",
		`{"a":"1","b":["22",{"c":"333"}],"d":4}`: "6",
		`{"name" : "1", "other"	:"22"}`:          "3",
		`["a:b", "c" , "d"]`:                     "5",
		`"\"\\\n"`:                               "3",
		`"中文"`:                                   "2",
		`"\u4e2d"`:                               "1",
		`"😀"`:                                    "2", // as "😀".length() in Java
		`"\ud83d\ude00"`:                         "2",
	} {
		for _, h2 := range []bool{false, true} {
			a := r.must(r.client(h2), "POST", "/post/0/2", "", body)
			var fields map[string]string
			if err := json.Unmarshal([]byte(a.body), &fields); err != nil || len(fields) != 2 {
				t.Errorf("%s: %d fields, %v", body, len(fields), err)
			}
			if got := a.header.Values(textLengthHeader); len(got) != 1 || got[0] != want {
				t.Errorf("%s over h2 %v: %s is %q, want %s", body, h2, textLengthHeader, got, want)
			}
		}
	}
	if a := r.must(r.client(true), "POST", "/post/0/2", "", "{"); a.header.Get(textLengthHeader) != "" {
		t.Errorf("a refused body has the length %s", a.header.Get(textLengthHeader))
	}
}

// byDecoder is textLength by the standard library's decoder.
func byDecoder(t *testing.T, document []byte) (sum int) {
	t.Helper()
	type level struct{ object, value bool } // value: the next token of the object is a value
	var levels []level
	for d := json.NewDecoder(bytes.NewReader(document)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return sum
		}
		labtest.Check(t, err)
		last := len(levels) - 1
		text, isText := token.(string)
		isName := last >= 0 && levels[last].object && !levels[last].value
		if isText && !isName {
			sum += len(utf16.Encode([]rune(text)))
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			levels = levels[:last]
			continue
		}
		if last >= 0 && levels[last].object {
			levels[last].value = !levels[last].value
		}
		if delim, opens := token.(json.Delim); opens {
			levels = append(levels, level{object: delim == '{'})
		}
	}
}

func FuzzTextLength(f *testing.F) {
	for _, seed := range []string{`{"a":"b"}`, `[{"a":["b",{"c\"":"d\\"}]}]`, `"\ud800\u0041"`, "\"\xff\xed\xa0\x80\"",
		"{\"a\"\r\n\t :\"b\"}", strings.Repeat("[", 999) + strings.Repeat("]", 999)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if !json.Valid(document) {
			return
		}
		if got, want := textLength(document), byDecoder(t, document); got != want {
			t.Errorf("%q: %d, want %d", document, got, want)
		}
	})
}

// The longest body that nests as deep as json.Valid allows must not cost more than a flat one.
func TestTheTextLengthOfALongAndDeepBodyAllocatesNothing(t *testing.T) {
	deep := strings.Repeat(`[`, 9999) + `"` + strings.Repeat("x", maxBodyBytes-2*9999-2) + `"` + strings.Repeat(`]`, 9999)
	if wantJSON([]byte(deep)) != nil || len(deep) != maxBodyBytes {
		t.Fatalf("%d bytes that are no longest body", len(deep))
	}
	body, got := []byte(deep), 0
	if n := testing.AllocsPerRun(1, func() { got = textLength(body) }); n > 0 || got != maxBodyBytes-2*9999-2 {
		t.Errorf("%v allocations, length %d", n, got)
	}
}
