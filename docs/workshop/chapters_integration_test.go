//go:build integration

package workshop

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proved"
)

// Runs every command of every page in the order of a learner: the set-up of README.md, the
// chapters, the mishaps that an instructor rehearses, and the commands of README.md for afterwards.
// Where nothing that a page shows has changed since all passed, the chapters are those of the shortest route.
// CHAPTERS is a pattern that selects chapters, ROUTE the minutes of a route; SANDBOX=container runs them in
// the lab container.
func TestEveryCommandShowsWhatItsPageShows(t *testing.T) {
	r := openSandbox(t)
	before, after := readmeCommands(t)
	t.Run("set-up", func(t *testing.T) { r.carryOut(t, before) })
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() { r.run(t, "make down; bin/h2lab mystery --stop\n", time.Minute) })
	pick, route := regexp.MustCompile(os.Getenv("CHAPTERS")), routeChapters(t, dueRoute(t))
	for _, name := range chapterFiles(t) {
		if !pick.MatchString(name) || !slices.Contains(route, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var all []command
			for _, s := range page(t, name) {
				all = append(all, s.commands...)
			}
			if len(all) == 0 {
				t.Fatal("a chapter in which nothing is done")
			}
			r.carryOut(t, all)
		})
	}
	t.Run("troubleshooting.md", func(t *testing.T) {
		for _, s := range page(t, "troubleshooting.md") {
			if s.title == "Rehearse" {
				r.carryOut(t, s.commands)
			}
		}
	})
	t.Run("afterwards", func(t *testing.T) { r.carryOut(t, after) })
}

// dueRoute is ROUTE; without one, all chapters, or the shortest route where they are proved.
func dueRoute(t *testing.T) string {
	t.Helper()
	if route := os.Getenv("ROUTE"); route != "" || os.Getenv("CHAPTERS") != "" {
		return route
	}
	p := proved.Open(t, labtest.Root(t), "workshop")
	if p.Whole("chapters", "docs/workshop", "cmd/h2lab", "internal/workshop") {
		return ""
	}
	t.Log("nothing that the chapters show has changed since all passed: the route of 45 minutes runs; FULL=1 runs all")
	return "45"
}

// routeChapters returns the chapters of a route of README.md, or all of them.
func routeChapters(t *testing.T, minutes string) (names []string) {
	t.Helper()
	if minutes == "" {
		return chapterFiles(t)
	}
	for _, row := range leg.FindAllStringSubmatch(below(t, "README.md", "### "+minutes+" minutes", "\n##"), -1) {
		if row[1] != "" {
			names = append(names, row[1])
		}
	}
	return names
}
