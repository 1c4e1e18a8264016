package lint

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

func TestYAMLIsReadWithItsPlaces(t *testing.T) {
	docs, err := ReadYAML(File{Name: "f", Data: []byte("a: &x {n: 1}\nb:\n  <<: *x\n  m: 'two'\n---\n\n---\n- *y\n")})
	if err == nil {
		t.Fatalf("an unknown alias was read: %v", docs)
	}
	docs, err = ReadYAML(File{Name: "f", Data: []byte("a: &x {n: 1, m: 0}\nb:\n  <<: *x\n  m: 'two'\nc: *x\n---\n" +
		"# nothing\n---\n- {\"k\":\"v\"}\n")})
	labtest.Check(t, err)
	if len(docs) != 2 {
		t.Fatalf("%d documents, not 2", len(docs))
	}
	b := docs[0].At("b")
	if got := b.At("m"); got.Text != "two" || !got.Quoted || got.Line != 4 || got.Column != 6 {
		t.Errorf("b.m is %+v", got)
	}
	if got := b.At("n"); got == nil || got.Text != "1" || got.Quoted || got.Line != 1 {
		t.Errorf("what the merge key brings is %+v", got)
	}
	if got := docs[0].At("c", "m"); got == nil || got.Text != "0" {
		t.Errorf("what the alias stands for is %+v", got)
	}
	if got := docs[1].Items[0].At("k"); got == nil || got.Line != 9 {
		t.Errorf("JSON within YAML is %+v", got)
	}
	if docs[0].At("a", "n", "deeper") != nil || docs[0].Field("none", "a").Key != "a" {
		t.Error("a path that isn't there, or one of two names, was found wrong")
	}
}

// Both readers must return the same tree for a document that both can read.
func TestJSONIsReadAsYAMLIs(t *testing.T) {
	text := "{\n  \"a\": [1, -2.5e3, true, null, \"x\", {}],\n\t\"é\" : {\"b\":\"\\u00e9\\n\", \"c\": []}\n}\n"
	file := File{Name: "f", Data: []byte(text)}
	asJSON, err := readJSON(file)
	labtest.Check(t, err)
	// A comment makes the document YAML that is not JSON.
	docs, err := ReadYAML(File{Name: "f", Data: []byte(text + "# no JSON\n")})
	labtest.Check(t, err)
	if diff := cmp.Diff(docs[0], asJSON); diff != "" {
		t.Errorf("-YAML +JSON:\n%s", diff)
	}
}

func TestWhatIsNoYAMLIsOneSentenceWithItsLine(t *testing.T) {
	deep := strings.Repeat("[", MostDepth+2) + strings.Repeat("]", MostDepth+2)
	bomb := "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1),
			10), ","))
	}
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"empty":           {"", "empty", 0},
		"comments":        {"# a\n---\n", "empty", 0},
		"broken":          {"a:\n  b: 1\n  c: 2\n   d: [\ne: 1\n", "not YAML", 4},
		"tab":             {"a:\n\tb: 1\n", "not YAML", 2},
		"key":             {"? [a]\n: 1\n", "key", 1},
		"deep":            {"a: 1\nb: " + deep, "nested deeper", 2},
		"very deep":       {strings.Repeat("[", 50_000), "not YAML", 0},
		"bomb":            {bomb, "aliases are written out", 0},
		"alias to itself": {"a: &a [*a]\n", "nested deeper", 1},
		"binary":          {"a: \x00\x01", "not YAML", 0},
		"huge YAML":       {strings.Repeat("#", mostYAML+1), "larger than", 0},
		"JSON deep":       {strings.Repeat("[", 300) + strings.Repeat("]", 300), "nested deeper", 1},
		"huge":            {strings.Repeat("#", MostBytes+1), "larger than", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadYAML(File{Name: "f.yaml", Data: []byte(c.text)})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(err.Error(), c.want) || syntax.Line != c.line || strings.Contains(err.Error(), "\n") {
				t.Errorf("line %d: %v; want line %d, %q", syntax.Line, err, c.line, c.want)
			}
		})
	}
}

