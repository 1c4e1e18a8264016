package watch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"h2lab/internal/base/await"
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
