package docs

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// The README counts what two pages have.
func TestReadmeCountsServersAndSystems(t *testing.T) {
	systems := regexp.MustCompile(`(?m)^(\d+) systems: `).FindStringSubmatch(labtest.Read(t, "systems.md"))
	readme := regexp.MustCompile(`(\d+) families of servers; .*: (\d+) real systems`).
		FindStringSubmatch(labtest.Read(t, "../README.md"))
	_, rest, _ := strings.Cut(labtest.Read(t, "servers.md"), "| server | requests")
	rows, _, _ := strings.Cut(rest, "\n\n")
	families := strconv.Itoa(strings.Count(rows, "\n| "))
	if systems == nil || readme == nil {
		t.Fatalf("README.md says %q, systems.md %q", readme, systems)
	}
	if readme[1] != families || readme[2] != systems[1] {
		t.Errorf("README.md counts %s families and %s systems, the pages have %s and %s", readme[1], readme[2], families, systems[1])
	}
}
