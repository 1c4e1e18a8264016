package workshop

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// command is a block of commands that a page tells the reader to paste, and the output that the page
// shows below it.
type command struct {
	page  string
	line  int
	text  string
	want  []string
	shown bool // the page shows an output, even if it is empty
}

func (c command) String() string { return fmt.Sprintf("%s:%d: %s", c.page, c.line, c.text) }

// section is a part of a page below a second-level heading.
type section struct {
	title    string
	text     string
	commands []command
}

const anything = "…"

// page reads a page's sections. A ```console block is commands without a prompt, so that it can be
// pasted; a ```text block directly below it is their output.
func page(t *testing.T, name string) []section {
	t.Helper()
	b := labtest.Read(t, name)
	sections, fence := []section{{}}, ""
	var block []string
	below := false // nothing but empty lines since a console block
	for i, line := range strings.Split(b, "\n") {
		last := &sections[len(sections)-1]
		title, heading := strings.CutPrefix(line, "## ")
		switch {
		case fence == "" && heading:
			sections, below = append(sections, section{title: title}), false
			continue
		case fence == "" && strings.HasPrefix(line, "```"):
			fence, block = line, nil
		case fence != "" && line == "```":
			below = last.end(t, fence, block, below, command{page: name, line: i + 1 - len(block)})
			fence = ""
		case fence != "":
			block = append(block, line)
		case line != "":
			below = false
		}
		last.text += line + "\n"
	}
	if fence != "" {
		t.Errorf("%s: a block isn't closed", name)
	}
	return sections
}

// end adds a block that has ended, and reports whether an output may follow.
func (s *section) end(t *testing.T, fence string, block []string, below bool, c command) bool {
	t.Helper()
	switch {
	case fence == "```console":
		for _, line := range block {
			if strings.HasPrefix(line, "$ ") {
				t.Errorf("%s:%d: a prompt can't be pasted: %s", c.page, c.line, line)
			}
		}
		if c.text = strings.Join(block, "\n"); c.text == "" {
			t.Errorf("%s:%d: a console block without a command", c.page, c.line)
		}
		s.commands = append(s.commands, c)
		return true
	case fence == "```text" && below:
		last := &s.commands[len(s.commands)-1]
		last.want, last.shown = block, true
	}
	return false
}

// lineLike makes the pattern of one line, in which … matches any text.
func lineLike(want string) *regexp.Regexp {
	return regexp.MustCompile("^" +
		strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(want, " ")), anything, ".*") + "$")
}

// matches reports whether an output is what a page shows. A line that is only … matches any number
// of lines, including none.
func matches(want, got []string) bool {
	// fits[j] reports whether the lines of want so far match the first j of got.
	fits := make([]bool, len(got)+1)
	fits[0] = true
	for _, w := range want {
		next := make([]bool, len(got)+1)
		if w == anything {
			for j := range next {
				next[j] = fits[j] || j > 0 && next[j-1]
			}
		} else {
			like := lineLike(w)
			for j, line := range got {
				next[j+1] = fits[j] && like.MatchString(strings.TrimRight(line, " "))
			}
		}
		fits = next
	}
	return fits[len(got)]
}

// lines returns the lines of an output, without empty ones at its end.
func lines(out string) []string {
	out = strings.TrimRight(out, "\n ")
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

func TestDotsStandForAnythingAndNothingElseDoes(t *testing.T) {
	for _, c := range []struct {
		want, got string
		like      bool
	}{
		{"", "", true},
		{"a.c", "abc", false},
		{"a … c", "a 1 2 c", true},
		{"a … c", "a c", false},
		{"…", "a\nb", true},
		{"…\nb\n…", "a\nb", true},
		{"a\n…\nd", "a\nb\nc\nd", true},
		{"a\n…\nd", "a\nb\nc", false},
		{"a\nb", "a\nb\nc", false},
		{"  12 …", " 12 x", false},
	} {
		if got := matches(lines(c.want), lines(c.got)); got != c.like {
			t.Errorf("%q shown for %q: %v, want %v", c.want, c.got, got, c.like)
		}
	}
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
