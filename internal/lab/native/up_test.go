//go:build linux

package native

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func TestATopologyComesUpTheBackendFirstAndGoesDownWithoutATrace(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	write(t, root, servers[0].UsedLog, "a line of yesterday\n")
	site := mustUp(t, opts, servers)

	if got := site.Servers(); got[0].Name != "backend" || got[1].Name != "nginx-1000" {
		t.Errorf("started in the order %v, want the backend first", got)
	}
	if err := site.Alive(); err != nil {
		t.Errorf("everything is up and yet: %v", err)
	}
	for _, s := range servers {
		if len(site.Pids(s.Name)) != 1 {
			t.Errorf("%s has pids %v, want one", s.Name, site.Pids(s.Name))
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, servers[0].UsedLog)); err != nil || len(text) > 0 {
		t.Errorf("the stale log holds %q (%v), want it empty", text, err)
	}
	if pids := site.Pids("nobody"); pids != nil {
		t.Errorf("an unknown server has pids %v", pids)
	}
}

func TestATakenPortNamesItsOwnerAndStartsNothing(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	l, err := net.Listen("tcp", servers[1].Counters)
	labtest.Check(t, err)
	_, err = Up(t.Context(), opts, servers)
	var taken *PortError
	if !errors.As(err, &taken) {
		t.Fatalf("error %v, want a PortError", err)
	}
	if taken.Addr != servers[1].Counters || taken.PID != os.Getpid() || taken.Program != proc.Name(os.Getpid()) ||
		taken.Ours {
		t.Errorf("the error says %+v, want %s by this test (pid %d)", taken, servers[1].Counters, os.Getpid())
	}
	for _, part := range []string{taken.Addr, "backend", fmt.Sprintf("kill %d", os.Getpid())} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q doesn't say %q", err, part)
		}
	}
	labtest.Check(t, l.Close())
	nothingLeft(t, root, servers)
}

func TestAPortTakenByWhatUpLeftIsKnownAsOurs(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	opts.Detach = true
	site := mustUp(t, opts, servers)
	labtest.Check(t, site.Save(filepath.Join(root, StateFile)))
	_, err := Up(t.Context(), opts, servers)
	var taken *PortError
	if !errors.As(err, &taken) || !taken.Ours || !strings.Contains(err.Error(), "make down") {
		t.Errorf("error %v, want one that knows it is ours and says make down", err)
	}
}

func TestACancelledStartLeavesNothing(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "mute")
	opts.Limit = 100
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // once the backend is up and Up waits for nginx
		port, _ := portOf(servers[1].Front)
		child.Await(t.Context(), 10*time.Second, func() bool { _, _, ok := proc.PortOwner(port); return ok })
		cancel()
	}()
	_, err := Up(ctx, opts, servers)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	nothingLeft(t, root, servers)
}

func TestAStartThatIsCancelledBeforeItBeginsStartsNothing(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Up(ctx, opts, servers); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := os.Stat(filepath.Join(root, "var")); err == nil {
		t.Error("var/ was made for nothing")
	}
}

func TestAServerThatIgnoresPoliteSignalsIsKilled(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "stubborn")
	opts.Grace = 100 * time.Millisecond
	site, err := Up(t.Context(), opts, servers)
	labtest.Check(t, err)
	p := site.process("nginx-1000")
	labtest.Check(t, site.Down(t.Context()))
	if <-p.Exited(); p.Ending() != "was ended by signal 9 (killed)" {
		t.Errorf("it ended with %q, want to be killed", p.Ending())
	}
	nothingLeft(t, root, servers)
}

func TestAServerThatDiesLaterIsNamedByAlive(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	die(t, servers[0].Counters)
	eventually(t, "a dead server is noticed", func() bool { return site.Alive() != nil })
	var died *DiedError
	if err := site.Alive(); !errors.As(err, &died) {
		t.Fatalf("error %v, want a DiedError", err)
	}
	if died.Server != "nginx-1000" || died.Status != "ended with status 139" ||
		died.Last != "worker process 7 exited on signal 11" {
		t.Errorf("the error says %+v", died)
	}
	if pids := site.Pids("nginx-1000"); pids != nil {
		t.Errorf("a dead server has pids %v", pids)
	}
}

