package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"h2lab/internal/base/child"
	"h2lab/internal/facts"
)

// script is the file in k6/ for this client, or empty.
func script(c facts.Client) string {
	switch c {
	case facts.K6SharedPool:
		return "shared-pool.js"
	case facts.K6ConnectionPerVU:
		return "connection-per-vu.js"
	}
	return ""
}

// wholeInJavaScript is Number.MAX_SAFE_INTEGER.
const wholeInJavaScript = 1<<53 - 1

// vus is how many VUs the script has, each of which calls the gate.
func vus(job Job) int {
	if job.Client == facts.K6SharedPool {
		return job.Workload.Pools
	}
	return job.Workload.Concurrency
}

// runK6 runs a script of k6/, synchronized by a gate.
func runK6(ctx context.Context, job Job, hooks Hooks, p patience) (_ Answer, err error) {
	g, err := openGate(vus(job))
	if err != nil {
		return Answer{}, err
	}
	defer g.close()
	home, err := os.MkdirTemp(job.Dir, "k6-")
	if err != nil {
		return Answer{}, fmt.Errorf("a scratch folder for it: %w", err)
	}
	defer os.RemoveAll(home)
	env, err := k6Env(job, g.url, home)
	if err != nil {
		return Answer{}, err
	}
	printed := &child.Tail{} // k6 prints nothing to stdout here, but a Tail bounds it anyway
	c, err := job.start(k6Args(job), env, nil, printed)
	if err != nil {
		return Answer{}, err
	}
	defer c.stop(p.stop)
	hooks.Started(c.PID)

	warm := p.start + seconds(job.Workload.WarmupS) + p.slack
	if err := c.await(ctx, g.warm.full, warm, g.warm.progress); err != nil {
		return Answer{}, err
	}
	if err := hooks.Warm(ctx); err != nil {
		return Answer{}, err
	}
	g.warm.open()
	if err := c.await(ctx, g.done.full, seconds(job.Workload.DurationS)+p.slack, g.done.progress); err != nil {
		return Answer{}, err
	}
	if err := hooks.Done(ctx); err != nil {
		return Answer{}, err
	}
	g.done.open()
	if err := c.await(ctx, g.told.full, p.end, g.told.progress); err != nil {
		return Answer{}, err
	}
	if err := c.finish(ctx, p.end); err != nil {
		return Answer{}, err
	}
	return mergeTallies(g.tallies(), job.Protocol)
}

// k6Args disable all of k6 but the script: no usage report, no listener (its REST API would use
// port 6565), no summary, which the gate replaces.
func k6Args(job Job) []string {
	return []string{job.K6, "run", "--quiet", "--no-color", "--no-usage-report", "--no-thresholds",
		"--summary-mode=disabled", "--address", "", filepath.Join(job.K6Scripts, script(job.Client))}
}

// k6Env is k6's whole environment. Its home is an empty folder, so that a user's own configuration
// and K6_ variables don't reach it, and it trusts only the lab's CA (crypto/x509 reads both
// variables).
func k6Env(job Job, gate, home string) ([]string, error) {
	ca, err := filepath.Abs(job.CA)
	if err != nil {
		return nil, fmt.Errorf("the path of %s: %w", job.CA, err)
	}
	if _, err := os.Stat(ca); err != nil {
		return nil, fmt.Errorf("the lab's certificate authority: %w; make it with: make certs", err)
	}
	w := job.Workload
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"SSL_CERT_FILE=" + ca, "SSL_CERT_DIR=" + home,
		"GATE=" + gate, "TARGET=" + job.target(), "STATUS_URL=" + job.StatusURL,
		"TOPOLOGY=" + job.Topology, "PROTOCOL=" + string(job.Protocol), "LIMIT=" + strconv.Itoa(job.Limit),
		"METHOD=" + w.Method, "BODY=" + strconv.Itoa(w.BodyBytes), "TLS=" + w.MaxTLS, "NONCE=" + job.Nonce,
		"CONCURRENCY=" + strconv.Itoa(w.Concurrency), "POOLS=" + strconv.Itoa(w.Pools),
		"THINK=" + strconv.Itoa(w.ThinkMS), "DELAY=" + strconv.Itoa(w.DelayMS),
		fmt.Sprintf("WARMUP=%dms", seconds(w.WarmupS).Milliseconds()),
		fmt.Sprintf("DURATION=%dms", seconds(w.DurationS).Milliseconds()),
	}
	if w.RatePerS > 0 {
		env = append(env, "RATE="+strconv.FormatFloat(w.RatePerS, 'f', -1, 64), "ARRIVALS="+string(w.Arrivals),
			"SEED="+strconv.FormatUint(job.Seed&wholeInJavaScript, 10))
	}
	// A seventh of k6's processor time went into garbage collection (pprof): memory is cheaper here
	// than the cores that k6 shares with the servers.
	env = append(env, "GOGC=400")
	if job.Protocol == facts.H1 {
		env = append(env, "GODEBUG=http2client=0") // k6 has no other setting for it (internal/js/runner.go, forceHTTP1)
	}
	return env, nil
}
