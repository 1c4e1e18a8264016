package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/cure"
)

// Escape is how a log_format escapes special characters in values.
type Escape uint8

// The three modes of ngx_http_log_module: \xXX for the quote and the backslash; JSON's backslash;
// none.
const (
	EscapeDefault Escape = iota
	EscapeJSON
	EscapeNone
)

// part is a variable and the literal text after it.
type part struct {
	field  field
	until  string
	list   bool // its value may contain ", " and " : ", as the $upstream_ variables do
	quoted bool // the text before it ends with a quote
}

// Format is a compiled log_format: the positions of the fields in a line.
type Format struct {
	// Name is the format's name in the result, Source its text.
	Name, Source string
	start        string // the text before the first variable
	parts        []part // up to the last one that is read
	escape       Escape
	has          [fields]bool
	// Server is the program that writes it: a name of package cure.
	Server string
}

// Compile compiles a log_format: the bare string, or the whole directive with its name, escape= and
// quoted parts. A text with % operators is an Envoy format.
func Compile(text string) (*Format, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "log_format") {
		if !strings.HasSuffix(text, ";") {
			text += ";" // a copy of the directive without its final semicolon is clear enough
		}
		all, err := directives(nginxfile.Dump{}, nginxfile.File{Name: "the text", Data: []byte(text)})
		if err != nil {
			return nil, err
		}
		if len(all) != 1 {
			return nil, fmt.Errorf("%d log_format directives in one text: give the one to read", len(all))
		}
		return all[0].compiled()
	}
	f := &Format{Name: "as given", Source: text, Server: cure.Nginx}
	if !strings.Contains(text, "$") && strings.Contains(text, "%") {
		f.Name, f.Server = "as given (Envoy)", cure.Envoy
	}
	return f.compiled()
}

func (f *Format) compiled() (*Format, error) {
	if err := f.parse(); err != nil {
		return nil, err
	}
	return f, f.finish()
}

var (
	variable    = regexp.MustCompile(`\$(\w+)|\$\{(\w+)\}`)
	errVariable = errors.New("log_format: after $ belongs a variable's name, as in $status or ${status}, which this isn't")
	// operator is %NAME%, %NAME(parameters)% and %NAME(parameters):length%; %% is a percent sign.
	operator    = regexp.MustCompile(`%%|%([^%():]+)(?:\(([^)]*)\))?(?::\d+)?%`)
	errOperator = errors.New("an operator of Envoy is %NAME% or %NAME(parameters)%, which this isn't")
)

// parse splits the text into variables and what is between them.
func (f *Format) parse() error {
	text, sign, marks, wrong := f.Source, "$", variable, errVariable
	if f.Server == cure.Envoy {
		text, sign, marks, wrong = strings.TrimSuffix(strings.ReplaceAll(text, `\n`, "\n"), "\n"), "%", operator, errOperator
	}
	literal, last := "", 0
	for _, at := range append(marks.FindAllStringSubmatchIndex(text, -1), []int{len(text), len(text), -1, -1, -1, -1}) {
		between := text[last:at[0]]
		if bad := strings.Index(between, sign); bad >= 0 {
			return fmt.Errorf("%w: %.20q", wrong, text[last+bad:])
		}
		group := func(i int) string { return text[max(0, at[2*i]):max(0, at[2*i+1])] }
		literal, last = literal+between, at[1]
		switch name := group(1) + group(2); {
		case at[0] == len(text): // the end
		case name == "":
			literal += "%"
			continue
		case f.Server == cure.Envoy:
			f.add(literal, part{field: envoyField(group(1), group(2))})
		default:
			f.add(literal, part{field: data().ofNginx[name], list: strings.HasPrefix(name, "upstream_")})
		}
		if at[0] < len(text) {
			literal = ""
		}
	}
	return f.close(literal)
}

