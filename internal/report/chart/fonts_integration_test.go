//go:build integration

package chart

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
)

// viewerFonts are fonts that a viewer may use: the one that the layout was measured with, a narrow
// one, a wide one (DejaVu Sans has about Verdana's widths), and one wider than any browser default.
var viewerFonts = []string{"Liberation Sans", "Liberation Sans Narrow", "DejaVu Sans", "DejaVu Sans Mono"}

// collisions finds the texts of the page's picture that extend beyond it or overlap another text.
// It shrinks the boxes by the space that a font keeps above and below its letters.
const collisions = `(() => {
	const svg = document.querySelector('svg'), edge = svg.getBoundingClientRect(), out = [];
	const boxes = [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim()).map((t) => {
		const b = t.getBoundingClientRect(), shrink = b.height * 0.22;
		return {words: t.textContent, left: b.left, right: b.right, top: b.top + shrink, bottom: b.bottom - shrink};
	});
	boxes.forEach((b, i) => {
		if (b.left < edge.left - 0.5 || b.right > edge.right + 0.5 || b.top < edge.top || b.bottom > edge.bottom) {
			out.push(b.words + ' leaves the picture');
		}
		boxes.slice(0, i).filter((o) => b.left < o.right - 1 && o.left < b.right - 1 && b.top < o.bottom && o.top < b.bottom)
			.forEach((o) => out.push(b.words + ' lies on ' + o.words));
	});
	return boxes.length < 3 ? ['only ' + boxes.length + ' texts'] : out;
})()`

func TestNoFontCutsATextOffOrLaysItOnAnother(t *testing.T) {
	tab := labtest.Browser(t)
	for _, font := range viewerFonts {
		installed(t, font)
	}
	for name, svg := range pictures(t) {
		for _, font := range viewerFonts {
			if strings.Contains(name, "workshop/pictures") && font != "Liberation Sans" && font != "DejaVu Sans" {
				continue // many pictures of one layout: the usual fonts suffice
			}
			page := filepath.Join(t.TempDir(), "picture.html")
			other := strings.ReplaceAll(svg, fallbacks, "font-family:'"+font+"';")
			if other == svg {
				t.Fatalf("%s names no fonts", name)
			}
			if err := os.WriteFile(page, []byte("<!doctype html><meta charset=utf-8>"+other), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, found := range colliding(t, tab, page) {
				t.Errorf("%s in %s: %s", name, font, found)
			}
		}
	}
}

func colliding(t *testing.T, tab context.Context, page string) (found []string) {
	t.Helper()
	labtest.Do(t, tab, chromedp.Navigate("file://"+page), chromedp.WaitReady("svg"))
	if err := json.Unmarshal([]byte(labtest.Eval[string](t, tab, "JSON.stringify("+collisions+")")),
		&found); err != nil {
		t.Fatal(err)
	}
	return found
}

// pictures returns every committed chart and the difficult ones.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	committed, _ := filepath.Glob("../../../testdata/recorded/*/charts/*-light.svg")
	if len(committed) < 8 {
		t.Fatalf("only %d committed charts found", len(committed))
	}
	lessons, _ := filepath.Glob("../../../docs/workshop/pictures/*-light.svg")
	chinese, _ := filepath.Glob("../../../docs/workshop/pictures/zh/*-light.svg")
	if len(lessons) < 9 || len(chinese) != len(lessons) {
		t.Fatalf("%d and %d pictures of the workshop found", len(lessons), len(chinese))
	}
	committed = append(committed, append(lessons, chinese...)...)
	for _, path := range committed {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(b)
	}
	draws := hard()
	for name, field := range hardFields() {
		draws["field "+name] = field.Draw
	}
	for name, draw := range draws {
		p, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(p.Light)
	}
	return out
}

// installed fails the test if the browser would silently use another font.
func installed(t *testing.T, font string) {
	t.Helper()
	out, err := exec.Command("fc-match", "--format=%{family}", font).Output()
	if err != nil || !strings.Contains(string(out), font) {
		t.Fatalf("the font %s isn't installed (fc-match answers %q, %v); get it, as root, with: "+
			"tools/toolchains.sh integration", font, out, err)
	}
}
