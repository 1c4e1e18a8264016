package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"h2lab/internal/lab"
)

// The exit statuses, as everywhere in the lab.
const (
	done       = 0
	couldNot   = 1
	wrongUsage = 2
	isMissing  = 3
)

// flags are the command line that all client programs of the lab share.
type flags struct {
	URL         string        `name:"url" required:"" help:"Where requests go, such as https://127.0.0.1:18101/echo?ms=0; an answer of /echo is compared with what was sent."`
	Protocol    string        `enum:"h1,h2" default:"h2" help:"h1 or h2; another one negotiated is an error."`
	Variant     string        `enum:"go-replayable,go-once,go-single-dial" default:"go-replayable" help:"go-replayable, go-once or go-single-dial."`
	Concurrency int           `default:"100" help:"Requests in flight (1 to 10000)."`
	Pools       int           `default:"1" help:"Transports they are spread over (1 to concurrency)."`
	Warmup      time.Duration `default:"1s" help:"Warm-up, from empty pools."`
	Duration    time.Duration `default:"5s" help:"Measured window."`
	CA          string        `name:"ca" help:"PEM file of the authority that signed the server's certificate; the system's are used without it."`
	Method      string        `enum:"GET,POST,PUT,PATCH" default:"POST" help:"GET, POST, PUT or PATCH."`
	BodyBytes   int           `name:"body-bytes" default:"1" help:"Bytes of request body; GET sends none (0 to 1048576)."`
	MaxTLS      string        `name:"max-tls" enum:"1.2,1.3" default:"1.3" help:"Highest TLS version offered, 1.2 or 1.3."`
	Nonce       string        `help:"Begins every request id; drawn from the clock when not given."`
	JSON        bool          `name:"json" help:"Wait for a newline at READY, WARM and DONE, and answer with a line of JSON."`
}

// errUsage marks what the command line got wrong, errMissing what is not there.
var (
	errUsage   = errors.New("wrong usage")
	errMissing = errors.New("missing")
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f, helped, err := parse(args, stdout, stderr)
	if helped {
		return done
	}
	if err == nil {
		err = measure(ctx, f, newTalk(f.JSON, stdin, stdout), stdout)
	}
	if err == nil {
		return done
	}
	fmt.Fprintln(stderr, "go-client:", err)
	switch {
	case errors.Is(err, errUsage):
		return wrongUsage
	case errors.Is(err, errMissing):
		return isMissing
	}
	return couldNot
}

// parse reads and validates the command line; helped is true after --help.
func parse(args []string, stdout, stderr io.Writer) (f flags, helped bool, err error) {
	k, err := kong.New(&f, kong.Name("go-client"), kong.Writers(stdout, stderr),
		kong.Description("Sends requests in a closed loop over net/http, as one kind of application does."),
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		return f, false, err
	}
	_, err = k.Parse(args)
	if helped {
		return f, true, nil
	}
	if err == nil {
		err = f.validate()
	}
	if err != nil {
		return f, false, fmt.Errorf("%w: %w; see go-client --help", errUsage, err)
	}
	if f.Nonce == "" {
		f.Nonce = strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	return f, false, nil
}

func (f *flags) validate() error {
	for _, r := range []struct {
		name          string
		got, min, max int
	}{
		{"concurrency", f.Concurrency, 1, 10000},
		{"pools", f.Pools, 1, f.Concurrency},
		{"body-bytes", f.BodyBytes, 0, 1 << 20},
	} {
		if r.got < r.min || r.got > r.max {
			return fmt.Errorf("--%s=%d is out of range: give a whole number from %d to %d", r.name, r.got, r.min, r.max)
		}
	}
	if f.Warmup <= 0 || f.Duration <= 0 {
		return fmt.Errorf("--warmup=%s --duration=%s: both must be longer than nothing, such as 1s and 5s", f.Warmup, f.Duration)
	}
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("--url=%s is no https address: give one such as https://127.0.0.1:18101/echo?ms=0", f.URL)
	}
	return nil
}

// measure is the order of things: warm up, agree, measure, agree, answer.
func measure(ctx context.Context, f flags, t *talk, stdout io.Writer) error {
	c, err := newClient(f)
	if err != nil {
		return err
	}
	defer c.close()
	if err := t.meet("READY"); err != nil {
		return err
	}
	warm, err := c.window(ctx, "warm", f.Warmup)
	if err != nil {
		return err
	}
	if err := warm.anySucceeded(); err != nil {
		return err
	}
	if err := t.meet("WARM"); err != nil {
		return err
	}
	before := c.meter.read()
	w, err := c.window(ctx, "run", f.Duration)
	if err != nil {
		return err
	}
	if err := t.meet("DONE"); err != nil {
		return err
	}
	a := newAnswer(warm, w, before, c.meter.read())
	if f.JSON {
		return a.writeJSON(stdout)
	}
	return a.writeText(stdout, lab.Client(f.Variant))
}
