package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

const questionFile = "question.md"

// The states of exercise 11.
const (
	questionOpen    State = "open"
	questionMark    State = "no-question"
	questionCommand State = "no-command"
	questionRun     State = "no-run"
	questionEnd     State = "unfinished"
	questionFits    State = "another-run"
)

// sections are the headings, in their order.
var sections = []string{"Question", "Prediction", "Command", "Result", "What follows"}

// question is exercise 11: answer a question of the learner's own.
func question() Exercise {
	return Exercise{
		Number: 11, Name: "question", Files: []string{questionFile},
		Check: checkQuestion,
		Hints: map[State]Hints{
			stateFormat: formatHints,
			questionOpen: {
				"each section requires a sentence of your own instead of the original text",
				"write at least five words, so that somebody who was absent understands them",
				"write below the heading, and delete the text in angle brackets",
			},
			questionMark: {
				"what do you want to know?",
				"a number that this lab measures must answer the question, and it must end with a question mark",
				"ask how one number changes if you change one knob",
			},
			questionCommand: {
				"which command would a reader type to see the same?",
				"one line with the command and all knobs that you set, as you typed it",
				"one of the lab's targets that measure, followed by its knobs",
			},
			questionRun: {
				"which run do you write about?",
				"each run has its own directory in results/, named by its start time and its command",
				"put that directory's name into the section about the result; it begins with the year",
			},
			questionEnd: {
				"that run was interrupted, or is still running",
				"wait until it ends: its last line names the report",
				"to save time use fewer trials, a shorter window or fewer cells",
			},
			questionFits: {
				"the command and the run differ: which of the two did you change?",
				"each run's report has the command that repeats it: compare that line with yours",
				"name the run that this command made, or the command that made this run, with every knob that " +
					"you set",
			},
		},
	}
}

// leastWords is the least number of words of a section. The sections with a command and a run's
// name are compared with the run instead.
const leastWords = 5

func checkQuestion(_ context.Context, d *Desk) (Finding, error) {
	text, err := d.read(11, questionFile)
	if err != nil {
		return Finding{}, err
	}
	said := ownWords(parseSections(text))
	for _, name := range sections {
		if n := wordsIn(said[name]); n == 0 || n < leastWords && name != "Command" {
			return lacks(questionOpen, "the section %q of %s has %d words of yours", name, shown(11, questionFile), n),
				nil
		}
	}
	if !strings.ContainsAny(address.ReplaceAllString(said["Question"], ""), "?？") {
		return lacks(questionMark, "the section %q of %s has no question mark", "Question", shown(11, questionFile)), nil
	}
	asked := parseCommands(said["Command"])
	if len(asked) == 0 {
		return lacks(questionCommand, "the section %q has none of the commands that measure: repro, fixed, matrix, clients, "+
			"story or sweep", "Command"), nil
	}
	ids := runIDs(said["Result"])
	if len(ids) == 0 {
		return lacks(questionRun, "the section %q names no run", "Result"), nil
	}
	return d.anyFits(asked, ids)
}

// anyFits looks for a named run that a command repeats: a question may compare two runs, in any order. Otherwise it
// says what is wrong with the first one.
func (d *Desk) anyFits(asked []command, ids []string) (first Finding, err error) {
	for i, id := range ids {
		f, err := d.fits(asked, id)
		if err != nil || f.State == Done {
			return f, err
		}
		if i == 0 {
			first = f
		}
	}
	return first, nil
}

// fits compares commands with one run.
func (d *Desk) fits(asked []command, id string) (Finding, error) {
	run, err := d.run(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lacks(questionRun, "the run %s is not in results/", id), nil
	case err != nil:
		return Finding{}, err
	case run.Interrupted || run.Finished.IsZero():
		return lacks(questionEnd, "the run %s did not finish", id), nil
	}
	var first sentence
	for i, c := range asked {
		what := c.differs(run)
		if what.form == "" {
			return done("your question has a prediction, and the command repeats the run %s that answers it", id), nil
		}
		if i == 0 {
			first = what
		}
	}
	return lacks(questionFits, "the run %s doesn't fit the command: %s", id, first), nil
}

var (
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
	bracketed = regexp.MustCompile(`<[^<>\n]*>`)
	// runID matches the name of a run's directory: its time and its command.
	runID = regexp.MustCompile(`\b\d{8}T\d{6}Z-[a-z0-9-]*[a-z0-9]`)
)

// mostRuns bounds how many runs an answer may name.
const mostRuns = 4

// runIDs returns the runs that a section names, each once.
func runIDs(text string) []string {
	var out []string
	for _, id := range runID.FindAllString(text, -1) {
		if !slices.Contains(out, id) && len(out) < mostRuns {
			out = append(out, id)
		}
	}
	return out
}

// parseSections returns the learner's text below each heading, which may be of any level and case.
func parseSections(text string) map[string]string {
	out := map[string]string{}
	at := ""
	for line := range strings.Lines(underlined.ReplaceAllString(comment.ReplaceAllString(text, ""), "## $1\n")) {
		if name := headingOf(line); name != "" {
			at = name
			continue
		}
		out[at] += bracketed.ReplaceAllStringFunc(line, withoutPlaceholder)
	}
	for name, words := range out {
		out[name] = strings.TrimSpace(strings.ReplaceAll(words, "```", ""))
	}
	return out
}

// placeholders are the texts that stand for an answer in the file that learners begin with, in both languages.
var placeholders = sync.OnceValue(func() (out []string) {
	for english, chinese := range pairs(startInChinese) {
		if strings.HasPrefix(english, "<") && !strings.HasPrefix(english, "<!--") {
			out = append(out, english, chinese)
		}
	}
	return out
})

// withoutPlaceholder removes a text in angle brackets if it is a placeholder or a part of one, and keeps a learner's own.
func withoutPlaceholder(text string) string {
	inner := strings.Trim(text, "<>")
	if slices.ContainsFunc(placeholders(), func(p string) bool { return strings.Contains(p, inner) }) {
		return ""
	}
	return text
}

// mostResult is far above any results.json.
const mostResult = 64 << 20

// run reads the request of a run. It reads only that part of results.json: the rest has its own
// reader.
func (d *Desk) run(id string) (facts.Run, error) {
	dir := d.Results
	if dir == "" {
		dir = "results"
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(d.Root, dir)
	}
	text, err := rooted.ReadFile(filepath.Join(dir, id, "results.json"), mostResult)
	if err != nil {
		return facts.Run{}, err
	}
	var r struct {
		Run facts.Run `json:"run"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return facts.Run{}, fmt.Errorf("results/%s/results.json can't be read: %w", id, err)
	}
	return r.Run, nil
}
