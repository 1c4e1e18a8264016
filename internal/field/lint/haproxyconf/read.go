package haproxyconf

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/text"
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
