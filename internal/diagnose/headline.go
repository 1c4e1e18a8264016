package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/lab"
)

// Headline is the verdict in one sentence with its numbers, medians of one
// window.
func Headline(run, baseline *lab.Result, verdicts []lab.Verdict) string {
	f := gather(run, baseline)
	var text string
	switch run.Run.Command {
	case fixed:
		text = f.cureSentence(verdicts)
	case matrix:
		text = sentence(f.faultSentence(verdicts), f.cureSentence(verdicts))
	default:
		text = f.faultSentence(verdicts)
	}
	if text == "" {
		text = "Nothing was measured that a verdict could rest on"
	}
	if run.Run.Quick {
		text += " (a quick look, no statistics)"
	}
	return strings.TrimSuffix(text, ".") + "."
}

// faultSentence says what the low limit does.
func (f facts) faultSentence(verdicts []lab.Verdict) string {
	v := find(verdicts, dialStampede.ID)
	if v == nil {
		return ""
	}
	switch v.Status {
	case lab.Reproduced:
	case lab.NotReproduced:
		return sentence("The stampede did not appear: "+v.Actual, f.lossClause(f.low()))
	default:
		return sentence(fmt.Sprintf("Whether there is a stampede can't be told (%s): %s", v.Status, v.Actual), f.lossClause(f.low()))
	}
	l, lack := f.connections(f.low(), lab.K6SharedPool)
	if lack != nil {
		return ""
	}
	opened := fmt.Sprintf("opened %s in %s where %s needed", things(l.accepted, "connection"), seconds(l.Workload.DurationS), needed(l.expected))
	return sentence(fmt.Sprintf("HTTP/2 through %s %s%s", f.low(), f.delivered(f.low(), true), opened), f.lossClause(f.low()))
}

// cureSentence says what became of it where it is cured.
func (f facts) cureSentence(verdicts []lab.Verdict) string {
	var clauses, remains []string
	for _, topology := range []string{highLimit, "envoy"} {
		v := find(verdicts, "dial-stampede-"+topology)
		if v == nil {
			continue
		}
		l, lack := f.connections(topology, lab.K6SharedPool)
		if lack != nil {
			clauses = append(clauses, fmt.Sprintf("%s is %s: %s", topology, v.Status, v.Actual))
			continue
		}
		if v.Status == lab.Reproduced {
			remains = append(remains, topology)
		}
		clause := fmt.Sprintf("HTTP/2 through %s %sopened %s", topology, f.delivered(topology, len(clauses) == 0), things(l.accepted, "new connection"))
		if len(clauses) == 0 {
			clause += " in " + seconds(l.Workload.DurationS)
			if before, lack := f.connections(f.low(), lab.K6SharedPool); lack == nil {
				clause += fmt.Sprintf(" where %s opened %s", f.low(), count(before.accepted))
			}
		}
		clauses = append(clauses, clause)
	}
	if loss := f.lossClause(highLimit); loss != "" {
		clauses = append(clauses, loss+" there")
	}
	text := sentence(clauses...)
	if remains != nil {
		return "The stampede is still there on " + strings.Join(remains, " and ") + ": " + text
	}
	return text
}

// delivered is "delivered 0.43 [0.41, 0.45] of HTTP/1.1's goodput and ".
func (f facts) delivered(topology string, full bool) string {
	p, lack := f.protocols(topology, lab.K6SharedPool)
	switch {
	case lack != nil:
		return ""
	case full:
		return fmt.Sprintf("delivered %s of HTTP/1.1's goodput and ", ratio(p.Comparison))
	}
	return fmt.Sprintf("delivered %s and ", ratio(p.Comparison))
}

// lossClause says what a client lost whose bodies can't be sent again.
func (f facts) lossClause(topology string) string {
	l, lack := f.losses(topology, lab.GoOnce)
	switch {
	case lack != nil:
		return ""
	case l.lost == 0:
		return "a client whose body can't be replayed lost no request"
	}
	return fmt.Sprintf("a client whose body can't be replayed lost %s", things(l.perTrial, "request"))
}

func find(verdicts []lab.Verdict, id string) *lab.Verdict {
	if i := slices.IndexFunc(verdicts, func(v lab.Verdict) bool { return v.ID == id }); i >= 0 {
		return &verdicts[i]
	}
	return nil
}
