package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	exercises "h2lab/internal/workshop"
)

// parts are the headings of every chapter, in this order.
var parts = []string{"Questions", "Objectives", "Minutes", "Predict", "Do", "Result", "Why", "Try", "Next"}

// mostLines is the greatest length of a chapter.
const mostLines = 200

// chapterFiles returns the chapters, in order.
func chapterFiles(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("[0-9][0-9]-*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("no chapters: %v", err)
	}
	return found
}

// pages returns all pages of the workshop in this directory.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	return found
}

func TestEveryChapterHasItsParts(t *testing.T) {
	for i, name := range chapterFiles(t) {
		if !strings.HasPrefix(name, fmt.Sprintf("%02d-", i)) {
			t.Errorf("%s stands in the place of chapter %d", name, i)
		}
		var titles []string
		sections := page(t, name)
		for _, s := range sections[1:] {
			titles = append(titles, s.title)
			if strings.TrimSpace(s.text) == "" {
				t.Errorf("%s: nothing below %q", name, s.title)
			}
		}
		if !slices.Equal(titles, parts) {
			t.Errorf("%s has the parts %q, want %q", name, titles, parts)
		}
		if !strings.HasPrefix(sections[0].text, fmt.Sprintf("# %02d · ", i)) {
			t.Errorf("%s doesn't begin with its number", name)
		}
		if n := strings.Count(labtest.Read(t, name), "\n"); n > mostLines {
			t.Errorf("%s has %d lines, more than %d", name, n, mostLines)
		}
		if !source.MatchString(part(t, name, "Why").text) {
			t.Errorf("%s: its Why names no source", name)
		}
		if all := chapterFiles(t); i+1 < len(all) && !strings.Contains(part(t, name, "Next").text, "("+all[i+1]+")") {
			t.Errorf("%s doesn't lead to %s", name, all[i+1])
		}
		if !strings.Contains(below(t, "README.md", "### 240 minutes", "\n## "), "("+name+") | whole |") {
			t.Errorf("%s isn't whole in the longest route", name)
		}
	}
}

// part returns a part of a chapter by its title.
func part(t *testing.T, name, title string) section {
	t.Helper()
	for _, s := range page(t, name) {
		if s.title == title {
			return s
		}
	}
	return section{}
}

// source matches a reference that a reader can look up: an RFC's section, a function or file of a
// server or client, an issue.
var source = regexp.MustCompile(`RFC \d+ §[\d.]+|\bngx_[a-z0-9_]+|[a-z]+/[a-z]+#\d+|` + "`" + `[a-zA-Z0-9_]+` + "`" +
	`,? \(?(?:in |[a-z/]+\.go)|\.(?:go|cc|c|js|proto)\b`)

func TestEveryChapterChecksItsExercise(t *testing.T) {
	for i, name := range chapterFiles(t) {
		try := part(t, name, "Try").text
		if i == 0 && strings.Contains(try, "make step") {
			t.Errorf("%s: its Try has a check, and there is no exercise 0", name)
		}
		if i > 0 && !strings.Contains(try, fmt.Sprintf("make step N=%d\n", i)) {
			t.Errorf("%s: its Try doesn't end with make step N=%d", name, i)
		}
		if !strings.Contains(part(t, name, "Predict").text, "Write down") {
			t.Errorf("%s: its Predict doesn't ask to write something down", name)
		}
	}
}

// The minutes of a chapter, as its page gives them.
type minutes struct{ teaching, typing, exercise, machine int }

var minutesLine = regexp.MustCompile(`^\s*Teaching (\d+), typing (\d+), exercise (\d+), machine (\d+)\.\s*$`)

func chapterMinutes(t *testing.T, name string) minutes {
	t.Helper()
	m := minutesLine.FindStringSubmatch(part(t, name, "Minutes").text)
	if m == nil {
		t.Fatalf("%s: its minutes are not: Teaching 5, typing 2, exercise 6, machine 1.", name)
	}
	n := func(s string) int { v, _ := strconv.Atoi(s); return v }
	return minutes{n(m[1]), n(m[2]), n(m[3]), n(m[4])}
}

