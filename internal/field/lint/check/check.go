// Package check reads the configurations given to `h2lab lint`, detects which server they belong to,
// and runs that server's linter on them.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/envoyconf"
	"h2lab/internal/field/lint/fix"
	"h2lab/internal/field/lint/haproxyconf"
	"h2lab/internal/field/lint/ingressconf"
	"h2lab/internal/field/lint/nginxconf"
	"h2lab/internal/field/lint/sarif"
	"h2lab/internal/field/lint/traefikconf"
	"h2lab/internal/field/lint/unsupported"
)

// mostInFlight is more than any server allows on one connection.
const mostInFlight = 1_000_000

// Result is a report on the configuration of one server.
type Result struct {
	Report lint.Report
	name   string // the first path, as the user gave it
	rules  []lint.Rule
}

// input is a configuration that was read, and its kind.
type input struct {
	lint.Kind
	name  string // the first path, as the user gave it
	files []lint.File
}

// Run reads and lints a configuration. paths are files, directories or - for standard input; when
// kindName is empty, Run detects the kind from the first file. It starts no process and uses no
// network.
func Run(ctx context.Context, paths []string, kindName string, o lint.Options) (*Result, error) {
	in, err := open(ctx, paths, kindName, &o)
	if err != nil {
		return nil, err
	}
	r, err := in.lint(ctx, func() (lint.Report, error) { return in.Lint(in.files, o) })
	if err != nil {
		return nil, err
	}
	return &Result{r, in.name, in.Rules()}, nil
}

// open reads the files and finds their kind.
func open(ctx context.Context, paths []string, kindName string, o *lint.Options) (*input, error) {
	o.Version = strings.TrimPrefix(o.Version, "nginx/")
	if err := checkFlags(paths, *o); err != nil {
		return nil, exitstatus.WrongUsage(fmt.Errorf("lint: %w", err))
	}
	files, err := read(ctx, paths, kindName)
	if err != nil {
		return nil, err
	}
	k, err := kindOf(kindName, files[0])
	if err != nil {
		return nil, err
	}
	if k.Single && len(files) > 1 {
		return nil, exitstatus.WrongUsage(fmt.Errorf("lint: %s includes its files itself: give %s alone",
			k.Name, files[0].Name))
	}
	return &input{k, paths[0], files}, nil
}

// lint runs a linter. The largest accepted file can keep one busy for seconds; await.Result returns as
// soon as ctx ends.
func (in *input) lint(ctx context.Context, work func() (lint.Report, error)) (lint.Report, error) {
	r, err := await.Result(ctx, work)
	if syntax, is := errors.AsType[*lint.SyntaxError](err); is {
		err = in.explained(syntax)
	}
	return r, err
}

func checkFlags(paths []string, o lint.Options) error {
	if _, err := versions.Parse(o.Version); err != nil && o.Version != "" {
		return err
	}
	switch {
	case o.InFlight < 0 || o.InFlight > mostInFlight:
		return fmt.Errorf("--in-flight %d is out of range: give 1 to %d", o.InFlight, mostInFlight)
	case len(paths) > 1 && slices.Contains(paths, "-"):
		return errors.New("- stands for standard input and can't be given beside other files")
	}
	return nil
}

// WriteText writes the report for a person.
func (r *Result) WriteText(w io.Writer, l texts.Language) error {
	lint.Text(w, l, r.name, r.Report)
	return nil
}

// WriteJSON writes one JSON document.
func (r *Result) WriteJSON(w io.Writer) error { return lint.JSON(w, r.name, r.Report) }

// WriteSARIF writes SARIF 2.1.0, with files relative to the working directory.
func (r *Result) WriteSARIF(w io.Writer) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return sarif.Write(w, dir, r.Report, r.rules)
}

// Contradiction is the error that lint ends with when a finding is an error; nil otherwise.
func (r *Result) Contradiction() error {
	errs := 0
	for _, f := range r.Report.Findings {
		if f.Severity == lint.Error {
			errs++
		}
	}
	if errs == 0 {
		return nil
	}
	return exitstatus.Contradicts(fmt.Errorf("lint: %s in %s", text.Things(errs, "error"), r.name))
}

// explained is the error on a file that can't be read: what the file is when no kind of lint reads it.
func (in *input) explained(syntax *lint.SyntaxError) error {
	next := "; mend that and lint again"
	for _, f := range in.files {
		if f.Name != syntax.File || in.Name == lint.Nginx { // nginxconf asks itself
			continue
		}
		if err := unsupported.Named(f); err != nil {
			return err
		}
		if unsupported.Template(f) != nil {
			next = "; the file is a template: fill it in and lint the result"
		}
	}
	return errors.New(lint.Plain(syntax.Error()) + next)
}

// Fixed is what the fixes of a configuration change, and the report on the changed files.
type Fixed struct {
	*Result
	fixes *fix.Result
}

// Fix lints a configuration of nginx and applies the fixes in memory.
func Fix(ctx context.Context, paths []string, kindName string, o lint.Options) (*Fixed, error) {
	in, err := open(ctx, paths, kindName, &o)
	if err != nil {
		return nil, err
	}
	if in.Name != lint.Nginx {
		return nil, exitstatus.WrongUsage(fmt.Errorf("lint: --fix and --patch change files of nginx alone, and %s is one of "+
			"%s: apply the fixes of `h2lab lint %[1]s` by hand", in.name, in.Name))
	}
	fixes, err := await.Result(ctx, func() (*fix.Result, error) {
		return fix.Run(func(changed map[string][]byte) (lint.Report, error) {
			return in.lint(ctx, func() (lint.Report, error) { return nginxconf.LintChanged(changed, in.files, o) })
		})
	})
	if err != nil {
		return nil, err
	}
	return &Fixed{&Result{fixes.After, in.name, in.Rules()}, fixes}, nil
}

// WritePatch writes the changes as a unified diff.
func (f *Fixed) WritePatch(w io.Writer) error { return f.fixes.Patch(w) }

// Apply writes the changed files and reports what was done, and what is left.
func (f *Fixed) Apply(w io.Writer, l texts.Language) error {
	if f.name == "-" {
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

// kinds are tried in this order on a file: those that can be recognised with certainty first, nginx
// last, because its directives may appear in any file.
var kinds = []lint.Kind{envoyconf.Kind, ingressconf.Kind, traefikconf.Kind, haproxyconf.Kind, nginxconf.Kind}

// Rules lists the rules of all kinds.
func Rules() []lint.Rule {
	var out []lint.Rule
	for _, k := range kinds {
		out = append(out, k.Rules()...)
	}
	return out
}

// kindOf returns the kind of that name; without a name, the kind that the file looks like. An
// unrecognised .conf counts as nginx, because it may be an incomplete nginx file, and the error of the
// nginx linter then names the line.
func kindOf(name string, f lint.File) (lint.Kind, error) {
	object, sure := unsupported.Object(f)
	if name == "" && sure {
		return lint.Kind{}, object
	}
	for _, k := range kinds {
		if k.Name == name || name == "" && k.Looks(f) {
			return k, nil
		}
	}
	if err := cmp.Or(object, unsupported.Program(f)); err != nil {
		return lint.Kind{}, err
	}
	if strings.HasSuffix(f.Name, ".conf") {
		return nginxconf.Kind, nil
	}
	return lint.Kind{}, cmp.Or(unsupported.Template(f), unsupported.Sections(f), unsupported.Settings(f),
		fmt.Errorf("lint: %s looks like no configuration of %s: say whose it is with --kind", f.Name,
			strings.Join(lint.Kinds, ", ")))
}
