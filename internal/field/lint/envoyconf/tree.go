package envoyconf

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// part is a value of a file. Its node is nil when the file has no such value. A path is names of fields with slashes
// between them.
type part struct {
	*config
	file *lint.Source
	node *lint.Node
}

// at follows a path. A null is the same as no field.
func (p part) at(path string) part {
	for name := range strings.SplitSeq(path, "/") {
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
func (p part) text(path string) string { return p.at(path).node.Scalar() }

// all are the elements of a repeated field; Envoy takes a single value for a list of one.
func (p part) all() []part {
	switch {
	case !p.there():
		return nil
	case p.node.Kind != lint.Sequence:
		return []part{p}
	}
	out := make([]part, len(p.node.Items))
	for i, n := range p.node.Items {
		out[i] = part{p.config, p.file, n}
	}
	return out
}

func (p part) items(path string) []part { return p.at(path).all() }

func (p part) texts(path string) []string {
	var out []string
	for _, item := range p.items(path) {
		out = append(out, item.node.Scalar())
	}
	return out
}

// is reports whether a message of the API names this type.
func (p part) is(name string) bool { return shortType(p.text("@type")) == name }

// shortType is a type URL without its host, which is the same for all types.
func shortType(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }

// line is the line of a field; when the field is absent, that of the nearest block that would contain it.
func (p part) line(path string) int {
	n, line := p.node, p.node.Line
	for name := range strings.SplitSeq(path, "/") {
		f := field(n, name)
		if f == nil {
			return line
		}
		n, line = f.Value, f.Line
	}
	return line
}

func (p part) setAt(path string) facts.Text { return lint.SetAt(p.file.Name, p.line(path)) }

// number is an integer, in the forms that Envoy's YAML reader takes (0x10 is 16, 010 is 8, {value: 5} is 5).
func (p part) number(path string) (n int64, set bool) {
	v := p.at(path)
	if inner := v.at("value"); inner.there() {
		v = inner
	}
	if !v.there() {
		return 0, false
	}
	n, err := strconv.ParseInt(v.node.Scalar(), 0, 64)
	if err != nil || n < 0 {
		v.refuse(path, "number")
	}
	return n, true
}

func (p part) duration(path string) (d time.Duration, set bool) {
	v := p.at(path)
	if !v.there() {
		return 0, false
	}
	d, err := time.ParseDuration(v.node.Scalar())
	if err != nil || d < 0 {
		v.refuse(path, "duration: write seconds, such as 0.25s")
	}
	return d, true
}

// refuse records a value that nobody can read; only the first counts.
func (p part) refuse(path, kind string) {
	if p.wrong == nil {
		p.wrong = lint.Refuse(p.file.Name, p.node.Line, "%s: %q is no %s", strings.ReplaceAll(path, "/", "."),
			text.ClipLine(p.node.Scalar(), lint.LongestWord), kind)
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
		words[i+1] = text.Capital(w)
	}
	return strings.Join(words, "")
}

// swap sets the finding's Found to the line of a field's value, and its Fix to the same line with
// another value. It does nothing when there is no such field.
func (p part) swap(f *lint.Finding, value, path string) {
	if above, name, deeper := strings.Cut(path, "/"); deeper {
		p.at(above).swap(f, value, name)
	} else if leaf := field(p.node, path); leaf != nil {
		if asJSON(p.file) && strings.TrimLeft(value, "0123456789") != "" {
			value = strconv.Quote(value)
		}
		f.Found, f.Fix = p.file.Swap(leaf, value)
	}
}

// asJSON reports whether a file is written in JSON.
func asJSON(f *lint.Source) bool { return bytes.HasPrefix(bytes.TrimSpace(f.Data), []byte("{")) }

// add sets the finding's Found and Fix so that fields in YAML are added to the mapping. When the file is JSON, or the
// mapping is written in braces, the Fix is what to paste, without a Found.
func (p part) add(f *lint.Finding, fields string) {
	if f.Fix = paste(p.file, fields); !asJSON(p.file) && p.there() && p.node.Kind == lint.Mapping {
		f.Beside(p.file, p.node, f.Fix)
	}
}

// within adds a field in one line to the mapping that is the value of a field: `field: {}` becomes
// `field: {text}`.
func (p part) within(f *lint.Finding, name, fields string) {
	inner := p.at(name)
	if inner.there() && len(inner.node.Fields) == 0 {
		line := p.file.Line(p.line(name))
		if before, is := strings.CutSuffix(line, "{}"); is && !asJSON(p.file) {
			f.Line, f.Found, f.Fix = p.line(name), line, before+"{"+paste(p.file, fields)+"}"
			return
		}
	}
	inner.add(f, fields)
}

// snake matches the names of fields, and no type.
var snake = regexp.MustCompile(`\b[a-z]+(_[a-z0-9]+)+\b`)

// paste writes a YAML mapping in the file's own syntax: with its spelling of names, or as the members of
// a JSON object.
func paste(f *lint.Source, fields string) string {
	if bytes.Contains(f.Data, []byte("typedConfig")) && !bytes.Contains(f.Data, []byte("typed_config")) {
		fields = snake.ReplaceAllStringFunc(fields, camel)
	}
	var values map[string]any
	if asJSON(f) && yaml.Unmarshal([]byte(fields), &values) == nil {
		if out, err := json.Marshal(values); err == nil {
			return string(out[1 : len(out)-1])
		}
	}
	return fields
}
