package accesslog

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

func read(t testing.TB, r io.Reader, o Options) *Result {
	t.Helper()
	got, err := Read(context.Background(), []string{Stdin}, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAReadingSaysTheTruth(t *testing.T) {
	for _, c := range []struct {
		name string
		g    traffic
		json bool
	}{
		{"one connection after the other", traffic{lines: 20_000, limit: 1000, alive: 1, perSec: 100}, false},
		{"fifty dials for each", traffic{lines: 20_000, limit: 1000, alive: 1, empty: 49, perSec: 100}, false},
		{"streams end out of order", traffic{lines: 40_000, limit: 100, alive: 7, perSec: 100, shuffle: true}, false},
		{"JSON", traffic{lines: 20_000, limit: 100, alive: 20, perSec: 100, json: true}, true},
		{"some leave early", traffic{lines: 60_000, limit: 50, alive: 30, perSec: 100, churn: 0.02}, false},
	} {
		g := c.g
		got := read(t, &g, Options{NoUpstreams: true})
		late := uint64(0) // requests that had not ended at the end of the log
		if g.shuffle {
			late = uint64(g.alive)
		}
		if got.Requests != uint64(g.lines) || got.Connections != g.connections || *got.BeganBefore > late ||
			got.Malformed != 0 {
			t.Errorf("%s: %d requests, %d connections, %d from before; %d and %d are true", c.name, got.Requests,
				got.Connections, *got.BeganBefore, g.lines, g.connections)
		}
		if got.Limit == nil || got.Limit.Requests != uint32(g.limit) || got.Limit.EndedExactly != g.ended ||
			got.Limit.Beyond != 0 {
			t.Errorf("%s: limit %+v; %d ended at %d", c.name, got.Limit, g.ended, g.limit)
		}
		if want := (g.connections - 1) * uint64(g.empty); got.Opened.EmptyAtMost < want ||
			got.Opened.EmptyAtMost > want+uint64(g.alive) || got.Opened.EmptyAtLeast != got.Opened.EmptyAtMost {
			t.Errorf("%s: %+v, %d were empty", c.name, got.Opened, want)
		}
		if e := got.Exactness; e.ForgottenEarly+e.SeenAgain+e.LateLines+e.WrittenTwice != 0 || e.NotLogged > late ||
			got.Restarts != 0 {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

// With a table far too small for the open connections, exact numbers must stay exact, and the
// others be off by no more than the Result says.
func TestASmallTableSaysHowExactItIs(t *testing.T) {
	g := traffic{lines: 100_000, limit: 100, alive: 400, perSec: 1000}
	got := read(t, &g, Options{tableBits: 8})
	e := got.Exactness
	if e.ForgottenEarly == 0 || e.SeenAgain == 0 {
		t.Fatalf("the table wasn't too small: %+v", e)
	}
	if got.Connections != g.connections || got.Limit == nil || got.Limit.EndedExactly != g.ended {
		t.Errorf("%d connections, %+v; true are %d, %d of them at the limit", got.Connections, got.Limit, g.connections,
			g.ended)
	}
	if n := got.PerConnection.Connections; n != g.connections || e.StandTwice != 0 {
		t.Errorf("%d stand in the distribution, of %d; %d twice", n, g.connections, e.StandTwice)
	}
}

// If streams end out of order as well, not every forgotten connection can be corrected; the Result
// says how many are affected.
func TestASmallTableAndStreamsOutOfOrder(t *testing.T) {
	g := traffic{lines: 100_000, limit: 100, alive: 210, perSec: 1000, shuffle: true}
	got := read(t, &g, Options{tableBits: 8})
	e := got.Exactness
	if got.Connections != g.connections || got.Limit == nil || got.Limit.EndedExactly != g.ended {
		t.Errorf("%d connections, %+v; true are %d, %d of them at the limit", got.Connections, got.Limit, g.connections,
			g.ended)
	}
	if n := got.PerConnection.Connections; e.StandTwice == 0 || n < g.connections || n > g.connections+e.StandTwice {
		t.Errorf("%d stand in the distribution, of %d; %d at most twice", n, g.connections, e.StandTwice)
	}
	if !strings.Contains(e.Note, "may be counted twice in the distribution") {
		t.Error(e.Note)
	}
}

// Serials older than seen remembers count as new.
func TestSeenForgetsTheOldest(t *testing.T) {
	s := newSeen(2)
	mark := func(k uint64, first, before, firstBefore bool) {
		t.Helper()
		if b, f := s.mark(k, first); b != before || f != firstBefore {
			t.Errorf("%d: %v %v", k, b, f)
		}
	}
	base := key(3, 1, 0)
	mark(base+5, true, false, false)
	mark(base+5, false, true, true)
	mark(base+6, false, false, false)
	mark(base+2<<chunkBits+5, false, false, false) // the same slot
	mark(base+5, true, false, false)               // too old to be remembered
	mark(base+2<<chunkBits+5, true, true, false)
	if s.forgotten != 1 {
		t.Error(s.forgotten)
	}
}

func TestMemoryStaysBounded(t *testing.T) {
	g := &traffic{lines: 150_000, limit: 3, alive: 5000, empty: 3, perSec: 200}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got := read(t, g, Options{})
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 45<<20 {
		t.Errorf("the heap grew by %d MiB for %d connections", grown>>20, got.Connections)
	}
	if got.Connections != g.connections {
		t.Errorf("%d connections, %d are true", got.Connections, g.connections)
	}
}

// logOf makes a log of "serial ordinal" pairs, one per second.
func logOf(pairs ...[2]int) io.Reader {
	var b strings.Builder
	for i, p := range pairs {
		fmt.Fprintf(&b, "%d %d %d\n", start.Unix()+int64(i), p[0], p[1])
	}
	return strings.NewReader(b.String())
}

func bare(t testing.TB) *Format {
	t.Helper()
	f, err := Compile("$msec $connection $connection_requests")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestARestartIsNoticed(t *testing.T) {
	var pairs [][2]int
	for range 3 { // three runs of a server, each with connections 1 to 40 of two requests
		for c := 1; c <= 40; c++ {
			pairs = append(pairs, [2]int{c, 1}, [2]int{c, 2})
		}
	}
	got := read(t, logOf(pairs...), Options{Format: bare(t)})
	if got.Restarts != 2 || got.Connections != 120 || got.Requests != 240 {
		t.Errorf("%d restarts, %d connections", got.Restarts, got.Connections)
	}
	if got.Opened.AtMost < 114 || got.Opened.AtMost > 120 || got.Opened.EmptyAtMost > 4 {
		t.Errorf("%+v", got.Opened)
	}
}

func TestARestartToSerialsThatTheLogHasNot(t *testing.T) {
	var pairs [][2]int
	for c := 1_000_000; c < 1_000_050; c++ {
		pairs = append(pairs, [2]int{c, 1})
	}
	for c := 1; c <= 50; c++ {
		pairs = append(pairs, [2]int{c, 1})
	}
	got := read(t, logOf(pairs...), Options{Format: bare(t)})
	if got.Restarts != 1 || got.Connections != 100 || got.Opened.EmptyAtMost > 4 {
		t.Errorf("%d restarts, %d connections, %+v", got.Restarts, got.Connections, got.Opened)
	}
}

// A long request is logged at its end, with an old serial.
func TestALongRequestIsNoRestart(t *testing.T) {
	pairs := [][2]int{}
	for c := 1000; c < 1400; c++ {
		pairs = append(pairs, [2]int{c, 1})
		if c%100 == 0 {
			pairs = append(pairs, [2]int{c/100 + 300, 1}, [2]int{1, c})
		}
	}
	if got := read(t, logOf(pairs...), Options{Format: bare(t)}); got.Restarts != 0 {
		t.Errorf("%d restarts", got.Restarts)
	}
}

func TestTheEdgesOfTheLog(t *testing.T) {
	var pairs [][2]int
	for i := 500; i <= 700; i++ { // began long before, and continues
		pairs = append(pairs, [2]int{3, i})
	}
	pairs = append(pairs, [2]int{8, 1})
	for i := 701; i <= 1600; i++ {
		pairs = append(pairs, [2]int{3, i})
	}
	got := read(t, logOf(pairs...), Options{Format: bare(t)})
	if *got.BeganBefore != 1 || got.OpenAtEnd != 1 || got.Connections != 2 {
		t.Errorf("%d from before, %d open", *got.BeganBefore, got.OpenAtEnd)
	}
	if d := got.PerConnection; d.Of != "ended" || d.Connections != 1 || d.Max != 1 {
		t.Errorf("only the one that ended counts: %+v", d)
	}
}

func TestSeveralServersAndLinesWrittenTwice(t *testing.T) {
	f, err := Compile("$hostname $connection $connection_requests")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for c := 1; c <= 50; c++ {
		fmt.Fprintf(&b, "a %d 1\nb %d 1\nb %d 1\n", c, c, c)
	}
	got := read(t, strings.NewReader(b.String()), Options{Format: f})
	if got.Connections != 100 || got.Restarts != 0 || got.Exactness.WrittenTwice != 50 {
		t.Errorf("%d connections, %d restarts, %d twice", got.Connections, got.Restarts, got.Exactness.WrittenTwice)
	}
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "50 connections have more lines than requests") {
		t.Errorf("%q", got.Warnings)
	}
	b.Reset()
	for i := range 300 {
		fmt.Fprintf(&b, "host%d 1 1\n", i)
	}
	if _, err := Read(t.Context(), []string{Stdin}, strings.NewReader(b.String()), Options{Format: f}); err == nil ||
		!strings.Contains(err.Error(), "more than 255 servers") {
		t.Error(err)
	}
}

func TestErrorsBesideRenewals(t *testing.T) {
	f, err := Compile("$msec $connection $connection_requests $status")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	line := func(second, c, n, status int) {
		fmt.Fprintf(&b, "%d.5 %d %d %d\n", start.Unix()+int64(second), c, n, status)
	}
	for c := range 10 {
		for n := 1; n <= 20; n++ {
			status := 200
			if n == 20 {
				status = 499
			} else if n == 10 {
				status = 502
			}
			line(c*20+n, c+1, n, status)
		}
	}
	got := read(t, strings.NewReader(b.String()), Options{Format: f})
	e := got.Errors
	if e.Status499 != 10 || e.Status5xx != 10 || e.Near499 == nil || *e.Near499 != 10 || *e.Near5xx != 0 {
		t.Errorf("%+v", e)
	}
	if m := got.Minutes; m.WithRequests != 4 || m.MostNew[0].New != 3 || *m.MostNew[0].Renewals != 2 ||
		*m.MostNew[1].Renewals != 3 {
		t.Errorf("%+v", m)
	}
	if l := got.Limit; l.UsedUpP50S == nil || *l.UsedUpP50S < 18 || *l.UsedUpP50S > 20 {
		t.Errorf("19 s from the first request to the last: %v", l.UsedUpP50S)
	}
}

func TestSinceAndUntil(t *testing.T) {
	g := &traffic{lines: 1000, limit: 100, alive: 1, perSec: 1}
	got := read(t, g, Options{Since: start.Add(100 * time.Second), Until: start.Add(400 * time.Second)})
	if got.Requests != 300 {
		t.Error(got.Requests)
	}
	_, err := Read(t.Context(), []string{Stdin}, &traffic{lines: 10, limit: 100, alive: 1},
		Options{Since: start.Add(time.Hour)})
	if err == nil || !strings.Contains(err.Error(), "none of 10 lines lies between --since and --until") {
		t.Error(err)
	}
}

func TestEnvoyIsCountedByConnection(t *testing.T) {
	f, err := Compile("%START_TIME(%s)% %CONNECTION_ID% %RESPONSE_FLAGS%")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "%d %d %s\n", start.Unix()+int64(i), i/10*3, []string{"-", "DC"}[i%2])
	}
	got := read(t, strings.NewReader(b.String()), Options{Format: f})
	if got.Connections != 100 || got.BeganBefore != nil || got.Verdict.ID != SameCount || got.PerConnection.P50 != 10 ||
		got.Flags["DC"] != 500 {
		t.Errorf("%+v", got)
	}
}
