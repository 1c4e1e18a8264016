package watch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"h2lab/internal/base/await"
	described "h2lab/internal/base/kinds"
	"h2lab/internal/base/system"
)

const (
	// readTimeout bounds one reading: counters are read from memory.
	readTimeout = 5 * time.Second
	// mostPage is the maximum size of a page: an Envoy with ten thousand clusters has some 100 MB of
	// statistics, but they can be filtered.
	mostPage = 16 << 20
)

// Source reads the counters at one address.
type Source struct {
	url    string // as the user gave it
	query  string // what is added to it
	client *http.Client
	dials  atomic.Int64 // a dial may outlive the reading that asked for it
	reads  int64
	kind   string
}

// Trust says which certificates are accepted.
type Trust struct {
	Insecure bool
	CAFile   string
}

// mostCA is far above any file of authorities.
const mostCA = 16 << 20

// Open prepares the reading of an address. The first reading dials.
func Open(ctx context.Context, address string, trust Trust) (*Source, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no http:// or https:// address: "+
			"give that of stub_status, Envoy's /stats/prometheus or a /metrics endpoint", address)
	}
	conf := &tls.Config{InsecureSkipVerify: trust.Insecure} // asked for with --insecure
	if trust.CAFile != "" {
		pem, err := await.Read(ctx, trust.CAFile, mostCA) // it may be a pipe
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca: no certificate in %s", trust.CAFile)
		}
	}
	s := &Source{url: u.String()}
	var d net.Dialer
	s.client = &http.Client{Timeout: readTimeout, Transport: &http.Transport{
		MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, TLSClientConfig: conf, ResponseHeaderTimeout: readTimeout,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, addr)
			if err == nil {
				s.dials.Add(1)
			}
			return c, err
		}}}
	return s, nil
}

// host is the address without path and query.
func (s *Source) host() string { return strings.Join(strings.SplitN(s.url, "/", 4)[:3], "/") }

// Close closes the connection.
func (s *Source) Close() { s.client.CloseIdleConnections() }

// read takes one reading. stub_status counts the reading itself, so that is subtracted.
func (s *Source) read(ctx context.Context) (counts, error) {
	page, err := s.get(ctx)
	if err != nil {
		return counts{}, fmt.Errorf("%s: %w", s.url, err)
	}
	c, err := parse(page)
	if err != nil {
		return counts{}, fmt.Errorf("%s: %w", s.url, err)
	}
	if s.kind != "" && c.kind != s.kind {
		return counts{}, fmt.Errorf("%s was %s and is %s", s.url, s.kind, c.kind)
	}
	s.kind = c.kind
	if c.kind == StubStatus {
		c.dials, c.reads = s.dials.Load(), s.reads
		c.n[accepted] -= c.dials
		c.n[requests] -= c.reads
	}
	if (s.kind == EnvoyMetrics || s.kind == EnvoyStats) && !strings.Contains(s.url, "?") {
		s.query = "?filter=" + url.QueryEscape(envoyFilter) // it is cheaper for Envoy than to print all
	}
	return c, nil
}

func (s *Source) get(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+s.query, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = resp.Body.Close() }()
	s.reads++
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // so that the connection can be used again
		return nil, refused(resp.StatusCode)
	}
	page, err := io.ReadAll(io.LimitReader(resp.Body, mostPage+1))
	if err != nil {
		return nil, err
	}
	if len(page) > mostPage {
		return nil, fmt.Errorf("its answer is longer than %d MiB; "+
			"for Envoy add a filter: /stats/prometheus?filter=downstream_", mostPage>>20)
	}
	return page, nil
}

// unreachable adds the remedy to errors that have one, and drops the address, which the caller adds.
func unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(err, &authority), errors.As(err, &name):
		return fmt.Errorf("%w; trust it with --ca FILE, or skip the verification with --insecure", err)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return errors.New("it speaks no TLS: use http://")
	case strings.Contains(err.Error(), "malformed HTTP response"):
		return errors.New("it doesn't answer in HTTP/1.1: is it a TLS port? then use https://")
	case system.Refused.Is(err):
		return fmt.Errorf("%w: is it running, and is that its port?", err)
	}
	return err
}

