//go:build integration

package compose

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestThePodsOtherAddressesLeadToItsServers(t *testing.T) {
	if !labtest.InOwnNetwork(t) {
		return
	}
	port := shouting(t).Port
	ctx, stop := context.WithCancel(t.Context())
	labtest.Check(t, Publish(ctx, []int{port}))
	for _, host := range append([]string{"127.0.0.1"}, labtest.OutsideAddresses...) {
		c := dial(t, net.JoinHostPort(host, strconv.Itoa(port)))
		_, _ = io.WriteString(c, "hello")
		_ = c.CloseWrite()
		if said, err := io.ReadAll(c); string(said) != "HELLO" || err != nil {
			t.Errorf("%s said %q, %v", host, said, err)
		}
	}
	if err := Publish(ctx, []int{port}); err == nil || !strings.Contains(err.Error(), strconv.Itoa(port)) {
		t.Errorf("a port that is taken: %v", err)
	}
	stop()
}
