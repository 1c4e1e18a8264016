//go:build linux

package native

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fakeEnv makes the test binary act as a server, or an h2lab, when it is started as a child: a real
// process with real ports and signals.
const fakeEnv = "LAUNCH_TEST_FAKE"

// backendMode is the behaviour of the fake backend; a fake nginx reads it from its configuration
// ("mode NAME").
const backendMode = "LAUNCH_TEST_BACKEND"

func TestMain(m *testing.M) {
	switch os.Getenv(fakeEnv) {
	case "":
		if err := os.Setenv(fakeEnv, "server"); err != nil { // for the children
			panic(err)
		}
		os.Exit(m.Run())
	case "server":
		os.Exit(fakeServer(os.Args[1:]))
	case "h2lab":
		os.Exit(fakeH2lab(os.Args[1:]))
	}
}

// fakeServer acts as the program that its arguments belong to: nginx, envoy, k6 or the backend.
func fakeServer(args []string) int {
	switch {
	case args[0] == "-v" || args[0] == "--version" || args[0] == "version":
		return fakeVersion(filepath.Base(os.Args[0]))
	case args[0] == "-p":
		return fakeNginx(args[1] + args[3])
	case args[0] == "-T":
		text, _ := os.ReadFile(args[2] + args[4])
		fmt.Printf("# configuration file %s%s:\n%s", args[2], args[4], text)
		return 0
	case isServiceMark(args[0]):
		flags := flag.NewFlagSet("service", flag.ExitOnError)
		port, counters := flags.String("port", "", ""), flags.String("counters", "", "")
		_, _, _ = flags.String("ca", "", ""), flags.String("cert", "", ""), flags.String("key", "", "")
		flags.Func("upstream", "", func(string) error { return nil })
		_ = flags.Parse(args[1:])
		return serveService(strings.TrimPrefix(args[0], serviceMark), *port, *counters)
	case args[0] == "--listen":
		flags := flag.NewFlagSet("backend", flag.ExitOnError)
		front, counters := flags.String("listen", "", ""), flags.String("counters", "", "")
		_, _ = flags.String("cert", "", ""), flags.String("key", "", "")
		_ = flags.Parse(args)
		return serve(os.Getenv(backendMode), *front, *counters)
	}
	fmt.Fprintln(os.Stderr, "the fake doesn't know what to be:", args)
	return 2
}

// fakeVersion prints the content of the file PROGRAM.version, as the program would.
func fakeVersion(tool string) int {
	version := "1.22.1"
	if text, err := os.ReadFile(os.Args[0] + ".version"); err == nil {
		version = string(text)
	}
	switch tool {
	case "envoy":
		fmt.Printf("\nenvoy  version: 9e5580933739775e8bce696a57a2e1bc99368f23/%s/Clean/RELEASE/BoringSSL\n\n", version)
	case "k6":
		fmt.Printf("k6 v%s (go1.26.8, linux/amd64)\n", version)
	default:
		fmt.Fprintf(os.Stderr, "nginx version: nginx/%s\n", version)
	}
	return 0
}

// fakeNginx reads its configuration from lines "front ADDR", "counters ADDR", "mode NAME".
func fakeNginx(config string) int {
	f, err := os.Open(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	words := map[string]string{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		name, value, _ := strings.Cut(scan.Text(), " ")
		words[name] = value
	}
	return serve(words["mode"], words["front"], words["counters"])
}

// serveService acts as a service whose name is its behaviour, or as a gateway where it has counters.
func serveService(name, port, counters string) int {
	switch name {
	case "no-class":
		fmt.Fprintln(os.Stderr, "Error: Could not find or load main class h2lab.service.Main")
		return 1
	case "no-heap":
		fmt.Println("Terminating due to java.lang.OutOfMemoryError: Java heap space")
		return 3
	case "scg":
		return serve("", "127.0.0.1:"+port, "127.0.0.1:"+counters)
	}
	return serve(name, "127.0.0.1:0", "127.0.0.1:"+port) // plain HTTP, as the fakes' counters
}

// serve answers health requests on both addresses until it gets a signal.
func serve(mode, front, counters string) int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGQUIT)
	die := make(chan int, 1)
	switch mode {
	case "dies":
		fmt.Fprintln(os.Stderr, "starting")
		fmt.Fprintln(os.Stderr, "[emerg] the disk is on fire")
		return 3
	case "exits":
		return 0
	case "garbage":
		fmt.Print(strings.Repeat("\x1b[2J\xff\x00", 50_000))
		fmt.Fprintln(os.Stderr, "\n\x1b[31mred\a")
		return 1
	case "elsewhere":
		front, counters = "127.0.0.1:0", "127.0.0.1:0"
	case "forks": // as a daemon does
		daemon := exec.Command(os.Args[0], "-p", "", "-c", "/dev/null")
		daemon.Args[2], daemon.Args[4] = filepath.Dir(os.Args[0])+"/", "worker.conf"
		daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := daemon.Start(); err != nil {
			return 1
		}
		return 0
	case "mute": // never listens
		<-stop
		return 0
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGQUIT)
	case "with-worker": // leaves a child behind when it is killed
		worker := exec.Command(os.Args[0], "-p", "", "-c", "/dev/null")
		worker.Args[2], worker.Args[4] = filepath.Dir(os.Args[0])+"/", "worker.conf"
		if err := worker.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		go func() { _ = worker.Wait() }()
		defer func() { _ = worker.Process.Kill() }()
	}
	health := http.NewServeMux()
	health.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	health.HandleFunc("/die", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "worker process 7 exited on signal 11")
		die <- 139
	})
	go func() { fmt.Fprintln(os.Stderr, http.ListenAndServe(counters, health)); die <- 1 }()
	go func() {
		fmt.Fprintln(os.Stderr, http.ListenAndServeTLS(front, certFile, keyFile, health))
		die <- 1
	}()
	select {
	case <-stop:
		return 0
	case code := <-die:
		return code
	}
}

// fakeH2lab starts the backend as h2lab would (root, front, counters, detach or not), saves the
// state, prints "up" and waits to be killed.
func fakeH2lab(args []string) int {
	if err := os.Setenv(fakeEnv, "server"); err != nil {
		return 1
	}
	detach := args[3] == "detach"
	site, err := Up(context.Background(), Options{Root: args[0], Tools: Tools{Backend: os.Args[0]}, Detach: detach},
		[]labServer{backendAt(args[1], args[2])})
	if err == nil {
		err = site.Save(filepath.Join(args[0], StateFile))
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("up")
	if !detach {
		select {} // until it is killed
	}
	return 0
}