func TestAValueIsSwappedInItsLine(t *testing.T) {
	f := File{Name: "f", Data: []byte("# é\nx: {ä: 1, b: \"two\" , c: 'it''s'} # note\nd: &k 5\ne: |\n  long\n" +
		"f: [" + strings.Repeat("1,", LongestLine) + "{g: 7}]\n")}
	docs, err := ReadYAML(f)
	labtest.Check(t, err)
	x := docs[0].At("x")
	for name, c := range map[string]struct {
		field      *Field
		found, fix string
	}{
		"plain": {x.Field("ä"), "x: {ä: 1, b: \"two\" , c: 'it''s'} # note",
			"x: {ä: 9, b: \"two\" , c: 'it''s'} # note"},
		"quoted":  {x.Field("b"), "x: {ä: 1, b: \"two\" , c: 'it''s'} # note", "x: {ä: 1, b: 9 , c: 'it''s'} # note"},
		"anchor":  {docs[0].Field("d"), "d: 5", "d: 9"},
		"block":   {docs[0].Field("e"), "e: long", "e: 9"},
		"minfied": {docs[0].At("f").Items[LongestLine].Field("g"), "g: 7", "g: 9"},
	} {
		t.Run(name, func(t *testing.T) {
			if found, fix := Lines(f).Swap(c.field, "9"); found != c.found || fix != c.fix {
				t.Errorf("%q → %q\nwant %q → %q", found, fix, c.found, c.fix)
			}
		})
	}
	if s := Lines(f); s.Line(0) != "" || s.Line(99) != "" || s.Line(1) != "# é" {
		t.Error("lines outside the file, or its first, are wrong")
	}
}

func TestALimitWeighsByTheRequestsInFlight(t *testing.T) {
	for _, c := range []struct {
		n       int64
		streams int
		want    Severity
	}{{1, 100, Error}, {100, 100, Error}, {101, 100, Warning}, {1000, 100, Warning}, {9999, 100, Warning},
		{10000, 100, Note}, {1000, 10, Note}, {0, 1, Error}} {
		if got := Weigh(c.n, c.streams); got != c.want {
			t.Errorf("%d requests, %d in flight: %s, not %s", c.n, c.streams, got, c.want)
		}
	}
}

func FuzzReadYAML(f *testing.F) {
	for _, s := range []string{"a: 1", "- &x {b: *x}", "{\"a\":[1,null,true]}", "{\"é\": {\"b\": \"\\ud83d\\ude00\"}}",
		"a: &a\n  <<: *a\n", "--- |\n x\n--- 'y'\n", "<<: [1, {a: 2}]", "? a\n: b", "a: !!binary x", "\ta: 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := File{Name: "f", Data: []byte(text)}
		docs, err := ReadYAML(file)
		if (err == nil) != (len(docs) > 0) {
			t.Fatalf("%d documents and error %v", len(docs), err)
		}
		for _, d := range docs {
			swapAll(t, Lines(file), d)
		}
	})
}

func swapAll(t *testing.T, f *Source, n *Node) {
	t.Helper()
	for i := range n.Fields {
		if n.Fields[i].Value.Kind == Scalar {
			if found, fix := f.Swap(&n.Fields[i], "new"); strings.ContainsAny(found+fix, "\n") {
				t.Fatalf("several lines: %q → %q", found, fix)
			}
		}
		swapAll(t, f, n.Fields[i].Value)
	}
	for _, item := range n.Items {
		swapAll(t, f, item)
	}
}

func TestTheLastOfARepeatedKeyCounts(t *testing.T) {
	for _, text := range []string{"a: 1\nb: {c: 1, d: 2,\n  c: 3}\n", "{\"b\": {\"c\": 1,\n\"c\": 3}}"} {
		docs, err := ReadYAML(File{Name: "f", Data: []byte(text)})
		labtest.Check(t, err)
		if got := docs[0].At("b", "c"); got == nil || got.Text != "3" {
			t.Errorf("%q: c is %+v, not 3", text, got)
		}
	}
}
