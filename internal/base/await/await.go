// Package await waits for work that a context can't interrupt.
package await

import "context"

// Result gives what work returns, or the context's error as soon as it ends: a read of a pipe
// that stays silent can't be interrupted, and the process ends without it.
func Result[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := work()
		done <- answer{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case got := <-done:
		return got.value, got.err
	}
}
