package nginxconf

import (
	"bytes"
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

// marker is the line that ngx_dump_config (src/core/nginx.c) writes before each
// file; "said" are the lines that nginx itself prints before them, with -v, -V
// and 2>&1.
var (
	marker = regexp.MustCompile(`^# configuration file (.+):\r?$`)
	said   = regexp.MustCompile(`^(nginx: |nginx version: |built |TLS SNI |configure arguments:|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[)`)
	named  = regexp.MustCompile(`^nginx version: (\S+)`)
)

// dump is what was found in the output of nginx.
type dump struct {
	dumped
	version string // "nginx/1.22.1"; "" when it isn't there
}

// undump takes apart the output of `nginx -T`. ok is false for anything else:
// a dump is known by its first line that isn't nginx's own talk.
func undump(data []byte) (d dump, ok bool) {
	d.files = map[string][]byte{}
	current := ""
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		whole := data[:len(data)-len(rest)]
		data = rest
		if m := marker.FindSubmatch(line); m != nil {
			current = string(m[1])
			if _, again := d.files[current]; !again && len(d.order) == mostIncludes {
				return dump{}, false // nobody's configuration has so many files
			} else if !again {
				d.order = append(d.order, current)
			}
			d.files[current] = []byte{}
			continue
		}
		if current != "" {
			d.files[current] = append(d.files[current], whole...)
			continue
		}
		if m := named.FindSubmatch(line); m != nil {
			d.version = string(m[1])
		}
		if len(bytes.TrimSpace(line)) > 0 && !said.Match(line) {
			return dump{}, false
		}
	}
	return d, current != ""
}

// onlyTalk reports output of nginx that has no configuration in it, and what
// nginx said last.
func onlyTalk(f lint.File) error {
	var last string
	for line := range strings.Lines(string(f.Data)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !said.MatchString(line) {
			return nil
		}
		last = line
	}
	if last == "" {
		return &lint.SyntaxError{File: f.Name, What: "empty: there is no configuration in it"}
	}
	return &lint.SyntaxError{File: f.Name, What: "only messages of nginx and no configuration, which `nginx -T` prints when the test succeeds; the last one: " + clip(last)}
}
