package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func cell() *facts.Cell {
	limit := 1000
	return &facts.Cell{
		Topology: "nginx-1000",
		Protocol: facts.H2,
		Client:   facts.GoOnce,
		Limit:    facts.Limit{Effective: &limit},
	}
}

func counted() facts.Trial {
	return facts.Trial{Index: 1, Attempts: 20, Failed: 3, GoodputRPS: 17,
		Connections: facts.Connections{Accepted: new(int64(90)), Expected: new(int64(2))},
		Errors:      []facts.Error{{Class: "timeout", Count: 1}, {Class: "timeout", Count: 2}}}
}

// events reads a feed until it has n events, or a timeout is over.
func events(t *testing.T, feed Feed, n int) (out []Event) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	enough := errors.New("enough")
	err := feed(ctx, func(line []byte) error {
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if out = append(out, e); len(out) == n {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("the feed ended with %v after %d of %d events", err, len(out), n)
	}
	return out
}

func names(all []Event) string {
	var words []string
	for _, e := range all {
		words = append(words, e.Kind)
	}
	return strings.Join(words, " ")
}

func TestJournalIsFollowedFromItsBeginning(t *testing.T) {
	dir := t.TempDir()
	j := Begin(dir, facts.Run{ID: "one", Command: "repro", Concurrency: 100})
	j.Trial(cell(), 1, 0, 4)
	j.Sample(facts.Observation{At: time.Now(), Accepted: new(int64(7)), Requests: new(int64(70)), Used: new(int64(1))})
	j.Window()
	j.Ended(cell(), counted())
	j.End(true)
	all := events(t, Follow(filepath.Join(dir, File)), 6)
	if got, want := names(all), "run trial sample window counted end"; got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
	trial, sample, sum := all[1], all[2], all[4]
	if trial.Cell != "nginx-1000.h2.go-once" || trial.Limit != 1000 || trial.Total != 4 {
		t.Errorf("the trial is told as %+v", trial)
	}
	if *sample.Accepted != 7 || *sample.Requests != 70 || *sample.Used != 1 || sample.TMS < 0 {
		t.Errorf("the sample is told as %+v", sample)
	}
	if *sum.Failed != 3 || sum.Classes["timeout"] != 3 || *sum.Accepted != 90 || *sum.Expected != 2 || sum.Used != nil {
		t.Errorf("the sum is told as %+v", sum)
	}
	if !all[5].Interrupted {
		t.Error("an interrupted run is told as a finished one")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".live-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestNewRunReplacesTheJournalThatIsFollowed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	first := Begin(dir, facts.Run{ID: "one"})
	read := &tail{path: path}
	defer read.close()
	var ids []string
	keep := func(line []byte) error {
		var e Event
		err := json.Unmarshal(line, &e)
		ids = append(ids, e.ID)
		return err
	}
	labtest.Check(t, read.read(keep))
	first.End(false)
	Begin(dir, facts.Run{ID: "two"})
	labtest.Check(t, read.read(keep))
	if got := strings.Join(ids, " "); got != "one two" {
		t.Errorf("runs seen: %q; the end of the first is lost with its file, the second must be read from its "+
			"start", got)
	}
}

func TestHalfALineWaitsForItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	write := func(s string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = f.WriteString(s)
			f.Close()
		}
		labtest.Check(t, err)
	}
	read := &tail{path: path}
	defer read.close()
	var got []string
	look := func() {
		labtest.Check(t, read.read(func(line []byte) error { got = append(got, string(line)); return nil }))
	}
	look() // no journal yet
	write(`{"kind":"ru`)
	look()
	write("n\"}\n{\"kind\"")
	look()
	if len(got) != 1 || got[0] != `{"kind":"run","t_ms":0}` {
		t.Errorf("lines %q, want the whole one alone", got)
	}
	write(strings.Repeat("x", 3*longestLine))
	look()
	if len(read.rest) > longestLine {
		t.Errorf("%d bytes are kept of a line that doesn't end", len(read.rest))
	}
}

func TestJournalThatCanNotBeWrittenIsSilent(t *testing.T) {
	j := Begin(filepath.Join(t.TempDir(), "gone"), facts.Run{})
	j.Trial(cell(), 1, 0, 1)
	j.Sample(facts.Observation{})
	j.End(false)
}

