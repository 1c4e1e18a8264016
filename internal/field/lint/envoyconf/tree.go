package envoyconf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// part is a value of a file. Its node is nil when the file has no such value.
type part struct {
	*config
	file *lint.Source
	node *lint.Node
}

// at follows a path of field names. A null is the same as no field.
func (p part) at(path ...string) part {
	for _, name := range path {
		f := field(p.node, name)
		if f == nil || f.Value.Kind == lint.Null {
			return part{p.config, p.file, nil}
		}
		p.node = f.Value
	}
	return p
}

func (p part) there() bool { return p.node != nil }

// text is the scalar at a path, "" when there is none.
func (p part) text(path ...string) string {
	if v := p.at(path...); v.there() && v.node.Kind == lint.Scalar {
		return v.node.Text
	}
	return ""
}

// items are the elements of a repeated field; Envoy takes a single value for a list of one.
func (p part) items(path ...string) []part {
	list := p.at(path...)
	switch {
	case !list.there():
		return nil
	case list.node.Kind != lint.Sequence:
		return []part{list}
	}
	out := make([]part, len(list.node.Items))
	for i, n := range list.node.Items {
		out[i] = part{p.config, p.file, n}
	}
	return out
}

func (p part) texts(path ...string) []string {
	var out []string
	for _, item := range p.items(path...) {
		out = append(out, item.text())
	}
	return out
}

// is reports whether a message of the API names this type.
func (p part) is(name string) bool { return shortType(p.text("@type")) == name }

// shortType is a type URL without its host, which is the same for all types.
func shortType(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }

// line is the line of a field; when the field is absent, that of the nearest block that would contain it.
func (p part) line(path ...string) int {
	n, line := p.node, p.node.Line
	for _, name := range path {
		f := field(n, name)
		if f == nil {
			return line
		}
		n, line = f.Value, f.Line
	}
	return line
}

func (p part) setAt(path ...string) facts.Text { return lint.SetAt(p.file.Name, p.line(path...)) }

// number is an integer, in the forms that Envoy's YAML reader takes (0x10 is 16, 010 is 8, {value: 5} is 5).
func (p part) number(path ...string) (n int64, set bool) {
	v := p.at(path...)
	if inner := v.at("value"); inner.there() {
		v = inner
	}
	if !v.there() {
		return 0, false
	}
	text := v.text()
	i, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 0, 63)
	if err != nil || strings.Contains(text, "_") {
		v.refuse(path, "is no number")
	}
	return int64(i), true
}

var seconds = regexp.MustCompile(`^\d+(\.\d{1,9})?s$`)

// duration is a duration in protobuf's form: seconds, such as 0.25s.
func (p part) duration(path ...string) (d time.Duration, set bool) {
	v := p.at(path...)
	if !v.there() {
		return 0, false
	}
	d, err := time.ParseDuration(v.text())
	if err != nil || !seconds.MatchString(v.text()) {
		v.refuse(path, "is no duration: write seconds, such as 0.25s")
	}
	return d, true
}

// placeholder matches what templates leave open: ${PORT}, $PORT, {{ port }}, __PORT__, @PORT@, <port>.
var placeholder = regexp.MustCompile(`^(\$\{?\w+.*|\{\{.*\}\}|__\w+__|@\w+@|<.*>|[A-Z]+_[A-Z_]*(PORT|TIMEOUT|LIMIT))$`)

// refuse records a value that Envoy refuses; only the first counts.
func (p part) refuse(path []string, what string) {
	if placeholder.MatchString(p.text()) {
		what = "is a placeholder: fill in the template first"
	}
	if p.wrong == nil {
		p.wrong = &lint.SyntaxError{File: p.file.Name, Line: p.node.Line, What: fmt.Sprintf("%s: %q %s", strings.Join(path, "."),
			text.ClipLine(p.text(), lint.LongestWord), what)}
	}
}