// withWorker starts an nginx that has a worker.
func withWorker(t *testing.T) *Site {
	t.Helper()
	root := newRoot(t)
	servers, opts := topology(t, root, "with-worker")
	opts.Tools["nginx"] = filepath.Join(root, "nginx-fake")
	labtest.Check(t, os.Symlink(os.Args[0], opts.Tools["nginx"]))
	write(t, root, "worker.conf", "mode mute\n")
	return mustUp(t, opts, servers)
}

func TestWorkersWhoseMasterWasKilledAreSweptUp(t *testing.T) {
	site := withWorker(t)
	master := site.process("nginx-1000")
	if len(site.Pids("nginx-1000")) != 2 {
		t.Fatalf("pids %v, want a master and a worker", site.Pids("nginx-1000"))
	}
	labtest.Check(t, syscall.Kill(master.PID, syscall.SIGKILL))
	<-master.Exited()
	labtest.Check(t, site.Down(t.Context()))
	if left := proc.Group(master.PID); len(left) != 0 {
		t.Errorf("%v is left of the master's group", left)
	}
}

func TestAWorkerThatDiesIsNoticedThoughItsMasterLives(t *testing.T) {
	site := withWorker(t)
	worker := site.Pids("nginx-1000")[1]
	labtest.Check(t, syscall.Kill(worker, syscall.SIGKILL))
	eventually(t, "a dead worker is noticed", func() bool { return site.Alive() != nil })
	if err := site.Alive(); !strings.Contains(err.Error(), fmt.Sprint(worker)) ||
		!strings.Contains(err.Error(), "nginx-1000") {
		t.Errorf("error %q doesn't name nginx-1000 and its worker %d", err, worker)
	}
}

func TestWhatIsWrongIsSaidBeforeAnythingIsStarted(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, root string, servers []facts.Server, opts *Options)
		want  string
	}{
		{"an expired certificate", func(t *testing.T, root string, _ []facts.Server, _ *Options) {
			writeCertificates(t, root, time.Now().Add(-time.Hour))
		}, "make certs"},
		{"no certificate", func(t *testing.T, root string, _ []facts.Server, _ *Options) {
			labtest.Check(t, os.Remove(filepath.Join(root, kinds.CertFile)))
		}, "make certs"},
		{"no nginx", func(_ *testing.T, _ string, _ []facts.Server, o *Options) { o.Tools["nginx"] = "" }, "make tools"},
		{"an nginx that is too old for the file", func(_ *testing.T, _ string, s []facts.Server, _ *Options) {
			s[0].MinVersion = "1.29.4"
		}, "needs nginx 1.29.4 or newer, found 1.22.1"},
		{"a budget of nothing", func(_ *testing.T, _ string, _ []facts.Server, o *Options) {
			o.CPUs = new(float64)
		}, "CPUS=0.5"},
		{"a configuration without the limit's mark", func(t *testing.T, root string, s []facts.Server, o *Options) {
			write(t, root, s[0].Config, "keepalive_requests 1000;\n")
			o.Limit = 100
		}, "exactly one must"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRoot(t)
			servers, opts := topology(t, root, "")
			c.spoil(t, root, servers, &opts)
			_, err := Up(t.Context(), opts, servers)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			nothingLeft(t, root, servers)
		})
	}
}

