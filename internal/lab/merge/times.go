package merge

import (
	"fmt"
	"slices"
	"time"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// span is when a runner's windows began and ended, in ms since 1970.
type span struct {
	began, ended float64
	any          bool
}

func (r *runner) span() (s span) {
	for _, l := range r.vus {
		if l.Began == nil || l.Ended == nil {
			continue
		}
		if !s.any {
			s = span{*l.Began, *l.Ended, true}
		}
		s.began, s.ended = min(s.began, *l.Began), max(s.ended, *l.Ended)
	}
	return s
}

// apart names the runners whose windows were not those of the others.
func apart(runners []*runner, k knobs) []string {
	var starts []float64
	for _, r := range runners {
		if s := r.span(); s.any {
			starts = append(starts, s.began)
		}
	}
	slices.Sort(starts)
	var out []string
	for _, r := range runners {
		s := r.span()
		if !s.any {
			continue
		}
		late := s.began - starts[len(starts)/2]
		how := "after"
		if late < 0 {
			late, how = -late, "before"
		}
		if late > k.tolerance(r.of) {
			out = append(out, fmt.Sprintf("%s began %s s %s the others, or its machine's clock differs: goodput is "+
				"counted from the first runner's start to the last one's end", r, seconds(late), how))
		}
		if short := k.DurationMS - (s.ended - s.began); short > k.tolerance(r.of) {
			out = append(out, fmt.Sprintf("%s stopped %s s before the end of its window of %s s", r, seconds(short),
				seconds(k.DurationMS)))
		}
	}
	return out
}

// behind names the runners that sent their requests so late that their latencies aren't the target's alone.
func behind(runners []*runner, k knobs) []string {
	var out []string
	for _, r := range runners {
		a, err := load.FromLogs(r.tallies(), facts.Protocol(k.Protocol))
		if err != nil || a.Schedule == nil || !a.Schedule.Behind() {
			continue // an error of a runner's tally is one of all tallies, too
		}
		out = append(out, fmt.Sprintf("%s fell behind its schedule: it sent 1 %% of its requests at least %s ms late, so its latencies "+
			"contain the generator's own delay", r, numfmt.Measured(*a.Schedule.LateMS.P99)))
	}
	return out
}

// tolerance is the difference between windows, in ms, that apart doesn't report: 5 % of the window, 250 ms at
// least, and in an open loop twice the time between two arrivals of a runner in addition.
func (k knobs) tolerance(runners int) float64 {
	t := max(250, k.DurationMS/20)
	if k.Rate > 0 {
		t += 2 * 1000 * float64(runners*max(k.Burst, 1)) / k.Rate
	}
	return t
}

func seconds(ms float64) string { return numfmt.Decimals(ms/1000, 1) }

func when(ms float64) time.Time { return time.UnixMilli(int64(ms)).UTC() }
