package probe

import (
	"cmp"
	"context"
	"net"
)

// At is the target with its dials fixed to an address that answered.
func (t Target) At(address string) Target {
	t.dial = address
	return t
}

// Resolve returns the ip:port that a dial reaches. It connects and sends nothing.
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
