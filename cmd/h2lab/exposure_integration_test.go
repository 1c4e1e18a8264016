//go:build integration

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/plan"
	"h2lab/internal/report/rundir"
)

// These tests start everything in the lab that listens, in a network namespace that has addresses
// besides loopback and no other processes.

func TestOnlyThisMachineAndNoWebPageReachesTheLab(t *testing.T) {
	if !labtest.InOwnNetwork(t) {
		return
	}
	b := newBench(t)
	t.Run("a run", func(t *testing.T) {
		faults := labtest.NewFaults(t, labtest.Ports)
		faults.Try("another machine connects to a server of a measurement or to k6's gate", func(t *testing.T) {
			seen := watched(b, small, "repro")
			onLoopback(t, seen)
			if len(seen) < 5 { // the backend's two, nginx's two, and the gate
				t.Errorf("only %v listened: nothing was measured", seen)
			}
		})
	})
	b.up()
	page := b.live()
	t.Run("servers that are up", func(t *testing.T) { outside(t, b, page) })
	t.Run("web pages", func(t *testing.T) { fromPages(t, b, page) })
}

// outside connects to every port from another address of the machine.
func outside(t *testing.T, b *bench, page uint16) {
	faults := labtest.NewFaults(t, labtest.Ports)
	for _, s := range serversUp() {
		faults.Try("another machine connects to the front of "+s.Name,
			func(t *testing.T) { refusedOutside(t, port(t, s.Front)) })
		faults.Try("another machine connects to the counters of "+s.Name,
			func(t *testing.T) { refusedOutside(t, port(t, s.Counters)) })
	}
	faults.Try("another machine connects to the live page", func(t *testing.T) { refusedOutside(t, page) })
	faults.Try("another machine connects to a server that checks a learner's work", func(t *testing.T) {
		for _, n := range []int{5, 6} {
			onLoopback(t, watched(b, nil, "step", fmt.Sprint(n)))
		}
	})
	seen := map[netip.AddrPort]bool{}
	for _, addr := range listening(t) {
		seen[addr] = true
	}
	onLoopback(t, seen)
}

// readable are the counters' pages of each kind of server.
var readable = map[facts.Kind][]string{
	facts.Nginx: {"/stub_status"},
	facts.Envoy: {"/stats", "/stats?filter=cx_total", "/stats/prometheus?type=Counters", "/ready", "/server_info",
		"/config_dump"},
	facts.Backend: {"/ledger.json", "/timings.json", "/metrics", "/healthz"},
}

// fromPages sends the requests that a web page can send to every plain-HTTP port.
func fromPages(t *testing.T, b *bench, page uint16) {
	faults := labtest.NewFaults(t, labtest.HostilePages)
	for _, s := range serversUp() {
		at := port(t, s.Counters)
		for _, f := range labtest.PageFaults(int(at)) {
			faults.Try("the counters of "+s.Name+": "+f.Name, func(t *testing.T) { refusesPage(t, s.Kind, at, f) })
		}
		answersPaths(t, readable[s.Kind], at)
	}
	for _, f := range labtest.PageFaults(int(page)) {
		faults.Try("the live page: "+f.Name, func(t *testing.T) {
			for _, path := range []string{"/", "/events", "/report.html"} {
				status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", page, path), f)
				if status != http.StatusForbidden {
					t.Errorf("%s: status %d: %s", path, status, body)
				}
			}
		})
	}
	faults.Try("another machine or any of these asks the server of the workshop's exercise 10", func(t *testing.T) {
		b.bothMysteries(t, func(t *testing.T, family facts.Kind, front, counters uint16) {
			refusedOutside(t, front)
			refusedOutside(t, counters)
			for _, f := range labtest.PageFaults(int(counters)) {
				t.Run(f.Name, func(t *testing.T) { refusesPage(t, family, counters, f) })
			}
			answersPaths(t, mysteryPages[family], counters)
			if status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d/config_dump", counters),
				labtest.PageFault{}); status == http.StatusOK {
				t.Errorf("the configuration can be read: %.300s", body)
			}
		})
	})
	for _, s := range serversUp() {
		if s.Kind == facts.Envoy {
			faults.Try("somebody asks Envoy's administration interface to change or end it: "+s.Name,
				func(t *testing.T) { refusesToChange(t, s) })
		}
	}
	faults.Try("a real browser's page sends no-cors requests, images and forms to every port",
		func(t *testing.T) { attackedByABrowser(t, b) })
}

