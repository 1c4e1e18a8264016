package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
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

// chineseSections are the headings as the Chinese page names them.
var chineseSections = []string{"问题", "预测", "命令", "结果", "结论"}

var (
	// underlined matches a heading of the other kind that Markdown has.
	underlined = regexp.MustCompile(`(?m)^([^\n#-][^\n]*)\r?\n(?:-{3,}|={3,})[ \t]*\r?$`)
	numbered   = regexp.MustCompile(`^\d+\s*[.)、]\s*`)
	address    = regexp.MustCompile(`\w+://\S+`)
	// notYet matches the beginning of a section that is left for later.
	notYet = regexp.MustCompile(`(?i)^\W*(?:todo\b|tbd\b|fixme\b|to be written|later\b|待补|待写|待定|以后再)|^\W*(?:i )?(?:don'?t|do not|have no) ` +
		`(?:know|idea)(?:[.,!]|$)|^\W*no idea|^\s*(?:我)?不知道[，。]?`)
)

// headingOf returns the section that a line begins, or "".
func headingOf(line string) string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "**") {
		return ""
	}
	title := numbered.ReplaceAllString(strings.Trim(line, "#*:： \t"), "")
	for i, name := range sections {
		if strings.EqualFold(name, title) || chineseSections[i] == title {
			return name
		}
	}
	return ""
}

// ownWords empties the sections that are not a learner's own: one that repeats another, or one that is left for later; and
// it removes the lines of the file that learners begin with, whose brackets were taken away.
func ownWords(said map[string]string) map[string]string {
	seen := map[string]bool{}
	out := map[string]string{}
	for _, name := range sections {
		var own []string
		for line := range strings.Lines(said[name]) {
			given := func(p string) bool { return strings.Contains(letters(p), letters(line)) }
			if wordsIn(line) <= 2 || !slices.ContainsFunc(placeholders(), given) {
				own = append(own, strings.TrimRight(line, "\r\n"))
			}
		}
		text := strings.TrimSpace(strings.Join(own, "\n"))
		if key := letters(text); name != "Command" && name != "Result" && (seen[key] || notYet.MatchString(text)) {
			text = ""
		} else {
			seen[key] = true
		}
		out[name] = text
	}
	return out
}

// letters is a text without anything but its letters and digits, in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// wordsIn counts the different words of a text; a Chinese text has no spaces, so each of its characters counts. What has
// no letter and no digit is no word.
func wordsIn(s string) int {
	words := map[string]bool{}
	han := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Han, r) }) {
		if w = letters(w); w != "" {
			words[w] = true
		}
	}
	return len(words) + han
}

// command is a command line that starts a measurement.
type command struct {
	verb  string
	knobs map[string]string // LIMIT → 100
}

var (
	verbs = []string{plan.Repro, plan.Fixed, plan.Matrix, plan.Clients, plan.Story, plan.Sweep}
	// A variable is in capitals, a flag in any letters.
	variable  = regexp.MustCompile(`^([A-Z][A-Z0-9]*)=(\S+)$`)
	flagValue = regexp.MustCompile(`^--([A-Za-z][A-Za-z0-9-]*)=(\S+)$`)
	// continued matches the end of a line that the shell joins with the next one.
	continued = regexp.MustCompile(`\\[ \t]*\r?\n`)
	// shellEnd matches what ends a command in a shell.
	shellEnd = regexp.MustCompile(`^(?:[;&|<>#]|\d?>)`)
)

// parseCommands finds the command lines of a section, in a block, in a list or between backticks. Knobs may be before the
// verb, as in `LIMIT=100 make repro`, after it, or exported on a line before.
func parseCommands(text string) (out []command) {
	exported := map[string]string{}
	text = strings.ReplaceAll(continued.ReplaceAllString(text, " "), "`", "\n")
	for words := range simpleCommands(text) {
		at := slices.IndexFunc(words, func(w string) bool {
			return slices.Contains([]string{"make", "gmake", "h2lab"}, path.Base(strings.TrimPrefix(w, "CMD=")))
		})
		if at < 0 {
			maps.Copy(exported, assignments(words))
			continue
		}
		if at+2 < len(words) && words[at+1] == "shell" && strings.HasPrefix(words[at+2], "CMD=") { // in the lab container
			at += 2
		}
		verb := verbAfter(words, at)
		if verb < 0 {
			continue
		}
		c := command{verb: words[verb], knobs: maps.Clone(exported)}
		for _, w := range words[:verb] {
			c.set(variable.FindStringSubmatch(w))
		}
		c.setAll(words[verb+1:])
		out = append(out, c)
	}
	return out
}

// simpleCommands yields the words of each command of a text: a line may have several.
func simpleCommands(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(text) {
			words := wordsOfLine(line)
			for len(words) > 0 {
				end := slices.IndexFunc(words, func(w string) bool { return w == ";" || w == "&&" || w == "||" || w == "&" })
				if end < 0 {
					end = len(words)
				}
				if end > 0 && !yield(words[:end]) {
					return
				}
				if words = words[end:]; len(words) > 0 {
					words = words[1:]
				}
			}
		}
	}
}

