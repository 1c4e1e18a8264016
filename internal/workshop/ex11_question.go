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
	"strconv"
	"strings"
	"time"
	"unicode"

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
	said := parseSections(text)
	for _, name := range sections {
		if n := wordsIn(said[name]); n == 0 || n < leastWords && name != "Command" {
			return lacks(questionOpen, "the section %q of %s has %d words of yours", name, shown(11, questionFile), n),
				nil
		}
	}
	if !strings.ContainsAny(said["Question"], "?？") {
		return lacks(questionMark, "the section %q of %s has no question mark", "Question", shown(11, questionFile)), nil
	}
	asked, ok := parseCommand(said["Command"])
	if !ok {
		return lacks(questionCommand, "the section %q has none of the commands that measure: repro, fixed, "+
			"matrix or clients",
			"Command"), nil
	}
	id := runID.FindString(said["Result"])
	if id == "" {
		return lacks(questionRun, "the section %q names no run", "Result"), nil
	}
	run, err := d.run(id)
	if errors.Is(err, fs.ErrNotExist) {
		return lacks(questionRun, "the run %s is not in results/", id), nil
	}
	if err != nil {
		return Finding{}, err
	}
	if run.Interrupted || run.Finished.IsZero() {
		return lacks(questionEnd, "the run %s did not finish", id), nil
	}
	if what := asked.differs(run); what.form != "" {
		return lacks(questionFits, "the run %s doesn't fit the command: %s", id, what), nil
	}
	return done("your question has a prediction, and the command repeats the run %s that answers it", id),
		nil
}

var (
	comment     = regexp.MustCompile(`(?s)<!--.*?-->`)
	placeholder = regexp.MustCompile(`<[^<>\n]*>`)
	// runID matches the name of a run's directory: its time and its command.
	runID = regexp.MustCompile(`\b\d{8}T\d{6}Z-[a-z0-9-]*[a-z0-9]`)
)

// parseSections returns the learner's text below each heading.
func parseSections(text string) map[string]string {
	out := map[string]string{}
	at := ""
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			at = strings.TrimSpace(heading)
			continue
		}
		out[at] += placeholder.ReplaceAllString(line, "")
	}
	for name, words := range out {
		out[name] = strings.TrimSpace(strings.ReplaceAll(words, "```", ""))
	}
	return out
}

// command is a command line that starts a measurement.
type command struct {
	verb  string
	knobs map[string]string // LIMIT → 100
}

var (
	verbs       = []string{"repro", "fixed", "matrix", "clients"}
	measuring   = regexp.MustCompile(`(?:\bmake|\bh2lab)\s+([a-z]+)((?:[ \t]+[^\s]+)*)`)
	knobInWords = regexp.MustCompile(`^(?:--)?([A-Za-z0-9-]+)=(\S+)$`)
)

// parseCommand finds a command line in a section. Knobs may be before the verb, as in `LIMIT=100
// make repro`, or after it.
func parseCommand(text string) (command, bool) {
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimSpace(line), "`$ ")
		m := measuring.FindStringSubmatchIndex(line)
		if m == nil || !slices.Contains(verbs, line[m[2]:m[3]]) {
			continue
		}
		c := command{verb: line[m[2]:m[3]], knobs: map[string]string{}}
		words := append(strings.Fields(line[:m[0]]), strings.Fields(line[m[4]:m[5]])...)
		for i, w := range words {
			if strings.HasPrefix(w, "--") && !strings.Contains(w, "=") && i+1 < len(words) {
				w += "=" + words[i+1]
			}
			if k := knobInWords.FindStringSubmatch(w); k != nil {
				c.knobs[strings.ToUpper(k[1])] = k[2]
			}
		}
		return c, true
	}
	return command{}, false
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

// differs returns how a command differs from that of a run, or an empty sentence.
func (c command) differs(r facts.Run) sentence {
	if c.verb != r.Command {
		return say("it is a %s, and the command is a %s", r.Command, c.verb)
	}
	repeat, _ := parseCommand(r.Repeat)
	for _, k := range []struct{ name, was string }{
		{"LIMIT", strconv.Itoa(r.Limit)}, {"CONCURRENCY", strconv.Itoa(r.Concurrency)},
		{"TRIALS", strconv.Itoa(r.Trials)},
		{"DURATION", seconds(r.DurationS)}, {"WARMUP", seconds(r.WarmupS)}, {"KEY", r.Key}, {"CPUS", cpus(r.CPUs)},
	} {
		said, ok := c.knobs[k.name]
		if set := repeat.knobs[k.name]; !ok && set != "" {
			return say("it was made with %s=%s, and the command lacks it", k.name, set)
		}
		if ok && !sameKnob(said, k.was) {
			return say("it was made with %s=%s, and the command has %s", k.name, k.was, clip(said))
		}
	}
	for name, set := range repeat.knobs {
		if said, ok := c.knobs[name]; ok && !sameKnob(said, set) {
			return say("it was made with %s=%s, and the command has %s", name, set, clip(said))
		}
	}
	return sentence{}
}

func seconds(s float64) string { return time.Duration(s * float64(time.Second)).String() }

func cpus(c *float64) string {
	if c == nil {
		return "none"
	}
	return strconv.FormatFloat(*c, 'g', -1, 64)
}

// sameKnob compares values, not spellings: 1000ms equals 1s, and 0.50 equals 0.5.
func sameKnob(a, b string) bool {
	if x, err := time.ParseDuration(a); err == nil {
		y, err := time.ParseDuration(b)
		return err == nil && x == y
	}
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		y, err := strconv.ParseFloat(b, 64)
		return err == nil && x == y
	}
	return strings.EqualFold(a, b)
}

// wordsIn counts words; a Chinese text has no spaces, so each of its characters counts.
func wordsIn(s string) int {
	n := 0
	inWord := false
	for _, r := range s {
		han := unicode.Is(unicode.Han, r)
		if space := unicode.IsSpace(r); han || !space && !inWord {
			n++
		}
		inWord = !han && !unicode.IsSpace(r)
	}
	return n
}
