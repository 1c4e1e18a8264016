package kit

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"h2lab/internal/facts"
)

// Flags are the flags that all client programs of the lab share.
type Flags struct {
	URL         string        `name:"url" required:"" help:"Where requests go, such as https://127.0.0.1:18101/echo?ms=0; an answer of /echo is compared with what was sent."`
	Protocol    string        `enum:"h1,h2" default:"h2" help:"h1 or h2; another one negotiated is an error."`
	Variant     string        `enum:"${variants}" default:"${variant}" help:"One of ${variants}."`
	Concurrency int           `default:"100" help:"Requests in flight (1 to 10000)."`
	Pools       int           `default:"1" help:"Pools of connections they are spread over (1 to concurrency)."`
	Warmup      time.Duration `default:"1s" help:"Warm-up, from empty pools."`
	Duration    time.Duration `default:"5s" help:"Measured window."`
	CA          string        `name:"ca" help:"PEM file of the authority that signed the server's certificate; the system's are used without it."`
	Method      string        `enum:"GET,POST,PUT,PATCH" default:"POST" help:"GET, POST, PUT or PATCH."`
	BodyBytes   int           `name:"body-bytes" default:"1" help:"Bytes of request body; GET sends none (0 to 1048576)."`
	MaxTLS      string        `name:"max-tls" enum:"1.2,1.3" default:"1.3" help:"Highest TLS version offered, 1.2 or 1.3."`
	Patience    time.Duration `default:"12s" help:"How long one call may take before it is given up and counted as hung."`
	Rate        int           `help:"Requests per second over all pools, whether or not earlier ones are answered (1 to 100000); --concurrency is then the maximum in flight. Without it --concurrency requests are in flight all the time."`
	Arrivals    string        `enum:"constant,poisson" default:"constant" help:"With --rate: constant intervals between requests, or poisson, as from many independent users."`
	Seed        uint64        `default:"1" help:"Seed of poisson arrivals."`
	Think       time.Duration `help:"How long a user of a service waits between an answer and its next request."`
	Nonce       string        `help:"Begins every request id; drawn from the clock when not given."`
	JSON        bool          `name:"json" help:"Wait for a newline at READY, WARM and DONE, and answer with a line of JSON."`
}

// H1 reports whether HTTP/1.1 was requested; otherwise it is HTTP/2.
func (f Flags) H1() bool { return f.Protocol == "h1" }

// Body is the body of every request, nil for a GET.
func (f Flags) Body() []byte {
	if f.Method == http.MethodGet {
		return nil
	}
	return bytes.Repeat([]byte("1"), f.BodyBytes)
}

// Echoes reports whether the answer must equal what was sent.
func (f Flags) Echoes() bool {
	return f.Method != http.MethodGet && strings.Contains(f.URL, "/echo")
}

// ID names the n-th call of a worker; phase is "warm" or "run".
func (f Flags) ID(phase string, worker, n int) string {
	return f.Nonce + "-" + phase + "-" + strconv.Itoa(worker) + "-" + strconv.Itoa(n)
}

// parse reads and validates the command line; helped is true after --help.
func parse(args []string, stdout, stderr io.Writer, p Program) (f Flags, helped bool, err error) {
	k, err := kong.New(&f, kong.Name(p.Name), kong.Writers(stdout, stderr), kong.Description(p.Description),
		kong.Vars{"variants": strings.Join(p.Variants, ","), "variant": p.Variants[0]},
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		return f, false, err
	}
	_, err = k.Parse(args)
	if helped {
		return f, true, nil
	}
	if err == nil {
		err = f.validate(p)
	}
	if err != nil {
		return f, false, fmt.Errorf("%w: %w; see %s --help", ErrUsage, err, p.Name)
	}
	if f.Nonce == "" {
		f.Nonce = strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	return f, false, nil
}

func (f *Flags) validate(p Program) error {
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
	if err := f.validateRate(p); err != nil {
		return err
	}
	if f.Pools != 1 && !p.Pools {
		return fmt.Errorf("--pools=%d: %s has one pool; leave the flag out", f.Pools, p.Name)
	}
	if f.Warmup <= 0 || f.Duration <= 0 || f.Patience <= 0 {
		return fmt.Errorf("--warmup=%s --duration=%s --patience=%s: each must be longer than 0, such as 1s, 5s "+
			"and 12s", f.Warmup, f.Duration, f.Patience)
	}
	if _, ok := p.Users[f.Variant]; ok {
		return f.validateService()
	}
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("--url=%s is not an https address: give one such as https://127.0.0.1:18101/echo?ms=0", f.URL)
	}
	return nil
}

// mostRate is the maximum of RATE (internal/lab/plan).
const mostRate = 100_000

// validateRate checks the flags of an open loop.
func (f *Flags) validateRate(p Program) error {
	_, users := p.Users[f.Variant]
	switch {
	case f.Rate < 0 || f.Rate > mostRate:
		return fmt.Errorf("--rate=%d is out of range: give a whole number from 1 to %d", f.Rate, mostRate)
	case f.Rate == 0 && facts.Arrivals(f.Arrivals) != facts.Constant:
		return fmt.Errorf("--arrivals=%s has no --rate: give one such as --rate=2000", f.Arrivals)
	case f.Rate > 0 && (users || p.NewBatch != nil):
		return fmt.Errorf("--rate=%d: %s of %s sends its requests itself and takes no rate; leave the flag out", f.Rate,
			f.Variant, p.Name)
	}
	return nil
}

// validateService checks the address of a service: load by thousands of users goes to this machine
// only.
func (f *Flags) validateService() error {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" {
		return fmt.Errorf("--url=%s is no service of this machine: %s requires one such as "+
			"http://127.0.0.1:18301/wait?ms=50", f.URL, f.Variant)
	}
	if !f.H1() {
		return fmt.Errorf("--protocol=%s: %s speaks HTTP/1.1 only; give --protocol=h1", f.Protocol, f.Variant)
	}
	return nil
}
