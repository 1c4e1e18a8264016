package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/texts"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/advise/document"
)

func advicePage(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/advise.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// jsonNames returns the JSON names of a type's fields, including those of nested types.
func jsonNames(of reflect.Type) (out []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[texts.Sentence]() {
		return nil
	}
	for f := range of.Fields() {
		out = append(append(out, f.Tag.Get("json")), jsonNames(f.Type)...)
	}
	return out
}

func TestTheAdvicePageNamesEveryFieldAndOption(t *testing.T) {
	page := advicePage(t)
	names := jsonNames(reflect.TypeFor[document.Document]())
	if len(names) < 40 {
		t.Fatalf("only %d fields found: the walk is broken", len(names))
	}
	for _, name := range names {
		if name == "" || !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/advise.md doesn't explain the field %q", name)
		}
	}
	var c struct {
		Advise adviseCmd `cmd:""`
	}
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range parser.Model.Children[0].Flags {
		if !strings.Contains(page, "`--"+f.Name+"`") {
			t.Errorf("docs/advise.md doesn't explain --%s", f.Name)
		}
	}
}

func TestTheAdvicePageHasTheModelsConstants(t *testing.T) {
	page := advicePage(t)
	for _, row := range []string{
		fmt.Sprintf("| dropped share | %v |", advise.DroppedShare),
		fmt.Sprintf("| a request's processor time at the proxy | %v ms |", advise.RequestMS),
		fmt.Sprintf("| a handshake's processor time at the proxy | %v ms |", advise.HandshakeRSA),
		fmt.Sprintf("taken times %v (RSA, full) or %v", advise.OfGo(advise.RSA, false),
			advise.OfGo(advise.ECDSA, false)),
	} {
		if !strings.Contains(page, row) {
			t.Errorf("docs/advise.md doesn't say %q", row)
		}
	}
}

// TestThePrintedErrorsAreThePromisedOnes checks the sentence below an answer that the measured map doesn't correct.
func TestThePrintedErrorsAreThePromisedOnes(t *testing.T) {
	var b strings.Builder
	if err := (document.Document{Handshake: document.HandshakePrice{Source: "given"}}).WriteText(&b, texts.English, nil); err != nil {
		t.Fatal(err)
	}
	printed := strings.Join(strings.Fields(b.String()), " ")
	most := func(a, b [2]float64) [2]float64 { return [2]float64{max(a[0], b[0]), max(a[1], b[1])} }
	both := most(most(promises["dials"], promises["goodput"]),
		most(alonePromises[advise.DialsFigure], alonePromises[advise.GoodputFigure]))
	p99 := most(promises["added p99 ms"], alonePromises[advise.P99Figure])
	want := fmt.Sprintf("dials and goodput were typically within a factor of %v, at worst %v; of added p99 %v and %v "+
		"(docs/advise.md)", both[0], both[1], p99[0], p99[1])
	if !strings.Contains(printed, want) {
		t.Errorf("advise prints other errors than %q:\n%s", want, printed)
	}
}
