package haproxyconf

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// section is one section of the file with its lines. A proxy's initial settings come from defaults.
type section struct {
	kind, name string
	head       line
	lines      []line
	defaults   *section        // nil: HAProxy's built-in ones
	depth      int             // how many defaults sections it inherits from, one through the other
	latest     map[string]line // the last line by its first word, and by its first two
	base       []line          // its default-server lines, those of defaults first
}

// Bounds far above any real configuration. Without them a hostile file could keep lint busy for
// minutes.
const (
	mostLines    = 100_000
	mostDefaults = 100 // in one chain of inheritance
	mostServers  = 200 // default-server lines that apply to one section
)

// kinds are the keywords that begin a section, up to HAProxy 3.4.
var kinds = []string{
	"global", "defaults", "frontend", "backend", "listen", "peers", "resolvers", "mailers", "userlist", "cache",
	"program", "http-errors", "ring", "log-forward", "log-profile", "fcgi-app", "traces", "crt-store", "acme",
	"namespace_list", "healthcheck",
}

// proxies are the sections that inherit the settings of a defaults section.
var proxies = []string{"defaults", "frontend", "backend", "listen"}

// config is the content of the files, in the order that `haproxy -f a -f b` reads them.
type config struct {
	sections   []*section
	last       *section            // the last defaults section
	named      map[string]*section // the named defaults sections
	conditions []line              // the .if lines
	globals    map[string]line     // the last line of each keyword in global sections
	files      []*lint.Source
	lines      int
}

// template matches what Jinja, Go's templates, ERB and Terraform fill in. HAProxy's own formats have one brace ({%ci},
// %{+Q}o).
var template = regexp.MustCompile(`\{\{-?\s*[\w.$"(].*?\}\}|\{%[-+]?\s+\w.*?%\}|<%[-=]?\s*[\w@].*?%>|` +
	`%\{~?\s*(?:for|if|else|endfor|endif)\b[^}]*\}|\$\{(?:each|var|local|module|data|path)\.[^}]*\}`)

func (c *config) read(f *lint.Source) error {
	c.files = append(c.files, f)
	var in *section
	said := false
	for i, content := range strings.Split(string(f.Data), "\n") {
		words, err := split(content)
		if err != nil {
			return lint.Refuse(f.Name, i+1, "%v", err)
		}
		if len(words) == 0 {
			continue
		}
		said = true
		if hole := template.FindString(content); hole != "" {
			return lint.Refuse(f.Name, i+1, "%q stands for text that another program fills in",
				text.ClipLine(hole, lint.LongestWord))
		}
		l := line{f, i + 1, words}
		switch first := l.text(0); {
		case strings.HasPrefix(first, "."): // .if, .elif, .else, .endif, .notice …: manual, section 2.4
			if first == ".if" {
				c.conditions = append(c.conditions, l)
			}
		case slices.Contains(kinds, first):
			if in, err = c.begin(l); err != nil {
				return err
			}
		case in == nil:
			return lint.Refuse(f.Name, l.number, "%q stands in no section: a configuration begins with global, defaults, "+
				"frontend, backend or listen", first)
		default:
			if err := in.add(l); err != nil {
				return err
			}
			if in.kind == "global" {
				c.globals[l.text(0)] = l
			}
			if c.lines++; c.lines > mostLines {
				return lint.Refuse(f.Name, l.number, "more than %d lines: that is no configuration that anyone wrote",
					mostLines)
			}
		}
	}
	if !said {
		return lint.Refuse(f.Name, 0, "empty: there is no configuration in it")
	}
	return nil
}

// begin opens a section and finds the defaults section that it inherits from (manual, section 4).
func (c *config) begin(l line) (*section, error) {
	s := &section{kind: l.text(0), name: l.text(1), head: l, latest: map[string]line{}}
	if !slices.Contains(proxies, s.kind) {
		c.sections = append(c.sections, s)
		return s, nil
	}
	if s.name == "from" && s.kind == "defaults" {
		s.name = ""
	}
	from := ""
	for i := 1; i+1 < len(l.words); i++ {
		if l.text(i) == "from" {
			from = l.text(i + 1)
		}
	}
	switch {
	case from != "":
		if s.defaults = c.named[from]; s.defaults == nil {
			return nil, lint.Refuse(l.file.Name, l.number, "defaults section %q is not there, or only further below", from)
		}
	case s.kind != "defaults":
		s.defaults = c.last
	}
	if s.defaults != nil {
		s.depth, s.base = s.defaults.depth+1, slices.Clip(s.defaults.base)
	}
	if s.depth > mostDefaults {
		return nil, lint.Refuse(l.file.Name, l.number, "more than %d defaults sections, one behind the other", mostDefaults)
	}
	if s.kind == "defaults" {
		c.last, c.named[s.name] = s, s
	} else if s.name == "" {
		return nil, lint.Refuse(l.file.Name, l.number, "a %s without a name", s.kind)
	}
	c.sections = append(c.sections, s)
	return s, nil
}

