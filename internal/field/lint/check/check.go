// Package check reads the configurations given to `h2lab lint`, detects which server they belong to,
// and runs that server's linter on them.
package check

import (
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
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/sarif"
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
	paths []string
	files []lint.File
	kind  kind
}

// Run reads and lints a configuration. paths are files, directories or - for standard input; when
// kindName is empty, Run detects the kind from the first file. It starts no process and uses no
// network.
func Run(ctx context.Context, paths []string, kindName string, o lint.Options) (*Result, error) {
	in, err := open(ctx, paths, kindName, &o)
	if err != nil {
		return nil, err
	}
	r, err := in.lint(ctx, func() (lint.Report, error) { return in.kind.lint(in.files, o) })
	if err != nil {
		return nil, err
	}
	return in.result(r), nil
}

func (in *input) result(r lint.Report) *Result {
	return &Result{Report: r, name: in.paths[0], rules: in.kind.rules()}
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
	k, err := kindOf(kindName, files)
	if err != nil {
		return nil, err
	}
	if k.single && len(files) > 1 {
		return nil, exitstatus.WrongUsage(fmt.Errorf("lint: %s includes its files itself: give %s alone",
			k.name, files[0].Name))
	}
	return &input{paths, files, k}, nil
}

// lint runs a linter. The largest accepted file can keep one busy for seconds; await.Result returns as
// soon as ctx ends.
func (in *input) lint(ctx context.Context, work func() (lint.Report, error)) (lint.Report, error) {
	r, err := await.Result(ctx, work)
	var syntax *lint.SyntaxError
	if errors.As(err, &syntax) {
		return r, explained(syntax, in.kind.name, in.files)
	}
	return r, err
}

func checkFlags(paths []string, o lint.Options) error {
	if _, _, err := lint.ParseVersion(o.Version); err != nil {
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
	if !r.Report.HasError() {
		return nil
	}
	errs := 0
	for _, f := range r.Report.Findings {
		if f.Severity == lint.Error {
			errs++
		}
	}
	return exitstatus.Contradicts(fmt.Errorf("lint: %s in %s", text.Things(errs, "error"), r.name))
}
