package nginxconf

import (
	"fmt"
	"h2lab/internal/facts"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var listenHTTP2 = rule{lint.Rule{
	ID: "nginx/listen-http2", Severity: lint.Note,
	Title: "`listen … http2` is deprecated since 1.25.1",
	Help: "Since 1.25.1 HTTP/2 is a server's own: `http2 on;`. The parameter of listen still works, for every server " +
		"of that socket, and prints a warning. Releases before 1.25.1 refuse `http2 on;`, so the change is offered " +
		"for a known version only.",
	Docs: docs + "ngx_http_v2_module.html#http2",
}, checkListenHTTP2}

// checkListenHTTP2 has one finding for each server that has HTTP/2 from a listen directive, its own or
// that of another server of the socket.
func checkListenHTTP2(c *config, r lint.Rule) []lint.Finding {
	if !c.release.AtLeast(1, 25, 1) {
		return nil
	}
	var out []lint.Finding
	from := map[*server]*nginxfile.Directive{} // the listen of another server
	for _, k := range c.sockets() {
		var by *nginxfile.Directive
		for _, m := range k.members {
			if m.l.has("http2") && by == nil {
				by = m.l.d
			}
		}
		for _, m := range k.members {
			if by != nil && from[m.s] == nil {
				from[m.s] = by
			}
		}
	}
	for _, s := range c.servers {
		var own []listen
		for _, l := range s.listens {
			if l.has("http2") && l.d != nil {
				own = append(own, l)
			}
		}
		switch _, set := s.find("http2"); {
		case len(own) > 0:
			out = append(out, c.ownListens(r, s, own, set))
		case from[s] != nil && !set:
			f := c.forVersion(in(r, s.d, fmt.Sprintf("This server has HTTP/2 from the listen at %s:%d alone.",
				from[s].File, from[s].Line), "http2 on;"))
			out = append(out, f)
		}
	}
	return out
}

// ownListens is the finding of a server with `listen … http2`: at the first of these lines, with `http2
// on;` there, and the others under Also.
func (c *config) ownListens(r lint.Rule, s *server, own []listen, set bool) lint.Finding {
	var f lint.Finding
	for i, l := range own {
		fix := withoutHTTP2(l.d)
		if i == 0 {
			if !set {
				fix += "\nhttp2 on;"
			}
			f = at(r, l.d, "nginx 1.25.1 and later warn about it at each start.", fix)
			continue
		}
		next := at(r, l.d, "", fix)
		f.Also, f.Edits = append(f.Also, next.Place()), append(f.Edits, next.Edits...)
		f.Found += "\n" + next.Found
		f.Fix = strings.Replace(f.Fix, "\nhttp2 on;", "", 1) + "\n" + fix
		if !set {
			f.Fix += "\nhttp2 on;"
		}
	}
	return c.forVersion(f)
}

func withoutHTTP2(d *nginxfile.Directive) string {
	var rest []string
	for _, w := range d.Args {
		if w.Text != "http2" {
			rest = append(rest, w.Text)
		}
	}
	return fmt.Sprintf("listen %s;", strings.Join(rest, " "))
}

// forVersion takes away a fix that older releases refuse, unless the files are known to be for a newer one.
func (c *config) forVersion(f lint.Finding) lint.Finding {
	if c.release.told || c.usesHTTP2 {
		return f
	}
	f.Add(facts.Verbatim("Give --version for the change: releases before 1.25.1 refuse `http2 on;`."))
	f.Found, f.Fix, f.Edits = "", "", nil
	return f
}
