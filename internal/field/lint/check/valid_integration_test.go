//go:build integration

package check

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

// validators are the programs that check a file, and files that they don't take or take otherwise: what a control plane
// sends, and an empty one of several. HAProxy is one that has the keywords of 3.x.
var validators = map[string]struct {
	program string
	args    []string
	except  []string
}{
	lint.Envoy: {"tools/bin/envoy", []string{"--mode", "validate", "--use-dynamic-base-id", "--log-level", "error", "-c"},
		[]string{"config_dump.json", "resources.yaml"}},
	lint.HAProxy: {"tools/servers/bin/haproxy-current", []string{"-c", "-f"}, []string{"bad-empty.cfg"}},
}

// What the server takes, lint reads, and the server takes the changes that the findings propose: each alone, and all
// together.
func TestTheServersTakeEveryFix(t *testing.T) {
	eachKind(t, func(t *testing.T, k lint.Kind) {
		v, there := validators[k.Name]
		if !there {
			return
		}
		files, dir, fixes := corpus(t, k), scratch(t), 0
		takes := func(t *testing.T, name string, data []byte) error {
			t.Helper()
			path := filepath.Join(dir, filepath.Base(name))
			labtest.Write(t, path, string(data))
			cmd := exec.CommandContext(t.Context(), filepath.Join(labtest.Root(t), v.program), append(slices.Clone(v.args), filepath.Base(path))...)
			cmd.Dir = dir
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Logf("%s: %v: %s", name, err, bytes.TrimSpace(said))
			}
			return err
		}
		for _, f := range files {
			if slices.Contains(v.except, filepath.Base(f.Name)) {
				continue
			}
			r, err := k.Lint([]lint.File{f}, optionsOf(f))
			refused := takes(t, f.Name, f.Data)
			if err != nil && refused == nil {
				t.Errorf("%s is taken, and lint can't read it: %v", f.Name, err)
			}
			if err != nil || refused != nil {
				continue
			}
			for _, found := range r.Findings {
				if found.Found == "" || found.Fix == "" {
					continue
				}
				fixes++
				data := applied(t, f.Data, found)
				if takes(t, f.Name, data) != nil {
					t.Errorf("%s: %q in place of %q is refused", f.Name, found.Fix, found.Found)
				}
				again, err := k.Lint([]lint.File{{Name: f.Name, Data: data}}, optionsOf(f))
				labtest.Check(t, err)
				for _, g := range again.Findings {
					if g.Rule == found.Rule && g.Line == found.Line && g.Why.String() == found.Why.String() {
						t.Errorf("%s: the fix doesn't mend it: %s", f.Name, g.Why)
					}
				}
			}
			if data, _ := mended(t, k, f); takes(t, f.Name, data) != nil {
				t.Errorf("all fixes together are refused:\n%s", data)
			}
		}
		if fixes < 10 {
			t.Errorf("%d fixes were tried: the corpus has more", fixes)
		}
	})
}

// scratch is a directory with certificates at the paths that the corpora name.
func scratch(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	certs := filepath.Join(dir, "certs", "out")
	labtest.Check(t, os.MkdirAll(certs, 0o700))
	labtest.Check(t, os.MkdirAll(filepath.Join(dir, "run"), 0o700))
	cert := labtest.Read(t, labtest.WriteCert(t, certs).File)
	labtest.Write(t, filepath.Join(certs, "ca.crt"), cert)
	labtest.Write(t, filepath.Join(certs, "server.pem"), cert+labtest.Read(t, filepath.Join(certs, "server.key")))
	return dir
}
