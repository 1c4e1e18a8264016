package accesslog

import (
	"errors"
	"fmt"
	"strings"
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
	// Envoy is set for Envoy's formats, which have no ordinals.
	Envoy bool
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
	f := &Format{Name: name, Source: text, escape: escape}
	literal := ""
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
			return nil, err
		}
		f.add(literal, part{field: nginxFields[variable], list: strings.HasPrefix(variable, "upstream_")})
		literal, i = "", i+n
	}
	return f.finish(literal)
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

var (
	errNoConnection = errors.New("no $connection in the log_format")
	errNoOrdinal    = errors.New("no $connection_requests in the log_format")
)

// MissingError says which fields a format lacks. Its line is what to add.
type MissingError struct {
	Format string // its name
	Envoy  bool
	Err    error
}

func (e *MissingError) Error() string {
	if e.Envoy {
		return fmt.Sprintf("%s: without it a log can't say which requests shared a connection\n%s", e.Err, EnvoyOffer())
	}
	return fmt.Sprintf("%s: without it a log can't say which requests shared a connection\n%s", e.Err, NginxOffer())
}

func (e *MissingError) Unwrap() error { return e.Err }

// finish adds the text after the last variable and drops the parts that need not be read.
func (f *Format) finish(literal string) (*Format, error) {
	if len(f.parts) > 0 {
		f.parts[len(f.parts)-1].until = literal
	}
	for i, p := range f.parts[:max(0, len(f.parts)-1)] {
		if p.until == "" && (p.field != skipped || f.parts[i+1].field != skipped) {
			return nil, errors.New("log_format: two variables without a character between them can't be told apart " +
				"in a log line; put a space there")
		}
	}
	switch {
	case !f.has[fConnection]:
		return nil, &MissingError{Format: f.Name, Envoy: f.Envoy, Err: f.missing()}
	case !f.has[fOrdinal] && !f.Envoy:
		return nil, &MissingError{Format: f.Name, Err: errNoOrdinal}
	}
	last := 0
	for i, p := range f.parts {
		if p.field != skipped {
			last = i
		}
	}
	f.parts = f.parts[:last+1]
	return f, nil
}

func (f *Format) missing() error {
	if f.Envoy {
		return errors.New("no %CONNECTION_ID% in Envoy's log format")
	}
	return errNoConnection
}
