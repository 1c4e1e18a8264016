package envoyconf

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"h2lab/internal/field/lint"
)

// translator writes a YAML value as JSON, with every key and scalar on a line of its own, so that a
// line number in protojson's error leads back to the file. It writes what protojson is stricter about
// than Envoy in protojson's way: Envoy reads enums in any case, a single value where a list is due, and
// numbers and booleans as yaml-cpp does (envoy --mode validate of 1.40; valid_integration_test.go).
type translator struct {
	file   string
	out    bytes.Buffer
	lines  []spot
	unread map[string]int
	took   bool              // an Envoy took this already: fields of another version are left out
	left   []string          // those that were, FILE:LINE PATH
	wrong  *lint.SyntaxError // the first value that Envoy refuses and this package explains itself
}

// spot is the place in the file that a line of the JSON comes from.
type spot struct {
	line int
	path string
}

// standIn replaces an extension whose type isn't built into this program, so that the rest of the file
// can still be read.
const standIn = `"@type":"type.googleapis.com/google.protobuf.Struct","value":{}`

// decode fills m from n.
func (c *config) decode(f *lint.Source, n *lint.Node, path string, m proto.Message) error {
	if err := olderAPI(f, n); err != nil {
		return err
	}
	t := &translator{file: f.Name, unread: c.unread, took: c.inDump}
	// A resource of a dump has an @type; m already is of that type and has no such field.
	plain := *n
	plain.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f lint.Field) bool { return f.Key == "@type" })
	t.message(&plain, path, m.ProtoReflect().Descriptor())
	c.unknown = append(c.unknown, t.left...)
	if t.wrong != nil {
		return t.wrong
	}
	if err := protojson.Unmarshal(t.out.Bytes(), m); err != nil {
		return t.explain(err, n)
	}
	return nil
}

// next begins a line of the JSON.
func (t *translator) next(i, line int, path string) {
	if i > 0 {
		t.out.WriteByte(',')
	}
	t.begin(line, path)
}

func (t *translator) begin(line int, path string) {
	t.out.WriteByte('\n')
	t.lines = append(t.lines, spot{line, path})
}

// scalar writes numbers and booleans without quotes, as Envoy's YAML reader does, and quotes all other
// scalars.
func (t *translator) scalar(n *lint.Node) {
	if !n.Quoted && (n.Text == "true" || n.Text == "false" || jsonNumber.MatchString(n.Text)) {
		t.out.WriteString(n.Text)
		return
	}
	t.text(n.Text)
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (t *translator) text(s string) {
	quoted, _ := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	t.out.Write(quoted)
}

var placeOfError = regexp.MustCompile(`\(line (\d+):\d+\):?\s*`)

// explain replaces the place in protojson's error with the file's line and the field's path.
func (t *translator) explain(err error, n *lint.Node) error {
	said := strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto:"))
	at := spot{line: n.Line}
	if m := placeOfError.FindStringSubmatch(said); m != nil {
		said = strings.Replace(said, m[0], "", 1)
		// Line 1 is the opening brace, which is n itself.
		if line, _ := strconv.Atoi(m[1]); line >= 2 && line-2 < len(t.lines) {
			at = t.lines[line-2]
		}
	}
	if strings.Contains(said, "google.protobuf.Duration") {
		said += ": write seconds, such as 0.25s"
	}
	if at.path != "" {
		said = at.path + ": " + said
	}
	return &lint.SyntaxError{File: t.file, Line: at.line, What: said + " (as Envoy " + builtFor + " reads it)"}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// shortType is a type URL without its host, which is the same for all types.
func shortType(url string) string {
	return url[strings.LastIndexByte(url, '/')+1:]
}

// field returns a mapping's field by its name in the .proto file; JSON also accepts lowerCamelCase
// (protobuf.dev, "ProtoJSON format"). When the mapping has both, Envoy takes the last.
func field(n *lint.Node, name string) *lint.Field {
	snake, camel := n.Field(name), n.Field(camel(name))
	if snake == nil || camel != nil && camel.Line > snake.Line {
		return camel
	}
	return snake
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// under follows a path of field names. It returns the last node that exists, and whether that is the
// end of the path.
func under(n *lint.Node, path ...string) (*lint.Node, bool) {
	for _, name := range path {
		f := field(n, name)
		if f == nil {
			return n, false
		}
		n = f.Value
	}
	return n, true
}

// items returns the elements of a repeated field; Envoy takes a single value for a list of one.
func items(n *lint.Node, path ...string) []*lint.Node {
	list, there := under(n, path...)
	switch {
	case !there:
		return nil
	case list.Kind == lint.Sequence:
		return list.Items
	}
	return []*lint.Node{list}
}
