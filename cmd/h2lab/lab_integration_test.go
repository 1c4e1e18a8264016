//go:build integration

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/mattersreport"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/sweepreport"
)

// These tests run the real command on the lab's real ports: nginx, Envoy, the backend, k6 and the
// Go client. They fail where one of them is missing.

type labProcess struct {
	t       *testing.T
	cmd     *exec.Cmd
	results string
	lines   chan string // of stderr
	said    strings.Builder
	stdout  strings.Builder
}

// small are the knobs of a run that shows every effect within seconds.
var small = []string{"RUNTIME=native", "LIMIT=100", "DURATION=1s", "WARMUP=300ms", "TRIALS=1", "SEED=1"}

func start(t *testing.T, verb string, knobs ...string) *labProcess {
	t.Helper()
	binary, err := filepath.Abs("../../bin/h2lab")
	labtest.Check(t, err)
	p := &labProcess{t: t, results: t.TempDir(), lines: make(chan string, 1000)}
	p.cmd = exec.Command(binary, verb)
	p.cmd.Dir = "../.."
	p.cmd.Env = append(append(os.Environ(), small...), knobs...)
	p.cmd.Env = append(p.cmd.Env, "RESULTS="+p.results)
	p.cmd.Stdout = &p.stdout
	stderr, err := p.cmd.StderrPipe()
	labtest.Check(t, err)
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%v; run: make build", err)
	}
	go p.read(stderr)
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // no-op once it has been waited for
	return p
}

func (p *labProcess) read(r io.Reader) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		p.lines <- s.Text()
	}
	close(p.lines)
}

func (p *labProcess) until(words string) {
	p.t.Helper()
	deadline := time.After(90 * time.Second)
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				p.t.Fatalf("h2lab ended before it said %q:\n%s", words, p.said.String())
			}
			p.said.WriteString(line + "\n")
			if strings.Contains(line, words) {
				return
			}
		case <-deadline:
			p.t.Fatalf("h2lab hasn't said %q within 90 s:\n%s", words, p.said.String())
		}
	}
}

// ended waits for the program's end.
func (p *labProcess) ended() error {
	for line := range p.lines {
		p.said.WriteString(line + "\n")
	}
	return p.cmd.Wait()
}

func (p *labProcess) end(want int) {
	p.t.Helper()
	err := p.ended()
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("exit status %d (%v), want %d; it said:\n%s%s", got, err, want, p.said.String(), p.stdout.String())
	}
	nothingIsLeft(p.t, p.cmd.Process.Pid)
}

func (p *labProcess) says(words ...string) {
	p.t.Helper()
	all := p.said.String() + p.stdout.String()
	for _, w := range words {
		if !strings.Contains(all, w) {
			p.t.Errorf("nothing says %q in:\n%s", w, all)
		}
	}
}

func (p *labProcess) run() string {
	p.t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(p.results, "2*"))
	if len(dirs) != 1 {
		p.t.Fatalf("runs %q, want one", dirs)
	}
	return dirs[0]
}

// nothingIsLeft checks that a finished h2lab left no processes, sockets or files.
func nothingIsLeft(t *testing.T, pid int) {
	t.Helper()
	for _, taken := range native.Taken("../..", plan.EveryServer()) {
		t.Errorf("left behind: %v", taken)
	}
	for _, pattern := range []string{"/sys/fs/cgroup/*/h2lab-*", "/sys/fs/cgroup/h2lab-*", "../../var/nginx",
		"../../var/envoy", "../../var/up.json"} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	if err := syscall.Kill(-pid, 0); err == nil {
		t.Errorf("left behind: processes in the group of h2lab, %d", pid)
	}
}

// Each is the first command in an empty results directory.
func TestReproShowsTheFaultAndFixedItsAbsence(t *testing.T) {
	for _, command := range []string{"repro", "fixed"} {
		p := start(t, command)
		p.end(0)
		// With one short trial, the report and the terminal print a warning.
		p.says("report.md", "About the whole run:", "- Too few trials for statistics: 1 trial of each cell")
		dir := p.run()
		valid(t, dir)
		page := filepath.Join(dir, "report.md")
		before := labtest.Read(t, page)
		labtest.Check(t, os.Remove(page))
		if status, _, said := h2lab(t.Context(), "report", dir); status != statusDone || labtest.Read(t, page) != before {
			t.Errorf("%s is not drawn again byte for byte: status %d, %s", page, status, said)
		}
	}
}

