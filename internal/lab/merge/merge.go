// Package merge makes one result from the logs of several k6 processes that shared a test by k6's execution
// segments (k6/lib/runner.js). It adds counts, merges histograms and names what is missing.
package merge

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// Command is run.command of a merged run, Runtime its run.runtime.
const (
	Command = "merge"
	Runtime = "machines"
)

// Order says what to merge.
type Order struct {
	// Paths are logs of runners, or directories of them.
	Paths []string
	// Partial merges the runners that are there.
	Partial bool
}

// knobs are the scripts' own, as k6/lib/knobs.js reads them.
type knobs struct {
	Target      string `json:"target"`
	Topology    string `json:"topology"`
	Protocol    string `json:"protocol"`
	Limit       int    `json:"limit"`
	Method      string `json:"method"`
	BodyBytes   int    `json:"bodyBytes"`
	Concurrency int    `json:"concurrency"`
	Pools       int    `json:"pools"`
	// Rate is how many requests a second all runners together were to send; 0 is a closed loop.
	Rate       float64 `json:"rate"`
	Arrivals   string  `json:"arrivals"`
	Burst      int     `json:"burst"`
	DurationMS float64 `json:"durationMS"`
	WarmupMS   float64 `json:"warmupMS"`
	ThinkMS    int     `json:"thinkMS"`
	DelayMS    int     `json:"delayMS"`
	MaxTLS     string  `json:"maxTLS"`
}

// Merge makes one result from the runners' logs. The run of the result has the warnings.
func Merge(o Order) (*facts.Result, error) {
	all, err := read(o.Paths)
	if err != nil {
		return nil, err
	}
	if len(all.lines) == 0 {
		return nil, fmt.Errorf("every line of the runners is cut, such as %s: collect the logs again", all.cut[0])
	}
	runners, err := group(all.lines)
	if err != nil {
		return nil, err
	}
	script := all.lines[0].Script
	k, err := readKnobs(all.lines[0])
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(runners, func(r *runner) bool { return len(r.vus) > 0 }) {
		return nil, fmt.Errorf("no runner has the tally of a VU: the test ended before its window did, or its logs lack "+
			"what the VUs logged; the reason is in %s", runners[0].files())
	}
	missing := gaps(runners, all.cut, k.Pools)
	if len(missing) > 0 && !o.Partial {
		words := "h2lab merge --partial"
		for _, path := range o.Paths {
			words += " " + text.ShellWord(path)
		}
		return nil, fmt.Errorf("the runners' logs are incomplete: %s; collect them again, or merge what is there: %s",
			strings.Join(missing, "; "), words)
	}
	t, err := trial(runners, k, script)
	if err != nil {
		return nil, err
	}
	return result(runners, k, script, t, missing), nil
}