func TestServersThatRunAlreadyAreFoundByTheirPortsAndLeftRunning(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	adopted, err := Adopt(t.Context(), Options{Root: root, AdoptedCPUs: map[string]float64{"nginx-1000": 0.5}}, servers)
	labtest.Check(t, err)
	for _, s := range servers {
		if got, want := adopted.Pids(s.Name), site.Pids(s.Name); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s has pids %v, want %v", s.Name, got, want)
		}
	}
	if cpus := adopted.process("nginx-1000").CPUs; cpus == nil || *cpus != 0.5 || adopted.process("backend").CPUs != nil {
		t.Errorf("the budgets aren't those that were given")
	}
	labtest.Check(t, adopted.Down(t.Context()))
	if err := site.Alive(); err != nil {
		t.Errorf("down of what was adopted stopped it: %v", err)
	}
	die(t, servers[0].Counters)
	eventually(t, "the death of an adopted server is noticed", func() bool { return adopted.Alive() != nil })
	if err := adopted.Alive(); !strings.Contains(err.Error(), "nginx-1000") {
		t.Errorf("error %q doesn't name nginx-1000", err)
	}
}

func TestAServerThatIsNotThereCannotBeAdopted(t *testing.T) {
	root := newRoot(t)
	servers, _ := topology(t, root, "")
	_, err := Adopt(t.Context(), Options{Root: root}, servers)
	if err == nil || !strings.Contains(err.Error(), "backend") || !strings.Contains(err.Error(), servers[1].Front) {
		t.Errorf("error %v, want one that names the backend and its address", err)
	}
}

// An ordinary user may not run a program of another container, so the engine has asked nginx before.
func TestAnAdoptedNginxIsRecordedAsTheEnginesAnswerSays(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	mustUp(t, opts, servers)
	good := Account{Version: "nginx version: nginx/1.31.4\n",
		Config: "# configuration file " + root + "/nginx/keepalive-1000.conf:\n"}
	for _, c := range []struct {
		name          string
		account       Account
		version, warn string
	}{
		{"asked", good, "1.31.4", ""},
		{"refused", Account{Problem: "docker compose exec: no such container"}, "", "no such container"},
		{"not asked", Account{}, "", "nginx printed no version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			adopted, err := Adopt(t.Context(), Options{Root: root, Accounts: map[string]Account{"nginx-1000": c.account}},
				servers)
			labtest.Check(t, err)
			records, err := adopted.Records(t.Context(), dir)
			labtest.Check(t, err)
			i := slices.IndexFunc(records, func(r facts.ServerRecord) bool { return r.Name == "nginx-1000" })
			if got := records[i]; got.Version != c.version || (got.Effective == "") != (c.warn != "") {
				t.Errorf("recorded %+v", got)
			}
			said := texts.English.In(facts.Join("join.semicolon", adopted.Warnings()...))
			if !strings.Contains(said, c.warn) || (said == "") != (c.warn == "") {
				t.Errorf("warnings %q, want %q", said, c.warn)
			}
			if c.warn != "" {
				return
			}
			text, err := os.ReadFile(filepath.Join(dir, records[i].Effective))
			if want := "# configuration file ROOT/nginx/keepalive-1000.conf:\n"; err != nil || string(text) != want {
				t.Errorf("its configuration: %q, %v, want %q", text, err, want)
			}
		})
	}
}

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
	case strings.HasPrefix(args[0], "-Dh2lab.service="):
		flags := flag.NewFlagSet("service", flag.ExitOnError)
		port, counters := flags.String("port", "", ""), flags.String("counters", "", "")
		_, _, _ = flags.String("ca", "", ""), flags.String("cert", "", ""), flags.String("key", "", "")
		flags.Func("upstream", "", func(string) error { return nil })
		_ = flags.Parse(args[1:])
		return serveService(strings.TrimPrefix(args[0], "-Dh2lab.service="), *port, *counters)
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
		fmt.Fprintln(os.Stderr, http.ListenAndServeTLS(front, kinds.CertFile, kinds.KeyFile, health))
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
	site, err := Up(context.Background(), Options{Root: args[0], Tools: Tools{"backend": os.Args[0]}, Detach: detach},
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

type labServer = facts.Server

// newRoot is a project with certificates only.
func newRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	writeCertificates(t, root, time.Now().Add(time.Hour))
	return root
}

