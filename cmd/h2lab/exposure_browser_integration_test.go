//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// attackPage sends to every URL what a page may send without a CORS preflight (Fetch Standard,
// "CORS-safelisted"): no-cors requests, an image, a form.
const attackPage = `<!doctype html><title>attacking</title><body><script>
const targets = %s;
function embedded(tag, url) {
  return new Promise((done) => {
    const e = document.createElement(tag);
    e.onload = e.onerror = done;
    e.src = url;
    document.body.append(e);
  });
}
function form(url, i) {
  return new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.name = 'frame' + i;
    document.body.append(frame);
    const f = document.createElement('form');
    f.method = 'POST'; f.action = url; f.target = frame.name;
    document.body.append(f);
    frame.onload = done;
    f.submit();
  });
}
(async () => {
  const all = targets.flatMap((url, i) => [
    fetch(url, { method: 'POST', mode: 'no-cors' }), fetch(url, { mode: 'no-cors' }),
    embedded('img', url), form(url, i)]);
  await Promise.allSettled(all);
  document.title = 'done';
})();
</script>`

// attackedByABrowser opens a page of another origin that sends every request which would change a
// server, and checks that no server changed.
func attackedByABrowser(t *testing.T, b *bench) {
	var posted atomic.Int64
	var targets []string
	attacker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			if r.Method == http.MethodPost {
				posted.Add(1)
			}
			return
		}
		list, _ := json.Marshal(targets)
		_, _ = fmt.Fprintf(w, attackPage, list)
	}))
	t.Cleanup(attacker.Close)
	change := []string{"/quitquitquit", "/healthcheck/fail", "/drain_listeners", "/ids/forget"}
	for _, s := range serversUp() {
		for _, path := range slices.Concat(change, readable[s.Kind]) {
			targets = append(targets, "http://"+s.Counters+path)
		}
	}
	targets = append(targets, attacker.URL+"/itself") // proves that the page sends its requests
	before := b.execute(t)
	tab := labtest.Browser(t)
	labtest.Do(t, tab, chromedp.Navigate(attacker.URL+"/"),
		chromedp.Poll[chromedp.Void](`document.title === 'done'`, chromedp.WithPollingTimeout(0)))
	if posted.Load() < 2 {
		t.Fatalf("the page sent %d POST to itself, not one by fetch and one by its form", posted.Load())
	}
	if after := b.execute(t); after != before+1 {
		t.Errorf("%d duplicates before and %d after, not one more: the backend forgot its ids", before, after)
	}
	for _, s := range serversUp() {
		if s.Kind == facts.Envoy {
			status, body := labtest.AskAs(t, "http://"+s.Counters+"/ready", labtest.PageFault{})
			if status != http.StatusOK || body != "LIVE\n" {
				t.Errorf("%s: status %d: %s", s.Name, status, body)
			}
		}
		refusedOutside(t, port(t, s.Front))
	}
}

// execute sends the backend a request that always has the same id, and returns how many duplicates
// the backend has counted.
func (b *bench) execute(t *testing.T) int64 {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "curl", "--silent", "--show-error", "--fail",
		"--cacert", filepath.Join(b.root, "certs/out/ca.crt"), "--header", "X-Lab-Request-Id: one-id", "--data", "x",
		"https://127.0.0.1:18443/echo").CombinedOutput()
	if err != nil || strings.TrimSpace(string(said)) != "x" {
		t.Fatalf("curl: %v: %s", err, said)
	}
	_, text := labtest.AskAs(t, "http://127.0.0.1:18090/ledger.json", labtest.PageFault{})
	var l struct {
		Duplicates *int64 `json:"duplicates"`
	}
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Duplicates == nil {
		t.Fatalf("the ledger: %v: %s", err, text)
	}
	return *l.Duplicates
}
