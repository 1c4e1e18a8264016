package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// Run is a run as the rules read it.
type Run struct {
	Result    *facts.Result
	Summaries []facts.CellSummary // of the run's cells, in their order
	documents map[string]any      // the run's files as JSON, by the first segment of the pointers
}

// Gather prepares a run for its rules.
func Gather(run *facts.Result) Run {
	f := Unread(run)
	f.documents = map[string]any{InResults: document(run), InVerdicts: document(facts.Judgement{Cells: f.Summaries})}
	return f
}

// Unread returns a run without the documents that evidence is looked up in.
func Unread(run *facts.Result) Run {
	return Run{Result: run, Summaries: Summaries(run)}
}

// Found is a measured cell with its position.
type Found struct {
	*facts.Cell
	Summary facts.Summary
	place   string // its JSON pointer, which is the same in both files
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
	return Found{&f.Result.Cells[i], f.Summaries[i].Summary, fmt.Sprintf("/cells/%d", i)}
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

// Frequent is the most frequent message among the errors of a cell's trials, of one class or of all, with its pointer within the
// cell; in is the errors' place in a trial.
func Frequent(c *facts.Cell, in string, errors func(facts.Trial) []facts.Error, class string) (message, at string) {
	var most int64
	for i, t := range c.Trials {
		for k, e := range errors(t) {
			if e.Count > most && (class == "" || e.Class == class) {
				most, message, at = e.Count, e.Message, fmt.Sprintf("/trials/%d/%s/%d", i, in, k)
			}
		}
	}
	return message, at
}

// InFlight returns the number of requests that share one pool.
func (c Found) InFlight() int {
	pools := max(c.Workload.Pools, 1)
	return (c.Workload.Concurrency + pools - 1) / pools
}

// Cell finds a measured cell. Where there is none, the rule's answer says what is missing (Lack).
func (f Run) Cell(topology string, p facts.Protocol, c facts.Client) Found {
	id := (&facts.Cell{Topology: topology, Protocol: p, Client: c}).ID()
	i := slices.IndexFunc(f.Result.Cells, func(cell facts.Cell) bool { return cell.ID() == id })
	if i < 0 {
		Lack(Finding{Actual: facts.T("verdict.cell-not-measured", id), Next: facts.T("verdict.measure-run-command-again")})
	}
	switch cell := f.Result.Cells[i]; {
	case len(cell.Trials) > 0:
	case !cell.Unsupported.IsZero():
		Lack(Finding{Status: facts.Unsupported, Actual: facts.T("verdict.cell-cant-run-here", id, cell.Unsupported)})
	default:
		Lack(Finding{Actual: facts.T("verdict.cell-no-trial-run", id), Next: facts.T("verdict.run-command-again-end")})
	}
	return f.At(i)
}

// lack is the panic of a rule that misses what it reads.
type lack struct{ Finding }

// Lack ends a rule with this answer, however deep in its reading of the run.
func Lack(a Finding) {
	a.Status = cmp.Or(a.Status, facts.Inconclusive)
	panic(lack{a})
}

// Try reads what a run may lack; lacks is the answer of a rule that can't do without it.
func Try[T any](read func() T) (out T, lacks *Finding) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case lack:
			lacks = &r.Finding
		default:
			panic(r)
		}
	}()
	return read(), nil
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

// The files that evidence points into: the measurements and their summaries.
const (
	InResults  = "results.json#"
	InVerdicts = "verdicts.json#"
)

// document returns a file as its readers parse it.
func document(file any) any {
	data, err := json.Marshal(file)
	if err != nil {
		return nil
	}
	var doc any
	if json.Unmarshal(data, &doc) != nil {
		return nil
	}
	return doc
}

// lookup follows a JSON pointer (RFC 6901; no name in these files needs escaping).
func lookup(doc any, pointer string) (any, bool) {
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch at := doc.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			doc = at[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// Evidence makes evidence of the values at the pointers.
func (f Run) Evidence(pointers ...string) []facts.Evidence {
	out := []facts.Evidence{}
	for _, p := range pointers {
		file, inside, _ := strings.Cut(p, "#")
		if v, ok := lookup(f.documents[file+"#"], inside); ok {
			out = append(out, facts.Evidence{Pointer: p, Value: v})
		}
	}
	return out
}
