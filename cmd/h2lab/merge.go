package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/merge"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
)

type mergeCmd struct {
	Logs    []string `arg:"" name:"logs" sep:"none" help:"Logs of the k6 processes (TALLY=log), or directories of logs."`
	Out     string   `placeholder:"DIR" help:"Directory for results.json and the report. Default: one with the run's id as its name."`
	Partial bool     `help:"Merge incomplete logs. The report names what is missing."`
}

func (c *mergeCmd) Help() string {
	return examples("h2lab merge logs/", "h2lab merge --out merged runner-1.log runner-2.log")
}

func (*mergeCmd) elsewhere() bool { return true }

// Run makes one result and its report from the logs of k6 processes that shared a test.
func (c *mergeCmd) Run(a *app) error {
	r, err := merge.Merge(merge.Order{Paths: c.Logs, Partial: c.Partial})
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = r.Run.ID
	}
	if err := empty(c.Out); err != nil {
		return err
	}
	if err := whole(c.Out, func(dir string) error {
		if err := results.Write(dir, r); err != nil {
			return err
		}
		_, _, err := rundir.Redraw(dir)
		return err
	}); err != nil {
		return fmt.Errorf("the runners' logs make no result: %w", err)
	}
	t := r.Cells[0].Trials[0]
	for _, w := range append(r.Run.Warnings, t.Warnings...) {
		a.message("h2lab: %s", w)
	}
	fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(c.Out, rundir.ReportPage)))
	return nil
}

// whole makes a directory that appears only when write has filled it.
func whole(out string, write func(dir string) error) error {
	parent := filepath.Dir(filepath.Clean(out))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, ".h2lab-merge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is there only after an error, which is returned
	if err := write(dir); err != nil {
		return err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty directory
		return err
	}
	return errors.Join(os.Chmod(dir, 0o755), os.Rename(dir, out))
}

// empty rejects a directory that has files: none of them is replaced.
func empty(dir string) error {
	files, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0:
		return nil
	case err != nil:
		return err
	}
	return exitstatus.WrongUsage(fmt.Errorf("%s has files already, such as %s: give another directory with --out", dir,
		files[0].Name()))
}
