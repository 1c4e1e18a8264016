//go:build integration

package nginx_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// needsNewer maps files that nginx before 1.29.4 rejects to its error message.
var needsNewer = map[string]string{"keepalive-1000-h2-upstream.conf": `unknown directive "http2"`}

func TestNginxFindsEveryFileValid(t *testing.T) {
	files, _ := filepath.Glob("*.conf")
	nginx, root := labtest.Program(t, "nginx"), labtest.Project(t, "nginx", files, "var")
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			said, err := exec.CommandContext(t.Context(), nginx, "-p", root+"/", "-c", "nginx/"+name, "-e", "stderr",
				"-t").CombinedOutput()
			if refusal, may := needsNewer[name]; may && err != nil && strings.Contains(string(said), refusal) {
				return // as it must on nginx before 1.29.4
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for line := range strings.Lines(string(said)) {
				if strings.Contains(line, "[") &&
					!strings.Contains(line, `"listen ... http2" directive is deprecated`) {
					t.Errorf("nginx complains: %s", line)
				}
			}
		})
	}
}
