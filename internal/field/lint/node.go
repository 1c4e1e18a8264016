package lint

import (
	"strconv"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

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
	// Overridden holds the fields of a mapping whose key comes again further down. Servers differ here:
	// Envoy and Kubernetes take the last one, Traefik refuses the file.
	Overridden []Field
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

// set adds a field, or replaces the one with the same key. seen has the index of each key.
func (n *Node) set(seen map[string]int, f Field) {
	if i, there := seen[f.Key]; there {
		n.Overridden = append(n.Overridden, n.Fields[i])
		n.Fields[i] = f
		return
	}
	seen[f.Key] = len(n.Fields)
	n.Fields = append(n.Fields, f)
}

// Repeated returns the places in n where a mapping has a key twice, the overridden fields first in the
// order of the file.
func (n *Node) Repeated() []Field {
	out := append([]Field(nil), n.Overridden...)
	for _, f := range n.Fields {
		out = append(out, f.Value.Repeated()...)
	}
	for _, item := range n.Items {
		out = append(out, item.Repeated()...)
	}
	return out
}

// TakesTheLast says for each repeated key of the documents that server takes its last value.
func TakesTheLast(file, server string, docs []*Node) []facts.Text {
	var out []facts.Text
	for _, doc := range docs {
		for _, f := range doc.Repeated() {
			out = append(out, facts.T("lint.takes-the-last", strconv.Quote(text.ClipLine(f.Key, LongestWord)), file, f.Line, server))
		}
	}
	return out
}