var (
	scriptName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,60}$`)
	unsafe     = regexp.MustCompile(`[^a-z0-9.-]+`)
)

func readKnobs(l line) (k knobs, err error) {
	err = json.Unmarshal(l.Knobs, &k)
	known := (k.Protocol == string(facts.H1) || k.Protocol == string(facts.H2)) && k.Concurrency > 0 && k.Pools > 0 &&
		k.DurationMS > 0 && scriptName.MatchString(l.Script)
	if err != nil || !known {
		return k, fmt.Errorf("%s lacks knobs of the scripts in k6/, such as protocol, concurrency, pools and "+
			"durationMS: use the scripts and the h2lab of one version", l.where)
	}
	for _, n := range []struct {
		name     string
		is, most float64 // as k6/lib/knobs.js accepts it
	}{{"concurrency", float64(k.Concurrency), 10_000}, {"pools", float64(k.Pools), 10_000}, {"rate", k.Rate, 1e6},
		{"burst", float64(k.Burst), 10_000}, {"durationMS", k.DurationMS, 3_600_000}, {"warmupMS", k.WarmupMS, 3_600_000},
		{"thinkMS", float64(k.ThinkMS), 60_000}, {"delayMS", float64(k.DelayMS), 10_000}, {"limit", float64(k.Limit), 1e9},
		{"bodyBytes", float64(k.BodyBytes), 1 << 20}} {
		if !(n.is >= 0 && n.is <= n.most) {
			return k, fmt.Errorf("%s has %s = %v, and the scripts in k6/ accept 0 to %v: collect the logs again", l.where,
				n.name, n.is, n.most)
		}
	}
	return k, nil
}

// trial adds the runners up.
func trial(runners []*runner, k knobs, script string) (facts.Trial, error) {
	var tallies []load.Logged
	var dropped int64
	for _, r := range runners {
		tallies = append(tallies, r.tallies()...)
		if r.end != nil {
			dropped += r.end.Dropped
		}
	}
	a, err := load.FromLogs(tallies, facts.Protocol(k.Protocol))
	if err != nil {
		return facts.Trial{}, err
	}
	began, _ := span(runners)
	warnings := apart(runners, k)
	if a.Schedule != nil {
		warnings = append(warnings, behind(runners, k)...)
	}
	if dropped > 0 {
		warnings = append(warnings, fmt.Sprintf("%s of the open loop found every VU busy and were not sent, warm-up "+
			"included: the latencies are only those of the requests that were sent",
			text.Things(dropped*int64(max(k.Burst, 1)), "request")))
	}
	warm, both := expected(k, script, a, a.WarmupRequests), expected(k, script, a, a.WarmupRequests+a.Attempts)
	inWindow := both - warm
	return facts.Trial{Index: 1, Order: 1, Started: when(began), ElapsedS: a.ElapsedS, Attempts: a.Attempts,
		Succeeded: a.Succeeded, Failed: a.Failed, Errors: a.Errors, GoodputRPS: float64(a.Succeeded) / a.ElapsedS,
		LatencyMS: a.Latency, Histogram: a.Histogram, Schedule: a.Schedule, TLS: a.TLS, Warnings: asRecorded(warnings),
		Connections: facts.Connections{Expected: &inWindow, ClientReported: a.ClientReported},
		ColdStart:   facts.ColdStart{Requests: &a.WarmupRequests, Expected: &warm}}, nil
}

// expected is how many connections the runners needed for their requests. At a rate they need connections for the
// requests that are usually in flight, not for the maximum that is allowed.
func expected(k knobs, script string, a load.Answer, requests int64) int64 {
	w := workload(k)
	if a.Schedule != nil {
		w.Concurrency = a.Schedule.UsuallyInFlight(w.RatePerS)
	}
	return facts.Expected(facts.Protocol(k.Protocol), client(script), w, k.Limit, requests)
}

func client(script string) facts.Client { return facts.Client("k6-" + script) }

func workload(k knobs) facts.Workload {
	w := facts.Workload{Method: k.Method, BodyBytes: k.BodyBytes, DelayMS: k.DelayMS, Concurrency: k.Concurrency,
		Pools: k.Pools, WarmupS: k.WarmupMS / 1000, DurationS: k.DurationMS / 1000, MaxTLS: k.MaxTLS, ThinkMS: k.ThinkMS,
		RatePerS: k.Rate}
	if w.RatePerS > 0 {
		w.Arrivals = facts.Arrivals(k.Arrivals)
	}
	return w
}

// result is the whole results.json. The runners' logs have no counters of servers, so those stay null.
func result(runners []*runner, k knobs, script string, t facts.Trial, missing []string) *facts.Result {
	cell := facts.Cell{Topology: topology(k.Topology), Protocol: facts.Protocol(k.Protocol), Client: client(script),
		Workload: workload(k), Trials: []facts.Trial{t}}
	if k.Limit > 0 {
		cell.Limit.Configured = &k.Limit
	}
	_, ended := span(runners)
	warnings := []string{fmt.Sprintf("%d of %s, %s; accepted and used connections are unknown: read them at the server "+
		"(docs/many-machines.md)", len(runners), text.Things(runners[0].of, "runner"), k.Target)}
	return &facts.Result{Run: facts.Run{
		ID: t.Started.Format("20060102T150405Z") + "-" + Command, Command: Command, Runtime: Runtime, Started: t.Started,
		Finished: when(ended), Interrupted: len(missing) > 0, Trials: 1, Limit: k.Limit, WarmupS: k.WarmupMS / 1000,
		DurationS: k.DurationMS / 1000, Concurrency: k.Concurrency, Planned: []string{cell.ID()},
		Warnings: asRecorded(append(warnings, missing...))}, Cells: []facts.Cell{cell}}
}

// topology is the knob in the letters of a cell's name.
func topology(s string) string {
	s = strings.Trim(unsafe.ReplaceAllString(strings.ToLower(s), "-"), "-.")
	if s == "" {
		return "target"
	}
	return s[:min(len(s), 60)]
}

// mark precedes what a runner logs for this package; format is its version (k6/lib/runner.js).
const (
	mark   = "h2lab-tally "
	format = 1
)

// longestLine bounds a line of a log: the tally of a VU with every bucket in use has 1 MB, more with a
// log format's quotes.
const longestLine = 16 << 20

// line is one of a runner's lines: a VU's tally, or the runner's end.
type line struct {
	Format   int             `json:"format"`
	Script   string          `json:"script"`
	Segment  string          `json:"segment"`
	Sequence string          `json:"sequence"`
	Knobs    json.RawMessage `json:"knobs"`
	// VU is unique over all runners, VUs is how many this runner has.
	VU  int `json:"vu"`
	VUs int `json:"vus"`
	// Began and Ended are the VU's window by its machine's clock, in ms since 1970; nil without a request.
	Began *float64        `json:"began"`
	Ended *float64        `json:"ended"`
	Tally json.RawMessage `json:"tally"`
	End   bool            `json:"end"`
	// Dropped is how many arrivals found every VU busy, warm-up included.
	Dropped int64 `json:"dropped"`

	where string // file:line
}

// logs has the lines of all files. cut names the lines that are incomplete.
type logs struct {
	lines []line
	cut   []string
}

const whatToGive = "give the logs of all runners, or directories with nothing else"

// read reads the files, and all files below the directories.
func read(paths []string) (logs, error) {
	var all logs
	for _, path := range paths {
		before := len(all.lines) + len(all.cut)
		if err := all.readPath(path); err != nil {
			return all, err
		}
		if len(all.lines)+len(all.cut) == before {
			return all, fmt.Errorf("%s has no line with %q: run the scripts of k6/ with -e TALLY=log and keep what they "+
				"log, such as k6 run --console-output=runner-1.log -e TALLY=log …, or kubectl logs POD > runner-1.log",
				path, strings.TrimSpace(mark))
		}
	}
	return all, nil
}

// readPath reads a file or what is below a directory. Both may be symbolic links, as those of kubelet in
// /var/log/containers are. Links to directories below a directory aren't followed: they may lead back.
func (all *logs) readPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unread(err)
	case !info.IsDir():
		return all.readFile(path) // a pipe, too, such as <(kubectl logs POD)
	}
	return fs.WalkDir(os.DirFS(path), ".", func(below string, d fs.DirEntry, err error) error {
		if err != nil {
			return unread(err)
		}
		file := filepath.Join(path, filepath.FromSlash(below))
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return unread(err)
		case info.Mode().IsRegular():
			return all.readFile(file)
		}
		return nil
	})
}

func unread(err error) error { return fmt.Errorf("reading the runners' logs: %w; %s", err, whatToGive) }

func (all *logs) readFile(name string) error {
	f, err := rooted.OpenLog(name)
	if err != nil {
		return unread(err)
	}
	defer f.Close()                     //nolint:errcheck // opened for reading only
	s := bufio.NewScanner(text.UTF8(f)) // Windows PowerShell redirects to UTF-16
	s.Buffer(make([]byte, 64<<10), longestLine)
	for n := 1; s.Scan(); n++ {
		_, found, ok := strings.Cut(s.Text(), mark)
		if !ok || !strings.HasPrefix(found, "{") {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, n)
		l, err := parse(found)
		switch {
		case err != nil:
			all.cut = append(all.cut, where)
		case l.Format != format:
			return fmt.Errorf("%s has format %d of a runner's lines, and this h2lab reads format %d: use the scripts and "+
				"the h2lab of one version", where, l.Format, format)
		default:
			l.where = where
			all.lines = append(all.lines, l)
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s has a line of more than %d MiB, which no runner logs; %s", name, longestLine>>20, whatToGive)
	case err != nil:
		return unread(fmt.Errorf("%s: %w", name, err))
	}
	return nil
}

// deepest is how many log formats may have quoted a line, one inside the other: k6's own, and that of a
// container engine.
const deepest = 3

// parse reads the JSON after the mark, whatever log formats quoted it.
func parse(s string) (l line, err error) {
	for range deepest {
		if !strings.HasPrefix(s, `{\`) {
			break
		}
		if s, err = unquote(s); err != nil {
			return l, err
		}
	}
	return l, json.NewDecoder(strings.NewReader(s)).Decode(&l) // a log format may continue the line
}

// unquote undoes the quoting of one log format, up to the closing quote.
func unquote(s string) (string, error) {
	var b strings.Builder
	for {
		plain := strings.IndexAny(s, `\"`)
		if plain < 0 {
			return "", errors.New("no closing quote")
		}
		b.WriteString(s[:plain])
		if s = s[plain:]; s[0] == '"' {
			return b.String(), nil
		}
		r, _, rest, err := strconv.UnquoteChar(s, '"')
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
		s = rest
	}
}