// field returns a mapping's field by its name in the .proto file; JSON also accepts lowerCamelCase
// (protobuf.dev, "ProtoJSON format"). When the mapping has both, Envoy takes the last.
func field(n *lint.Node, name string) *lint.Field {
	snake, camel := n.Field(name), n.Field(camel(name))
	if snake == nil || camel != nil && camel.Line > snake.Line {
		return camel
	}
	return snake
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// swap sets the finding's Found to the line of a field's value, and its Fix to the same line with
// another value. It does nothing when there is no such field.
func (p part) swap(f *lint.Finding, value string, path ...string) {
	parent, name := p.at(path[:len(path)-1]...), path[len(path)-1]
	leaf := field(parent.node, name)
	if leaf == nil {
		return
	}
	if asJSON(p.file) && strings.TrimLeft(value, "0123456789") != "" {
		value = strconv.Quote(value)
	}
	f.Found, f.Fix = p.file.Swap(leaf, value)
}

// asJSON reports whether a file is written in JSON.
func asJSON(f *lint.Source) bool { return bytes.HasPrefix(bytes.TrimSpace(f.Data), []byte("{")) }

// add sets the finding's Found and Fix so that text, fields in YAML, is added to the mapping. When the
// file is JSON, or the mapping is written in braces, the Fix is what to paste, without a Found.
func (p part) add(f *lint.Finding, text string) {
	text = paste(p.file, text)
	if f.Fix = text; asJSON(p.file) || !p.there() || p.node.Kind != lint.Mapping {
		return
	}
	for _, m := range p.node.Fields {
		line := p.file.Line(m.Line)
		dash := strings.TrimLeft(strings.TrimPrefix(line, "- "), " ")
		if line == "" || m.Value.Kind != lint.Scalar || m.Value.Line != m.Line || !strings.HasPrefix(dash, m.Key+":") &&
			!strings.HasPrefix(dash, strconv.Quote(m.Key)+":") && !strings.HasPrefix(dash, "'"+m.Key+"':") ||
			strings.HasSuffix(dash, "|") || strings.HasSuffix(dash, ">") {
			continue
		}
		indent := "\n" + strings.Repeat(" ", len(line)-len(dash))
		f.Line, f.Found, f.Fix = m.Line, line, line+indent+strings.ReplaceAll(text, "\n", indent)
		return
	}
}

// within adds a field in one line to the mapping that is the value of a field: `field: {}` becomes
// `field: {text}`.
func (p part) within(f *lint.Finding, name, text string) {
	at := field(p.node, name)
	if at == nil || at.Value.Kind == lint.Mapping && len(at.Value.Fields) > 0 {
		inner := p
		if at != nil {
			inner.node = at.Value
		}
		inner.add(f, text)
		return
	}
	line := p.file.Line(at.Line)
	if before, is := strings.CutSuffix(line, "{}"); is && !asJSON(p.file) {
		f.Line, f.Found, f.Fix = at.Line, line, before+"{"+paste(p.file, text)+"}"
		return
	}
	f.Fix = paste(p.file, text)
}

// paste writes a YAML mapping in the file's own syntax: with its spelling of names, or as the members of
// a JSON object.
func paste(f *lint.Source, text string) string {
	if bytes.Contains(f.Data, []byte("typedConfig")) && !bytes.Contains(f.Data, []byte("typed_config")) {
		text = snake.ReplaceAllStringFunc(text, camel)
	}
	if !asJSON(f) {
		return text
	}
	docs, err := lint.ReadYAML(lint.File{Data: []byte(text)})
	if err != nil {
		return text
	}
	return strings.Join(members(docs[0]), ",\n")
}

// snake matches the names of fields, and no type.
var snake = regexp.MustCompile(`\b[a-z]+(_[a-z0-9]+)+\b`)

// members are the fields of a mapping in JSON.
func members(n *lint.Node) []string {
	var out []string
	for _, f := range n.Fields {
		out = append(out, quote(f.Key)+": "+inJSON(f.Value))
	}
	return out
}

func inJSON(n *lint.Node) string {
	switch {
	case n.Kind == lint.Mapping:
		return "{" + strings.Join(members(n), ",") + "}"
	case n.Kind == lint.Sequence:
		var out []string
		for _, item := range n.Items {
			out = append(out, inJSON(item))
		}
		return "[" + strings.Join(out, ",") + "]"
	case !n.Quoted && json.Valid([]byte(n.Text)):
		return n.Text
	}
	return quote(n.Text)
}

func quote(s string) string {
	out, _ := json.Marshal(s)
	return string(out)
}
