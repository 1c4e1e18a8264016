//go:build unix

package labtest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Other tests of a package start programs at the same time.
func TestAWrittenProgramCanBeStarted(t *testing.T) {
	dir := t.TempDir()
	var stop atomic.Bool
	program := "#!/bin/sh\nexit\n" + strings.Repeat("#", 1<<20) // written slowly enough for a fork in between
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for !stop.Load() {
				_ = exec.Command("true").Run()
			}
		})
	}
	for i := range 100 {
		path := filepath.Join(dir, fmt.Sprint(i))
		WriteProgram(t, path, program)
		if err := exec.Command(path).Run(); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	others.Wait()
}
