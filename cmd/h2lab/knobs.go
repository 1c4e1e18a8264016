package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/program"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/lab/plan"
)

// verbOf finds the verb among the arguments before they are parsed.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--root", args[i] == "--lang":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// knobs maps kong's values to the environment variables that set them.
type knobs struct {
	verb  string
	names map[*kong.Value]string
	all   []string // of every verb
	taken []string // of this one
}

// values returns a verb's flags and arguments.
func values(verb *kong.Node) []*kong.Value {
	out := slices.Clone(verb.Positional)
	for _, f := range verb.Flags {
		out = append(out, f.Value)
	}
	return out
}

//go:embed examples.txt
var exampleText string

// examples are the details of each verb's help: command lines that users can paste.
var examples = func() map[string]string {
	out := map[string]string{}
	for section := range strings.SplitSeq(strings.TrimSpace(exampleText), "\n\n") {
		verb, text, _ := strings.Cut(section, "\n")
		out[verb] = text
	}
	return out
}()

// read records the knobs of every verb, and hides from kong every variable that isn't a knob of
// this verb or is empty (an empty variable counts as unset). kong would otherwise read the
// variables of all verbs, so that PORT=tcp://… of another program would end `h2lab decode`.
func (ks *knobs) read(k *kong.Kong) error {
	ks.names = map[*kong.Value]string{}
	for _, node := range k.Model.Children {
		node.Detail = examples[node.Name]
		for _, v := range values(node) {
			if len(v.Tag.Envs) == 0 {
				continue
			}
			name := v.Tag.Envs[0]
			ks.names[v], ks.all = name, append(ks.all, name)
			if node.Name == ks.verb {
				ks.taken = append(ks.taken, name)
			}
			if value, set := os.LookupEnv(name); node.Name != ks.verb || set && value == "" {
				v.Tag.Envs = nil
				if v.Flag != nil {
					v.Flag.Envs = nil
				}
			}
		}
	}
	return nil
}

// given returns the knobs that the user set for this verb, by flag or by variable.
func (ks *knobs) given(parsed *kong.Context) plan.Given {
	g := plan.Given{}
	for _, name := range ks.taken {
		if value := os.Getenv(name); value != "" {
			g[name] = value
		}
	}
	for _, p := range parsed.Path {
		if p.Flag != nil && ks.names[p.Flag.Value] != "" {
			g[ks.names[p.Flag.Value]] = fmt.Sprint(reflect.Indirect(p.Flag.Target).Interface())
		}
	}
	return g
}

var capitals = regexp.MustCompile(`^[A-Z]{4,}$`)

// nearMisses returns the environment variables whose names differ by one letter from a knob of five
// letters or more: LIMT, but not PATH. They may belong to other programs, so h2lab only prints a
// warning; make rejects them on its command line (tools/knobs.sh).
func (ks *knobs) nearMisses(environ []string) (out []string) {
	long := slices.DeleteFunc(slices.Clone(ks.taken), func(k string) bool { return len(k) < 5 })
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if value == "" || !capitals.MatchString(name) || slices.Contains(ks.all, name) {
			continue
		}
		if knob := text.Nearest(name, long, 1); knob != "" {
			out = append(out, fmt.Sprintf("the environment has %s=%s, which nothing reads; the nearest knob is %s",
				name, value, knob))
		}
	}
	return out
}

// knobsCmd checks the variables of make's command line (tools/knobs.sh).
type knobsCmd struct {
	Targets   string `arg:"" help:"The targets, separated by spaces."`
	Variables string `arg:"" help:"The names of the variables, separated by spaces."`
}

// Run prints one sentence about the first variable that is wrong, or nothing.
func (c *knobsCmd) Run(a *app) error {
	table, err := readMakeKnobs(filepath.Join("tools", "knobs.txt"))
	if err != nil {
		return err
	}
	goals := strings.Fields(cmp.Or(c.Targets, "help"))
	for name := range strings.FieldsSeq(c.Variables) {
		if wrong := table.wrong(goals, name); wrong != "" {
			_, err := fmt.Fprintln(a.stdout, wrong)
			return err
		}
	}
	return nil
}

// makeKnobs is which variables the targets of the Makefile take, in the order of the help. The target * stands for all of
// them, and its names are patterns of the variables of other programs.
type makeKnobs []struct{ target, name string }

// readMakeKnobs reads the knobs of the verbs that are targets, and those of the other targets from a file.
func readMakeKnobs(file string) (out makeKnobs, err error) {
	model, ks, err := ownModel()
	if err != nil {
		return nil, err
	}
	for _, verb := range model.Children {
		for _, v := range values(verb) {
			if name := ks.names[v]; name != "" && makeTargets.MatchString("make "+verb.Name) {
				out = append(out, struct{ target, name string }{verb.Name, name})
			}
		}
	}
	lines, err := rooted.ReadFile(file, 1<<20)
	for line := range strings.Lines(string(lines)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			for _, name := range words[1:] {
				out = append(out, struct{ target, name string }{words[0], name})
			}
		}
	}
	return out, err
}

