//go:build integration

package probe

import (
	"strings"
	"testing"

	"h2lab/internal/base/notes"
)

func TestTheTraceOfARealNginx(t *testing.T) {
	for _, ask := range []TraceAsk{{Limit: 20}, {Limit: 1000, Streams: 40}, {Limit: 20, HTTP1: true}} {
		got, err := Trace(t.Context(), realNginx(t, ask.Limit), ask)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", got.Renewal.Summary, strings.Join(outline(got.Renewal.Frames), "\n"))
		want := map[bool]int{false: max(ask.Streams, crossing) / 2, true: 0}[ask.HTTP1]
		if len(got.Renewal.Dropped) != want || !strings.Contains(notes.SummaryInEnglish(got.Renewal.Summary),
			map[bool]string{false: "was answered", true: "got its answer"}[ask.HTTP1]) {
			t.Errorf("%+v: dropped %v, want %d; %s", ask, got.Renewal.Dropped, want, got.Renewal.Summary)
		}
		if !ask.HTTP1 {
			inOrder(t, got.Renewal.Frames)
		}
	}
}

func TestTheTraceOfARealEnvoy(t *testing.T) {
	target := realEnvoy(t, 100)
	got, err := Trace(t.Context(), target, TraceAsk{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", got.Renewal.Summary, strings.Join(outline(got.Renewal.Frames), "\n"))
	if n := notesOf(got.Renewal.Frames, "GOAWAY"); len(got.Renewal.Dropped) != 0 || !strings.Contains(n,
		"first stage") || !strings.Contains(n, "second stage") {
		t.Errorf("dropped %v, notes %q", got.Renewal.Dropped, n)
	}
	inOrder(t, got.Renewal.Frames)
	got, err = Trace(t.Context(), target, TraceAsk{Limit: 100, HTTP1: true})
	if err != nil || !strings.Contains(notes.SummaryInEnglish(got.Renewal.Summary),
		"request 100 said Connection: close") {
		t.Errorf("HTTP/1.1: %s, %v", got.Renewal.Summary, err)
	}
}
