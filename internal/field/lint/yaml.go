package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/base/text"
)

// Bounds of a YAML document, counted after its aliases are expanded: twenty lines of nested aliases
// can expand to a billion nodes.
const (
	MostNodes = 1_000_000
	MostDepth = 200
	// mostYAML bounds the input of the YAML library: 3 MiB can take it 8 s.
	mostYAML = 4 << 20
)

// ReadYAML reads every document of a file and skips empty ones. A file with only empty documents is an
// error, and so is one that exceeds the bounds.
func ReadYAML(f File) ([]*Node, error) {
	if first := bytes.TrimSpace(f.Data); len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(f.Data) {
		n, err := readJSON(f)
		if err != nil {
			return nil, err
		}
		return []*Node{n}, nil
	}
	if len(f.Data) > mostYAML {
		return nil, Refuse(f.Name, 0, "larger than %d MiB as YAML, which is no configuration that anyone wrote: give it as JSON",
			mostYAML>>20)
	}
	dec := yaml.NewDecoder(bytes.NewReader(f.Data))
	budget := MostNodes
	var docs []*Node
	for {
		var raw yaml.Node
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, yamlError(f, err)
		}
		n, err := (&expander{file: f.Name, budget: &budget}).expand(&raw, 0)
		if err != nil {
			return nil, err
		}
		if n != nil && n.Kind != Null {
			docs = append(docs, n)
		}
	}
	if len(docs) == 0 {
		return nil, Refuse(f.Name, 0, "empty: there is no configuration in it")
	}
	return docs, nil
}

var lineOfError = regexp.MustCompile(`^yaml: (?:unmarshal errors:\s+)?line (\d+): `)

// yamlError moves the line number from the library's message to SyntaxError.Line.
func yamlError(f File, err error) error {
	said := err.Error()
	m := lineOfError.FindStringSubmatch(said)
	if m == nil {
		return Refuse(f.Name, 0, "not YAML: %s", strings.TrimPrefix(said, "yaml: "))
	}
	line, _ := strconv.Atoi(m[1])
	return Refuse(f.Name, line, "not YAML: %s", strings.TrimPrefix(said, m[0]))
}

// expander copies a document and expands its aliases. It doesn't track the aliases that it is inside
// of: an alias to itself ends at MostDepth.
type expander struct {
	file   string
	budget *int
}

func (e *expander) expand(raw *yaml.Node, depth int) (*Node, error) {
	*e.budget--
	switch {
	case depth > MostDepth:
		return nil, Refuse(e.file, raw.Line, "nested deeper than %d levels", MostDepth)
	case *e.budget < 0:
		return nil, Refuse(e.file, 0, "more than %d values once its aliases are written out", MostNodes)
	}
	n := &Node{Text: raw.Value, Line: raw.Line, Column: raw.Column}
	switch raw.Kind {
	case yaml.DocumentNode:
		if len(raw.Content) == 0 {
			return nil, nil
		}
		return e.expand(raw.Content[0], depth)
	case yaml.AliasNode:
		return e.expand(raw.Alias, depth+1)
	case yaml.MappingNode:
		n.Kind = Mapping
		return n, e.fields(n, raw, depth)
	case yaml.SequenceNode:
		n.Kind = Sequence
		for _, item := range raw.Content {
			v, err := e.expand(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, v)
		}
	case yaml.ScalarNode:
		n.Quoted = raw.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 ||
			raw.ShortTag() == "!!str"
		n.Literal = raw.Style&yaml.LiteralStyle != 0
		if raw.ShortTag() == "!!null" {
			n.Kind = Null
		}
	default: // an empty document
		n.Kind = Null
	}
	return n, nil
}