// by returns the targets that take a variable.
func (m makeKnobs) by(name string) string {
	var out []string
	for _, k := range m {
		if k.name == name && k.target != "*" {
			out = append(out, k.target)
		}
	}
	return strings.Join(out, ", ")
}

// wrong is a sentence about a variable that none of the goals takes.
func (m makeKnobs) wrong(goals []string, name string) string {
	var taken, other []string
	for _, k := range m {
		is, _ := path.Match(k.name, name)
		switch own := slices.Contains(goals, k.target); {
		case is && (own || k.target == "*"):
			return ""
		case own:
			taken = append(taken, k.name)
		case k.target != "*":
			other = append(other, k.name)
		}
	}
	all := strings.Join(goals, " ")
	if by := m.by(name); by != "" {
		return fmt.Sprintf("%s has no effect on make %s: it is taken by make %s", name, all, by)
	}
	most := 1
	if len(name) > 3 {
		most = 2
	}
	nearest := func(of []string) string {
		return text.Nearest(strings.ToUpper(name), slices.Sorted(slices.Values(of)), most)
	}
	if near := nearest(taken); near != "" {
		return fmt.Sprintf("%s is unknown: the nearest is %s", name, near)
	}
	if near := nearest(other); near != "" {
		return fmt.Sprintf("%s is unknown: the nearest is %s, which is taken by make %s", name, near, m.by(near))
	}
	return fmt.Sprintf("%s is unknown to make %s; it takes %s", name, all, cmp.Or(strings.Join(taken, " "), "no variable"))
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" name:"shell" help:"bash, zsh or fish."`
}

// Run prints the script.
func (c *completionCmd) Run(a *app) error { return program.WriteCompletion(a.stdout, c.Shell) }

type completeCmd struct {
	Line []string `arg:"" help:"The words after the program's name; the last is the one to complete."`
}

// Run prints what can stand in place of the last word, one offer a line.
func (c *completeCmd) Run(a *app) error {
	model, ks, err := ownModel()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, strings.Join(program.Complete(model, c.Line, ks.offered), "\n"))
	return err
}

type manCmd struct{}

// Run prints the manual page.
func (c *manCmd) Run(a *app) error {
	model, _, err := ownModel()
	if err != nil {
		return err
	}
	build := versions.Own()
	return program.WriteManual(a.stdout, model, build.Name(), build.Date, program.Section{Name: "Exit status", Text: exitStatuses})
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
	name := ks.names[v]
	runs := verb.Name == plan.Repro || verb.Name == plan.Fixed || verb.Name == plan.Matrix
	switch {
	case verb.Name == "advise" && v.Name == "client":
		return []string{string(advise.Stampede), string(advise.SingleDial), string(advise.HTTP1)}
	case verb.Name == "advise" && (v.Name == "key" || v.Name == "tls"):
		name = strings.ToUpper(v.Name)
	case (verb.Name == plan.Story || verb.Name == plan.Sweep) && name == "RUNTIME":
		return []string{"auto", "native"}
	case (name == "TOPOLOGY" || name == "CLIENT") && !runs: // their words are others with clients, story and sweep
		return nil
	}
	return choices()[name]
}

// choices lists what the knobs accept.
func choices() map[string][]string {
	out := map[string][]string{
		"KEY":      {"rsa", "ecdsa"},
		"TLS":      {"1.2", "1.3"},
		"METHOD":   {"GET", "POST", "PUT", "PATCH"},
		"PROTOCOL": {string(facts.H1), string(facts.H2)},
		"GATEWAY":  plan.Gateways,
		"SWEEP":    append([]string{plan.EverySweep, plan.Matters}, plan.Sweeps...),
		"N":        {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"},
		"RUNTIME":  {"auto", "docker", "native"},
	}
	for _, t := range plan.Topologies(plan.DefaultLimit) {
		out["TOPOLOGY"] = append(out["TOPOLOGY"], t.Name)
	}
	for _, c := range facts.Clients {
		out["CLIENT"] = append(out["CLIENT"], string(c))
	}
	return out
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON document. Null is what this build doesn't record."`
}

// Run prints which build of h2lab this is.
func (c *versionCmd) Run(a *app) error {
	if c.JSON {
		return versions.Own().WriteJSON(a.stdout)
	}
	return versions.Own().WriteText(a.stdout)
}

// asVersion makes `h2lab --version` the verb version. It is no flag of kong's: lint has a --version
// of its own, and kong allows one only.
func asVersion(args []string) []string {
	if len(args) > 0 && args[0] == "--version" {
		return append([]string{"version"}, args[1:]...)
	}
	return args
}
