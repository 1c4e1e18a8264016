package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

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

// wire is the line of JSON that a client program prints last. Pointers distinguish a missing number
// from 0.
type wire struct {
	Attempts       *int64         `json:"attempts"`
	Succeeded      *int64         `json:"succeeded"`
	Failed         *int64         `json:"failed"`
	WarmupRequests *int64         `json:"warmup_requests"`
	ElapsedS       *float64       `json:"elapsed_s"`
	Failures       *[]failure     `json:"failures"`
	Latency        *facts.Latency `json:"latency_ms"`
	Dialled        *int64         `json:"dialled"`
	ClientReported *int64         `json:"client_reported"`
	TLS            *facts.TLS     `json:"tls"`
	Hung           *int64         `json:"hung"`
	Library        *string        `json:"library"`
	Runtime        *string        `json:"runtime"`
	measured
}

// measured is what a program may leave out: the distributions behind its figures, and in an open loop
// how it kept to its schedule.
type measured struct {
	Histogram   string          `json:"histogram"`
	Schedule    *facts.Schedule `json:"schedule"`
	ConnectMS   *facts.Latency  `json:"connect_ms"`
	HandshakeMS *facts.Latency  `json:"handshake_ms"`
}

// parseAnswer parses a program's answer; its error quotes the answer and says what is wrong.
func parseAnswer(line []byte, p facts.Protocol) (Answer, error) {
	a, err := readAnswer(line, p)
	if err != nil {
		return Answer{}, fault(facts.FaultGarbled, "its answer can't be used: %w; it printed %s", err, shown(line))
	}
	return a, nil
}

func readAnswer(line []byte, p facts.Protocol) (Answer, error) {
	var w wire
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return Answer{}, fmt.Errorf("its output is not the expected JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Answer{}, errors.New("there is more output after the JSON")
	}
	if missing := w.missing(); len(missing) > 0 {
		return Answer{}, fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	a := Answer{Attempts: *w.Attempts, Succeeded: *w.Succeeded, Failed: *w.Failed, WarmupRequests: *w.WarmupRequests,
		ElapsedS: *w.ElapsedS, Errors: groupErrors(*w.Failures, p), Latency: *w.Latency,
		Dialled:        w.Dialled,
		ClientReported: w.ClientReported,
		TLS:            *w.TLS,
		Hung:           w.Hung,
		Library:        *w.Library,
		Runtime:        *w.Runtime}
	if err := a.take(w.measured); err != nil {
		return Answer{}, err
	}
	if err := a.verify(*w.Failures); err != nil {
		return Answer{}, err
	}
	if *w.Hung < 0 || *w.Hung > a.Failed {
		return Answer{}, fmt.Errorf("hung is %d of %d failures", *w.Hung, a.Failed)
	}
	if *w.Hung > 0 {
		a.Warnings = append(a.Warnings, facts.T("lab.never-settled", fmt.Sprint(*w.Hung)))
	}
	return a, nil
}

func (w wire) missing() []string {
	var out []string
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"attempts", w.Attempts != nil}, {"succeeded", w.Succeeded != nil}, {"failed", w.Failed != nil},
		{"warmup_requests", w.WarmupRequests != nil}, {"elapsed_s", w.ElapsedS != nil}, {"failures", w.Failures != nil},
		{"latency_ms", w.Latency != nil}, {"tls", w.TLS != nil}, {"hung", w.Hung != nil},
		{"library", w.Library != nil}, {"runtime", w.Runtime != nil},
	} {
		if !f.is {
			out = append(out, f.name)
		}
	}
	return out
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
	var m measured
	if h.Samples() > 0 {
		if m.Histogram, err = h.Text(); err != nil {
			return fmt.Errorf("its latencies: %w", err)
		}
	}
	if m.Schedule, err = mergeSchedules(all, a.Attempts); err != nil {
		return err
	}
	return a.take(m)
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

