package nginxconf

import (
	"slices"

	"h2lab/internal/base/nginxfile"
)

// valueKind is the type of a value, as nginx's own setters read it.
type valueKind int

const (
	aNumber valueKind = iota
	aTime
	aFlag
	aVersion
)

// shape is what nginx accepts for a directive: the type of its first value, the number of values, and
// the blocks that may contain it.
type shape struct {
	kind   valueKind
	most   int
	blocks []string
}

var (
	mainServer   = []string{"http", "server"}
	mainServerIn = []string{"http", "server", "location"}
)

// shapes are the directives that this package reads, as in the command tables of nginx's modules.
// Inside an upstream block, upstreamShapes applies instead.
var shapes = map[string]shape{
	"keepalive_requests":           {aNumber, 1, mainServerIn},
	"keepalive_time":               {aTime, 1, mainServerIn},
	"keepalive_timeout":            {aTime, 2, mainServerIn},
	"keepalive_min_timeout":        {aTime, 1, mainServerIn},
	"http2":                        {aFlag, 1, mainServer},
	"http2_max_concurrent_streams": {aNumber, 1, mainServer},
	"http2_max_requests":           {aNumber, 1, mainServer},
	"http2_idle_timeout":           {aTime, 1, mainServer},
	"http2_recv_timeout":           {aTime, 1, mainServer},
	"http3":                        {aFlag, 1, mainServer},
	"http3_max_concurrent_streams": {aNumber, 1, mainServer},
	"ssl_session_tickets":          {aFlag, 1, mainServer},
	"proxy_http_version":           {aVersion, 1, mainServerIn},
	"worker_connections":           {aNumber, 1, []string{"events"}},
}

var upstreamShapes = map[string]shape{
	"keepalive":          {aNumber, 1, []string{"upstream"}},
	"keepalive_requests": {aNumber, 1, []string{"upstream"}},
	"keepalive_time":     {aTime, 1, []string{"upstream"}},
	"keepalive_timeout":  {aTime, 1, []string{"upstream"}},
}

// shapeOf returns the shape of d, if it is known. The entries of a map, geo or types block are never
// directives.
func (c *config) shapeOf(d *nginxfile.Directive) (shape, bool) {
	if d == c.top || d.HasBlock || !c.directivePlace(d) {
		return shape{}, false
	}
	if d.Parent != nil && d.Parent.Name == "upstream" {
		if s, ok := upstreamShapes[d.Name]; ok {
			return s, true
		}
	}
	s, ok := shapes[d.Name]
	return s, ok
}

// directivePlace reports whether d is in a block for directives of http, or in one where a user may
// have put them by mistake.
func (c *config) directivePlace(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		if !slices.Contains([]string{"http", "server", "location", "if", "limit_except", "upstream", "events"},
			up.Name) {
			return false // map, geo, types; stream and mail have directives of their own
		}
	}
	return true
}

// block is the name of the block that contains d: "main" at the top of a main file, "" at the top of a
// fragment, which may be included anywhere.
func (c *config) block(d *nginxfile.Directive) string {
	switch {
	case d.Parent != nil:
		return d.Parent.Name
	case c.fragment:
		return ""
	}
	return "main"
}

// shaped calls visit for every directive that has a known shape.
func (c *config) shaped(visit func(*nginxfile.Directive, shape)) {
	c.top.Walk(func(d *nginxfile.Directive) {
		if s, ok := c.shapeOf(d); ok {
			visit(d, s)
		}
	})
}

// key is a directive's key in newer.
func (c *config) key(d *nginxfile.Directive) string {
	if d.Parent != nil && d.Parent.Name == "upstream" {
		return "upstream/" + d.Name
	}
	return d.Name
}
