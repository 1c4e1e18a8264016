//go:build linux

package native

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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

func TestASavedStateIsLoadedAndTakenDown(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	opts.Detach, opts.Limit = true, 100
	site := mustUp(t, opts, servers)
	path := filepath.Join(root, StateFile)
	labtest.Check(t, site.Save(path))
	loaded, err := Load(path)
	labtest.Check(t, err)
	if err := loaded.Alive(); err != nil {
		t.Errorf("everything is up and yet: %v", err)
	}
	for _, s := range servers {
		if got, want := loaded.Pids(s.Name), site.Pids(s.Name); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s has pids %v, want %v", s.Name, got, want)
		}
	}
	labtest.Check(t, loaded.Down(t.Context()))
	nothingLeft(t, root, servers)
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after down the state file gives %v, want that it doesn't exist", err)
	}
}

func TestAReusedPidIsNotKilled(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*state)
	}{
		{"another start time", func(s *state) { s.Servers[0].Start++ }},
		{"another boot", func(s *state) { s.Boot = "another" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRoot(t)
			a := freeAddrs(t, 2)
			servers := []facts.Server{backendAt(a[0], a[1])}
			// The state file will name the pid of this other process, which must keep running.
			stranger := mustUp(t, Options{Root: root, Tools: Tools{"backend": os.Args[0]}}, servers)
			p := stranger.process("backend")
			path := filepath.Join(root, StateFile)
			labtest.Check(t, stranger.Save(path))
			rewriteState(t, path, c.spoil)
			loaded, err := Load(path)
			labtest.Check(t, err)
			if loaded.Alive() == nil {
				t.Error("the stranger is taken for the server")
			}
			labtest.Check(t, loaded.Down(t.Context()))
			if !p.Alive() {
				t.Error("the stranger was killed")
			}
		})
	}
}

func TestAStateFileThatCannotBeReadSaysWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":`:    "make down",
		`{"version": 7}`: "version 7",
	} {
		path := filepath.Join(t.TempDir(), "up.json")
		labtest.Write(t, path, text)
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestOnlyCgroupsThatARunOfOursCanHaveMadeAreRemoved(t *testing.T) {
	got := ownGroups([]string{"/c/h2lab-12/nginx-1000", "/c/h2lab-12", "/c/system.slice", "/", "/c/h2lab-x"})
	if want := []string{"/c/h2lab-12/nginx-1000", "/c/h2lab-12"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// h2lab starts a second process that starts the backend, and waits until it is up.
func h2lab(t *testing.T, root string, s facts.Server, how string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], root, s.Front, s.Counters, how)
	cmd.Env = append(os.Environ(), fakeEnv+"=h2lab")
	out, err := cmd.StdoutPipe()
	labtest.Check(t, err)
	labtest.Check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("it said %q", line)
	}
	return cmd
}

func TestAKilledH2labTakesItsServersWithIt(t *testing.T) {
	root := newRoot(t)
	a := freeAddrs(t, 2)
	s := backendAt(a[0], a[1])
	cmd := h2lab(t, root, s, "attached")
	site, err := Load(filepath.Join(root, StateFile))
	labtest.Check(t, err)
	if site.Alive() != nil {
		t.Fatal("the backend isn't up")
	}
	labtest.Check(t, cmd.Process.Kill())
	_ = cmd.Wait()
	eventually(t, "the backend has ended with its h2lab", func() bool { return site.Alive() != nil })
	eventually(t, "its ports are free", func() bool { return errors.Join(Taken(root, []facts.Server{s})...) == nil })
}

func TestDetachedServersOutliveTheirH2labAndGoDownFromTheState(t *testing.T) {
	root := newRoot(t)
	a := freeAddrs(t, 2)
	s := backendAt(a[0], a[1])
	labtest.Check(t, h2lab(t, root, s, "detach").Wait())
	site, err := Load(filepath.Join(root, StateFile))
	labtest.Check(t, err)
	pids := site.Pids("backend")
	if err := site.Alive(); err != nil || len(pids) != 1 {
		t.Errorf("pids %v, %v: the backend should outlive its h2lab", pids, err)
	}
	labtest.Check(t, site.Down(t.Context()))
	for _, pid := range pids {
		if proc.Tree(pid) != nil {
			t.Errorf("process %d is left", pid)
		}
	}
	nothingLeft(t, root, []facts.Server{s})
}