// add adds a line to the section.
func (s *section) add(l line) error {
	s.lines = append(s.lines, l)
	s.latest[l.text(0)] = l
	if len(l.words) > 1 {
		s.latest[l.text(0)+" "+l.text(1)] = l
	}
	if name, _ := l.option(); name != "" {
		s.latest["option "+name] = l
	}
	if l.starts("default-server") {
		s.base = append(s.base, l)
	}
	if len(s.base) > mostServers {
		return lint.Refuse(l.file.Name, l.number, "more than %d default-server lines for one section", mostServers)
	}
	return nil
}

// option returns the NAME of an `option NAME` line (on) or a `no option NAME` line (off).
func (l line) option() (name string, on bool) {
	switch {
	case l.starts("option"):
		return l.text(1), true
	case l.starts("no", "option"):
		return l.text(2), false
	}
	return "", false
}

// last returns the last line that begins with these one or two words: in the section, or else in the
// defaults it inherits.
func (s *section) last(words ...string) (line, bool) {
	key := strings.Join(words, " ")
	for at := s; at != nil; at = at.defaults {
		if l, there := at.latest[key]; there {
			return l, true
		}
	}
	return line{}, false
}

// option reports whether `option NAME` is on, and the line that sets it.
func (s *section) option(name string) (line, bool) {
	l, there := s.last("option", name)
	_, on := l.option()
	return l, there && on
}

// mode is "http" or "tcp"; HAProxy's default is tcp.
func (s *section) mode() string {
	if l, ok := s.last("mode"); ok {
		return l.text(1)
	}
	return "tcp"
}

// proxiesOf returns the sections of these kinds.
func (c *config) proxiesOf(kinds ...string) []*section {
	var out []*section
	for _, s := range c.sections {
		if slices.Contains(kinds, s.kind) {
			out = append(out, s)
		}
	}
	return out
}

// line is a line that has at least one argument: its words, with quotes and backslashes resolved.
type line struct {
	file   *lint.Source
	number int
	words  []string
}

func (l line) place() lint.Place { return lint.Place{File: l.file.Name, Line: l.number} }

// text is the word at i, "" past the end.
func (l line) text(i int) string {
	if i >= len(l.words) {
		return ""
	}
	return l.words[i]
}

// starts reports whether the line begins with these words.
func (l line) starts(words ...string) bool {
	return len(l.words) >= len(words) && slices.Equal(l.words[:len(words)], words)
}

// source is the line as the file has it, without the white space around it.
func (l line) source() string { return l.file.Line(l.number) }

// word matches one word of a line, pieces what it consists of: escapes, quoted text and single characters.
var (
	escapes = regexp.MustCompile(`\\x[0-9A-Fa-f]{2}|\\.`)
	word    = regexp.MustCompile(`^(?:` + pieces.String() + `)+`)
	pieces  = regexp.MustCompile(`\\x[0-9A-Fa-f]{2}|\\.|\\$|"(?:[^"\\]|\\.)*"|'[^']*'|[^ \t\r#'"\\]`)
)

// split splits a line by the rules of "Quoting and escaping" (configuration manual, section 2.2). It
// leaves variables as they are: only the environment of HAProxy has their values.
func split(s string) (words []string, err error) {
	for whole := s; ; {
		s = strings.TrimLeft(s, " \t\r")
		if s == "" || s[0] == '#' {
			return words, nil
		}
		w := word.FindString(s)
		if w == "" {
			return nil, fmt.Errorf("a %c that is not closed, opened at column %d", s[0], len(whole)-len(s)+1)
		}
		s = s[len(w):]
		words = append(words, pieces.ReplaceAllStringFunc(w, plain))
	}
}

// plain is what a piece stands for. No character is special within single quotes; a backslash before an ordinary
// character is a literal backslash.
func plain(piece string) string {
	switch {
	case piece[0] == '\'':
		return piece[1 : len(piece)-1]
	case piece[0] == '"':
		return escapes.ReplaceAllStringFunc(piece[1:len(piece)-1], plain)
	case len(piece) == 4 && piece[:2] == `\x`:
		code, _ := strconv.ParseUint(piece[2:], 16, 8)
		return string([]byte{byte(code)})
	case len(piece) == 2 && piece[0] == '\\':
		if at := strings.IndexByte(` \#'"$nrt`, piece[1]); at >= 0 {
			return " \\#'\"$\n\r\t"[at : at+1]
		}
	}
	return piece
}

