package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// The next step of an error is run in the checkout only if it is a command of make.
func TestOnlyACommandOfMakeIsRunInTheCheckout(t *testing.T) {
	for text, want := range map[string]bool{
		"results can't be written to x: no space left on device; make room or choose another place": false,
		"the runners' logs make no result":                           false,
		"certs/out is missing: make certs":                           true,
		"it isn't built; build it with: make check-clients":          true,
		"use the lab container: make shell":                          true,
		"the window is too short: make repro LIMIT=100 and wait":     true,
		"no checks: these figures make checks of the report useless": false,
	} {
		var stderr bytes.Buffer
		a := &app{root: filepath.Join(t.TempDir(), "checkout"), stderr: &stderr}
		a.fail(errors.New(text))
		if got := strings.Contains(stderr.String(), "make is run in"); got != want {
			t.Errorf("%v: %s", got, &stderr)
		}
	}
}

func TestEveryTargetOfTheMakefileIsKnown(t *testing.T) {
	text := labtest.Read(t, filepath.Join(labtest.Root(t), "Makefile"))
	targets := regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):.* ## `).FindAllStringSubmatch(text, -1)
	if len(targets) < 20 {
		t.Fatalf("the Makefile has %d targets", len(targets))
	}
	for _, m := range targets {
		if got := makeTargets.FindString("try: make " + m[1]); got != "make "+m[1] {
			t.Errorf("make %s is not known: %q", m[1], got)
		}
	}
}
