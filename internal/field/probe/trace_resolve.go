package probe

import (
	"cmp"
	"context"
	"net"
)

// At is the target, its dials pinned to one address that answered.
func (t Target) At(address string) Target {
	t.dial = address
	return t
}

// Resolve gives the ip:port that a dial comes to. It connects and says nothing.
func (t Target) Resolve(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.patience())
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", cmp.Or(t.dial, t.Addr))
	if err != nil {
		return "", t.dialError(ctx, err)
	}
	defer func() { _ = c.Close() }()
	return c.RemoteAddr().String(), nil
}