// writeCertificates makes a CA and a server certificate that expire at notAfter.
func writeCertificates(t *testing.T, root string, notAfter time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	labtest.Check(t, err)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: notAfter.Add(-48 * time.Hour), NotAfter: notAfter}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: ca.NotBefore, NotAfter: notAfter}
	for file, cert := range map[string]*x509.Certificate{kinds.CAFile: ca, kinds.CertFile: leaf} {
		der, err := x509.CreateCertificate(rand.Reader, cert, ca, &key.PublicKey, key)
		labtest.Check(t, err)
		write(t, root, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	labtest.Check(t, err)
	write(t, root, kinds.KeyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
}

func write(t *testing.T, root, rel, text string) {
	t.Helper()
	path := filepath.Join(root, rel)
	labtest.Write(t, path, text)
}

// freeAddrs are unused loopback addresses. They lie below the ports that the kernel gives to
// outgoing connections (32768 and up), one of which could take the port of a stopped server.
func freeAddrs(t *testing.T, n int) []string {
	t.Helper()
	var out []string
	for tries := 0; len(out) < n; tries++ {
		if tries > 1000 {
			t.Fatal("no free ports between 20000 and 32000")
		}
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", 20000+mathrand.IntN(12000)))
		if err != nil {
			continue
		}
		defer l.Close() // all at the end, so that no address comes twice
		out = append(out, fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port))
	}
	return out
}

func backendAt(front, counters string) facts.Server {
	return facts.Server{Name: "backend", Kind: facts.Backend, Front: front, Counters: counters}
}

// topology writes the fake nginx's configuration and returns [nginx-1000, backend] on free ports,
// with the tools to run them.
func topology(t *testing.T, root, nginxMode string) ([]facts.Server, Options) {
	t.Helper()
	a := freeAddrs(t, 4)
	front := facts.Server{Name: "nginx-1000", Kind: facts.Nginx, Config: "nginx/keepalive-1000.conf",
		Front: a[0], Counters: a[1], UsedLog: "var/nginx-1000.used.log"}
	write(t, root, front.Config,
		fmt.Sprintf("front %s\ncounters %s\nmode %s\nkeepalive_requests 1000; # the limit\n", a[0], a[1], nginxMode))
	return []facts.Server{front, backendAt(a[2], a[3])},
		Options{Root: root, Tools: Tools{"nginx": os.Args[0], "backend": os.Args[0]}, Grace: 2 * time.Second}
}

// mustUp starts servers and stops them at the end of the test.
func mustUp(t *testing.T, opts Options, servers []facts.Server) *Site {
	t.Helper()
	site, err := Up(t.Context(), opts, servers)
	labtest.Check(t, err)
	t.Cleanup(func() {
		if err := site.Down(t.Context()); err != nil {
			t.Errorf("down: %v", err)
		}
		nothingLeft(t, site.Root, servers)
	})
	return site
}

// nothingLeft checks for leftovers at the end of a test: children, used ports, derived files.
func nothingLeft(t *testing.T, root string, servers []facts.Server) {
	t.Helper()
	if children := slices.DeleteFunc(proc.Tree(os.Getpid()), func(pid int) bool {
		return pid == os.Getpid()
	}); len(children) > 0 {
		t.Errorf("processes are left: %v", children)
	}
	if err := errors.Join(Taken(root, servers)...); err != nil {
		t.Errorf("ports are left taken: %v", err)
	}
	for _, rel := range []string{"var/nginx", "var/envoy", certsLink, StateFile} {
		if _, err := os.Lstat(filepath.Join(root, rel)); err == nil {
			t.Errorf("%s is left", rel)
		}
	}
}

// eventually waits for a condition, and fails the test with its name.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	if !child.Await(t.Context(), 10*time.Second, condition) {
		t.Fatalf("after 10 s still not: %s", what)
	}
}

// die makes a fake server end by itself.
func die(t *testing.T, counters string) {
	t.Helper()
	resp, err := http.Get("http://" + counters + "/die")
	if err == nil {
		_ = resp.Body.Close()
	}
}
