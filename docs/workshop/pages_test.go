package workshop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// rows returns the cells of a page's table rows, without the headers.
func rows(page string) [][]string {
	var out [][]string
	inTable := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "|:--"):
			inTable = true
		case inTable:
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			out = append(out, cells)
		}
	}
	return out
}

// below is the part of a page between two texts.
func below(t *testing.T, name, from, to string) string {
	t.Helper()
	_, part, found := strings.Cut(labtest.Read(t, name), from)
	if !found {
		t.Fatalf("%s has no %q", name, from)
	}
	part, _, _ = strings.Cut(part, to)
	return part
}

// The instructor's plan and the slides' notes have the times of the 90-minute route.
func TestTheInstructorsPlanIsTheRoute(t *testing.T) {
	legs := leg.FindAllStringSubmatch(below(t, "README.md", "### 90 minutes", "\n### "), -1)
	planned := rows(below(t, "instructor.md", "## The 90 minutes", "\n## "))
	if len(legs) != len(planned) || len(legs) == 0 {
		t.Fatalf("%d legs of the route, %d of the plan", len(legs), len(planned))
	}
	slides := labtest.Read(t, "slides.md")
	at := 0
	for i, row := range planned {
		length, _ := strconv.Atoi(legs[i][4])
		if want := fmt.Sprintf("%d–%d", at, at+length); row[0] != want {
			t.Errorf("the plan has %s for %s, the route %s", row[0], row[1], want)
		}
		if name := legs[i][1]; name != "" && !strings.Contains(row[1], name) {
			t.Errorf("the plan has %s where the route has %s", row[1], name)
		}
		if !strings.Contains(slides, fmt.Sprintf("Minute %d.", at)) {
			t.Errorf("no slide says that minute %d begins %s", at, row[1])
		}
		at += length
	}
}

func TestEveryTroubleSaysHowItWasProvoked(t *testing.T) {
	all := rows(labtest.Read(t, "troubleshooting.md"))
	if len(all) < 15 {
		t.Errorf("only %d rows", len(all))
	}
	for _, row := range all {
		if len(row) != 4 || slices.Contains(row, "") {
			t.Errorf("a row without its four cells: %q", row)
		}
	}
}

func TestTheGlossaryIsInOrderAndOfUse(t *testing.T) {
	var chapters strings.Builder
	for _, name := range append(chapterFiles(t), "README.md", "instructor.md") {
		chapters.WriteString(strings.ToLower(labtest.Read(t, name)))
	}
	last := ""
	for _, row := range rows(labtest.Read(t, "glossary.md")) {
		word := strings.ToLower(row[0])
		if word < last {
			t.Errorf("%q stands behind %q", word, last)
		}
		last = word
		first, _, _ := strings.Cut(word, ",")
		stem := strings.NewReplacer("-", " ").Replace(strings.TrimSuffix(first, "able"))
		if !strings.Contains(strings.ReplaceAll(chapters.String(), "-", " "), stem) {
			t.Errorf("no chapter speaks of %q", first)
		}
	}
}
