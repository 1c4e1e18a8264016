package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// renewalsAtOnce is the assumed number of clients that renew together, because a load balancer or a
// reload connected them at the same time.
const renewalsAtOnce = 4

var workerConnections = rule{lint.Rule{
	ID: "nginx/worker-connections", Severity: lint.Warning,
	Title: "A few renewals at once fill worker_connections",
	Help: "At each renewal a client may open a connection for every request in flight, and a proxied request holds a " +
		"second one. When a worker runs out, nginx closes idle connections to make room (\"worker_connections are " +
		"not enough\"), which ends healthy HTTP/2 connections too. Raise worker_connections and " +
		"worker_rlimit_nofile.",
	Docs: "https://nginx.org/en/docs/ngx_core_module.html#worker_connections",
}, checkWorkerConnections}

func checkWorkerConnections(c *config, r lint.Rule) []lint.Finding {
	if c.fragment || len(c.h2Places()) == 0 {
		return nil
	}
	each, how := int64(c.inFlight), ""
	if len(c.passes) > 0 {
		each, how = 2*each, ", each with a second one to its upstream"
	}
	have, from := int64(512), "default"
	events := c.top.First("events")
	var d *nginxfile.Directive
	if events != nil {
		if d = events.First("worker_connections"); d != nil {
			n, ok := number(d.Arg(0))
			if !ok { // refused-value reports it
				return nil
			}
			have, from = n, setAt(d.File, d.Line)
		} else if absentIn(c.load)[events] { // it may be set there
			return nil
		}
	}
	limited := false
	for _, p := range c.h2Places() {
		limited = limited || p.limit.Requests != nil && lint.Weigh(*p.limit.Requests, c.streams(p.rules)) != lint.Note
	}
	if !limited || have >= renewalsAtOnce*each {
		return nil
	}
	why := fmt.Sprintf("A worker has %d connections (%s). One renewal with %d in flight can open as many at "+
		"once%s: enough for %d clients' renewals.", have, from, c.inFlight, how, have/each)
	fix := fmt.Sprintf("worker_connections %d;", max(4096, 10*renewalsAtOnce*each))
	switch {
	case d != nil:
		return []lint.Finding{at(r, d, why, fix)}
	case events != nil:
		return []lint.Finding{in(r, events, why, fix)}
	}
	return nil // nginx rejects a main file without events
}
