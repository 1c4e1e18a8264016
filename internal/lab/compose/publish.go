package compose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"h2lab/internal/base/await"
)

const (
	// forwardAtOnce bounds the connections of one port that are forwarded at a
	// time: a person's curl and browser need a few.
	forwardAtOnce = 256
	// dialPatience bounds the way to a server on loopback.
	dialPatience = 5 * time.Second
)

// Publish lets the engine reach the pod's servers. They listen on 127.0.0.1, as
// natively, and the engine sends the connections of a published port to the
// pod's own address. So this listens on every other address of the pod and
// forwards to the same port of 127.0.0.1. Nothing that is measured comes this
// way: clients run inside the pod. It returns when it listens; the connections
// end with ctx.
func Publish(ctx context.Context, ports []int) error {
	addrs, err := outsideAddresses()
	if err != nil {
		return err
	}
	var listeners []net.Listener
	for _, port := range ports {
		for _, addr := range addrs {
			l, err := net.Listen("tcp", net.JoinHostPort(addr.String(), strconv.Itoa(port)))
			if err != nil {
				for _, l := range listeners {
					_ = l.Close()
				}
				return fmt.Errorf("publishing port %d of the pod: %w", port, err)
			}
			listeners = append(listeners, l)
		}
	}
	for _, l := range listeners {
		context.AfterFunc(ctx, func() { _ = l.Close() })
		go forward(ctx, l)
	}
	return nil
}

// outsideAddresses are the addresses of this network namespace that others can
// reach: neither loopback nor bound to one link.
func outsideAddresses() ([]net.IP, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("the pod's addresses: %w", err)
	}
	var out []net.IP
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			out = append(out, n.IP)
		}
	}
	return out, nil
}

// forward serves one listener until it is closed.
func forward(ctx context.Context, l net.Listener) {
	free := make(chan struct{}, forwardAtOnce)
	target := net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	for {
		free <- struct{}{}
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // descriptors have run out, say: others may give some back
			<-free
			if pause(ctx, 100*time.Millisecond) != nil {
				return
			}
			continue
		}
		go func() {
			defer func() { <-free }()
			join(ctx, c.(*net.TCPConn), target)
		}()
	}
}

// join connects a client with the server until both have finished, or ctx ends.
func join(ctx context.Context, client *net.TCPConn, target string) {
	defer func() { _ = client.Close() }()
	conn, err := (&net.Dialer{Timeout: dialPatience}).DialContext(ctx, "tcp", target)
	if err != nil {
		return // no server listens there: the client sees its connection closed
	}
	server := conn.(*net.TCPConn)
	defer func() { _ = server.Close() }()
	stop := context.AfterFunc(ctx, func() { _, _ = client.Close(), server.Close() })
	defer stop()
	var both await.Group
	both.Go(func() { pass(server, client) })
	both.Go(func() { pass(client, server) })
	both.Wait()
}

// pass copies one direction and then says that nothing more comes.
func pass(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		_, _ = to.Close(), from.Close() // one of them was reset: neither is of use any more
		return
	}
	_ = to.CloseWrite()
}
