package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/text"
	"h2lab/internal/lab/runs"
	"h2lab/internal/workshop"
)

type workshopCmd struct {
	Seed string `env:"SEED" placeholder:"TEXT" help:"Determines your own limit. Default: your user and host name."`
}

// Run copies the files that learners begin with, and keeps existing ones.
func (c *workshopCmd) Run(a *app) error {
	made, kept, err := workshop.LayOut(a.root, a.language)
	if err != nil {
		return err
	}
	for _, name := range kept {
		a.tell("command.kept", name)
	}
	if c.Seed != "" {
		if err := workshop.SetSeed(a.root, c.Seed); err != nil {
			return exitstatus.WrongUsage(err)
		}
		a.tell("command.your-limit-comes-seed", c.Seed, a.command("down"))
	}
	return a.print("command.files-begin-there-left",
		a.show(filepath.Join(a.root, workshop.Learner)), len(made)+len(kept), len(kept), a.command("up FOR=learner"),
		a.command("step N=1"))
}

type stepCmd struct {
	N    int  `arg:"" name:"n" env:"N" help:"Which exercise: 1 to 11."`
	Hint *int `env:"HINT" placeholder:"1|2|3" help:"Also give a hint for what is missing: 1 a nudge, 3 nearly there."`
	resultsFlag
}

// Run verifies an exercise of the workshop on the learner's own files.
func (c *stepCmd) Run(a *app) error {
	e, err := workshop.Find(c.N)
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	if c.Hint != nil && (*c.Hint < 1 || *c.Hint > 3) {
		return exitstatus.WrongUsage(fmt.Errorf("there is no hint %d: choose from 1 (a nudge) to 3 (nearly there)", *c.Hint))
	}
	// a relative path is relative to the user's directory, not the checkout
	results, err := filepath.Abs(a.resultsDir(c.Results))
	if err != nil {
		return err
	}
	holder, err := mysteryHolder(a.root)
	if err != nil {
		return err
	}
	f, err := e.Verify(a.ctx, &workshop.Desk{Root: a.root, Results: results, MysteryHolder: holder})
	if err != nil {
		return missing(err)
	}
	form := string("command.exercise-done")
	if f.State != workshop.Done {
		form = "command.exercise-isnt-done-yet"
	}
	if err := a.print(form, e.Number, f.Says); err != nil {
		return err
	}
	if c.Hint != nil {
		hint, err := e.Hint(f, *c.Hint, a.language)
		if err != nil {
			return err
		}
		if err := a.print("command.hint", hint); err != nil {
			return err
		}
	}
	if f.State != workshop.Done {
		return relayed{statusContradicted} // stdout has the message
	}
	return nil
}

// missing maps an error about something missing to its exit status.
func missing(err error) error {
	var what *workshop.MissingError
	if errors.As(err, &what) {
		return exitstatus.Lacks(err)
	}
	return err
}

type mysteryCmd struct {
	Stop bool `xor:"do" help:"Stop it."`
	Hold bool `xor:"do" hidden:"" help:"Run the server until it is stopped."`
}

// Run starts the server of the workshop's exercise 10, or stops it.
func (c *mysteryCmd) Run(a *app) error {
	switch {
	case c.Hold:
		return workshop.HoldMystery(a.ctx, a.root, workshop.MysteryLife)
	case c.Stop:
		stopped, err := workshop.StopMystery(a.ctx, a.root)
		if err != nil {
			return err
		}
		said := string("command.no-mystery-server-running")
		if stopped {
			said = "command.stopped-mystery-server"
		}
		a.tell(said)
		return nil
	}
	holder, err := mysteryHolder(a.root)
	if err != nil {
		return err
	}
	m, err := workshop.FindMystery(a.root)
	if err == nil && m == nil {
		m, err = workshop.StartMystery(a.ctx, a.root, holder)
	}
	if err != nil {
		return missing(err)
	}
	return a.print("command.runs-until-next-h2lab",
		m.URL, m.Until.Local().Format("15:04"), m.URL, text.ShellWord(a.show(runs.CAFile(a.root))))
}

// mysteryHolder is the command line of this program as the process that runs the server.
func mysteryHolder(root string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, "--root", root, "mystery", "--hold"}, err
}