func TestASecondRunIsRefusedAndToldWhoRuns(t *testing.T) {
	root := t.TempDir()
	release, err := Lock(root)
	labtest.Check(t, err)
	_, err = Lock(root)
	var held *LockError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Fatalf("error %v, want a LockError with pid %d", err, os.Getpid())
	}
	for _, part := range []string{"a measurement is running in " + root, os.Args[0][:20], "wait until it ends",
		fmt.Sprintf("kill -INT %d", os.Getpid())} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %v doesn't say %q", err, part)
		}
	}
	labtest.Write(t, root+"/"+LockFile, "garbage")
	if _, err = Lock(root); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("error %v", err)
	}
	labtest.Check(t, release())
	release, err = Lock(root)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	labtest.Check(t, release())
}

// upAndForgotten are detached servers of a checkout without a state file.
func upAndForgotten(t *testing.T, root, mode string) []facts.Server {
	t.Helper()
	servers, opts := topology(t, root, mode)
	opts.Detach, opts.Tools["backend"] = true, filepath.Join(root, "bin", "backend") // can be removed
	labtest.Check(t, labtest.CopySelf(opts.Tools["backend"]))
	opts.ReadyWithin = time.Second
	site, err := Up(t.Context(), opts, servers)
	labtest.Check(t, err)
	t.Cleanup(func() { _ = site.Down(t.Context()) })
	return servers
}

// stopped stops the recognised servers and checks that they have ended.
func stopped(t *testing.T, root string, servers []facts.Server) {
	t.Helper()
	found := Running(root)
	if len(found) != len(servers) {
		t.Errorf("found %+v, want %d servers", found, len(servers))
	}
	if err := StopRunning(t.Context(), found); err != nil {
		t.Error(err)
	}
	if err := Underive(root); err != nil {
		t.Error(err)
	}
	nothingLeft(t, root, servers)
}

func TestServersAreRecognisedWithoutAStateFile(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("var/ and bin/ are removed while servers are up", func(t *testing.T) {
		root := newRoot(t)
		servers := upAndForgotten(t, root, "")
		labtest.Check(t, os.RemoveAll(filepath.Join(root, "var")))
		labtest.Check(t, os.RemoveAll(filepath.Join(root, "bin")))
		stopped(t, root, servers)
	})
	f.Try("a forgotten server ignores polite signals", func(t *testing.T) {
		root := newRoot(t)
		servers := upAndForgotten(t, root, "stubborn")
		hurry := child.Cleanup(t.Context())
		found := Running(root)
		for _, x := range found {
			if err := child.Find(x.PID, x.Started, x.Name).Stop(hurry,
				child.Manner{Grace: 50 * time.Millisecond}); err != nil {
				t.Error(err)
			}
		}
		nothingLeft(t, root, servers)
	})
}

func TestServersOfAnotherCheckoutAreNamedAndLeftAlone(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("the ports are held by servers of another checkout", func(t *testing.T) {
		other, own := filepath.Join(t.TempDir(), "an other"), newRoot(t)
		labtest.Check(t, os.Rename(newRoot(t), other))
		servers := upAndForgotten(t, other, "")
		if found := Running(own); len(found) > 0 {
			t.Errorf("servers of another checkout are taken for ours: %+v", found)
		}
		_, opts := topology(t, own, "")
		err := errors.Join(Taken(own, servers)...)
		var taken *PortError
		if !errors.As(err, &taken) || taken.Checkout != other || taken.Ours {
			t.Fatalf("error %v, want that of another checkout", err)
		}
		want := fmt.Sprintf("of another checkout, '%s'; stop it with: make -C '%[1]s' down", other)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
		write(t, own, servers[0].Config, "keepalive_requests 1000; # the limit\n")
		if _, err := Up(t.Context(), opts, servers); err == nil || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("one checkout is named in %v, want one line", err)
		}
	})
}

