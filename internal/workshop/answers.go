package workshop

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// answersFile is the file for a learner's answers where an exercise asks questions.
const answersFile = "answers.txt"

// formatError is a line that can't be parsed as an answer.
type formatError struct{ facts.Text }

func (e *formatError) Error() string { return texts.English.In(e.Text) }

// answers maps keys to values; a value that isn't given yet is "".
type answers map[string]string

// longest is how much of a learner's text a message repeats.
const longest = 40

// parseAnswers reads lines of key = value. file is the name in error messages.
func parseAnswers(file, text string, keys ...string) (answers, error) {
	out := answers{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		_, again := out[key]
		if bad := first(
			rule{!ok, "format", facts.T("workshop.no-pair", n, file, clip(line))},
			rule{!slices.Contains(keys, key), "format",
				facts.T("workshop.other-key", n, file, clip(key), strings.Join(keys, ", "))},
			rule{again, "format", facts.T("workshop.answered-twice", n, file, key)},
		); bad.State != Done {
			return nil, &formatError{bad.Says}
		}
		out[key] = strings.ToLower(strings.TrimSpace(value))
	}
	return out, nil
}

// answers reads an exercise's answers.txt; a finding other than Done says what is open, and before it what to do first.
func (d *Desk) answers(n int, before facts.Text, keys ...string) (answers, Finding, error) {
	text, err := d.read(n, answersFile)
	if err != nil {
		return nil, Finding{}, err
	}
	a, err := parseAnswers(shown(n, answersFile), text, keys...)
	open := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return a[k] != "" })
	if err != nil || len(open) == 0 {
		return a, Finding{State: Done}, err
	}
	return a, lacks("open", facts.Join("join.semicolon", before,
		facts.T("workshop.open", shown(n, answersFile), strings.Join(open, ", ")))), nil
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

// The forms of an answer: a number, a number with the words that make it the lower end of a range, numbers, yes or no. The
// files that learners begin with show them; anything else is no answer.

// amount is a number, or all numbers from one up.
type amount struct {
	least int64
	open  bool
}

// isExactly reports whether an answer is a number and that one.
func isExactly(answer string, n int64) bool {
	a, ok := parseAmount(answer)
	return ok && a == amount{least: n}
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
	if m[1] != "" && !slices.Contains([]string{">=", "≥", "at least", "至少"}, m[1]) {
		n++
	}
	return amount{n, m[1] != "" || m[3] != ""}, err == nil
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
