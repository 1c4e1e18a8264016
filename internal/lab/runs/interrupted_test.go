package runs

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/plan"
)

// An interrupt ends the programs that are asked for their versions, so their failure is no reason to install them again.
func TestAnInterruptIsNoMissingRequirement(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	l := &Lab{Root: t.TempDir(), Messages: &out}
	m := &clientsRun{lacks: map[facts.Client]string{}}
	e := clients.Ecosystem{Name: "java"}
	if err := m.unsupported(ctx, l, e, "mvn -q --version: context canceled", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s := &servers{unsupported: map[string]string{}}
	if can := l.supported(ctx, s, plan.Topologies(1000)); len(can) > 0 || len(s.unsupported) > 0 {
		t.Errorf("%v, unsupported %v", can, s.unsupported)
	}
	if out.Len() > 0 {
		t.Errorf("an interrupt printed %s", &out)
	}
}
