package lint

import (
	"net"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Next is the next step after a report, in English.
func Next(name string, r Report) string { return texts.English.In(next(name, r)) }

// next is the next step: change a line, or probe the server to see whether it behaves as the files say.
func next(name string, r Report) facts.Text {
	probe := "h2lab probe https://HOST/"
	if url := address(r); url != "" {
		probe = "h2lab probe " + url
	}
	worst := worst(r)
	if worst == nil && !r.Then.IsZero() {
		return r.Then
	}
	if worst == nil {
		return onTheWire(r, probe)
	}
	where := strings.Join(strings.Fields(Plain(worst.File)), " ") // one line, since it is pasted
	if by, is := r.Generated[worst.File]; is {
		return facts.T("lint.next-generated", probe, where, worst.Line, by)
	}
	step := probe
	if r.Apply != "" && worst.File != fromPipe {
		step = strings.ReplaceAll(r.Apply, "FILE", text.ShellWord(name)) + "; " + probe
	}
	if worst.File == fromPipe {
		return facts.T("lint.next-line", step, worst.Line)
	}
	return facts.T("lint.next-place", step, where, worst.Line)
}

// fromPipe is the name of standard input, which no server reads again.
const fromPipe = "-"

// onTheWire is the probe with what it shows. It needs TLS.
func onTheWire(r Report, probe string) facts.Text {
	if len(r.Listeners) > 0 && !slices.ContainsFunc(r.Listeners, func(l Listener) bool { return l.TLS || l.Speaks("h2") }) {
		return facts.T("lint.next-in-front", probe)
	}
	return facts.T("lint.next-measures", probe)
}

// worst is the finding to fix first: errors before warnings, then those ahead, then in the order of the rules. A
// note requires no change.
func worst(r Report) *Finding {
	rank := func(f Finding) int {
		at := slices.Index(r.Order, f.Rule)
		if at < 0 {
			at = len(r.Order)
		}
		if f.Ahead {
			at = -1
		}
		if f.Severity == Warning {
			at += len(r.Order) + 2
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

// address is the URL of a listener that speaks HTTP/2 over TLS and has a host name that a client can ask
// for.
func address(r Report) string {
	for _, l := range r.Listeners {
		if !l.TLS || !l.Speaks("h2") || l.Host == "" || strings.ContainsAny(l.Host, "*~_$ /()\"'`\\;&|<>") {
			continue
		}
		_, port, err := net.SplitHostPort(l.Address)
		if err != nil || strings.Trim(port, "0123456789") != "" {
			continue
		}
		if port == "443" {
			return "https://" + Plain(l.Host) + "/"
		}
		return "https://" + Plain(l.Host) + ":" + port + "/"
	}
	return ""
}
