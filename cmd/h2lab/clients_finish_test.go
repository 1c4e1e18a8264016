package main

import (
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
)

func TestTheHeadlineCountsLibrariesAsTheyComeApart(t *testing.T) {
	rows := []clientverdicts.Row{
		{Client: "a", Verdict: clientverdicts.Loses, Program: facts.Program{Library: "A", Default: true}},
		{Client: "a-cure", Verdict: clientverdicts.Sound, Program: facts.Program{Library: "A", Cures: "a"}},
		{Client: "a-other", Verdict: clientverdicts.Sound, Program: facts.Program{Library: "A", Cures: "a"}},
	}
	if got, want := headline(rows),
		"1 library as it comes: 1 loses requests\n2 variants and cures: 2 sound\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
