package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
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
	if len(f.Data) > MostBytes {
		return nil, &SyntaxError{
			File: f.Name,
			What: fmt.Sprintf("larger than %d MiB: give the configuration file itself", MostBytes>>20),
		}
	}
	if first := bytes.TrimSpace(f.Data); len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(f.Data) {
		n, err := readJSON(f)
		if err != nil {
			return nil, err
		}
		return []*Node{n}, nil
	}
	if len(f.Data) > mostYAML {
		return nil, &SyntaxError{
			File: f.Name,
			What: fmt.Sprintf("larger than %d MiB as YAML, which is no configuration that anyone wrote: "+
				"give it as JSON", mostYAML>>20),
		}
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
		return nil, &SyntaxError{File: f.Name, What: "empty: there is no configuration in it"}
	}
	return docs, nil
}

var lineOfError = regexp.MustCompile(`^yaml: (?:unmarshal errors:\s+)?line (\d+): `)

// yamlError moves the line number from the library's message to SyntaxError.Line.
func yamlError(f File, err error) error {
	said := err.Error()
	m := lineOfError.FindStringSubmatch(said)
	if m == nil {
		return &SyntaxError{File: f.Name, What: "not YAML: " + strings.TrimPrefix(said, "yaml: ")}
	}
	line, _ := strconv.Atoi(m[1])
	return &SyntaxError{
		File: f.Name,
		Line: brokenLine(f.Data, line),
		What: "not YAML: " + strings.TrimPrefix(said, m[0]),
	}
}

// Bounds of the search for the line that breaks a document.
const (
	mostTries    = 300
	mostSearched = 1 << 18
)

// brokenLine is the line after the longest prefix of the file that is valid YAML. The library names
// the line where the block around the error begins, which may be line 1.
func brokenLine(data []byte, named int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(data) > mostSearched || len(lines)-named > mostTries {
		return named
	}
	end := len(data)
	for n := len(lines); n >= named; n-- {
		if readable(data[:end]) {
			return min(n+1, len(lines))
		}
		end -= len(lines[n-1])
	}
	return named
}

func readable(data []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var raw yaml.Node
		if err := dec.Decode(&raw); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
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
		return nil, &SyntaxError{
			File: e.file,
			Line: raw.Line,
			What: fmt.Sprintf("nested deeper than %d levels", MostDepth),
		}
	case *e.budget < 0:
		return nil, &SyntaxError{
			File: e.file,
			What: fmt.Sprintf("more than %d values once its aliases are written out", MostNodes),
		}
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
			return &SyntaxError{File: e.file, Line: key.Line, What: "a key that is not plain text"}
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