func TestReplayPlaysTheFirstRoundInItsOrder(t *testing.T) {
	late, early := cell(), cell()
	early.Topology = "direct"
	at := func(order int) facts.Trial {
		x := counted()
		x.Order, x.Series = order, "x"
		return x
	}
	second := at(3)
	second.Index = 2
	late.Trials, early.Trials = []facts.Trial{at(2), second}, []facts.Trial{at(1)}
	r := &facts.Result{Run: facts.Run{ID: "r"}, Cells: []facts.Cell{*late, *early}}
	series := func(string) (facts.Series, error) {
		return facts.Series{TMS: []float64{-20, -1, 10}, Accepted: []int64{1, 2, 3}, Requests: []int64{10, 20, 30}}, nil
	}
	all := events(t, Replay(r, series, 1, 100), 1+2*6+1)
	if got, want := names(all), "run "+strings.Repeat("trial sample sample window sample counted ",
		2)+"end"; got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
	if all[1].Topology != "direct" || all[7].Topology != "nginx-1000" || all[7].Done != 1 || all[7].Total != 2 {
		t.Errorf("played %q, then %q as %d of %d", all[1].Topology, all[7].Topology, all[7].Done, all[7].Total)
	}
	if !all[0].Replay || all[2].TMS != 0 || *all[5].Requests != 30 {
		t.Errorf("the run is told as %+v, its samples as %+v and %+v", all[0], all[2], all[5])
	}
}

// serve serves a feed on a free port until the test ends.
func serve(t *testing.T, feed Feed, report []byte) string {
	t.Helper()
	return serveIn(t, feed, report, Words{})
}

func serveIn(t *testing.T, feed Feed, report []byte, w Words) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, feed, func() []byte { return report }, w) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("served until %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

func get(t *testing.T, url, host string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	labtest.Check(t, err)
	if host != "" {
		r.Host = host
	}
	a, err := http.DefaultClient.Do(r)
	labtest.Check(t, err)
	defer a.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(a.Body, 1<<20))
	return a, string(b)
}

func nothing(ctx context.Context, _ func([]byte) error) error { <-ctx.Done(); return ctx.Err() }

func TestPageIsOneAnswerForThisMachineAlone(t *testing.T) {
	url := serve(t, nothing, nil)
	a, body := get(t, url+"/", "")
	if a.StatusCode != 200 || !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("status %d, policy %q", a.StatusCode, a.Header.Get("Content-Security-Policy"))
	}
	for _, sign := range []string{"src=", "url(", "@import"} {
		if strings.Contains(body, sign) {
			t.Errorf("the page has %s: it must be whole by itself", sign)
		}
	}
	if a, body := get(t, url+"/", "example.org"); a.StatusCode != http.StatusForbidden {
		t.Errorf("another host's name is answered with %d %q", a.StatusCode, body)
	}
	if a, body := get(t, url+"/report.html", ""); a.StatusCode != http.StatusNotFound ||
		!strings.Contains(body, "no report yet") {
		t.Errorf("without a report: %d %q", a.StatusCode, body)
	}
}

func TestEventsReachTheBrowserAsTheyCome(t *testing.T) {
	url := serve(t, func(ctx context.Context, send func([]byte) error) error {
		if err := send([]byte(`{"kind":"run"}`)); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}, nil)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/events", nil)
	a, err := http.DefaultClient.Do(r)
	labtest.Check(t, err)
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	for lines.Scan() {
		if lines.Text() == `data: {"kind":"run"}` {
			return
		}
	}
	t.Errorf("the stream ended without the event: %v", lines.Err())
}