func TestCtrlCAtAnyStageKeepsWhatIsFinishedAndStopsEverything(t *testing.T) {
	for stage, trials := range map[string]int{
		"cells × ": 0, // before or while servers start; internal/lab/runs has the other stages
		"  3/8  ":  2,
	} {
		t.Run(strings.TrimSpace(stage), func(t *testing.T) {
			p := start(t, "repro")
			p.until(stage)
			labtest.Check(t, p.cmd.Process.Signal(os.Interrupt))
			p.end(1)
			p.says("interrupted")
			if trials == 0 {
				return
			}
			r, err := results.Read(p.run())
			labtest.Check(t, err)
			kept := 0
			for _, c := range r.Cells {
				kept += len(c.Trials)
			}
			if kept != trials || !r.Run.Interrupted {
				t.Errorf("%d trials kept, interrupted %v; want %d, true", kept, r.Run.Interrupted, trials)
			}
			if _, err := os.Stat(filepath.Join(p.run(), "report.md")); err != nil {
				t.Errorf("what was measured has no report: %v", err)
			}
		})
	}
}

func TestATakenPortIsNamedWithItsOwner(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:18101")
	labtest.Check(t, err)
	p := start(t, "repro")
	_ = p.ended()
	l.Close()
	p.says("127.0.0.1:18101", "nginx-1000 needs", "pid ")
	if got := p.cmd.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	nothingIsLeft(t, p.cmd.Process.Pid)
}

