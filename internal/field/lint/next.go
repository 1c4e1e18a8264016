package lint

import (
	"fmt"
	"net"
	"slices"
	"strings"
)

// reload is the command line that puts a changed configuration into effect.
var reload = map[string]string{
	Nginx:   "nginx -t && nginx -s reload",
	HAProxy: "haproxy -c -f FILE && systemctl reload haproxy",
	Envoy:   "envoy --mode validate -c FILE",
}

// Next is the next step after a report: change a line, or probe the server to see whether it behaves
// as the files say.
func Next(name string, r Report) string {
	probe := "h2lab probe https://HOST/"
	if url := address(r); url != "" {
		probe = "h2lab probe " + url
	}
	worst := worst(r)
	if worst == nil {
		return probe + "   # what the running server does, on the wire"
	}
	step := fmt.Sprintf("change %s:%d, then: ", worst.File, worst.Line)
	if cmd, ok := reload[r.Kind]; ok {
		step += strings.ReplaceAll(cmd, "FILE", name) + "; "
	}
	return step + probe
}

// worst is the finding to fix first: errors before warnings, then in the order of the rules. A note
// requires no change.
func worst(r Report) *Finding {
	rank := func(f Finding) int {
		at := slices.Index(r.Order, f.Rule)
		if at < 0 {
			at = len(r.Order)
		}
		if f.Severity == Warning {
			at += len(r.Order) + 1
		}
		return at
	}
	var out *Finding
	for i, f := range r.Findings {
		if f.Severity != Note && (out == nil || rank(f) < rank(*out)) {
			out = &r.Findings[i]
		}
	}
	return out
}

// address is the URL of a listener that speaks HTTP/2 over TLS and has a name that a client can ask
// for.
func address(r Report) string {
	for _, l := range r.Listeners {
		if !l.TLS || !slices.Contains(l.Protocols, "h2") || l.Name == "" ||
			strings.ContainsAny(l.Name, "*~_$ /()\"'`\\;&|<>") {
			continue
		}
		_, port, err := net.SplitHostPort(l.Address)
		if err != nil || strings.Trim(port, "0123456789") != "" {
			continue
		}
		if port == "443" {
			return "https://" + Plain(l.Name) + "/"
		}
		return "https://" + Plain(l.Name) + ":" + port + "/"
	}
	return ""
}
