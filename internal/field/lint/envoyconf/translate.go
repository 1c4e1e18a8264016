package envoyconf

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/lint"
)

// refuse records what Envoy refuses; only the first counts.
func (t *translator) refuse(line int, path, format string, args ...any) {
	if t.wrong == nil {
		t.wrong = &lint.SyntaxError{File: t.file, Line: line,
			What: fmt.Sprintf("%s: %s (as Envoy %s reads it)", path, fmt.Sprintf(format, args...), builtFor)}
	}
}

// message writes a value of type md. JSON gives some well-known types a form of their own; wrappers and
// Any are handled here, the others are left to protojson.
func (t *translator) message(n *lint.Node, path string, md protoreflect.MessageDescriptor) {
	switch name := md.FullName(); {
	case name == "google.protobuf.Any":
		t.packed(n, path)
	case n.Kind == lint.Null || strings.HasPrefix(string(name), "google.protobuf."):
		if inner := md.Fields().ByName("value"); inner != nil && md.Fields().Len() == 1 && name != "google.protobuf.ListValue" {
			if v := n.At("value"); n.Kind == lint.Mapping && len(n.Fields) == 1 && v != nil {
				n = v // {value: 5} is the same as 5
			}
			t.single(n, path, inner)
			return
		}
		if n.Kind == lint.Scalar && placeholder.MatchString(n.Text) {
			t.refuse(n.Line, path, "%s is a placeholder: fill in the template first", written(n))
			return
		}
		t.value(n, path)
	case n.Kind != lint.Mapping:
		t.refuse(n.Line, path, "a mapping is expected here: the fields of %s, not %s", md.Name(), written(n))
	default:
		t.fields(n, path, md)
	}
}

// packed writes an extension: a mapping that names its type in @type.
func (t *translator) packed(n *lint.Node, path string) {
	typ := n.At("@type")
	if n.Kind != lint.Mapping || typ == nil {
		t.value(n, path)
		return
	}
	m, err := protoregistry.GlobalTypes.FindMessageByURL(typ.Text)
	switch {
	case err != nil:
		t.unread[shortType(typ.Text)]++
		t.out.WriteString("{" + standIn + "}")
	case strings.HasPrefix(string(m.Descriptor().FullName()), "google.protobuf."):
		t.value(n, path)
	default:
		t.fields(n, path, m.Descriptor())
	}
}

// fields writes a mapping with the fields of md. Where a field has both its names, the last one counts.
func (t *translator) fields(n *lint.Node, path string, md protoreflect.MessageDescriptor) {
	last := map[protoreflect.FieldNumber]int{}
	for i, f := range n.Fields {
		if fd := fieldOf(md, f.Key); fd != nil {
			last[fd.Number()] = i
		}
	}
	t.out.WriteByte('{')
	first := true
	for i, f := range n.Fields {
		fd, at := fieldOf(md, f.Key), join(path, f.Key)
		if fd == nil && f.Key != "@type" && t.took {
			t.left = append(t.left, fmt.Sprintf("%s:%d %s", t.file, f.Line, at))
			continue
		}
		if fd == nil && f.Key != "@type" {
			t.refuse(f.Line, at, "%s has no field %q%s", md.Name(), f.Key, wherever(n, md, f))
			continue
		}
		if fd != nil && last[fd.Number()] != i || f.Key == "port_value" && placeholder.MatchString(f.Value.Text) {
			continue // no rule reads a port
		}
		if !first {
			t.out.WriteByte(',')
		}
		first = false
		t.begin(f.Line, at)
		t.text(f.Key)
		t.out.WriteByte(':')
		if fd == nil {
			t.text(f.Value.Text)
			continue
		}
		t.field(f.Value, at, fd)
	}
	t.out.WriteByte('}')
}

func fieldOf(md protoreflect.MessageDescriptor, key string) protoreflect.FieldDescriptor {
	if fd := md.Fields().ByJSONName(key); fd != nil {
		return fd
	}
	return md.Fields().ByTextName(key)
}

// wherever says how to indent a field that belongs into an empty sibling, which is how a slip of
// indentation looks.
func wherever(n *lint.Node, md protoreflect.MessageDescriptor, f lint.Field) string {
	for _, sibling := range n.Fields {
		fd := fieldOf(md, sibling.Key)
		if fd == nil || fd.Message() == nil || fd.IsMap() || sibling.Value.Kind != lint.Null {
			continue
		}
		if fieldOf(fd.Message(), f.Key) != nil {
			return fmt.Sprintf(": indent it below %s", sibling.Key)
		}
	}
	return ""
}

