package workshop

import (
	_ "embed"
	"fmt"
	"sync"
)

// State names what an exercise lacks; hints are selected by it.
type State string

// Done is the state of a solved exercise.
const Done State = "done"

// Finding is the result of a check, in one sentence without its full stop.
type Finding struct {
	State State
	Says  string

	said sentence
}

func done(format string, args ...any) Finding { return lacks(Done, format, args...) }

func lacks(s State, format string, args ...any) Finding {
	said := say(format, args...)
	return Finding{s, said.String(), said}
}

// InChinese is Says in Chinese. What programs and the operating system say in it stays as it is.
func (f Finding) InChinese() string { return f.said.in(chineseFindings()) }

var (
	//go:embed text/findings.zh.txt
	findingsInChinese string

	chineseFindings = sync.OnceValue(func() map[string]string { return pairs(findingsInChinese) })
)

// sentence is a format string with its arguments. An argument may be a sentence.
type sentence struct {
	form string
	args []any
}

func say(format string, args ...any) sentence { return sentence{format, args} }

// String is the sentence in English.
func (s sentence) String() string { return s.in(nil) }

// in formats the sentence with translated format strings. One without a translation stays English.
func (s sentence) in(words map[string]string) string {
	args := make([]any, len(s.args))
	for i, a := range s.args {
		switch a := a.(type) {
		case sentence:
			args[i] = a.in(words)
		case *formatError:
			args[i] = a.sentence().in(words)
		default:
			args[i] = a
		}
	}
	form := s.form
	if translated, ok := words[form]; ok {
		form = translated
	}
	if len(args) == 0 {
		return form
	}
	return fmt.Sprintf(form, args...)
}