// aMinute is how many characters of commands a learner types in a minute: 40 words of five characters.
const aMinute = 200

func TestMinutesIncludeTyping(t *testing.T) {
	for _, name := range chapterFiles(t) {
		n := 0
		for _, s := range page(t, name) {
			for _, c := range s.commands {
				n += len(c.text) + 1
			}
		}
		if m := chapterMinutes(t, name); m.typing*aMinute < n || m.typing < 2 {
			t.Errorf("%s has %d characters to type in %d minutes", name, n, m.typing)
		}
	}
}

// route is a table of README.md; its title gives its duration.
var routeTitle = regexp.MustCompile(`(?m)^### (\d+) minutes`)

// leg is a row of a route.
var leg = regexp.MustCompile(`(?m)^\| (?:\[[^\]]+\]\(([^)]+)\)|([a-z-]+)) \| (whole|shown|–) \| (\d+) \|$`)

func TestMinutesAddUpToTheRoutes(t *testing.T) {
	readme := labtest.Read(t, "README.md")
	titles := routeTitle.FindAllStringSubmatchIndex(readme, -1)
	for i, at := range titles {
		end := len(readme)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		promised, _ := strconv.Atoi(readme[at[2]:at[3]])
		sum := 0
		for _, row := range leg.FindAllStringSubmatch(readme[at[1]:end], -1) {
			n, _ := strconv.Atoi(row[4])
			sum += n
			if row[1] == "" {
				continue
			}
			m := chapterMinutes(t, row[1])
			want := m.teaching + m.machine
			if row[3] == "whole" {
				want += m.typing + m.exercise
			}
			if n != want {
				t.Errorf("the route of %d minutes gives %s (%s) %d, its page %d", promised, row[1], row[3], n, want)
			}
		}
		if sum != promised {
			t.Errorf("the route of %d minutes has legs of %d", promised, sum)
		}
	}
	if len(titles) != 3 {
		t.Errorf("%d routes, want those of 45, 90 and 240 minutes", len(titles))
	}
}

func TestEachExerciseHasItsChapterAndItsFiles(t *testing.T) {
	chapters := chapterFiles(t)
	all := exercises.Exercises
	if len(all) != len(chapters)-1 {
		t.Errorf("%d exercises, %d chapters with chapter 0, which has none", len(all), len(chapters))
	}
	for _, e := range all {
		name := fmt.Sprintf("%02d-%s.md", e.Number, e.Name)
		if !slices.Contains(chapters, name) {
			t.Errorf("exercise %d has no chapter %s", e.Number, name)
			continue
		}
		for _, file := range e.Files {
			dir := fmt.Sprintf("%02d", e.Number)
			if !strings.Contains(part(t, name, "Try").text, "workshop/"+dir+"/"+file) {
				t.Errorf("%s: its Try doesn't name workshop/%s/%s", name, dir, file)
			}
			for _, kind := range []string{"start", "solutions"} {
				if _, err := os.Stat(filepath.Join(kind, dir, file)); err != nil {
					t.Errorf("%s has no %s/%s of exercise %d", kind, dir, file, e.Number)
				}
			}
		}
	}
}

// No chapter contains a solution: lines of a solution that aren't in the learner's first files must
// not be in its chapter.
func TestNoChapterHasItsSolution(t *testing.T) {
	for _, e := range exercises.Exercises {
		dir := fmt.Sprintf("%02d", e.Number)
		for _, file := range e.Files {
			if strings.HasSuffix(file, ".txt") || strings.HasSuffix(file, ".md") {
				continue // text, not lines of a program
			}
			begun := labtest.Read(t, filepath.Join("start", dir, file))
			for line := range strings.Lines(labtest.Read(t, filepath.Join("solutions", dir, file))) {
				line = strings.TrimSpace(line)
				if len(line) < 12 || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") ||
					strings.Contains(begun, line) {
					continue
				}
				if name := fmt.Sprintf("%02d-%s.md", e.Number, e.Name); strings.Contains(labtest.Read(t, name), line) {
					t.Errorf("%s has a line of its solution: %s", name, line)
				}
			}
		}
	}
}
