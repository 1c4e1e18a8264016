package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/sarif"
)

type lintCmd struct {
	Paths []string `arg:"" name:"path" help:"A configuration, the directory it is in, or - for standard input (such as nginx -vT 2>&1)."`

	Kind     string `enum:",nginx,envoy,haproxy,traefik,ingress-nginx" default:"" placeholder:"KIND" help:"Whose it is: nginx, envoy, haproxy, traefik or ingress-nginx. Seen from the file when not given."`
	Version  string `aliases:"nginx-version" placeholder:"V" help:"The server's version, such as 1.22.1: defaults depend on it."`
	InFlight int    `placeholder:"N" help:"Requests that a client has in flight on one connection. Default: 100."`

	JSON  bool `name:"json" xor:"form" help:"Print one JSON document."`
	SARIF bool `name:"sarif" xor:"form" help:"Print SARIF 2.1.0, for code hosts."`
}

// Help shows what a user can paste.
func (c *lintCmd) Help() string {
	return "Examples:\n  h2lab lint /etc/nginx/nginx.conf\n  nginx -vT 2>&1 | h2lab lint -\n  h2lab lint --kind envoy --sarif envoy.yaml > lint.sarif\n" +
		"Ends with 4 when a finding is an error, else with 0."
}

// mostInFlight is above what any server allows on one connection.
const mostInFlight = 1_000_000

// Run reads, judges and prints. Nothing is started and nobody is asked.
func (c *lintCmd) Run(a *app) error {
	o := lint.Options{Version: strings.TrimPrefix(c.Version, "nginx/"), InFlight: c.InFlight}
	if _, _, err := lint.ParseVersion(o.Version); err != nil {
		return usageError{fmt.Errorf("lint: %w", err)}
	}
	if c.InFlight < 0 || c.InFlight > mostInFlight {
		return usageError{fmt.Errorf("lint: --in-flight %d is out of range: give 1 to %d", c.InFlight, mostInFlight)}
	}
	if len(c.Paths) > 1 && slices.Contains(c.Paths, "-") {
		return usageError{errors.New("lint: - stands for standard input and can't be given beside other files")}
	}
	files, err := readConfigurations(a, c.Paths, c.Kind)
	if err != nil {
		return err
	}
	k, err := lintKindOf(c.Kind, files)
	if err != nil {
		return err
	}
	if k.single && len(files) > 1 {
		return usageError{fmt.Errorf("lint: %s includes its files itself: give %s alone", k.name, files[0].Name)}
	}
	r, err := judged(a.ctx, func() (lint.Report, error) { return k.lint(files, o) })
	if err != nil {
		var syntax *lint.SyntaxError
		if errors.As(err, &syntax) {
			return errors.New(lint.Plain(err.Error()) + "; mend that and lint again")
		}
		return err
	}
	return c.print(a, r, k)
}

// judged waits for a report, but not after an interrupt: the largest file that is
// taken can keep a linter busy for seconds, and nothing is left behind by leaving.
func judged(ctx context.Context, work func() (lint.Report, error)) (lint.Report, error) {
	type answer struct {
		report lint.Report
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		r, err := work()
		done <- answer{r, err}
	}()
	select {
	case <-ctx.Done():
		return lint.Report{}, ctx.Err()
	case got := <-done:
		return got.report, got.err
	}
}

func (c *lintCmd) print(a *app, r lint.Report, k lintKind) error {
	name := c.Paths[0]
	switch {
	case c.JSON:
		if err := lint.JSON(a.stdout, name, r); err != nil {
			return err
		}
	case c.SARIF:
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		if err := sarif.Write(a.stdout, dir, r, k.rules); err != nil {
			return err
		}
	default:
		lint.Text(a.stdout, name, r)
	}
	if !r.HasError() {
		return nil
	}
	errs := 0
	for _, f := range r.Findings {
		if f.Severity == lint.Error {
			errs++
		}
	}
	return contradiction{fmt.Errorf("lint: %s in %s", numfmt.Things(errs, "error"), name)}
}
