package main

import (
	"github.com/alecthomas/kong"
	"github.com/muesli/mango"

	"h2lab/internal/base/program"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/lab/plan"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" name:"shell" help:"bash, zsh or fish."`
}

// Help shows what a user can paste.
func (c *completionCmd) Help() string {
	return examples("h2lab completion bash > h2lab.bash && . ./h2lab.bash", "h2lab completion zsh > _h2lab")
}

// Run prints the script.
func (c *completionCmd) Run(a *app) error {
	model, ks, err := ownModel()
	if err != nil {
		return err
	}
	return program.WriteCompletion(a.stdout, c.Shell, model, ks.offered)
}

type manCmd struct{}

// Run prints the manual page.
func (c *manCmd) Run(a *app) error {
	model, _, err := ownModel()
	if err != nil {
		return err
	}
	build := versions.Own()
	return program.WriteManual(a.stdout, model, build.Name(), build.Date, mango.Section{Name: "Exit status", Text: exitStatuses})
}

// exitStatuses is the table of docs/architecture.md, for the manual page.
const exitStatuses = `0: done, and the verdicts confirm the command's promise.
1: failed. The error names the object, the place and the next step.
2: wrong usage: a flag or a knob.
3: a requirement is missing or too old.
4: done, but a verdict contradicts the promise: lint found an error, watch --for raised the alarm, or a run doesn't show what it should.
141: the reader of standard output has gone.`

// ownModel is the command line's own definition, with no verb chosen.
func ownModel() (*kong.Application, *knobs, error) {
	ks := &knobs{}
	parser, err := newParser(&cli{}, ks)
	if err != nil {
		return nil, nil, err
	}
	return parser.Model, ks, nil
}

// offered returns the words of a value that its type doesn't list, for completions: those that the
// knob accepts. advise has flags with the same meanings, which are no knobs.
func (ks *knobs) offered(verb *kong.Node, v *kong.Value) []string {
	if verb.Name == "advise" && v.Name == "client" {
		return []string{string(advise.Stampede), string(advise.SingleDial), string(advise.HTTP1)}
	}
	name := ks.names[v]
	if verb.Name == "advise" {
		name = map[string]string{"key": "KEY", "tls": "TLS"}[v.Name]
	}
	if offer := choices[name]; offer != nil {
		return offer(verb.Name)
	}
	return nil
}

// choices lists what a knob accepts with a verb.
var choices = map[string]func(verb string) []string{
	"KEY":      always("rsa", "ecdsa"),
	"TLS":      always("1.2", "1.3"),
	"METHOD":   always("GET", "POST", "PUT", "PATCH"),
	"PROTOCOL": always(string(facts.H1), string(facts.H2)),
	"GATEWAY":  always(plan.Gateways...),
	"SWEEP":    always(append([]string{plan.EverySweep, plan.Matters}, plan.Sweeps...)...),
	"N":        always("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"),
	"RUNTIME": func(verb string) []string {
		if verb == "story" || verb == "sweep" {
			return []string{"auto", "native"}
		}
		return []string{"auto", "docker", "native"}
	},
	"TOPOLOGY": ofRuns(func() (out []string) {
		for _, t := range plan.Topologies(plan.DefaultLimit) {
			out = append(out, t.Name)
		}
		return out
	}),
	"CLIENT": ofRuns(func() (out []string) {
		for _, c := range facts.Clients {
			out = append(out, string(c))
		}
		return out
	}),
}

func always(words ...string) func(string) []string {
	return func(string) []string { return words }
}

// ofRuns is for knobs whose words are others with clients, story and sweep.
func ofRuns(words func() []string) func(string) []string {
	return func(verb string) []string {
		if verb == plan.Repro || verb == plan.Fixed || verb == plan.Matrix {
			return words()
		}
		return nil
	}
}