// The kinds of pages, recognised by their content.
const (
	StubStatus     = "nginx stub_status"
	NginxExporter  = "nginx-prometheus-exporter"
	Ingress        = "ingress-nginx"
	EnvoyStats     = "Envoy /stats"
	EnvoyMetrics   = "Envoy /stats/prometheus"
	envoyFilter    = `^http\..*\.downstream_(cx|rq)_(total|active|max_requests_reached|max_duration_reached|idle_timeout)$`
	adminsOwnStats = "admin" // stat_prefix of Envoy's admin listener, whose connections are h2lab's own
)

// The counters that are read, since the server's start, under their names here.
const (
	accepted = "accepted" // connections
	requests = "requests"
	active   = "active" // connections that are open
	atLimit  = "at-limit"
	atAge    = "at-age"
	idle     = "idle"
)

// of are the metrics that count, with and without the suffix that OpenMetrics gives a counter.
var of = map[string]struct{ kind, what string }{
	"nginx_connections_accepted":       {NginxExporter, accepted},
	"nginx_connections_accepted_total": {NginxExporter, accepted},
	"nginx_http_requests_total":        {NginxExporter, requests}, "nginx_http_requests": {NginxExporter, requests},
	"nginx_connections_active":                                 {NginxExporter, active},
	"nginx_ingress_controller_nginx_process_connections_total": {Ingress, accepted},
	"nginx_ingress_controller_nginx_process_requests_total":    {Ingress, requests},
	"nginx_ingress_controller_nginx_process_connections":       {Ingress, active},
	"envoy_http_downstream_cx_total":                           {EnvoyMetrics, accepted},
	"envoy_http_downstream_rq_total":                           {EnvoyMetrics, requests},
	"envoy_http_downstream_cx_active":                          {EnvoyMetrics, active},
	"envoy_http_downstream_cx_max_requests_reached":            {EnvoyMetrics, atLimit}, // requests at the limit or beyond
	"envoy_http_downstream_cx_max_duration_reached":            {EnvoyMetrics, atAge},
	"envoy_http_downstream_cx_idle_timeout":                    {EnvoyMetrics, idle},
}

// counts are a server's counters, as far as its page has them.
type counts struct {
	kind string
	n    map[string]int64
	// dials and reads are those of the readings themselves, which were subtracted.
	dials, reads int64
}

// get is a counter; nil where the page has none.
func (c counts) get(what string) *int64 {
	if v, known := c.n[what]; known {
		return &v
	}
	return nil
}

// wentBack reports whether a server's own counters are smaller than before. Without the readings they may be: a proxy
// before it that keeps its connections, or an old answer, doesn't count each of them.
func (c counts) wentBack(before counts) bool {
	return c.n[accepted]+c.dials < before.n[accepted]+before.dials || c.n[requests]+c.reads < before.n[requests]+before.reads
}

// parse reads a page of any known kind.
func parse(page []byte) (counts, error) {
	text := bytes.TrimSpace(page)
	switch {
	case described.IsStubStatus(text):
		n, err := described.ParseStubStatus(text)
		if err != nil {
			return counts{}, err
		}
		return counts{kind: StubStatus, n: map[string]int64{accepted: n["accepts"], requests: n["requests"], active: n["active"]}}, nil
	case bytes.HasPrefix(text, []byte("<")):
		return counts{}, errors.New("it answers HTML; stub_status, Envoy's /stats/prometheus or a /metrics endpoint " +
			"is needed")
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return counts{}, errors.New("it answers JSON; use Envoy's /stats/prometheus, stub_status or a /metrics " +
			"endpoint")
	}
	return metrics(text)
}

// found sums counters by the kind of their page.
type found map[string]map[string]int64