func refusesPage(t *testing.T, kind facts.Kind, at uint16, f labtest.PageFault) {
	t.Helper()
	for _, path := range append([]string{"/", "/quitquitquit", "/ids/forget"}, readable[kind]...) {
		status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", at, path), f)
		if status != http.StatusForbidden || len(body) > 300 {
			t.Errorf("%s: status %d: %.300s", path, status, body)
		}
	}
}

// mysteryPages are those of the server of exercise 10, which must not show its limit.
var mysteryPages = map[facts.Kind][]string{facts.Nginx: {"/stub_status"}, facts.Envoy: {"/ready"}}

// answersPaths checks that programs can read the pages that they need.
func answersPaths(t *testing.T, paths []string, at uint16) {
	t.Helper()
	for _, path := range paths {
		for _, r := range labtest.AllowedRequests(int(at)) {
			status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", at, path), r)
			if status != http.StatusOK || body == "" {
				t.Errorf("%d%s, %s: status %d: %.300s", at, path, r.Name, status, body)
			}
		}
	}
}

// changing are Envoy's administration paths that change or stop it, or show more than the lab reads
// (https://www.envoyproxy.io/docs/envoy/latest/operations/admin).
var changing = []string{
	"/quitquitquit", "/logging?level=trace", "/runtime_modify?a=b", "/healthcheck/fail", "/healthcheck/ok",
	"/drain_listeners", "/drain_listeners?graceful", "/reset_counters", "/reopen_logs",
	"/cpuprofiler?enable=y", "/heapprofiler?enable=y", "/allocprofiler?enable=y",
	"/stats/recentlookups/enable", "/stats/recentlookups/clear", "/tap", "/memory/tcmalloc", "/certs", "/init_dump",
	"/help", "/", "/stats/../quitquitquit", "/stats/%2e%2e/quitquitquit", "//quitquitquit", "/ready/../quitquitquit",
	"/quitquitquit?/stats", "/QUITQUITQUIT", "/quitquitquit;/stats",
}

// refusesToChange sends them to the port, and to the abstract socket behind it.
func refusesToChange(t *testing.T, s facts.Server) {
	socket := "h2lab-envoy-" + fmt.Sprint(port(t, s.Counters))
	for _, path := range changing {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for way, args := range map[string][]string{"the port": {"http://" + s.Counters + path},
				"the socket": {"--abstract-unix-socket", socket, "http://envoy" + path}} {
				args = append([]string{"--silent", "--path-as-is", "--globoff", "--request", method, "--max-time", "10",
					"--output", os.DevNull, "--write-out", "%{http_code}"}, args...)
				said, err := exec.CommandContext(t.Context(), "curl", args...).Output()
				if code := string(said); err != nil || !slices.Contains([]string{"403", "404", "405"}, code) {
					t.Errorf("%s %s on %s: %s, %v", method, path, way, code, err)
				}
			}
		}
	}
	answersPaths(t, readable[facts.Envoy], port(t, s.Counters))
}

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

