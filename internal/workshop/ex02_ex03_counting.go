package workshop

import (
	"context"
	"crypto/tls"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
)

const countScript = "count.sh"

// scriptTime limits one run of the script.
const scriptTime = 3 * time.Second

// opening is how many connections the check opens between two runs.
type opening struct{ used, unused int64 }

func (o opening) all() int64 { return o.used + o.unused }

// checkCounting: count connections where the server accepts them.
func checkCounting(ctx context.Context, d *Desk) (Finding, error) {
	// Each opening has used and unused connections, always more unused than used ones.
	n := func() int64 { return 2 + rand.Int64N(6) }
	a, b := opening{used: n()}, opening{used: n()}
	a.unused, b.unused = a.used+n(), b.used+n()
	steps := []opening{a, {}, b}
	first, f, err := d.countOnce(ctx)
	if err != nil || f.State != Done {
		return f, err
	}
	printed := []int64{first}
	for _, o := range steps {
		if err := d.connect(ctx, o); err != nil {
			return Finding{}, err
		}
		now, f, err := d.countOnce(ctx)
		if err != nil || f.State != Done {
			return f, err
		}
		printed = append(printed, now)
	}
	accepted, err := d.acceptedByLow(ctx) // a reading is a connection, so it comes last
	if err != nil {
		return Finding{}, err
	}
	return judgeReadings(steps, printed, accepted), nil
}

// judgeReadings compares what the script printed before the first opening and after each with what the server accepted.
func judgeReadings(steps []opening, printed []int64, accepted int64) Finding {
	if f := judgeCount(printed[0], math.MaxInt64); f.State != Done {
		return f
	}
	var moved []int64
	for i := range steps {
		moved = append(moved, printed[i+1]-printed[i])
	}
	found := judgeCounting(steps, moved)
	if found.State != Done {
		return found
	}
	if f := judgeCount(printed[len(steps)], accepted); f.State != Done {
		return f
	}
	return found
}

// acceptedByLow returns how many connections nginx-low has accepted.
func (d *Desk) acceptedByLow(ctx context.Context) (int64, error) {
	src, err := counters.Open(d.Root, d.topology(lowNginx).Front())
	if err != nil {
		return 0, err
	}
	defer src.Close()
	o, err := src.Observe(ctx)
	return o.Raw["accepts"], err
}

// judgeCount compares a number of connections with the server's own, from a moment later.
func judgeCount(printed, accepted int64) Finding {
	name := shown(2, countScript)
	return first(
		rule{printed < 0, "impossible", facts.T("workshop.below-zero", name, printed)},
		rule{printed > accepted, "impossible",
			facts.T("workshop.more-than-accepted", name, printed, lowNginx, accepted)},
	)
}

// judgeCounting compares how the script's number changed with what the check opened.
func judgeCounting(steps []opening, moved []int64) Finding {
	still, used, more := true, true, moved[0]-steps[0].all()
	same := true
	for i, o := range steps {
		still = still && moved[i] == 0
		used = used && moved[i] == o.used
		same = same && moved[i]-o.all() == more
	}
	opened := facts.T("workshop.opened", steps[0].all(), steps[1].all(), steps[2].all())
	both := facts.T("workshop.both", opened, facts.T("workshop.moved", moved[0], moved[1], moved[2]))
	return first(
		rule{same && more == 0, Done, both},
		rule{still, "stands-still", facts.T("workshop.stayed", opened)},
		rule{used, "used-only", facts.T("workshop.those-used", both)},
		rule{same && more > 0, "own-readings", facts.T("workshop.each-run-adds", both, shown(2, countScript), more)},
		rule{true, "another-number", both},
	)
}

// countOnce runs the learner's script.
func (d *Desk) countOnce(ctx context.Context) (int64, Finding, error) {
	out, err := task{dir: d.Root, argv: []string{"sh", d.path(2, countScript)}, within: scriptTime}.run(ctx)
	if err != nil {
		return 0, Finding{}, err
	}
	n, f := readCount(out)
	return n, f, nil
}

