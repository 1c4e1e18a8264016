// Package foreign recognises files that h2lab lint doesn't read: templates, and the files of other
// programs. Its errors name what the file is and what to lint instead.
package foreign

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

// sight bounds the part of a file that decides whose it is.
const sight = 256 << 10

// tool is a program whose files reach h2lab lint by mistake. A file is the tool's when every mark is in it.
type tool struct {
	name  string
	marks []string
	next  string // what to lint instead
}

const (
	behind    = "lint the proxy's configuration"
	nginxSays = "nginx -vT 2>&1 | h2lab lint -"
	probed    = "h2lab probe https://HOST/ shows what the running server does"
)

// tools are tried in this order.
var tools = compiled([]tool{
	{"Apache httpd", []string{`(?mi)^\s*<(VirtualHost|IfModule|IfDefine|IfVersion|Directory|Location|Files|Proxy|Macro)\b[^;]*>`},
		"Apache's limit is MaxKeepAliveRequests, for HTTP/1.1 alone"},
	{"Apache httpd", []string{`(?m)^\s*(LoadModule|ServerRoot|DocumentRoot|RewriteEngine|ServerAdmin)\s+[^;{]+$`},
		"Apache's limit is MaxKeepAliveRequests, for HTTP/1.1 alone"},
	{"Spring Boot", []string{`(?m)^\s*(spring\.|management\.|server\.(tomcat|http2|servlet|ssl|netty|undertow|jetty|compression|shutdown)\b)` +
		`[\w.-]*\s*[=:]`}, probed},
	{"lighttpd", []string{`(?m)^\s*(server\.(modules|document-root|port)\s*\+?=|\$(HTTP|SERVER)\[")`},
		"lighttpd's limit is server.max-keep-alive-requests, for HTTP/1.1 alone"},
	{"supervisord", []string{`(?m)^\[(program:|supervisord\]|supervisorctl\]|unix_http_server\])`}, behind},
	{"fail2ban", []string{`(?m)^\[[\w.-]+\]`, `(?m)^\s*(failregex|ignoreregex|bantime|findtime|maxretry|logpath)\s*=`}, behind},
	{"Logstash", []string{`(?m)^\s*(input|filter|output)\s*\{`, `=>`}, behind},
	{"logrotate", []string{`(?m)^\s*(rotate\s+\d+|daily|weekly|monthly)\s*$`, `(?m)^\S*/\S+.*\{\s*$`}, behind},
	{"systemd", []string{`(?m)^\[(Unit|Service|Install|Socket)\]`, `(?m)^\w+=`}, behind},
	{"Varnish", []string{`(?m)^\s*vcl\s+4\.\d\s*;`}, behind},
	{"PHP-FPM", []string{`(?m)^\[[\w$.-]+\]`, `(?m)^\s*(pm|listen)\s*=`}, behind},
	{"uWSGI", []string{`(?m)^\[uwsgi\]`}, behind},
	{"Kong", []string{`(?m)^\s*#?\s*(proxy_listen|admin_listen|nginx_(http|proxy|main|events|worker)_\w+|pg_host)\s*=`},
		"Kong writes nginx's configuration from it: kong prepare && h2lab lint /usr/local/kong/nginx.conf; a limit " +
			"is set as nginx_proxy_keepalive_requests = 100000"},
	{"Dockerfile", []string{`(?m)^FROM\s+\S+`, `(?m)^(RUN|COPY|CMD|ENTRYPOINT|ADD)\s`},
		"lint what the image runs: docker run --rm IMAGE nginx -vT 2>&1 | h2lab lint -"},
	{"Docker Compose", []string{`(?m)^services:`, `(?m)^\s+image:`},
		"lint what a service runs: docker compose exec SERVICE nginx -vT 2>&1 | h2lab lint -"},
	{"Terraform", []string{`(?m)^\s*(resource|data)\s+"[\w-]+"\s+"[\w-]+"\s*\{|^(locals|variable\s+"[\w-]+"|module\s+"[\w-]+"|provider\s+"[\w-]+")\s*\{`},
		"give what it makes: kubectl get configmap -A -o yaml | h2lab lint -, the values that helm get values prints, or " + nginxSays},
	{"NixOS", []string{`(?m)^\s*\{[^{}]*\.\.\.[^{}]*\}\s*:|^\s*services\.[\w.]+\s*=`, `(?m)^\s*[\w."]+\s*=.*[;{]\s*$`},
		"give what it makes: " + nginxSays},
	{"Ansible", []string{`(?m)^\s*-\s+(hosts|name|copy|template|ansible\.builtin\.\w+):`,
		`(?m)^\s+(tasks|roles|handlers|copy|template|become|notify|ansible\.builtin\.\w+):`}, "give what it makes: " + nginxSays},
	{"Markdown", []string{"(?m)^```[\\w-]*\\s*$"}, "give one of its blocks alone, or the file that it is about"},
	{"kubectl describe", []string{`(?m)^Name:\s+\S`, `(?m)^Labels:\s`, `(?m)^Data\n====`},
		"give the object itself: kubectl get configmap NAME -n NAMESPACE -o yaml | h2lab lint -"},
	{"nghttpx", []string{`(?m)^(frontend|backend)=\S`}, "nghttpx has no limit on requests but frontend-max-requests; " + probed},
	{"H2O", []string{`(?m)^hosts:`, `(?m)^\s+paths:`, `(?m)^\s+["']?/\S*["']?:|^listen:`},
		"H2O has no limit on requests; http2-idle-timeout ends connections without one"},
	{"Squid", []string{`(?m)^http_port\s+\d`, `(?m)^(acl|http_access)\s`}, behind},
	{"Caddy", []string{`(?m)^\s*(reverse_proxy|encode|file_server|handle_path|handle|tls)\b[^;]*$`, `(?m)^\S.*\{\s*$`},
		"Caddy has no limit on requests; h2lab probe shows what a running server does"},
})

