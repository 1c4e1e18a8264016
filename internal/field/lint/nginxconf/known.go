package nginxconf

import (
	"slices"

	"h2lab/internal/base/nginxfile"
)

// sort of a value, as nginx's own setters read it.
type valueKind int

const (
	aNumber valueKind = iota
	aTime
	aFlag
	aVersion
)

// shape is what nginx wants of a directive: the kind of its first value, how
// many there may be, and the blocks it may stand in.
type shape struct {
	kind   valueKind
	most   int
	blocks []string
}

var (
	mainServer   = []string{"http", "server"}
	mainServerIn = []string{"http", "server", "location"}
)

// shapes are the directives this room reads, as their modules' command tables
// have them. In an upstream block those of upstreamShapes are meant instead.
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

// shapeOf is what nginx wants of d, for those it is known of. Words in a map, a
// geo or a types block are no directives, whatever they look like.
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

// directivePlace reports that d stands where directives of http may stand, or
// where someone may have put them by mistake.
func (c *config) directivePlace(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		if !slices.Contains([]string{"http", "server", "location", "if", "limit_except", "upstream", "events"}, up.Name) {
			return false // map, geo, types; stream and mail have directives of their own
		}
	}
	return true
}

// block is the name of the block d stands in: "main" at the top, "" at the top
// of a fragment, which may be included anywhere.
func (c *config) block(d *nginxfile.Directive) string {
	switch {
	case d.Parent != nil:
		return d.Parent.Name
	case c.fragment:
		return ""
	}
	return "main"
}

// shaped visits every directive with a known shape.
func (c *config) shaped(visit func(*nginxfile.Directive, shape)) {
	c.top.Walk(func(d *nginxfile.Directive) {
		if s, ok := c.shapeOf(d); ok {
			visit(d, s)
		}
	})
}

// key is a directive's name in the table of releases.
func (c *config) key(d *nginxfile.Directive) string {
	if d.Parent != nil && d.Parent.Name == "upstream" {
		return "upstream/" + d.Name
	}
	return d.Name
}
