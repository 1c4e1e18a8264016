package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

const questionFile = "question.md"

// sections are the headings, in their order.
var sections = []string{"Question", "Prediction", "Command", "Result", "What follows"}

// leastWords is the least number of words of a section. The command and the run's name are compared with the run instead.
const leastWords = 5

// mostRuns bounds how many runs an answer may name.
const mostRuns = 4

// runID matches the name of a run's directory: its time and its command.
var runID = regexp.MustCompile(`\b\d{8}T\d{6}Z-[a-z0-9-]*[a-z0-9]`)

// checkQuestion: answer a question of the learner's own.
func checkQuestion(_ context.Context, d *Desk) (Finding, error) {
	text, err := d.read(11, questionFile)
	if err != nil {
		return Finding{}, err
	}
	said := parseSections(text)
	for _, name := range sections {
		if n := wordsIn(said[name]); n == 0 || n < leastWords && name != "Command" {
			return lacks("open", facts.T("workshop.few-words", strconv.Quote(name), shown(11, questionFile), n)), nil
		}
	}
	asked := parseCommand(said["Command"])
	ids := runID.FindAllString(said["Result"], mostRuns)
	if f := first(
		rule{!strings.ContainsAny(said["Question"], "?？"), "no-question",
			facts.T("workshop.no-question-mark", shown(11, questionFile))},
		rule{asked.verb == "", "no-command", facts.T("workshop.no-command", strings.Join(verbs, ", "))},
		rule{len(ids) == 0, "no-run", facts.T("workshop.no-run")},
	); f.State != Done {
		return f, nil
	}
	// A question may compare two runs, in any order: one of them is the command's.
	found := make([]Finding, len(ids))
	for i, id := range ids {
		if found[i], err = d.fits(asked, id); err != nil || found[i].State == Done {
			return found[i], err
		}
	}
	return found[0], nil
}

// fits compares the command with one run.
func (d *Desk) fits(asked command, id string) (Finding, error) {
	run, err := d.run(id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Finding{}, err
	}
	wrong := asked.differs(run)
	return first(
		rule{err != nil, "no-run", facts.T("workshop.run-not-there", id)},
		rule{run.Interrupted || run.Finished.IsZero(), "unfinished", facts.T("workshop.run-unfinished", id)},
		rule{!wrong.IsZero(), "another-run", facts.T("workshop.run-differs", id, wrong)},
		rule{true, Done, facts.T("workshop.question-answered", id)},
	), nil
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	// placeholder matches a line that stands for an answer in the file that learners begin with.
	placeholder = regexp.MustCompile(`^<[^<>]*>$`)
)

// parseSections returns the learner's text below each heading, which may be of any level and case.
func parseSections(text string) map[string]string {
	out, at := map[string]string{}, ""
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		line = strings.TrimSpace(line)
		title := strings.Trim(line, "#: ")
		i := slices.IndexFunc(sections, func(name string) bool { return strings.EqualFold(name, title) })
		if i >= 0 && line[0] == '#' {
			at = sections[i]
		} else if !placeholder.MatchString(line) {
			out[at] += line + "\n"
		}
	}
	return out
}

// wordsIn counts the words of a text; a Chinese text has no spaces, so each of its characters counts.
func wordsIn(s string) (n int) {
	for word := range strings.FieldsSeq(s) {
		han := strings.IndexFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		switch {
		case han >= 0:
			n += len([]rune(word))
		case strings.ContainsFunc(word, unicode.IsLetter) || strings.ContainsFunc(word, unicode.IsDigit):
			n++
		}
	}
	return n
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

// command is a command line that starts a measurement.
type command struct {
	verb  string
	knobs map[string]string // LIMIT → 100
}

var (
	verbs = []string{plan.Repro, plan.Fixed, plan.Matrix, plan.Clients, plan.Story, plan.Sweep}
	// A variable is in capitals, a flag in any letters.
	variable = regexp.MustCompile(`^([A-Z][A-Z0-9]*)=(\S+)$`)
	flag     = regexp.MustCompile(`^--([a-z][a-z-]*)(?:=(\S+))?$`)
)

// parseCommand finds the first command line that measures, with make or h2lab: a verb, and knobs before or after it as
// variables, or after it as flags. A backslash continues a line.
func parseCommand(text string) command {
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		words := strings.Fields(strings.Trim(line, "` \n"))
		starts := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "make" || path.Base(w) == "h2lab" })
		verb := slices.IndexFunc(words, func(w string) bool { return slices.Contains(verbs, w) })
		if starts < 0 || verb < starts {
			continue
		}
		c := command{words[verb], map[string]string{}}
		for i, w := range words {
			if m := variable.FindStringSubmatch(w); m != nil {
				c.knobs[m[1]] = m[2]
			}
			if m := flag.FindStringSubmatch(w); m != nil && i > verb {
				value := m[2]
				if next := append(words, "-")[i+1]; value == "" && !strings.HasPrefix(next, "-") {
					value = next
				}
				if value == "" { // a switch
					value = "true"
				}
				c.knobs[strings.ToUpper(m[1])] = value
			}
		}
		return c
	}
	return command{}
}

// differs returns how a command differs from that of a run, or no text. The run's own command line sets every knob that
// isn't usual.
func (c command) differs(r facts.Run) facts.Text {
	if c.verb != r.Command {
		return facts.T("workshop.other-command", r.Command, c.verb)
	}
	set, all := parseCommand(r.Repeat).knobs, maps.Clone(c.knobs)
	maps.Copy(all, set)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		said, ok := c.knobs[name]
		was, is := set[name]
		free := (name == "SEED" || name == "RUNTIME") && (!ok || said == "auto")
		if f := first(
			rule{free || normal(said) == normal(was), Done, facts.Text{}},
			rule{!ok, "another-run", facts.T("workshop.knob-missing", name, was)},
			rule{!is, "another-run", facts.T("workshop.knob-extra", name, clip(said))},
			rule{true, "another-run", facts.T("workshop.knob-differs", name, was, clip(said))},
		); f.State != Done {
			return f.Says
		}
	}
	return facts.Text{}
}

// normal is one spelling of a value: 1000ms equals 1s, 0.50 equals 0.5, 1 equals true, and a list has no order.
func normal(v string) string {
	if b, err := strconv.ParseBool(v); err == nil {
		return strconv.FormatBool(b)
	}
	if d, err := time.ParseDuration(v); err == nil {
		return d.String()
	}
	if x, err := strconv.ParseFloat(v, 64); err == nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	list := strings.Split(strings.ToLower(v), ",")
	slices.Sort(list)
	return strings.Join(list, ",")
}
