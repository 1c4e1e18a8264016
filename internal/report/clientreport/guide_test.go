package clientreport

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/pagetest"
	"h2lab/internal/report/parts"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

// The descriptions of invented clients have no translation, so both languages are compared by their numbers.
var pages = pagetest.Pages{Name: "clients", Build: Build, Short: Short}

func build(t *testing.T, r *facts.Result) (map[string][]byte, string) {
	t.Helper()
	built, md := pages.Draw(t, r, texts.English)
	return built.Files, md
}

// hard returns results that are difficult to lay out.
func hard() map[string]*facts.Result {
	all := fieldOf()
	lost := all[13]
	groups := all[0]
	groups.low = &numbers{rps: 6000, accepted: 40, failed: 5000}
	for i := range 50 {
		groups.low.errors = append(groups.low.errors, facts.Error{Class: facts.ErrOther, Count: 100, Message: strings.Repeat(string(rune('a'+i%26)), 2+i) + " | `x` ``y`` <b> *z* #1\n```\nsecond line\n```"})
	}
	bare := result(all[0])
	bare.Cells[0].Trials = []facts.Trial{{}}
	bare.Cells[1].Program = nil
	bare.Cells[1].Trials = []facts.Trial{{Fault: &facts.Fault{}}}
	ring := []made{all[0], all[1]}
	ring[0].cures, ring[1].cures = "go-replayable", "go-once"
	return map[string]*facts.Result{
		"field": result(all...), "single": result(all[6]), "only a cure": result(all[1]), "unsupported": result(lost), "fifty groups": result(groups), "bare": bare,
		"nothing": {}, "ring of cures": result(ring...), "no envoy": result(all[2], all[6]), "many": many(75),
	}
}

func TestPagesHold(t *testing.T) {
	pages.Hold(t, hard(), []string{"field", "single", "unsupported"}, *update)
}

func TestEveryMessageStandsOnThePageWordForWord(t *testing.T) {
	for name, r := range hard() {
		_, md := build(t, r)
		for _, c := range r.Cells {
			if c.Topology != "nginx-1000" || c.Program == nil {
				continue
			}
			for _, trial := range c.Trials {
				for _, e := range trial.Errors {
					if !strings.Contains(md, e.Message+"\n") {
						t.Errorf("%s: not to be found: %q", name, e.Message)
					}
				}
				if trial.Fault != nil && !strings.Contains(md, trial.Fault.Message) {
					t.Errorf("%s: not to be found: %q", name, trial.Fault.Message)
				}
			}
		}
	}
}

