package probe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// outline is a trace without what differs between runs.
func outline(frames []facts.Frame) []string {
	var out []string
	for _, f := range frames {
		arrow := "< "
		if f.Sent {
			arrow = "> "
		}
		out = append(out, strings.TrimSpace(arrow+f.Type+" "+f.Flags+" "+f.Detail))
	}
	return out
}

func TestARenewalOfAOneStageServerShowsTheDroppedStreamsAndTheirCure(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 1000} {
		got, err := TraceRenewal(t.Context(), h2server(t, likeNginx(limit)), limit)
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		served := min(limit, upTo)
		var dropped []uint32
		for n := limit + 1; n <= limit-served+crossing; n++ {
			dropped = append(dropped, streamOf(n))
		}
		if diff := cmp.Diff(dropped, got.Dropped); diff != "" {
			t.Errorf("limit %d: dropped streams (-want +got):\n%s", limit, diff)
		}
		if got.Protocol != "h2" || !strings.Contains(notes.SummaryInEnglish(got.Summary),
			"never answered") || !strings.Contains(notes.SummaryInEnglish(got.Summary), "got its answer") {
			t.Errorf("limit %d: summary %q", limit, got.Summary)
		}
	}
}

func TestARenewalIsWrittenDownFrameByFrame(t *testing.T) {
	got, err := TraceRenewal(t.Context(), h2server(t, likeNginx(4)), 4)
	if err != nil {
		t.Fatal(err)
	}
	ask, head, body := "> HEADERS END_STREAM|END_HEADERS :method GET :path /lab/health",
		"< HEADERS END_HEADERS :status 200", "< DATA END_STREAM"
	want := []string{ask, ask, ask, ask, ask, ask, head, body, head, body,
		`< GOAWAY  last_stream_id=7 NO_ERROR debug=""`, head, body, "< TLS  close_notify", "< TCP  FIN",
		"> TCP  new connection, TLS 1.3", ask, head, body}
	if diff := cmp.Diff(want, outline(got.Frames)); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	last := -1.0
	for i, f := range got.Frames {
		if f.TMS < last {
			t.Errorf("frame %d goes back in time: %v after %v", i, f.TMS, last)
		}
		last = f.TMS
	}
	for i, words := range map[int]string{2: "reaches the limit", 3: "never answered", 10: "RFC 9113 §6.8",
		11: "is answered",
		13: "after its last answer", 16: "what stream 9 asked, again", 17: "answered"} {
		if !strings.Contains(notes.InEnglish(got.Frames[i].Note), words) {
			t.Errorf("frame %d has the note %q, want %q in it", i, got.Frames[i].Note, words)
		}
	}
}

func TestARenewalInTwoStagesDropsNothing(t *testing.T) {
	got, err := TraceRenewal(t.Context(), h2server(t, likeEnvoy(10)), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Dropped) != 0 || !strings.Contains(notes.SummaryInEnglish(got.Summary),
		"every request in flight was answered") ||
		!strings.Contains(notes.SummaryInEnglish(got.Summary), "second GOAWAY then named stream 25") {
		t.Errorf("dropped %v, summary %q", got.Dropped, got.Summary)
	}
	var said []string
	for _, f := range got.Frames {
		if f.Type == "GOAWAY" {
			said = append(said, notes.InEnglish(f.Note))
		}
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "first stage") || !strings.HasPrefix(said[1], "second stage") {
		t.Errorf("notes of the GOAWAYs: %q", said)
	}
}

func TestARenewalWithoutAWordIsToldAsSuch(t *testing.T) {
	got, err := TraceRenewal(t.Context(), h2server(t, rude(10)), 10)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(notes.SummaryInEnglish(got.Summary), "without a GOAWAY") || len(got.Dropped) == 0 {
		t.Errorf("dropped %v, summary %q", got.Dropped, got.Summary)
	}
}

func TestATraceWithTheWrongLimitSaysSo(t *testing.T) {
	target := h2server(t, likeNginx(100))
	for limit, want := range map[int]string{50: "its limit is not 50", 500: "before the limit of 500", 0: "at least"} {
		if _, err := TraceRenewal(t.Context(), target, limit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("limit %d: error %v, want %q", limit, err, want)
		}
	}
}
