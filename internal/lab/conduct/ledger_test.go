package conduct

import (
	"testing"

	"h2lab/internal/facts"
)

// nginxSays is a reading of stub_status, which includes the reader's own connection.
func nginxSays(accepts, active int64) facts.Observation {
	accepted := accepts - 1
	return facts.Observation{Accepted: &accepted, Raw: map[string]int64{"accepts": accepts, "active": active}}
}

func TestConnectionsThatEndWithTheirProgramAreNotReplaced(t *testing.T) {
	for _, c := range []struct {
		what                string
		cold, before, after facts.Observation
		used                *int64
		want                *int64
	}{
		{"a client that renews by itself", nginxSays(1, 1), nginxSays(4, 2), nginxSays(30, 2), new(int64(26)), new(int64(26))},
		{"a stampede: most of what was closed was never used", nginxSays(1, 1), nginxSays(4, 2), nginxSays(304, 12),
			new(int64(5)), new(int64(5))},
		{"nothing was closed", nginxSays(1, 1), nginxSays(101, 101), nginxSays(105, 105), new(int64(4)), new(int64(0))},
		{"a tool that is started for each window", nginxSays(1, 1), nginxSays(101, 1), nginxSays(201, 1),
			new(int64(100)), nil},
		{"used isn't counted", nginxSays(1, 1), nginxSays(4, 2), nginxSays(30, 2), nil, nil},
		{"nothing is counted", facts.Observation{}, facts.Observation{}, facts.Observation{}, new(int64(1)), nil},
	} {
		w := window{cold: c.cold, before: c.before, after: c.after,
			cell: facts.Planned{Topology: facts.Topology{Servers: []facts.Server{{Kind: facts.Nginx}}}}}
		got := w.replaced(c.used)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// The connection that a service kept from an earlier trial is no connection left by this one.
func TestAServicesReplacedConnectionsAreKnownThoughItKeptAConnection(t *testing.T) {
	w := window{cold: nginxSays(4, 2), before: nginxSays(4, 2), after: nginxSays(30, 2), cell: through("127.0.0.1:18301")}
	if got := w.replaced(new(int64(26))); got == nil || *got != 26 {
		t.Errorf("replaced %v, want 26", got)
	}
	w.cell.Service = nil
	if got := w.replaced(new(int64(26))); got != nil {
		t.Errorf("a client that left no connection has replaced %d", *got)
	}
}