// add counts a metric. Those of Envoy's admin interface are h2lab's own connections, and one with a state counts under its
// name only.
func (f found) add(kind, what, manager, state string, v int64) {
	if f[kind] == nil {
		f[kind] = map[string]int64{}
	}
	if manager != adminsOwnStats && (state == "" || state == what) {
		f[kind][what] += v
	}
}

// counts are those of the page's kind. An ingress controller may also run the exporter.
func (f found) counts() (counts, error) {
	for _, kind := range []string{EnvoyStats, EnvoyMetrics, Ingress, NginxExporter} {
		n := f[kind]
		if n == nil {
			continue
		}
		_, a := n[accepted]
		if _, r := n[requests]; a && r {
			return counts{kind: kind, n: n}, nil
		}
		if kind == EnvoyStats || kind == EnvoyMetrics {
			return counts{}, errors.New("it is Envoy, without downstream_cx_total and downstream_rq_total of a connection " +
				"manager; does a filter exclude them?")
		}
		return counts{}, fmt.Errorf("it is %s, without both accepted connections and requests: is nginx up behind it?", kind)
	}
	return counts{}, errors.New("it has no counter")
}

// sample is a line of Envoy's /stats (http.PREFIX.downstream_cx_total: 5) or of the text format of Prometheus.
var sample = regexp.MustCompile(
	`^(?:http\.([^:\s]+)\.(downstream_\w+):|([a-zA-Z_:][\w:]*)(?:\{(.*)\})?)\s+(\S+)(?:\s+\d+)?\s*$`)

var wanted = regexp.MustCompile(`^(http\.|envoy_http_|nginx_)`)

// metrics reads both.
func metrics(text []byte) (counts, error) {
	all, lines := found{}, 0
	for line := range bytes.Lines(text) {
		if line[0] != '#' && bytes.ContainsAny(line, "{ \t") {
			lines++
		}
		if !wanted.Match(line) {
			continue // an endpoint may have a hundred thousand others
		}
		m := sample.FindStringSubmatch(string(line))
		if m == nil { // a histogram, or a counter of something else
			if _, known := of[string(line[:max(0, bytes.IndexAny(line, "{ \t"))])]; known {
				return counts{}, fmt.Errorf("its metrics can't be read: %.60q", line)
			}
			continue
		}
		k, manager := of[m[3]], label(m[4], "envoy_http_conn_manager_prefix")
		if m[2] != "" {
			k, manager = of["envoy_http_"+m[2]], m[1]
			k.kind = EnvoyStats
		}
		v, err := strconv.ParseFloat(m[5], 64)
		switch {
		case k.what == "":
		case err != nil || v >= math.MaxInt64 || v < 0:
			return counts{}, fmt.Errorf("its metrics can't be read: %s is not a count", m[5])
		default:
			all.add(k.kind, k.what, manager, label(m[4], "state"), int64(v))
		}
	}
	if len(all) == 0 {
		return counts{}, unknown(text, lines)
	}
	return all.counts()
}

// label is the value of a metric's label.
func label(labels, name string) string {
	_, value, _ := strings.Cut(","+labels, ","+name+`="`)
	value, _, _ = strings.Cut(value, `"`)
	return value
}

func unknown(text []byte, lines int) error {
	if len(text) == 0 {
		return errors.New("its answer is empty")
	}
	if lines > 0 && bytes.Contains(text, []byte("# TYPE")) {
		return fmt.Errorf("it has %d metrics, and none of nginx's or Envoy's connections", lines)
	}
	return fmt.Errorf("%.60q is neither stub_status nor Envoy's statistics nor a Prometheus endpoint", text)
}

// refused says what a status other than 200 may mean.
func refused(status int) error {
	switch status {
	case http.StatusNotFound:
		return errors.New("it answers 404: is that the path of stub_status, /stats/prometheus or /metrics?")
	case http.StatusBadRequest:
		return errors.New("it answers 400: is it a TLS port? then use https://")
	case http.StatusForbidden, http.StatusUnauthorized:
		return fmt.Errorf("it answers %d: does the location allow this address?", status)
	}
	return fmt.Errorf("it answers %d %s", status, http.StatusText(status))
}