// runner is one k6 process.
type runner struct {
	number, of int // its place in the sequence of segments, from 1
	segment    string
	vus        []line
	planned    int // the VUs that it says it has
	end        *line
	// began and ended are the span of its windows, in ms since 1970; 0 without a request.
	began, ended float64
}

func (r *runner) String() string {
	if r.of == 1 {
		return "the runner"
	}
	return fmt.Sprintf("runner %d of %d (segment %s)", r.number, r.of, r.segment)
}

// files names the runner's logs.
func (r *runner) files() string {
	named := map[string]bool{}
	all := r.vus
	if r.end != nil {
		all = append(slices.Clone(all), *r.end)
	}
	for _, l := range all {
		named[l.where[:strings.LastIndex(l.where, ":")]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(named)), ", ")
}

func (r *runner) tallies() []load.Logged {
	var out []load.Logged
	for _, l := range r.vus {
		out = append(out, load.Logged{Where: l.where, Tally: l.Tally, Began: l.Began, Ended: l.Ended})
	}
	return out
}

// place is a segment's place in its sequence. k6 prints both in lowest terms.
func place(segment, sequence string) (number, of int, err error) {
	if segment == "" {
		return 1, 1, nil
	}
	from, to, _ := strings.Cut(segment, ":")
	bounds := strings.Split(sequence, ",")
	for i := range len(bounds) - 1 {
		if bounds[i] == from && bounds[i+1] == to {
			return i + 1, len(bounds) - 1, nil
		}
	}
	return 0, 0, fmt.Errorf("segment %q is not in the sequence %q", segment, sequence)
}

