package load

import (
	"bytes"
	"cmp"
	_ "embed" // embeds classes.toml
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
)

// failure is one kind of failure in a client's report.
type failure struct {
	Message string `json:"message"`
	Count   int64  `json:"count"`
	Kind    string `json:"kind"` // status or transport
	Code    int    `json:"code"` // k6's error_code, 0 elsewhere
}

// parseAnswer parses the line of JSON that a client program prints last; its error quotes the line and says what is wrong.
func parseAnswer(line []byte, p facts.Protocol) (Answer, error) {
	a, err := readAnswer(line, p)
	if err != nil {
		return Answer{}, fault(facts.FaultGarbled, "its answer can't be used: %w; it printed %s", err, shown(line))
	}
	return a, nil
}

// required are the members that no answer may leave out.
var required = []string{"attempts", "succeeded", "failed", "warmup_requests", "elapsed_s", "failures", "latency_ms", "tls",
	"hung", "library", "runtime"}

func readAnswer(line []byte, p facts.Protocol) (a Answer, err error) {
	var wire struct {
		Answer
		Failures []failure `json:"failures"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&wire); err != nil {
		return a, fmt.Errorf("its output is not the expected JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return a, errors.New("there is more output after the JSON")
	}
	members := map[string]any{}
	if err := json.Unmarshal(line, &members); err != nil {
		return a, err
	}
	missing := slices.DeleteFunc(slices.Clone(required), func(name string) bool { return members[name] != nil })
	if len(missing) > 0 {
		return a, fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	a = wire.Answer
	a.Errors = groupErrors(wire.Failures, p)
	if err := errors.Join(a.verify(wire.Failures), a.verifyDistributions()); err != nil {
		return Answer{}, err
	}
	if *a.Hung < 0 || *a.Hung > a.Failed {
		return Answer{}, fmt.Errorf("hung is %d of %d failures", *a.Hung, a.Failed)
	}
	if *a.Hung > 0 {
		a.Warnings = append(a.Warnings, facts.T("lab.never-settled", fmt.Sprint(*a.Hung)))
	}
	return a, nil
}

// verify checks that the figures add up, for every client.
func (a Answer) verify(failures []failure) error {
	for _, n := range []struct {
		name string
		n    *int64
	}{
		{"attempts", &a.Attempts}, {"succeeded", &a.Succeeded}, {"failed", &a.Failed},
		{"warmup_requests", &a.WarmupRequests},
		{"dialled", a.Dialled}, {"client_reported", a.ClientReported}, {"tls.resumed", a.TLS.Resumed},
	} {
		if n.n != nil && *n.n < 0 {
			return fmt.Errorf("%s is %d, below 0", n.name, *n.n)
		}
	}
	var told int64
	for _, f := range failures {
		if f.Count < 1 || f.Kind != "status" && f.Kind != "transport" {
			return fmt.Errorf("a failure of kind %q with count %d", f.Kind, f.Count)
		}
		told += f.Count
	}
	switch {
	case a.Succeeded+a.Failed != a.Attempts:
		return fmt.Errorf("%d succeeded and %d failed are not the %d attempts", a.Succeeded, a.Failed, a.Attempts)
	case told != a.Failed:
		return fmt.Errorf("its kinds of failure add up to %d, not to the %d failed", told, a.Failed)
	case a.Attempts == 0:
		return errors.New("it sent no request in the window")
	case a.Attempts > mostAttempts:
		return fmt.Errorf("%d attempts are more than any window has", a.Attempts)
	case !(a.ElapsedS > 0) || a.ElapsedS > mostSeconds:
		return fmt.Errorf("elapsed_s is %v", a.ElapsedS)
	case !slices.Contains([]string{"", "1.2", "1.3"}, a.TLS.Version):
		return fmt.Errorf("tls.version is %q, not 1.2 or 1.3", a.TLS.Version)
	}
	return verifyLatency("latency_ms", a.Latency, a.Succeeded > 0)
}

// The largest values in results.json.
const (
	mostAttempts = 1e12
	mostSeconds  = 1e6
)

// verifyLatency requires all percentiles, in ascending order, or none.
func verifyLatency(name string, l facts.Latency, some bool) error {
	last := 0.0
	for i, v := range []*float64{l.P50, l.P90, l.P95, l.P99, l.P999, l.Max} {
		switch {
		case (v != nil) != some:
			return fmt.Errorf("%s does not fit: values to count %t, percentile %d given %t", name, some, i+1, v != nil)
		case v != nil && *v > 1000*mostSeconds:
			return fmt.Errorf("%s is %v: the value is too large", name, *v)
		case v != nil && !(*v >= last):
			return fmt.Errorf("%s is %v after %v: a higher percentile can't be lower", name, *v, last)
		case v != nil:
			last = *v
		}
	}
	return nil
}

// oddities are warnings for a reader of the figures.
func (a Answer) oddities(w facts.Workload) (out []facts.Text) {
	if n := facts.Starved(a.Errors); n > 0 {
		out = append(out, facts.T("lab.client-starved", fmt.Sprint(n), fmt.Sprint(a.Attempts)))
	}
	if late := a.ElapsedS - w.DurationS; late > max(1, w.DurationS/5) {
		out = append(out, facts.T("lab.last-answers-late", fmt.Sprintf("%.1f", late), fmt.Sprintf("%.1f", w.DurationS)))
	}
	if a.TLS.Version != "" && a.TLS.Version != w.MaxTLS {
		out = append(out, facts.T("lab.another-tls", a.TLS.Version, w.MaxTLS))
	}
	return out
}

// tally is one VU's report, as k6/lib/tally.js makes it.
type tally struct {
	Attempts       *int64     `json:"attempts"`
	Succeeded      *int64     `json:"succeeded"`
	Failed         *int64     `json:"failed"`
	WarmupRequests *int64     `json:"warmup_requests"`
	ClientReported *int64     `json:"client_reported"`
	BeganMS        *float64   `json:"began_ms"`
	EndedMS        *float64   `json:"ended_ms"`
	MaxMS          float64    `json:"max_ms"`
	TLS            string     `json:"tls"` // "tls1.3"
	LatencyUS      [][2]int64 `json:"latency_us"`
	Failures       []failure  `json:"failures"`
	Open           *openTally `json:"open"` // nil in a closed loop
}

// openTally is how one VU kept to its schedule.
type openTally struct {
	NotStarted    int64      `json:"not_started"`
	InFlight      int64      `json:"in_flight"`
	LateUS        [][2]int64 `json:"late_us"`
	UncorrectedUS [][2]int64 `json:"uncorrected_us"`
}

// check returns an error for the first number that is missing or can't be.
func (t tally) check() error {
	for _, n := range []struct {
		name string
		is   *int64
	}{{"attempts", t.Attempts}, {"succeeded", t.Succeeded}, {"failed", t.Failed}, {"warmup_requests", t.WarmupRequests},
		{"client_reported", t.ClientReported}} {
		switch {
		case n.is == nil:
			return fmt.Errorf("lacks %s", n.name)
		case *n.is < 0:
			return fmt.Errorf("has %s = %d, a negative number", n.name, *n.is)
		}
	}
	switch {
	case t.BeganMS == nil || t.EndedMS == nil:
		return errors.New("has no time")
	case *t.EndedMS < *t.BeganMS:
		return errors.New("has a window that ends before it begins")
	}
	return nil
}

// mergeTallies makes one answer of all VUs' tallies: sums, and the time from the first VU's release
// to the last VU's last answer.
func mergeTallies(all []tally, p facts.Protocol) (Answer, error) {
	var a Answer
	var failures []failure
	var reported int64
	h := histogram.New()
	began, ended, most := math.Inf(1), math.Inf(-1), 0.0
	for i, t := range all {
		if err := t.check(); err != nil {
			return Answer{}, fmt.Errorf("the tally of its VU %d of %d %w", i+1, len(all), err)
		}
		a.Attempts += *t.Attempts
		a.Succeeded += *t.Succeeded
		a.Failed += *t.Failed
		a.WarmupRequests += *t.WarmupRequests
		reported += *t.ClientReported
		began, ended, most = min(began, *t.BeganMS), max(ended, *t.EndedMS), max(most, t.MaxMS)
		if err := addBuckets(h, t.LatencyUS); err != nil {
			return Answer{}, fmt.Errorf("its latencies: %w", err)
		}
		failures = append(failures, t.Failures...)
		if t.TLS != "" {
			a.TLS.Version = strings.TrimPrefix(t.TLS, "tls")
		}
	}
	a.ElapsedS = (ended - began) / 1000
	a.ClientReported = &reported
	a.Latency = percentiles(h, most)
	a.Errors = groupErrors(failures, p)
	if h.Samples() != a.Succeeded {
		return Answer{}, fmt.Errorf("its tallies have %d latencies for %d successes", h.Samples(), a.Succeeded)
	}
	if err := a.distributions(h, all); err != nil {
		return Answer{}, err
	}
	return a, a.verify(failures)
}

// distributions adds the histogram and the schedule to an answer.
func (a *Answer) distributions(h *histogram.Histogram, all []tally) (err error) {
	if h.Samples() > 0 {
		if a.Histogram, err = h.Text(); err != nil {
			return fmt.Errorf("its latencies: %w", err)
		}
	}
	if a.Schedule, err = mergeSchedules(all, a.Attempts); err != nil {
		return err
	}
	return a.verifyDistributions()
}

// mergeSchedules adds what the VUs of an open loop say about their schedules; nil without any. The
// largest numbers of requests in flight may have been at different times.
func mergeSchedules(all []tally, attempts int64) (*facts.Schedule, error) {
	var s facts.Schedule
	late, uncorrected := histogram.New(), histogram.New()
	open := 0
	for _, t := range all {
		if t.Open == nil {
			continue
		}
		open++
		s.NotStarted += t.Open.NotStarted
		s.InFlight += t.Open.InFlight
		if err := errors.Join(addBuckets(late, t.Open.LateUS), addBuckets(uncorrected, t.Open.UncorrectedUS)); err != nil {
			return nil, fmt.Errorf("its schedule: %w", err)
		}
	}
	switch open {
	case 0:
		return nil, nil
	case len(all):
		s.Due = attempts + s.NotStarted
		s.LateMS, s.UncorrectedMS = percentiles(late, math.Inf(1)), percentiles(uncorrected, math.Inf(1))
		if late.Samples() != attempts {
			return nil, fmt.Errorf("its schedule has %d times for %d attempts", late.Samples(), attempts)
		}
		return &s, nil
	}
	return nil, fmt.Errorf("%d of its %d VUs have a schedule", open, len(all))
}

// addBuckets adds counts of times in µs.
func addBuckets(h *histogram.Histogram, buckets [][2]int64) error {
	for _, b := range buckets {
		if err := h.Add(b[0], b[1]); err != nil {
			return err
		}
	}
	return nil
}

// percentiles are in ms; most is the exact maximum, or infinite where it is not known.
func percentiles(h *histogram.Histogram, most float64) facts.Latency {
	largest := h.MaxMS()
	if largest == nil {
		return facts.Latency{}
	}
	if math.IsInf(most, 1) {
		most = *largest
	}
	at := func(q float64) *float64 {
		ms := most
		if v := h.AtMS(q); v != nil {
			ms = min(*v, most) // a bucket may end above the maximum
		}
		return &ms
	}
	return facts.Latency{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: &most}
}

//go:embed classes.toml
var classesTOML string

// class is one expression of classes.toml; Protocol is the only one that it is for, or empty.
type class struct {
	Name, Message string
	Protocol      facts.Protocol
	matches       func(string) bool
}

var classes = sync.OnceValue(func() []class {
	var all struct{ Class []class }
	if _, err := toml.Decode(classesTOML, &all); err != nil {
		panic(err) // embedded, and tests read it
	}
	for i := range all.Class {
		all.Class[i].matches = regexp.MustCompile("(?i)" + all.Class[i].Message).MatchString
	}
	return all.Class
})

// ownLack reports whether a message names a resource that the client's machine lacked: the first class.
func ownLack(message string) bool { return classes()[0].matches(message) }

// classify returns the class of a failure, one of facts.ErrorClasses.
func classify(f failure, p facts.Protocol) string {
	if f.Kind == "status" {
		return facts.ErrHTTPStatus
	}
	for _, c := range classes() {
		if (c.Protocol == "" || c.Protocol == p) && c.matches(f.Message) {
			return c.Name
		}
	}
	return facts.ErrOther
}

// statusMessage matches the exceptions of Spring's clients for an answer with another status than 2xx
// (RestTemplate and RestClient: RestClientResponseException's subclasses; WebClient), and the services'
// own text for one.
var statusMessage = regexp.MustCompile(`^HTTP status \d|Http(Client|Server)ErrorException|` +
	`UnknownHttpStatusCodeException|WebClientResponseException`)

// Classify classifies the failed calls of a service by their messages, and groups them as a client's.
func Classify(errs []facts.Error, p facts.Protocol) []facts.Error {
	failures := make([]failure, len(errs))
	for i, e := range errs {
		failures[i] = failure{Message: e.Message, Count: e.Count, Kind: "transport"}
		if statusMessage.MatchString(e.Message) {
			failures[i].Kind = "status"
		}
	}
	return groupErrors(failures, p)
}

// digits differ between messages of one kind.
var digits = regexp.MustCompile(`\d+`)

// groupErrors classifies failures and joins those that differ in numbers only, as different VUs
// report them, keeping the first message verbatim. The order is that of facts.ErrorClasses, then
// the most frequent first.
func groupErrors(failures []failure, p facts.Protocol) []facts.Error {
	out := []facts.Error{}
	at := map[string]int{}
	for _, f := range failures {
		class := classify(f, p)
		key := class + " " + digits.ReplaceAllString(f.Message, "#")
		if i, ok := at[key]; ok {
			out[i].Count += f.Count
			continue
		}
		at[key] = len(out)
		out = append(out, facts.Error{Class: class, Count: f.Count, Message: f.Message})
	}
	slices.SortStableFunc(out, func(a, b facts.Error) int {
		return cmp.Or(
			cmp.Compare(slices.Index(facts.ErrorClasses, a.Class), slices.Index(facts.ErrorClasses, b.Class)),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Message, b.Message))
	})
	return bound(out)
}

// mostErrors bounds the number of kinds; a client has the same bound.
const mostErrors = 50

// bound joins the kinds beyond mostErrors, so that the counts still add up.
func bound(errs []facts.Error) []facts.Error {
	if len(errs) <= mostErrors {
		return errs
	}
	rest := facts.Error{
		Class:   facts.ErrOther,
		Message: fmt.Sprintf("further messages, beyond the %d kept kinds", mostErrors),
	}
	for _, e := range errs[mostErrors:] {
		rest.Count += e.Count
	}
	return append(errs[:mostErrors:mostErrors], rest)
}

// verifyDistributions checks the distributions and the schedule of an answer, which it may leave out, against its counts.
func (a Answer) verifyDistributions() error {
	if a.Histogram != "" {
		h, err := histogram.Read(a.Histogram)
		if err != nil {
			return err
		}
		if h.Samples() != a.Succeeded {
			return fmt.Errorf("its histogram has %d latencies for %d successes", h.Samples(), a.Succeeded)
		}
	}
	for name, l := range map[string]*facts.Latency{"connect_ms": a.ConnectMS, "handshake_ms": a.HandshakeMS} {
		if l != nil {
			if err := verifyLatency(name, *l, true); err != nil {
				return err
			}
		}
	}
	if a.Schedule == nil {
		return nil
	}
	return verifySchedule(*a.Schedule, a.Attempts, a.Succeeded)
}

// verifySchedule checks a schedule against the counts of its window.
func verifySchedule(s facts.Schedule, attempts, succeeded int64) error {
	switch {
	case s.NotStarted < 0 || s.Due < 0 || s.Due > mostAttempts:
		return fmt.Errorf("its schedule has %d due and %d not started", s.Due, s.NotStarted)
	case s.Due != attempts+s.NotStarted:
		return fmt.Errorf("%d requests were due, which are not the %d attempts and the %d not started", s.Due, attempts,
			s.NotStarted)
	case s.InFlight < 1 || s.InFlight > attempts:
		return fmt.Errorf("%d requests were in flight at the same time, of %d attempts", s.InFlight, attempts)
	}
	return errors.Join(verifyLatency("late_ms", s.LateMS, attempts > 0),
		verifyLatency("uncorrected_ms", s.UncorrectedMS, succeeded > 0))
}

// fits checks that the client did what the workload asks for: an open loop or a closed one.
func (a Answer) fits(w facts.Workload) error {
	switch {
	case w.RatePerS > 0 && a.Schedule == nil:
		return fault(facts.FaultGarbled, "a rate of %g requests a second was asked for, and its answer has no schedule",
			w.RatePerS)
	case w.RatePerS == 0 && a.Schedule != nil:
		return fault(facts.FaultGarbled, "no rate was asked for, and its answer has a schedule")
	case a.Schedule != nil && a.Schedule.InFlight > int64(w.Concurrency):
		return fault(facts.FaultGarbled, "it had %d requests in flight, more than the %d allowed", a.Schedule.InFlight,
			w.Concurrency)
	}
	return nil
}
