package counters

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
)

// ResetView makes a service forget the calls that it has seen: its view begins now.
func ResetView(ctx context.Context, service facts.Server) error {
	return post(ctx, "http://"+service.Front+"/lab/view/reset", "the view of "+service.Name+" does not begin")
}

// ForgetIDs makes the backend forget the request ids it has seen, so that their memory stays
// bounded and distinct and duplicates stay exact. The backend's counters continue.
func ForgetIDs(ctx context.Context, backend facts.Server) error {
	return post(ctx, "http://"+backend.Counters+"/ids/forget", "ids of "+backend.Name+" are not forgotten")
}

// post sends a request without a body that changes a server's state; wrong describes its failure.
func post(ctx context.Context, url, wrong string) error {
	if _, err := ask(ctx, http.MethodPost, url); err != nil {
		return fmt.Errorf("%s: %w; try: curl -i -X POST %s", wrong, err, url)
	}
	return nil
}

// askTimeout bounds one request: the service may still work on requests whose users have
// left, on the threads that also answer here.
const askTimeout = 15 * time.Second

// ask sends a request on a connection of its own, and returns the answer.
func ask(ctx context.Context, method, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Timeout: askTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("it answers %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err == nil && len(text) > maxBody {
		err = fmt.Errorf("its answer has more than %d bytes", maxBody)
	}
	return text, err
}

// View is what a service has seen since ResetView. The errors have no class yet: package load
// classifies them.
func View(ctx context.Context, service facts.Server) (v facts.ServiceView, err error) {
	url := "http://" + service.Front + "/lab/view.json"
	text, err := ask(ctx, http.MethodGet, url)
	if err == nil {
		v, err = parseView(text)
	}
	if err != nil {
		return v, fmt.Errorf("the view of %s: %w; try: curl %s", service.Name, err, url)
	}
	return v, nil
}

