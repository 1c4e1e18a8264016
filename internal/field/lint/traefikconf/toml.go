package traefikconf

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/pelletier/go-toml/v2/unstable"

	"h2lab/internal/field/lint"
)

// deepest bounds the nesting of brackets in a TOML file: the libraries recurse.
const deepest = 1000

// readTOML reads a TOML file into the same tree as YAML. The decoder of BurntSushi, which Traefik uses
// itself (github.com/traefik/paerser/file), decides whether the file is valid, but has no positions.
// The parser of go-toml has the line of each key; its decoder isn't used, because it takes quadratic
// time in the number of keys of a table.
func readTOML(f lint.File) (*lint.Node, error) {
	if err := bracketsOf(f); err != nil {
		return nil, err
	}
	r := tomlReader{index: map[*lint.Node]map[string]int{}}
	top := r.read(f.Data)
	if r.wrong != "" { // before the decoder, which takes long for deep nesting
		return nil, &lint.SyntaxError{File: f.Name, Line: r.line, What: r.wrong}
	}
	var values map[string]any
	_, err := toml.Decode(string(f.Data), &values)
	if err == nil {
		err = r.parser.Error()
	}
	if at, is := errors.AsType[toml.ParseError](err); is {
		return nil, &lint.SyntaxError{File: f.Name, Line: at.Position.Line, What: "not TOML: " + at.Message}
	}
	if err != nil {
		return nil, &lint.SyntaxError{File: f.Name, What: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return top, nil
}

// bracketsOf rejects a file that would exhaust the libraries' stack.
func bracketsOf(f lint.File) error {
	depth := 0
	for i, c := range f.Data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > deepest {
			return &lint.SyntaxError{
				File: f.Name,
				Line: 1 + bytes.Count(f.Data[:i], []byte("\n")),
				What: fmt.Sprintf("more than %d brackets open", deepest),
			}
		}
	}
	return nil
}

// tomlReader builds a tree from the expressions of go-toml's parser.
type tomlReader struct {
	parser unstable.Parser
	index  map[*lint.Node]map[string]int // the index of each mapping's fields by key
	depth  int
	wrong  string // why the file is rejected
	line   int    // of the last key that was read
	offset int    // lines before it are counted
}

// read stops at the first error.
func (r *tomlReader) read(data []byte) *lint.Node {
	top := &lint.Node{Kind: lint.Mapping, Line: 1}
	table := top
	for r.parser.Reset(data); r.wrong == "" && r.parser.NextExpression(); {
		e := r.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			table = r.descend(top, e.Key(), false)
		case unstable.ArrayTable:
			table = r.descend(top, e.Key(), true)
		case unstable.KeyValue:
			r.keyValue(table, e)
		}
	}
	return top
}

// lineOf is the line of a key. Keys come in the order of the file, so each line is counted once.
func (r *tomlReader) lineOf(key *unstable.Node) int {
	at := int(key.Raw.Offset)
	if at >= r.offset {
		r.line = max(r.line, 1) + bytes.Count(r.parser.Data()[r.offset:at], []byte("\n"))
		r.offset = at
	}
	return r.line
}

// descend goes from the top to the table that a header names. The last name of an [[array]] header
// appends an element; any other name of an array leads to its last element.
func (r *tomlReader) descend(top *lint.Node, keys unstable.Iterator, array bool) *lint.Node {
	at := top
	for r.depth = 0; r.wrong == "" && keys.Next(); {
		f := r.field(at, keys.Node())
		if f.Value == nil {
			f.Value = &lint.Node{Kind: lint.Mapping, Line: f.Line}
			if array && keys.IsLast() {
				f.Value.Kind = lint.Sequence
			}
		}
		if at = f.Value; at.Kind != lint.Sequence {
			continue
		}
		if array && keys.IsLast() {
			at.Items = append(at.Items, &lint.Node{Kind: lint.Mapping, Line: r.line})
		}
		if len(at.Items) == 0 {
			r.wrong = fmt.Sprintf("not TOML: %q is an empty array and no table", keys.Node().Data)
			return top
		}
		at = at.Items[len(at.Items)-1]
	}
	return at
}

// keyValue adds a key, which may be dotted, and its value to a table.
func (r *tomlReader) keyValue(table *lint.Node, e *unstable.Node) {
	depth := r.depth
	for keys := e.Key(); r.wrong == "" && keys.Next(); {
		f := r.field(table, keys.Node())
		switch {
		case keys.IsLast():
			f.Value = r.value(e.Value(), f.Line)
		case f.Value == nil:
			f.Value = &lint.Node{Kind: lint.Mapping, Line: f.Line}
		}
		table = f.Value
	}
	r.depth = depth
}

// field finds or adds a key.
func (r *tomlReader) field(n *lint.Node, key *unstable.Node) *lint.Field {
	if r.depth++; r.depth > lint.MostDepth {
		r.wrong = fmt.Sprintf("nested deeper than %d levels", lint.MostDepth)
	}
	known := r.index[n]
	if known == nil {
		known = map[string]int{}
		r.index[n] = known
	}
	at, there := known[string(key.Data)]
	if line := r.lineOf(key); !there {
		at = len(n.Fields)
		known[string(key.Data)] = at
		n.Fields = append(n.Fields, lint.Field{Key: string(key.Data), Line: line})
	}
	return &n.Fields[at]
}

func (r *tomlReader) value(v *unstable.Node, line int) *lint.Node {
	if r.depth++; r.depth > lint.MostDepth {
		r.wrong = fmt.Sprintf("nested deeper than %d levels", lint.MostDepth)
	}
	defer func() { r.depth-- }()
	switch v.Kind {
	case unstable.InlineTable:
		n := &lint.Node{Kind: lint.Mapping, Line: line}
		for each := v.Children(); each.Next(); {
			if each.Node().Kind == unstable.KeyValue {
				r.keyValue(n, each.Node())
			}
		}
		return n
	case unstable.Array:
		n := &lint.Node{Kind: lint.Sequence, Line: line}
		for each := v.Children(); each.Next(); {
			if each.Node().Kind != unstable.Comment {
				n.Items = append(n.Items, r.value(each.Node(), line))
			}
		}
		return n
	case unstable.Integer: // 5_000 and 0x10 in plain decimal
		if i, err := strconv.ParseInt(strings.ReplaceAll(string(v.Data), "_", ""), 0, 64); err == nil {
			return &lint.Node{Kind: lint.Scalar, Text: strconv.FormatInt(i, 10), Line: line}
		}
	}
	return &lint.Node{Kind: lint.Scalar, Text: string(v.Data), Quoted: v.Kind == unstable.String, Line: line}
}
