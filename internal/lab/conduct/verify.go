package conduct

import (
	"context"
	"fmt"

	"h2lab/internal/facts"
)

// drainSlack is how many requests beyond its limit a draining front may serve. The probe sends one
// request at a time near the limit, so GOAWAY follows the request that meets it at once.
const drainSlack = 2

// traceable is the largest limit whose renewal is traced: with a larger one the trace would spend
// seconds on the requests before it and show the same frames.
const traceable = 10000

// verify probes every topology that will be measured and fills in the limits. A limit that differs
// from the topology's name ends the run: its results would be under the wrong name.
func verify(ctx context.Context, s Score) error {
	type key struct {
		topology string
		protocol facts.Protocol
	}
	seen := map[key]facts.Limit{}
	for _, c := range s.Result.Cells[:s.first] { // an earlier score has probed the same servers
		if c.Limit.ProbedRequests > 0 {
			seen[key{c.Topology, c.Protocol}] = c.Limit
		}
	}
	for i, p := range s.Cells {
		cell := s.cell(i)
		cell.Limit = facts.Limit{Configured: configured(p.Topology)}
		if cell.Unsupported != "" {
			continue
		}
		k := key{p.Topology.Name, p.Protocol}
		limit, ok := seen[k]
		if !ok {
			s.Progress(Step{What: "verify", Cell: k.topology + "." + string(k.protocol)})
			var err error
			if limit, err = s.Instruments.Limit(ctx, p.Topology, p.Protocol); err != nil {
				return fmt.Errorf("verifying the limit of %s over %s: %w", k.topology, k.protocol, err)
			}
			limit.Configured = configured(p.Topology)
			if err := agrees(p.Topology, p.Protocol, limit); err != nil {
				return err
			}
			seen[k] = limit
		}
		cell.Limit = limit
	}
	return nil
}

func configured(t facts.Topology) *int {
	if t.Limit == 0 {
		return nil
	}
	return &t.Limit
}

// agrees compares the probed limit with the one in the name.
func agrees(t facts.Topology, p facts.Protocol, got facts.Limit) error {
	config := t.Front().Config
	switch {
	case t.Limit == 0 && got.Effective == nil:
		return nil
	case t.Limit == 0:
		return fmt.Errorf("%s should have no limit, but a connection ended after %d requests over %s: look at %s",
			t.Name, *got.Effective, p, config)
	case got.Effective == nil:
		return fmt.Errorf("%s should allow %d requests a connection, but %d were answered on one over %s: look "+
			"at %s in %s",
			t.Name, t.Limit, got.ProbedRequests, p, t.LimitDirective, config)
	}
	slack := 0
	if t.Drains {
		slack = drainSlack
	}
	if *got.Effective < t.Limit || *got.Effective > t.Limit+slack {
		return fmt.Errorf("%s should allow %d requests a connection, but the probe found %d over %s: look at %s "+
			"in %s",
			t.Name, t.Limit, *got.Effective, p, t.LimitDirective, config)
	}
	return nil
}

// renewals traces one renewal on each limited front that is measured over h2.
func renewals(ctx context.Context, s Score) error {
	seen := map[string]bool{}
	for _, r := range s.Result.Renewals {
		seen[r.Topology] = true
	}
	for i, p := range s.Cells {
		t := p.Topology
		if p.Protocol != facts.H2 || t.Limit == 0 || t.Limit > traceable || seen[t.Name] ||
			s.cell(i).Unsupported != "" {
			continue
		}
		seen[t.Name] = true
		r, err := s.Instruments.Renewal(ctx, t)
		if err != nil {
			return fmt.Errorf("tracing a renewal of %s: %w", t.Name, err)
		}
		s.Result.Renewals = append(s.Result.Renewals, r)
	}
	return nil
}
