package conduct

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// noPids is a site without known processes.
type noPids struct{}

func (noPids) Pids(string) []int { return nil }
func (noPids) Alive() error      { return nil }

func TestATrialWithoutVarIsAnErrorAndNoPanic(t *testing.T) {
	front := facts.Server{
		Name:     "nginx-1000",
		Kind:     facts.Nginx,
		Front:    "127.0.0.1:1",
		Counters: "127.0.0.1:1",
		UsedLog:  "var/nginx-1000.used.log",
	}
	back := facts.Server{Name: "backend", Kind: facts.Backend, Front: "127.0.0.1:1", Counters: "127.0.0.1:1"}
	cell := facts.Planned{Topology: facts.Topology{Name: "nginx-1000", Servers: []facts.Server{front, back}}}
	measure := func(t *testing.T, root string) {
		b := &Bench{Root: root, Site: noPids{}}
		_, err := b.Measure(t.Context(), cell, 1)
		if err == nil || !strings.Contains(err.Error(), "used log of nginx-1000") {
			t.Errorf("error %v, want one that names the log", err)
		}
	}
	f := labtest.NewFaults(t, labtest.Disks)
	f.Try("var/ is removed during a run", func(t *testing.T) { measure(t, t.TempDir()) })
	f.Try("the log of used connections is a directory", func(t *testing.T) {
		root := t.TempDir()
		labtest.Check(t, os.MkdirAll(filepath.Join(root, front.UsedLog), 0o755))
		b := &Bench{Root: root, Site: noPids{}}
		if _, err := b.Measure(t.Context(), cell, 1); err == nil {
			t.Error("no error")
		}
	})
}
