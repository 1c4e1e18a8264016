package accesslog

import (
	"errors"
	"fmt"
	"strings"
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

// FromConfig compiles the log_format of that name in a configuration's text; ""
// stands for the only one that has $connection and $connection_requests.
func FromConfig(text, name string) (*Format, error) {
	all, err := directives(text)
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
		return nil, errors.New("no log_format in it (files that it includes are not followed; nginx -T prints all in one)")
	case name == "" && len(fit) == 1:
		return fit[0], nil
	case name == "" && len(fit) == 0:
		return nil, &MissingError{Format: strings.Join(names, ", "), Err: fmt.Errorf("no $connection and $connection_requests in its formats (%s)", strings.Join(names, ", "))}
	case name == "":
		return nil, fmt.Errorf("%d of its formats would do: say which, as in nginx.conf#%s", len(fit), fit[0].Name)
	}
	return nil, fmt.Errorf("no log_format %q in it; it has %s", name, strings.Join(names, ", "))
}

// directives finds every log_format of a configuration. Only words, quotes,
// comments and semicolons are read: no block needs to be understood for that.
func directives(text string) ([]directive, error) {
	var out []directive
	w := words{rest: text}
	for atStart := true; ; {
		word, kind, err := w.next()
		if err != nil {
			return nil, err
		}
		switch {
		case kind == wordsOver:
			return out, nil
		case kind == wordsMark:
			atStart = true
		case atStart && kind == wordsBare && word == "log_format":
			d, err := w.logFormat()
			if err != nil {
				return nil, err
			}
			out = append(out, d)
		default:
			atStart = false
		}
	}
}

// logFormat reads what follows the directive's name, up to its semicolon.
func (w *words) logFormat() (directive, error) {
	var d directive
	for n := 0; ; n++ {
		word, kind, err := w.next()
		switch {
		case err != nil:
			return d, err
		case kind == wordsOver || kind == wordsMark && word == ";":
			if n < 2 {
				return d, errors.New("log_format: a name and a text belong to it")
			}
			return d, nil
		case kind == wordsMark:
			return d, fmt.Errorf("log_format %s: no ; at its end", d.name)
		case n == 0:
			d.name = word
		case n == 1 && strings.HasPrefix(word, "escape="):
			escape, known := map[string]Escape{"default": EscapeDefault, "json": EscapeJSON, "none": EscapeNone}[word[len("escape="):]]
			if !known {
				return d, fmt.Errorf("log_format %s: unknown %s; it is default, json or none", d.name, word)
			}
			d.escape = escape
		default:
			d.text += word
		}
	}
}

// words cuts a configuration into words.
type words struct{ rest string }

type wordKind uint8

const (
	wordsOver   wordKind = iota
	wordsBare            // a word
	wordsQuoted          // '…' or "…", without its quotes
	wordsMark            // ; { or }
)

func (w *words) next() (string, wordKind, error) {
	for {
		w.rest = strings.TrimLeft(w.rest, " \t\r\n")
		if !strings.HasPrefix(w.rest, "#") {
			break
		}
		_, w.rest, _ = strings.Cut(w.rest, "\n")
	}
	if w.rest == "" {
		return "", wordsOver, nil
	}
	switch c := w.rest[0]; c {
	case ';', '{', '}':
		w.rest = w.rest[1:]
		return string(c), wordsMark, nil
	case '\'', '"':
		return w.quotedBy(c)
	}
	n := 0
	for n < len(w.rest) && !strings.ContainsRune(" \t\r\n;{}", rune(w.rest[n])) {
		switch {
		case w.rest[n] == '\\' && n+1 < len(w.rest):
			n++
		case strings.HasPrefix(w.rest[n:], "${"): // the one brace that belongs to a word
			if end := strings.IndexByte(w.rest[n:], '}'); end > 0 {
				n += end
			}
		}
		n++
	}
	word := w.rest[:n]
	w.rest = w.rest[n:]
	return unescape(word), wordsBare, nil
}

// quotedBy reads up to the closing quote.
func (w *words) quotedBy(quote byte) (string, wordKind, error) {
	for n := 1; n < len(w.rest); n++ {
		switch w.rest[n] {
		case '\\':
			n++
		case quote:
			word := w.rest[1:n]
			w.rest = w.rest[n+1:]
			return unescape(word), wordsQuoted, nil
		}
	}
	return "", wordsOver, fmt.Errorf("a quote is not closed: %.40q", w.rest)
}

// unescape undoes what ngx_conf_read_token does: \" \' \\ \t \r \n, and any
// other backslash stays.
func unescape(word string) string {
	if !strings.Contains(word, `\`) {
		return word
	}
	return strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`, `\t`, "\t", `\r`, "\r", `\n`, "\n").Replace(word)
}
