package await

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

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
