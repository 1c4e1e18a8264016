package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"h2lab/internal/base/labtest"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

func TestTheLedgerCountsEveryRequestAndConnectionExactly(t *testing.T) {
	r := startBackend(t, time.Second)
	for _, h2 := range []bool{false, true} {
		c := r.client(h2)
		for n := range 7 {
			a := r.must(c, "POST", "/echo?ms=0", fmt.Sprintf("%v-%d", h2, n), "1")
			if a.status != 200 || a.body != "1" || (a.proto == 2) != h2 {
				t.Fatalf("h2 %v: %+v", h2, a)
			}
		}
	}
	r.must(r.client(true), "GET", "/healthz", "not-work", "")
	r.must(r.client(true), "GET", "/delay", "", "") // work without an id
	p := r.until("no request in flight", func(p page) bool { return p.OpenStreams == 0 })
	if p.Requests.H1 != 7 || p.Requests.H2 != 9 {
		t.Errorf("requests %+v, want 7 and 9", p.Requests)
	}
	if p.Executed != 14 || p.Distinct != 14 || p.Duplicates != 0 || p.IDsSaturated {
		t.Errorf("executed %d, distinct %d, duplicates %d, saturated %v, want 14, 14, 0, false", p.Executed, p.Distinct,
			p.Duplicates, p.IDsSaturated)
	}
	if p.Connections.New != 4 || p.Connections.Used != 4 {
		t.Errorf("connections %+v, want 4 new and 4 used", p.Connections)
	}
	if p.HandlingMS.P50 == nil || *p.HandlingMS.P50 <= 0 || *p.HandlingMS.P99 < *p.HandlingMS.P50 {
		t.Errorf("handling %+v", p.HandlingMS)
	}
}

func TestALedgerWithoutAnswersKnowsNoHandlingTime(t *testing.T) {
	if p := startBackend(t, time.Second).page(); p.HandlingMS.P50 != nil || p.HandlingMS.P99 != nil {
		t.Errorf("handling %+v, want null", p.HandlingMS)
	}
}

func TestAConnectionWithoutARequestIsNewButNotUsed(t *testing.T) {
	r := startBackend(t, time.Second)
	bare, err := net.Dial("tcp", r.frontLn.Addr().String())
	labtest.Check(t, err)
	conns := []net.Conn{bare}
	for _, proto := range []string{"h2", "http/1.1"} {
		c, err := tls.Dial("tcp", r.frontLn.Addr().String(), &tls.Config{RootCAs: r.roots, NextProtos: []string{proto}})
		labtest.Check(t, err)
		if got := c.ConnectionState().NegotiatedProtocol; got != proto {
			t.Errorf("negotiated %q, want %q", got, proto)
		}
		conns = append(conns, c)
	}
	p := r.until("three connections", func(p page) bool { return p.Connections.New == 3 })
	if p.Connections.Used != 0 {
		t.Errorf("%d used, want none", p.Connections.Used)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	p = r.until("three closed ones", func(p page) bool { return p.Connections.Closed == 3 })
	if p.Connections.Active != 0 || p.Connections.Idle != 0 || p.Connections.Used != 0 ||
		p.Requests.H1+p.Requests.H2 != 0 {
		t.Errorf("at the end %+v", p)
	}
}

func TestOpenConnectionsAreActiveOrIdle(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		r := startBackend(t, time.Second)
		c := r.client(h2)
		answered := make(chan reply, 1)
		go func() {
			a, _ := r.send(c, "GET", "/delay?ms=400", "", nil)
			answered <- a
		}()
		r.until("one active", func(p page) bool { return p.Connections.Active == 1 && p.OpenStreams == 1 })
		if a := <-answered; a.status != 200 {
			t.Errorf("h2 %v: %+v", h2, a)
		}
		r.until("one idle", func(p page) bool {
			return p.Connections.Idle == 1 && p.Connections.Active == 0 && p.OpenStreams == 0
		})
	}
}

func TestAnIDThatComesAgainIsADuplicateUntilItIsForgotten(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.client(true)
	for range 3 {
		r.must(c, "POST", "/post/0/1", "same", `{}`)
	}
	if p := r.page(); p.Executed != 3 || p.Distinct != 1 || p.Duplicates != 2 {
		t.Errorf("executed %d, distinct %d, duplicates %d, want 3, 1, 2", p.Executed, p.Distinct, p.Duplicates)
	}
	if got := string(r.counter("POST", "/ids/forget")); got != "{\"forgotten\":1}\n" {
		t.Errorf("forget answered %q", got)
	}
	r.must(c, "POST", "/post/0/1", "same", `{}`)
	if p := r.page(); p.Executed != 4 || p.Distinct != 2 || p.Duplicates != 2 {
		t.Errorf("after forgetting: executed %d, distinct %d, duplicates %d, want 4, 2, 2", p.Executed, p.Distinct,
			p.Duplicates)
	}
}

func TestReadingTheCountersDoesNotMoveThem(t *testing.T) {
	r := startBackend(t, time.Second)
	before := r.page()
	r.counter("GET", "/metrics")
	r.counter("GET", "/healthz")
	if after := r.page(); after != before {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestOneConnectionCarriesMoreThanAThousandRequests(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.client(true)
	r.must(c, "GET", "/healthz", "", "")
	var all sync.WaitGroup
	for worker := range 30 {
		all.Go(func() {
			for n := range 50 {
				if a, err := r.send(c, "POST", "/echo", fmt.Sprintf("%d-%d", worker, n),
					strings.NewReader("1")); err != nil || a.status != 200 {
					t.Errorf("%+v, %v", a, err)
				}
			}
		})
	}
	all.Wait()
	p := r.page()
	if p.Connections.New != 1 || p.Connections.Used != 1 || p.Requests.H2 != 1501 || p.Executed != 1500 ||
		p.Distinct != 1500 {
		t.Errorf("%+v, want 1501 requests and 1500 ids on one connection", p)
	}
}

func TestTheServerOffersAsManyStreamsAsTheLabSays(t *testing.T) {
	r := startBackend(t, time.Second)
	c, err := tls.Dial("tcp", r.frontLn.Addr().String(), &tls.Config{RootCAs: r.roots, NextProtos: []string{"h2"}})
	labtest.Check(t, err)
	defer c.Close()
	if _, err := c.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(c, c)
	labtest.Check(t, framer.WriteSettings())
	f, err := framer.ReadFrame()
	labtest.Check(t, err)
	settings, ok := f.(*http2.SettingsFrame)
	if !ok {
		t.Fatalf("the first frame is %v, want SETTINGS", f)
	}
	if most, ok := settings.Value(http2.SettingMaxConcurrentStreams); !ok || most != facts.MaxConcurrentStreams {
		t.Errorf("SETTINGS_MAX_CONCURRENT_STREAMS %d (%v), want %d", most, ok, facts.MaxConcurrentStreams)
	}
}
