package workshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/counters"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// task is a learner's program, or a program that runs a learner's file.
type task struct {
	dir    string
	env    []string // in addition to this process's environment
	argv   []string
	within time.Duration
}

// outcome is how a task ended.
type outcome struct {
	stdout, stderr string
	status         int
	late           bool // stopped at its time limit
}

// run runs the task until it ends or reaches its time limit, and leaves no process of it. It keeps
// the end of its output.
func (t task) run(ctx context.Context) (outcome, error) {
	var stdout child.Tail
	r, err := child.Run(ctx, child.Spec{Argv: t.argv, Dir: t.dir, Env: append(os.Environ(), t.env...), Stdout: &stdout},
		child.Limits{Within: t.within})
	out := outcome{stdout: stdout.String(), stderr: r.Stderr, status: r.Status}
	var hung *child.HungError
	var exit *child.ExitError
	switch {
	case errors.As(err, &hung):
		out.late = true
	case err != nil && !errors.As(err, &exit):
		return out, err
	}
	return out, nil
}

// lastWords returns the last line that a program printed on stderr, or else on stdout.
func (o outcome) lastWords() string {
	for _, text := range []string{o.stderr, o.stdout} {
		lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return quoted(last)
		}
	}
	return "nothing"
}

// mostQuoted is how much of a program's message a finding repeats.
const mostQuoted = 160

