package nginxconf

import (
	"fmt"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/base/versions"
	"h2lab/internal/field/lint"
)

// newest is the release that is assumed for an unknown version: the newest tag of nginx/nginx whose
// source the defaults below were read from.
const newest = "1.31.4"

// release is the nginx that the configuration is for.
type release struct {
	versions.Version
	// told is false when newest was assumed; then lint doesn't report directives that other releases
	// lack.
	told bool
}

// releaseOf returns the release to lint for: the user's --version, else the one that `nginx -v`
// printed into the dump, else newest. assumed says which one it had to assume.
func releaseOf(said, printed string) (r release, assumed string, err error) {
	if said != "" {
		r.Version, r.told, err = lint.ParseVersion(strings.TrimPrefix(said, "nginx/"))
		return r, "", err
	}
	if program, _, _ := strings.Cut(printed, "/"); printed != "" {
		if program == "nginx" || program == "openresty" { // OpenResty's first three numbers are nginx's
			if r.Version, r.told = versions.Of(program, printed); r.told {
				return r, "", nil
			}
		}
		assumed = fmt.Sprintf("%s is no release of nginx's own: nginx %s is assumed; say what it is built from "+
			"with --version.", text.ClipLine(printed, lint.LongestWord), newest)
	}
	r.Version, _, err = lint.ParseVersion(newest)
	r.told = false
	if assumed == "" {
		assumed = fmt.Sprintf("nginx %s is assumed: give --version, or lint the output of `nginx -vT 2>&1`, "+
			"which names it.", newest)
	}
	return r, assumed, err
}

// beforeRemoval is the last stable release that takes `ssl on;`, which 1.25.1 removed.
const beforeRemoval = "1.24.0"

// evidence corrects an assumed release by what the files use: a file with `ssl on;` is for an older one.
func (r release) evidence(top *nginxfile.Directive) (release, string) {
	var by *nginxfile.Directive
	top.Walk(func(d *nginxfile.Directive) {
		if by == nil && d.Name == "ssl" && len(d.Args) == 1 && !d.HasBlock && (d.Arg(0) == "on" || d.Arg(0) == "off") &&
			(d.Parent == nil || d.Parent.Name == "http" || d.Parent.Name == "server") {
			by = d
		}
	})
	if r.told || by == nil {
		return r, ""
	}
	v, _, err := lint.ParseVersion(beforeRemoval)
	if err != nil {
		return r, ""
	}
	return release{Version: v}, fmt.Sprintf("nginx %s is assumed, since 1.25.1 and later refuse `%s` at %s:%d: give "+
		"--version.", beforeRemoval, by.Text(), by.File, by.Line)
}

// newer maps a directive to the release that introduced it (nginx's CHANGES). A key with a slash is a
// directive of that block.
var newer = map[string][3]int{
	"http2_max_requests":          {1, 11, 6},
	"keepalive_time":              {1, 19, 10},
	"http2":                       {1, 25, 1},
	"keepalive_min_timeout":       {1, 27, 4},
	"upstream/keepalive_requests": {1, 15, 3},
	"upstream/keepalive_timeout":  {1, 15, 3},
	"upstream/keepalive_time":     {1, 19, 10},
	"http3":                       {1, 25, 0},
}

func (r release) known(key string) bool {
	v, listed := newer[key]
	return !listed || r.AtLeast(v[:]...)
}
