package main

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/lab/plan"
)

func TestUpNamesTheKnobsThatAShellExports(t *testing.T) {
	for _, c := range []struct {
		makeflags, env string
		given          plan.Given
		want           string
	}{
		{"", "100", plan.Given{"LIMIT": "100"}, "[LIMIT=100]"},
		{" --no-print-directory", "100", plan.Given{"LIMIT": "100"}, "[LIMIT=100]"},
		{" --no-print-directory -- LIMIT=100", "100", plan.Given{"LIMIT": "100"}, "[]"}, // make up LIMIT=100
		{" -- CPUS=1 LIMIT=100", "100", plan.Given{"LIMIT": "100"}, "[]"},
		{" -- MYLIMIT=100", "100", plan.Given{"LIMIT": "100"}, "[LIMIT=100]"},
		{"", "100", plan.Given{"LIMIT": "50"}, "[]"}, // h2lab up --limit 50
		{"", "", plan.Given{}, "[]"},
	} {
		t.Setenv("MAKEFLAGS", c.makeflags)
		t.Setenv("LIMIT", c.env)
		names, pairs := inherited(c.given, "LIMIT", "CPUS")
		if fmt.Sprint(pairs) != c.want || len(names) != len(pairs) || strings.Contains(strings.Join(names, ""), "=") {
			t.Errorf("MAKEFLAGS=%q LIMIT=%s: %v, %v, want %s", c.makeflags, c.env, names, pairs, c.want)
		}
	}
}
