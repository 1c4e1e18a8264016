package main

import (
	"fmt"
	"io"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/translations"
)

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
