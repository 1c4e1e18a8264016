// Package await waits for a while, and for work in other goroutines: work that a context can't
// interrupt, and work whose panics must reach the goroutine that waits.
package await

import (
	"context"
	"time"
)

// Pause waits, or returns the reason of the context's end.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Result returns what work returns, or the context's error as soon as the context ends. A read of a
// pipe without a writer can't be interrupted; the process then ends without it.
func Result[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
		panic *Panic
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			a.panic = Caught(recover())
			done <- a
		}()
		a.value, a.err = work()
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case got := <-done:
		if got.panic != nil {
			panic(got.panic)
		}
		return got.value, got.err
	}
}