// fields copies a mapping. A key of the mapping itself overrides the same key of a merge (YAML's merge
// type, yaml.org/type/merge.html).
func (e *expander) fields(n *Node, raw *yaml.Node, depth int) error {
	seen := map[string]int{}
	var merged []*Node
	for i := 0; i+1 < len(raw.Content); i += 2 {
		key, err := e.expand(raw.Content[i], depth+1)
		if err != nil {
			return err
		}
		if key.Kind == Mapping || key.Kind == Sequence {
			return Refuse(e.file, key.Line, "a key that is not plain text")
		}
		value, err := e.expand(raw.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if raw.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		n.set(seen, Field{Key: key.Text, Line: key.Line, Column: key.Column, Value: value})
	}
	for _, m := range merged {
		e.merge(n, m, seen)
	}
	return nil
}

func (e *expander) merge(n, from *Node, seen map[string]int) {
	for _, item := range from.Items {
		e.merge(n, item, seen)
	}
	for _, f := range from.Fields {
		if _, there := seen[f.Key]; !there {
			n.set(seen, f)
		}
	}
}

// readJSON reads a document that json.Valid has accepted. JSON is valid YAML, but this reader is
// thirty times faster than the YAML library, and the /config_dump of a large Envoy needs that.
func readJSON(f File) (*Node, error) {
	return (&jsonReader{File: f, line: 1, column: 1, budget: MostNodes}).value(0)
}

type jsonReader struct {
	File
	at, line, column int // of the next byte; column counts characters
	budget           int
}

// jsonToken matches a token behind what stands before it.
var jsonToken = regexp.MustCompile(`(?s)\A[ \t\r\n,:]*("(?:[^"\\]|\\.)*"|[{}\[\]]|[^ \t\r\n,:{}\[\]"]+)`)

// next returns the next token, a string without its quotes, with its place.
func (r *jsonReader) next() (token byte, n *Node) {
	at := jsonToken.FindSubmatchIndex(r.Data[r.at:])
	text := r.Data[r.at+at[2] : r.at+at[3]]
	for i, c := range r.Data[r.at : r.at+at[3]] {
		if i == at[2] {
			n = &Node{Line: r.line, Column: r.column}
		}
		switch {
		case c == '\n':
			r.line, r.column = r.line+1, 1
		case c&0xC0 != 0x80: // the first byte of a character
			r.column++
		}
	}
	r.at += at[3]
	if n.Text, n.Quoted = string(text), text[0] == '"'; n.Quoted {
		_ = json.Unmarshal(text, &n.Text) // json.Valid accepted it
	}
	return text[0], n
}

// value reads a value; nil for the bracket that ends a sequence.
func (r *jsonReader) value(depth int) (*Node, error) {
	token, n := r.next()
	switch r.budget--; {
	case depth > MostDepth:
		return nil, Refuse(r.Name, n.Line, "nested deeper than %d levels", MostDepth)
	case r.budget < 0:
		return nil, Refuse(r.Name, 0, "more than %d values", MostNodes)
	case token == ']':
		return nil, nil
	case n.Text == "null" && !n.Quoted:
		n.Kind = Null
		return n, nil
	case token != '{' && token != '[':
		return n, nil
	}
	n.Kind, n.Text = map[byte]NodeKind{'{': Mapping, '[': Sequence}[token], ""
	for seen := map[string]int{}; ; {
		var f Field
		if n.Kind == Mapping {
			token, key := r.next()
			if token == '}' {
				return n, nil
			}
			f = Field{Key: key.Text, Line: key.Line, Column: key.Column}
		}
		var err error
		if f.Value, err = r.value(depth + 1); err != nil || f.Value == nil {
			return n, err
		}
		if n.Kind == Mapping {
			n.set(seen, f)
		} else {
			n.Items = append(n.Items, f.Value)
		}
	}
}

// Node is a value of a YAML or JSON document with its place. Aliases are expanded and merge keys
// applied, so that readers handle neither.
type Node struct {
	Kind         NodeKind
	Text         string // of a scalar, without quotes
	Quoted       bool   // whether the scalar is quoted or tagged as a string
	Literal      bool   // whether the scalar is a literal block: | and lines below
	Line, Column int
	Fields       []Field // of a mapping, in the order of the file
	Items        []*Node // of a sequence
}

// NodeKind is the type of a Node.
type NodeKind int

// The kinds of a Node. The Text of a Null is how the file writes it.
const (
	Scalar NodeKind = iota
	Null
	Mapping
	Sequence
)

// Field is one key of a mapping. Line is the line of the key.
type Field struct {
	Key          string
	Line, Column int
	Value        *Node
}

// PlainKey is a name without what distinguishes its spellings: keepalive_requests, keepAliveRequests and
// keep-alive-requests become one.
func PlainKey(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
}

// Field returns n's first field that has one of these names, nil when there is none; n may be nil.
func (n *Node) Field(names ...string) *Field {
	if n == nil {
		return nil
	}
	for i := range n.Fields {
		for _, name := range names {
			if n.Fields[i].Key == name {
				return &n.Fields[i]
			}
		}
	}
	return nil
}

// At returns the value under a path of keys, nil when a key is missing.
func (n *Node) At(path ...string) *Node {
	for _, key := range path {
		f := n.Field(key)
		if f == nil {
			return nil
		}
		n = f.Value
	}
	return n
}

// Scalar is the text of the scalar at a path, "" when there is none.
func (n *Node) Scalar(path ...string) string {
	if n = n.At(path...); n == nil || n.Kind != Scalar {
		return ""
	}
	return n.Text
}

// Inner are the values of a mapping's fields, or the items of a sequence.
func (n *Node) Inner() []*Node {
	out := slices.Clip(n.Items)
	for _, f := range n.Fields {
		out = append(out, f.Value)
	}
	return out
}

// set adds a field, or replaces the one with the same key. seen has the index of each key.
func (n *Node) set(seen map[string]int, f Field) {
	if i, there := seen[f.Key]; there {
		n.Fields[i] = f
		return
	}
	seen[f.Key] = len(n.Fields)
	n.Fields = append(n.Fields, f)
}

// LongestLine bounds the text of a file that a finding repeats: a minified JSON document is one line.
const LongestLine = 160

// LongestWord bounds a token of a file that a message repeats.
const LongestWord = 60

// longestRaw bounds a line before the white space around it is trimmed.
const longestRaw = 4096

// Source is a file with an index of its lines: a dump of Envoy's has hundreds of thousands, too many
// to count from the top for each finding.
type Source struct {
	File
	starts []int // where each line begins
}

// Lines indexes the lines of a file.
func Lines(f File) *Source {
	s := &Source{File: f, starts: []int{0}}
	for i, c := range f.Data {
		if c == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// Line is line n of the file, from 1, without the white space around it; "" when there is no such line
// or it is too long to repeat.
func (s *Source) Line(n int) string {
	line := strings.TrimSpace(s.raw(n))
	if len(line) > LongestLine {
		return ""
	}
	return line
}

func (s *Source) raw(n int) string {
	if n < 1 || n > len(s.starts) {
		return ""
	}
	line := s.Data[s.starts[n-1]:]
	if n < len(s.starts) {
		line = line[:s.starts[n]-1-s.starts[n-1]]
	}
	if len(line) > longestRaw {
		return ""
	}
	return strings.TrimSuffix(string(line), "\r")
}

// Swap returns the line of a field's scalar, and the same line with text in the scalar's place. When
// the line is too long to repeat, or the scalar has several lines, it returns "key: value" instead.
func (s *Source) Swap(field *Field, content string) (found, fix string) {
	n := field.Value
	line := []rune(s.raw(n.Line))
	from := n.Column - 1
	if s.Line(n.Line) != "" && from >= 0 && from < len(line) {
		if end := scalarEnd(line, from, n); end > 0 {
			swapped := string(line[:from]) + content + string(line[end:])
			return strings.TrimSpace(string(line)), strings.TrimSpace(swapped)
		}
	}
	return text.ClipLine(field.Key, LongestLine) + ": " + text.ClipLine(n.Text, LongestLine),
		text.ClipLine(field.Key, LongestLine) + ": " + content
}

// Beside makes the finding's fix lines that are added to a mapping: below its first scalar on a line of its own. Where
// there is none, the fix is what to paste.
func (f *Finding) Beside(s *Source, n *Node, lines string) {
	f.Fix = lines
	for _, field := range n.Fields {
		line := s.Line(field.Line)
		key := strings.TrimLeft(strings.TrimPrefix(line, "- "), " ")
		if v := field.Value; v.Kind == Scalar && v.Line == field.Line && !v.Literal && strings.Contains(line, v.Text) &&
			strings.HasPrefix(strings.TrimLeft(key, `"'`), field.Key) && !strings.HasSuffix(line, ",") { // no text of several lines
			indent := "\n" + strings.Repeat(" ", len(line)-len(key))
			f.Line, f.Found, f.Fix = field.Line, line, line+indent+strings.ReplaceAll(lines, "\n", indent)
			return
		}
	}
}

// scalarEnd is where the scalar that begins at from ends; 0 when it doesn't end on this line, or an
// anchor or a tag precedes it.
func scalarEnd(line []rune, from int, n *Node) int {
	if quote := line[from]; quote == '"' || quote == '\'' {
		for i := from + 1; i < len(line); i++ {
			switch {
			case line[i] == '\\' && quote == '"':
				i++
			case line[i] == quote:
				return i + 1
			}
		}
		return 0
	}
	end := from + len([]rune(n.Text))
	if n.Text == "" || end > len(line) || string(line[from:end]) != n.Text {
		return 0
	}
	return end
}
