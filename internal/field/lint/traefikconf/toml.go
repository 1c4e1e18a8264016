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
// (github.com/traefik/paerser/file). It doesn't say where keys stand: their lines are looked up in the text.
func readTOML(f lint.File) (*lint.Node, error) {
	if err := bounded(f); err != nil {
		return nil, err
	}
	var values map[string]any
	_, err := toml.Decode(string(f.Data), &values)
	if at, is := errors.AsType[toml.ParseError](err); is {
		return nil, lint.Refuse(f.Name, at.Position.Line, "not TOML: %s", at.Message)
	}
	if err != nil {
		return nil, lint.Refuse(f.Name, 0, "not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return linesOf(f.Data).node(values, "", 1), nil
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

// keyLines are the lines on which keys stand, by their names joined with NUL; of a table that is there several times the
// first counts.
type keyLines map[string]int

// header and assigned match lines that begin a table or set a key, keyPart a part of a key, several strings of several lines.
var (
	header   = regexp.MustCompile(`^\s*\[+([^\]#]+)\]`)
	assigned = regexp.MustCompile(`^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=`)
	keyPart  = regexp.MustCompile(`[\w-]+|"[^"]*"|'[^']*'`)
	several  = regexp.MustCompile(`(?s)\"\"\".*?\"\"\"|'''.*?'''`)
)

// linesOf looks the keys up in the text. A key within braces, or one that is spelt with escapes, isn't found and gets the
// line of what it is in.
func linesOf(data []byte) keyLines {
	lines, table, number := keyLines{}, []string(nil), 0
	data = several.ReplaceAllFunc(data, func(s []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(s, []byte("\n"))) })
	for line := range bytes.Lines(data) {
		number++
		var key []string
		if m := header.FindSubmatch(line); m != nil {
			table = named(m[1])
		} else if m := assigned.FindSubmatch(line); m != nil {
			key = named(m[1])
		}
		for i, whole := 0, slices.Concat(table, key); i < len(whole); i++ {
			name := strings.Join(whole[:i+1], "\x00")
			lines[name] = cmp.Or(lines[name], number)
		}
	}
	return lines
}

// named are the parts of a dotted key.
func named(key []byte) (out []string) {
	for _, part := range keyPart.FindAll(key, -1) {
		out = append(out, strings.Trim(string(part), `"'`))
	}
	return out
}

// node is a value as YAML would have it.
func (lines keyLines) node(v any, path string, line int) *lint.Node {
	n := &lint.Node{Line: line}
	switch v := v.(type) {
	case map[string]any:
		n.Kind = lint.Mapping
		for key, value := range v {
			at := strings.TrimPrefix(path+"\x00"+key, "\x00")
			line := max(line, lines[at])
			n.Fields = append(n.Fields, lint.Field{Key: key, Line: line, Value: lines.node(value, at, line)})
		}
		slices.SortFunc(n.Fields, func(a, b lint.Field) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key)) })
	case []map[string]any:
		n.Kind = lint.Sequence
		for _, item := range v {
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
