package probe

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"h2lab/internal/field/output"
)

// ParseTarget parses the address of a user's server: https://host[:port]/path?query.
func ParseTarget(raw string) (Target, error) {
	if len(raw) > maxURL {
		return Target{}, fmt.Errorf("a URL of %d bytes, where %d are enough", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Opaque != "" {
		return Target{}, badURL(raw, u, err)
	}
	switch {
	case strings.EqualFold(u.Scheme, "http"):
		return Target{}, fmt.Errorf("%s is plain http, and h2lab probes HTTP/2 over TLS only, not h2c: write "+
			"https:// and the port of the TLS listener", raw)
	case !strings.EqualFold(u.Scheme, "https"):
		return Target{}, fmt.Errorf("%s has the scheme %q, which is not asked; write https://%s/", raw, u.Scheme,
			u.Host)
	case u.User != nil:
		return Target{}, fmt.Errorf("%s carries a user name; give it as a header: -H 'Authorization: …'", u.Redacted())
	case u.Hostname() == "":
		return Target{}, fmt.Errorf("%s names no host; write https://host/path", raw)
	}
	if err := checkHost(u.Hostname()); err != nil {
		return Target{}, err
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return Target{}, fmt.Errorf("port %s of %s is out of range: 1 to 65535", port, raw)
	}
	path := u.RequestURI()
	if strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Target{}, fmt.Errorf("the path %q has a letter that a request can't carry; write it percent-encoded, "+
			"as %%20 for a space", short(path))
	}
	u.Fragment, u.RawFragment = "", ""
	return Target{Addr: net.JoinHostPort(u.Hostname(), port), Authority: u.Host, Path: path, url: u.String(),
		again: output.Question{URL: u.String()}}, nil
}

const maxURL = 8192

// badURL says why a text is no valid URL.
func badURL(raw string, u *url.URL, err error) error {
	shown := raw
	if len(shown) > 80 {
		shown = shown[:80] + "…"
	}
	var parse *url.Error
	switch {
	case err == nil && u.Scheme != "" && u.Host == "" && u.Opaque == "":
		return fmt.Errorf("%q names no host; write https://host/path", shown)
	case !strings.Contains(raw, "://"):
		return fmt.Errorf("%q has no scheme; write https://%s", shown, strings.TrimLeft(shown, "/"))
	case errors.As(err, &parse):
		return fmt.Errorf("%q is no URL: %w; write https://host/path", shown, parse.Err)
	}
	return fmt.Errorf("%q is no URL of a server; write https://host/path", shown)
}

// checkHost rejects names that can't be sent unchanged.
func checkHost(host string) error {
	if net.ParseIP(host) != nil {
		return nil
	}
	for _, r := range host {
		if r > 126 || r < '-' || r == '/' {
			return fmt.Errorf("the host %q has a letter that DNS doesn't know; write it in ASCII (punycode: xn--…)",
				host)
		}
	}
	return nil
}