// params are the keywords of a bind, server or default-server line; the last one of a name wins. A
// keyword without a value has "".
type params map[string]param

type param struct {
	value string
	in    line
}

// alone lists the keywords of bind and server lines that take no value. Keywords that begin with "no-"
// or "force-" take none either; all others take one (`haproxy -dKall` of 3.2 lists both kinds).
var alone = []string{
	"accept-proxy", "defer-accept", "quic-force-retry", "tfo", "transparent", "v4v6", "v6only", "ssl", "allow-0rtt",
	"generate-certificates", "prefer-client-ciphers", "strict-sni", "tls-tickets", "agent-check", "backup", "check",
	"check-reuse-pool", "check-send-proxy", "check-ssl", "check-via-socks4", "disabled", "enabled", "non-stick",
	"send-proxy", "send-proxy-v2", "send-proxy-v2-ssl", "send-proxy-v2-ssl-cn", "ssl-reuse", "stick", "strict-maxconn",
}

// add reads the keywords of a line from word i on; later ones replace earlier ones.
func (p params) add(l line, i int) {
	for ; i < len(l.words); i++ {
		key := l.text(i)
		if slices.Contains(alone, key) || strings.HasPrefix(key, "no-") || strings.HasPrefix(key, "force-") {
			p[key] = param{in: l}
			continue
		}
		p[key] = param{l.text(i + 1), l}
		i++
	}
}

// server is a server line together with the default-server lines that apply to it.
type server struct {
	name string
	in   line
	params
}

// servers returns a backend's servers. The defaults of each are the default-server lines of the
// defaults section, then those of its own section above it.
func (s *section) servers() []server {
	var base []line // the default-server lines so far, the defaults section's first
	if s.defaults != nil {
		base = slices.Clip(s.defaults.base)
	}
	var out []server
	for _, l := range s.lines {
		switch {
		case l.starts("default-server"):
			base = append(base, l)
		case l.starts("server"), l.starts("server-template"):
			sv := server{name: l.text(1), in: l, params: params{}}
			for _, d := range base {
				sv.add(d, 1)
			}
			from := 3
			if l.text(0) == "server-template" {
				from = 4
			}
			sv.add(l, from)
			out = append(out, sv)
		}
	}
	return out
}

// speaksH2 reports whether connections to the server may use HTTP/2: by ALPN over TLS, or by `proto
// h2`. HAProxy offers servers no ALPN by default.
func (p params) speaksH2() bool {
	return p["proto"].value == "h2" || slices.Contains(strings.Split(p["alpn"].value, ","), "h2")
}

// duration reads a time as HAProxy does: in milliseconds unless it has a unit (manual, section 2.5).
func duration(s string) (time.Duration, bool) {
	units := map[string]time.Duration{"us": time.Microsecond, "ms": time.Millisecond, "": time.Millisecond,
		"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	digits := strings.TrimRight(s, "usmhd")
	unit, known := units[s[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || !known || n < 0 {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// past names the last HAProxy that takes what lines begin with, and the release that refuses them (haproxy
// src/cfgparse-listen.c, src/cfgparse-global.c and src/proxy.c, "not supported anymore since"), in the order of
// the versions: the oldest that a file needs counts.
var past = []struct {
	version, refusedBy string
	lines              *regexp.Regexp
}{
	{"1.5", "1.6", regexp.MustCompile(`(?m)^[ \t]*appsession\b`)},
	{"1.9", "2.0", regexp.MustCompile(`(?m)^[ \t]*option[ \t]+forceclose\b`)},
	{"2.0", "2.1", regexp.MustCompile(`(?m)^[ \t]*(option[ \t]+http-tunnel|block|redisp(atch)?|(cli|srv|con)(exp|timeout)|` +
		`req(rep|del|deny|pass|allow|tarpit|irep|idel|ideny|ipass|iallow|itarpit|add)|rsp(rep|del|deny|irep|idel|ideny|add))\b`)},
	{"2.4", "2.5", regexp.MustCompile(`(?m)^[ \t]*(option[ \t]+http_proxy|nbproc|grace)\b`)},
}

// evidence is the version that files are for, by a keyword that later versions refuse.
func (c *config) evidence() lint.Stated {
	for _, p := range past {
		for _, f := range c.files {
			if at := p.lines.FindIndex(f.Data); at != nil {
				number := bytes.Count(f.Data[:at[1]], []byte("\n")) + 1
				return lint.Stated{Version: p.version, Assumed: true, Why: facts.T("linthaproxy.older", p.version, p.refusedBy,
					text.ClipLine(f.Line(number), lint.LongestWord), f.Name, number)}
			}
		}
	}
	return lint.Stated{}
}
