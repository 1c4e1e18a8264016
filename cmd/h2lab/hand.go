package main

import (
	"os"

	"h2lab/internal/lab/podexec"
)

// handCmd waits in a client container for requests to run a program.
type handCmd struct {
	Socket string `help:"Where to listen; @NAME is an abstract name." required:""`
}

// Run starts the requested programs, one at a time.
func (c *handCmd) Run(a *app) error { return podexec.Serve(a.ctx, c.Socket) }

// reachCmd runs a program in a client container, by that container's `h2lab hand`.
type reachCmd struct {
	Socket  string   `help:"Where h2lab hand listens." required:""`
	Program []string `arg:"" help:"The program and its arguments, after --."`
}

// Run passes on the program's input, output and exit status.
func (c *reachCmd) Run(a *app) error {
	streams := podexec.Streams{Stdin: os.Stdin, Stdout: file(a.stdout), Stderr: file(a.stderr)}
	ended, err := podexec.Reach(a.ctx, c.Socket, c.Program, streams)
	if err != nil {
		return err
	}
	if ended.Signal != "" {
		a.message("the program was ended by a signal: %s", ended.Signal)
	}
	if ended.Status != statusDone {
		return relayed{ended.Status}
	}
	return nil
}
