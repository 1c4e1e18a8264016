package main

import (
	"io"

	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/check"
)

type lintCmd struct {
	Paths []string `arg:"" name:"path" help:"A configuration, the directory it is in, or - for standard input (such as nginx -vT 2>&1)."`

	Kind     string `enum:",nginx,envoy,haproxy,traefik,ingress-nginx" default:"" placeholder:"KIND" help:"The kind of configuration: nginx, envoy, haproxy, traefik or ingress-nginx. Default: recognised from the file."`
	Version  string `aliases:"nginx-version" placeholder:"V" help:"The server's version, such as 1.22.1: defaults depend on it."`
	InFlight int    `placeholder:"N" help:"Requests that a client has in flight on one connection. Default: 100."`

	JSON  bool `name:"json" xor:"form" help:"Print one JSON document."`
	SARIF bool `name:"sarif" xor:"form" help:"Print SARIF 2.1.0, for code hosts."`
	Fix   bool `xor:"form" help:"Apply the fixes to nginx's files, with backups (.NAME.before-lint), and print the remaining findings."`
	Patch bool `xor:"form" help:"Print the fixes as a unified diff and write nothing."`
}

// Help shows what a user can paste.
func (c *lintCmd) Help() string {
	return "Examples:\n  h2lab lint /etc/nginx/nginx.conf\n  nginx -vT 2>&1 | h2lab lint -\n  h2lab lint --kind " +
		"envoy --sarif envoy.yaml > lint.sarif\n" +
		"  h2lab lint --patch --version 1.26.2 nginx.conf | patch -p0\n" +
		"Exit status: 4 if a finding is an error, else 0."
}

// Run reads the configuration, applies the rules and prints the findings. It starts no program and
// connects to no server.
func (c *lintCmd) Run(a *app) error {
	o := lint.Options{Version: c.Version, InFlight: c.InFlight}
	if c.Fix || c.Patch {
		return c.fix(a, o)
	}
	r, err := check.Run(a.ctx, c.Paths, c.Kind, o)
	if err != nil {
		return err
	}
	print := func(w io.Writer) error { return r.WriteText(w, texts.Language(a.language)) }
	switch {
	case c.JSON:
		print = r.WriteJSON
	case c.SARIF:
		print = r.WriteSARIF
	}
	if err := print(a.stdout); err != nil {
		return err
	}
	return r.Contradiction()
}

// fix applies the fixes: to the files, or as a diff on stdout.
func (c *lintCmd) fix(a *app, o lint.Options) error {
	r, err := check.Fix(a.ctx, c.Paths, c.Kind, o)
	if err != nil {
		return err
	}
	if c.Patch {
		err = r.WritePatch(a.stdout)
	} else if err = r.Apply(a.stdout, texts.Language(a.language)); err == nil {
		err = r.WriteText(a.stdout, texts.Language(a.language))
	}
	if err != nil {
		return err
	}
	return r.Contradiction()
}
