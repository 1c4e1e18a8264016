package kit

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"

	"h2lab/internal/facts"
)

// answer is the line of JSON that every client program of the lab ends with;
// internal/lab/load reads it.
type answer struct {
	Attempts       int64         `json:"attempts"`
	Succeeded      int64         `json:"succeeded"`
	Failed         int64         `json:"failed"`
	WarmupRequests int64         `json:"warmup_requests"`
	ElapsedS       float64       `json:"elapsed_s"`
	Failures       []group       `json:"failures"`
	Latency        facts.Latency `json:"latency_ms"`
	Dialled        *int64        `json:"dialled"`
	ClientReported *int64        `json:"client_reported"`
	TLS            facts.TLS     `json:"tls"`
	Hung           int64         `json:"hung"`
	Library        string        `json:"library"`
	Runtime        string        `json:"runtime"`
	// These are left out where there is nothing to say.
	Histogram string          `json:"histogram,omitempty"`
	Schedule  *facts.Schedule `json:"schedule,omitempty"`
	Times
}

// newAnswer makes the answer of a window; before and after are the connection counts at its start
// and end.
func newAnswer(warm, w *Tally, before, after Counts) (answer, error) {
	a := answer{
		Attempts: w.attempts, Succeeded: w.succeeded, Failed: w.attempts - w.succeeded,
		WarmupRequests: warm.attempts, ElapsedS: w.Elapsed.Seconds(), Failures: []group{},
		Dialled: since(before.Dialled, after.Dialled), ClientReported: since(before.Reported, after.Reported),
		TLS:  facts.TLS{Version: after.TLSVersion, Resumed: since(before.Resumed, after.Resumed)},
		Hung: w.hung, Runtime: runtime.Version(),
	}
	for _, g := range w.groups {
		a.Failures = append(a.Failures, *g)
	}
	slices.SortFunc(a.Failures, func(x, y group) int { return int(y.Count - x.Count) })
	a.Latency = percentiles(w.latency)
	if w.pace != nil {
		a.Schedule = w.pace.schedule(w.attempts)
	}
	var err error
	a.Histogram, err = encoded(w.latency)
	return a, err
}

// since is the difference of two counts, or nil where one of them is unknown.
func since(before, after *int64) *int64 {
	if before == nil || after == nil {
		return nil
	}
	return new(*after - *before)
}

func (a answer) writeJSON(w io.Writer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

// writeText writes the answer for a reader at a terminal.
func (a answer) writeText(w io.Writer, variant string) error {
	ms := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return fmt.Sprintf("%.2f", *v)
	}
	n := func(v *int64) string {
		if v == nil {
			return "unknown"
		}
		return strconv.FormatInt(*v, 10)
	}
	l := a.Latency
	_, err := fmt.Fprintf(w, "%s: %d succeeded, %d failed (%d hung) in %.2f s: %.0f requests/s\n"+
		"  latency ms: p50 %s, p90 %s, p99 %s, p99.9 %s, max %s\n"+
		"  connections in the window: dialled %s, reported as new by the library %s; TLS %s, resumed %s\n",
		variant, a.Succeeded, a.Failed, a.Hung, a.ElapsedS, float64(a.Succeeded)/a.ElapsedS,
		ms(l.P50), ms(l.P90), ms(l.P99), ms(l.P999), ms(l.Max),
		n(a.Dialled), n(a.ClientReported), a.TLS.Version, n(a.TLS.Resumed))
	if s := a.Schedule; s != nil && err == nil {
		_, err = fmt.Fprintf(w, "  %d requests were due, %d of them not started; sent late by ms: p50 %s, p99 %s, max %s; "+
			"at most %d in flight\n  latency ms from when they were sent: p50 %s, p90 %s, p99 %s, p99.9 %s, max %s\n",
			s.Due, s.NotStarted, ms(s.LateMS.P50), ms(s.LateMS.P99), ms(s.LateMS.Max), s.InFlight,
			ms(s.UncorrectedMS.P50), ms(s.UncorrectedMS.P90), ms(s.UncorrectedMS.P99), ms(s.UncorrectedMS.P999),
			ms(s.UncorrectedMS.Max))
	}
	for _, g := range a.Failures {
		if err == nil {
			_, err = fmt.Fprintf(w, "  %d × %s\n", g.Count, g.Message)
		}
	}
	return err
}
