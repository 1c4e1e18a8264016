package systems

import (
	"math"
	"slices"
	"strings"

	"h2lab/internal/field/cause"
	"h2lab/internal/field/probe/document"
)

// answerOf shortens a document of h2lab probe --json.
func answerOf(d document.Document) answer {
	e, v := d.Endpoint, d.Verdict
	a := answer{Kind: v.Cause.Kind, Fits: v.Cause.Fits, Each: []int{}, WatchedS: v.Cause.WatchedS, Limit: v.Limit,
		UpTo: max(v.Cause.MostRequests, e.Budget.AskedUpTo), Family: v.Family, Sure: v.Sure, Among: v.Among,
		Changes: []string{}, Busy: e.Statuses["429"]+e.Statuses["503"] > 0 && e.Budget.Stopped != ""}
	if n := v.Cause.Requests; n != nil {
		a.Least, a.Most = *n, *n
	}
	if least, most := v.Cause.LeastS, v.Cause.MostS; least != nil && most != nil {
		a.Seconds = (*least + *most) / 2
	}
	if a.Kind == cause.Several {
		for _, g := range v.Cause.Groups {
			a.Each = append(a.Each, g.Requests)
		}
		slices.Sort(a.Each)
	}
	for _, c := range v.Changes {
		a.Changes = append(a.Changes, c.For+": "+strings.Join(strings.Fields(c.Line), " "))
	}
	if e.Idle != nil && e.Idle.Seconds != nil {
		seconds := math.Round(*e.Idle.Seconds)
		a.Idle = &seconds
	}
	for _, c := range e.Asked {
		a.MayHaveRun = max(a.MayHaveRun, c.MayHaveRun)
	}
	return a
}
