package nginxfile

import (
	"bytes"
	"maps"
	"regexp"
	"strings"
)

// marker is the line that ngx_dump_config (src/core/nginx.c) writes before each file. messages are
// the lines that nginx itself prints before the dump, with -v, -V and 2>&1.
var (
	marker   = regexp.MustCompile(`^# configuration file (.+):\r?$`)
	messages = regexp.MustCompile(`^(nginx: |nginx version: |built |TLS SNI |configure ` +
		`arguments:|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[)`)
	named = regexp.MustCompile(`^nginx version: (\S+)`)
)

// Dump is the output of `nginx -T`, file by file.
type Dump struct {
	Version string // "nginx/1.22.1"; "" when the dump doesn't have it
	order   []string
	files   map[string][]byte
}

// Files are the files in the order in which nginx read them, the main one first.
func (d Dump) Files() []File {
	var out []File
	for _, name := range d.order {
		out = append(out, File{Name: name, Data: d.files[name]})
	}
	return out
}

// With is the dump with other contents for some files.
func (d Dump) With(changed map[string][]byte) Dump {
	d.files = maps.Clone(d.files)
	for name, data := range changed {
		if _, ok := d.files[name]; ok {
			d.files[name] = data
		}
	}
	return d
}

// Undump parses the output of `nginx -T`. ok is false for other text: in a dump, marker is the
// first line that isn't a message of nginx.
func Undump(data []byte) (d Dump, ok bool) {
	d.files = map[string][]byte{}
	current := ""
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		whole := data[:len(data)-len(rest)]
		data = rest
		if m := marker.FindSubmatch(line); m != nil {
			current = string(m[1])
			if _, again := d.files[current]; !again && len(d.order) == mostIncludes {
				return Dump{}, false // no real configuration has so many files
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
			d.Version = string(m[1])
		}
		if len(bytes.TrimSpace(line)) > 0 && !messages.Match(line) {
			return Dump{}, false
		}
	}
	return d, current != ""
}

// Messages reports whether a text begins with a line that nginx prints before its configuration.
func Messages(data []byte) bool { return messages.Match(data) }

// OnlyMessages is an error for output of nginx without a configuration. It quotes the last message.
func OnlyMessages(f File) error {
	var last string
	for line := range strings.Lines(string(f.Data)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !messages.MatchString(line) {
			return nil
		}
		last = line
	}
	if last == "" {
		return &Error{File: f.Name, What: "empty: there is no configuration in it"}
	}
	return &Error{
		File: f.Name,
		What: "only messages of nginx and no configuration, which `nginx -T` prints when the test succeeds; the " +
			"last one: " + clip(last),
	}
}
