package probe

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// selfSigned is a server with a self-signed certificate for a name and a time.
func selfSigned(t *testing.T, name string, until time.Time) Target {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "Some CA"},
		DNSNames: []string{name},
		IsCA:     true, BasicConstraintsValid: true, NotBefore: until.Add(-time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return tcpServer(t, func(c net.Conn) {
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}).Handshake()
	})
}

func TestACertificateThatIsNotTakenSaysWhyAndWhatToDo(t *testing.T) {
	ca := labtest.WriteCert(t, t.TempDir()).File
	later, past := time.Now().Add(time.Hour), time.Now().Add(-48*time.Hour)
	trusted := h2server(t, likeNginx(3))
	for name, x := range map[string]struct {
		target Target
		change func(*Target)
		want   []string
	}{
		"unknown issuer": {
			selfSigned(t, "localhost", later),
			func(t *Target) { t.ServerName, t.CAFile = "localhost", ca },
			[]string{"Some CA", "not trusted here", "--cacert", "--insecure"},
		},
		"expired": {
			selfSigned(t, "localhost", past),
			func(t *Target) { t.ServerName, t.CAFile = "localhost", ca },
			[]string{"valid from", past.Format(time.DateOnly), "--insecure"},
		},
		"another name": {
			trusted,
			func(t *Target) { t.ServerName = "other.example" },
			[]string{"another name", "it is for localhost, 127.0.0.1", "--servername", "--insecure"},
		},
	} {
		target := somebody(t, x.target, "/")
		x.change(&target)
		_, err := Survey(t.Context(), target, Ask{MaxStreams: 10})
		for _, want := range x.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
		if x.target.Addr != trusted.Addr {
			continue
		}
		target.Insecure = true
		if got, err := Survey(t.Context(), target, Ask{MaxStreams: 10}); err != nil || got.TLS.Verified {
			t.Errorf("%s: --insecure gives %v, verified %v", name, err, got.TLS.Verified)
		}
	}
}

