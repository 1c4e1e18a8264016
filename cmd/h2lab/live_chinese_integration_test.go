//go:build integration

package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/report/translations"
)

// english matches an English word on the Chinese page; names and commands have capitals, digits, hyphens or are known.
var english = regexp.MustCompile(`(?:^|[^-\w/.])([a-z]{4,})(?:$|[^-\w/.])`)

func TestTheLiveViewInChineseHasNoEnglishAndFits(t *testing.T) {
	a := &app{language: translations.Chinese, named: true}
	tab := playing(t, "repro", 100, a.pageWords())
	labtest.Do(t, tab, chromedp.EmulateViewport(1280, 720), chromedp.Poll[chromedp.Void](`run?.ended === true`,
		chromedp.WithPollingTimeout(0)), chromedp.Poll[chromedp.Void](`document.getElementById('place').textContent === '运行已结束。'`))
	picture(t, tab, "live-zh.png")
	for _, w := range english.FindAllStringSubmatch(labtest.Eval[string](t, tab, `document.body.innerText`), -1) {
		if !strings.Contains("repro make direct", w[1]) {
			t.Errorf("the Chinese page says %q", w[1])
		}
	}
	if wide := labtest.Eval[[]string](t, tab, `[...document.querySelectorAll('body, .panel, dt, dd, p, button, select')]
		.filter((e) => e.checkVisibility() && e.id !== 'said' && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80))`); len(wide) > 0 {
		t.Errorf("cut off: %q", wide)
	}
}
