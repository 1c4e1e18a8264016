package main

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

type doctorCmd struct {
	For string `env:"FOR" placeholder:"learner" help:"learner: only what the workshop needs."`
}

// look examines one thing: the rows of the table, with cells separated by tabs, and what is missing.
type look func(*app) (rows string, missing error)

// Run reports what is installed. A tool missing for the native runtime gives status 3; Docker is optional there, so its
// absence is only reported. Elsewhere nothing of the lab runs without Docker, and the programs of the native runtime are of
// no use. Run looks in parallel, because a program that hangs takes seconds.
func (c *doctorCmd) Run(a *app) error {
	learner, err := forLearner(c.For)
	if err != nil {
		return err
	}
	looks := []look{c.tools, machine, docker, programs(runs.OwnPrograms), programs(runs.OwnServices)}
	switch {
	case a.system != system.Linux:
		looks = []look{whatRuns, docker}
	case learner:
		looks = []look{c.tools, machine, docker, ofLearner}
	}
	rows, missing := make([]string, len(looks)), make([]error, len(looks))
	var group await.Group
	for i, look := range looks {
		group.Go(func() { rows[i], missing[i] = look(a) })
	}
	group.Wait()
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	w := text.NewTable(a.stdout)
	fmt.Fprint(w, strings.Join(rows, ""))
	if err := w.Flush(); err != nil {
		return err
	}
	switch err := errors.Join(missing...); {
	case err == nil:
		return nil
	case a.system == system.Linux:
		return exitstatus.Lacks(fmt.Errorf("the native runtime lacks something: %w", err))
	default:
		return exitstatus.Lacks(err)
	}
}

// tools looks for the native runtime's programs. Those of a sweep are only listed.
func (c *doctorCmd) tools(a *app) (rows string, missing error) {
	needed := runs.EveryTool()
	all := needed
	if c.For == "" {
		all = append(all, runs.SweepTools()...)
	}
	tools, err := native.FindTools(a.ctx, a.root, all...)
	versions, unknown := tools.Versions(a.ctx)
	lacks := lacking(err)
	for i, name := range all {
		if err := lacks[name]; err == nil {
			rows += fmt.Sprintf("%s\t%s\t%s\n", name, cmp.Or(versions[name], "–"), a.show(tools[name]))
		} else if rows += a.say("command.missing", name, err); i < len(needed) {
			missing = errors.Join(missing, err)
		}
	}
	return rows, errors.Join(missing, unknown)
}

// lacking maps the errors of FindTools to their tools.
func lacking(err error) map[string]error {
	out := map[string]error{}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			var tool *native.ToolError
			if errors.As(err, &tool) {
				out[tool.Tool] = err
			}
		}
	}
	return out
}

// machine checks what needs no program: which of the lab's ports are taken, and by which process, and the certificates,
// which the first run makes.
func machine(a *app) (rows string, missing error) {
	taken := native.Taken(a.root, plan.EveryServer())
	if len(taken) == 0 {
		rows = a.say("command.ports-free")
	}
	for _, t := range taken {
		rows += a.say("command.port-taken", t)
	}
	if err := native.CheckCertificates(a.root, time.Now()); err != nil {
		rows += a.say("command.certificates-not-good-yet", err)
	} else {
		rows += a.say("command.certificates-good")
	}
	m := proc.ThisMachine()
	return rows + a.say("command.machine-cores-mb", m.Cores, m.MemoryMB, m.CPU, m.Kernel) +
		a.say("command.cpu-budget", native.BudgetSupport()), nil
}

// docker queries the engine.
func docker(a *app) (rows string, missing error) {
	engine, reason := runs.DockerLacks(a.ctx, a.root)
	if reason != nil {
		if a.system != system.Linux {
			missing = fmt.Errorf("on %s the lab requires Docker, which isn't usable", system.Name(a.system))
		}
		return a.say("command.docker-not-usable", reason), missing
	}
	row := engine.String()
	if !engine.LimitsCPU {
		row += a.say("command.cant-limit-processor-time")
	}
	return a.say("command.docker-usable", row), nil
}

// programs lists which programs of clients/ or services/ can be measured here. A missing toolchain is a
// row with the reason, and no failure of the lab.
func programs(dir string) look {
	return func(a *app) (rows string, missing error) {
		all, err := clients.Read(a.root, dir)
		if err != nil {
			return a.say("command.unknown", dir, err), nil
		}
		env, states := clients.Env(a.root), make([]string, len(all))
		var group await.Group
		for i, e := range all {
			group.Go(func() {
				states[i] = e.Lacks(a.ctx, env)
				if states[i] == "" && e.Current() {
					states[i] = a.say("command.built-2")
				}
			})
		}
		group.Wait()
		for i, e := range all {
			rows += a.say("command.rows", e.Folder(), len(e.Clients), cmp.Or(states[i], a.say("command.built")))
		}
		return rows, nil
	}
}

// whatRuns lists what runs on a system other than Linux and what doesn't.
func whatRuns(a *app) (rows string, missing error) {
	model, _, err := ownModel()
	if err != nil {
		return "", err
	}
	lists := map[system.Way][]string{}
	for _, verb := range model.Children {
		if !verb.Hidden {
			way := needs(verb).On(a.system)
			lists[way] = append(lists[way], verb.Name)
		}
	}
	rows = a.say("command.native-runtime-not-here", system.NoNative(a.system))
	for way, form := range []string{system.Here: "command.commands-run-here", system.Docker: "command.commands-docker",
		system.LabContainer: "command.commands-lab-container"} {
		if verbs := lists[system.Way(way)]; len(verbs) > 0 {
			rows += a.say(form, strings.Join(verbs, ", "))
		}
	}
	return rows, nil
}

// learnerPrograms are the programs that the workshop's pages use, and that the lab doesn't bring.
var learnerPrograms = []struct {
	name     string
	get, use string
	optional bool
}{
	{"curl", "command.apt-install-curl", "command.all-chapters", false},
	{"openssl", "command.apt-install-openssl", "command.certificates-chapters-2-9", false},
	{"make", "command.apt-install-make", "command.all-chapters-without-bin", true},
	{"go", "command.install-go-126-newer", "command.chapters-5-8", true},
	{"nghttp", "command.apt-install-nghttp2-client", "command.chapter-1-command", true},
}

// ofLearner looks for the programs that the workshop's pages use.
func ofLearner(a *app) (rows string, missing error) {
	for _, p := range learnerPrograms {
		path, err := exec.LookPath(p.name)
		if err == nil {
			rows += fmt.Sprintf("%s\t%s\t%s\n", p.name, a.say(p.use), path)
			continue
		}
		rows += a.say("command.missing-2", p.name, a.say(p.get), a.say(p.use))
		if !p.optional {
			missing = errors.Join(missing, errors.New(p.name+" is missing: "+texts.English.Say(p.get)))
		}
	}
	return rows, missing
}
