package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const say = "/h2lab.Echo/Say"

// grpcClient is one connection of grpc-go without retries.
func (r *running) grpcClient() *grpc.ClientConn {
	r.t.Helper()
	c, err := grpc.NewClient(r.frontLn.Addr().String(), grpc.WithDisableRetry(),
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: r.roots})))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// call makes one call; an empty id sends none.
func (r *running) call(c *grpc.ClientConn, method, id, text string) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	if id != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, requestIDHeader, id)
	}
	var got wrapperspb.StringValue
	err := c.Invoke(ctx, method, wrapperspb.String(text), &got)
	return got.Value, err
}

func TestACallIsEchoedAndCountedInTheSameLedger(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.grpcClient()
	longest := strings.Repeat("1", maxBodyBytes)
	for _, call := range []struct{ id, text string }{{"a", "1"}, {"b", ""}, {"a", "again"}, {"", "no id"},
		{"c", longest}} {
		if got, err := r.call(c, say, call.id, call.text); err != nil || got != call.text {
			t.Errorf("id %q, %d bytes: %d bytes back, %v", call.id, len(call.text), len(got), err)
		}
	}
	if a := r.must(r.client(true), "POST", "/echo", "c", "1"); a.status != 200 {
		t.Errorf("echo: %+v", a)
	}
	p := r.until("the last answer to be entered", func(p page) bool { return p.OpenStreams == 0 })
	if p.Requests.H2 != 6 || p.Executed != 5 || p.Distinct != 3 || p.Duplicates != 2 {
		t.Errorf("the ledger is %+v, want 6 requests, 5 executed, 3 distinct, 2 duplicates", p)
	}
	if p.Connections.New != 2 || p.Connections.Used != 2 || p.HandlingMS.P50 == nil {
		t.Errorf("the ledger is %+v, want 2 connections used and a handling time", p)
	}
}

func TestABadCallIsRefusedWithItsCodeAndNotExecuted(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.grpcClient()
	for _, b := range []struct {
		name, method, id, text string
		code                   codes.Code
		says                   string
	}{
		{"a method that is not there", "/h2lab.Echo/Shout", "bad", "1", codes.Unimplemented,
			"unknown method Shout for service h2lab.Echo"},
		{"a service that is not there", "/h2lab.Else/Say", "bad", "1", codes.Unimplemented,
			"unknown service h2lab.Else"},
		{"a path of the mux", "/echo", "bad", "1", codes.Unimplemented, "malformed method name"},
		{"a message one byte too long", say, "bad", strings.Repeat("1", maxBodyBytes+1), codes.ResourceExhausted,
			"longer than the 1048585 bytes"},
		{"a far longer one", say, "bad", strings.Repeat("1", 4*maxBodyBytes), codes.ResourceExhausted, "longer than"},
		{"too long an id", say, strings.Repeat("x", maxIDBytes+1), "1", codes.InvalidArgument, "has 257 bytes"},
	} {
		_, err := r.call(c, b.method, b.id, b.text)
		if status.Code(err) != b.code || !strings.Contains(err.Error(), b.says) {
			t.Errorf("%s: %v, want %s and %q", b.name, err, b.code, b.says)
		}
	}
	if p := r.page(); p.Executed != 0 || p.HandlingMS.P50 != nil {
		t.Errorf("executed %d, handling %+v: a refused call did work", p.Executed, p.HandlingMS)
	}
}

// message encodes a gRPC message whose prefix claims length bytes.
func message(length uint32, payload string) string {
	return string(binary.BigEndian.AppendUint32([]byte{0}, length)) + payload
}

func TestWhatIsNoGRPCIsRefused(t *testing.T) {
	r := startBackend(t, time.Second)
	whole := message(3, "\n\x011")
	for _, b := range []struct {
		name              string
		h2                bool
		method, kind      string
		body              string
		status            int
		grpcStatus, reads string
	}{
		{"HTTP/1.1", false, "POST", "application/grpc", whole, 400, "",
			"gRPC needs HTTP/2, and this connection negotiated HTTP/1.1"},
		{"HTTP/1.1 with a codec", false, "POST", "application/grpc+proto", whole, 400, "", "gRPC needs HTTP/2"},
		{"a GET", true, "GET", "application/grpc", "", 405, "", `invalid gRPC request method "GET"`},
		{"gRPC-Web", true, "POST", "application/grpc-web", whole, 415, "", "invalid gRPC request content-type"},
		{"a plain POST to its path", true, "POST", "text/plain", "1", 404, "", "not found"},
		{"no message", true, "POST", "application/grpc", "", 200, "13", ""},
		{"a message cut short", true, "POST", "application/grpc", whole[:6], 200, "13", ""},
		{"a length beyond the bound", true, "POST", "application/grpc", message(1<<31, "1"), 200, "8", ""},
		{"a message that is no StringValue", true, "POST", "application/grpc", message(1, "\xff"), 200, "13", ""},
	} {
		req, err := http.NewRequest(b.method, r.url(say), strings.NewReader(b.body))
		labtest.Check(t, err)
		req.Header.Set("Content-Type", b.kind)
		req.Header.Set(requestIDHeader, "bad")
		res, err := r.client(b.h2).Do(req)
		if err != nil {
			t.Errorf("%s: %v", b.name, err)
			continue
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		got := res.Trailer.Get("Grpc-Status") + res.Header.Get("Grpc-Status")
		if err != nil || res.StatusCode != b.status || got != b.grpcStatus || !strings.Contains(string(text), b.reads) {
			t.Errorf("%s: %d, grpc-status %q, %q, %v; want %d, %q and %q", b.name, res.StatusCode, got, text, err,
				b.status, b.grpcStatus, b.reads)
		}
	}
	if p := r.page(); p.Executed != 0 {
		t.Errorf("executed %d: a refused call did work", p.Executed)
	}
}

func TestBodiesBeyondTheBudgetAreRefusedAndItIsGivenBack(t *testing.T) {
	b := newBodies(10)
	request := func(body io.Reader) *http.Request {
		req, err := http.NewRequest("POST", "/", body)
		labtest.Check(t, err)
		req.ContentLength = -1 // as a server sees a request that doesn't say it
		return req
	}
	body, done, no := b.read(request(strings.NewReader("12345678")), 100)
	if no != nil || string(body) != "12345678" {
		t.Fatalf("%q, %+v", body, no)
	}
	if _, _, no := b.read(request(strings.NewReader("123")), 100); no == nil ||
		no.status != http.StatusServiceUnavailable {
		t.Errorf("11 of 10 bytes: %+v, want 503", no)
	}
	done()
	if _, _, no := b.read(request(io.MultiReader(bytes.NewReader([]byte("123")), brokenBody{})), 100); no == nil ||
		no.status != http.StatusBadRequest {
		t.Errorf("a body that breaks: %+v, want 400", no)
	}
	if held := b.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errors.New("broken") }
