//go:build integration

package chart

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
)

// viewerFonts are fonts that a viewer may use: the one that the layout was measured with, a narrow
// one, a wide one (DejaVu Sans has about Verdana's widths), and one wider than any browser default.
var viewerFonts = []string{"Liberation Sans", "Liberation Sans Narrow", "DejaVu Sans", "DejaVu Sans Mono"}

// chineseFonts are families for a Chinese chart: a font for letters, and then the one that this machine has for Han
// characters.
var chineseFonts = []string{"Liberation Sans", "DejaVu Sans"}

// collisions finds the texts of the page's pictures that extend beyond their picture or overlap another text.
// It shrinks the boxes by the space that a font keeps above and below its letters.
const collisions = `[...document.querySelectorAll('svg')].flatMap((svg) => {
	const edge = svg.getBoundingClientRect(), out = [], name = svg.parentElement.dataset.name + ': ';
	const boxes = [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim()).map((t) => {
		const b = t.getBoundingClientRect(), shrink = b.height * 0.22;
		return {words: t.textContent, left: b.left, right: b.right, top: b.top + shrink, bottom: b.bottom - shrink};
	});
	boxes.forEach((b, i) => {
		if (b.left < edge.left - 0.5 || b.right > edge.right + 0.5 || b.top < edge.top || b.bottom > edge.bottom) {
			out.push(name + b.words + ' leaves the picture');
		}
		boxes.slice(0, i).filter((o) => b.left < o.right - 1 && o.left < b.right - 1 && b.top < o.bottom && o.top < b.bottom)
			.forEach((o) => out.push(name + b.words + ' lies on ' + o.words));
	});
	return boxes.length < 3 ? [name + 'only ' + boxes.length + ' texts'] : out;
})`

func TestNoFontCutsATextOffOrLaysItOnAnother(t *testing.T) {
	tab := labtest.Browser(t)
	all := pictures(t)
	for _, font := range viewerFonts {
		installed(t, font)
		shown(t, tab, all, fallbacks, font)
		for _, found := range found(t, tab, collisions) {
			t.Errorf("%s: %s", font, found)
		}
	}
}

// misfits finds the Chinese texts whose width in the viewer isn't the one that the layout used, to 4 %, and then lets
// each text have its own width, as a viewer does that doesn't know textLength.
const misfits = `[...document.querySelectorAll('svg text')].flatMap((t) => {
	const planned = Number(t.getAttribute('textLength'));
	t.removeAttribute('textLength');
	const drawn = t.getComputedTextLength();
	return /\p{Script=Han}/u.test(t.textContent) && Math.abs(drawn - planned) > Math.max(1.5, planned * 0.04) ?
		[t.textContent + ' is ' + drawn + ' wide and not ' + planned] : [];
})`

func TestChineseChartsFitInAChineseFont(t *testing.T) {
	tab := labtest.Browser(t)
	han := hanFont(t)
	all := chinesePictures(t)
	for _, font := range chineseFonts {
		installed(t, font)
		shown(t, tab, all, chineseFallbacks, font+"','"+han)
		all := found(t, tab, collisions)
		if font == "Liberation Sans" { // that of the layout
			all = append(append(all, found(t, tab, misfits)...), found(t, tab, collisions)...)
		}
		for _, f := range all {
			t.Errorf("%s and %s: %s", font, han, f)
		}
	}
}

// shown opens a page of pictures, each in a font in place of its own list.
func shown(t *testing.T, tab context.Context, pictures map[string]string, own, font string) {
	t.Helper()
	var page strings.Builder
	page.WriteString("<!doctype html><meta charset=utf-8>")
	for name, svg := range pictures {
		other := strings.ReplaceAll(svg, own, "font-family:'"+font+"';")
		if other == svg {
			t.Fatalf("%s names no fonts", name)
		}
		fmt.Fprintf(&page, "<div data-name=\"%s\">%s</div>\n", name, other)
	}
	file := filepath.Join(t.TempDir(), "pictures.html")
	if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	labtest.Do(t, tab, chromedp.Navigate("file://"+file), chromedp.WaitReady("svg"))
	if n := labtest.Eval[int](t, tab, "document.querySelectorAll('svg').length"); n != len(pictures) {
		t.Fatalf("the page shows %d of %d pictures", n, len(pictures))
	}
}

// found returns the strings that a JavaScript expression finds in the page.
func found(t *testing.T, tab context.Context, expression string) (found []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(labtest.Eval[string](t, tab, "JSON.stringify("+expression+")")),
		&found); err != nil {
		t.Fatal(err)
	}
	return found
}

// pictures returns every committed chart in English and the difficult ones.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	lessons, _ := filepath.Glob("../../../docs/workshop/pictures/*-light.svg")
	if len(lessons) < 9 {
		t.Fatalf("%d pictures of the workshop found", len(lessons))
	}
	out := read(t, append(lessons, recorded(t, false)...))
	for name, d := range hard() {
		out[name] = light(t, d)
	}
	return out
}

// chinesePictures are the same in Chinese.
func chinesePictures(t *testing.T) map[string]string {
	t.Helper()
	english, _ := filepath.Glob("../../../docs/workshop/pictures/*-light.svg")
	lessons, _ := filepath.Glob("../../../docs/workshop/pictures/zh/*-light.svg")
	if len(lessons) != len(english) || len(recorded(t, true)) != len(recorded(t, false)) {
		t.Fatalf("%d pictures of the workshop and %d charts in Chinese, %d and %d in English", len(lessons),
			len(recorded(t, true)), len(english), len(recorded(t, false)))
	}
	out := read(t, append(lessons, recorded(t, true)...))
	for name, d := range chineseCharts() {
		out[name] = light(t, d)
	}
	return out
}

// recorded lists the charts of the recorded runs in one language.
func recorded(t *testing.T, chinese bool) []string {
	t.Helper()
	all, _ := filepath.Glob("../../../testdata/recorded/*/charts/*-light.svg")
	all = slices.DeleteFunc(all, func(file string) bool { return strings.HasSuffix(file, ".zh-light.svg") != chinese })
	if len(all) < 8 {
		t.Fatalf("only %d committed charts found", len(all))
	}
	return all
}

func read(t *testing.T, files []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(b)
	}
	return out
}

func light(t *testing.T, d drawing) string {
	t.Helper()
	p, err := d.Draw()
	if err != nil {
		t.Fatal(err)
	}
	return string(p.Light)
}

// hanFont is the family that this machine has for Chinese.
func hanFont(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("fc-list", ":lang=zh-cn", "--format=%{family[0]}\n").Output()
	family, _, _ := strings.Cut(string(out), "\n")
	if err != nil || family == "" {
		t.Fatalf("no Chinese font is installed (fc-list: %v); get fonts-wqy-zenhei, as root, with: "+
			"tools/toolchains.sh integration", err)
	}
	return family
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
