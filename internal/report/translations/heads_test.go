package translations

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// unit matches a head that is the same in Chinese.
var unit = regexp.MustCompile(`^(?:p\d+ ms|req/s|h2/h1|p99/h1|)$`)

func TestTheHeadsOfTerminalTablesAreTranslated(t *testing.T) {
	files, _ := filepath.Glob("../*/short.go")
	found := 0
	for _, file := range files {
		for _, list := range regexp.MustCompile(`Heads: +\[\]string\{([^}]*)\}`).FindAllStringSubmatch(labtest.Read(t, file), -1) {
			found++
			for _, m := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(list[1], -1) {
				if head := m[1]; !unit.MatchString(head) && Chinese.Head(head) == head {
					t.Errorf("%s: the head %q isn't translated", strings.TrimPrefix(file, "../"), head)
				}
			}
		}
	}
	if found < 2 {
		t.Fatalf("only %d tables found: the search is broken", found)
	}
}
