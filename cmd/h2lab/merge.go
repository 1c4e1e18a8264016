package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
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

// Run makes one result and its report from the logs of k6 processes that shared a test.
func (c *mergeCmd) Run(a *app) error {
	r, err := merge.Merge(merge.Order{Paths: c.Logs, Partial: c.Partial})
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = r.Run.ID
	}
	there, err := empty(c.Out)
	if err != nil {
		return err
	}
	if err := whole(c.Out, there, func(dir string) error {
		if err := results.Write(dir, r); err != nil {
			return err
		}
		_, _, err := rundir.Redraw(dir)
		return err
	}); err != nil {
		return unwritten(c.Out, err)
	}
	t := r.Cells[0].Trials[0]
	for _, w := range append(r.Run.Warnings, t.Warnings...) {
		a.message("h2lab: %s", w)
	}
	fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(c.Out, a.page(rundir.ReportPage))))
	return nil
}

// whole fills a directory that is not there, or is there and empty, only when write has succeeded. One that is
// there stays: it may be a container's volume, the target of a link, or the directory that the user is in.
func whole(out string, there bool, write func(dir string) error) error {
	beside := filepath.Dir(filepath.Clean(out))
	if there {
		beside = out
	}
	if err := os.MkdirAll(beside, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(beside, ".h2lab-merge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it has files only after an error, which is returned
	if err := write(dir); err != nil {
		return err
	}
	if there {
		return moveAll(dir, out)
	}
	return errors.Join(os.Chmod(dir, 0o755), os.Rename(dir, out))
}

// moveAll moves the files of a directory to another one, or none of them.
func moveAll(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for i, f := range files {
		if err := os.Rename(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())); err != nil {
			for _, moved := range files[:i] {
				err = errors.Join(err, os.RemoveAll(filepath.Join(to, moved.Name())))
			}
			return err
		}
	}
	return nil
}

// empty reports whether a directory is there. It rejects one that has files: none of them is replaced.
func empty(dir string) (there bool, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, link := os.Lstat(dir); link == nil {
			err = fmt.Errorf("%s is a link to what is not there", dir)
		} else {
			return false, nil
		}
	}
	switch {
	case system.NoDirectory(err):
		return false, exitstatus.WrongUsage(fmt.Errorf("%s is a file, or is below one: give a directory with --out", dir))
	case err != nil:
		return false, unwritten(dir, err)
	case len(files) > 0:
		return false, exitstatus.WrongUsage(fmt.Errorf("%s has files already, such as %s: give another directory with --out",
			dir, files[0].Name()))
	}
	return true, nil
}

// unwritten is the error of a result that has no place. The name of the file that failed is a temporary one.
func unwritten(out string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("the result can't be written to %s: %w; make room or give another directory with --out", out, err)
}
