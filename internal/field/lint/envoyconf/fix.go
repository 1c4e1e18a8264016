package envoyconf

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"h2lab/internal/field/lint"
)

// swap sets the finding's Found to the line of a field's value, and its Fix to the same line with
// another value. It does nothing when there is no such field.
func (j *judge) swap(f *lint.Finding, file *lint.Source, n *lint.Node, value string, path ...string) {
	f.Found, f.Fix = j.swapText(file, n, value, path...)
}

func (j *judge) swapText(file *lint.Source, n *lint.Node, value string, path ...string) (found, fix string) {
	parent, there := under(n, path[:len(path)-1]...)
	if !there {
		return "", ""
	}
	leaf := field(parent, path[len(path)-1])
	if leaf == nil {
		return "", ""
	}
	if asJSON(file) && strings.TrimLeft(value, "0123456789") != "" {
		value = `"` + value + `"`
	}
	return file.Swap(leaf, value)
}

// asJSON reports whether a file is written in JSON.
func asJSON(f *lint.Source) bool {
	return bytes.HasPrefix(bytes.TrimSpace(f.Data), []byte("{"))
}

// add sets the finding's Found and Fix so that text, fields in YAML, is added to the mapping n. When the
// file is JSON, or n is written in braces, the Fix is what to paste, without a Found.
func add(f *lint.Finding, file *lint.Source, n *lint.Node, text string) {
	text = paste(file, text)
	if f.Fix = text; asJSON(file) || n.Kind != lint.Mapping {
		return
	}
	for _, m := range n.Fields {
		line := file.Line(m.Line)
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
func within(f *lint.Finding, file *lint.Source, parent *lint.Node, name, text string) {
	at := field(parent, name)
	if at == nil || at.Value.Kind == lint.Mapping && len(at.Value.Fields) > 0 {
		n, _ := under(parent, name)
		add(f, file, n, text)
		return
	}
	line := file.Line(at.Line)
	if before, is := strings.CutSuffix(line, "{}"); is && !asJSON(file) {
		f.Line, f.Found, f.Fix = at.Line, line, before+"{"+paste(file, text)+"}"
		return
	}
	f.Fix = paste(file, text)
}

// paste writes a YAML mapping in the file's own syntax: with its spelling of names, or as the members of
// a JSON object.
func paste(f *lint.Source, text string) string {
	if bytes.Contains(f.Data, []byte("typedConfig")) && !bytes.Contains(f.Data, []byte("typed_config")) {
		text = snake.ReplaceAllStringFunc(text, func(name string) string { return camel(name) })
	}
	if !asJSON(f) {
		return text
	}
	docs, err := lint.ReadYAML(lint.File{Data: []byte(text)})
	if err != nil {
		return text
	}
	t := &translator{unread: map[string]int{}}
	var members []string
	for _, m := range docs[0].Fields {
		t.out.Reset()
		t.text(m.Key)
		t.out.WriteString(": ")
		t.value(m.Value, "")
		members = append(members, strings.ReplaceAll(t.out.String(), "\n", ""))
	}
	return strings.Join(members, ",\n")
}

// snake matches the names of fields, and no type.
var snake = regexp.MustCompile(`\b[a-z]+(_[a-z0-9]+)+\b`)
