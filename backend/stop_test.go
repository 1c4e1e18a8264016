package main

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

func TestAStopWaitsForTheAnswerInFlight(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		r := startBackend(t, 10*time.Second)
		c := r.client(h2)
		answered := make(chan error, 1)
		go func() {
			a, err := r.send(c, "POST", "/echo?ms=500", "late", strings.NewReader("1"))
			if err == nil && (a.status != 200 || a.body != "1") {
				t.Errorf("h2 %v: %+v", h2, a)
			}
			answered <- err
		}()
		r.until("a request in flight", func(p page) bool { return p.Executed == 1 })
		r.end()
		if err := <-answered; err != nil {
			t.Errorf("h2 %v: the request in flight got %v", h2, err)
		}
		if err := <-r.ended; err != nil {
			t.Errorf("h2 %v: %v", h2, err)
		}
		if conn, err := net.Dial("tcp", r.frontLn.Addr().String()); err == nil {
			_ = conn.Close()
			t.Errorf("h2 %v: the front still accepts", h2)
		}
		if _, err := http.Get("http://" + r.cntrLn.Addr().String() + "/healthz"); err == nil {
			t.Errorf("h2 %v: the counters are still served", h2)
		}
	}
}

func TestAStopIsBoundedAndSaysWhatItCutOff(t *testing.T) {
	r := startBackend(t, 50*time.Millisecond)
	c := r.client(true)
	answered := make(chan error, 1)
	go func() {
		_, err := r.send(c, "GET", "/delay?ms=30000", "never", nil)
		answered <- err
	}()
	r.until("a request in flight", func(p page) bool { return p.OpenStreams == 1 })
	r.end()
	if err := <-r.ended; err == nil ||
		!strings.Contains(err.Error(), "1 requests were still in flight 50ms after the stop signal") {
		t.Errorf("serve ended with %v", err)
	}
	if err := <-answered; err == nil {
		t.Error("the request that was cut off got an answer")
	}
}

func TestAStopDoesNotWaitForIdleConnections(t *testing.T) {
	r := startBackend(t, 30*time.Second)
	r.must(r.client(false), "GET", "/healthz", "", "")
	r.must(r.client(true), "GET", "/healthz", "", "")
	began := time.Now()
	r.end()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

func TestAClientThatGoesAwayHasBeenExecutedWithoutAnAnswer(t *testing.T) {
	r := startBackend(t, time.Second)
	ctx, goAway := context.WithCancel(t.Context())
	defer goAway()
	req, err := http.NewRequestWithContext(ctx, "POST", r.url("/echo?ms=20000"), strings.NewReader("1"))
	labtest.Check(t, err)
	req.Header.Set(requestIDHeader, "gone")
	answered := make(chan error, 1)
	go func() {
		_, err := r.client(true).Do(req)
		answered <- err
	}()
	r.until("the request to be executed", func(p page) bool { return p.Executed == 1 && p.OpenStreams == 1 })
	goAway()
	if err := <-answered; err == nil {
		t.Fatal("there was an answer")
	}
	p := r.until("the handler to notice", func(p page) bool { return p.OpenStreams == 0 })
	if p.Executed != 1 || p.HandlingMS.P50 != nil {
		t.Errorf("executed %d, handling %+v, want 1 and null", p.Executed, p.HandlingMS)
	}
}

func TestConnectionsBeyondTheBoundWaitAndAreNotRefused(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	l := trackConns(inner, 1)
	accepted := make(chan net.Conn, 2)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	for range 2 {
		c, err := net.Dial("tcp", inner.Addr().String())
		labtest.Check(t, err)
		defer c.Close()
	}
	first := <-accepted
	if len(l.places) != 1 {
		t.Errorf("%d places are taken, want the only one", len(l.places))
	}
	_ = first.Close()
	_ = first.Close() // net/http may close twice; the place is freed once
	second := <-accepted
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, more := <-accepted; more {
		t.Error("accepted a third")
	}
	_ = second.Close()
}