func TestAnEngineerFindsTheirMessageTheirLibraryAndTheCure(t *testing.T) {
	_, md := build(t, result(fieldOf()...))
	index := md[strings.Index(md, "## Find your error message"):strings.Index(md, "## The matrix")]
	for _, want := range []string{
		"| `" + nodeMessage + "` | [`node-http2`](#client-node-http2) | not executed (none of the 39,000) | [`node-http2-renew`](#client-node-http2-renew) |",
		"| `" + goMessage + "` | [`go-once`](#client-go-once) | not executed (none of the 1,505) | [`go-single-dial`](#client-go-single-dial) |",
		"some were executed (12 of the client's 700 failures)",
		"| *no message: the call never returns* | [`undici-6`](#client-undici-6) |",
	} {
		if !strings.Contains(index, want) {
			t.Errorf("%q is not in the index:\n%s", want, index)
		}
	}
	if strings.Contains(index, "never settled") {
		t.Error("the harness's own words stand in the index")
	}
	for _, want := range []string{"session.once('goaway', () => { session = connect() })", "## Lies", "## Variants that did not cure", "## Unsupported here", "cargo was not found",
		"partial cure: it no longer loses requests, but it still stampedes", "failed per 1,000 54.7 → 0"} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

func TestEveryColumnAndVerdictIsExplained(t *testing.T) {
	_, md := build(t, result(fieldOf()...))
	pagetest.Explained(t, md, newPage(parts.Input{Result: result()}).columns())
	seen := map[string]bool{}
	for v, s := range symbols {
		if s == "" || seen[s] || meanings[v] == "" {
			t.Errorf("%s has no symbol of its own or no meaning", v)
		}
		seen[s] = true
	}
}

func TestToolsReadTheSameVerdicts(t *testing.T) {
	files, _ := build(t, result(fieldOf()...))
	var d struct {
		SchemaVersion int `json:"schema_version"`
		Clients       []struct {
			Client, Verdict string
			CuredBy         []string `json:"cured_by"`
			Low             *struct {
				Accepted, Duplicates *int64
				Per1000              *float64 `json:"failed_per_1000"`
			}
		}
	}
	labtest.Check(t, json.Unmarshal(files["clients.json"], &d))
	var got []string
	for _, c := range d.Clients {
		got = append(got, c.Client+" "+c.Verdict+" "+fmt.Sprint(c.CuredBy))
	}
	want := []string{"go-once loses [go-single-dial]", "go-replayable storms []", "go-single-dial sound []", "jdk-17 loses [jdk-17-h1]", "jdk-17-h1 sound []",
		"okhttp-3.14 duplicates []", "okhttp-4.12 sound []", "node-http2 loses [node-http2-renew]", "node-http2-renew sound []", "undici-6 hangs []",
		"undici-5 crashes []", "hey lies []", "h2load inconclusive []", "reqwest unsupported []"}
	if diff := cmp.Diff(want, got); d.SchemaVersion != 1 || diff != "" {
		t.Errorf("version %d, verdicts (-want +got):\n%s", d.SchemaVersion, diff)
	}
	if d.Clients[13].Low != nil || d.Clients[12].Low.Duplicates != nil {
		t.Error("what can't be known is not null")
	}
	if bytes.Contains(files["clients.json"], []byte(`\u003c`)) {
		t.Error("messages are escaped beyond need and can't be grepped")
	}
}

func TestThePicturesAreFoundWhereverThePageLies(t *testing.T) {
	built, err := Build(parts.Input{Result: result(fieldOf()...), Charts: "../testdata/recorded/clients/charts/"})
	labtest.Check(t, err)
	if !bytes.Contains(built.Files["clients.md"], []byte(`src="../testdata/recorded/clients/charts/clients-light.svg"`)) {
		t.Error("the picture's path is not the one asked for")
	}
}

func TestACrashIsFoundByTheLineThatNamesIt(t *testing.T) {
	for message, want := range map[string]string{
		"it ended with exit status 2 before DONE; its last words:\n  panic: close of closed channel\n  goroutine 7": "panic: close of closed channel",
		"it ended with exit status 1 before WARM; it said nothing on stderr":                                        "it ended with exit status 1 before WARM; it said nothing on stderr",
		"node:internal\n  triggerUncaughtException(err, true);\n  TypeError: x is null\n":                           "TypeError: x is null",
	} {
		if got := telling(message); got != want {
			t.Errorf("%q is found by %q", message, got)
		}
	}
}

func TestOurOwnWordsForAHungCallAreNotTheLibrarys(t *testing.T) {
	if got := theirs(hungMessage); got != "" {
		t.Errorf("%q is left", got)
	}
	if got := theirs(hungMessage + ": java.util.concurrent.TimeoutException"); got !=
		"java.util.concurrent.TimeoutException" {
		t.Errorf("%q is left", got)
	}
}

func TestARowThatNobodyMeasuredYetIsNamed(t *testing.T) {
	r := result(fieldOf()...)
	for _, c := range []struct {
		language     texts.Language
		page, at, is string
	}{
		{texts.English, "clients.md", "## Not yet measured\n", "- `go-new`: net/http; a new variant\n"},
		{texts.Chinese, "clients.zh.md", "## 尚未测量\n", "- `go-new`：net/http；a new variant\n"},
	} {
		built, err := Build(parts.Input{Result: r, Language: c.language, Unmeasured: []facts.Cell{
			{Client: "go-new", Program: &facts.Program{Library: "net/http", Says: "a new variant"}}}})
		labtest.Check(t, err)
		_, section, found := strings.Cut(string(built.Files[c.page]), c.at)
		if !found || !strings.Contains(section, c.is) {
			t.Errorf("%s lacks %q: %s", c.page, c.is, section)
		}
	}
}

func TestARowThatWasMeasuredByItselfIsNamed(t *testing.T) {
	r := result(fieldOf()...)
	r.Run.Finished = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range r.Cells {
		r.Cells[i].Trials = slices.Clone(r.Cells[i].Trials)
		for k := range r.Cells[i].Trials {
			r.Cells[i].Trials[k].Started = r.Run.Finished.Add(-time.Hour)
		}
	}
	if _, md := build(t, r); strings.Contains(md, "by themselves") {
		t.Error("every row was measured in the run, and the page names a later one")
	}
	for i := range r.Cells {
		if r.Cells[i].Client == r.Cells[0].Client && len(r.Cells[i].Trials) > 0 {
			r.Cells[i].Trials[0].Started = r.Run.Finished.Add(time.Hour)
		}
	}
	want := "with the same settings: " + link(r.Cells[0].Client) + "."
	if _, md := build(t, r); !strings.Contains(md, want) {
		t.Errorf("the page lacks %q", want)
	}
}

// A description that nobody translated stands on the page as it is.
func TestAnUnknownDescriptionIsShownAsItIs(t *testing.T) {
	r := result(fieldOf()...)
	r.Cells[0].Program.Says = "Zwei Wege"
	if _, md := pages.Draw(t, r, texts.Chinese); !strings.Contains(md, "| Zwei Wege |") {
		t.Error("the description is missing")
	}
}

func TestLateGeneratorsAreInTheWarnings(t *testing.T) {
	r := result(fieldOf()[:2]...)
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].Schedule = &facts.Schedule{}
		}
	}
	late := 12.5
	r.Cells[0].Trials[0].Schedule.LateMS.P99 = &late
	pages.Has(t, r, "trials the load generator fell behind its schedule, p99 up to 12.5 ms late")
}

