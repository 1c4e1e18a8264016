package main

import (
	"os"

	"h2lab/internal/lab/podexec"
)

// handCmd waits in a client container for programs to run.
type handCmd struct {
	Socket string `help:"Where to listen; @NAME is an abstract name." required:""`
}

// Run starts what it is asked to, one program at a time.
func (c *handCmd) Run(a *app) error { return podexec.Serve(a.ctx, c.Socket) }

// reachCmd stands for a program that a hand runs elsewhere.
type reachCmd struct {
	Socket  string   `help:"Where the hand listens." required:""`
	Program []string `arg:"" help:"The program and its arguments, after --."`
}

// Run has the program's input, output and exit status.
func (c *reachCmd) Run(a *app) error {
	streams := podexec.Streams{Stdin: os.Stdin, Stdout: file(a.stdout), Stderr: file(a.stderr)}
	ended, err := podexec.Reach(a.ctx, c.Socket, c.Program, streams)
	if err != nil {
		return err
	}
	if ended.Signal != "" {
		a.say("the program was ended by a signal: %s", ended.Signal)
	}
	if ended.Status != statusDone {
		return relayed{childStatus(ended.Status)}
	}
	return nil
}

// relayed is the exit status of a program that has had its say.
type relayed struct{ childStatus }

func (r relayed) Unwrap() error { return r.childStatus }
