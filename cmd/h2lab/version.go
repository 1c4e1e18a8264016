package main

import "h2lab/internal/base/versions"

type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON document. Null is what this build doesn't record."`
}

// Help shows what a user can paste.
func (c *versionCmd) Help() string { return examples("h2lab version", "h2lab version --json") }

// Run prints which build of h2lab this is.
func (c *versionCmd) Run(a *app) error {
	if c.JSON {
		return versions.Own().WriteJSON(a.stdout)
	}
	return versions.Own().WriteText(a.stdout)
}

// asVersion makes `h2lab --version` the verb version. It is no flag of kong's: lint has a --version
// of its own, and kong allows one only.
func asVersion(args []string) []string {
	if len(args) > 0 && args[0] == "--version" {
		return append([]string{"version"}, args[1:]...)
	}
	return args
}
