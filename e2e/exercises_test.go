//go:build e2e

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
)

// A learner who didn't export RUNTIME=native has the servers in Docker: the exercises that read counters
// must work there, since their only advice is `make down`, then `make up`.
func TestExercisesThatReadCountersPassWithServersInDocker(t *testing.T) {
	clean(t)
	mine, kept := filepath.Join(root(t), "workshop"), filepath.Join(root(t), "var", "workshop.kept")
	labtest.Check(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	if err := os.Rename(mine, kept); err == nil {
		t.Cleanup(func() {
			if err := os.Rename(kept, mine); err != nil {
				t.Error(err)
			}
		})
	} else if !os.IsNotExist(err) {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(mine) })
	for _, args := range [][]string{{"workshop"}, {"up", "FOR=learner", "RUNTIME=docker"}} {
		if status := run(t, "make", args...); status != 0 {
			t.Fatalf("make %q: exit status %d", args, status)
		}
	}
	for _, exercise := range []struct{ step, file string }{
		{"2", "02/count.sh"}, {"3", "03/load.js"}, {"5", "05/main.go"},
	} {
		answer, err := os.ReadFile(filepath.Join(root(t), "docs", "workshop", "solutions", exercise.file))
		labtest.Check(t, err)
		labtest.Write(t, filepath.Join(mine, exercise.file), string(answer))
		if status := run(t, "make", "step", "N="+exercise.step); status != 0 {
			t.Errorf("exercise %s with its answer: exit status %d", exercise.step, status)
		}
	}
	if status := run(t, "make", "down"); status != 0 {
		t.Errorf("make down: exit status %d", status)
	}
	nothingIsLeft(t)
}