// field writes the value of a field, which may be repeated or a map.
func (t *translator) field(n *lint.Node, path string, fd protoreflect.FieldDescriptor) {
	switch {
	case n.Kind == lint.Null && (fd.IsList() || fd.IsMap()):
		t.out.WriteString("null")
	case fd.IsMap() && n.Kind == lint.Mapping:
		t.out.WriteByte('{')
		for i, f := range n.Fields {
			t.next(i, f.Line, join(path, f.Key))
			t.text(f.Key)
			t.out.WriteByte(':')
			t.single(f.Value, join(path, f.Key), fd.MapValue())
		}
		t.out.WriteByte('}')
	case fd.IsMap():
		t.refuse(n.Line, path, "a mapping is expected here, not %s", written(n))
	case fd.IsList():
		items := n.Items
		if n.Kind != lint.Sequence {
			items = []*lint.Node{n}
		}
		t.out.WriteByte('[')
		for i, item := range items {
			at := fmt.Sprintf("%s[%d]", path, i)
			t.next(i, item.Line, at)
			t.single(item, at, fd)
		}
		t.out.WriteByte(']')
	default:
		t.single(n, path, fd)
	}
}

// single writes one value of a field's type.
func (t *translator) single(n *lint.Node, path string, fd protoreflect.FieldDescriptor) {
	if fd.Message() != nil {
		t.message(n, path, fd.Message())
		return
	}
	if n.Kind == lint.Mapping || n.Kind == lint.Sequence {
		t.refuse(n.Line, path, "a %s is expected here, not %s", fd.Kind(), written(n))
		return
	}
	text := n.Text
	switch {
	case placeholder.MatchString(text) && fd.Kind() != protoreflect.StringKind && fd.Kind() != protoreflect.BytesKind:
		t.refuse(n.Line, path, "%s is a placeholder: fill in the template first", written(n))
		return
	case n.Kind == lint.Null:
		t.out.WriteString("null")
		return
	case fd.Enum() != nil:
		text = enumName(fd.Enum(), text)
	case fd.Kind() == protoreflect.BoolKind && boolean[strings.ToLower(text)] != "":
		text = boolean[strings.ToLower(text)]
		n = &lint.Node{Kind: lint.Scalar, Text: text}
	case fd.Kind() != protoreflect.StringKind && fd.Kind() != protoreflect.BytesKind && integer.MatchString(text):
		if i, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 0, 64); err == nil {
			text = strconv.FormatInt(i, 10)
		}
	}
	t.scalar(&lint.Node{Kind: lint.Scalar, Text: text, Quoted: n.Quoted})
}

// placeholder matches what templates leave open: ${PORT}, $PORT, {{ port }}, __PORT__, @PORT@, <port>.
var placeholder = regexp.MustCompile(`^(\$\{?\w+.*|\{\{.*\}\}|__\w+__|@\w+@|<.*>|[A-Z]+_[A-Z_]*(PORT|TIMEOUT|LIMIT))$`)

// boolean are the words that yaml-cpp converts (its src/convert.cpp), in lower case.
var boolean = map[string]string{"true": "true", "yes": "true", "on": "true", "y": "true",
	"false": "false", "no": "false", "off": "false", "n": "false"}

// integer matches integers in yaml-cpp's forms: 0x10 is 16 and 010 is 8.
var integer = regexp.MustCompile(`^[+-]?(0x[0-9a-fA-F]+|[0-9]+)$`)

// enumName is a value's name as the .proto file has it, or the text itself when there is no such value.
func enumName(ed protoreflect.EnumDescriptor, text string) string {
	values := ed.Values()
	number, err := strconv.Atoi(text)
	for i := range values.Len() {
		if v := values.Get(i); strings.EqualFold(string(v.Name()), text) || err == nil && int(v.Number()) == number {
			return string(v.Name())
		}
	}
	return text
}

// written says what the file has, for an error.
func written(n *lint.Node) string {
	switch n.Kind {
	case lint.Mapping:
		return "a mapping"
	case lint.Sequence:
		return "a list"
	}
	return strconv.Quote(textwrap.Clip(n.Text, lint.LongestWord))
}

// value writes a value without a known type.
func (t *translator) value(n *lint.Node, path string) {
	switch n.Kind {
	case lint.Mapping:
		t.out.WriteByte('{')
		for i, f := range n.Fields {
			t.next(i, f.Line, join(path, f.Key))
			t.text(f.Key)
			t.out.WriteByte(':')
			t.value(f.Value, join(path, f.Key))
		}
		t.out.WriteByte('}')
	case lint.Sequence:
		t.out.WriteByte('[')
		for i, item := range n.Items {
			at := fmt.Sprintf("%s[%d]", path, i)
			t.next(i, item.Line, at)
			t.value(item, at)
		}
		t.out.WriteByte(']')
	case lint.Null:
		t.out.WriteString("null")
	case lint.Scalar:
		t.scalar(n)
	}
}
