package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// node has the parts of a JSON Schema that the comparison needs.
type node struct {
	Ref        string           `json:"$ref"`
	Type       any              `json:"type"`
	Enum       []string         `json:"enum"`
	Const      any              `json:"const"`
	Required   []string         `json:"required"`
	Properties map[string]*node `json:"properties"`
	Items      *node            `json:"items"`
	Values     *node            `json:"additionalProperties"`
	Defs       map[string]*node `json:"$defs"`
}

// compare walks a Go type and its schema side by side.
type compare struct {
	t    *testing.T
	defs map[string]*node
	seen map[string]bool
}

func (c *compare) walk(at string, typ reflect.Type, n *node) {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		if name != typ.Name() {
			c.t.Errorf("%s is a %s in Go and a %s in the schema", at, typ.Name(), name)
		}
		if c.seen[name] {
			return
		}
		c.seen[name] = true
		if n = c.defs[name]; n == nil {
			c.t.Fatalf("%s: the schema has no $defs/%s", at, name)
		}
	}
	switch {
	case typ == reflect.TypeFor[facts.Note](): // a Text or words
	case typ == reflect.TypeFor[time.Time]():
		c.is(at, n, "string")
	case typ.Kind() == reflect.Struct:
		c.is(at, n, "object")
		c.fields(at, typ, n)
	case typ.Kind() == reflect.Slice:
		c.is(at, n, "array")
		c.walk(at+"[]", typ.Elem(), n.Items)
	case typ.Kind() == reflect.Map:
		c.is(at, n, "object")
		c.walk(at+"{}", typ.Elem(), n.Values)
	case typ.Kind() == reflect.Pointer:
		c.is(at, n, []any{scalar(typ.Elem()), "null"})
	case typ.Kind() == reflect.Interface || n.Const != nil || len(n.Enum) > 0:
	default:
		c.is(at, n, scalar(typ))
	}
}

func (c *compare) is(at string, n *node, want any) {
	if !reflect.DeepEqual(n.Type, want) {
		c.t.Errorf("%s is %v in Go and %v in the schema", at, want, n.Type)
	}
}

func scalar(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "integer"
	}
	return t.String()
}

func (c *compare) fields(at string, typ reflect.Type, n *node) {
	inGo := map[string]bool{}
	for field := range typ.Fields() {
		name := strings.Split(field.Tag.Get("json"), ",")[0]
		if name == "-" {
			continue
		}
		inGo[name] = true
		p, ok := n.Properties[name]
		if !ok {
			c.t.Errorf("%s.%s (%s.%s) is not in the schema", at, name, typ.Name(), field.Name)
			continue
		}
		field, optional := field.Type, strings.Contains(field.Tag.Get("json"), ",omit")
		switch required := slices.Contains(n.Required, name); {
		case !optional && !required:
			c.t.Errorf("%s.%s is always written, but the schema doesn't require it", at, name)
		case optional && required:
			c.t.Errorf("%s.%s may be left out, but the schema requires it", at, name)
		}
		if optional && field.Kind() == reflect.Pointer {
			field = field.Elem() // it is left out, so never null
		}
		c.walk(at+"."+name, field, p)
	}
	for name := range maps.Keys(n.Properties) {
		if !inGo[name] {
			c.t.Errorf("%s.%s is in the schema, but not in %s", at, name, typ.Name())
		}
	}
}

func TestSchemasAndTypesNameTheSameFields(t *testing.T) {
	for kind, typ := range map[string]reflect.Type{
		ResultsSchema: reflect.TypeFor[facts.Result](), VerdictsSchema: reflect.TypeFor[facts.Judgement](),
		SeriesSchema: reflect.TypeFor[facts.Series](),
	} {
		var root node
		labtest.Check(t, json.Unmarshal(Schema(kind), &root))
		c := &compare{t: t, defs: root.Defs, seen: map[string]bool{}}
		c.walk(kind, typ, &root)
		if len(c.seen) != len(root.Defs) {
			t.Errorf("%s: %d definitions, %d of them reached from the root", kind, len(root.Defs), len(c.seen))
		}
	}
}

func TestTheStatusesOfTheSchemaAreTheTypes(t *testing.T) {
	for _, s := range []facts.Status{facts.Reproduced, facts.Fixed, facts.NotReproduced, facts.Inconclusive,
		facts.Unsupported} {
		if err := Validate(VerdictsSchema, verdict(string(s))); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := Validate(VerdictsSchema, verdict("passed")); err == nil ||
		!strings.Contains(err.Error(), "/verdicts/0/status") {
		t.Errorf("a status that doesn't exist: %v", err)
	}
}

func verdict(status string) []byte {
	return fmt.Appendf(nil, `{"schema_version":3,"run":"a","cells":[],"verdicts":[{"id":"a","title":{"key":""},"status":%q,`+
		`"expected":{"key":"a.b","args":[1,"x",{"key":""}]},"actual":{"key":""},
		"evidence":[{"pointer":"results.json#/cells/0","value":null},{"pointer":"verdicts.json#/cells/0","value":1}],
		"reference":{"key":""},"hint":{"key":""},"warnings":[]}]}`, status)
}

// bounds walks a schema and checks that every value in a file has a bound, since code allocates
// memory and draws charts from it.
func bounds(t *testing.T, at string, n any) {
	switch x := n.(type) {
	case []any:
		for i, v := range x {
			bounds(t, fmt.Sprintf("%s/%d", at, i), v)
		}
	case map[string]any:
		if _, ok := x["properties"].(map[string]any); ok || x["type"] != nil {
			for _, lacks := range unbounded(x) {
				t.Errorf("%s has no %s", at, lacks)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			bounds(t, at+"/"+k, x[k])
		}
	}
}

// unbounded names the bounds that a node of its type lacks.
func unbounded(n map[string]any) (out []string) {
	want := func(names ...string) {
		for _, name := range names {
			if n[name] != nil {
				return
			}
		}
		out = append(out, strings.Join(names, " or "))
	}
	types := fmt.Sprint(n["type"])
	switch {
	case strings.Contains(types, "number"), strings.Contains(types, "integer"):
		want("minimum")
		want("maximum")
	case types == "string":
		want("maxLength", "pattern", "format")
		if p, _ := n["pattern"].(string); n["pattern"] != nil && n["maxLength"] == nil && strings.ContainsAny(p, "*+") {
			out = append(out, "bound for the repetitions of its pattern")
		}
	case types == "array":
		want("maxItems")
	case types == "object" && n["properties"] == nil:
		want("maxProperties")
		want("propertyNames")
	}
	return out
}

func TestEveryFieldIsBounded(t *testing.T) {
	for _, kind := range []string{ResultsSchema, VerdictsSchema, SeriesSchema} {
		var root any
		labtest.Check(t, json.Unmarshal(Schema(kind), &root))
		bounds(t, kind, root)
	}
}

func TestTheClassesOfTheSchemaAreTheTypes(t *testing.T) {
	var root struct {
		Defs map[string]*node `json:"$defs"`
	}
	labtest.Check(t, json.Unmarshal(Schema(ResultsSchema), &root))
	if got := root.Defs["Error"].Properties["class"].Enum; !slices.Equal(got, facts.ErrorClasses) {
		t.Errorf("the schema has the classes %q, the types %q", got, facts.ErrorClasses)
	}
}