func TestASecondRunIsRefusedAndNamesTheFirst(t *testing.T) {
	unlock, err := native.Lock("../..")
	labtest.Check(t, err)
	p := start(t, "repro")
	p.end(1)
	p.says("a measurement is running in ")
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// One real service in both places of the search: behind the reverse proxy, and at the gateway alone.
func TestAQuickStoryMeasuresARealService(t *testing.T) {
	p := start(t, "story", "QUICK=1", "TRIALS=", "DURATION=", "LIMIT=1000", "CLIENT=resttemplate-okhttp3",
		"TOPOLOGY=nginx-1000-envoy,envoy")
	p.end(statusDone)
	noServiceIsLeft(t)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	if len(r.Cells) != 2 || r.Run.Command != "story" || len(r.Renewals) != 1 {
		t.Fatalf("%d cells and %d renewals of %s", len(r.Cells), len(r.Renewals), r.Run.Command)
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 1 || c.Program == nil || c.Users != facts.K6ConnectionPerVU {
			t.Fatalf("%s: %d trials, program %+v, users %s", c.ID(), len(c.Trials), c.Program, c.Users)
		}
		x := c.Trials[0]
		s := x.Service
		if s == nil || s.Calls == 0 || s.Failed+s.Succeeded != s.Calls || s.RowMS.P50 == nil || s.Threads == nil ||
			s.HeapMB == nil || len(s.Settings) == 0 {
			t.Errorf("%s: the service saw %+v", c.ID(), s)
		}
		if h := x.Backend.HandledMS; h == nil || h.P50 == nil || *h.P50 < 20 {
			t.Errorf("%s: the backend took %+v", c.ID(), h)
		}
		if x.CPU.Service == nil || *x.CPU.Service <= 0 {
			t.Errorf("%s: processor time %+v", c.ID(), x.CPU)
		}
	}
	for _, s := range r.Environment.Servers {
		if s.Name == "resttemplate-okhttp3" && !strings.HasPrefix(s.Version, "Java ") {
			t.Errorf("the service's runtime is %q", s.Version)
		}
	}
}

func noServiceIsLeft(t *testing.T) {
	t.Helper()
	for _, f := range native.Running("../..") {
		t.Errorf("left behind: %+v", f)
	}
}

// One service of async, its corners, directly and through the limit.
func TestASmallSweepIsMeasuredAndLeavesNothing(t *testing.T) {
	p := start(t, "sweep", "SWEEP=async", "QUICK=1", "TRIALS=", "CLIENT=server-sync", "TOPOLOGY=direct,nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	if r.Run.Command != "sweep" || r.Run.Sweep != "async" || r.Environment.Versions["ab"] == "" || len(r.Cells) != 8 {
		t.Fatalf("command %q, sweep %q, versions %v, %d cells", r.Run.Command, r.Run.Sweep, r.Environment.Versions,
			len(r.Cells))
	}
	for _, c := range r.Cells {
		if !c.Unsupported.IsZero() || len(c.Trials) != 1 || c.Users != facts.Ab || c.Trials[0].Fault != nil {
			t.Errorf("%s: %q, trials %+v", c.ID(), c.Unsupported, c.Trials)
			continue
		}
		trial := c.Trials[0]
		if trial.Failed == 0 && (trial.LatencyMS.Mean == nil || *trial.LatencyMS.Mean < float64(c.Workload.DelayMS)) {
			t.Errorf("%s: %+v", c.ID(), trial.LatencyMS)
		}
		if trial.CPU.Client == nil || trial.CPU.Service == nil || trial.Service == nil {
			t.Errorf("%s: CPU %+v, service %+v", c.ID(), trial.CPU, trial.Service)
		}
		if through := c.Topology != "direct"; through != (trial.Connections.Expected != nil) {
			t.Errorf("%s: connections %+v", c.ID(), trial.Connections)
		}
	}
}

// docs/callers.md is the page of the recorded sweep, docs/when-it-matters.md that of the recorded map.
func TestDocsShowTheRecordedSweeps(t *testing.T) {
	for name, build := range map[string]func(parts.Input) (parts.Built, error){
		"sweep": sweepreport.Build, "matters": mattersreport.Build,
	} {
		docs := map[string]string{"sweep": "callers", "matters": "when-it-matters"}[name]
		for _, l := range []texts.Language{texts.English, texts.Chinese} {
			built, err := build(parts.Input{Result: recorded(t, name), Language: l,
				Charts: "../testdata/recorded/" + name + "/charts/", English: docs + ".md"})
			labtest.Check(t, err)
			samePage(t, filepath.Join("../../docs", parts.Name(docs, l)), built.Files[parts.Name("sweep", l)])
		}
	}
}

func TestRecordedRunsAreDrawnAgainByteForByte(t *testing.T) {
	dirs, _ := filepath.Glob(filepath.Join(recordedRuns, "*"))
	if len(dirs) < 2 {
		t.Fatalf("recorded runs %q, want a repro and a fixed at least", dirs)
	}
	drawnAgain(t, dirs...)
}

// A client is one directory and one line in clients.txt: testdata/fakeclients has both, and shows
// the results of programs that fail in every possible way.
func TestAFakeClientIsOneFolderAndOneLineAndItsFaultsAreToldApart(t *testing.T) {
	fakes, err := filepath.Abs("testdata/fakeclients")
	labtest.Check(t, err)
	p := start(t, "clients", "CLIENTS="+fakes, "CONCURRENCY=2", "TOPOLOGY=nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	got := map[string]clientverdicts.Row{}
	for _, row := range clientverdicts.Rows(r) {
		got[string(row.Client)] = row
	}
	for name, want := range map[string]clientverdicts.Verdict{
		"fake-honest": clientverdicts.Sound, "fake-floods": clientverdicts.Sound, "fake-lies": clientverdicts.Lies,
		"fake-garbage": clientverdicts.Crashes, "fake-exits": clientverdicts.Crashes,
		"fake-endless": clientverdicts.Hangs,
	} {
		if row := got[name]; row.Verdict != want {
			t.Errorf("%s is %q, want %q: %q", name, row.Verdict, want, texts.English.AllIn(row.Reasons))
		}
	}
	page := labtest.Read(t, filepath.Join(p.run(), rundir.ClientsPage))
	for _, words := range []string{"Segmentation fault", "cannot open shared object file", "fake-honest",
		"http.client"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page doesn't say %q", words)
		}
	}
}

func TestClientsNamesAToolchainThatIsMissing(t *testing.T) {
	dir := t.TempDir()
	labtest.Write(t, filepath.Join(dir, "clients.txt"), "cobol\n")
	labtest.Write(t, filepath.Join(dir, "cobol", "client.json"), `{"ecosystem": "cobol", "title": "COBOL", "needs": [
		{"tool": "cobc-of-nowhere", "args": ["--version"], "least": "3", "install": "apt-get install gnucobol"}],
		"build": ["./build.sh"], "clients": [{"name": "cobol", "library": "none", "says": "none", "run": ["out/run"], "protocol": "h1"}]}`)
	p := start(t, "clients", "CLIENTS="+dir, "TOPOLOGY=nginx-100")
	p.end(statusDone)
	p.says("cobol is unsupported here: cobc-of-nowhere is missing; install it with: apt-get install gnucobol",
		"1 unsupported")
	if page := labtest.Read(t, filepath.Join(p.run(), rundir.ClientsPage)); !strings.Contains(page, "apt-get install gnucobol") {
		t.Error("the page doesn't say how to get it")
	}
	named := start(t, "clients", "CLIENTS="+dir, "ONLY=cobol", "TOPOLOGY=nginx-100")
	named.end(statusMissing)
	named.says("/cobol: cobc-of-nowhere is missing")
}

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
