package workshop

import (
	"fmt"
	"iter"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

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