// envoyField accepts two formats of time: the default, which is ISO 8601 with milliseconds, and
// seconds since 1970.
func envoyField(name, parameters string) field {
	if name == "REQ" || name == "REQUEST_HEADER" {
		name, parameters = strings.ToUpper(parameters), ""
	}
	f := data().ofEnvoy[name]
	if f != fTime {
		return f
	}
	switch parameters {
	case "%s", "%s.%3f", "%s.%6f", "%s.%9f":
		return fTimeUnix
	case "", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%T%z", "%Y-%m-%dT%H:%M:%S.%3fZ", "%Y-%m-%dT%H:%M:%E3SZ":
		return fTime
	}
	return skipped
}

// add appends a variable; literal is the text between it and the one before.
func (f *Format) add(literal string, p part) {
	p.quoted = strings.HasSuffix(literal, `"`)
	if len(f.parts) == 0 {
		f.start = literal
	} else {
		f.parts[len(f.parts)-1].until = literal
	}
	f.parts = append(f.parts, p)
	f.has[p.field] = true
}

// close adds the text after the last variable.
func (f *Format) close(literal string) error {
	if len(f.parts) > 0 {
		f.parts[len(f.parts)-1].until = literal
	}
	for i, p := range f.parts[:max(0, len(f.parts)-1)] {
		if p.until == "" {
			f.leaveOut(i)
			f.leaveOut(i + 1)
			p = f.parts[i]
		}
		if p.until == "" && (p.field != skipped || f.parts[i+1].field != skipped) {
			return errors.New("log_format: two variables without a character between them can't be told apart " +
				"in a log line; put a space there")
		}
	}
	return nil
}

// leaveOut doesn't read a field that a log can do without, since its end can't be found.
func (f *Format) leaveOut(i int) {
	switch p := &f.parts[i]; p.field {
	case fAddr, fPort, fPeer, fAgent, fPath:
		f.has[p.field], p.field = false, skipped
	}
}

// MissingError says which fields a format lacks, and what to add in the words of its server.
type MissingError struct {
	Format string // its name
	Server string // the program that writes it: a name of package cure
	Err    error
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: without it a log can't say which requests shared a connection\n%s", e.Err, Offer(e.Server))
}

func (e *MissingError) Unwrap() error { return e.Err }

// finish checks that the format identifies connections, and drops the parts that need not be read.
func (f *Format) finish() error {
	if lacks := f.lacks(); lacks != nil {
		return &MissingError{Format: f.Name, Server: f.Server, Err: lacks}
	}
	last := 0
	for i, p := range f.parts {
		if p.field != skipped {
			last = i
		}
	}
	f.parts = f.parts[:last+1]
	return nil
}

// lacks says what a format needs to identify a connection: its number, or the client's address and port.
func (f *Format) lacks() error {
	switch {
	case f.has[fConnection] && !f.has[fOrdinal] && f.Server == cure.Nginx:
		return errors.New("no $connection_requests in the log_format")
	case f.has[fConnection] || f.has[fID] || f.has[fPeer] || f.has[fAddr] && f.has[fPort]:
		return nil
	case f.Server == cure.Envoy:
		return errors.New("no %CONNECTION_ID% in Envoy's log format")
	}
	return errors.New("no $connection in the log_format")
}

// FromConfig compiles the log_format of that name in the text of a configuration file; "" means the
// only one with $connection and $connection_requests.
func FromConfig(file, text, name string) (*Format, error) {
	all, err := directives(nginxfile.Disk{}, nginxfile.File{Name: file, Data: []byte(text)})
	if err != nil {
		return nil, err
	}
	var names []string
	var fit []*Format
	for _, d := range all {
		f, err := d.compiled()
		if d.Name == name {
			return f, err
		}
		names = append(names, d.Name)
		if err == nil {
			fit = append(fit, f)
		}
	}
	switch {
	case name == "combined": // nginx has it without a directive
		return (&Format{Name: name, Source: data().Parts[name], Server: cure.Nginx}).compiled()
	case len(all) == 0:
		return nil, errors.New("no log_format in it; nginx -T prints all files in one")
	case name == "" && len(fit) == 1:
		return fit[0], nil
	case name == "" && len(fit) == 0:
		list := strings.Join(names, ", ")
		return nil, &MissingError{Format: list, Err: fmt.Errorf("no $connection and $connection_requests in its formats (%s)", list)}
	case name == "":
		return nil, fmt.Errorf("%d of its formats would do: say which, as in nginx.conf#%s", len(fit), fit[0].Name)
	}
	return nil, fmt.Errorf("no log_format %q in it; it has %s", name, strings.Join(names, ", "))
}

