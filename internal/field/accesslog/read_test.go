package accesslog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// file writes a log into the test's directory.
func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func all(t *testing.T, r io.Reader) []byte {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func packedBy(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRotatedAndPackedLogsAreOne(t *testing.T) {
	text := all(t, &traffic{lines: 10_000, limit: 100, alive: 3, perSec: 100})
	half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	older, newer := file(t, "access.log.1.gz", packedBy(t, text[:half])), file(t, "access.log", text[half:])
	got, err := Read(t.Context(), []string{older, newer}, nil, Options{})
	if err != nil || got.Requests != 10_000 || got.Limit.EndedExactly != 99 && got.Limit.EndedExactly != 98 {
		t.Errorf("%v, %+v", err, got)
	}
	if again, err := Read(t.Context(), []string{newer, older}, nil, Options{}); err != nil || again.Restarts != 0 ||
		again.Limit.EndedExactly != got.Limit.EndedExactly {
		t.Errorf("another order: %v, %+v", err, again)
	}
	// Two gzip members in one file, as `cat a.gz b.gz` makes it.
	both := file(t, "both.gz", append(packedBy(t, text[:half]), packedBy(t, text[half:])...))
	if got, err := Read(t.Context(), []string{both}, nil, Options{}); err != nil || got.Requests != 10_000 {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestACutGzipGivesWhatWasRead(t *testing.T) {
	text := all(t, &traffic{lines: 10_000, limit: 100, alive: 3, perSec: 100})
	whole := packedBy(t, text)
	got, err := Read(t.Context(), []string{file(t, "a.gz", whole[:len(whole)/2])}, nil, Options{})
	if err == nil || got == nil || got.Requests < 1000 ||
		!strings.Contains(err.Error(), "is cut off in the middle of its gzip data after line") {
		t.Errorf("%v, %v", err, got)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 0xff // of its checksum
	if got, err := Read(t.Context(), []string{file(t, "b.gz", damaged)}, nil, Options{}); err == nil || got == nil ||
		got.Requests != 10_000 {
		t.Errorf("%v", err)
	}
}

func TestBadInputIsNamed(t *testing.T) {
	dir := t.TempDir()
	const good = `::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x" conn=1 req=1 upstream="-"` + "\n"
	for _, c := range []struct {
		name, path, want string
	}{
		{"not there", filepath.Join(dir, "no"), syscall.ENOENT.Error()},
		{"a directory", dir, "is a directory: name its files"},
		{"empty", file(t, "e", nil), "no line in it"},
		{"empty lines", file(t, "e", []byte("\n\n\n")), "no line in the log"},
		{"zstd", file(t, "z", []byte("\x28\xb5\x2f\xfdxxxxxx")), "zstd -dc"},
		{"begins as gzip", file(t, "g", []byte("\x1f\x8bxxxxxxxxxxxxxxxxxx")), "begins as gzip does, and is not"},
		{
			"another format later",
			file(t, "m", []byte(good+strings.Repeat("nonsense\n", 500))),
			"the format of these lines is not known",
		},
		{
			"mostly another",
			file(t, "m", []byte(strings.Repeat(good, 200)+strings.Repeat("nonsense\n", 500))),
			`500 of 700 lines are not of the format "combined with conn= and req="; the first is line 201`,
		},
		{
			"no newline in a megabyte",
			file(t, "l", bytes.Repeat([]byte("x"), 1<<20)),
			"the format of these lines is not known",
		},
	} {
		if _, err := Read(t.Context(), []string{c.path}, nil, Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBadLinesAreCounted(t *testing.T) {
	const good = `::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x" conn=1 req=`
	text := good + "1 upstream=\"-\"\n" + good + "2 upstream=\"-\"\n" + "\x00\xff nonsense\n" +
		strings.Repeat("x", longestLine+5) + "\n" +
		good + "3 upstream=\"-\"\r\n" + good + "4 upstream=\"-\"\n" + good + "5 upstr"
	got := read(t, strings.NewReader(text), Options{})
	if got.Requests != 4 || got.Malformed != 2 || got.FirstMalformed.Number != 3 ||
		got.FirstMalformed.Text != "\x00? nonsense" {
		t.Errorf("%+v, %+v", got, got.FirstMalformed)
	}
	if !strings.Contains(fmt.Sprint(got.Warnings), "its last line is cut off") {
		t.Errorf("%q", got.Warnings)
	}
}

func TestAnInterruptEndsTheReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, []string{Stdin}, &traffic{lines: 1 << 40, limit: 10, alive: 1, perSec: 10},
		Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A container's output has what the server says of itself beside its access log.
func TestAnAccessLogAmongOtherLinesIsStillOne(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := strings.Repeat("2026/11/23 07:38:30 [notice] 1#1: start worker process 7\n", 3) + "http2: Framer 0xc000: read PING\n" +
		strings.Repeat(`10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x"`+"\n", 20)
	if err := os.WriteFile(log, []byte("a b http2: server x\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	var missing *MissingError
	if _, err := Read(t.Context(), []string{log}, nil, Options{}); !errors.As(err, &missing) {
		t.Error(err)
	}
}

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
		if e := got.Exactness; e.ForgottenEarly+e.SeenAgain+e.WrittenTwice != 0 || e.NotLogged > late ||
			got.Restarts != 0 {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

// With a table far too small for the open connections numbered requests still say what is exact, also where streams end
// out of order.
func TestASmallTableSaysHowExactItIs(t *testing.T) {
	for _, g := range []traffic{{lines: 100_000, limit: 100, alive: 400, perSec: 1000},
		{lines: 100_000, limit: 100, alive: 210, perSec: 1000, shuffle: true}} {
		got := read(t, &g, Options{room: 192})
		e := got.Exactness
		if got.Connections != g.connections || got.Limit == nil || got.Limit.EndedExactly != g.ended {
			t.Errorf("%d connections, %+v; true are %d, %d of them at the limit", got.Connections, got.Limit, g.connections,
				g.ended)
		}
		if n := got.PerConnection.Connections; e.ForgottenEarly == 0 || e.SeenAgain == 0 || n > g.connections+uint64(g.alive) ||
			n+uint64(g.alive) < g.connections {
			t.Errorf("%d are in the distribution, of %d: %+v", n, g.connections, e)
		}
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

// The few connections that raise the doubt of a restart count to the run before.
func TestARestartIsNoticed(t *testing.T) {
	thrice, lower := [][2]int{}, [][2]int{}
	for run := range 3 { // three runs of a server, each with connections 1 to 40 of two requests
		for c := 1; c <= 40; c++ {
			thrice = append(thrice, [2]int{c, 1}, [2]int{c, 2})
			if run < 2 { // to serials that the log has not
				lower = append(lower, [2]int{(1-run)*1_000_000 + c, 1})
			}
		}
	}
	for _, c := range []struct {
		pairs       [][2]int
		restarts    uint64
		connections uint64
	}{{thrice, 2, 120}, {lower, 1, 80}} {
		got := read(t, logOf(c.pairs...), Options{Format: bare(t)})
		if got.Restarts != c.restarts || got.Connections > c.connections || got.Connections < c.connections-2*c.restarts ||
			got.Requests != uint64(len(c.pairs)) || got.Opened.EmptyAtMost > 4 || got.Opened.AtMost > c.connections {
			t.Errorf("%d restarts, %d connections, %+v", got.Restarts, got.Connections, got.Opened)
		}
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
	if !strings.Contains(fmt.Sprint(got.Warnings), "50 connections have more lines than requests") {
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

func TestErrorsAndMinutes(t *testing.T) {
	f, err := Compile("$msec $connection $connection_requests $status")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for c := range 10 {
		for n := 1; n <= 20; n++ {
			fmt.Fprintf(&b, "%d.5 %d %d %d\n", start.Unix()+int64(c*20+n), c+1, n, map[int]int{20: 499, 10: 502}[n])
		}
	}
	got := read(t, strings.NewReader(b.String()), Options{Format: f})
	if e := got.Errors; e.Status499 != 10 || e.Status5xx != 10 {
		t.Errorf("%+v", e)
	}
	if m := got.Minutes; m.WithRequests != 4 || m.MostNew[0].New != 3 || m.MostNew[0].Requests != 59 {
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
	if got.Connections != 100 || got.BeganBefore != nil || got.Verdict.ID != SameCount || got.PerConnection.P50 != 10 {
		t.Errorf("%+v", got)
	}
}

// The sample keeps all connections of a part of the clients, and its size is limited.
func TestTheSampleKeepsWholeClients(t *testing.T) {
	var s lives
	const clients, each = 1000, 200
	for n := range uint32(each) {
		for c := range uint32(clients) {
			s.add(life{client: (c*2654435761)<<1 | 1, n: n})
		}
	}
	kept := map[uint32]int{}
	for _, l := range s.all {
		kept[l.client]++
	}
	if len(s.all) > mostLives || uint64(len(s.all))+s.missing != clients*each || len(kept) < 20 {
		t.Errorf("%d lives of %d clients, %d missing", len(s.all), len(kept), s.missing)
	}
	for client, n := range kept {
		if n != each {
			t.Errorf("client %x has %d of %d connections", client, n, each)
		}
	}
	var one lives
	for range 2 * mostLives {
		one.add(life{client: 7})
	}
	if len(one.all) != mostLives || one.missing != mostLives {
		t.Errorf("%d lives of one client, %d missing", len(one.all), one.missing)
	}
}

// byPorts is a log of connections with so many requests each, of one client; those in again use the port of an earlier
// one.
func byPorts(connections, requests int, again map[int]int) string {
	var b strings.Builder
	began := time.Date(2026, 9, 22, 10, 0, 0, 0, time.UTC)
	for i := range connections {
		port, reused := again[i]
		if !reused {
			port = i
		}
		for range requests + i%5/4 { // one in five has a request more in flight
			fmt.Fprintf(&b, `10.0.0.%d - - [%s] "GET / HTTP/2.0" 200 5 "-" "x" port=%d`+"\n", i%4,
				began.Add(time.Duration(i)*time.Second/4).Format("02/Jan/2006:15:04:05 -0700"), 30000+port)
		}
	}
	return b.String()
}

// A port that is used again soon has the requests of two connections: a few such are no limit twice as high, and no
// batches.
func TestPortsThatAreUsedAgainHideNoLimit(t *testing.T) {
	for _, again := range []map[int]int{{120: 8, 160: 12}, {101: 9, 122: 10, 143: 11, 164: 12}} {
		got := read(t, strings.NewReader(byPorts(200, 50, again)), Options{})
		if got.Limit == nil || got.Limit.Requests != 50 || got.Verdict.ID != SameCount {
			t.Errorf("%d ports again: %+v, %s", len(again), got.Limit, got.Verdict.ID)
		}
	}
}

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
		got := read(t, strings.NewReader(textOf(lines, written(c.line))), o)
		if got.From.Nanosecond() == 0 || got.Verdict.ID != Reloaded {
			t.Errorf("%s: from %v, %s, %+v", c.name, got.From, got.Verdict.ID, got.Reloads)
		}
	}
}

// Two times that are not of the same second are two moments, and the first is the line's.
func TestAnotherMomentIsNotTheLines(t *testing.T) {
	w := world{seed: 3, length: 30 * sec, crowds: []crowd{{n: 20, agent: goClient, every: 50 * time.Millisecond}}}
	got := read(t, strings.NewReader(textOf(w.run(),
		written(`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" conn=SERIAL req=ORDINAL 1777836800.123`))), direct)
	if got.From.Nanosecond() != 0 || got.From.Unix() == 1777836800 {
		t.Errorf("from %v", got.From)
	}
}

// In a log that is shorter than a silence may be, no connection is known to have ended, so "none ends" is not all.
func TestAShortLogSaysThatItShowsNoEnds(t *testing.T) {
	w := world{seed: 3, length: 30 * sec, crowds: []crowd{{n: 20, agent: goClient, every: 50 * time.Millisecond}}}
	o := Options{NoUpstreams: true, Idle: 75 * time.Second, Again: "h2lab logs a.log"}
	short := read(t, strings.NewReader(textOf(w.run(), asCombined)), o)
	w.length, w.crowds[0].every = 10*mins, time.Second
	long := read(t, strings.NewReader(textOf(w.run(), asCombined)), o)
	const says = "Which of them ended is not known: the log covers"
	if short.Verdict.ID != Calm || !strings.Contains(fmt.Sprint(short.Verdict.Says), says) ||
		!strings.HasPrefix(short.Verdict.Next[0].String(), "h2lab logs ") {
		t.Errorf("short: %+v", short.Verdict)
	}
	if long.Verdict.ID != Calm || strings.Contains(fmt.Sprint(long.Verdict.Says), says) {
		t.Errorf("long: %+v", long.Verdict)
	}
}

// Clients that always send ten requests and come back after a pause look alike behind an idle time and without one: the
// clients are not blamed. Those that never come back, or whose connections survive such a pause, end them themselves.
func TestAnIdleTimeIsNotBlamedOnClients(t *testing.T) {
	visits := func(w world, c crowd) world {
		c.agent, c.every, c.visit = "job/1", 100*time.Millisecond, 10
		w.length, w.limit, w.crowds = 30*mins, 1000, append(w.crowds, c)
		return w
	}
	var once world
	for i := range 40 {
		once = visits(once, crowd{n: 1, addr: fmt.Sprintf("10.9.0.%d", i), pause: 29 * mins})
	}
	for name, c := range map[string]struct {
		world   world
		verdict string
		says    string
	}{
		"an idle time of 3 s":      {visits(world{idle: 3 * sec}, crowd{n: 12, pause: 15 * sec}), SameCount, "or an idle time ends them"},
		"clients that leave":       {visits(world{}, crowd{n: 12, pause: 15 * sec}), SameCount, "or an idle time ends them"},
		"clients that come once":   {once, ClientsStop, "The clients end the connections"},
		"the limit of each is 100": {world{length: 10 * mins, limit: 100, crowds: []crowd{{n: 5, agent: goClient, every: 50 * time.Millisecond}}}, AtLimit, "request limit"},
	} {
		got := read(t, strings.NewReader(textOf(c.world.run(), asOffered)), Options{NoUpstreams: true, Idle: 75 * time.Second})
		if got.Verdict.ID != c.verdict || !strings.Contains(fmt.Sprint(got.Verdict.Says), c.says) {
			t.Errorf("%s: %s: %s", name, got.Verdict.ID, fmt.Sprint(got.Verdict.Says))
		}
	}
}
