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
	// forwardAtOnce bounds the simultaneous connections to one port: a person's curl and browser
	// need a few.
	forwardAtOnce = 256
	// dialPatience bounds a dial to a server on loopback.
	dialPatience = 5 * time.Second
)

// Publish makes the pod's servers reachable from the engine. The servers listen on 127.0.0.1, as
// natively, and the engine sends the connections of a published port to the pod's own address. So
// Publish listens on every other address of the pod and forwards to the same port of 127.0.0.1. No
// measured connection takes this path: clients run inside the pod. Publish returns when it listens;
// the connections end with ctx.
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

// outsideAddresses are the addresses of this network namespace that other machines can reach:
// neither loopback nor link-local.
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

// forward accepts connections until the listener is closed.
func forward(ctx context.Context, l net.Listener) {
	free := make(chan struct{}, forwardAtOnce)
	target := net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	for {
		free <- struct{}{}
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // file descriptors have run out, for example; closed connections free some
			<-free
			if await.Pause(ctx, 100*time.Millisecond) != nil {
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

// join copies data between a client and the server until both have finished, or ctx ends.
func join(ctx context.Context, client *net.TCPConn, target string) {
	defer func() { _ = client.Close() }()
	conn, err := (&net.Dialer{Timeout: dialPatience}).DialContext(ctx, "tcp", target)
	if err != nil {
		return // no server listens there: the client's connection is closed
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

// pass copies one direction and then closes it for writing.
func pass(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		_, _ = to.Close(), from.Close() // one of them was reset: the other is useless
		return
	}
	_ = to.CloseWrite()
}
