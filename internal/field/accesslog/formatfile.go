package accesslog

import (
	"errors"
	"fmt"
	"strings"

	"h2lab/internal/base/nginxfile"
)

// directive is one log_format of a configuration.
type directive struct {
	name   string
	escape Escape
	text   string
}

func (d directive) compile() (*Format, error) {
	if d.name == "combined" && d.text == "" {
		d.text = combined
	}
	return compile(d.name, d.text, d.escape)
}

// FromConfig compiles the log_format of that name in the text of a configuration file; "" means the
// only one with $connection and $connection_requests.
func FromConfig(file, text, name string) (*Format, error) {
	all, err := directives(file, text)
	if err != nil {
		return nil, err
	}
	var names []string
	var fit []*Format
	for _, d := range all {
		if d.name == name {
			return d.compile()
		}
		names = append(names, d.name)
		if f, err := d.compile(); err == nil {
			fit = append(fit, f)
		}
	}
	switch {
	case name == "combined":
		return directive{name: name}.compile()
	case len(all) == 0:
		return nil, errors.New("no log_format in it (files that it includes are not followed; nginx -T prints all " +
			"in one)")
	case name == "" && len(fit) == 1:
		return fit[0], nil
	case name == "" && len(fit) == 0:
		return nil, &MissingError{
			Format: strings.Join(names, ", "),
			Err: fmt.Errorf("no $connection and $connection_requests in its formats (%s)",
				strings.Join(names, ", ")),
		}
	case name == "":
		return nil, fmt.Errorf("%d of its formats would do: say which, as in nginx.conf#%s", len(fit), fit[0].Name)
	}
	return nil, fmt.Errorf("no log_format %q in it; it has %s", name, strings.Join(names, ", "))
}

// directives finds every log_format in a configuration, or in all the files in the output of `nginx
// -T`. It reads statements and ignores blocks, so that a part of a configuration is enough.
func directives(name, text string) ([]directive, error) {
	files := []nginxfile.File{{Name: name, Data: []byte(text)}}
	if dump, is := nginxfile.Undump(files[0].Data); is {
		files = dump.Files()
	}
	var out []directive
	for _, f := range files {
		if err := nginxfile.Check(f); err != nil {
			return nil, err
		}
		for s := nginxfile.NewScanner(f); ; {
			st, err := s.Next()
			if err != nil {
				return nil, err
			}
			if st.End == 0 {
				break
			}
			if len(st.Words) == 0 || st.Words[0].Text != "log_format" {
				continue
			}
			d, err := logFormat(st)
			if err != nil {
				return nil, &nginxfile.Error{File: f.Name, Line: st.Words[0].Line, What: err.Error()}
			}
			out = append(out, d)
		}
	}
	return out, nil
}

// logFormat parses one directive.
func logFormat(st nginxfile.Statement) (directive, error) {
	words := st.Words[1:]
	if len(words) < 2 {
		return directive{}, errors.New("log_format: a name and a text belong to it")
	}
	d := directive{name: words[0].Text}
	if st.End != ';' {
		return d, fmt.Errorf("log_format %s: no ; at its end", d.name)
	}
	words = words[1:]
	if value, is := strings.CutPrefix(words[0].Text, "escape="); is {
		escape, known := map[string]Escape{"default": EscapeDefault, "json": EscapeJSON, "none": EscapeNone}[value]
		if !known {
			return d, fmt.Errorf("log_format %s: unknown escape=%s; it is default, json or none", d.name, value)
		}
		d.escape, words = escape, words[1:]
	}
	for _, w := range words {
		d.text += w.Text
	}
	return d, nil
}
