package counters

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"time"

	"h2lab/internal/facts"
)

// ResetView makes a service forget the calls that it has seen: its view begins now.
func ResetView(ctx context.Context, service facts.Server) error {
	return post(ctx, "http://"+service.Front+"/lab/view/reset", "the view of "+service.Name+" does not begin")
}

// viewTimeout bounds one reading of a view: the service may still work on requests whose users have
// left, on the threads that also answer here.
const viewTimeout = 15 * time.Second

// View is what a service has seen since ResetView. The errors have no class yet: package load
// classifies them.
func View(ctx context.Context, service facts.Server) (facts.ServiceView, error) {
	url := "http://" + service.Front + "/lab/view.json"
	v, err := readView(ctx, url)
	if err != nil {
		return v, fmt.Errorf("the view of %s: %w; try: curl %s", service.Name, err, url)
	}
	return v, nil
}

func readView(ctx context.Context, url string) (facts.ServiceView, error) {
	var v facts.ServiceView
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return v, err
	}
	client := http.Client{Timeout: viewTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return v, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return v, fmt.Errorf("it answers %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return v, err
	}
	if len(text) > maxBody {
		return v, fmt.Errorf("its answer has more than %d bytes", maxBody)
	}
	return parseView(text)
}

// parseView accepts a view with all fields and no others, whose numbers fit together: what a service
// leaves out would be read as 0.
func parseView(text []byte) (v facts.ServiceView, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return v, fmt.Errorf("its answer is no JSON object: %w", err)
	}
	typ := reflect.TypeFor[facts.ServiceView]()
	for field := range typ.Fields() {
		if name := field.Tag.Get("json"); fields[name] == nil {
			return v, fmt.Errorf("its answer lacks %s", name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("its answer is not the expected JSON: %w", err)
	}
	if err := verifyCounts(v); err != nil {
		return v, err
	}
	return v, verifyUsage(v)
}

// The bounds of results.json (internal/lab/results), and of the kinds of errors that a service keeps.
const (
	mostCalls   = 1e12
	mostValue   = 1e9
	mostThreads = 1e7
	mostKinds   = 100
)

func verifyCounts(v facts.ServiceView) error {
	for name, n := range map[string]int64{"requests": v.Requests, "rejected": v.Rejected, "calls": v.Calls,
		"succeeded": v.Succeeded, "failed": v.Failed} {
		if n < 0 || n > mostCalls {
			return fmt.Errorf("%s is %d", name, n)
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
	if len(v.Errors) > mostKinds {
		return fmt.Errorf("it has %d kinds of errors", len(v.Errors))
	}
	if sum != v.Failed {
		return fmt.Errorf("its errors add up to %d, not to the %d failed", sum, v.Failed)
	}
	return nil
}

// settingName is the pattern of results.schema.json.
var settingName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$`)

func verifyUsage(v facts.ServiceView) error {
	for name, x := range map[string]*float64{"heap_mb": v.HeapMB, "heap_max_mb": v.HeapMaxMB, "cpu_s": v.CPUS,
		"gc_s": v.GCS} {
		if x != nil && (*x < 0 || *x > mostValue) {
			return fmt.Errorf("%s is %v", name, *x)
		}
	}
	if v.Threads != nil && (*v.Threads < 0 || *v.Threads > mostThreads) {
		return fmt.Errorf("threads is %d", *v.Threads)
	}
	for name := range v.Settings {
		if !settingName.MatchString(name) {
			return fmt.Errorf("a setting is called %.80q", name)
		}
	}
	if len(v.Settings) > mostKinds {
		return fmt.Errorf("it has %d settings", len(v.Settings))
	}
	if err := ascending("call_ms", v.CallMS, v.Succeeded > 0); err != nil {
		return err
	}
	if err := ascending("failed_ms", v.FailedMS, v.Failed > 0); err != nil {
		return err
	}
	return ascending("row_ms", v.RowMS, v.RowMS.P50 != nil)
}

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