// directives finds every log_format in a configuration with the files that it includes, or in the output of `nginx -T`. A
// part of a configuration is enough.
func directives(from nginxfile.Source, f nginxfile.File) (out []*Format, err error) {
	if dump, is := nginxfile.Undump(f.Data); is {
		from, f = dump, dump.Files()[0]
	}
	tree, err := nginxfile.Load(from, f, nil)
	if err != nil {
		return nil, err
	}
	for _, top := range tree.Top {
		top.Walk(func(d *nginxfile.Directive) {
			if d.Name != "log_format" || err != nil {
				return
			}
			format, what := logFormat(d)
			if out = append(out, format); what != "" {
				err = &nginxfile.Error{File: d.File, Line: d.Line, What: what}
			}
		})
	}
	return out, err
}

// logFormat reads one directive, or says what is wrong with it.
func logFormat(d *nginxfile.Directive) (f *Format, wrong string) {
	if len(d.Args) < 2 {
		return nil, "log_format: a name and a text belong to it"
	}
	f = &Format{Name: d.Arg(0), Server: cure.Nginx}
	words := d.Args[1:]
	if value, is := strings.CutPrefix(words[0].Text, "escape="); is {
		escape, known := map[string]Escape{"default": EscapeDefault, "json": EscapeJSON, "none": EscapeNone}[value]
		if !known {
			return f, fmt.Sprintf("log_format %s: unknown escape=%s; it is default, json or none", f.Name, value)
		}
		f.escape, words = escape, words[1:]
	}
	for _, w := range words {
		f.Source += w.Text
	}
	return f, ""
}

// scanner reads lines of one format without allocating.
type scanner struct {
	format *Format
	clock  clock
	left   int // how much of the last line followed its format
}

// line reads one line into the record and reports whether it matches the format.
func (s *scanner) line(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	f := s.format
	if !startsWith(line, f.start) {
		return false
	}
	rest := line[len(f.start):]
	for i := range f.parts {
		p := &f.parts[i]
		end := len(rest)
		if p.until != "" {
			if end = f.end(rest, p); end < 0 {
				return false
			}
		} else if i < len(f.parts)-1 {
			continue // two adjacent variables that are not read
		}
		if p.field != skipped && !empty(p.field, rest[:end]) && !r.set(p.field, rest[:end], &s.clock) {
			return false
		}
		rest = rest[end+len(p.until):]
	}
	s.left = len(rest)
	return true
}

// end finds the end of a value: the next literal, unless that is part of the value.
func (f *Format) end(rest []byte, p *part) int {
	from := 0
	for {
		at := bytes.IndexByte(rest[from:], p.until[0])
		if at < 0 {
			return -1
		}
		at += from
		if !startsWith(rest[at:], p.until) || f.within(rest, at, p) {
			from = at + 1
			continue
		}
		return at
	}
}

// within reports whether the literal at that position belongs to the value: a quote that
// escape=json has escaped, or the space after a comma or around a colon in a list of upstreams.
func (f *Format) within(rest []byte, at int, p *part) bool {
	if f.escape == EscapeJSON && p.until[0] == '"' {
		backslashes := 0
		for at-backslashes > 0 && rest[at-backslashes-1] == '\\' {
			backslashes++
		}
		return backslashes%2 == 1
	}
	if !p.list || p.quoted || p.until[0] != ' ' || at == 0 {
		return false
	}
	before := rest[at-1]
	return before == ',' || before == ':' && at > 1 && rest[at-2] == ' ' || startsWith(rest[at:], " : ")
}

func startsWith(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }
