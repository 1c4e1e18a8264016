package await

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAnInterruptDoesNotWaitForTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	cancel()
	if got, err := Result(ctx, func() (int, error) { <-never; return 7, nil }); got != 0 || !errors.Is(err,
		context.Canceled) {
		t.Errorf("%d, %v", got, err)
	}
	failure := errors.New("failed")
	if got, err := Result(t.Context(), func() (int, error) { return 7, failure }); got != 7 || !errors.Is(err,
		failure) {
		t.Errorf("%d, %v", got, err)
	}
}

// caught runs f and gives the panic that reached its caller.
func caught(f func()) (p *Panic) {
	defer func() { p = Caught(recover()) }()
	f()
	return nil
}

// broken is out of range in a way that no compiler sees.
func broken() { _ = []int{}[len(caughtName)] }

const caughtName = "x"

func TestAPanicOfAnotherGoroutineReachesTheOneThatWaits(t *testing.T) {
	for name, f := range map[string]func(){
		"Result": func() { _, _ = Result(context.Background(), func() (int, error) { broken(); return 1, nil }) },
		"Group": func() {
			var g Group
			g.Go(func() {})
			g.Go(broken)
			g.Wait()
		},
		"the same goroutine": broken,
	} {
		p := caught(f)
		if p == nil || !strings.Contains(p.String(), "out of range") || !strings.Contains(p.Where, "broken, await_test.go:") {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if p := caught(func() { var g Group; g.Go(func() {}); g.Wait() }); p != nil {
		t.Errorf("a group that did not panic: %v", p)
	}
}
