package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/exitstatus"
)

// misused is kong's error about a command line, with a next step where kong's text has none.
func misused(err error) error {
	var p *kong.ParseError
	if !errors.As(err, &p) || strings.Contains(err.Error(), "did you mean") {
		return exitstatus.WrongUsage(err)
	}
	var verb *kong.Node
	if p.Context != nil {
		verb = p.Context.Selected()
	}
	help := "h2lab --help"
	if verb != nil {
		help = "h2lab " + verb.Name + " --help"
	}
	text := err.Error()
	switch {
	case verb != nil && strings.HasPrefix(text, `expected "<`) && firstExample(verb) != "":
		text += "; try: " + firstExample(verb)
	case strings.HasPrefix(text, "expected "), strings.HasPrefix(text, "unexpected argument"),
		strings.HasPrefix(text, "unknown flag"):
		text += "; try: " + help
	default:
		return exitstatus.WrongUsage(err)
	}
	return exitstatus.WrongUsage(errors.New(text))
}

// firstExample is the first example of a verb's help, or "".
func firstExample(verb *kong.Node) string {
	for line := range strings.Lines(verb.Detail) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "h2lab ") {
			return line
		}
	}
	return ""
}

// makeTargets are the targets of the Makefile that messages name; a test compares both.
var makeTargets = regexp.MustCompile(`\bmake (build|repro|fixed|matrix|clients|story|sweep|report|live|replay|up|down|` +
	`workshop|step|slides|doctor|certs|tools|shell|test|unit|integration|check-clients|e2e|check|bench|golden|lint|pin|` +
	`bundle|dist|clean)\b`)
