package compose

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// shouting returns what a client sent in capitals, once the client has closed its side.
func shouting(t *testing.T) *net.TCPAddr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				text, _ := io.ReadAll(c)
				_, _ = io.WriteString(c, strings.ToUpper(string(text)))
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr)
}

// forwarding listens on the port of another loopback address, in place of the pod's own address.
func forwarding(t *testing.T, port int) (addr string, stop func(), ended <-chan struct{}) {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: port})
	labtest.Check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	context.AfterFunc(ctx, func() { _ = l.Close() })
	over := make(chan struct{})
	go func() { forward(ctx, l); close(over) }()
	t.Cleanup(func() { cancel(); <-over })
	return l.Addr().String(), cancel, over
}

func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr, 10*time.Second)
	labtest.Check(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	return c.(*net.TCPConn)
}

func TestAPublishedPortLeadsToTheSamePortOfLoopback(t *testing.T) {
	addr, _, _ := forwarding(t, shouting(t).Port)
	for range 3 {
		c := dial(t, addr)
		if _, err := io.WriteString(c, "hello"); err != nil {
			t.Fatal(err)
		}
		labtest.Check(t, c.CloseWrite())
		if said, err := io.ReadAll(c); string(said) != "HELLO" || err != nil {
			t.Errorf("it said %q, %v", said, err)
		}
	}
}

func TestWhereNoServerListensAPublishedPortCloses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	addr, _, _ := forwarding(t, port)
	if said, err := io.ReadAll(dial(t, addr)); len(said) > 0 || err != nil {
		t.Errorf("it said %q, %v, want the end alone", said, err)
	}
}

func TestForwardedConnectionsEndWithThePod(t *testing.T) {
	addr, stop, ended := forwarding(t, shouting(t).Port)
	c := dial(t, addr)
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Fatal(err)
	}
	stop()
	<-ended
	if _, err := bufio.NewReader(c).ReadByte(); err == nil {
		t.Error("the connection is still served")
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Error("the connection was left open")
	}
}

func TestWithoutPortsNothingIsPublished(t *testing.T) {
	if err := Publish(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
