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
		case st.End == '{' && blocks.MatchString(st.Words[0].Text), st.End == ';' && directives.MatchString(st.Words[0].Text):
			return true
		}
		statements++
		ofModules = ofModules && st.End == ';' && modules.MatchString(st.Words[0].Text)
	}
}

var (
	blocks = regexp.MustCompile(`^(http|events|server|upstream|location|stream|mail|map)$`)

	// directives are nginx's alone.
	directives = regexp.MustCompile(`^(user|worker_processes|worker_connections|pid|include|access_log|error_log|listen|server_name|` +
		`(proxy|grpc)_pass|proxy_http_version|proxy_set_header|keepalive_(requests|time|timeout|min_timeout)|http[23]|` +
		`http2_max_requests|http[23]_max_concurrent_streams|http2_(idle|recv)_timeout|` +
		`ssl_(certificate|certificate_key|session_cache|session_tickets))$`)

	// modules are the prefixes of directives of nginx's modules. A file of such lines alone is a part of a
	// configuration.
	modules = regexp.MustCompile(`^(ssl|proxy|grpc|fastcgi|uwsgi|gzip|limit|client|real_ip|open_file|resolver|` +
		`log_format|add_header|set_real_ip_from|large_client|send|tcp|server_tokens|sendfile|brotli)(_\w+)?$`)

	// swallowed are directives whose names are never arguments of another one.
	swallowed = regexp.MustCompile(`^(listen|server_name|(proxy|grpc)_pass|proxy_http_version|proxy_set_header|` +
		`keepalive_(requests|time|timeout)|http2_max_\w+|ssl_(certificate|certificate_key|session_\w+)|(access|error)_log)$`)
)

// inHTTP reports whether a directive is in the http block, or in a file that one includes.
func (c *config) inHTTP(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		switch up.Name {
		case "http":
			return true
		case "events", "stream", "mail":
			return false
		}
	}
	return c.fragment
}

// ofServers reports whether a directive is in blocks of servers and their connections alone: the entries of a map, geo
// or types block are no directives, and stream and mail have directives of their own.
func ofServers(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		if !slices.Contains([]string{"http", "server", "location", "if", "limit_except", "upstream", "events"}, up.Name) {
			return false
		}
	}
	return true
}
