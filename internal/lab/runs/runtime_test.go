package runs

import (
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/plan"
)

// A learner exports RUNTIME=native in one terminal and forgets it in the next: `make down; make up` there
// must not start the servers in another runtime.
func TestUpWithoutARuntimeTakesTheOneOfTheLastUp(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no docker: the choice must not depend on one
	for _, c := range []struct{ stored, asked, want string }{
		{"native\n", Auto, Native},
		{"docker\n", Native, Native},
		{"docker\n", Auto, Native}, // its engine is gone
		{"docker", "", ""},
		{"", Auto, Native},
		{"podman\n", Auto, Native},
		{"pod\n", Auto, Native},
	} {
		l := &Lab{Root: t.TempDir()}
		labtest.Check(t, os.Mkdir(filepath.Join(l.Root, "var"), 0o755))
		labtest.Write(t, filepath.Join(l.Root, runtimeFile), c.stored)
		got, _, err := l.runtimeOfUp(t.Context(), c.asked, plan.Knobs{CPUs: "none"})
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("RUNTIME=%s after %q: %q, %v; want %q", c.asked, c.stored, got, err, c.want)
		}
	}
}

func TestTheReasonNamesTheLastUp(t *testing.T) {
	l := &Lab{Root: t.TempDir()}
	labtest.Check(t, os.Mkdir(filepath.Join(l.Root, "var"), 0o755))
	l.remember(Native)
	if got, why, err := l.runtimeOfUp(t.Context(), Auto, plan.Knobs{CPUs: "none"}); got != Native || err != nil ||
		why != "auto: the last `up` with RUNTIME had it; RUNTIME changes it" {
		t.Errorf("%q, %q, %v", got, why, err)
	}
	l = &Lab{Root: filepath.Join(t.TempDir(), "gone")}
	l.remember(Native) // it can't be stored, and `up` works
}
