package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe/document"
)

// goServer is a real HTTP/2 server that ends connections after a number of requests with
// Connection: close, as Traefik's keepAliveMaxRequests does.
func goServer(t *testing.T, limit int) (url, ca string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.UserAgent(), "h2lab-probe/") || r.Header.Get("X-Ask") != "yes" {
			w.WriteHeader(http.StatusTeapot)
		}
		if n := r.Context().Value(connection{}).(*atomic.Int64).Add(1); limit > 0 && n >= int64(limit) {
			w.Header().Set("Connection", "close")
		}
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connection{}, new(atomic.Int64))
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	labtest.Write(t, ca, string(pem.EncodeToMemory(&pem.Block{
		Type:  "CERTIFICATE",
		Bytes: server.Certificate().Raw,
	})))
	return server.URL, ca
}

// connection is the key of a connection's counter of requests.
type connection struct{}

func TestProbeAnswersInWordsAndInJSON(t *testing.T) {
	url, ca := goServer(t, 0)
	var out, errs bytes.Buffer
	args := []string{"probe", "--cacert", ca, "-H", "X-Ask: yes", "--max-streams", "300", "--max-time", "1s", url}
	if status := run(t.Context(), args, &out, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	for _, want := range []string{"No limit was met: one connection got 300 requests", " with status 200",
		"HTTP/2 over TLS 1.3", "this is", "\nnext: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if want := "sending up to 300 GET requests on a connection, as fast as it answers, to " + url; !strings.Contains(errs.String(), want) {
		t.Errorf("stderr %q, want %q", errs.String(), want)
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 110 && !strings.HasPrefix(line, "next: ") {
			t.Errorf("a long line: %q", line)
		}
	}
	out.Reset()
	if status := run(t.Context(), append(args, "--json"), &out, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var d document.Document
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil || d.SchemaVersion != 2 || d.Endpoint.Budget.Least != 300 ||
		d.Endpoint.Budget.Most != nil || d.Price != nil || dec.More() {
		t.Errorf("%v: %+v", err, d)
	}
}

func TestProbePricesTheLimitThatItFound(t *testing.T) {
	url, ca := goServer(t, 50)
	var out, errs bytes.Buffer
	status := run(t.Context(),
		[]string{"probe", "--json", "--cacert", ca, "-H", "X-Ask: yes", "--rps", "1000",
			"--in-flight", "40", url}, &out, &errs)
	var d document.Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil || status != statusDone {
		t.Fatalf("status %d, %v: %s", status, err, errs.String())
	}
	if d.Endpoint.Budget.Most == nil || d.Endpoint.Ending.How != facts.EndedByGoaway || d.Price == nil ||
		d.Price.Stampede.Limit != 50 || d.Price.TLS != "1.3" {
		t.Errorf("%+v, price %+v", d.Endpoint, d.Price)
	}
	if d.Price != nil && d.Price.Stampede.HandshakesPerS < d.Price.SingleDial.HandshakesPerS {
		t.Errorf("a stampede for less than one dial: %+v", d.Price)
	}
}

func TestTheProbesPageNamesEveryFlagAndField(t *testing.T) {
	page := labtest.Read(t, "../../docs/probe.md")
	for f := range reflect.TypeFor[probeCmd]().Fields() {
		name := f.Tag.Get("name")
		if name == "" {
			name = dashed(f.Name)
		}
		if f.Name == "URL" {
			continue
		}
		if !strings.Contains(page, "`--"+name) {
			t.Errorf("docs/probe.md doesn't name --%s", name)
		}
	}
	seen := map[string]bool{}
	for _, path := range jsonPaths(reflect.TypeFor[facts.Endpoint](), seen) {
		if !strings.Contains(page, "`"+path+"`") {
			t.Errorf("docs/probe.md doesn't name the field `%s`", path)
		}
	}
}

func dashed(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// jsonPaths returns the names of a type's fields, with each type once.
func jsonPaths(t reflect.Type, seen map[string]bool) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t.Name()] {
		return nil
	}
	seen[t.Name()] = true
	var out []string
	for f := range t.Fields() {
		if name := f.Tag.Get("json"); name != "" {
			out = append(append(out, name), jsonPaths(f.Type, seen)...)
		}
	}
	return out
}
