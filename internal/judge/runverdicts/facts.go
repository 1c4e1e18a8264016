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

// highLimit is the topology that cures the fault on the server's side with
// one number (keepalive_requests 100000).
const highLimit = "nginx-100000"

// inBaseline begins the pointers into the baseline's results.json.
const inBaseline = "baseline#"

// facts is what a rule may look at: a run and, of a fixed run, the repro that
// it is set beside.
type runFacts struct {
	in              translations.Language // of what is said about them
	run, base       *facts.Result
	runDoc, baseDoc any // the same as JSON, where evidence is looked up
}

func gather(in translations.Language, run, baseline *facts.Result) runFacts {
	f := unread(in, run, baseline)
	f.runDoc, f.baseDoc = document(f.run), document(f.base)
	return f
}

// unread are facts without the documents that evidence is looked up in.
func unread(in translations.Language, run, baseline *facts.Result) runFacts {
	return runFacts{in: in, run: summarised(run), base: summarised(baseline)}
}

// summarised is a copy with every summary made from the trials that are there.
func summarised(r *facts.Result) *facts.Result {
	if r == nil {
		return nil
	}
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i := range out.Cells {
		Summarise(&out.Cells[i])
	}
	return &out
}

// document is the result as its readers find it in the file.
func document(r *facts.Result) any {
	data, err := json.Marshal(r)
	if err != nil {
		return nil
	}
	var doc any
	if json.Unmarshal(data, &doc) != nil {
		return nil
	}
	return doc
}

// lookup follows a JSON pointer (RFC 6901; no name of ours needs escaping).
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

// see makes evidence of what the pointers point at.
func (f runFacts) see(pointers ...string) []facts.Evidence {
	out := []facts.Evidence{}
	for _, p := range pointers {
		doc, inside := f.runDoc, p
		if rest, ok := strings.CutPrefix(p, inBaseline); ok {
			doc, inside = f.baseDoc, rest
		}
		if v, ok := lookup(doc, inside); ok {
			out = append(out, facts.Evidence{Pointer: p, Value: v})
		}
	}
	return out
}

// low is the name of the nginx topology with the run's low limit.
func (f runFacts) low() string { return fmt.Sprintf("nginx-%d", f.run.Run.Limit) }

// found is a measured cell and where it stands.
type found struct {
	*facts.Cell
	at string // its JSON pointer
	in translations.Language
}

// see gives pointers to places within the cell.
func (c found) see(places ...string) []string {
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = c.at + p
	}
	return out
}

// inFlight is how many requests share one pool.
func (c found) inFlight() int {
	pools := max(c.Workload.Pools, 1)
	return (c.Workload.Concurrency + pools - 1) / pools
}

// cell finds a measured cell, in the run or else in its baseline. Without one
// the finding says what is lacking, and is the rule's answer.
func (f runFacts) cell(topology string, p facts.Protocol, c facts.Client) (found, *finding) {
	id := (&facts.Cell{Topology: topology, Protocol: p, Client: c}).ID()
	unsupported, empty := "", false
	for _, where := range []struct {
		r  *facts.Result
		at string
	}{{f.run, ""}, {f.base, inBaseline}} {
		if where.r == nil {
			continue
		}
		for i := range where.r.Cells {
			cell := &where.r.Cells[i]
			switch {
			case cell.ID() != id:
			case len(cell.Trials) > 0:
				return found{cell, fmt.Sprintf("%s/cells/%d", where.at, i), f.in}, nil
			case cell.Unsupported != "":
				unsupported = cell.Unsupported
			default:
				empty = true
			}
		}
	}
	switch {
	case unsupported != "":
		return found{}, &finding{status: facts.Unsupported, actual: f.say("cell %s can't run here: %s", id, f.in.RecordedOne(unsupported))}
	case empty:
		return found{}, &finding{status: facts.Inconclusive, actual: f.say("cell %s has no trial: the run ended before it", id),
			next: f.say("Run the command again to its end.")}
	}
	return found{}, f.lacking("cell %s was not measured", id)
}

// lacking is the answer to a question that the run has no numbers for.
func (f runFacts) lacking(why translations.Phrase, args ...any) *finding {
	return &finding{status: facts.Inconclusive, actual: f.say(why, args...),
		next: f.say("Measure it: run the command again without TOPOLOGY, PROTOCOL or CLIENT.")}
}

// cells are all measured cells of the run itself.
func (f runFacts) cells() []found {
	var out []found
	for i := range f.run.Cells {
		if len(f.run.Cells[i].Trials) > 0 {
			out = append(out, found{&f.run.Cells[i], fmt.Sprintf("/cells/%d", i), f.in})
		}
	}
	return out
}
