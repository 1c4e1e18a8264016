package workshop

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// answersFile is the file for a learner's answers where an exercise asks questions.
const answersFile = "answers.txt"

// stateFormat is the state of a file that can't be parsed.
const stateFormat State = "format"

// formatError is a line that can't be parsed as an answer.
type formatError struct {
	File string
	Line int // 0 for the whole file
	What sentence
}

func (e *formatError) Error() string { return e.sentence().String() }

func (e *formatError) sentence() sentence {
	if e.Line == 0 {
		return say("%s: %s", e.File, e.What)
	}
	return say("line %d of %s %s", e.Line, e.File, e.What)
}

// answers maps keys to values; a value that isn't given yet is "".
type answers map[string]string

// longest is how much of a learner's text a message repeats.
const longest = 40

// parseAnswers reads lines of key = value. file is the name in error messages.
func parseAnswers(file, text string, keys ...string) (answers, error) {
	out := answers{}
	for _, k := range keys {
		out[k] = ""
	}
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); !ok {
			return nil, &formatError{file, n, say("is not key = value: %s", clip(line))}
		}
		if !slices.Contains(keys, key) {
			return nil, &formatError{file, n,
				say("has a key that isn't asked for, %s; the keys are %s", clip(key), strings.Join(keys, ", "))}
		}
		if seen[key] {
			return nil, &formatError{file, n, say("answers %s a second time", key)}
		}
		seen[key] = true
		out[key] = strings.ToLower(strings.TrimSpace(value))
	}
	return out, nil
}

// answers reads an exercise's answers.txt.
func (d *Desk) answers(n int, keys ...string) (answers, error) {
	text, err := d.read(n, answersFile)
	if err != nil {
		return nil, err
	}
	return parseAnswers(shown(n, answersFile), text, keys...)
}

// open returns the keys without an answer, in the order of the questions.
func (a answers) open(keys ...string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return a[k] != "" })
}

// clip shortens a learner's text for a message.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufffd' {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return strconv.Quote(s)
}

// The forms of an answer: a number, a number with the words that make it one end of a range, numbers, yes or no. The files that
// learners begin with show them; anything else is no answer.

// amount is a range of whole numbers: from least to most, or without an upper end.
type amount struct {
	least, most int64
	open        bool // no upper end
}

// exact reports whether an amount is one number.
func (a amount) exact() bool { return !a.open && a.least == a.most }

// isExactly reports whether an answer is a number and that one.
func isExactly(answer string, n int64) bool {
	a, ok := parseAmount(answer)
	return ok && a.exact() && a.least == n
}

var (
	// separated matches a number with separators between thousands.
	separated  = regexp.MustCompile(`\b\d{1,3}(?:[ ,]\d{3})+\b`)
	amountForm = regexp.MustCompile(`^(>=|≥|at least|至少|>|above|more than|大于|超过|多于)? ?(\d{1,12}) ?(?:requests?|streams?|个|个请求|个流|次)?` +
		` ?(\+|or more|或更多|或以上|及以上|以上)?$`)
)

// parseAmount reads "20", "20 or more" and "more than 20".
func parseAmount(answer string) (amount, bool) {
	answer = separated.ReplaceAllStringFunc(answer, func(n string) string { return strings.NewReplacer(" ", "", ",", "").Replace(n) })
	m := amountForm.FindStringSubmatch(strings.Join(strings.Fields(strings.ToLower(answer)), " "))
	if m == nil || m[1] != "" && m[3] != "" {
		return amount{}, false
	}
	n, err := strconv.ParseInt(m[2], 10, 64)
	switch {
	case err != nil:
		return amount{}, false
	case m[1] == "" && m[3] == "":
		return amount{least: n, most: n}, true
	case m[3] != "", slices.Contains([]string{">=", "≥", "at least", "至少"}, m[1]):
		return amount{least: n, open: true}, true
	}
	return amount{least: n + 1, open: true}, true
}

// numbers reads a list of whole numbers, in rising order.
func numbers(answer string) (out []int64, ok bool) {
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return strings.ContainsRune(",，、 \t", r) }) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), len(out) > 0
}

// parseYes reads yes or no.
func parseYes(answer string) (yes, ok bool) {
	switch strings.Trim(answer, ".。! ") {
	case "yes", "y", "是", "可以":
		return true, true
	case "no", "n", "否", "不可以":
		return false, true
	}
	return false, false
}