// readCount reads the one whole number that a script printed.
func readCount(out outcome) (int64, Finding) {
	name, said := shown(2, countScript), strings.TrimSpace(out.stdout)
	n, err := strconv.ParseInt(said, 10, 64)
	return n, first(
		rule{out.late, "fails", facts.T("workshop.no-end", name, scriptTime)},
		rule{out.status < 0, "fails", facts.T("workshop.signal", name, out.lastWords())},
		rule{out.status != 0, "fails", facts.T("workshop.status", name, out.status, out.lastWords())},
		rule{err != nil, "words", facts.T("workshop.no-whole-number", name, clip(said))},
	)
}

// connect opens connections to nginx-low, sends a request on some of them, and closes all.
func (d *Desk) connect(ctx context.Context, o opening) error {
	pool, err := d.roots()
	if err != nil {
		return err
	}
	dialer := tls.Dialer{
		NetDialer: &net.Dialer{Timeout: time.Second},
		Config:    &tls.Config{RootCAs: pool, NextProtos: []string{"http/1.1"}},
	}
	for i := range o.all() {
		c, err := dialer.DialContext(ctx, "tcp", d.topology(lowNginx).Front().Front)
		if err != nil {
			return err
		}
		_ = c.SetDeadline(time.Now().Add(2 * time.Second))
		if i < o.used {
			_, err = io.WriteString(c, "GET /lab/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			if err == nil {
				_, err = io.Copy(io.Discard, c)
			}
		}
		_ = c.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

const loadScript = "load.js"

const (
	loadTime     = 10 * time.Second
	leastLoad    = 500
	stampedeFrom = 5 // times as many accepted as used
)

// checkK6: a script that shows the stampede.
func checkK6(ctx context.Context, d *Desk) (Finding, error) {
	tools, err := native.FindTools(ctx, d.Root, "k6")
	if err != nil {
		return Finding{}, err
	}
	load := task{
		dir: d.Root, within: loadTime,
		env: []string{"SSL_CERT_FILE=" + filepath.Join(d.Root, caFile),
			"TARGET=https://" + d.topology(lowNginx).Front().Front + "/echo?ms=5",
			"K6_NO_USAGE_REPORT=true"},
		argv: []string{tools["k6"], "run", "--quiet", "--no-color", "--no-usage-report", "--address", "",
			d.path(3, loadScript)},
	}
	out, c, err := d.metered(ctx, func() (outcome, error) { return load.run(ctx) })
	if err != nil {
		return Finding{}, err
	}
	return judgeK6(out, c), nil
}

// k6Ran reports whether k6 carried out a script. A stampede may well cross a threshold that the learner set (99), and a
// script may end itself (108, exec.test.abort): k6's own exit codes, errext/exitcodes in its source.
func k6Ran(status int) bool { return status == 0 || status == 99 || status == 108 }

// judgeK6 compares what the server counted with the figures of a stampede.
func judgeK6(out outcome, c counted) Finding {
	name, stampede := shown(3, loadScript), c.accepted >= stampedeFrom*c.used
	counts := facts.T("workshop.counts", c.requests, c.used, c.accepted)
	return first(slices.Concat([]rule{
		{out.late, "too-long", facts.T("workshop.still-running", name, loadTime)},
		{!k6Ran(out.status), "fails", facts.T("workshop.k6-status", out.status, out.lastWords())},
		{c.requests < leastLoad, "too-few-requests",
			facts.T("workshop.few-requests", name, c.requests, lowNginx, leastLoad)},
	}, c.misused(name), []rule{
		{stampede && c.atOnce > atOnceMost, "many-pools", facts.T("workshop.many-pools", name, c.atOnce)},
		{stampede, Done, counts},
		{2*c.accepted < 3*c.used, "hidden", facts.T("workshop.nothing-wasted", counts)},
		{true, "weak", facts.T("workshop.less-than-times", counts, stampedeFrom)},
	})...)
}