// group sorts the lines by runner, in the order of the sequence. All runners must have had the same
// script, knobs and sequence, and no VU may have two tallies.
func group(lines []line) ([]*runner, error) {
	bySegment := map[string]*runner{}
	vus := map[int]string{}
	for _, l := range lines {
		if err := sameTest(lines[0], l); err != nil {
			return nil, err
		}
		r := bySegment[l.Segment]
		if r == nil {
			number, of, err := place(l.Segment, l.Sequence)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.where, err)
			}
			r = &runner{number: number, of: of, segment: l.Segment}
			bySegment[l.Segment] = r
		}
		first, twice := vus[l.VU]
		switch {
		case l.End && r.end != nil:
			first, twice = r.end.where, true
		case l.End:
			twice = false
			r.end = &l
		default:
			vus[l.VU] = l.where
			r.vus, r.planned = append(r.vus, l), l.VUs
			if l.Began != nil && l.Ended != nil {
				r.began, r.ended = min(cmp.Or(r.began, *l.Began), *l.Began), max(r.ended, *l.Ended)
			}
		}
		if twice {
			return nil, fmt.Errorf("%s has two logs, at %s and %s: give the logs of one test, each of them once",
				r, first, l.where)
		}
	}
	return slices.SortedFunc(maps.Values(bySegment), func(a, b *runner) int { return cmp.Compare(a.number, b.number) }), nil
}

// sameTest returns an error if a line belongs to another test than the first one.
func sameTest(first, l line) error {
	a, b := l.settings(), first.settings()
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if fmt.Sprint(a[name]) != fmt.Sprint(b[name]) {
			return fmt.Errorf("%s ran with %s = %v, %s with %v; runners of different tests can't be merged: give the logs of one test",
				l.where, name, a[name], first.where, b[name])
		}
	}
	return nil
}

