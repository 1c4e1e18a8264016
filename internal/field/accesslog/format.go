package accesslog

import (
	"errors"
	"fmt"
	"strings"

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

// longestFormat is far above the length of any format in use.
const longestFormat = 1 << 16

// Compile compiles a log_format: the bare string, or the whole directive with its name, escape= and
// quoted parts. A text with % operators is an Envoy format.
func Compile(text string) (*Format, error) {
	if len(text) > longestFormat {
		return nil, fmt.Errorf("a log_format of %d bytes is no log_format", len(text))
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "log_format") {
		if !strings.HasSuffix(text, ";") {
			text += ";" // a copy of the directive without its final semicolon is clear enough
		}
		all, err := directives("the text", text)
		if err != nil {
			return nil, err
		}
		if len(all) != 1 {
			return nil, fmt.Errorf("%d log_format directives in one text: give the one to read", len(all))
		}
		return all[0].compile()
	}
	if !strings.Contains(text, "$") && strings.Contains(text, "%") {
		return compileEnvoy(text)
	}
	return compile("as given", text, EscapeDefault)
}

// compile compiles the joined parts of a log_format.
func compile(name, text string, escape Escape) (*Format, error) {
	f := &Format{Name: name, Source: text, escape: escape, Server: cure.Nginx}
	if err := f.parse(nginxFields); err != nil {
		return nil, err
	}
	return f, f.finish()
}

// parse splits the text into variables and what is between them.
func (f *Format) parse(names map[string]field) error {
	literal, text := "", f.Source
	for i := 0; i < len(text); {
		if text[i] != '$' {
			end := strings.IndexByte(text[i:], '$')
			if end < 0 {
				end = len(text) - i
			}
			literal += text[i : i+end]
			i += end
			continue
		}
		variable, n, err := variableAt(text[i:])
		if err != nil {
			return err
		}
		f.add(literal, part{field: names[variable], list: strings.HasPrefix(variable, "upstream_")})
		literal, i = "", i+n
	}
	return f.close(literal)
}

// variableAt parses $name or ${name} and returns its length.
func variableAt(text string) (name string, length int, err error) {
	rest := text[1:]
	if strings.HasPrefix(rest, "{") {
		end := strings.IndexByte(rest, '}')
		if end < 2 {
			return "", 0, fmt.Errorf("log_format: %.20q is not a variable: a name and } belong after ${", text)
		}
		return rest[1:end], end + 2, nil
	}
	n := 0
	for n < len(rest) &&
		(rest[n] == '_' || rest[n] >= '0' && rest[n] <= '9' || rest[n] >= 'a' && rest[n] <= 'z' ||
			rest[n] >= 'A' && rest[n] <= 'Z') {
		n++
	}
	if n == 0 {
		return "", 0, fmt.Errorf("log_format: %.20q is not a variable: a name belongs after $", text)
	}
	return rest[:n], n + 1, nil
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
	byAddress := f.has[fPeer] || f.has[fAddr] && f.has[fPort]
	switch {
	case f.has[fConnection] && !f.has[fOrdinal] && f.Server == cure.Nginx:
		return errors.New("no $connection_requests in the log_format")
	case f.has[fConnection], byAddress:
		return nil
	case f.Server == cure.Envoy:
		return errors.New("no %CONNECTION_ID% in Envoy's log format")
	}
	return errors.New("no $connection in the log_format")
}
