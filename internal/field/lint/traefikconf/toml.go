package traefikconf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"h2lab/internal/field/lint"
)

// readTOML reads a TOML file into the shape that YAML has. The library tells no
// lines, so they are looked up in the text.
func readTOML(f lint.File) (*lint.Node, error) {
	var top map[string]any
	if err := decodeTOML(f, &top); err != nil {
		return nil, err
	}
	lines := tomlLines(string(f.Data))
	n := fromTOML(top, "", 1, lines, 0)
	if n == nil {
		return nil, &lint.SyntaxError{File: f.Name, What: fmt.Sprintf("nested deeper than %d levels", lint.MostDepth)}
	}
	return n, nil
}

// deepest is how deep a TOML file's brackets may go: the library recurses.
const deepest = 1000

func decodeTOML(f lint.File, into *map[string]any) error {
	depth := 0
	for i, c := range f.Data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > deepest {
			return &lint.SyntaxError{File: f.Name, Line: 1 + strings.Count(string(f.Data[:i]), "\n"), What: fmt.Sprintf("more than %d brackets open", deepest)}
		}
	}
	_, err := toml.Decode(string(f.Data), into)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return &lint.SyntaxError{File: f.Name, Line: parse.Position.Line, What: "not TOML: " + parse.Message}
	}
	if err != nil {
		return &lint.SyntaxError{File: f.Name, What: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return nil
}

// fromTOML copies a value; nil when it is nested too deep.
func fromTOML(v any, path string, line int, lines map[string]int, depth int) *lint.Node {
	if depth > lint.MostDepth {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		n := &lint.Node{Kind: lint.Mapping, Line: line}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			at := strings.TrimPrefix(path+"."+key, ".")
			keyLine, found := lines[at]
			if !found {
				keyLine = line
			}
			value := fromTOML(v[key], at, keyLine, lines, depth+1)
			if value == nil {
				return nil
			}
			n.Fields = append(n.Fields, lint.Field{Key: key, Line: keyLine, Value: value})
		}
		return n
	case []map[string]any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = v[i]
		}
		return fromTOML(items, path, line, lines, depth)
	case []any:
		n := &lint.Node{Kind: lint.Sequence, Line: line}
		for _, item := range v {
			value := fromTOML(item, path, line, lines, depth+1)
			if value == nil {
				return nil
			}
			n.Items = append(n.Items, value)
		}
		return n
	}
	_, quoted := v.(string)
	return &lint.Node{Kind: lint.Scalar, Text: fmt.Sprint(v), Quoted: quoted, Line: line}
}

// tomlLines are the lines on which tables and keys begin, by their dotted names.
// Keys within inline tables are not among them.
func tomlLines(text string) map[string]int {
	out := map[string]int{}
	table, inString := "", ""
	for i, line := range strings.Split(text, "\n") {
		if inString != "" { // a string of several lines
			if strings.Contains(line, inString) {
				inString = ""
			}
			continue
		}
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") && strings.Contains(trimmed, "]") {
			name := strings.TrimLeft(trimmed, "[")
			table = plainKey(name[:strings.IndexByte(name, ']')])
			note(out, table, i+1)
			continue
		}
		key, value, found := strings.Cut(trimmed, "=")
		if !found || strings.HasPrefix(trimmed, "#") {
			continue
		}
		note(out, strings.TrimPrefix(table+"."+plainKey(key), "."), i+1)
		for _, quote := range []string{`"""`, "'''"} {
			if strings.Count(value, quote) == 1 {
				inString = quote
			}
		}
	}
	return out
}

// note keeps the first line of a name, and of what it stands in.
func note(out map[string]int, name string, line int) {
	for ; name != ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
		if _, there := out[name]; !there {
			out[name] = line
		}
	}
}

// plainKey is a dotted key without quotes and the space around its dots.
func plainKey(s string) string {
	parts := strings.Split(s, ".")
	for i, part := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(part), `"'`)
	}
	return strings.Join(parts, ".")
}