// parseView accepts a view with all fields and no others, whose numbers fit together: what a service
// leaves out would be read as 0.
func parseView(text []byte) (v facts.ServiceView, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return v, fmt.Errorf("its answer is no JSON object: %w", err)
	}
	for field := range reflect.TypeFor[facts.ServiceView]().Fields() {
		if name := field.Tag.Get("json"); fields[name] == nil {
			return v, fmt.Errorf("its answer lacks %s", name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("its answer is not the expected JSON: %w", err)
	}
	return v, verify(v)
}

// The bounds of results.json (internal/lab/results), and of the kinds of errors that a service keeps.
const (
	mostCalls = 1e12
	mostValue = 1e9
	mostKinds = 100
)

func verify(v facts.ServiceView) error {
	for field, value := range reflect.ValueOf(v).Fields() {
		if value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		n, most := 0.0, mostValue
		switch value.Kind() {
		case reflect.Int64:
			n, most = float64(value.Int()), mostCalls
		case reflect.Float64:
			n = value.Float()
		}
		if n < 0 || n > most {
			return fmt.Errorf("%s is %v", field.Tag.Get("json"), value)
		}
	}
	if v.Succeeded+v.Failed > v.Calls { // fewer where a call has no answer yet
		return fmt.Errorf("%d succeeded and %d failed are more than the %d calls", v.Succeeded, v.Failed, v.Calls)
	}
	var sum int64
	for _, e := range v.Errors {
		if e.Count < 1 || e.Count > mostCalls || e.Message == "" || e.Class != "" {
			return fmt.Errorf("an error of class %q with count %d and message %.80q", e.Class, e.Count, e.Message)
		}
		sum += e.Count
	}
	if sum != v.Failed {
		return fmt.Errorf("its errors add up to %d, not to the %d failed", sum, v.Failed)
	}
	for name := range v.Settings {
		if !settingName.MatchString(name) {
			return fmt.Errorf("a setting is called %.80q", name)
		}
	}
	if len(v.Errors) > mostKinds || len(v.Settings) > mostKinds {
		return fmt.Errorf("it has %d kinds of errors and %d settings", len(v.Errors), len(v.Settings))
	}
	return cmp.Or(ascending("call_ms", v.CallMS, v.Succeeded > 0), ascending("failed_ms", v.FailedMS, v.Failed > 0),
		ascending("row_ms", v.RowMS, v.RowMS.P50 != nil))
}

// settingName is the pattern of results.schema.json.
var settingName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$`)

// ascending requires all percentiles, each at least as large as the one before, or none.
func ascending(name string, l facts.Latency, some bool) error {
	last := 0.0
	for _, x := range []*float64{l.P50, l.P90, l.P95, l.P99, l.P999, l.Max} {
		switch {
		case (x != nil) != some:
			return fmt.Errorf("%s has only a part of the percentiles, or none where there were calls", name)
		case x != nil && (!(*x >= last) || *x > mostValue):
			return fmt.Errorf("%s has %v after %v", name, *x, last)
		case x != nil:
			last = *x
		}
	}
	return nil
}

// longestHandledUS limits the times that are accepted: more than the backend's longest, 5 minutes.
const longestHandledUS = int64(time.Hour / time.Microsecond)

// Histogram is how many requests a backend has answered in which time since its start.
type Histogram struct {
	server string
	counts map[int64]int64 // by µs
}

// Handled reads how long the backend took for its requests so far, from a request's headers to its
// written answer (/timings.json). The backend enters a time just after it has written the answer,
// so read it when the other counters have settled.
func Handled(ctx context.Context, backend facts.Server) (Histogram, error) {
	url := "http://" + backend.Counters + "/timings.json"
	document, err := ask(ctx, http.MethodGet, url)
	var counts map[int64]int64
	if err == nil {
		counts, err = readTimings(document)
	}
	if err != nil {
		return Histogram{}, fmt.Errorf("times of %s: %w; try: curl %s", backend.Name, err, url)
	}
	return Histogram{backend.Name, counts}, nil
}

// readTimings rejects a document that the backend can't have written.
func readTimings(document []byte) (map[int64]int64, error) {
	var page struct {
		Unit   string    `json:"unit"`
		Counts [][]int64 `json:"counts"`
	}
	d := json.NewDecoder(bytes.NewReader(document))
	if err := d.Decode(&page); err != nil {
		return nil, fmt.Errorf("its times: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than the document of its times")
	}
	if page.Unit != "us" {
		return nil, fmt.Errorf(`the unit of its times is %q, not "us"`, page.Unit)
	}
	if page.Counts == nil {
		return nil, errors.New("its times have no counts")
	}
	counts, last, sum := make(map[int64]int64, len(page.Counts)), int64(-1), int64(0)
	for i, pair := range page.Counts {
		if len(pair) != 2 {
			return nil, fmt.Errorf("count %d has %d numbers, not a time and how many requests took it", i+1, len(pair))
		}
		us, n := pair[0], pair[1]
		if us <= last || us > longestHandledUS {
			return nil, fmt.Errorf("count %d: the time %d µs follows %d and must lie between it and an hour", i+1, us, last)
		}
		if sum += n; n < 1 || sum < 0 {
			return nil, fmt.Errorf("count %d: %d requests, or more than a counter can have", i+1, n)
		}
		counts[us], last = n, us
	}
	return counts, nil
}

// Since is the time of the requests that were answered after an earlier reading, in ms; its values
// are nil where there were none. It is an error if a count has fallen: then another process
// answers.
func (h Histogram) Since(earlier Histogram) (*facts.Latency, error) {
	for us, before := range earlier.counts {
		if now := h.counts[us]; now < before {
			return nil, fmt.Errorf("times of %s: %d requests took %d µs, fewer than the %d read before; it was "+
				"restarted; next: make down, then the same command again", h.server, now, us, before)
		}
	}
	all := hdrhistogram.New(1, longestHandledUS, 3)
	for us, now := range h.counts {
		if err := all.RecordValues(us, now-earlier.counts[us]); err != nil {
			return nil, fmt.Errorf("times of %s: %w", h.server, err)
		}
	}
	if all.TotalCount() == 0 {
		return &facts.Latency{}, nil
	}
	at := func(percentile float64) *float64 {
		return new(float64(all.ValueAtPercentile(percentile)) / 1000)
	}
	return &facts.Latency{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: at(100)}, nil
}
