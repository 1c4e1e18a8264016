package traefikconf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"h2lab/internal/field/lint"
)

// readTOML reads a TOML file into the same tree as YAML, with the decoder that Traefik uses itself
// (github.com/traefik/paerser/file). The decoder knows the order of the keys; their lines are looked up in the text.
func readTOML(f lint.File) (*lint.Node, error) {
	if err := bounded(f); err != nil {
		return nil, err
	}
	var values map[string]any
	meta, err := toml.Decode(string(f.Data), &values)
	if at, is := errors.AsType[toml.ParseError](err); is {
		return nil, lint.Refuse(f.Name, at.Position.Line, "not TOML: %s", at.Message)
	}
	if err != nil {
		return nil, lint.Refuse(f.Name, 0, "not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	lines := linesOf(f.Data, meta.Keys())
	return lines.node(values, "", 1), nil
}

// bounded rejects nesting of brackets or of dotted keys for which the decoder would take long.
func bounded(f lint.File) error {
	brackets, dots, key, line := 0, 0, true, 1
	for _, c := range f.Data {
		switch c {
		case '[', '{':
			brackets++
		case ']', '}':
			brackets--
		case '.':
			if key {
				dots++
			}
		case '=':
			key = false
		case '\n':
			dots, key, line = 0, true, line+1
		}
		if max(brackets, dots) > lint.MostDepth {
			return lint.Refuse(f.Name, line, "nested deeper than %d levels", lint.MostDepth)
		}
	}
	return nil
}

// keyLines are the lines on which keys stand, by their names joined with NUL.
type keyLines map[string][]int

// farthest bounds the text between two keys that is searched.
const farthest = 1 << 16

// linesOf looks each key up behind the one before it, which is the file's order. A key that is spelt with escapes
// isn't found and gets the line of the key before it.
func linesOf(data []byte, keys []toml.Key) keyLines {
	data = keysAlone(data)
	lines, at, line := keyLines{}, 0, 1
	for _, key := range keys {
		rest := data[at:min(len(data), at+farthest)]
		if end := nextKey(rest, key[len(key)-1]); end > 0 {
			line += bytes.Count(rest[:end], []byte("\n"))
			at += end
		}
		for i := range key { // a table without a header of its own begins with its first key
			name := strings.Join(key[:i+1], "\x00")
			if known := lines[name]; i == len(key)-1 || len(known) == 0 {
				lines[name] = append(known, line)
			}
		}
	}
	return lines
}

// text matches comments and strings.
var text = regexp.MustCompile(`(?s)#[^\n]*|\"\"\".*?\"\"\"|'''.*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`)

// keysAlone blanks the comments, and the strings that are no keys.
func keysAlone(data []byte) []byte {
	out := bytes.Clone(data)
	for _, m := range text.FindAllIndex(data, -1) {
		after := bytes.TrimLeft(data[m[1]:min(len(data), m[1]+100)], " \t")
		line := bytes.TrimLeft(data[bytes.LastIndexByte(data[:m[0]], '\n')+1:m[0]], " \t")
		if data[m[0]] != '#' && len(after) > 0 && (after[0] == '=' || after[0] == '.' ||
			after[0] == ']' && bytes.HasPrefix(line, []byte("["))) {
			continue
		}
		for i := m[0]; i < m[1]; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return out
}

// nextKey is where the first key of this name ends in text: before `=`, a dot or a bracket. 0 means nowhere.
func nextKey(text []byte, name string) int {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return 0
		}
		begin, end := from+i, from+i+len(name)
		before := begin == 0 || bytes.IndexByte([]byte(" \t\n.[{,\"'"), text[begin-1]) >= 0
		if after := bytes.TrimLeft(text[end:], "\"' \t"); before && len(after) > 0 && bytes.IndexByte([]byte("=.]"), after[0]) >= 0 {
			return end
		}
		from = max(end, from+1)
	}
}

// of is the line of a key below a line: an array of tables has its keys several times.
func (lines keyLines) of(path string, below int) int {
	if i, _ := slices.BinarySearch(lines[path], below); i < len(lines[path]) {
		return lines[path][i]
	}
	return below
}

// node is a value as YAML would have it.
func (lines keyLines) node(v any, path string, line int) *lint.Node {
	n := &lint.Node{Line: line}
	switch v := v.(type) {
	case map[string]any:
		n.Kind = lint.Mapping
		for key, value := range v {
			at := strings.TrimPrefix(path+"\x00"+key, "\x00")
			line := lines.of(at, line)
			n.Fields = append(n.Fields, lint.Field{Key: key, Line: line, Value: lines.node(value, at, line)})
		}
		slices.SortFunc(n.Fields, func(a, b lint.Field) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key)) })
	case []map[string]any:
		n.Kind = lint.Sequence
		for i, item := range v {
			if i > 0 {
				line = lines.of(path, line+1)
			}
			n.Items = append(n.Items, lines.node(item, path, line))
		}
	case []any:
		n.Kind = lint.Sequence
		for _, item := range v {
			n.Items = append(n.Items, lines.node(item, path, line))
		}
	default:
		_, n.Quoted = v.(string)
		n.Text = fmt.Sprint(v)
	}
	return n
}