// watched runs h2lab and returns every address that accepted connections during the run.
func watched(b *bench, env []string, args ...string) map[netip.AddrPort]bool {
	b.t.Helper()
	cmd := b.command(args...)
	cmd.Env = append(cmd.Env, env...)
	log, err := os.Create(filepath.Join(b.tmp, "watched.log"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	seen := map[netip.AddrPort]bool{}
	for {
		for _, addr := range listening(b.t) {
			seen[addr] = true
		}
		select {
		case <-ended:
			if status := cmd.ProcessState.ExitCode(); status != statusDone && status != statusContradicted {
				said, _ := os.ReadFile(log.Name())
				b.t.Fatalf("h2lab %q ended with status %d:\n%s", args, status, said)
			}
			return seen
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// onLoopback fails for every address that is not a loopback address.
func onLoopback(t *testing.T, seen map[netip.AddrPort]bool) {
	t.Helper()
	for addr := range seen {
		if !addr.Addr().Unmap().IsLoopback() {
			t.Errorf("%s accepts connections from other machines", addr)
		}
	}
}

// refusedOutside connects to a port on every address of the machine.
func refusedOutside(t *testing.T, port uint16) {
	t.Helper()
	for _, host := range labtest.OutsideAddresses {
		if addr := net.JoinHostPort(host, fmt.Sprint(port)); takesConnections(addr) {
			t.Errorf("%s accepts connections", addr)
		}
	}
	if addr := fmt.Sprint("127.0.0.1:", port); !takesConnections(addr) {
		t.Errorf("%s does not accept connections", addr)
	}
}

func port(t *testing.T, addr string) uint16 {
	t.Helper()
	at, err := netip.ParseAddrPort(addr)
	labtest.Check(t, err)
	return at.Port()
}

// serversUp starts all servers of the lab; `make integration` installs the newer nginx that one of
// them requires.
func serversUp() []facts.Server { return plan.Servers(plan.Topologies(plan.DefaultLimit)) }

// live serves the live page until the test ends.
func (b *bench) live() (port uint16) {
	b.t.Helper()
	cmd := b.command("live")
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(20 * time.Second); !takesConnections("127.0.0.1:18190"); {
		if time.Now().After(deadline) {
			b.t.Fatal("the live page doesn't listen on 18190")
		}
	}
	return 18190
}

// mystery starts the server of exercise 10 and returns its two ports.
func (b *bench) mystery() (front, counters uint16) {
	b.t.Helper()
	before := listening(b.t)
	said, status := b.run("mystery")
	if status != 0 {
		b.t.Fatalf("h2lab mystery: status %d\n%s", status, said)
	}
	front = port(b.t, strings.TrimSuffix(strings.TrimPrefix(mysteryURL.FindString(said), "https://"), "/"))
	for _, addr := range listening(b.t) {
		if !slices.Contains(before, addr) && addr.Port() != front {
			counters = addr.Port()
		}
	}
	if counters == 0 {
		b.t.Fatal("the mystery server has no second port")
	}
	return front, counters
}

// bothMysteries calls do with each family of the server of exercise 10; each start chooses one at
// random.
func (b *bench) bothMysteries(t *testing.T, do func(t *testing.T, family facts.Kind, front, counters uint16)) {
	t.Helper()
	seen := map[facts.Kind]bool{}
	for range 20 {
		front, counters := b.mystery()
		family := facts.Nginx
		ready := fmt.Sprintf("http://127.0.0.1:%d/ready", counters)
		if status, _ := labtest.AskAs(t, ready, labtest.PageFault{}); status == http.StatusOK {
			family = facts.Envoy
		}
		if !seen[family] {
			seen[family] = true
			do(t, family, front, counters)
		}
		if said, status := b.run("mystery", "--stop"); status != 0 {
			t.Fatalf("h2lab mystery --stop: status %d\n%s", status, said)
		}
		if len(seen) == 2 {
			return
		}
	}
	t.Fatalf("of twenty mystery servers all were %v", seen)
}

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

// english matches an English word on the Chinese page; names and commands have capitals, digits, hyphens or are known.
var english = regexp.MustCompile(`(?:^|[^-\w/.])([a-z]{4,})(?:$|[^-\w/.])`)

func TestTheLiveViewInChineseHasNoEnglishAndFits(t *testing.T) {
	a := &app{language: texts.Chinese, named: true}
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

// listening returns the addresses that accept TCP connections in this network namespace.
func listening(t testing.TB) []netip.AddrPort {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "ss", "--no-header", "--listening", "--tcp", "--numeric").Output()
	if err != nil {
		t.Fatalf("ss (iproute2): %v", err)
	}
	var out []netip.AddrPort
	for line := range strings.Lines(string(said)) {
		const local = 3 // State Recv-Q Send-Q Local:Port Peer:Port
		fields := strings.Fields(line)
		if len(fields) <= local {
			t.Fatalf("ss printed %q", line)
		}
		addr, err := netip.ParseAddrPort(strings.Replace(fields[local], "*:", "[::]:", 1))
		if err != nil {
			t.Fatalf("ss printed %q: %v", line, err)
		}
		out = append(out, addr)
	}
	return out
}

// takesConnections reports whether a server accepts connections at host:port.
func takesConnections(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, 2*time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
