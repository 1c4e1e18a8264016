package mattersreport

import (
	"bytes"
	"flag"
	"maps"
	"regexp"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

func whole(trials int) *facts.Result { return labtest.Matters(trials, labtest.MattersMap()...) }

func build(t *testing.T, in Input) (map[string][]byte, string) {
	t.Helper()
	built, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return built.Files, string(built.Files[Name(in.Language)])
}

func TestPagesLookAsTheGoldenFilesDo(t *testing.T) {
	r := whole(2)
	files, _ := build(t, Input{Result: r})
	_, zh := build(t, Input{Result: r, Language: translations.Chinese})
	files[Name(translations.Chinese)] = []byte(zh) // its charts are compared with the English ones
	files["short.txt"] = []byte(Short(Input{Result: r}, false))
	labtest.GoldenPages(t, "pages", files, *update)
}

// part is a run with a part of the map and two other loads.
func part(trials int) *facts.Result {
	all := labtest.MattersMap()
	return labtest.Matters(trials, append(all[:8:8], all[20], all[24])...)
}

// hard returns runs that are difficult to lay out.
func hard() map[string]*facts.Result {
	bare, unmeasured, foreign := part(1), part(1), part(2)
	for i := range bare.Cells {
		bare.Cells[i].Trials = []facts.Trial{{Index: 1}}
	}
	for i := range unmeasured.Cells {
		unmeasured.Cells[i].Trials, unmeasured.Cells[i].Unsupported = nil, facts.T("verdict.recorded", "java was not found | `x`")
	}
	foreign.Cells[0].Client = "a | b <script>"
	foreign.Cells[1].Trials = nil
	foreign.Cells[2].Workload.Distance = facts.Distance{RTTMS: 3, JitterMS: 1, LossPercent: 0.5, MbitPerS: 10}
	foreign.Run.Finished, foreign.Run.Quick = foreign.Run.Started.Add(-foreign.Run.Finished.Sub(foreign.Run.Started)), true
	foreign.Cells[5].Trials[0].Fault = &facts.Fault{Message: "it ended | `with` <script> status 3"}
	nolimit := part(1)
	for i := range nolimit.Cells {
		nolimit.Cells[i].Limit.Configured = nil
	}
	return map[string]*facts.Result{"all": part(2), "one trial": part(1), "bare": bare, "unmeasured": unmeasured,
		"foreign": foreign, "no limit": nolimit, "nothing": {}, "one place": labtest.Matters(2, labtest.MattersMap()[0]),
		"no cells": {Run: facts.Run{Command: "sweep", Sweep: "matters", Planned: []string{"nginx-100.h2.x.a"}}}}
}

func TestTheSameResultGivesTheSameBytes(t *testing.T) {
	first, _ := build(t, Input{Result: part(2)})
	again, _ := build(t, Input{Result: part(2)})
	if !maps.EqualFunc(first, again, bytes.Equal) {
		t.Error("the same input gave different bytes")
	}
}

var (
	spans = regexp.MustCompile("`[^`\n]*`")
	// foreign are texts of programs and machines.
	foreign = regexp.MustCompile(`it ended[^\n]*|java was not found[^\n]*|needs \d+ s for one[^\n]*|Synthetic CPU|okhttp-5`)
)

func TestTablesHoldWhateverTheRun(t *testing.T) {
	for name, r := range hard() {
		for _, l := range []translations.Language{translations.English, translations.Chinese} {
			_, md := build(t, Input{Result: r, Language: l})
			labtest.WholeTables(t, name, md)
			labtest.Unmeant(t, name, spans.ReplaceAllString(md, ""))
		}
	}
}

func TestBothLanguagesHaveTheSameNumbers(t *testing.T) {
	for name, r := range hard() {
		drawn, en := build(t, Input{Result: r})
		translated, zh := build(t, Input{Result: r, Language: translations.Chinese})
		labtest.SameReport(t, name, foreign.ReplaceAllString(en, "¦"), foreign.ReplaceAllString(zh, "¦"))
		labtest.SameCharts(t, name, r, drawn, translated)
	}
	labtest.SameTexts(t)
}

func TestEveryPictureIsThereInBothVersions(t *testing.T) {
	for name, r := range hard() {
		files, md := build(t, Input{Result: r})
		names := regexp.MustCompile(`charts/[a-z0-9-]+\.svg`).FindAllString(md, -1)
		if len(names) != len(files)-1 {
			t.Errorf("%s: %d pictures named, %d files made", name, len(names), len(files))
		}
		for _, n := range names {
			if files[n] == nil {
				t.Errorf("%s: %s is shown and not there", name, n)
			}
		}
	}
}

func TestTheTerminalsVersion(t *testing.T) {
	for _, r := range hard() {
		labtest.FitsTerminal(t, Short(Input{Result: r}, false), Short(Input{Result: r}, true))
	}
}
