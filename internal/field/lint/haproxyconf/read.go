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
	"h2lab/internal/base/versions"
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
	lines      int
}

// mark is the byte order mark of UTF-8.
var mark = []byte("\xef\xbb\xbf")

// template matches what Jinja, Go's templates, ERB and Terraform fill in. HAProxy's own formats have one brace ({%ci},
// %{+Q}o).
var template = regexp.MustCompile(`\{\{-?\s*[\w.$"(].*?\}\}|\{%[-+]?\s+\w.*?%\}|<%[-=]?\s*[\w@].*?%>|` +
	`%\{~?\s*(?:for|if|else|endfor|endif)\b[^}]*\}|\$\{(?:each|var|local|module|data|path)\.[^}]*\}`)

// isText refuses what can't be the text of a configuration.
func isText(f *lint.Source) error {
	if len(f.Data) > lint.MostBytes {
		return &lint.SyntaxError{
			File: f.Name,
			What: fmt.Sprintf("larger than %d MiB: give the configuration file itself", lint.MostBytes>>20),
		}
	}
	if i := bytes.IndexByte(f.Data, 0); i >= 0 {
		return &lint.SyntaxError{File: f.Name, Line: 1 + bytes.Count(f.Data[:i], []byte("\n")),
			What: "a NUL byte: not a text file"}
	}
	if bytes.HasPrefix(f.Data, mark) {
		return &lint.SyntaxError{File: f.Name, Line: 1,
			What: "begins with a byte order mark, which HAProxy takes for part of the first word: save the file without it"}
	}
	return nil
}

