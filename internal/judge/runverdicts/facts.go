package runverdicts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// highLimit is the topology that cures the fault on the server's side with one setting
// (keepalive_requests 100000).
const highLimit = "nginx-100000"

// The files that evidence points into: the measurements and their summaries.
const (
	inResults  = "results.json#"
	inVerdicts = "verdicts.json#"
)

// runFacts are the input of a rule.
type runFacts struct {
	in        translations.Language // the language of the texts
	run       *facts.Result
	summaries []facts.CellSummary // of run.Cells, in their order
	documents map[string]any      // the run's files as JSON, by the first segment of the pointers
}

func gather(in translations.Language, run *facts.Result) runFacts {
	f := unread(in, run)
	f.documents = map[string]any{inResults: document(f.run), inVerdicts: document(facts.Judgement{Cells: f.summaries})}
	return f
}

// unread returns facts without the documents that evidence is looked up in.
func unread(in translations.Language, run *facts.Result) runFacts {
	return runFacts{in: in, run: run, summaries: Summaries(run)}
}

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

// see makes evidence of the values at the pointers.
func (f runFacts) see(pointers ...string) []facts.Evidence {
	out := []facts.Evidence{}
	for _, p := range pointers {
		file, inside, _ := strings.Cut(p, "#")
		if v, ok := lookup(f.documents[file+"#"], inside); ok {
			out = append(out, facts.Evidence{Pointer: p, Value: v})
		}
	}
	return out
}

// low returns the name of the nginx topology with the run's low limit.
func (f runFacts) low() string { return fmt.Sprintf("nginx-%d", f.run.Run.Limit) }

// found is a measured cell with its position.
type found struct {
	*facts.Cell
	Summary facts.Summary
	at      string // its JSON pointer, which is the same in both files
	in      translations.Language
}

// see returns pointers to places in the cell or in its summary.
func (c found) see(places ...string) []string {
	out := make([]string, len(places))
	for i, p := range places {
		file := inResults
		if strings.HasPrefix(p, "/summary/") {
			file = inVerdicts
		}
		out[i] = file + c.at + p
	}
	return out
}

// at returns cell i of the run.
func (f runFacts) at(i int) found {
	return found{&f.run.Cells[i], f.summaries[i].Summary, fmt.Sprintf("/cells/%d", i), f.in}
}

// inFlight returns the number of requests that share one pool.
func (c found) inFlight() int {
	pools := max(c.Workload.Pools, 1)
	return (c.Workload.Concurrency + pools - 1) / pools
}

// cell finds a measured cell. If there is none, the returned finding is the rule's answer and says
// what is missing.
func (f runFacts) cell(topology string, p facts.Protocol, c facts.Client) (found, *finding) {
	id := (&facts.Cell{Topology: topology, Protocol: p, Client: c}).ID()
	i := slices.IndexFunc(f.run.Cells, func(cell facts.Cell) bool { return cell.ID() == id })
	if i < 0 {
		return found{}, f.lacking("cell %s was not measured", id)
	}
	switch cell := f.run.Cells[i]; {
	case len(cell.Trials) > 0:
		return f.at(i), nil
	case cell.Unsupported != "":
		return found{}, &finding{status: facts.Unsupported,
			actual: f.say("cell %s can't run here: %s", id, f.in.RecordedOne(cell.Unsupported))}
	}
	return found{}, &finding{status: facts.Inconclusive,
		actual: f.say("cell %s has no trial: the run ended before it", id),
		next:   f.say("Run the command again to its end.")}
}

// lacking is the answer to a question for which the run has no numbers.
func (f runFacts) lacking(why translations.Phrase, args ...any) *finding {
	return &finding{status: facts.Inconclusive, actual: f.say(why, args...),
		next: f.say("Measure it: run the command again without TOPOLOGY, PROTOCOL or CLIENT.")}
}

// cells returns all measured cells of the run.
func (f runFacts) cells() []found {
	var out []found
	for i := range f.run.Cells {
		if len(f.run.Cells[i].Trials) > 0 {
			out = append(out, f.at(i))
		}
	}
	return out
}
