package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var refusedDuplicate = rule{lint.Rule{
	ID: "nginx/refused-duplicate", Severity: lint.Error,
	Title: "nginx refuses a directive that stands twice in one block",
	Help: "nginx doesn't let the last one win: it says \"directive is duplicate\" and doesn't start. Keep one of " +
		"them. An include may have brought the other.",
	Docs: "nginx src/core/ngx_conf_file.c: ngx_conf_set_num_slot",
}, checkRefusedDuplicate}

func checkRefusedDuplicate(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	type key struct {
		block *nginxfile.Directive
		name  string
	}
	first := map[key]*nginxfile.Directive{}
	c.shaped(func(d *nginxfile.Directive, _ shape) {
		if successors[d.Name] != "" && c.release.AtLeast(1, 19, 7) {
			return // nginx ignores it, however often it is there
		}
		k := key{d.Parent, d.Name}
		if was := first[k]; was != nil {
			out = append(out, at(r, d, fmt.Sprintf("%s stands in the same block at %s:%d already.", d.Name, was.File,
				was.Line), ""))
			return
		}
		first[k] = d
	})
	for _, k := range c.sockets() {
		out = append(out, duplicateListens(r, k)...)
	}
	return out
}

// duplicateListens are the listen directives of a socket that ngx_http_add_addresses refuses: the same
// address twice in a server, two default servers, options of the socket in two places. A listen with a
// parameter of another build, such as Tengine's xquic, may be for UDP: it is compared with none.
func duplicateListens(r lint.Rule, k *socket) []lint.Finding {
	var out []lint.Finding
	var byDefault, byOptions *nginxfile.Directive
	own := map[*server]*nginxfile.Directive{}
	for _, m := range k.members {
		if m.l.d == nil || m.l.foreign() != "" || strings.Contains(port(k.address), "-") {
			continue
		}
		isDefault := m.l.has("default_server") || m.l.has("default")
		switch first := own[m.s]; {
		case first != nil:
			one := both(first, m.l)
			f := at(r, m.l.d, fmt.Sprintf("The server listens on %s at line %d already: nginx says \"a duplicate "+
				"listen\". Keep that line, with the parameters of both: %s", k.address, first.Line, one.Text), "")
			f.Edits = append(f.Edits, one)
			out = append(out, f)
			continue
		case isDefault && byDefault != nil:
			out = append(out, at(r, m.l.d, fmt.Sprintf("%s has a default server at %s:%d already.", k.address,
				byDefault.File, byDefault.Line), without(m.l, isDefaultFlag)))
		case byOptions != nil && slices.ContainsFunc(m.l.flags, isSocketOption):
			out = append(out, at(r, m.l.d, fmt.Sprintf("The options of the socket %s are at %s:%d already: nginx says "+
				"\"duplicate listen options\".", k.address, byOptions.File, byOptions.Line), without(m.l, isSocketOption)))
		}
		own[m.s] = m.l.d
		if isDefault && byDefault == nil {
			byDefault = m.l.d
		}
		if byOptions == nil && slices.ContainsFunc(m.l.flags, isSocketOption) {
			byOptions = m.l.d
		}
	}
	return out
}

func isDefaultFlag(flag string) bool { return flag == "default_server" || flag == "default" }

// isSocketOption reports a parameter that only one listen of a socket may have.
func isSocketOption(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return slices.Contains([]string{"setfib", "fastopen", "backlog", "rcvbuf", "sndbuf", "accept_filter", "deferred",
		"bind", "ipv6only", "reuseport", "so_keepalive", "multipath"}, name)
}

func without(l listen, drop func(string) bool) string {
	kept := slices.DeleteFunc(slices.Clone(l.flags), drop)
	return strings.Join(append([]string{"listen", l.d.Arg(0)}, kept...), " ") + ";"
}

// both is the edit that gives the first listen of an address the parameters of the second.
func both(first *nginxfile.Directive, second listen) lint.Edit {
	l := readListen(first)
	for _, flag := range second.flags {
		if !l.has(flag) {
			l.flags = append(l.flags, flag)
		}
	}
	return lint.Edit{Kind: lint.Replace, File: first.File, From: first.From, To: first.To, Key: keyOf(first),
		Text: without(l, func(string) bool { return false })}
}
