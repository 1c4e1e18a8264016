package accesslog

import (
	"strings"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

// Where a line has its time twice, as with $time_local and $msec, the one with fractions counts: a reload every few
// seconds shows only there.
func TestTheFinerOfTwoTimesCounts(t *testing.T) {
	w := world{seed: 3, length: 40 * sec, reloads: []time.Duration{12*sec + 300*time.Millisecond, 27 * sec},
		crowds: []crowd{{n: 20, agent: goClient, every: 50 * time.Millisecond, spread: 3}}}
	lines := w.run()
	const combinedLine = `ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" conn=SERIAL req=ORDINAL`
	for _, c := range []struct{ name, line, format string }{
		{"after the labels", combinedLine + " EPOCH", ""},
		{"with a label", combinedLine + ` upstream="-" msec=EPOCH`, ""},
		{"beside the other", `ADDR [CLF] EPOCH "GET PATH PROTO" 200 conn=SERIAL req=ORDINAL`, ""},
		{"before the other", `EPOCH ADDR [CLF] "GET PATH PROTO" 200 conn=SERIAL req=ORDINAL`, ""},
		{"in a format that is named", `ADDR [CLF] EPOCH "GET PATH PROTO" conn=SERIAL req=ORDINAL`,
			`$remote_addr [$time_local] $msec "$request" conn=$connection req=$connection_requests`},
		{"in JSON", `{"time":"CLF","msec":"EPOCH","remote_addr":"ADDR","connection":SERIAL,"connection_requests":ORDINAL}`, ""},
	} {
		o := direct
		if c.format != "" {
			f, err := Compile(c.format)
			if err != nil {
				t.Fatal(err)
			}
			o.Format = f
		}
		got := read(t, strings.NewReader(text(lines, written(c.line))), o)
		if got.From.Nanosecond() == 0 || got.Verdict.ID != Reloaded {
			t.Errorf("%s: from %v, %s, %+v", c.name, got.From, got.Verdict.ID, got.Reloads)
		}
	}
}

// Two times that are not of the same second are two moments, and the first is the line's.
func TestAnotherMomentIsNotTheLines(t *testing.T) {
	w := world{seed: 3, length: 30 * sec, crowds: []crowd{{n: 20, agent: goClient, every: 50 * time.Millisecond}}}
	got := read(t, strings.NewReader(text(w.run(),
		written(`ADDR [CLF] 1777836800.123 "GET PATH PROTO" 200 conn=SERIAL req=ORDINAL`))), direct)
	if got.From.Nanosecond() != 0 || got.From.Unix() == 1777836800 {
		t.Errorf("from %v", got.From)
	}
}

// In a log that is shorter than a silence may be, no connection is known to have ended, so "none ends" is not all.
func TestAShortLogSaysThatItShowsNoEnds(t *testing.T) {
	w := world{seed: 3, length: 30 * sec, crowds: []crowd{{n: 20, agent: goClient, every: 50 * time.Millisecond}}}
	o := Options{NoUpstreams: true, Idle: 75 * time.Second}
	short := read(t, strings.NewReader(text(w.run(), asCombined)), o)
	w.length = 10 * mins
	long := read(t, strings.NewReader(text(w.run(), asCombined)), o)
	const says = "Which of them ended is not known: the log covers"
	if short.Verdict.ID != Calm || !strings.Contains(strings.Join(short.Verdict.Says, " "), says) ||
		!strings.HasPrefix(short.Verdict.Next[0], "h2lab logs ") {
		t.Errorf("short: %+v", short.Verdict)
	}
	if long.Verdict.ID != Calm || strings.Contains(strings.Join(long.Verdict.Says, " "), says) {
		t.Errorf("long: %+v", long.Verdict)
	}
}

// Apache ends a connection at the request after MaxKeepAliveRequests, so that is what its configuration says.
func TestApachesNumberIsThatOfItsDirective(t *testing.T) {
	got := judge(of(90_000, 100, func(r *Result) { ended(byUnknown, nil)(r); r.Server = cure.Apache }))
	if got.ID != SameCount || got.WouldTell[0] != "whether MaxKeepAliveRequests is 36: Apache allows one more" {
		t.Errorf("%+v", got)
	}
}
