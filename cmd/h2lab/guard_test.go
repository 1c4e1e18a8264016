package main

import (
	"bytes"
	"strings"
	"testing"

	"h2lab/internal/base/await"
)

// explodes panics with a nil pointer dereference.
func explodes() (report string) {
	defer func() { report = bugReport(await.Caught(recover()), []string{"repro", "--quick"}) }()
	var a *app
	return a.root
}

func TestAPanicIsOneLineThatSaysWhereAndHowToReportIt(t *testing.T) {
	said := explodes()
	for _, part := range []string{
		"h2lab: this is a bug: runtime error: invalid memory address or nil pointer dereference",
		"explodes, guard_test.go:", "h2lab repro --quick", "report it"} {
		if strings.Contains(said, "\n") || !strings.Contains(said, part) {
			t.Errorf("%q doesn't say %q in one line", said, part)
		}
	}
}

// broken panics when it is written to, which no verb does.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("a bug in a writer") }

func TestAPanicOfAVerbEndsInStatus1(t *testing.T) {
	var stderr bytes.Buffer
	if status := guarded(t.Context(), []string{"--help"}, broken{}, &stderr); status != statusCouldNot {
		t.Errorf("status %d", status)
	}
	said := stderr.String()
	if !strings.HasPrefix(said, "h2lab: this is a bug: a bug in a writer") || strings.Count(said, "\n") != 1 {
		t.Errorf("it says %q", said)
	}
}
