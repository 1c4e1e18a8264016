package nginxconf

import (
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// Looks reports whether a file looks like nginx's: the output of `nginx -T`, or a file that nginxfile
// can read and that has one of nginx's directives at the top level. For an incomplete file, the part
// before the break decides.
func Looks(f lint.File) bool {
	if _, ok := nginxfile.Undump(f.Data); ok || nginxfile.Messages(f.Data) {
		return true
	}
	if nginxfile.Check(nginxfile.File(f)) != nil {
		return false
	}
	ofModules, statements := true, 0
	for s := nginxfile.NewScanner(nginxfile.File(f)); ; {
		st, err := s.Next()
		switch {
		case err != nil:
			return false
		case st.End == 0:
			return ofModules && statements > 0
		case len(st.Words) == 0:
			continue
		case strings.HasSuffix(st.Words[0].Text, ":"), strings.Trim(st.Words[0].Text, "-") == "",
			strings.HasPrefix(st.Words[0].Text, "```"): // YAML or Markdown with nginx's text in it
			return false
		case isOurs(st):
			return true
		}
		statements++
		ofModules = ofModules && st.End == ';' && modules.MatchString(st.Words[0].Text)
	}
}

// modules are the prefixes of directives of nginx's modules. A file of such lines alone is a part of a
// configuration.
var modules = regexp.MustCompile(`^(ssl|proxy|grpc|fastcgi|uwsgi|gzip|limit|client|real_ip|open_file|resolver|` +
	`log_format|add_header|set_real_ip_from|large_client|send|tcp|server_tokens|sendfile|brotli)(_\w+)?$`)

func isOurs(st nginxfile.Statement) bool {
	name := st.Words[0].Text
	if st.End == '{' {
		return slices.Contains([]string{"http", "events", "server", "upstream", "location", "stream", "mail",
			"map"}, name)
	}
	if st.End != ';' {
		return false
	}
	_, ours := shapes[name]
	return ours || neverArguments[name] || slices.Contains([]string{"user", "worker_processes", "pid", "include"}, name)
}
