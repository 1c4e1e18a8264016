package core

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Run is a run as the rules read it.
type Run struct {
	In        translations.Language // the language of the texts
	Result    *facts.Result
	Summaries []facts.CellSummary // of the run's cells, in their order
	documents map[string]any      // the run's files as JSON, by the first segment of the pointers
}

// Gather prepares a run for its rules.
func Gather(in translations.Language, run *facts.Result) Run {
	f := Unread(in, run)
	f.documents = map[string]any{InResults: document(run), InVerdicts: document(facts.Judgement{Cells: f.Summaries})}
	return f
}

// Unread returns a run without the documents that evidence is looked up in.
func Unread(in translations.Language, run *facts.Result) Run {
	return Run{In: in, Result: run, Summaries: Summaries(run)}
}

// Facts returns the run itself, for the rules of packages that add to it.
func (f Run) Facts() Run { return f }

// Found is a measured cell with its position.
type Found struct {
	*facts.Cell
	Summary facts.Summary
	place   string // its JSON pointer, which is the same in both files
	in      translations.Language
}

// See returns pointers to places in the cell or in its summary.
func (c Found) See(places ...string) []string {
	out := make([]string, len(places))
	for i, p := range places {
		file := InResults
		if strings.HasPrefix(p, "/summary/") {
			file = InVerdicts
		}
		out[i] = file + c.place + p
	}
	return out
}

// At returns cell i of the run.
func (f Run) At(i int) Found {
	return Found{&f.Result.Cells[i], f.Summaries[i].Summary, fmt.Sprintf("/cells/%d", i), f.In}
}

// Index returns the index of one of the run's cells, or -1.
func Index(run *facts.Result, c *facts.Cell) int {
	for i := range run.Cells {
		if &run.Cells[i] == c {
			return i
		}
	}
	return -1
}

// InFlight returns the number of requests that share one pool.
func (c Found) InFlight() int {
	pools := max(c.Workload.Pools, 1)
	return (c.Workload.Concurrency + pools - 1) / pools
}

// Cell finds a measured cell. If there is none, the returned finding is the rule's answer and says
// what is missing.
func (f Run) Cell(topology string, p facts.Protocol, c facts.Client) (Found, *Finding) {
	id := (&facts.Cell{Topology: topology, Protocol: p, Client: c}).ID()
	i := slices.IndexFunc(f.Result.Cells, func(cell facts.Cell) bool { return cell.ID() == id })
	if i < 0 {
		return Found{}, f.Lacking("cell %s was not measured", id)
	}
	switch cell := f.Result.Cells[i]; {
	case len(cell.Trials) > 0:
		return f.At(i), nil
	case cell.Unsupported != "":
		return Found{}, &Finding{Status: facts.Unsupported,
			Actual: f.Say("cell %s can't run here: %s", id, f.In.RecordedOne(cell.Unsupported))}
	}
	return Found{}, &Finding{Status: facts.Inconclusive,
		Actual: f.Say("cell %s has no trial: the run ended before it", id),
		Next:   f.Say("Run the command again to its end.")}
}

// Lacking is the answer to a question for which the run has no numbers.
func (f Run) Lacking(why translations.Phrase, args ...any) *Finding {
	return &Finding{Status: facts.Inconclusive, Actual: f.Say(why, args...),
		Next: f.Say("Measure it: run the command again without TOPOLOGY, PROTOCOL or CLIENT.")}
}

// Cells returns all measured cells of the run.
func (f Run) Cells() []Found {
	var out []Found
	for i := range f.Result.Cells {
		if len(f.Result.Cells[i].Trials) > 0 {
			out = append(out, f.At(i))
		}
	}
	return out
}

// Application reports whether a server is one of services/: a caller, or Spring Cloud Gateway. They run without a
// CPU budget, since a JVM with half a processor would be the limit of every cell.
func Application(run *facts.Result, server string) bool {
	return strings.HasPrefix(server, "scg") || slices.ContainsFunc(run.Cells, func(c facts.Cell) bool {
		return c.Users != "" && string(c.Client) == server
	})
}
