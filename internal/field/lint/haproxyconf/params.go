package haproxyconf

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// params are the keywords of a bind, server or default-server line; the last one of a name wins. A
// keyword without a value has "".
type params map[string]param

type param struct {
	value string
	in    line
}

// alone lists the keywords of bind and server lines that take no value. Keywords that begin with "no-"
// or "force-" take none either; all others take one (`haproxy -dKall` of 3.2 lists both kinds).
var alone = []string{
	"accept-proxy", "defer-accept", "quic-force-retry", "tfo", "transparent", "v4v6", "v6only", "ssl", "allow-0rtt",
	"generate-certificates", "prefer-client-ciphers", "strict-sni", "tls-tickets", "agent-check", "backup", "check",
	"check-reuse-pool", "check-send-proxy", "check-ssl", "check-via-socks4", "disabled", "enabled", "non-stick",
	"send-proxy", "send-proxy-v2", "send-proxy-v2-ssl", "send-proxy-v2-ssl-cn", "ssl-reuse", "stick", "strict-maxconn",
}

// add reads the keywords of a line from word i on; later ones replace earlier ones.
func (p params) add(l line, i int) {
	for ; i < len(l.words); i++ {
		key := l.text(i)
		if slices.Contains(alone, key) || strings.HasPrefix(key, "no-") || strings.HasPrefix(key, "force-") {
			p[key] = param{in: l}
			continue
		}
		p[key] = param{l.text(i + 1), l}
		i++
	}
}

// server is a server line together with the default-server lines that apply to it.
type server struct {
	name string
	in   line
	params
}

// servers returns a backend's servers. The defaults of each are the default-server lines of the
// defaults section, then those of its own section above it.
func (s *section) servers() []server {
	var base []line // the default-server lines so far, the defaults section's first
	if s.defaults != nil {
		base = slices.Clip(s.defaults.base)
	}
	var out []server
	for _, l := range s.lines {
		switch {
		case l.starts("default-server"):
			base = append(base, l)
		case l.starts("server"), l.starts("server-template"):
			sv := server{name: l.text(1), in: l, params: params{}}
			for _, d := range base {
				sv.add(d, 1)
			}
			from := 3
			if l.text(0) == "server-template" {
				from = 4
			}
			sv.add(l, from)
			out = append(out, sv)
		}
	}
	return out
}

// speaksH2 reports whether connections to the server may use HTTP/2: by ALPN over TLS, or by `proto
// h2`. HAProxy offers servers no ALPN by default.
func (p params) speaksH2() bool {
	return p["proto"].value == "h2" || slices.Contains(strings.Split(p["alpn"].value, ","), "h2")
}

// duration reads a time as HAProxy does: in milliseconds unless it has a unit (manual, section 2.5).
func duration(s string) (time.Duration, bool) {
	units := map[string]time.Duration{"us": time.Microsecond, "ms": time.Millisecond, "": time.Millisecond,
		"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	digits := strings.TrimRight(s, "usmhd")
	unit, known := units[s[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || !known || n < 0 {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
