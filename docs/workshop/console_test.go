package workshop

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// command is a command that a page tells the reader to type, and the output that the page shows.
type command struct {
	page string
	line int
	text string
	want []string
}

func (c command) String() string { return fmt.Sprintf("%s:%d: $ %s", c.page, c.line, c.text) }

// section is a part of a page below a second-level heading.
type section struct {
	title    string
	text     string
	commands []command
}

const anything = "…"

// page reads a page's sections. A ```console block begins with a command; the lines that aren't
// commands are the output of the command before them.
func page(t *testing.T, name string) []section {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sections, fence := []section{{}}, ""
	for i, line := range strings.Split(string(b), "\n") {
		last := &sections[len(sections)-1]
		title, heading := strings.CutPrefix(line, "## ")
		switch {
		case fence == "" && heading:
			sections = append(sections, section{title: title})
			continue
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = line
			if line == "```console" {
				last.commands = append(last.commands, command{})
			}
		case fence != "" && line == "```":
			if n := len(last.commands); fence == "```console" && last.commands[n-1].page == "" {
				t.Errorf("%s:%d: a console block without a command", name, i+1)
			}
			fence = ""
		case fence == "```console":
			add(t, last, name, i+1, line)
		}
		last.text += line + "\n"
	}
	if fence != "" {
		t.Errorf("%s: a block isn't closed", name)
	}
	return sections
}

// add adds a line of a console block. The block's first command fills the entry that the opening
// fence made.
func add(t *testing.T, s *section, name string, n int, line string) {
	t.Helper()
	last := len(s.commands) - 1
	text, isCommand := strings.CutPrefix(line, "$ ")
	switch {
	case isCommand && s.commands[last].page == "":
		s.commands[last] = command{page: name, line: n, text: text}
	case isCommand:
		s.commands = append(s.commands, command{page: name, line: n, text: text})
	case s.commands[last].page == "":
		t.Errorf("%s:%d: output before any command: %q", name, n, line)
	default:
		s.commands[last].want = append(s.commands[last].want, line)
	}
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
		{"", "a", false},
		{"a", "", false},
		{"a", "a", true},
		{"a.c", "abc", false},
		{"a … c", "a 1 2 c", true},
		{"a … c", "a c", false},
		{"…", "", true},
		{"…", "a\nb", true},
		{"…\nb\n…", "a\nb", true},
		{"…\nb\n…", "a\nc", false},
		{"a\n…\nd", "a\nb\nc\nd", true},
		{"a\n…\nd", "a\nb\nc", false},
		{"a\nb", "a\nb\nc", false},
		{"  12 …", "  12 x", true},
		{"  12 …", " 12 x", false},
	} {
		if got := matches(lines(c.want), lines(c.got)); got != c.like {
			t.Errorf("%q shown for %q: %v, want %v", c.want, c.got, got, c.like)
		}
	}
}
