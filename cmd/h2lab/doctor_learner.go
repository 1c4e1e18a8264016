package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// learnerPrograms are the programs that the workshop's pages use, and that the lab doesn't bring.
var learnerPrograms = []struct {
	name, get, use string
	optional       bool
}{
	{"curl", "apt install curl", "all chapters", false},
	{"openssl", "apt install openssl", "the certificates; chapters 2 and 9", false},
	{"make", "apt install make", "all chapters; without it: bin/h2lab up, down, workshop, step", true},
	{"go", "install Go 1.26 or newer: https://go.dev/doc/install", "chapters 5 and 8", true},
	{"nghttp", "apt install nghttp2-client", "chapter 1, one command", true},
}

// ofLearner looks for the programs that the workshop's pages use.
func (c *doctorCmd) ofLearner(missing *[]error) func(*app) func(io.Writer) {
	return func(*app) func(io.Writer) {
		paths := make([]string, len(learnerPrograms))
		for i, p := range learnerPrograms {
			path, err := exec.LookPath(p.name)
			if paths[i] = path; err != nil && !p.optional {
				*missing = append(*missing, errors.New(p.name+" is missing: "+p.get))
			}
		}
		return func(w io.Writer) {
			for i, p := range learnerPrograms {
				if paths[i] == "" {
					fmt.Fprintf(w, "%s\tmissing\t%s (%s)\n", p.name, p.get, p.use)
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.name, p.use, paths[i])
			}
		}
	}
}
