package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

func TestInsideIsRefusedOnTheHost(t *testing.T) {
	for _, c := range []struct {
		order, says string
		status      int
	}{
		{"", "on the host use: make repro RUNTIME=docker", statusUsage},
		{"{", "the image is older than this checkout", statusCouldNot},
		{`{"Command":"bench"}`, "no cell of bench matches", statusCouldNot},
	} {
		t.Setenv(runs.OrderVariable, c.order)
		var out, errs bytes.Buffer
		if got := run(context.Background(), []string{"inside"}, &out, &errs); got != c.status ||
			!strings.Contains(errs.String(), c.says) {
			t.Errorf("order %q: status %d, %s", c.order, got, errs.String())
		}
	}
	var errs bytes.Buffer
	if got := run(context.Background(), []string{plan.Repro, "--runtime", "pod"}, &errs, &errs); got != statusUsage ||
		!strings.Contains(errs.String(), "choose from docker, native, auto") {
		t.Errorf("RUNTIME=pod: status %d, %s", got, errs.String())
	}
}
