package labtest

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// inNetwork is set in the process that has its own network namespace.
const inNetwork = "H2LAB_TEST_NETWORK"

// OutsideAddresses are the addresses of a namespace of InOwnNetwork besides loopback; both are
// reserved for documentation (RFC 5737, RFC 3849).
var OutsideAddresses = []string{"192.0.2.1", "2001:db8::1"}

// ownNetwork sets the namespace up and then runs its arguments.
const ownNetwork = `ip link set lo up &&
	ip link add h2lab0 type veth peer name h2lab1 &&
	ip link set h2lab0 up && ip link set h2lab1 up &&
	ip address add 192.0.2.1/24 dev h2lab0 &&
	ip address add 2001:db8::1/128 dev lo nodad &&
	exec "$@"`

// InOwnNetwork runs the calling test again in a new network namespace with loopback and the
// OutsideAddresses, where only the test listens. It returns true in the namespace; where it returns
// false, the test has already run there and must return.
func InOwnNetwork(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNetwork) == t.Name() {
		return true
	}
	self, err := os.Executable()
	Check(t, err)
	cmd := exec.CommandContext(t.Context(), "unshare", "--net", "--kill-child", "--fork", "sh", "-c", ownNetwork, "sh",
		self, "-test.run", "^"+t.Name()+"$", "-test.v", "-test.count", "1", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), inNetwork+"="+t.Name())
	cmd.WaitDelay = 10 * time.Second
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("in a network namespace, which takes root, unshare (util-linux) and ip (iproute2): %v\n%s", err, said)
	}
	if !strings.Contains(string(said), "--- PASS: "+t.Name()+" ") {
		t.Fatalf("it was not run in the namespace:\n%s", said)
	}
	return false
}

// Listening returns the addresses that accept TCP connections in this network namespace.
func Listening(t testing.TB) []netip.AddrPort {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "ss", "--no-header", "--listening", "--tcp", "--numeric").Output()
	if err != nil {
		t.Fatalf("ss (iproute2): %v", err)
	}
	var out []netip.AddrPort
	for line := range strings.Lines(string(said)) {
		const local = 3 // State Recv-Q Send-Q Local:Port Peer:Port
		fields := strings.Fields(line)
		if len(fields) <= local {
			t.Fatalf("ss printed %q", line)
		}
		addr, err := netip.ParseAddrPort(strings.Replace(fields[local], "*:", "[::]:", 1))
		if err != nil {
			t.Fatalf("ss printed %q: %v", line, err)
		}
		out = append(out, addr)
	}
	return out
}

// Accepts reports whether a server accepts connections at host:port.
func Accepts(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, 2*time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
