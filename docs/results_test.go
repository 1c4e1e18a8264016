package docs

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// jsonFields adds the JSON name of every field below t to names.
func jsonFields(t reflect.Type, names map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		jsonFields(t.Elem(), names)
	case reflect.Struct:
		if t.PkgPath() != reflect.TypeFor[facts.Result]().PkgPath() {
			return
		}
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && name != "-" {
				names[name] = true
			}
			jsonFields(field.Type, names)
		}
	}
}

func TestResultsPageNamesEveryFieldAndNoOther(t *testing.T) {
	b := labtest.Read(t, "results.md")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(b, -1) {
		named[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`"([a-z0-9_]+)"`).FindAllStringSubmatch(b, -1) {
		named[m[1]] = true
	}
	fields := map[string]bool{}
	for _, typ := range []reflect.Type{reflect.TypeFor[facts.Result](), reflect.TypeFor[facts.Judgement](),
		reflect.TypeFor[facts.Series]()} {
		jsonFields(typ, fields)
	}
	for f := range fields {
		if !named[f] {
			t.Errorf("docs/results.md doesn't name the field %s", f)
		}
	}
	// Names in backquotes that are values or commands, not fields.
	words := strings.Fields("repro fixed matrix clients story ab crashed silent garbled native docker rsa ecdsa none " +
		"goaway close reset timeout other reproduced inconclusive unsupported null")
	for _, w := range words {
		delete(named, w)
	}
	for n := range named {
		if !fields[n] {
			t.Errorf("docs/results.md names %s, which no type has", n)
		}
	}
}
