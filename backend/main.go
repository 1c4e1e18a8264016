package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// The exit statuses, as everywhere in the lab.
const (
	done       = 0
	couldNot   = 1
	wrongUsage = 2
	isMissing  = 3
)

const usageText = `backend is the lab's server behind the proxies: TLS, HTTP/2 and HTTP/1.1, no limit on requests ` +
	`per connection.

  backend --listen 127.0.0.1:18443 --counters 127.0.0.1:18090 --cert certs/out/server.crt --key certs/out/server.key

  --listen ADDR     TLS front (default 127.0.0.1:18443): /delay?ms= /check?ms= /echo?ms=
                    /post/{ms}/{items} /healthz, gRPC h2lab.Echo/Say
  --counters ADDR   plain HTTP, loopback only (default 127.0.0.1:18090): /ledger.json /timings.json /metrics
                    /healthz, POST /ids/forget
  --cert FILE       certificate (default certs/out/server.crt)
  --key FILE        its private key (default certs/out/server.key)
  --grace TIME      how long a stop waits for answers in flight (default 5s)

  /delay   answers 200 after ms milliseconds, without a body       /check   the same, with the body "ok"
  /echo    sends the body back after ms, for any method
  /post    takes JSON and answers after ms with that many random fields; X-Lab-Text-Length is the sum of the
           lengths of the string values it received, in UTF-16 units
  /timings.json   how many requests took how long since the start: {"unit":"us","counts":[[time,count],…]}

TLS 1.2 and 1.3; session tickets as Go has them: on.
`

type config struct {
	listen, counters, cert, key string
	grace                       time.Duration
}

// Running the garbage collector less often makes a request cost about a tenth less processor time
// (measured over h2, GOGC 100 against 400); the soft memory limit bounds the memory under attack.
const (
	gcPercent   = 400
	memoryLimit = 512 << 20
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // after the first signal a second one ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	logs := log.New(stderr, "backend: ", 0)
	err := start(ctx, args, logs)
	switch {
	case err == nil:
		return done
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usageText)
		return done
	}
	logs.Print(err)
	switch {
	case errors.Is(err, errUsage):
		return wrongUsage
	case errors.Is(err, errMissing):
		return isMissing
	}
	return couldNot
}

func start(ctx context.Context, args []string, logs *log.Logger) error {
	cfg, err := parse(args)
	if err != nil {
		return err
	}
	cert, err := loadCert(cfg.cert, cfg.key, time.Now())
	if err != nil {
		return err
	}
	s, err := open(cfg, cert, logs)
	if err != nil {
		return err
	}
	logs.Printf("serving h2 and http/1.1 over TLS on %s, the ledger on http://%s/ledger.json; %s (%s) is good until %s",
		s.frontLn.Addr(), s.cntrLn.Addr(), cfg.cert, cert.Leaf.PublicKeyAlgorithm,
		cert.Leaf.NotAfter.Format(time.RFC3339))
	return s.serve(ctx)
}

// parse reads the flags and checks what it can check without opening files or ports.
func parse(args []string) (config, error) {
	var cfg config
	fs := flag.NewFlagSet("backend", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // run prints the error
	fs.StringVar(&cfg.listen, "listen", "127.0.0.1:18443", "")
	fs.StringVar(&cfg.counters, "counters", "127.0.0.1:18090", "")
	fs.StringVar(&cfg.cert, "cert", "certs/out/server.crt", "")
	fs.StringVar(&cfg.key, "key", "certs/out/server.key", "")
	fs.DurationVar(&cfg.grace, "grace", 5*time.Second, "")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return cfg, err
	} else if err != nil {
		return cfg, usage("%v; see: backend --help", err)
	}
	if fs.NArg() > 0 {
		return cfg, usage("unexpected argument %q; see: backend --help", fs.Arg(0))
	}
	if cfg.grace <= 0 {
		return cfg, usage("--grace %s is not a time above zero; use e.g. --grace 5s", cfg.grace)
	}
	if _, _, err := net.SplitHostPort(cfg.listen); err != nil {
		return cfg, usage("--listen %q is not HOST:PORT; use e.g. --listen 127.0.0.1:18443", cfg.listen)
	}
	return cfg, loopbackOnly(cfg.counters)
}