func (c *config) read(f *lint.Source) error {
	if err := isText(f); err != nil {
		return err
	}
	var in *section
	said := false
	for i, content := range strings.Split(string(f.Data), "\n") {
		words, err := split(content)
		if err != nil {
			return &lint.SyntaxError{File: f.Name, Line: i + 1, What: err.Error()}
		}
		if len(words) == 0 {
			continue
		}
		said = true
		if hole := template.FindString(content); hole != "" {
			return &lint.SyntaxError{File: f.Name, Line: i + 1,
				What: fmt.Sprintf("%q stands for text that another program fills in", text.ClipLine(hole, lint.LongestWord))}
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
			return &lint.SyntaxError{File: f.Name, Line: l.number,
				What: fmt.Sprintf("%q stands in no section: a configuration begins with global, defaults, frontend, "+
					"backend or listen", first)}
		default:
			if err := in.add(l); err != nil {
				return err
			}
			if in.kind == "global" {
				c.globals[l.text(0)] = l
			}
			if c.lines++; c.lines > mostLines {
				return &lint.SyntaxError{File: f.Name, Line: l.number,
					What: fmt.Sprintf("more than %d lines: that is no configuration that anyone wrote", mostLines)}
			}
		}
	}
	if !said {
		return &lint.SyntaxError{File: f.Name, What: "empty: there is no configuration in it"}
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
			return nil, &lint.SyntaxError{
				File: l.file.Name,
				Line: l.number,
				What: fmt.Sprintf("defaults section %q is not there, or only further below", from),
			}
		}
	case s.kind != "defaults":
		s.defaults = c.last
	}
	if s.defaults != nil {
		s.depth, s.base = s.defaults.depth+1, slices.Clip(s.defaults.base)
	}
	if s.depth > mostDefaults {
		return nil, &lint.SyntaxError{
			File: l.file.Name,
			Line: l.number,
			What: fmt.Sprintf("more than %d defaults sections, one behind the other", mostDefaults),
		}
	}
	if s.kind == "defaults" {
		c.last = s
		if s.name != "" {
			c.named[s.name] = s
		}
	} else if s.name == "" {
		return nil, &lint.SyntaxError{
			File: l.file.Name,
			Line: l.number,
			What: fmt.Sprintf("a %s without a name", s.kind),
		}
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
		return &lint.SyntaxError{
			File: l.file.Name,
			Line: l.number,
			What: fmt.Sprintf("more than %d default-server lines for one section", mostServers),
		}
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

// global returns the last line that begins with word in any global section.
func (c *config) global(word string) (line, bool) {
	l, there := c.globals[word]
	return l, there
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

// word is one argument of a line, with quotes and backslashes resolved.
type word struct {
	text   string
	column int // from 1
}

// line is a line that has at least one argument.
type line struct {
	file   *lint.Source
	number int
	words  []word
}

// place identifies the line.
type place struct {
	file   *lint.Source
	number int
}

func (l line) place() place { return place{l.file, l.number} }

// text is the word at i, "" past the end.
func (l line) text(i int) string {
	if i >= len(l.words) {
		return ""
	}
	return l.words[i].text
}

// starts reports whether the line begins with these words.
func (l line) starts(words ...string) bool {
	if len(l.words) < len(words) {
		return false
	}
	for i, w := range words {
		if l.words[i].text != w {
			return false
		}
	}
	return true
}

// source is the line as the file has it, without the white space around it.
func (l line) source() string { return l.file.Line(l.number) }

// mostWords is HAProxy's MAX_LINE_ARGS (include/haproxy/defaults.h). HAProxy doubles its line buffer,
// LINESIZE, as needed; mostBytes is far above any real line.
const (
	mostWords = 64
	mostBytes = 1 << 16
)

// split splits a line by the rules of "Quoting and escaping" (configuration manual, section 2.2). It
// leaves variables as they are: only the environment of HAProxy has their values.
func split(s string) ([]word, error) {
	if len(s) > mostBytes {
		return nil, fmt.Errorf("a line of %d bytes: too long", len(s))
	}
	var words []word
	var b strings.Builder
	begun, begin := false, 0
	end := func() {
		if begun {
			words = append(words, word{b.String(), begin + 1})
			b.Reset()
		}
		begun = false
	}
	start := func(i int) {
		if !begun {
			begun, begin = true, i
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			end()
		case c == '#':
			end()
			return bounded(words)
		case c == '\'' || c == '"':
			start(i)
			n, err := quoted(s[i:], &b)
			if err != nil {
				return nil, fmt.Errorf("%w, opened at column %d", err, i+1)
			}
			i += n - 1
		case c == '\\':
			start(i)
			i += escape(s[i:], &b) - 1
		default:
			start(i)
			b.WriteByte(c)
		}
	}
	end()
	return bounded(words)
}

func bounded(words []word) ([]word, error) {
	if len(words) > mostWords {
		return nil, fmt.Errorf("%d words: HAProxy takes %d at most", len(words), mostWords)
	}
	return words, nil
}

// quoted writes the text between the quotes that s begins with, and returns its length including the
// quotes. No character is special within single quotes; a backslash is within double quotes.
func quoted(s string, b *strings.Builder) (int, error) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1, nil
		case s[i] == '\\' && s[0] == '"':
			i += escape(s[i:], b) - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, fmt.Errorf("a %c that is not closed", s[0])
}

// escape writes the character that the backslash sequence at the start of s means, and returns the
// length of the sequence. A backslash before an ordinary character is a literal backslash.
func escape(s string, b *strings.Builder) int {
	if len(s) == 1 {
		b.WriteByte('\\')
		return 1
	}
	switch c := s[1]; c {
	case ' ', '\\', '#', '\'', '"', '$':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'x':
		var code byte
		if n, err := fmt.Sscanf(s[2:min(len(s), 4)], "%2x", &code); err == nil && n == 1 && len(s) >= 4 {
			b.WriteByte(code)
			return 4
		}
		b.WriteString(s[:2])
	default:
		b.WriteString(s[:2])
	}
	return 2
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

// last names the last HAProxy that takes keywords, and the release that refuses them (haproxy
// src/cfgparse-listen.c, src/cfgparse-global.c and src/proxy.c, "not supported anymore since").
type last struct {
	version, refusedBy string
	keywords           []string
}

// lasts are in the order of their versions: the oldest that a file needs counts.
var lasts = []last{
	{"1.5", "1.6", []string{"appsession"}},
	{"1.9", "2.0", []string{"option forceclose"}},
	{"2.0", "2.1", []string{"option http-tunnel", "block", "redispatch", "redisp", "cliexp", "srvexp", "clitimeout",
		"srvtimeout", "contimeout", "reqrep", "reqdel", "reqdeny", "reqpass", "reqallow", "reqtarpit", "reqirep", "reqidel",
		"reqideny", "reqipass", "reqiallow", "reqitarpit", "reqadd", "rsprep", "rspdel", "rspdeny", "rspirep", "rspidel",
		"rspideny", "rspadd"}},
	{"2.4", "2.5", []string{"option http_proxy", "nbproc", "grace"}},
}

// evidence is the version that files are for, by a keyword that later versions refuse.
func (c *config) evidence() (v versions.Version, assumed facts.Text) {
	for _, past := range lasts {
		l, there := c.uses(past.keywords)
		if !there {
			continue
		}
		v, _, err := lint.ParseVersion(past.version)
		if err != nil {
			return v, assumed
		}
		return v, facts.T("linthaproxy.older", past.version,
			past.refusedBy, text.ClipLine(l.source(), lint.LongestWord), l.file.Name, l.number)
	}
	return v, assumed
}

// uses returns the first line with one of the keywords.
func (c *config) uses(keywords []string) (line, bool) {
	for _, s := range c.sections {
		for _, l := range s.lines {
			name, on := l.option()
			if slices.Contains(keywords, l.text(0)) || on && slices.Contains(keywords, "option "+name) {
				return l, true
			}
		}
	}
	return line{}, false
}
