//go:build integration

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/live"
	"h2lab/internal/report/rundir"
)

// playing serves the replay of a recorded run and opens it in a browser.
func playing(t *testing.T, name string, speed float64, words live.Words) (tab context.Context) {
	t.Helper()
	dir := filepath.Join(recordedRuns, name)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- live.Serve(ctx, l, live.Replay(recorded(t, name), rundir.SeriesIn(dir), 1, speed), func() []byte {
			return nil
		}, words)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the page's server ended with %v", err)
		}
	})
	tab = labtest.Browser(t)
	labtest.Do(t, tab, chromedp.Navigate("http://"+l.Addr().String()+"/"),
		chromedp.Poll[chromedp.Void](`document.querySelector("main") !== null`))
	return tab
}

// picture saves a screenshot in the directory PICTURES, for a person to look at.
func picture(t *testing.T, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	b, err := chromedp.Run(tab, chromedp.FullScreenshot(90))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), b, 0o644)
	}
	labtest.Check(t, err)
}

func TestLiveViewOfARecordedRunInARealBrowser(t *testing.T) {
	tab := playing(t, "repro", 8, live.Words{})
	// While a stampede lasts, one side shows it with its GOAWAY marks.
	labtest.Do(t, tab, chromedp.Poll[chromedp.Void](`document.querySelectorAll('svg .mark').length >= 3 && `+
		`document.querySelectorAll('svg .connections').length > 10`, chromedp.WithPollingTimeout(0)))
	picture(t, tab, "live-running.png")
	labtest.Do(t, tab, chromedp.Poll[chromedp.Void](`run?.ended === true`, chromedp.WithPollingTimeout(0)))
	labtest.Do(t, tab,
		chromedp.Poll[chromedp.Void](`document.getElementById('place').textContent === 'The run has ended.'`))

	want := recorded(t, "repro").Cell("nginx-1000", "h2", "go-once").Trials[0]
	labtest.Eval[chromedp.Void](t, tab,
		`(() => { const s = document.querySelector('[data-is="cell"]'); s.value = 'nginx-1000.h2.go-once'; `+
			`s.dispatchEvent(new Event('change')); })()`)
	labtest.Do(t, tab,
		chromedp.Poll[chromedp.Void](`document.querySelector('[data-is="failed"]').className === 'some'`))
	said := labtest.Eval[string](t, tab,
		`document.querySelector('[data-is="sum"]').textContent.replaceAll(/(?<=\d),(?=\d)/g, '')`)
	for _, words := range []string{"nginx-1000, HTTP/2, go-once", "goaway-not-replayable",
		fmt.Sprint(*want.Connections.Accepted) + " connections accepted", fmt.Sprint(want.Failed) + " failed"} {
		if !strings.Contains(said, words) {
			t.Errorf("the side says %q, which lacks %q", said, words)
		}
	}
	picture(t, tab, "live-ended.png")
	t.Run("for everybody", func(t *testing.T) { usableByAll(t, tab) })
	if fetched := labtest.Eval[[]string](t, tab,
		`performance.getEntriesByType('resource').map((e) => new URL(e.name)).filter((u) => u.host !== location.host `+
			`|| u.pathname !== '/events').map(String)`); len(fetched) > 0 {
		t.Errorf("the page fetched %q", fetched)
	}
}

// usableByAll checks what users with low vision, or with a keyboard only, require.
func usableByAll(t *testing.T, tab context.Context) {
	nameless := labtest.Eval[[]string](t, tab, `[...document.querySelectorAll('button, select, input, a, svg, `+
		`progress, [role=meter]')].filter((e) =>
		e.checkVisibility() && !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim())).map((e) `+
		`=> e.outerHTML)`)
	if len(nameless) > 0 {
		t.Errorf("without a name for a screen reader: %q", nameless)
	}
	if words := labtest.Eval[string](t, tab,
		`document.querySelector('[role=status]').textContent`); !strings.Contains(words, "connections accepted where") {
		t.Errorf("a screen reader is told %q, want the last trial's sum", words)
	}
	// WCAG 2.2 §1.4.6: large numbers need a contrast of 4.5 for level AAA.
	contrast := `(() => { const lum = (c) => { const v = c.match(/[\d.]+/g).slice(0, 3).map((x) => x / 255).map((x) ` +
		`=> x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); ` +
		`return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
		const paper = lum(getComputedStyle(document.body).backgroundColor);
		return Math.min(...[...document.querySelectorAll('dd, dt, .stream p, .sum, h1')].map((e) => { const a = ` +
		`lum(getComputedStyle(e).color); return (Math.max(a, paper) + .05) / (Math.min(a, paper) + .05); })); })()`
	for _, theme := range []string{"light", "dark"} {
		if ratio := labtest.Eval[float64](t, tab, contrast); ratio < 4.5 {
			t.Errorf("contrast of %.1f in one theme, want 4.5", ratio)
		}
		// On a screen two metres wide, seen from ten metres, a digit must be some 3 cm high: 2.4 %
		// of the width (the 16 arc minutes of ISO 9241-303 are 4.7 cm).
		if share := labtest.Eval[float64](t, tab,
			`parseFloat(getComputedStyle(document.querySelector('dd')).fontSize) / innerWidth`); share < 0.024 {
			t.Errorf("digits of %.3f of the width can't be read from ten metres", share)
		}
		picture(t, tab, "live-"+theme+".png")
		labtest.Do(t, tab, chromedp.KeyEvent("d"))
	}
	labtest.Do(t, tab, chromedp.KeyEvent("p"),
		chromedp.Poll[chromedp.Void](`document.getElementById('pause').getAttribute('aria-pressed') === 'true'`))
}
