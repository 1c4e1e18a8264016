package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
		a.Warnings = append(a.Warnings, fmt.Sprintf("%d requests never settled within the time they had", *w.Hung))
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
func (a Answer) oddities(w facts.Workload) []string {
	var out []string
	if n := facts.Starved(a.Errors); n > 0 {
		out = append(out,
			fmt.Sprintf("%d of %d requests failed because the client's own machine had no file, port, thread or "+
				"memory for them: nothing follows from this trial", n, a.Attempts))
	}
	if late := a.ElapsedS - w.DurationS; late > max(1, w.DurationS/5) {
		out = append(out, fmt.Sprintf("the last answers came %.1f s after the window of %.1f s", late, w.DurationS))
	}
	if a.TLS.Version != "" && a.TLS.Version != w.MaxTLS {
		out = append(out, fmt.Sprintf("TLS %s was negotiated though the client offered %s", a.TLS.Version, w.MaxTLS))
	}
	return out
}
