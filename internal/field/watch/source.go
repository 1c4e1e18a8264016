package watch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

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
func (s *Source) host() string {
	u, err := url.Parse(s.url)
	if err != nil {
		return s.url
	}
	return u.Scheme + "://" + u.Host
}

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
		c.accepted -= c.dials
		c.requests -= c.reads
	}
	s.filter()
	return c, nil
}

// filter asks Envoy only for the counters that are read, which is cheaper for it than to print all. An
// address with a query of its own stays as it is.
func (s *Source) filter() {
	if (s.kind == EnvoyMetrics || s.kind == EnvoyStats) && !strings.Contains(s.url, "?") {
		s.query = "?filter=" + url.QueryEscape(envoyFilter)
	}
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
	case system.Refused(err):
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

// counts are a server's counters: accepted connections and requests since its start, and open
// connections if it reports them.
type counts struct {
	kind               string
	accepted, requests int64
	active             *int64
	// dials and reads are those of the readings themselves, which were subtracted.
	dials, reads int64
	// Of Envoy: requests at the limit or beyond (downstream_cx_max_requests_reached), connections that
	// reached their maximum age (…_max_duration_reached) and idle ones (…_idle_timeout).
	atLimit, atAge, idle *int64
}

// wentBack reports whether a server's own counters are smaller than before. Without the readings they may be: a proxy
// before it that keeps its connections, or an old answer, doesn't count each of them.
func (c *counts) wentBack(before counts) bool {
	return c.accepted+c.dials < before.accepted+before.dials || c.requests+c.reads < before.requests+before.reads
}

// parse reads a page of any known kind.
func parse(page []byte) (counts, error) {
	text := bytes.TrimSpace(page)
	switch {
	case described.IsStubStatus(text):
		return stubStatus(text)
	case bytes.HasPrefix(text, []byte("<")):
		return counts{}, errors.New("it answers HTML; stub_status, Envoy's /stats/prometheus or a /metrics endpoint " +
			"is needed")
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return counts{}, errors.New("it answers JSON; use Envoy's /stats/prometheus, stub_status or a /metrics " +
			"endpoint")
	case envoyLine.Match(text):
		return envoyText(text)
	}
	return prometheus(text)
}

func stubStatus(text []byte) (counts, error) {
	page, err := described.ParseStubStatus(text)
	if err != nil {
		return counts{}, err
	}
	c := counts{kind: StubStatus, accepted: page["accepts"], requests: page["requests"]}
	if v, known := page["active"]; known {
		c.active = &v
	}
	return c, nil
}

// envoyLine is a line of Envoy's /stats: http.PREFIX.downstream_cx_total: 5.
var envoyLine = regexp.MustCompile(`(?m)^http\.([^:\s]+)\.downstream_(cx_total|rq_total|cx_active|` +
	`cx_max_requests_reached|cx_max_duration_reached|cx_idle_timeout): (\d+)\r?$`)

func envoyText(text []byte) (counts, error) {
	found := envoy{kind: EnvoyStats}
	for _, m := range envoyLine.FindAllSubmatch(text, -1) {
		v, err := strconv.ParseInt(string(m[3]), 10, 64)
		if err != nil {
			return counts{}, fmt.Errorf("%s: %w", m[0], err)
		}
		found.add(string(m[1]), string(m[2]), v)
	}
	return found.counts()
}

// envoy sums the counters of the connection managers except the admin interface's own.
type envoy struct {
	kind string
	sums map[string]int64
}

func (e *envoy) add(manager, name string, v int64) {
	if e.sums == nil {
		e.sums = map[string]int64{}
	}
	if manager != adminsOwnStats {
		e.sums[name] += v
	}
}

func (e *envoy) counts() (counts, error) {
	c := counts{kind: e.kind}
	var cx, rq bool
	c.accepted, cx = e.sums["cx_total"]
	c.requests, rq = e.sums["rq_total"]
	if !cx || !rq {
		return c, errors.New("it is Envoy, without downstream_cx_total and downstream_rq_total of a connection " +
			"manager; does a filter exclude them?")
	}
	for name, into := range map[string]**int64{"cx_active": &c.active, "cx_max_requests_reached": &c.atLimit,
		"cx_max_duration_reached": &c.atAge, "cx_idle_timeout": &c.idle} {
		if v, known := e.sums[name]; known {
			*into = &v
		}
	}
	return c, nil
}

// of are the metric names that count, with and without the suffix that OpenMetrics gives a counter.
var of = map[string]struct{ kind, what string }{
	"nginx_connections_accepted":       {NginxExporter, "accepted"},
	"nginx_connections_accepted_total": {NginxExporter, "accepted"},
	"nginx_http_requests_total":        {NginxExporter, "requests"}, "nginx_http_requests": {NginxExporter, "requests"},
	"nginx_connections_active":                                 {NginxExporter, "active"},
	"nginx_ingress_controller_nginx_process_connections_total": {Ingress, "accepted"},
	"nginx_ingress_controller_nginx_process_requests_total":    {Ingress, "requests"},
	"nginx_ingress_controller_nginx_process_connections":       {Ingress, "active"},
}

// prometheus reads the text format. It drops lines of other metrics before parsing, since an
// endpoint may have a hundred thousand.
func prometheus(text []byte) (counts, error) {
	var wanted bytes.Buffer
	lines := 0
	for line := range bytes.Lines(text) {
		name := string(line[:max(0, bytes.IndexAny(line, "{ \t"))])
		if line[0] != '#' && name != "" {
			lines++
		}
		if _, known := of[name]; known || strings.HasPrefix(name, "envoy_http_downstream_") {
			wanted.Write(bytes.TrimRight(line, "\r\n"))
			wanted.WriteByte('\n')
		}
	}
	if wanted.Len() == 0 {
		return counts{}, unknown(text, lines)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(io.Reader(&wanted))
	if err != nil {
		return counts{}, fmt.Errorf("its metrics can't be read: %w", err)
	}
	found, proxy := map[string]map[string]int64{NginxExporter: {}, Ingress: {}}, envoy{kind: EnvoyMetrics}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			v := int64(m.GetUntyped().GetValue())
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if rest, ok := strings.CutPrefix(name, "envoy_http_downstream_"); ok {
				proxy.add(labels["envoy_http_conn_manager_prefix"], rest, v)
			} else if k := of[name]; labels["state"] == "" || labels["state"] == k.what {
				found[k.kind][k.what] += v
			}
		}
	}
	if proxy.sums != nil {
		return proxy.counts()
	}
	for _, kind := range []string{Ingress, NginxExporter} {
		if len(found[kind]) > 0 {
			return ofKind(kind, found[kind])
		}
	}
	return counts{}, unknown(text, lines)
}

func ofKind(kind string, n map[string]int64) (counts, error) {
	c := counts{kind: kind}
	var accepted, requests bool
	c.accepted, accepted = n["accepted"]
	c.requests, requests = n["requests"]
	if !accepted || !requests {
		return c, fmt.Errorf("it is %s, without both accepted connections and requests: is nginx up behind it?", kind)
	}
	if v, known := n["active"]; known {
		c.active = &v
	}
	return c, nil
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
