package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// surroundings collects the directives to set in the block of a pass.
type surroundings struct {
	c       *config
	p       *pass
	headers map[string]string // headers to set, by name
	lines   []string          // lines to add to the block
	shown   []string          // what else the reader is to change
	edits   []lint.Edit
}

// block is the block of a pass that takes settings of proxies: an `if` or limit_except doesn't.
func (s *surroundings) block() *nginxfile.Directive {
	up := s.p.d.Parent
	for up != nil && (up.Name == "if" || up.Name == "limit_except") {
		up = up.Parent
	}
	return up
}

func (s *surroundings) directive() string {
	return strings.TrimSuffix(s.p.d.Name, "pass") + "set_header"
}

func (s *surroundings) hasHeader(name string) bool {
	return slices.ContainsFunc(s.c.inherits(s.p.d, s.directive()), func(h *nginxfile.Directive) bool {
		return strings.EqualFold(h.Arg(0), name)
	})
}

// keep makes the pass speak HTTP/1.1 and leave connections open.
func (s *surroundings) keep() {
	if version, by := s.c.httpVersion(s.p); version == "1.0" {
		s.set(by, "proxy_http_version 1.1;")
	}
	closes := s.c.closes(s.p)
	switch {
	case !closes.is:
	case closes.entry != nil:
		name := closes.entry.Name
		if name == "" {
			name = "''"
		}
		s.replace(closes.entry, name+" '';")
	case closes.header != nil && closes.header.Parent == s.block():
		s.replace(closes.header, `proxy_set_header Connection "";`)
	default:
		s.headers["Connection"] = `""`
	}
}

// set adds a line, or replaces the directive that sets the same in the same block.
func (s *surroundings) set(by *nginxfile.Directive, line string) {
	if by != nil && by.Parent == s.block() {
		s.replace(by, line)
		return
	}
	s.lines = append(s.lines, line)
}

func (s *surroundings) replace(d *nginxfile.Directive, line string) {
	s.shown = append(s.shown, fmt.Sprintf("%s   # instead of %s in line %d", line, d.Text(), d.Line))
	s.edits = append(s.edits,
		lint.Edit{Kind: lint.Replace, File: d.File, From: d.From, To: d.To, Text: line, Key: keyOf(d)})
}

// addHeaders turns headers into lines. The first header of a block drops those of the blocks above
// (ngx_http_proxy_merge_loc_conf), so these are repeated, unless they set the same.
func (s *surroundings) addHeaders() {
	if len(s.headers) == 0 {
		return
	}
	block, name := s.block(), s.directive()
	if block == nil || block.First(name) == nil {
		for _, h := range s.c.inherits(s.p.d, name) {
			if h.Arg(0) == "" || s.headers[h.Arg(0)] == "" && !(strings.EqualFold(h.Arg(0), "Connection") &&
				s.headers["Connection"] != "") {
				s.lines = append(s.lines, h.Whole())
			}
		}
	}
	for _, header := range []string{"Host", "Connection"} {
		if value := s.headers[header]; value != "" {
			s.lines = append(s.lines, name+" "+header+" "+value+";")
		}
	}
}

// done returns what the reader is to write beside the pass, and the edits.
func (s *surroundings) done() ([]string, []lint.Edit) {
	at := s.p.d
	if block := s.block(); block != nil && block != s.p.d.Parent {
		at = block
	}
	return append(slices.Clone(s.lines), s.shown...), append(added(at, strings.Join(s.lines, "\n")), s.edits...)
}
