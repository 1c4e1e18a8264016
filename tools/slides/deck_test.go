package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func deckOf(t *testing.T, text string) ([]slide, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "slides.md")
	labtest.Write(t, filepath.Join(filepath.Dir(name), "a.svg"), "<svg/>")
	labtest.Write(t, name, text)
	return parse(name)
}

func TestASlideHasItsNotesTimeAndPictures(t *testing.T) {
	all, err := deckOf(t, "<!-- About the file. -->\n\n# One\n\n<img alt=\"a\" src=\"a.svg\">\n\n<!-- minutes: 2 -->\n"+
		"<!-- recorded: repro a.b.c accepted 1 -->\n<!-- Say `this`. -->\n\n---\n\n## Two\n\n<!-- exercise: 8 -->\n<!-- Wait. -->\n")
	labtest.Check(t, err)
	if len(all) != 2 || all[0].Seconds != 120 || all[0].Exercise != 0 || all[1].Seconds != 480 || all[1].Exercise != 8 {
		t.Errorf("read as %+v", all)
	}
	if want := "<p>Say <code>this</code>.</p>\n"; all[0].Notes != want {
		t.Errorf("the notes are %q, want %q", all[0].Notes, want)
	}
	for _, hidden := range []string{"About", "recorded", "minutes", "Say", "a.svg"} {
		if strings.Contains(all[0].HTML, hidden) {
			t.Errorf("the slide shows %q:\n%s", hidden, all[0].HTML)
		}
	}
	if !strings.Contains(all[0].HTML, `src="data:image/svg+xml;base64,PHN2Zy8+"`) {
		t.Errorf("the picture isn't in the slide:\n%s", all[0].HTML)
	}
}

func TestAnIncompleteSlideIsNamed(t *testing.T) {
	const whole = "\n<!-- minutes: 2 -->\n<!-- Note. -->\n"
	for text, want := range map[string]string{
		"# One\n\n<!-- Note. -->\n":                                   `slide 1, "One": it needs a time`,
		"# One\n\n<!-- minutes: 2 -->\n":                              `slide 1, "One": it needs a time`,
		"# One\n" + whole + "\n---\n\n## Two\n":                       `slide 2, "Two": it needs a time`,
		"# One\n\n<img alt=\"\" src=\"b.svg\">\n" + whole:             "b.svg: no such file",
		"# One\n\n<img alt=\"\" src=\"https://a.b/c.png\">\n" + whole: "https://a.b/c.png isn't an SVG file",
	} {
		if _, err := deckOf(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestAScriptInsideAScriptDoesntEndIt(t *testing.T) {
	if got := inScript("a = `<script>b()</script><!-- c -->`"); got != "a = `<script>b()<\\/script>\\x3C!-- c -->`" {
		t.Errorf("%s", got)
	}
}

func TestWithoutRevealTheErrorNamesTheCommand(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, workshopDir)
	labtest.Check(t, os.MkdirAll(dir, 0o755))
	text := []byte("# One\n\n<!-- minutes: 2 -->\n<!-- Note. -->\n")
	labtest.Write(t, filepath.Join(dir, "slides.md"), string(text))
	if err := build(root); err == nil || !strings.HasSuffix(err.Error(), "next: make slides") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "slides")); err == nil {
		t.Error("a file was left behind")
	}
}
