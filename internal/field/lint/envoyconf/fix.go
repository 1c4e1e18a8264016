package envoyconf

import (
	"bytes"
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

// paste writes a YAML mapping in the file's own syntax: as it is, or as the members of a JSON object.
func paste(f *lint.Source, text string) string {
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
