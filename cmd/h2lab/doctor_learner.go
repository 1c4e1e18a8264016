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
	{"curl", "command.apt-install-curl", "command.all-chapters", false},
	{"openssl", "command.apt-install-openssl", "command.certificates-chapters-2-9", false},
	{"make", "command.apt-install-make", "command.all-chapters-without-bin", true},
	{"go", "command.install-go-126-newer", "command.chapters-5-8", true},
	{"nghttp", "command.apt-install-nghttp2-client", "command.chapter-1-command", true},
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
					fmt.Fprint(w, a.say("command.missing-2", p.name, a.say(p.get), a.say(p.use)))
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.name, a.say(p.use), paths[i])
			}
		}
	}
}
