//go:build integration

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
)

// The speaker's view opens from a file, without a server, shows the current slide's notes, and follows.
func TestTheSpeakersViewFollowsTheSlides(t *testing.T) {
	slidesBuilt(t)
	tab := labtest.Browser(t)
	open(t, tab, languages[0], 1280, 720)
	opened := chromedp.WaitNewTarget(tab, func(info *target.Info) bool { return info.OpenerID != "" })
	labtest.Eval[bool](t, tab, "Reveal.slide(1), Reveal.getPlugin('notes').open(), true")
	view, done := chromedp.NewContext(tab, chromedp.WithTargetID(<-opened))
	t.Cleanup(done)
	const notes = `(document.querySelector('.speaker-controls-notes .value') || {}).textContent || ''`
	shows(t, view, notes, "Wait half a minute")
	labtest.Eval[bool](t, tab, "Reveal.slide(3), true")
	shows(t, view, notes, "Hands up for each suspect")
	shows(t, view, `document.querySelector('.pacing').offsetHeight > 0 ? 'shown' : 'hidden'`, "shown")
}

// shows waits for a text in a tab.
func shows(t *testing.T, tab context.Context, expression, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got = labtest.Eval[string](t, tab, expression); strings.Contains(got, want) {
			return
		}
	}
	t.Errorf("the speaker's view shows %q, want %q", got, want)
}