// settings are what all runners of a test share.
func (l line) settings() map[string]any {
	out := map[string]any{}
	_ = json.Unmarshal(l.Knobs, &out) // readKnobs says what is wrong with them
	out["script"], out["segments"] = l.Script, l.Sequence
	return out
}

// gaps names what is missing of a test with so many VUs.
func gaps(runners []*runner, cut []string, vus int) []string {
	var out []string
	for _, where := range cut {
		out = append(out, "the line at "+where+" is cut")
	}
	present := map[int]bool{}
	total := 0
	for _, r := range runners {
		present[r.number] = true
		total += len(r.vus)
		if len(r.vus) < r.planned {
			out = append(out, fmt.Sprintf("%s has the tallies of %d of its %d VUs in %s", r, len(r.vus), r.planned, r.files()))
		}
		if r.end == nil {
			out = append(out, fmt.Sprintf("%s has no line of its end in %s: it was stopped, or its log is cut", r, r.files()))
		}
	}
	bounds := strings.Split(sequenceOf(runners), ",")
	for n := 1; n < len(bounds); n++ {
		if !present[n] {
			out = append(out, fmt.Sprintf("runner %d of %d (segment %s:%s) has no log", n, len(bounds)-1, bounds[n-1], bounds[n]))
		}
	}
	if len(out) == 0 && total != vus {
		out = append(out, fmt.Sprintf("%d of %d VUs have a tally", total, vus))
	}
	return out
}

func sequenceOf(runners []*runner) string {
	r := runners[0]
	if r.end != nil {
		return r.end.Sequence
	}
	return r.vus[0].Sequence
}

// span is when the runners' windows began and ended, in ms since 1970.
func span(runners []*runner) (began, ended float64) {
	for _, r := range runners {
		if r.ended > 0 {
			began, ended = min(cmp.Or(began, r.began), r.began), max(ended, r.ended)
		}
	}
	return began, ended
}

// apart names the runners whose windows were not those of the others.
func apart(runners []*runner, k knobs) []string {
	var starts []float64
	for _, r := range runners {
		if r.ended > 0 {
			starts = append(starts, r.began)
		}
	}
	slices.Sort(starts)
	var out []string
	for _, r := range runners {
		if r.ended == 0 {
			continue
		}
		late := r.began - starts[len(starts)/2]
		how := "after"
		if late < 0 {
			late, how = -late, "before"
		}
		if late > k.tolerance(r.of) {
			out = append(out, fmt.Sprintf("%s began %s s %s the others, or its machine's clock differs: goodput is "+
				"counted from the first runner's start to the last one's end", r, seconds(late), how))
		}
		if short := k.DurationMS - (r.ended - r.began); short > k.tolerance(r.of) {
			out = append(out, fmt.Sprintf("%s stopped %s s before the end of its window of %s s", r, seconds(short),
				seconds(k.DurationMS)))
		}
	}
	return out
}

// behind names the runners that sent their requests so late that their latencies aren't the target's alone.
func behind(runners []*runner, k knobs) []string {
	var out []string
	for _, r := range runners {
		a, err := load.FromLogs(r.tallies(), facts.Protocol(k.Protocol))
		if err != nil || a.Schedule == nil || !a.Schedule.Behind() {
			continue // an error of a runner's tally is one of all tallies, too
		}
		out = append(out, fmt.Sprintf("%s fell behind its schedule: it sent 1 %% of its requests at least %s ms late, so its latencies "+
			"contain the generator's own delay", r, text.Measured(*a.Schedule.LateMS.P99)))
	}
	return out
}

// tolerance is the difference between windows, in ms, that apart doesn't report: 5 % of the window, 250 ms at
// least, and in an open loop twice the time between two arrivals of a runner in addition.
func (k knobs) tolerance(runners int) float64 {
	t := max(250, k.DurationMS/20)
	if k.Rate > 0 {
		t += 2 * 1000 * float64(runners*max(k.Burst, 1)) / k.Rate
	}
	return t
}

func seconds(ms float64) string { return text.Decimals(ms/1000, 1) }

func when(ms float64) time.Time { return time.UnixMilli(int64(ms)).UTC() }

// asRecorded are warnings about logs, which are in English in every language.
func asRecorded(warnings []string) []facts.Text {
	out := make([]facts.Text, len(warnings))
	for i, w := range warnings {
		out[i] = facts.T("verdict.recorded", w)
	}
	return out
}
