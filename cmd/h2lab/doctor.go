package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/translations"
)

type doctorCmd struct {
	For string `env:"FOR" placeholder:"learner" help:"learner: only what the workshop needs."`
}

// Run reports what is installed. A tool missing for the native runtime gives status 3; Docker is
// optional, so its absence is only reported. Run starts the programs in parallel, because one that
// hangs takes seconds.
func (c *doctorCmd) Run(a *app) error {
	var missing []error
	learner, err := forLearner(c.For)
	if err != nil {
		return err
	}
	looks := []func(*app) func(io.Writer){c.tools(&missing), c.machine, c.docker, c.programs(runs.OwnPrograms),
		c.programs(runs.OwnServices)}
	if learner {
		looks = []func(*app) func(io.Writer){c.tools(&missing), c.machine, c.docker, c.ofLearner(&missing)}
	}
	if a.system != system.Linux {
		looks = c.withoutNative(&missing)
	}
	parts := make([]func(w io.Writer), len(looks))
	var group await.Group
	for i, look := range looks {
		group.Go(func() { parts[i] = look(a) })
	}
	group.Wait()
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	w := text.NewTable(a.stdout)
	for _, print := range parts {
		print(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return a.lacks(errors.Join(missing...))
}

// tools looks for the native runtime's programs. Those of a sweep are only listed.
func (c *doctorCmd) tools(missing *[]error) func(*app) func(io.Writer) {
	return func(a *app) func(io.Writer) {
		names := runs.EveryTool()
		all := runs.EveryTool()
		if c.For == "" {
			all = append(all, runs.SweepTools()...)
		}
		tools, err := native.FindTools(a.ctx, a.root, all...)
		versions, unknown := tools.Versions(a.ctx)
		lacks := lacking(err)
		for _, name := range names {
			if lacks[name] != nil {
				*missing = append(*missing, lacks[name])
			}
		}
		if unknown != nil {
			*missing = append(*missing, unknown)
		}
		return func(w io.Writer) {
			for _, name := range all {
				if err := lacks[name]; err != nil {
					fmt.Fprint(w, a.say("command.missing", name, err))
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", name, cmp.Or(versions[name], "–"), a.show(tools[name]))
			}
		}
	}
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

// machine checks what needs no program.
func (c *doctorCmd) machine(a *app) func(io.Writer) {
	m, budget := proc.ThisMachine(), native.BudgetSupport()
	return func(w io.Writer) {
		c.ports(a, w)
		fmt.Fprint(w, a.certificates())
		fmt.Fprint(w, a.say("command.machine-cores-mb", m.Cores, m.MemoryMB, m.CPU, m.Kernel))
		fmt.Fprint(w, a.say("command.cpu-budget", a.language.Field(budget)))
	}
}

// docker queries the engine.
func (c *doctorCmd) docker(a *app) func(io.Writer) {
	return a.printDocker(runs.DockerLacks(a.ctx, a.root))
}

func (a *app) printDocker(engine compose.EngineInfo, reason error) func(io.Writer) {
	return func(w io.Writer) {
		if reason != nil {
			fmt.Fprint(w, a.say("command.docker-not-usable", reason))
			return
		}
		row := engine.String()
		if !engine.LimitsCPU {
			row += a.say("command.cant-limit-processor-time")
		}
		fmt.Fprint(w, a.say("command.docker-usable", row))
	}
}

// programs lists which programs of clients/ or services/ can be measured here. A missing toolchain is a
// row with the reason, and no failure of the lab.
func (c *doctorCmd) programs(dir string) func(*app) func(io.Writer) {
	return func(a *app) func(io.Writer) {
		all, err := clients.Read(a.root, dir)
		if err != nil {
			return func(w io.Writer) { fmt.Fprint(w, a.say("command.unknown", dir, err)) }
		}
		env, states := clients.Env(a.root), make([]string, len(all))
		var group await.Group
		for i, e := range all {
			group.Go(func() {
				states[i] = a.say("command.built")
				if reason := e.Lacks(a.ctx, env); reason != "" {
					states[i] = reason
				} else if e.Current() {
					states[i] = a.say("command.built-2")
				}
			})
		}
		group.Wait()
		return func(w io.Writer) {
			for i, e := range all {
				fmt.Fprint(w, a.say("command.rows", e.Folder(), len(e.Clients), states[i]))
			}
		}
	}
}

// ports reports which of the lab's ports are taken, and by which process.
func (c *doctorCmd) ports(a *app, w io.Writer) {
	taken := native.Taken(a.root, plan.EveryServer())
	if len(taken) == 0 {
		fmt.Fprint(w, a.say("command.ports-free"))
	}
	for _, t := range taken {
		fmt.Fprint(w, a.say("command.port-taken", t))
	}
}

// certificates reports whether the certificates exist and are valid; the first run makes them.
func (a *app) certificates() string {
	if err := native.CheckCertificates(a.root, time.Now()); err != nil {
		return a.say("command.certificates-not-good-yet", err)
	}
	return a.say("command.certificates-good")
}

// withoutNative reports what runs on a system other than Linux: the programs of the native runtime are of no
// use there. Without Docker the status is 3, since nothing of the lab runs.
func (c *doctorCmd) withoutNative(missing *[]error) []func(*app) func(io.Writer) {
	return []func(*app) func(io.Writer){c.system, func(a *app) func(io.Writer) {
		engine, reason := runs.DockerLacks(a.ctx, a.root)
		if reason != nil {
			*missing = append(*missing, fmt.Errorf("on %s the lab requires Docker, which isn't usable",
				system.Name(a.system)))
		}
		return a.printDocker(engine, reason)
	}}
}

// system lists what runs here and what doesn't.
func (c *doctorCmd) system(a *app) func(io.Writer) {
	lists := map[system.Way][]string{}
	if model, _, err := ownModel(); err == nil {
		for _, verb := range model.Children {
			if !verb.Hidden {
				way := needs(verb).On(a.system)
				lists[way] = append(lists[way], verb.Name)
			}
		}
	}
	return func(w io.Writer) {
		fmt.Fprint(w, a.say("command.native-runtime-not-here", system.NoNative(a.system)))
		for _, row := range []struct {
			way  system.Way
			form translations.Phrase
		}{{system.Here, "command.commands-run-here"}, {system.Docker, "command.commands-docker"},
			{system.LabContainer, "command.commands-lab-container"}} {
			if verbs := lists[row.way]; len(verbs) > 0 {
				fmt.Fprint(w, a.say(row.form, strings.Join(verbs, ", ")))
			}
		}
	}
}

// lacks is doctor's error about what is missing.
func (a *app) lacks(missing error) error {
	if missing == nil {
		return nil
	}
	if a.system != system.Linux {
		return exitstatus.Lacks(missing)
	}
	return exitstatus.Lacks(fmt.Errorf("the native runtime lacks something: %w", missing))
}

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
