package check

import (
	"flag"
	"os"
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
)

var update = flag.Bool("update", false, "write the example of docs/lint-others.md anew")

func TestTheExampleOfTheDocsIsWhatLintPrints(t *testing.T) {
	const page, begin, end = "../../../../docs/lint-others.md", "$ h2lab lint shop.cfg\n", "```\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata")
	r, err := Run(t.Context(), []string{"shop.cfg"}, "", lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := r.WriteText(&said, texts.English); err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, there := strings.Cut(rest, end)
	if !there {
		t.Fatalf("%s has no example", page)
	}
	want := before + begin + said.String() + end + after
	if *update {
		t.Chdir("..")
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("go test -update writes the example anew:\n%s", said.String())
	}
}