// Servers without a measurement appear in the journal, with their counters, and leave it when they stop.
func TestServersWithoutAMeasurementAreWatched(t *testing.T) {
	var accepted atomic.Int64
	nginx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := accepted.Add(1)
		fmt.Fprintf(w, "Active connections: 1 \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 Waiting: 0 \n",
			n, n, n*10)
	}))
	defer nginx.Close()
	root := t.TempDir()
	dir := filepath.Join(root, "results") // before the first run it isn't there
	labtest.Write(t, filepath.Join(root, "used.log"), "")
	front := Front{Name: "nginx-100", Limit: 100, Server: facts.Server{Name: "nginx-1000", Kind: facts.Nginx, UsedLog: "used.log",
		Counters: strings.TrimPrefix(nginx.URL, "http://")}}
	var up atomic.Bool
	up.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Watch(ctx, root, dir, func() []Front {
			if up.Load() {
				return []Front{front}
			}
			return nil
		})
	}()
	defer func() { stop(); <-ended }()

	all := events(t, Follow(filepath.Join(dir, File)), 4)
	if got := names(all); got != "run trial sample sample" || all[0].Command != Up || all[1].Cell != "nginx-100" ||
		all[1].Limit != 100 || all[3].Cell != "nginx-100" || all[3].Accepted == nil {
		t.Fatalf("events %s: %+v", got, all)
	}
	if *all[3].Accepted <= *all[2].Accepted || all[3].TMS <= all[2].TMS {
		t.Errorf("readings %+v", all[2:])
	}
	up.Store(false)
	for n := 5; ; n++ {
		if all := events(t, Follow(filepath.Join(dir, File)), n); all[n-1].Kind == RunEnded {
			return
		}
	}
}

func TestTheBrowserChoosesTheLanguageUnlessTheUserDoes(t *testing.T) {
	words := Words{Lang: "zh-CN", Of: map[string]string{"Waiting for a run": "等待</script>"}}
	always := words
	always.Always = true
	for _, c := range []struct {
		words   Words
		asked   string
		chinese bool
	}{
		{words, "zh-CN,zh;q=0.9,en;q=0.8", true}, {words, "zh", true}, {words, "en-US,en;q=0.9,zh;q=0.5", false},
		{words, "", false}, {words, "fr", false}, {words, "zh;q=x", false}, {words, "en;q=0.1, zh;q=0.9", true},
		{always, "en", true}, {always, "", true}, {Words{}, "zh-CN", false},
	} {
		url := serveIn(t, nothing, nil, c.words)
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/", nil)
		labtest.Check(t, err)
		r.Header.Set("Accept-Language", c.asked)
		a, err := http.DefaultClient.Do(r)
		labtest.Check(t, err)
		b, _ := io.ReadAll(a.Body)
		_ = a.Body.Close()
		page := string(b)
		heading := `<h1 id="run">Waiting for a run</h1>`
		if c.chinese {
			heading = `<h1 id="run">等待&lt;/script&gt;</h1>`
		}
		if !strings.Contains(page, heading) || strings.Contains(page, `<html lang="zh-CN">`) != c.chinese {
			t.Errorf("%q of %+v gets %.300s", c.asked, c.words, page)
		}
		if strings.Count(page, "</script>") != 2 || a.Header.Get("Vary") != "Accept-Language" {
			t.Errorf("a translation ends the script, or a cache mixes the languages: %v", a.Header)
		}
	}
}

func TestNothingButEventsLeavesAJournal(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	f.Try("lines of live.ndjson that are no events, or would begin another field of the event stream",
		func(t *testing.T) {
			path := filepath.Join(t.TempDir(), File)
			lines := []string{`<script>`, `{"kind":"toString"}`, `{"kind":"run","id":7}`,
				"{\"kind\":\r\r\"run\",\r\"id\":\"a\"}", "{\"kind\":\"end\"}\revent: x", `{"kind":"end"}`}
			labtest.Write(t, path, strings.Join(lines, "\n")+"\n")
			read := &tail{path: path}
			defer read.close()
			var got []string
			labtest.Check(t, read.read(func(line []byte) error { got = append(got, string(line)); return nil }))
			if want := `{"kind":"run","id":"a","t_ms":0} {"kind":"end","t_ms":0}`; strings.Join(got, " ") != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
}

func TestAJournalIsARegularFile(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct {
		what string
		make func(t *testing.T, path string)
	}{
		{"a named pipe", labtest.Mkfifo},
		{"a symbolic link", func(t *testing.T, path string) { labtest.Symlink(t, "/etc/hostname", path) }},
		{"a directory", func(t *testing.T, path string) {
			labtest.Check(t, os.Mkdir(path, 0o700))
		}},
	} {
		f.Try("live.ndjson is "+c.what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), File)
			c.make(t, path)
			err := (&tail{path: path}).read(func([]byte) error { return nil })
			if err == nil || !strings.Contains(err.Error(), "mv "+path) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAPageOfAnotherOriginIsRefused(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostilePages)
	url := serve(t, nothing, []byte("<p>report"))
	for _, path := range []string{"/", "/events", "/report.html"} {
		f.Try("a page of another origin asks the live page for "+path, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
			labtest.Check(t, err)
			r.Header.Set("Origin", "https://example.invalid")
			a, err := http.DefaultClient.Do(r)
			labtest.Check(t, err)
			defer a.Body.Close()
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("status %d", a.StatusCode)
			}
		})
	}
	a, body := get(t, url+"/report.html", "")
	if a.StatusCode != 200 || body != "<p>report" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the report: %d %q %v", a.StatusCode, body, a.Header)
	}
}

