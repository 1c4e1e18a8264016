//go:build integration && linux

package main

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/live"
)

// A learner's own load on the servers of make up appears on the live page: the low limit beside the high
// one, with its new connections and GOAWAY marks.
func TestLiveViewShowsTheServersOfUpUnderAnyLoad(t *testing.T) {
	root := labtest.Root(t)
	lab := func(args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "bin/h2lab"), args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("h2lab %q: %v: %s", args, err, out)
		}
	}
	lab("up", "--limit", "100", "--runtime", "native")
	defer lab("down")
	dir := t.TempDir()
	tab := watching(t, root, dir)
	for _, front := range []string{"18101", "18111"} {
		out, err := exec.Command(filepath.Join(root, "bin/go-client"), "--protocol", "h2", "--url",
			"https://127.0.0.1:"+front+"/echo?ms=0", "--concurrency", "50", "--warmup", "300ms", "--duration", "1500ms",
			"--ca", filepath.Join(root, "certs/out/ca.crt")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	labtest.Do(t, tab, chromedp.Poll[chromedp.Void](`document.querySelectorAll('svg .mark').length >= 3`,
		chromedp.WithPollingTimeout(0)))
	picture(t, tab, "live-up.png")
	sides := labtest.Eval[string](t, tab, `[...document.querySelectorAll('.panel')].map((p) => `+
		`p.querySelector('select').value + ': ' + p.querySelector('.sum').textContent).join('; ')`)
	for _, want := range []string{"nginx-100: Last minute: ", "nginx-100000: Last minute: ", " new connections for "} {
		if !strings.Contains(sides, want) {
			t.Errorf("the page shows %q, which lacks %q", sides, want)
		}
	}
}

// watching opens the live page of the servers that run.
func watching(t *testing.T, root, dir string) (tab context.Context) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	go func() {
		live.Watch(ctx, root, dir, (&app{ctx: ctx, root: root}).fronts(dir))
		ended <- struct{}{}
	}()
	go func() {
		_ = live.Serve(ctx, l, live.Follow(filepath.Join(dir, live.File)), func() []byte { return nil }, live.Words{})
		ended <- struct{}{}
	}()
	t.Cleanup(func() { stop(); <-ended; <-ended })
	tab = labtest.Browser(t)
	labtest.Do(t, tab, chromedp.Navigate("http://"+l.Addr().String()+"/"),
		chromedp.Poll[chromedp.Void](`document.getElementById('run').textContent === 'Your servers'`))
	return tab
}
