package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counting serves a stub_status whose connections and requests increase by these numbers at every
// reading.
func counting(t *testing.T, accepts, requests int64) *httptest.Server {
	t.Helper()
	var n atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := n.Add(1)
		fmt.Fprintf(w, "Active connections: 2 \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 "+
			"Waiting: 1 \n", 1+i*accepts, 1+i*accepts, i*(requests+1))
	}))
	t.Cleanup(h.Close)
	return h
}

func TestWatchEndsWithTheStatusOfItsAlarm(t *testing.T) {
	for name, c := range map[string]struct {
		accepts, requests int64
		status            int
		out               string
	}{
		"wasted": {100, 1000, statusContradicted, "ALARM connections are wasted"},
		"used":   {1, 1000, statusDone, "No alarm: each new connection brought enough requests"},
		"quiet":  {0, 0, statusDone, "No connection was opened"},
	} {
		h := counting(t, c.accepts, c.requests)
		var out, said bytes.Buffer
		status := run(t.Context(), []string{"watch", h.URL, "--every", "100ms", "--window", "200ms", "--for", "600ms"},
			&out, &said)
		if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(out.String(), "next: ") {
			t.Errorf("%s: status %d, %s%s", name, status, out.String(), said.String())
		}
	}
}

// Ctrl-C ends watch with the summary and without a failure.
func TestWatchEndsWithASummary(t *testing.T) {
	h := counting(t, 100, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var out, said bytes.Buffer
	if status := run(ctx, []string{"watch", h.URL, "--json", "--every", "100ms"}, &out, &said); status != statusDone {
		t.Errorf("status %d, %s", status, said.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, line := range lines {
		var e struct {
			SchemaVersion int `json:"schema_version"`
			Kind          string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.SchemaVersion != 2 || e.Kind == "" {
			t.Errorf("%s: %v", line, err)
		}
		if last := i == len(lines)-1; last != (e.Kind == "summary") {
			t.Errorf("line %d of %d is a %s", i+1, len(lines), e.Kind)
		}
	}
}
