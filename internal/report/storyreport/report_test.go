package storyreport

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/pagetest"
	"h2lab/internal/report/parts"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

var pages = pagetest.Pages{Name: "story", Build: Build, Short: Short, Input: input, Foreign: regexp.MustCompile(`\A\z`)}

func input(r *facts.Result) parts.Input {
	return parts.Input{Result: r, Verdicts: storyverdicts.Judge(r).Verdicts, Path: "results/latest/story.md",
		Diff: "--- nginx/keepalive-1000-envoy.conf\n+++ nginx/keepalive-100000-envoy.conf\n" +
			"-        keepalive_requests 1000; # the limit\n+        keepalive_requests 100000; # the limit\n"}
}

// quick is an interrupted run of one trial that lacks most cells; one can't run, one has no trial.
func quick() *facts.Result {
	r := labtest.Story("envoy", 1)
	r.Run.Quick, r.Run.Interrupted, r.Run.Trials = true, true, 1
	r.Renewals = nil
	r.Cells = r.Cells[:6]
	r.Cells[2].Trials, r.Cells[2].Unsupported = nil, facts.T("verdict.recorded", "Envoy is not installed")
	r.Cells[4].Trials = nil
	return r
}

// mild is a run in which the incident costs its users nothing beyond noise, on a busy machine.
func mild() *facts.Result {
	r := labtest.Story("envoy", 6)
	r.Environment.Cores = 2
	alone := r.Cells[2].Trials
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			t := &r.Cells[i].Trials[j]
			t.GoodputRPS, t.LatencyMS = alone[(i+j)%6].GoodputRPS, alone[(i+j)%6].LatencyMS
		}
	}
	return r
}

// bare is a run whose trials have no numbers.
func bare() *facts.Result {
	r := labtest.Story("scg", 2)
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j] = facts.Trial{Index: j + 1}
		}
	}
	r.Run.CPUs, r.Cells[0].Program = nil, nil
	return r
}

func runs() map[string]*facts.Result {
	only := labtest.Story("envoy", 6)
	only.Cells = only.Cells[:1]
	return map[string]*facts.Result{"envoy": labtest.Story("envoy", 6), "scg": labtest.Story("scg", 4), "quick": quick(),
		"mild": mild(), "bare": bare(), "only the incident": only, "empty": {Run: facts.Run{Command: "story"}}}
}

func TestPagesHold(t *testing.T) {
	pages.Hold(t, runs(), []string{"envoy", "quick", "mild"}, *update)
	pages.Fit(t, runs())
	labtest.SameTexts(t)
}

func TestWhatIsNotKnownIsADashAndNever0(t *testing.T) {
	r := bare()
	r.Cells[0].Trials[0].GoodputRPS, r.Cells[0].Trials[1].GoodputRPS = 5, 5
	_, md := pages.Draw(t, r, texts.English)
	row := regexp.MustCompile(`(?m)^\| the incident<br>.*$`).FindString(md)
	if strings.Count(row, parts.Dash) < 5 || strings.Contains(row, "| 0") {
		t.Errorf("a cell without numbers reads %q", row)
	}
}

// Each cell that the run lacks is named where the story needs it.
func TestMissingPartsAreNamed(t *testing.T) {
	pages.Has(t, quick(), "was interrupted", "Cell `envoy.h2.resttemplate-okhttp3` can't run here: Envoy is not installed",
		"Cell `nginx-100000-envoy.h2.resttemplate-okhttp3` has no trial", "This run doesn't have cell "+
			"`nginx-1000-envoy.h2.resttemplate-okhttp3-renew`", "This run traced no renewal.")
}

func TestTheStoryHasItsPartsInOrder(t *testing.T) {
	_, md := pages.Draw(t, labtest.Story("envoy", 6), texts.English)
	at := 0
	for _, want := range []string{"# The service in the middle", "story-goodput-light.svg", "## 1. What the service sees",
		"stream was reset: CANCEL", "under 500", "## 2. What the API sees", "## 3. The cut", "## 4. The connections", "GOAWAY",
		"## 5. The retry", "## 6. The cures", "keepalive_requests 100000; # the limit", "services/spring/Renewing.java",
		"Four times as many", "## 7. What differs", "-Xmx256m", "## Verdicts", "### The fault", "### The cures",
		"Failure messages", "## How it was measured", "## Environment and versions", "## Columns", "make story SEED=42"} {
		i := strings.Index(md[at:], want)
		if i < 0 {
			t.Fatalf("%q is not on the page after %.60q", want, md[max(0, at-60):at])
		}
		at += i
	}
}

func TestEveryColumnIsExplainedAndEveryNumberLeadsToItsSource(t *testing.T) {
	r := labtest.Story("envoy", 6)
	built, md := pages.Draw(t, r, texts.English)
	p := newPage(input(r))
	for _, columns := range [][]column{usersColumns(), apiColumns(), connectionColumns()} {
		pagetest.Explained(t, md, p.columns(columns))
	}
	if len(built.Numbers) != 6 || built.Numbers[0].Cells[0][1] == "" {
		t.Errorf("%d tables have sources", len(built.Numbers))
	}
}

// Text of a service or of a manifest can't become markup.
func TestForeignTextStaysText(t *testing.T) {
	r := labtest.Story("envoy", 6)
	const hostile = "a | b\n# c <script>alert(1)</script> *d* \x1b[2J ``` `e`"
	r.Cells[0].Program.Says, r.Cells[8].Program.Price = hostile, hostile
	for i := range r.Cells[3].Trials {
		s := r.Cells[3].Trials[i].Service
		s.Errors[0].Message, s.Settings[hostile] = hostile, hostile
	}
	_, md := pages.Draw(t, r, texts.English)
	labtest.WholeTables(t, "hostile", md)
	md = regexp.MustCompile("(?s)````?.*?````?").ReplaceAllString(md, "")
	if strings.Contains(md, "\x1b") || regexp.MustCompile("(?m)^# c").MatchString(md) {
		t.Error("foreign text became markup")
	}
}
