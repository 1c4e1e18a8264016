//go:build integration

package workshop

import (
	"os"
	"regexp"
	"testing"
	"time"
)

// Runs every command of every page in the order of a learner: the set-up of README.md, the
// chapters, the mishaps that an instructor rehearses, and the commands of README.md for afterwards.
// CHAPTERS is a pattern that selects chapters.
func TestEveryCommandShowsWhatItsPageShows(t *testing.T) {
	r := openRoom(t)
	before, after := readmeCommands(t)
	t.Run("set-up", func(t *testing.T) { r.carryOut(t, before) })
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() { r.run(t, "make down; bin/h2lab mystery --stop\n", time.Minute) })
	pick := regexp.MustCompile(os.Getenv("CHAPTERS"))
	for _, name := range chapterFiles(t) {
		if !pick.MatchString(name) {
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

// readmeCommands returns the commands that begin a workshop and those that end it.
func readmeCommands(t *testing.T) (before, after []command) {
	t.Helper()
	for _, s := range page(t, "README.md") {
		switch {
		case len(s.commands) == 0:
		case s.title == "Set up":
			before = s.commands
		case s.title == "Afterwards":
			after = s.commands
		default:
			t.Fatalf("README.md has commands below %q, and nothing says when they are typed", s.title)
		}
	}
	if len(before) == 0 || len(after) == 0 {
		t.Fatal("README.md lacks the commands of Set up or Afterwards")
	}
	return before, after
}
