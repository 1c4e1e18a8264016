// Package await waits for a while, and for work in other goroutines: work that a context can't
// interrupt, and work whose panics must reach the goroutine that waits.
package await

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"h2lab/internal/base/text"
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

// Panic is a panic of another goroutine, passed on to the one that waits for it.
// Go ends the program at a panic that its own goroutine doesn't recover, without
// a chance to stop servers or to print one line.
type Panic struct {
	Value any
	Where string // function, file and line of this project
}

func (p *Panic) String() string { return fmt.Sprint(p.Value) }

// Caught is the panic that its caller recovered, called by a deferred function; nil for none.
func Caught(recovered any) *Panic {
	switch p := recovered.(type) {
	case nil:
		return nil
	case *Panic:
		return p
	}
	return &Panic{Value: recovered, Where: panicked()}
}

// panicked is the function and line of this project that panicked, as seen
// from a function that is deferred while it does.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for after := false; ; {
		f, more := frames.Next()
		if after && (strings.HasPrefix(f.Function, "main.") || strings.HasPrefix(f.Function, "h2lab/")) {
			return fmt.Sprintf("%s, %s:%d", f.Function, filepath.Base(f.File), f.Line)
		}
		after = after || strings.HasPrefix(f.Function, "runtime.") && strings.Contains(f.Function, "panic")
		if !more {
			return "an unknown place"
		}
	}
}

// Group is a sync.WaitGroup whose Wait passes a panic of its goroutines on.
type Group struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	panic *Panic
}

// Go runs work in a goroutine.
func (g *Group) Go(work func()) {
	g.wait.Go(func() {
		defer func() {
			if p := Caught(recover()); p != nil {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.panic = p
			}
		}()
		work()
	})
}

// Wait waits for all of them, and panics when one of them did.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.panic != nil {
		panic(g.panic)
	}
}

// Read reads at most that many bytes of a text: a file, a pipe or stdin (-), as UTF-8. It stops waiting
// for a pipe when the context ends.
func Read(ctx context.Context, name string, most int64) ([]byte, error) {
	data, err := Result(ctx, func() ([]byte, error) {
		f := os.Stdin
		if name != "-" {
			var err error
			if f, err = os.Open(name); err != nil {
				return nil, err
			}
			defer func() { _ = f.Close() }()
		}
		data, err := io.ReadAll(io.LimitReader(f, most))
		return text.FromUTF16(data), err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return data, err
}
