package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"h2lab/internal/base/labtest"
	"h2lab/internal/report/pictures"
)

const pictureDir = "../../docs/workshop/pictures"

func drawn(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := pictures.Draw(recorded("../.."))
	labtest.Check(t, err)
	return files
}

func TestThePicturesAreThoseOfTheRecordedRuns(t *testing.T) {
	files := drawn(t)
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(pictureDir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s isn't what is drawn now (%v); next: make golden", name, err)
		}
	}
	err := filepath.WalkDir(pictureDir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(pictureDir, path)
		if err == nil && !d.IsDir() && files[filepath.ToSlash(name)] == nil {
			t.Errorf("%s is drawn by nothing; next: delete it", path)
		}
		return err
	})
	labtest.Check(t, err)
}

var (
	viewBox  = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)
	fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)
	svgText  = regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)
)

// shownWidth is a picture's width on a slide of 1280 × 720, as in deck.css; highest leaves room for a
// title and a caption.
const shownWidth, highest, smallest = 1180.0, 530.0, 24.0

func TestPicturesAreLegibleOnAProjector(t *testing.T) {
	if !strings.Contains(deckCSS, ".reveal img { width: 1180px;") {
		t.Error("deck.css shows pictures in another width than this test")
	}
	for name, svg := range drawn(t) {
		box := viewBox.FindSubmatch(svg)
		wide, _ := strconv.ParseFloat(string(box[1]), 64)
		tall, _ := strconv.ParseFloat(string(box[2]), 64)
		if high := tall * shownWidth / wide; high > highest {
			t.Errorf("%s is %.0f pixels high on a slide, more than %.0f", name, high, highest)
		}
		sizes := fontSize.FindAllSubmatch(svg, -1)
		if len(sizes) < 4 {
			t.Errorf("%s has only %d texts", name, len(sizes))
		}
		for _, m := range sizes {
			if size, _ := strconv.ParseFloat(string(m[1]), 64); size*shownWidth/wide < smallest {
				t.Errorf("%s has a text of %.1f pixels on a slide, less than %.0f", name, size*shownWidth/wide, smallest)
			}
		}
	}
}

func TestPicturesHaveTwoSchemesTwoLanguagesAndADescription(t *testing.T) {
	files := drawn(t)
	for name, svg := range files {
		light, isLight := strings.CutSuffix(name, "-light.svg")
		if isLight && (files[light+"-dark.svg"] == nil || bytes.Equal(svg, files[light+"-dark.svg"])) {
			t.Errorf("%s has no dark version of its own", name)
		}
		english, chinese := strings.CutPrefix(name, "zh/")
		if !chinese && files["zh/"+name] == nil || chinese && files[english] == nil {
			t.Errorf("%s has no picture in the other language", name)
		}
		texts := []string{between(string(svg), `<title id="title">`, "</title>"), between(string(svg), `<desc id="desc">`, "</desc>")}
		for i, s := range texts {
			if len(s) < 10 || han(s) != chinese {
				t.Errorf("%s: its title or description (%d) is %q", name, i, s)
			}
		}
		inChinese := 0
		for _, m := range svgText.FindAllSubmatch(svg, -1) {
			if han(string(m[1])) {
				inChinese++
			}
		}
		if chinese != (inChinese > 0) {
			t.Errorf("%s has %d Chinese texts", name, inChinese)
		}
	}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

func han(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
