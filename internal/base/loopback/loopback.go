// Package loopback refuses requests of web pages to the lab's plain-HTTP ports.
//
// Other machines can't reach a port on 127.0.0.1, but a web page in a browser on this machine can.
// Such a page can send requests to any port (a form, fetch with mode no-cors, an image), and it can
// read the answers when its own host name resolves to 127.0.0.1 (DNS rebinding). A browser names
// the page in every such request: the rebound name is in Host (RFC 9110 §7.2), the page's origin is
// in Origin (Fetch Standard, "append a request Origin header") or in Sec-Fetch-Site (W3C Fetch
// Metadata). Programs such as curl and k6 send neither Origin nor Sec-Fetch-Site.
//
// nginx/*.conf and envoy/*.yaml have the same checks in their own languages.
package loopback

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
)

// names are the host names that a request may give for this machine.
var names = []string{"127.0.0.1", "localhost", "::1"}

// Only answers a request with 403 unless its Host is a name of this machine with the port of the
// connection, and no page of another origin caused it.
func Only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := refusal(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refusal is why a request is refused, "" when it is allowed.
func refusal(r *http.Request) string {
	port := localPort(r)
	host, asked, err := net.SplitHostPort(r.Host)
	if err != nil || asked != port || !slices.Contains(names, strings.ToLower(host)) {
		return fmt.Sprintf("Host %q is refused: use http://127.0.0.1:%s%s", r.Host, port, r.URL.EscapedPath())
	}
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, "http://"+r.Host) {
			return fmt.Sprintf("a page of %q is refused: only pages of this server may ask it", origin)
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "none" && site != "same-origin" && !followsLink(r) {
			return "a request that a page of another origin makes is refused (Sec-Fetch-Site: " + site + ")"
		}
	}
	return ""
}

// followsLink reports whether a person followed a link: the answer then replaces the other page,
// which can't read it.
func followsLink(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// localPort is the local port of the connection, "" where net/http doesn't report it: then no Host
// matches.
func localPort(r *http.Request) string {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return ""
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return ""
	}
	return port
}
