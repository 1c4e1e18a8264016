package check

import (
	"context"
	"errors"
	"fmt"
	"io"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/fix"
	"h2lab/internal/field/lint/nginxconf"
)

// Fixed is what the fixes of a configuration change, and the report on the changed files.
type Fixed struct {
	*Result
	main  string
	fixes *fix.Result
}

// Fix lints a configuration of nginx and applies the fixes in memory.
func Fix(ctx context.Context, paths []string, kindName string, o lint.Options) (*Fixed, error) {
	in, err := open(ctx, paths, kindName, &o)
	if err != nil {
		return nil, err
	}
	if in.kind.name != lint.Nginx {
		return nil, exitstatus.WrongUsage(fmt.Errorf("lint: --fix and --patch change files of nginx alone, and %s is one of "+
			"%s: apply the fixes of `h2lab lint %[1]s` by hand", paths[0], in.kind.name))
	}
	fixes, err := await.Result(ctx, func() (*fix.Result, error) {
		return fix.Run(func(changed map[string][]byte) (lint.Report, error) {
			return in.lint(ctx, func() (lint.Report, error) { return nginxconf.LintChanged(changed, in.files, o) })
		})
	})
	if err != nil {
		return nil, err
	}
	return &Fixed{in.result(fixes.After), in.files[0].Name, fixes}, nil
}

// WritePatch writes the changes as a unified diff.
func (f *Fixed) WritePatch(w io.Writer) error { return f.fixes.Patch(w) }

// Apply writes the changed files and reports what was done, and what is left.
func (f *Fixed) Apply(w io.Writer, l texts.Language) error {
	if f.main == "-" {
		return exitstatus.WrongUsage(errors.New("lint: --fix writes files and - is standard input: give the file, or print " +
			"the changes with --patch"))
	}
	if err := f.fixes.Refusal(); err != nil {
		return err
	}
	written, err := f.fixes.Write()
	for _, one := range written {
		fmt.Fprintln(w, l.In(facts.T("lint.changed", lint.Plain(one.Name), lint.Plain(one.Backup))))
	}
	if err != nil {
		return err
	}
	if len(written) == 0 {
		fmt.Fprintln(w, l.In(facts.T("lint.nothing-to-change")))
		return nil
	}
	done := facts.T("lint.fixed", text.Count(f.fixes.Fixed))
	if !f.Report.Then.IsZero() {
		done = facts.Join("join.semicolon", done, facts.T("lint.may-be-set-again"))
	}
	_, err = fmt.Fprintf(w, "%s\n\n", l.In(done))
	return err
}
