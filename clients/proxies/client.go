// Command proxies measures a proxy as an HTTP/2 client: Envoy, or nginx 1.29.4 and newer. It starts
// the real proxy as a child process with the configuration beside this file, and sends it requests
// over plain HTTP/1.1 on kept connections, so that the server under test sees the proxy's own use
// of HTTP/2. The child always ends with this program.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"h2lab/clients/kit"
)

// client is the proxy, and an HTTP/1.1 client that sends requests to it.
type client struct {
	flags   kit.Flags
	dir     string
	child   *child
	http    *http.Client
	library string
}

func newClient(f kit.Flags) (c *client, err error) {
	if err := kit.CheckCA(f); err != nil {
		return nil, err
	}
	if f.CA, err = filepath.Abs(f.CA); err != nil {
		return nil, err
	}
	program, library, err := find(f.Variant)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "h2lab-proxies-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	argv, err := configure(program, f, dir)
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "front.sock")
	c = &client{flags: f, dir: dir, library: library}
	if c.child, err = start(argv, socket); err != nil {
		return nil, err
	}
	c.http = &http.Client{Transport: &http.Transport{DialContext: to(socket), MaxIdleConnsPerHost: f.Concurrency,
		DisableCompression: true}}
	return c, nil
}

// to dials a socket of the proxy.
func to(socket string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
}

// configure writes the configuration and returns the proxy's command line.
func configure(program string, f kit.Flags, dir string) ([]string, error) {
	config, err := newConfig(f, dir)
	if err != nil {
		return nil, err
	}
	text, err := config.render()
	if err != nil {
		return nil, err
	}
	if isEnvoy(f.Variant) {
		// One worker, because each worker has its own connections to an upstream.
		path := filepath.Join(dir, "envoy.yaml")
		return []string{program, "-c", path, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"},
			os.WriteFile(path, text, 0o600)
	}
	path := filepath.Join(dir, "nginx.conf")
	return []string{program, "-p", dir + "/", "-c", path, "-e", "stderr"}, os.WriteFile(path, text, 0o600)
}

var (
	envoyVersion = regexp.MustCompile(`/(\d+\.\d+\.\d+)/`)
	nginxVersion = regexp.MustCompile(`nginx/(\d+\.\d+\.\d+)`)
)

// find looks for the proxy in PATH. nginx-current is the lab's name of a recent nginx beside an old
// one, which can't use HTTP/2 to upstreams.
func find(variant string) (path, library string, err error) {
	names, version := []string{"nginx-current", "nginx"}, nginxVersion
	if isEnvoy(variant) {
		names, version = []string{"envoy"}, envoyVersion
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, _ := exec.Command(path, map[bool]string{true: "--version", false: "-v"}[isEnvoy(variant)]).CombinedOutput()
		if m := version.FindSubmatch(out); m != nil && (isEnvoy(variant) || speaksH2(string(m[1]))) {
			return path, strings.TrimSuffix(name, "-current") + " " + string(m[1]), nil
		}
	}
	return "", "", fmt.Errorf("%w: %s (nginx 1.29.4 or newer); make them with: tools/get.sh envoy; tools/get.sh "+
		"nginx-current", kit.ErrMissing, strings.Join(names, " or "))
}

// speaksH2 reports whether nginx is 1.29.4 or newer, the first version with proxy_http_version 2.
func speaksH2(version string) bool { return semver.Compare("v"+version, "v1.29.4") >= 0 }

func (c *client) Library() string { return c.library }
func (c *client) Runtime() string { return c.library }

func (c *client) Close() {
	c.http.CloseIdleConnections()
	c.child.stop()
	os.RemoveAll(c.dir)
}

// Send sends a call through the proxy.
func (c *client) Send(ctx context.Context, call kit.Call) (*kit.Failure, error) {
	req, err := http.NewRequestWithContext(ctx, c.flags.Method, c.flags.URL, bytes.NewReader(call.Body))
	if err != nil {
		return nil, err
	}
	req.URL.Scheme = "http" // the host stays, because the proxy passes it on
	req.Header.Set(kit.IDHeader, call.ID)
	resp, err := c.http.Do(req)
	if err != nil {
		if gone := c.child.gone(); gone != nil {
			return nil, gone
		}
		return &kit.Failure{Kind: kit.Transport, Message: err.Error()}, nil
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return &kit.Failure{Kind: kit.Transport, Message: err.Error()}, nil
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return &kit.Failure{Kind: kit.Status, Message: "HTTP status " + resp.Status + ": " + c.because(got)}, nil
	}
	return c.flags.Compare(call.Body, got), nil
}

// because returns the proxy's reason for its own error answer: Envoy's is in the body; nginx's is
// the last line of its log, which nginx writes before it answers.
func (c *client) because(body []byte) string {
	if isEnvoy(c.flags.Variant) {
		return strings.Join(strings.Fields(string(body)), " ")
	}
	return c.child.said.Load().(string)
}

func main() {
	os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
		Name:        "proxies",
		Description: "Sends requests through a proxy, whose HTTP/2 to its upstream is what is measured.",
		Variants:    variants,
		New:         func(f kit.Flags) (kit.Subject, error) { return newClient(f) },
	}))
}

// variants are the proxies and what is changed in their configurations.
var variants = []string{
	"envoy-as-client", "envoy-max-requests", "envoy-retry-refused",
	"nginx-as-client", "nginx-keepalive",
}

// Counts reads Envoy's counters; nginx doesn't count its connections to upstreams.
func (c *client) Counts() kit.Counts {
	if !isEnvoy(c.flags.Variant) {
		return kit.Counts{}
	}
	admin := &http.Client{Timeout: 2 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: to(filepath.Join(c.dir, "admin.sock"))}}
	resp, err := admin.Get("http://envoy/stats?filter=^cluster.upstream")
	if err != nil {
		return kit.Counts{}
	}
	defer resp.Body.Close()
	return readStats(resp.Body)
}

// readStats reads Envoy's statistics of the cluster.
func readStats(page io.Reader) kit.Counts {
	var counts kit.Counts
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		version, isVersion := strings.CutPrefix(name, "cluster.upstream.ssl.versions.TLSv")
		switch {
		case name == "cluster.upstream.upstream_cx_total":
			counts.Dialled = &n
		case name == "cluster.upstream.ssl.session_reused":
			counts.Resumed = &n
		case isVersion && n > 0:
			counts.TLSVersion = version
		}
	}
	return counts
}
