//go:build integration

package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
)

// defects are what is wrong with the slides at the tab's size: parts outside their slide, on each other
// or larger than their box, texts and pictures that are too small, and requests to the network.
const defects = `(() => {
	const out = [], shown = (e) => !e.closest('aside.notes') && e.getClientRects().length > 0;
	const note = (s, what) => out.push((s.querySelector('h1, h2') || s).textContent.trim() + ': ' + what);
	const scale = Reveal.getScale(), least = 24 * innerWidth / 1280 - 0.1;
	Reveal.getSlides().forEach((_, i) => {
		Reveal.slide(i);
		const s = Reveal.getCurrentSlide(), edge = s.getBoundingClientRect(), parts = [...s.querySelectorAll('*')].filter(shown);
		if (edge.left < -0.5 || edge.top < -0.5 || edge.right > innerWidth + 0.5 || edge.bottom > innerHeight + 0.5) {
			note(s, 'the slide leaves the screen');
		}
		for (const e of parts) {
			const b = e.getBoundingClientRect(), name = e.tagName + ' ' + e.textContent.trim().slice(0, 30);
			if (b.left < edge.left + 40 * scale || b.right > edge.right - 40 * scale || b.top < edge.top ||
				b.bottom > edge.bottom - 24 * scale) note(s, name + ' leaves the slide');
			if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).display !== 'inline') {
				note(s, name + ' is wider than its box');
			}
			const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
			if (own && parseFloat(getComputedStyle(e).fontSize) * scale < least) note(s, name + ' is too small');
		}
		for (const img of s.querySelectorAll('img')) {
			const svg = decodeURIComponent(escape(atob(img.currentSrc.split(',')[1] || '')));
			const wide = Number((svg.match(/viewBox="0 0 (\d+)/) || [])[1]), sizes = [...svg.matchAll(/font-size:([\d.]+)px/g)];
			const min = Math.min(...sizes.map((m) => Number(m[1]))) * img.getBoundingClientRect().width / wide;
			if (!(min >= least)) note(s, 'a text of ' + min + ' pixels in the picture ' + img.alt);
			if (img.naturalWidth === 0) note(s, 'no picture ' + img.alt);
		}
		const blocks = [...s.children].filter(shown).map((e) => [e, e.getBoundingClientRect()]);
		blocks.forEach(([e, b], k) => blocks.slice(0, k).forEach(([f, c]) => {
			if (b.top < c.bottom - 1 && c.top < b.bottom - 1 && b.left < c.right - 1 && c.left < b.right - 1) {
				note(s, e.tagName + ' lies on ' + f.tagName);
			}
		}));
		if (!s.querySelector('aside.notes').textContent.trim()) note(s, 'no notes');
	});
	const asked = performance.getEntriesByType('resource').map((r) => r.name).filter((n) => !n.startsWith('data:'));
	if (asked.length > 0) out.push('requests to ' + asked);
	if (Reveal.getTotalSlides() < 25) out.push('only ' + Reveal.getTotalSlides() + ' slides');
	if (!Reveal.hasPlugin('notes')) out.push('no view for the speaker');
	return JSON.stringify(out);
})()`

func TestNothingOverflowsOnASlide(t *testing.T) {
	slidesBuilt(t)
	tab := labtest.Browser(t)
	for _, l := range languages {
		for _, size := range []struct{ wide, tall int64 }{{1280, 720}, {1920, 1080}} {
			open(t, tab, l, size.wide, size.tall)
			var found []string
			labtest.Check(t, json.Unmarshal([]byte(labtest.Eval[string](t, tab, defects)), &found))
			for _, f := range found {
				t.Errorf("%s at %d × %d: %s", l.file, size.wide, size.tall, f)
			}
		}
	}
}

func TestAnExercisesCountdownRunsAndEverySlidePrints(t *testing.T) {
	slidesBuilt(t)
	tab := labtest.Browser(t)
	for _, l := range languages {
		open(t, tab, l, 1280, 720)
		const start = `(() => { const b = document.querySelector('button.countdown'), before = b.textContent;
			Reveal.slide(Reveal.getIndices(b.closest('section')).h); Reveal.triggerKey(84);
			return before + '|' + b.textContent; })()`
		before, after, _ := strings.Cut(labtest.Eval[string](t, tab, start), "|")
		if before != "8 "+l.start || after != "8:00" {
			t.Errorf("%s: %q became %q", l.file, before, after)
		}
	}
	slides := labtest.Eval[int](t, tab, "Reveal.getTotalSlides()")
	labtest.Do(t, tab, chromedp.Navigate("file://"+path(t, languages[0])+"?view=print"), chromedp.WaitReady(".reveal.ready"))
	shows(t, tab, "String(document.querySelectorAll('.pdf-page').length)", strconv.Itoa(slides))
	printed, err := chromedp.Call(tab, page.PrintToPDF, page.PrintToPDFParams{PrintBackground: new(true), PreferCSSPageSize: new(true)})
	labtest.Check(t, err)
	if pages := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(printed.Data, -1)); pages != slides {
		t.Errorf("%d slides are printed on %d pages", slides, pages)
	}
}

var built = sync.OnceValues(func() ([]byte, error) { return exec.Command("../slides.sh").CombinedOutput() })

// slidesBuilt builds both files as `make slides` does, and fails where the fonts for Chinese are missing.
func slidesBuilt(t *testing.T) {
	t.Helper()
	if out, err := built(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "fc-list", ":lang=zh-cn", "family").Output(); err != nil || len(out) == 0 {
		t.Fatalf("no font has Chinese characters (%v); get one, as root, with: tools/toolchains.sh integration", err)
	}
}

func open(t *testing.T, tab context.Context, l language, wide, tall int64) {
	t.Helper()
	labtest.Do(t, tab, chromedp.EmulateViewport(wide, tall), chromedp.Navigate("file://"+path(t, l)),
		chromedp.WaitReady(".reveal.ready"))
}

func path(t *testing.T, l language) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join("../../slides", l.file))
	labtest.Check(t, err)
	return name
}
