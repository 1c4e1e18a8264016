//go:build integration

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"h2lab/internal/base/labtest"
	"h2lab/internal/report/rundir"
)

// The page embeds results.json and verdicts.json, because its evidence points into both.
func TestReportPageWorksInARealBrowser(t *testing.T) {
	dir := t.TempDir()
	labtest.Check(t, os.CopyFS(dir, os.DirFS(filepath.Join(recordedRuns, "fixed"))))
	if _, err := rundir.Draw(dir); err != nil {
		t.Fatal(err)
	}
	tab := labtest.Browser(t)
	for _, page := range []string{"report.html", "report.zh.html"} {
		for name, check := range map[string]func(*testing.T, context.Context){
			"every number leads to raw data": leadsToRawData, "evidence leads to both files": showsEvidence,
			"nothing is fetched": fetchesNothing,
			"nothing clipped":    clipsNothing,
			"trials by keyboard": showsTrials, "sorting": sortsRows, "theme": switchesTheme,
		} {
			t.Run(page+", "+name, func(t *testing.T) {
				labtest.Do(t, tab, chromedp.Navigate("file://"+filepath.Join(dir, page)),
					chromedp.WaitVisible("main h1"))
				check(t, tab)
			})
		}
	}
}

func leadsToRawData(t *testing.T, tab context.Context) {
	numbers := labtest.Eval[int](t, tab, `document.querySelectorAll('button.number').length`)
	dead := labtest.Eval[[]string](t, tab, `[...document.querySelectorAll('[data-raw]')].map((c) => `+
		`c.dataset.raw).filter((raw) => {
		const [name, pointer] = raw.split('#'), [before] = pointer.split('/*/');
		return !(name in documents) || at(documents[name], before) === undefined;
	})`)
	if numbers < 100 || len(dead) > 0 {
		t.Errorf("%d numbers lead to raw data; %q to nothing", numbers, dead)
	}
}

func showsEvidence(t *testing.T, tab context.Context) {
	for _, file := range []string{"results.json", "verdicts.json"} {
		n := labtest.Eval[int](t, tab, `[...document.querySelectorAll('main li > button.number > code')].filter((c) => {
			const [name, pointer] = c.textContent.split('#');
			return name === '`+file+`' && at(documents[name], pointer) !== undefined;
		}).length`)
		if n < 5 {
			t.Errorf("%d values of %s lead to the raw data", n, file)
		}
	}
	if left := labtest.Eval[int](t, tab,
		`[...document.querySelectorAll('main li > code')].filter((c) => `+
			`c.textContent.includes('#/')).length`); left > 0 {
		t.Errorf("%d values of evidence lead nowhere", left)
	}
}

func fetchesNothing(t *testing.T, tab context.Context) {
	fetched := labtest.Eval[[]string](t, tab,
		`performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith('data:'))`)
	if len(fetched) > 0 {
		t.Errorf("the page fetched %q", fetched)
	}
}

// clipsNothing finds table heads that break within a Chinese word, and boxes that hide a part of their text.
func clipsNothing(t *testing.T, tab context.Context) {
	broken := labtest.Eval[[]string](t, tab, `[...document.querySelectorAll('main th')].filter((head) => {
		const all = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
		const range = document.createRange(), han = /\p{Script=Han}/u;
		for (let node = all.nextNode(); node; node = all.nextNode()) {
			const top = (i) => {
				range.setStart(node, i);
				range.setEnd(node, i + 1);
				return range.getBoundingClientRect().top;
			};
			for (let i = 1; i < node.data.length; i++)
				if (han.test(node.data[i - 1]) && han.test(node.data[i]) && top(i) > top(i - 1) + 4) return true;
		}
		return false;
	}).map((head) => head.textContent)`)
	clipped := labtest.Eval[[]string](t, tab, `[document.documentElement, ...document.querySelectorAll('main *')].filter(
		(e) => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline' &&
			!['auto', 'scroll'].includes(getComputedStyle(e).overflowX)
	).map((e) => e.tagName + ' ' + e.textContent.slice(0, 40))`)
	if len(broken) > 0 || len(clipped) > 0 {
		t.Errorf("heads broken within a word: %q; text clipped: %q", broken, clipped)
	}
}

// showsTrials presses Enter on a number and reads its trials from the dialog.
func showsTrials(t *testing.T, tab context.Context) {
	pointer := labtest.Eval[string](t, tab, `(() => {
		const c = document.querySelector('td[data-raw^="results.json"][data-raw$="goodput_rps"]');
		c.querySelector('button').focus();
		return c.dataset.raw;
	})()`)
	labtest.Do(t, tab, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("#raw[open]"))
	shown := labtest.Eval[[]string](t, tab,
		`[...document.querySelectorAll('#raw-trials tbody td:last-child')].map((c) => c.textContent)`)
	labtest.Do(t, tab, chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("#raw"))

	var cell int
	if _, err := fmt.Sscanf(pointer, "results.json#/cells/%d/", &cell); err != nil {
		t.Fatalf("pointer %q: %v", pointer, err)
	}
	var want []string
	for _, trial := range recorded(t, "fixed").Cells[cell].Trials {
		want = append(want, strconv.FormatFloat(trial.GoodputRPS, 'f', -1, 64))
	}
	if !slices.Equal(shown, want) {
		t.Errorf("the dialog shows %q, the run has %q", shown, want)
	}
	if focused := labtest.Eval[string](t, tab, `document.activeElement.className`); focused != "number" {
		t.Errorf("after Escape the focus is on %q, want it back on the number", focused)
	}
}

func sortsRows(t *testing.T, tab context.Context) {
	column := func() []string {
		return labtest.Eval[[]string](t, tab,
			`[...document.querySelector('main table').querySelectorAll('tbody tr')].map((r) => r.innerText)`)
	}
	press := `document.querySelectorAll('main table th')[2].querySelector('button').click()`
	before := column()
	labtest.Eval[chromedp.Void](t, tab, press)
	up := column()
	labtest.Eval[chromedp.Void](t, tab, press)
	down := column()
	if slices.Equal(before, up) || slices.Equal(up, down) {
		t.Errorf("pressing a head changed nothing: %q, %q", up, down)
	}
	slices.Sort(before)
	slices.Sort(up)
	if !slices.Equal(before, up) {
		t.Errorf("sorting lost or made rows: %q, %q", before, up)
	}
}

func switchesTheme(t *testing.T, tab context.Context) {
	shown := func() []string {
		all := labtest.Eval[[]string](t, tab,
			`[...document.querySelectorAll('figure.chart img')].filter((i) => i.checkVisibility()).map((i) => `+
				`i.className + (i.naturalWidth > 0 ? '' : ' broken'))`)
		slices.Sort(all)
		return slices.Compact(all)
	}
	before := shown()
	labtest.Do(t, tab, chromedp.Click("#theme"))
	if got := append(before, shown()...); !slices.Equal(got, []string{"light", "dark"}) {
		t.Errorf("charts shown before and after are %q, want the light ones, then the dark", got)
	}
}
