package nginxconf

import (
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

// Debian's modules-enabled has links to files that load modules: a copy lacks them, and they set nothing.
func TestLinksToModulesAreNoFindings(t *testing.T) {
	for place, want := range map[string]int{"modules-enabled": 0, "extras": 1} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, place), 0o755); err != nil {
			t.Fatal(err)
		}
		labtest.Symlink(t, "/usr/share/nginx/gone/50-mod-mail.conf", filepath.Join(dir, place, "50-mod-mail.conf"))
		name := filepath.Join(dir, "nginx.conf")
		data := []byte("include " + place + "/*.conf;\nevents {}\nhttp { server { listen 80; } }\n")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Lint([]lint.File{{Name: name, Data: data}}, lint.Options{Version: "1.26.0"})
		if err != nil || len(r.Findings) != want {
			t.Errorf("%s: %v %+v", place, err, r.Findings)
		}
	}
}
