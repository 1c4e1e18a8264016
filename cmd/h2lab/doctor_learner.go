package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"

	"h2lab/internal/report/translations"
)

// learnerPrograms are the programs that the workshop's pages use, and that the lab doesn't bring.
var learnerPrograms = []struct {
	name     string
	get, use translations.Phrase
	optional bool
}{
	{"curl", "apt install curl", "all chapters", false},
	{"openssl", "apt install openssl", "the certificates; chapters 2 and 9", false},
	{"make", "apt install make", "all chapters; without it: bin/h2lab up, down, workshop, step", true},
	{"go", "install Go 1.26 or newer: https://go.dev/doc/install", "chapters 5 and 8", true},
	{"nghttp", "apt install nghttp2-client", "chapter 1, one command", true},
}

// ofLearner looks for the programs that the workshop's pages use.
func (c *doctorCmd) ofLearner(missing *[]error) func(*app) func(io.Writer) {
	return func(a *app) func(io.Writer) {
		paths := make([]string, len(learnerPrograms))
		for i, p := range learnerPrograms {
			path, err := exec.LookPath(p.name)
			if paths[i] = path; err != nil && !p.optional {
				*missing = append(*missing, errors.New(p.name+" is missing: "+translations.English.Say(p.get)))
			}
		}
		return func(w io.Writer) {
			for i, p := range learnerPrograms {
				if paths[i] == "" {
					fmt.Fprint(w, a.say("%s\tmissing\t%s (%s)\n", p.name, a.say(p.get), a.say(p.use)))
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.name, a.say(p.use), paths[i])
			}
		}
	}
}
