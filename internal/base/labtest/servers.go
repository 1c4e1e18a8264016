package labtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// FreePort returns a port that no process listens on now.
func FreePort(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	Check(t, err)
	defer func() { _ = ln.Close() }()
	return ln.Addr().(*net.TCPAddr).Port
}

// Nginx runs a real nginx in dir with that configuration until the test ends; nginx accepts
// connections on the port when Nginx returns.
func Nginx(t testing.TB, dir string, port int, conf string) {
	t.Helper()
	name := filepath.Join(dir, "nginx.conf")
	Write(t, name, conf)
	start(t, port, dir, "nginx", "-p", dir+"/", "-c", name, "-e", "stderr")
}

// Envoy does the same with a real Envoy.
func Envoy(t testing.TB, dir string, port int, yaml string) {
	t.Helper()
	Write(t, filepath.Join(dir, "envoy.yaml"), yaml)
	start(t, port, dir, "envoy", "-c", "envoy.yaml", "--concurrency", "1", "--use-dynamic-base-id", "--log-level",
		"warning")
}

// start runs a server until the test ends, and waits until it accepts connections.
func start(t testing.TB, port int, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(Program(t, name), args...)
	log, err := os.Create(filepath.Join(dir, name+".log"))
	Check(t, err)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	Check(t, cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-over
		}
		_ = log.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case err := <-over:
			over <- err
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("%s ended: %v\n%s", name, err, text)
		case <-ctx.Done():
			t.Fatalf("%s does not accept on port %d", name, port)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

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

// Cert is a temporary, self-signed certificate for localhost.
type Cert struct {
	Pair tls.Certificate
	Pool *x509.CertPool // trusts the certificate
	File string         // path of the certificate
}

// WriteCert makes a certificate and writes it to dir/server.crt and dir/server.key, the paths in
// the scratch servers' configurations.
func WriteCert(t testing.TB, dir string) Cert {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Check(t, err)
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		DNSNames:              []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	Check(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	Check(t, err)
	crt, keyFile := filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	for name, b := range map[string][]byte{crt: certPEM, keyFile: keyPEM} {
		Check(t, os.WriteFile(name, b, 0o600))
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	Check(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return Cert{Pair: pair, Pool: pool, File: crt}
}

// envoyYAML is an Envoy with TLS, HTTP/2 and HTTP/1.1 on a port, which answers each path itself.
const envoyYAML = `
admin: {address: {socket_address: {address: 127.0.0.1, port_value: %d}}}
static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: %d}}
    filter_chains:
    - transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          common_tls_context:
            alpn_protocols: [h2, http/1.1]
            tls_certificates: [{certificate_chain: {filename: server.crt}, private_key: {filename: server.key}}]
      filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: front
%s          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: {prefix: /}
                direct_response: {status: 200, body: {inline_string: "ok\n"}}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
`

// EnvoyYAML is the configuration of an Envoy on the port, with its counters on another (0: any). The settings, YAML
// without indentation, join those of its HTTP connection manager.
func EnvoyYAML(port, admin int, settings string) string {
	var lines strings.Builder
	for line := range strings.Lines(strings.Trim(settings, "\n")) {
		lines.WriteString("          " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return fmt.Sprintf(envoyYAML, admin, port, lines.String())
}

// Browser opens a tab of a real, headless Chromium that closes when the test ends. The test fails
// without Chromium: no other test opens the page in a browser.
func Browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("no Chromium on PATH; get it, as root, with: tools/toolchains.sh integration")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to start its sandbox as root
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	return ctx
}

// Do runs steps in a tab, one after the other.
func Do(t *testing.T, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for i, step := range steps {
		if _, err := chromedp.Run(tab, step); err != nil {
			t.Fatalf("step %d in the browser: %v", i+1, err)
		}
	}
}

// Eval returns the value of a JavaScript expression in a tab.
func Eval[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(tab, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s in the browser: %v", expression, err)
	}
	return v
}
