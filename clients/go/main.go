package main

import (
	"context"
	"io"
	"os"

	"h2lab/clients/kit"
	"h2lab/internal/facts"
)

// The variants that internal/facts doesn't name.
const (
	resume       = "go-resume"
	resumeSingle = "go-resume-single-dial"
	transport    = "go-http2-transport"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return kit.Main(ctx, args, stdin, stdout, stderr, kit.Program{
		Name:        "go-client",
		Description: "Sends requests in a closed loop or at a rate over Go's HTTP client, as one kind of application does.",
		Variants: []string{string(facts.GoReplayable), string(facts.GoOnce), string(facts.GoSingleDial), resume,
			resumeSingle, transport, string(facts.GoUsers), string(facts.GoBurst)},
		Pools: true,
		New:   func(f kit.Flags) (kit.Subject, error) { return newClient(f) },
		Users: map[string]func(kit.Flags) (kit.Batch, error){string(facts.GoUsers): newUsers,
			string(facts.GoBurst): newBurst},
	})
}