func TestAStrangerIsNotRecognised(t *testing.T) {
	root := newRoot(t)
	for _, argv := range [][]string{
		{"sleep", "60"},
		{"sh", "-c", "sleep 60; :", "-c", "envoy/x.yaml"},
		{"sh", "-c", "sleep 60; :", "--counters", "--cert"},
		{"sh", "-c", "sleep 60; :", "-p", "/elsewhere/", "-c", "nginx/keepalive-1000.conf", "-e", "stderr"},
	} {
		c, err := child.Start(child.Spec{Argv: argv, Dir: root})
		labtest.Check(t, err)
		if found := Running(root); len(found) > 0 {
			t.Errorf("%v is recognised: %+v", argv, found)
		}
		if err := c.Stop(t.Context(), child.Manner{
			Signals: []syscall.Signal{syscall.SIGKILL},
			Group:   true,
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestStateIsThereBeforeTheServers(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "mute") // it never listens: killed meanwhile, up has saved what it started
	opts.Detach, opts.State, opts.ReadyWithin = true, filepath.Join(root, StateFile), 2*time.Second
	seen := make(chan []string, 1)
	go func() {
		var names []string
		child.Await(t.Context(), 10*time.Second, func() bool {
			site, err := Load(opts.State)
			if err != nil || len(site.processes) < len(servers) {
				return false
			}
			for _, p := range site.processes {
				if p.Alive() {
					names = append(names, p.Server.Name)
				}
			}
			return true
		})
		seen <- names
	}()
	if _, err := Up(t.Context(), opts, servers); err == nil {
		t.Fatal("a server that never listens is ready")
	}
	if names := <-seen; !slices.Equal(names, []string{"backend", "nginx-1000"}) {
		t.Errorf("while servers are waited for the state names %v", names)
	}
	nothingLeft(t, root, servers)
}

func TestUnderiveRemovesWhatDeriveMadeAndNothingElse(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"var/nginx/keepalive-100.conf", "var/envoy/max-requests-100.yaml", "var/up.json",
		"nginx/keepalive-1000.conf"} {
		path := filepath.Join(root, f)
		labtest.Write(t, path, "")
	}
	labtest.Check(t, Underive(root))
	for f, want := range map[string]bool{"var/nginx": false, "var/envoy": false, "var/up.json": true,
		"nginx/keepalive-1000.conf": true} {
		if _, err := os.Stat(filepath.Join(root, f)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", f, err == nil, want)
		}
	}
}

func TestBudgetSupportSaysWhetherABudgetCanBeSetAndLeavesNothing(t *testing.T) {
	said := texts.English.In(BudgetSupport())
	if !strings.HasPrefix(said, "can be set") && !strings.Contains(said, "servers run unlimited") {
		t.Errorf("it says %q", said)
	}
	own := groupPrefix + strconv.Itoa(os.Getpid())
	for _, pattern := range []string{"*", ""} {
		if left, _ := filepath.Glob(filepath.Join(cgroupMount, pattern, own)); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

func TestAVarThatCannotBeWrittenIsOneLineWithANextStep(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Disks)
	f.Try("var is a file", func(t *testing.T) {
		root := newRoot(t)
		write(t, root, "var", "in the way")
		servers, opts := topology(t, root, "")
		_, lockErr := Lock(root)
		_, err := Up(t.Context(), opts, servers)
		for _, err := range []error{lockErr, err} {
			if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "var") {
				t.Errorf("error %v, want one line that names var", err)
			}
		}
		labtest.Check(t, os.Remove(filepath.Join(root, "var")))
		nothingLeft(t, root, servers)
	})
	f.Try("the state of what up started can't be saved", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "")
		opts.Detach, opts.State = true, filepath.Join(root, "nowhere", "up.json")
		_, err := Up(t.Context(), opts, servers)
		if err == nil || !strings.Contains(err.Error(), "can't be written to") {
			t.Errorf("error %v", err)
		}
		nothingLeft(t, root, servers)
	})
	f.Try("a server's log is a directory", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "")
		labtest.Check(t, os.MkdirAll(filepath.Join(root, "var", "nginx-1000.stderr.log"), 0o755))
		if _, err := Up(t.Context(), opts, servers); err == nil ||
			!strings.Contains(err.Error(), "a log for nginx-1000") {
			t.Errorf("error %v", err)
		}
		nothingLeft(t, root, servers)
	})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"full": {syscall.ENOSPC,
			"no space left on device; make room; see how much there is with: df -h '/a b/var'"},
		"read-only":  {syscall.EROFS, "mounted read-only; see where with: findmnt -T '/a b/var'"},
		"another's":  {syscall.EACCES, "make it yours: sudo chown -R $(id -un) '/a b/var'"},
		"over quota": {syscall.EDQUOT, "make room"},
	} {
		err := advised("/a b", &os.PathError{Op: "write", Path: "/a b/var/lock", Err: c.err})
		if !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if other := errors.New("x"); advised("/", other) != other {
		t.Error("an error of another kind is changed")
	}
}

// The owner has /usr as its root, where its program and its libraries lie too, and a server's arguments.
func TestAPortTakenInAContainerNamesNoCheckout(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("chroot(2) takes root")
	}
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("a process in a container of this network holds the port", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		labtest.Check(t, err)
		socket, err := l.(*net.TCPListener).File()
		labtest.Check(t, err)
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "sleep 60; :", "--counters", "--cert", kinds.CertFile,
			"--key", kinds.KeyFile)
		cmd.Dir, cmd.ExtraFiles = "/share", []*os.File{socket}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: "/usr", Setpgid: true}
		labtest.Check(t, cmd.Start())
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
		_, _ = l.Close(), socket.Close()
		err = errors.Join(Taken(t.TempDir(), []facts.Server{{Name: "direct", Front: l.Addr().String()}})...)
		if err == nil || !strings.Contains(err.Error(), "in a container; stop that container") {
			t.Errorf("error %v, want one that names the container and no checkout", err)
		}
	})
}