// wordsOfLine splits a line into words without quotes and without the punctuation of the sentence around them.
func wordsOfLine(line string) []string {
	var out []string
	for _, w := range strings.Fields(strings.NewReplacer("'", "", `"`, "", ";", " ; ", "，", " ; ", "；", " ; ",
		"。", " ; ").Replace(line)) {
		w = strings.TrimLeft(strings.TrimRight(w, ".,:)"), "(")
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// assignments returns the variables of a line that sets nothing else.
func assignments(words []string) map[string]string {
	c := command{knobs: map[string]string{}}
	for _, w := range words {
		m := variable.FindStringSubmatch(w)
		if m == nil && !slices.Contains([]string{"export", "set", "$", "&&", ";"}, w) {
			return nil
		}
		c.set(m)
	}
	return c.knobs
}

// verbAfter returns the place of a verb that measures, behind make's or h2lab's own options and variables, or -1.
func verbAfter(words []string, at int) int {
	for i := at + 1; i < len(words); i++ {
		w := words[i]
		switch {
		case slices.Contains(verbs, w):
			return i
		case strings.HasPrefix(w, "-"), variable.MatchString(w):
		case strings.HasPrefix(words[i-1], "-"): // the value of an option, as in make -C DIR
		default:
			return -1
		}
	}
	return -1
}

// set stores a knob from a match of its name and its value; nil is none.
func (c command) set(m []string) {
	if m != nil {
		c.knobs[strings.ToUpper(m[1])] = m[2]
	}
}

// setAll stores the knobs behind a verb, up to the command's end.
func (c command) setAll(words []string) {
	for i, w := range words {
		name := strings.ToUpper(strings.TrimPrefix(w, "--"))
		switch {
		case shellEnd.MatchString(w):
			return
		case !strings.HasPrefix(w, "--"):
			c.set(variable.FindStringSubmatch(w))
		case strings.Contains(w, "="):
			c.set(flagValue.FindStringSubmatch(w))
		case name == "QUICK" || name == "TIMELINE":
			c.knobs[name] = "true"
		case name == "NO-TIMELINE":
			c.knobs["TIMELINE"] = "false"
		case i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"):
			c.knobs[name] = words[i+1]
		}
	}
}

// differs returns how a command differs from that of a run, or an empty sentence.
func (c command) differs(r facts.Run) sentence {
	if c.verb != r.Command {
		return say("it is a %s, and the command is a %s", r.Command, c.verb)
	}
	set := map[string]string{} // what the run's own command line sets: every knob that isn't usual
	for _, repeat := range parseCommands(r.Repeat) {
		set = repeat.knobs
	}
	was := usualKnobs(r.Command)
	maps.Copy(was, recordedKnobs(r))
	maps.Copy(was, set)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		said, ok := c.knobs[name]
		switch {
		case !ok && set[name] != "" && name != "SEED" && name != "RUNTIME":
			return say("it was made with %s=%s, and the command lacks it", name, was[name])
		case !ok, sameKnob(said, was[name]), name == "RUNTIME" && said == "auto":
		case was[name] == "":
			return say("it was made without %s, and the command has %s", name, clip(said))
		default:
			return say("it was made with %s=%s, and the command has %s", name, was[name], clip(said))
		}
	}
	return sentence{}
}

// recordedKnobs are the knobs that a run records, with the values that QUICK gave them.
func recordedKnobs(r facts.Run) map[string]string {
	seconds := func(s float64) string { return time.Duration(s * float64(time.Second)).String() }
	cpus := "none"
	if r.CPUs != nil {
		cpus = strconv.FormatFloat(*r.CPUs, 'g', -1, 64)
	}
	return map[string]string{"LIMIT": strconv.Itoa(r.Limit), "CONCURRENCY": strconv.Itoa(r.Concurrency),
		"TRIALS": strconv.Itoa(r.Trials), "DURATION": seconds(r.DurationS), "WARMUP": seconds(r.WarmupS), "KEY": r.Key,
		"CPUS": cpus}
}

// usualKnobs are the values of a verb's knobs where nobody sets them.
func usualKnobs(verb string) map[string]string {
	out := map[string]string{}
	addKnobs(out, reflect.ValueOf(plan.UsualFor(verb)))
	return out
}

// addKnobs adds the fields that are knobs, which have the variable's name as a tag.
func addKnobs(out map[string]string, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, field := f.Tag.Get("env"), v.Field(i).Interface()
		list, isList := field.([]string)
		switch {
		case f.Anonymous:
			addKnobs(out, v.Field(i))
		case name != "" && isList:
			out[name] = strings.Join(list, ",")
		case name != "":
			out[name] = fmt.Sprint(field)
		}
	}
}

// sameKnob compares values, not spellings: 1000ms equals 1s, 0.50 equals 0.5, 1 equals true, and a list has no order.
func sameKnob(a, b string) bool {
	if x, err := strconv.ParseBool(a); err == nil {
		if y, err := strconv.ParseBool(b); err == nil {
			return x == y
		}
	}
	if x, err := time.ParseDuration(a); err == nil {
		y, err := time.ParseDuration(b)
		return err == nil && x == y
	}
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		y, err := strconv.ParseFloat(b, 64)
		return err == nil && x == y
	}
	x, y := strings.Split(strings.ToLower(a), ","), strings.Split(strings.ToLower(b), ",")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