func TestAPageOfARunAtARateSaysSo(t *testing.T) {
	r := result(fieldOf()...)
	r.Run.Rate = &facts.Rate{Asked: "70%", PerS: 1500}
	_, english := build(t, r)
	_, chinese := pages.Draw(t, r, texts.Chinese)
	for page, says := range map[string][]string{
		english: {"1,500 requests arrive in a second", "kept 1,500 requests a second (POST"},
		chinese: {"每秒到来 1,500 个请求", "每秒 1,500 个请求（POST"},
	} {
		for _, words := range says {
			if !strings.Contains(page, words) {
				t.Errorf("a page doesn't say %q", words)
			}
		}
		if strings.Contains(page, "closed loop") || strings.Contains(page, "闭环") {
			t.Error("a page of an open loop names a closed one")
		}
	}
}

func TestTheHeadlineCountsLibrariesAsTheyComeApart(t *testing.T) {
	rows := []clientverdicts.Row{
		{Client: "a", Verdict: clientverdicts.Loses, Program: facts.Program{Library: "A", Default: true}},
		{Client: "a-cure", Verdict: clientverdicts.Sound, Program: facts.Program{Library: "A", Cures: "a"}},
		{Client: "a-other", Verdict: clientverdicts.Sound, Program: facts.Program{Library: "A", Cures: "a"}},
	}
	for l, want := range map[texts.Language]string{
		texts.English: "1 library as it comes: 1 loses requests\n2 variants and cures: 2 sound\n",
		texts.Chinese: "1 个库（默认设置）：1 个丢失请求\n2 个变体和对策：2 个正常\n",
	} {
		if got := Headline(l, rows); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