// matcher is a tool with its marks ready to use.
type matcher struct {
	tool
	marks []*regexp.Regexp
}

func compiled(list []tool) []matcher {
	var out []matcher
	for _, t := range list {
		m := matcher{tool: t}
		for _, mark := range t.marks {
			m.marks = append(m.marks, regexp.MustCompile(mark))
		}
		out = append(out, m)
	}
	return out
}

// Tool is an error that names the program whose file it is; nil when none is recognised. A file with
// statements of nginx isn't another's because of one line, so a caller asks only about files that it
// can't read.
func Tool(f lint.File) error {
	data := f.Data[:min(len(f.Data), sight)]
	if err := configMap(f.Name, data); err != nil {
		return err
	}
	for _, t := range tools {
		if t.matches(data) {
			return fmt.Errorf("lint: %s is a file of %s%s, which lint doesn't read: %s", f.Name, t.name, settingsOf(data), t.next)
		}
	}
	return nil
}

func (m matcher) matches(data []byte) bool {
	for _, mark := range m.marks {
		if !mark.Match(data) {
			return false
		}
	}
	return true
}

var (
	aConfigMap = regexp.MustCompile(`(?m)^kind:\s*ConfigMap\s*$`)
	scalarKey  = regexp.MustCompile(`(?m)^  ["']?([\w.-]+)["']?:\s*[|>]`)
	itsName    = regexp.MustCompile(`(?m)^  name:\s*["']?([\w.-]+)`)
)

// configMap is an error for a manifest that carries a configuration as text.
func configMap(file string, data []byte) error {
	at := aConfigMap.FindIndex(data)
	if at == nil {
		return nil
	}
	key := scalarKey.FindSubmatch(data)
	if key == nil {
		return nil
	}
	name := "NAME"
	if m := itsName.FindSubmatch(data); m != nil {
		name = string(m[1])
	}
	return fmt.Errorf("lint: %s is a Kubernetes ConfigMap with the file %s in it: lint that file: kubectl get configmap "+
		`%s -o jsonpath='{.data.%s}' | h2lab lint -`, file, key[1], name, strings.ReplaceAll(string(key[1]), ".", `\.`))
}

// sections are lines that begin a section of an INI or TOML file, and settings those below. The first line
// that is no comment is one of them.
var (
	sections = regexp.MustCompile(`(?m)^\s*\[\[?[\w."' -]+\]\]?\s*(#.*)?$`)
	settings = regexp.MustCompile(`(?m)^\s*[\w.-]+\s*=`)
	begins   = regexp.MustCompile(`\A(\s*[#;].*\n|\s*\n)*\s*(\[|[\w.-]+\s*=)`)
)

// Sections is an error for an INI or TOML file, which none of the servers here but Traefik reads. Tool
// names those that it knows.
func Sections(f lint.File) error {
	data := f.Data[:min(len(f.Data), sight)]
	if !begins.Match(data) || !sections.Match(data) || !settings.Match(data) {
		return nil
	}
	return fmt.Errorf("lint: %s is an INI or TOML file without a key of Traefik's, which lint doesn't read: %s", f.Name, behind)
}

var (
	placeholder = regexp.MustCompile(`\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{[A-Z][A-Z0-9_]+\}|\{[A-Z][A-Z0-9_]+\}|` +
		`%\{~?\s*(?:for|if|else|endfor|endif)\b[^}]*\}|` + // Terraform
		`(?:^|[\s:/"'])@[A-Z][A-Z0-9_]+@`)
	opening = regexp.MustCompile(`\{\{-?\s*[\w.$"#/(~]|\{%|<%|\[\[-?\s*(?:\.|if|range|end|with|define|template)\b`)
	defined = regexp.MustCompile(`(?m)^\s*(set\s+\$|map\s+\S+\s+\$|env\s+)([A-Z][A-Z0-9_]+)`)
)

// Template is an error for a template: a file with placeholders that another program fills in. Lua, where
// two braces are a table, and variables that the file defines itself are none.
func Template(f lint.File) error {
	data := f.Data[:min(len(f.Data), sight)]
	if bytes.Contains(data, []byte("_by_lua")) {
		return nil
	}
	own := map[string]bool{}
	for _, m := range defined.FindAllSubmatch(data, -1) {
		own[string(m[2])] = true
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		if before, _, comment := strings.Cut(text, "#"); comment && strings.TrimSpace(before) == "" {
			continue
		}
		found := placeholder.FindString(text)
		if found == "" {
			found = opening.FindString(text)
		}
		if found == "" || own[strings.Trim(found, "${}")] {
			continue
		}
		return fmt.Errorf("lint: %s:%d: %s stands for text that another program fills in: the file is a template; lint "+
			"what nginx reads: %s", f.Name, line, strings.TrimSpace(found), nginxSays)
	}
	return nil
}