func TestHostileWordsOfARunArePlayedAsJSON(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	f.Try("a run whose words hold HTML, line breaks and terminal controls is played back", func(t *testing.T) {
		evil := "</script><b>\r\n\ndata: x\x1b[31m\u202e"
		c := cell()
		c.Topology = evil
		trial := counted()
		trial.Series, trial.Errors[0].Class = "x", evil
		c.Trials = []facts.Trial{trial}
		r := &facts.Result{Run: facts.Run{ID: evil, Command: evil}, Cells: []facts.Cell{*c}}
		series := func(string) (facts.Series, error) {
			return facts.Series{TMS: []float64{-1, 1}, Accepted: []int64{1, 2}}, nil
		}
		for _, e := range events(t, Replay(r, series, 1, 100), 7) {
			line, err := json.Marshal(e)
			if err != nil || strings.ContainsAny(string(line), "\r\n<>") {
				t.Errorf("%q %v", line, err)
			}
			if e.Kind == Sampled && e.Requests != nil {
				t.Error("a count is made up where the front has none")
			}
		}
	})
}

// placed matches the place of a value in a text.
var placed = regexp.MustCompile(`%(?:\[\d\])?s`)

func TestEveryTextOfTheLivePageIsTranslated(t *testing.T) {
	said := map[string]bool{}
	for file, pattern := range map[string]*regexp.Regexp{
		"live.html": regexp.MustCompile(`\{\{say "([^"]+)"\}\}`),
		"live.js":   regexp.MustCompile(`say\('([^']+)'`),
	} {
		page := labtest.Read(t, file)
		found := pattern.FindAllStringSubmatch(page, -1)
		if len(found) < 10 {
			t.Fatalf("only %d texts found in %s: the search is broken", len(found), file)
		}
		for _, m := range found {
			said[m[1]] = true
		}
	}
	words := Chinese(false).Of
	for english := range said {
		if words[english] == "" {
			t.Errorf("the live page says %q, which isn't translated", english)
		}
		if want, got := len(placed.FindAllString(english, -1)), len(placed.FindAllString(words[english], -1)); want != got {
			t.Errorf("%q has other values than %q", words[english], english)
		}
	}
	for english, chinese := range words {
		if !said[english] {
			t.Errorf("a translation of %q, which the live page doesn't say", english)
		}
		if places := labtest.Misset(strings.TrimPrefix(placed.ReplaceAllString(chinese, "值"), "，")); places != nil {
			t.Errorf("spaces or punctuation at %q", places)
		}
	}
}

// plainText matches text of the page between tags, and in its script between quotes.
var plainText = regexp.MustCompile(`>[^<{]*[a-z]{3,}[^<{]*<|aria-label="[^"{]*[a-z]{3}`)

func TestTheLivePageHasNoTextOutsideItsWords(t *testing.T) {
	b := labtest.Read(t, "live.html")
	body := regexp.MustCompile(`(?s)<code>.*?</code>|\{\{[^}]*\}\}`).ReplaceAllString(b, "")
	if found := plainText.FindAllString(body, -1); found != nil {
		t.Errorf("not in say: %q", found)
	}
}