func quoted(s string) string {
	if r := []rune(s); len(r) > mostQuoted {
		s = string(r[:mostQuoted]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// buildTime limits the first build, which compiles the standard library.
const buildTime = 3 * time.Minute

// build builds an exercise's program, and returns why it doesn't build. Its time doesn't count as the check's.
func (d *Desk) build(ctx context.Context, n int) (fails string, err error) {
	name := shown(n, mainFile)
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", &MissingError{"go, which builds " + name + ", isn't on the PATH", "install Go 1.26 or newer"}
	}
	if _, err := os.Stat(filepath.Join(d.dir(), "go.mod")); err != nil {
		return "", &MissingError{Learner + "/go.mod isn't there", "make workshop"}
	}
	dir, err := os.MkdirTemp("", "h2lab-workshop-")
	if err != nil {
		return "", err
	}
	d.built = filepath.Join(dir, fmt.Sprintf("%02d", n))
	out, err := task{
		dir: d.dir(), within: buildTime,
		env:  []string{"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off"},
		argv: []string{tool, "build", "-o", d.built, fmt.Sprintf("./%02d", n)},
	}.run(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("building %s: %w", name, err)
	case out.late:
		return "", fmt.Errorf("building %s took longer than %v; try again", name, buildTime)
	case out.status != 0:
		return out.lastWords(), nil
	}
	return "", nil
}

// discard removes what build made.
func (d *Desk) discard() {
	if d.built != "" {
		_ = os.RemoveAll(filepath.Dir(d.built))
	}
}

// runBuilt runs the program that build made.
func (d *Desk) runBuilt(ctx context.Context, within time.Duration) (outcome, error) {
	return task{dir: d.dir(), argv: []string{d.built}, within: within}.run(ctx)
}

// counted is what the front and the backend counted between the two readings. atOnce are the connections that
// carried requests at the same time, past the requests that came to the backend without the front, posted the POSTs
// with a body and an id that it executed.
type counted struct{ accepted, used, requests, overH1, inFlight, atOnce, past, posted int64 }

// metered runs a load and returns its outcome and what was counted meanwhile, at nginx-low and at the backend.
func (d *Desk) metered(ctx context.Context, load func() (outcome, error)) (out outcome, c counted, err error) {
	front := d.topology(lowNginx).Front()
	src, err := counters.Open(d.Root, front)
	if err != nil {
		return out, c, &MissingError{err.Error(), "make down, then " + startLab}
	}
	defer src.Close()
	log := filepath.Join(d.Root, filepath.FromSlash(front.UsedLog))
	var from int64
	if info, err := os.Stat(log); err == nil {
		from = info.Size()
	}
	before, err := counters.Settle(ctx, src)
	if errors.Is(err, counters.ErrUnsettled) {
		err = fmt.Errorf("another client uses %s; stop it and try again", lowNginx)
	}
	if err != nil {
		return out, c, err
	}
	watched := d.watchInFlight(ctx)
	out, err = load()
	seen := watched()
	if err != nil {
		return out, c, err
	}
	after, err := counters.Settle(ctx, src)
	if err != nil && !errors.Is(err, counters.ErrUnsettled) {
		return out, c, err
	}
	if before.Used == nil || after.Used == nil { // a source always has the other two
		return out, c, fmt.Errorf("the counters of %s are incomplete; next: make down, then %s", lowNginx, startLab)
	}
	firsts, err := firstsAfter(log, from)
	c = counted{
		accepted: *after.Accepted - *before.Accepted,
		used:     *after.Used - *before.Used,
		requests: *after.Requests - *before.Requests,
		overH1:   int64(bytes.Count(firsts, []byte(" HTTP/1."))), // the log has $server_protocol
		inFlight: seen.peak,
		atOnce:   atOnce(firstRequests(firsts), seen.ticks, d.own.limit),
		past:     seen.last.Requests.H2 - seen.first.Requests.H2, // the front asks over HTTP/1.1
		posted:   seen.last.Posted - seen.first.Posted,
	}
	return out, c, errors.Join(err, c.whole(d.own.limit))
}

// misused are what the exercises with a load forbid: a load around the front, and more or fewer requests in flight.
func (c counted) misused(name string) []rule {
	return []rule{
		// A learner may try something else meanwhile.
		{10*c.past > c.requests, "too-few-requests", facts.T("workshop.past-the-front", c.past, name, lowNginx)},
		{c.overH1 > 0, "http1", facts.T("workshop.http1", c.overH1, c.used)},
		{c.inFlight < inFlightLeast, "too-few-in-flight",
			facts.T("workshop.few-in-flight", c.inFlight, name, inFlightAsked)},
		{c.inFlight > inFlightMost, "too-many-in-flight",
			facts.T("workshop.many-in-flight", c.inFlight, name, inFlightAsked)},
	}
}

// whole is an error if requests were counted and none of their connections: the log of first requests was removed or
// emptied meanwhile. It is one, too, if the connections carried more requests than their limit allows, by more than a
// tenth: then the server was started again with another one. A few requests may be readings of the counters by other programs.
func (c counted) whole(limit int) error {
	if most := int64(limit) * c.used * 11 / 10; c.requests > max(most, leastLoad) && c.used > 0 {
		return fmt.Errorf("%s carried %d requests on %d connections, more than your limit allows; next: make down, then %s", lowNginx,
			c.requests, c.used, startLab)
	}
	if c.used < 0 || c.used == 0 && c.requests >= leastLoad {
		return fmt.Errorf("%s counted %d requests, and %d connections that carried one; next: make down, then %s", lowNginx,
			c.requests, c.used, startLab)
	}
	return nil
}

// firstsAfter returns the part of the log of the connections' first requests that begins there.
func firstsAfter(log string, from int64) ([]byte, error) {
	f, err := rooted.OpenLog(log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, mostLog)
	n, _ := f.ReadAt(text, from) // usually ends with io.EOF
	return text[:n], nil
}

// mostLog limits how much of the log is read: 50 bytes a connection.
const mostLog = 4 << 20

// ideal returns how many connections that many requests need, used one after the other.
func (c counted) ideal(limit int) int64 { return (c.requests + int64(limit) - 1) / int64(limit) }

// How many requests the exercises keep in flight, and what the backend may see of them. A reading
// every few milliseconds can miss the moment in which all fifty are there, and Go's transport may
// hold back some of them for a moment, so the bounds are wide; they exclude one, six and five hundred.
const (
	inFlightAsked = 50
	inFlightLeast = 30
	inFlightMost  = 60
	// inFlightEvery is the interval between readings; the exercises' requests take longer.
	inFlightEvery = 4 * time.Millisecond
)

// seen is what the backend counted while a program ran.
type seen struct {
	peak  int64 // the most requests in flight
	ticks []tick

	first, last backendPage
}

// watchInFlight reads how many requests the backend is handling, and how many it has received, until the
// returned function is called. The backend counts them, so a program can't claim it.
func (d *Desk) watchInFlight(ctx context.Context) func() seen {
	ctx, stop := context.WithCancel(ctx)
	all := make(chan seen, 1)
	url := "http://" + d.topology(lowNginx).BackendServer().Counters + "/ledger.json"
	transport := &http.Transport{} // no proxy
	client := &http.Client{Transport: transport, Timeout: time.Second}
	before, _ := backendNow(ctx, client, url)
	go func() {
		defer transport.CloseIdleConnections()
		every := time.NewTicker(inFlightEvery)
		defer every.Stop()
		s := seen{first: before}
		for {
			select {
			case <-ctx.Done():
				if p, ok := backendNow(context.WithoutCancel(ctx), client, url); ok {
					s.last = p
				}
				all <- s
				return
			case <-every.C:
				if p, ok := backendNow(ctx, client, url); ok {
					s.peak, s.ticks, s.last = max(s.peak, p.Open), append(s.ticks, tick{time.Now(), p.received()}), p
				}
			}
		}
	}()
	return func() seen {
		stop()
		return <-all
	}
}

// backendPage has the fields of the backend's ledger.json that the checks use.
type backendPage struct {
	Open     int64 `json:"open_streams"`
	Posted   int64 `json:"posted"`
	Requests struct {
		H1 int64 `json:"h1"`
		H2 int64 `json:"h2"`
	} `json:"requests"`
}

func (p backendPage) received() int64 { return p.Requests.H1 + p.Requests.H2 }

// backendNow reads the backend's ledger. If it never answers, no request is seen in flight: a check that needs the
// number fails then, and never passes.
func backendNow(ctx context.Context, client *http.Client, url string) (page backendPage, ok bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return page, false
	}
	res, err := client.Do(req)
	if err != nil {
		return page, false
	}
	defer func() { _ = res.Body.Close() }()
	return page, json.NewDecoder(res.Body).Decode(&page) == nil
}

// A program with a pool for each of its fifty workers opens fifty connections and dials once for each, whatever its
// transport does: it has no stampede and loses nothing, for the wrong reason. So the checks count how many connections
// carry requests at the same time. nginx logs when a connection has answered its first request, and the backend counts
// requests. The connections of one pool follow each other: a next one is used when limit requests have been answered.

// atOnceMost is how many connections may carry requests at the same time: one pool has two of them during a renewal,
// a program with two pools has four, and the readings are some milliseconds apart.
const atOnceMost = 5

// tick is how many requests the backend had received at a time.
type tick struct {
	at       time.Time
	requests int64
}

// firstRequests reads the times in nginx's log of the connections' first requests. It skips what is no line of it.
func firstRequests(log []byte) []time.Time {
	var out []time.Time
	for line := range bytes.Lines(log) {
		stamp, _, cut := bytes.Cut(line, []byte(" "))
		whole := cut && bytes.HasSuffix(line, []byte("\n"))
		if s, err := strconv.ParseFloat(string(stamp), 64); err == nil && whole {
			out = append(out, time.UnixMilli(int64(s*1000)))
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Before(out[j]) })
	return out
}

// atOnce returns a lower bound of the number of connections that carried requests at the same time. In one pool a next
// connection begins when the one before has carried limit requests. atOnce counts the connections that begin earlier.
func atOnce(first []time.Time, ticks []tick, limit int) int64 {
	most, least := 0.0, 0.0
	for i, at := range first {
		ahead := float64(i) - requestsUntil(ticks, at)/float64(limit)
		if i == 0 || ahead < least {
			least = ahead
		}
		most = max(most, ahead-least+1)
	}
	return int64(most + 0.5)
}

// requestsUntil returns how many requests the backend had received at a time, between two readings in proportion.
func requestsUntil(ticks []tick, at time.Time) float64 {
	after := sort.Search(len(ticks), func(i int) bool { return ticks[i].at.After(at) })
	switch {
	case len(ticks) == 0:
		return 0
	case after == 0:
		return float64(ticks[0].requests)
	case after == len(ticks):
		return float64(ticks[after-1].requests)
	}
	a, b := ticks[after-1], ticks[after]
	share := float64(at.Sub(a.at)) / float64(b.at.Sub(a.at))
	return float64(a.requests) + share*float64(b.requests-a.requests)
}