// classes maps clients' messages to the outcome of the request. The first match counts, so special
// patterns come before general ones. Where a message doesn't tell whether the request was executed,
// the class is "may have been executed".
var classes = []struct {
	class   string
	message *regexp.Regexp
}{
	// The request was never sent; the message may also mention a dial or a timeout.
	{facts.ErrClientResources, ownLack},
	// With RST_STREAM(REFUSED_STREAM) the server has processed nothing (RFC 9113 §8.7).
	{facts.ErrRefusedStream, regexp.MustCompile(`(?i)REFUSED_STREAM`)},
	// net/http: the stream's id was above the last-stream-id, and the request had no GetBody.
	{facts.ErrGoawayNotReplayable, regexp.MustCompile(`(?i)cannot retry err \[|graceful shutdown GOAWAY`)},
	// Node, Armeria and OkHttp, for requests that never got a stream.
	{facts.ErrGoawayNotReplayable,
		regexp.MustCompile(`(?i)New streams cannot be created after receiving a ` +
			`GOAWAY|UnprocessedRequestException|ConnectionShutdownException`)},
	// net/http, and k6's shorter text for it: the stream's id was at or below the last-stream-id.
	{facts.ErrGoawayAfterProcessing,
		regexp.MustCompile(`(?i)server sent GOAWAY and closed the connection|received GoAway with http2 ErrCode`)},
	// The others mention a GOAWAY without its last-stream-id. hyper calls one with NO_ERROR "not a
	// result of an error" (hyperium/hyper#2500).
	{facts.ErrGoawayAfterProcessing,
		regexp.MustCompile(`(?i)go_?away|ConnectionTerminated error_code|not a result of an error|Server ` +
			`closing the connection! Error code`)},
	{facts.ErrTimeout, regexp.MustCompile(`(?i)deadline exceeded|request timeout|time-?out|timed out`)},
	{facts.ErrConnectionLost,
		regexp.MustCompile(`(?i)\bEOF|connection reset|reset by peer|broken pipe|connection refused|closed ` +
			`network connection|client connection (lost|force closed)|client conn (not usable|is closed)|server ` +
			`closed idle connection|connection closed|connection died|socket closed|PrematureClose|Failed ` +
			`sending data to the peer`)},
}

// ownLack matches the messages of C libraries and runtimes for EMFILE, ENFILE, EADDRNOTAVAIL,
// ENOBUFS and ENOMEM (errno(3), glibc and BSD), the names themselves (Node), and EAGAIN on starting
// a process or a thread (fork(2), pthread_create(3)): JDK's "unable to create native thread",
// CPython's "can't start new thread", Go's "failed to create new OS thread", Rust's "failed to
// spawn thread".
var ownLack = regexp.MustCompile(`(?i)too many open files|\b(EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)\b|no ` +
	`file descriptors available` +
	`|(cannot|can't) assign requested address|address not available|no buffer space available|(cannot|can't) ` +
	`allocate memory` +
	`|unable to create (new )?native thread|(can't|cannot) start new thread|failed to create new OS ` +
	`thread|failed to spawn (a )?thread` +
	`|(fork|clone|spawn|thread|exec)[^;]*resource temporarily unavailable`)

// rewind is net/http's message when it can't retry on a new connection because the first one became
// unusable before it carried the request (transport.go, rewindBody). On h2 that is a pooled
// connection that has just received its GOAWAY.
var rewind = regexp.MustCompile(`cannot rewind body after connection loss`)

// classify returns the class of a failure, one of facts.ErrorClasses.
func classify(f failure, p facts.Protocol) string {
	if f.Kind == "status" {
		return facts.ErrHTTPStatus
	}
	if rewind.MatchString(f.Message) {
		if p == facts.H2 {
			return facts.ErrGoawayNotReplayable
		}
		return facts.ErrConnectionLost
	}
	for _, c := range classes {
		if c.message.MatchString(f.Message) {
			return c.class
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

// take adds the distributions and the schedule to an answer whose counts are known.
func (a *Answer) take(m measured) error {
	if m.Histogram != "" {
		h, err := histogram.Read(m.Histogram)
		if err != nil {
			return err
		}
		if h.Samples() != a.Succeeded {
			return fmt.Errorf("its histogram has %d latencies for %d successes", h.Samples(), a.Succeeded)
		}
	}
	for _, d := range []struct {
		name string
		l    *facts.Latency
	}{{"connect_ms", m.ConnectMS}, {"handshake_ms", m.HandshakeMS}} {
		if d.l != nil {
			if err := verifyLatency(d.name, *d.l, true); err != nil {
				return err
			}
		}
	}
	a.Histogram, a.ConnectMS, a.HandshakeMS = m.Histogram, m.ConnectMS, m.HandshakeMS
	if m.Schedule == nil {
		return nil
	}
	a.Schedule = m.Schedule
	return verifySchedule(*m.Schedule, a.Attempts, a.Succeeded)
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
