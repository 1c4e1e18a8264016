package sweepverdicts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// Named is how often an error occurred.
type Named struct {
	Name  string
	Count int64
	// Message is the first verbatim message.
	Message string
}

// thrown matches the class of an exception. The last one in a message is its cause.
var thrown = regexp.MustCompile(`[\w.$]*\b[A-Z]\w*(?:Exception|Error)\b`)

// unsaid are the characters that a name in a sentence doesn't have: those with a meaning in Markdown
// among them.
var unsaid = regexp.MustCompile(`[^\w.:/()-]+`)

// mostWords is how many words of a message name it.
const mostWords = 6

// nameOf is the simple name of the exception at the end of a message, or the message's first words.
func nameOf(message string) string {
	all := thrown.FindAllString(message, -1)
	if len(all) > 0 {
		name := all[len(all)-1]
		return name[strings.LastIndexAny(name, ".$")+1:]
	}
	return strings.Join(firstOf(strings.Fields(unsaid.ReplaceAllString(message, " ")), mostWords), " ")
}

func firstOf[T any](all []T, n int) []T { return all[:min(n, len(all))] }

// Errors names the failures of cells, the most frequent first. The service's own messages name the
// exception; where its view has none, the users' messages count.
func Errors(cells ...*facts.Cell) (out []Named) {
	add := func(e facts.Error) {
		name := cmp.Or(nameOf(e.Message), e.Class)
		i := slices.IndexFunc(out, func(n Named) bool { return n.Name == name })
		if i < 0 {
			i, out = len(out), append(out, Named{Name: name, Message: e.Message})
		}
		out[i].Count += e.Count
	}
	for _, c := range cells {
		if c == nil {
			continue
		}
		for _, t := range c.Trials {
			errs := t.Errors
			if t.Service != nil && len(t.Service.Errors) > 0 {
				errs = t.Service.Errors
			}
			for _, e := range errs {
				add(e)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Named) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// Faults counts the trials of a cell in which the service or its load generator failed.
func Faults(c *facts.Cell) (n int) {
	if c == nil {
		return 0
	}
	for _, t := range c.Trials {
		if t.Fault != nil {
			n++
		}
	}
	return n
}

// Failures are the failed and all requests of the users of some cells.
func Failures(cells ...*facts.Cell) (failed, attempts int64) {
	for _, c := range cells {
		if c == nil {
			continue
		}
		for _, t := range c.Trials {
			failed, attempts = failed+t.Failed, attempts+t.Attempts
		}
	}
	return failed, attempts
}
