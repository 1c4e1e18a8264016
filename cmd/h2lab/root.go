package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/program"
	"h2lab/internal/base/text"
)

func (c *reportCmd) elsewhere() bool { return len(c.Runs) > 0 || c.Results != "" }
func (c *liveCmd) elsewhere() bool   { return c.Results != "" }
func (c *replayCmd) elsewhere() bool { return c.Recorded != "" && c.Results != "" }

// findRoot returns the checkout that a verb works in: the one that --root names, or the program's
// own. It is an absolute path, or empty where there is none.
func findRoot(named string, verb string, needed bool) (string, error) {
	if named != "" {
		if err := program.Verify(named); err != nil {
			return "", exitstatus.WrongUsage(fmt.Errorf("--root %s is no checkout of h2-keepalive-lab: "+
				"go.mod of the module h2lab or versions.env is not in it", named))
		}
		return filepath.Abs(named)
	}
	theProgram, err := program.This()
	if err != nil {
		return "", err
	}
	root, err := theProgram.Find()
	if err == nil {
		return root, nil
	}
	if !errors.Is(err, program.ErrNoCheckout) || needed {
		return "", exitstatus.Lacks(fmt.Errorf("%s needs the project's checkout, and %s lies in none; "+
			"next: run bin/h2lab of a checkout (make build), or name one: h2lab --root DIR %s", verb,
			theProgram.Path, verb))
	}
	return "", nil
}

// inRoot reports whether the working directory is the checkout, or there is no checkout: then make
// needs no -C.
func (a *app) inRoot() bool {
	if a.root == "" {
		return true
	}
	root, errA := os.Stat(a.root)
	dir, errB := os.Stat(".")
	return errA == nil && errB == nil && os.SameFile(root, dir)
}

// show formats a path so that a user can paste it: relative where it is below the working
// directory, else absolute.
func (a *app) show(path string) string {
	if a.host != nil && a.host.ShownRoot != "" {
		if rel, ok := below(a.root, path); ok {
			return filepath.Join(a.host.ShownRoot, rel)
		}
	}
	if rel, ok := below(".", path); ok {
		return rel
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// command returns a make target as a command line that a user can paste.
func (a *app) command(target string) string {
	if a.inRoot() {
		return "make " + target
	}
	return "make -C " + text.ShellWord(a.show(a.root)) + " " + target
}

// below returns path relative to dir, where it is below dir.
func below(dir, path string) (string, bool) {
	a, errA := filepath.Abs(dir)
	b, errB := filepath.Abs(path)
	if errA != nil || errB != nil {
		return "", false
	}
	rel, err := filepath.Rel(a, b)
	return rel, err == nil && filepath.IsLocal(rel)
}

// resultsDir is the directory of runs: the one that the user gave, else results/ of the checkout.
func (a *app) resultsDir(typed string) string {
	if typed == "" {
		return filepath.Join(a.root, "results")
	}
	return typed
}

// ownResults reports whether runs are kept in results/ of the checkout, the only directory that the
// pod writes to.
func (a *app) ownResults(typed string) bool {
	rel, ok := below(a.root, a.resultsDir(typed))
	return ok && rel == "results"
}

// placeForResults rejects a results directory in which runs would be mixed with other files, or
// which another command removes.
func (a *app) placeForResults(typed string) error {
	dir := a.resultsDir(typed)
	if typed != "" && (dir == "~" || strings.HasPrefix(dir, "~/")) {
		return exitstatus.WrongUsage(
			fmt.Errorf("RESULTS=%s: no shell has replaced the ~; write the whole path: RESULTS=\"$HOME%s\"",
				dir, dir[1:]))
	}
	switch owner := program.Owner(a.root, dir); {
	case a.root == "":
	case owner == ".":
		return exitstatus.WrongUsage(fmt.Errorf("RESULTS=%s is the checkout itself: runs would lie among its files; "+
			"choose a directory of their own, such as RESULTS=results", typed))
	case owner != "":
		return exitstatus.WrongUsage(fmt.Errorf("RESULTS=%s lies in %s/, which is the project's own; "+
			"choose another directory, such as RESULTS=results", typed, owner))
	}
	return nil
}