func TestSessionsResumeInBothVersionsOfTLS(t *testing.T) {
	got, err := Survey(t.Context(), somebody(t, h2server(t, likeNginx(3)), "/"), Ask{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.TLS.Versions) != 2 || got.TLS.Version != "TLS 1.3" || got.TLS.Key != "ECDSA P-256" ||
		got.TLS.ALPN != "h2" || !got.TLS.Verified {
		t.Fatalf("%+v", got.TLS)
	}
	for _, v := range got.TLS.Versions {
		if v.Resumes == nil || !*v.Resumes || v.ResumedMS == nil || v.HandshakeMS == nil {
			t.Errorf("%+v", v)
		}
	}
}

// The server must receive what the user gave, unchanged and within the peer's windows: the third
// body must wait until two are read.
func TestBodiesAndHeadersArriveWithinTheWindows(t *testing.T) {
	body := strings.Repeat("b", maxBody)
	worst := 0
	target := h2server(t, func(p *peer) {
		room := 65535
		for {
			if p.br.Buffered() == 0 {
				_ = p.bw.Flush()
			}
			f, err := p.fr.ReadFrame()
			if err != nil {
				return
			}
			if ping, isPing := f.(*http2.PingFrame); isPing {
				_ = p.fr.WritePing(true, ping.Data)
			}
			d, isData := f.(*http2.DataFrame)
			if !isData {
				continue
			}
			room -= len(d.Data())
			worst = min(worst, room)
			if string(d.Data()) != body || !d.StreamEnded() {
				t.Errorf("a body of %d bytes on stream %d", len(d.Data()), d.StreamID)
			}
			room += len(d.Data())
			_ = p.fr.WriteWindowUpdate(0, uint32(len(d.Data())))
			p.answer(d.StreamID)
		}
	})
	x := somebody(t, target, "/")
	if err := x.SetMethod("POST", body); err != nil {
		t.Fatal(err)
	}
	if got, err := Survey(t.Context(), x, Ask{MaxStreams: 60, Connections: 1}); err != nil ||
		got.Statuses["200"] != 61 || worst < 0 {
		t.Errorf("%v, statuses %v, least room %d", err, got.Statuses, worst)
	}
}

func TestTheRateIsKept(t *testing.T) {
	p := newPace(100)
	for range paceBurst {
		if !p.next().IsZero() {
			t.Fatal("a request of the first few has to wait")
		}
		p.gone++
	}
	for n := range 50 {
		p.gone = paceBurst + n
		p.began = time.Now().Add(time.Hour) // nothing is due yet
		if due := p.next().Sub(p.began); due != time.Duration(n+1)*10*time.Millisecond {
			t.Fatalf("request %d is due after %v", p.gone, due)
		}
		p.began = time.Now().Add(-time.Hour)
		if !p.next().IsZero() {
			t.Fatal("a request that is due has to wait")
		}
	}
}

func TestAskingIsPoliteToOthersAndBounded(t *testing.T) {
	far, near := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, &net.TCPAddr{IP: net.IPv6loopback}
	if a, err := (Ask{}).decided(far); err != nil || a.Rate != politeRate || a.MaxStreams != politeStreams ||
		a.Connections != 2 {
		t.Errorf("far: %+v, %v", a, err)
	}
	if a, err := (Ask{}).decided(near); err != nil || a.Rate != 0 || a.MaxStreams != loopbackStreams {
		t.Errorf("near: %+v, %v", a, err)
	}
	if _, err := (Ask{Rate: CeilingRate + 1}).decided(far); err == nil {
		t.Error("a flood was taken")
	}
	for _, a := range []Ask{
		{MaxStreams: -1},
		{MaxStreams: CeilingStreams + 1},
		{Rate: -1},
		{Connections: 11},
		{MaxTime: 2 * time.Hour},
		{Idle: 25 * time.Hour},
		{Age: -1},
	} {
		if a.Check() == nil {
			t.Errorf("%+v was taken", a)
		}
	}
}

func TestWhatWillBeSentIsSaidBeforeTheFirstRequest(t *testing.T) {
	var got Intent
	said := make(chan struct{})
	target := h2server(t, func(p *peer) {
		id := p.next()
		select {
		case <-said:
		default:
			t.Error("a request came before it was announced")
		}
		p.answer(id)
		likeNginx(5)(p)
	})
	_, err := Survey(t.Context(), somebody(t, target, "/p"), Ask{
		MaxStreams:  9,
		Connections: 1,
		Announce:    func(i Intent) { got = i; close(said) },
	})
	if err != nil || got.MaxStreams != 9 || got.Method != "GET" || got.Address != target.Addr ||
		got.URL != "https://"+target.Addr+"/p" || !got.Safe() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLifetimesAreWatchedAtTheSameTime(t *testing.T) {
	target := h2server(t, func(p *peer) {
		id := p.next()
		p.answer(id)
		_ = p.bw.Flush()
		_ = p.conn.SetReadDeadline(time.Now().Add(600 * time.Millisecond)) // idle
		for id = p.next(); id != 0; id = p.next() {
			p.answer(id)
		}
		_ = p.fr.WriteGoAway(p.max, http2.ErrCodeNo, nil)
	})
	got, err := Survey(t.Context(), somebody(t, target, "/"),
		Ask{MaxStreams: 3, Idle: 20 * time.Second, Age: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got.Idle == nil || got.Idle.Seconds == nil || got.Idle.Ending.How != facts.EndedByGoaway {
		t.Errorf("idle %+v", got.Idle)
	}
	if got.Age == nil || got.Age.Seconds != nil || got.Age.WatchedS != 0.02 {
		t.Errorf("age %+v", got.Age)
	}
}

func TestASurveyOverHTTP1(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100} {
		for _, rude := range []bool{false, true} {
			got, err := Survey(t.Context(), somebody(t, h1server(t, n, rude), "/"), Ask{HTTP1: true, MaxStreams: 300})
			if err != nil || got.Budget.Least != n || !got.Budget.Exact() || got.Ending == nil ||
				got.Ending.Closed != "fin" || got.Protocol != facts.H1 {
				t.Fatalf("limit %d, rude %v: %v, %+v, %+v", n, rude, err, got.Budget, got.Ending)
			}
		}
	}
	got, err := Survey(t.Context(), somebody(t, h1server(t, 1<<30, false), "/"), Ask{HTTP1: true, MaxStreams: 120})
	if err != nil || got.Budget.Most != nil || got.Budget.Least != 120 || got.Ending != nil {
		t.Errorf("without a limit: %v, %+v", err, got.Budget)
	}
}

func TestABadServerOfHTTP1HasItsOwnClearSentence(t *testing.T) {
	answer := func(text string) Target {
		return serve(t, "http/1.1", func(c *tls.Conn) {
			br := bufio.NewReader(c)
			for {
				if _, err := http.ReadRequest(br); err != nil {
					return
				}
				if _, err := c.Write([]byte(text)); err != nil || strings.HasSuffix(text, "!") {
					return
				}
			}
		})
	}
	for name, x := range map[string]strange{
		"garbage": {answer("SSH-2.0-OpenSSH_9.2\r\n"), "does not speak HTTP/1.1"},
		"closes at once": {
			serve(t, "http/1.1", func(c *tls.Conn) { _ = c.Handshake() }),
			"closes the connection without an answer",
		},
		"never answers": {
			serve(t, "http/1.1", func(c *tls.Conn) { _, _ = io.Copy(io.Discard, c) }),
			"left request 1 unanswered",
		},
		"never ends an answer": {answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), "left request 1 unanswered"},
		"ends in the middle":   {answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n!"), "off in the middle"},
		"interim for ever":     {answer(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 30)), "interim answers"},
		"a huge body": {
			answer("HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n" + strings.Repeat("x", 20000000)),
			"larger than",
		},
		"too busy": {answer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"), "answers 503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Survey(t.Context(), x.hurried(t), Ask{HTTP1: true, MaxStreams: 20})
			if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), x.target.Addr) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}
}
