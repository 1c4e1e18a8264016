//go:build linux

package proc

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// fakeEnv makes the test binary act as a child: it starts a child of its own (depth times), prints
// "ready" and waits for the end of its input.
const fakeEnv = "PROC_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(fakeEnv) {
	case "":
		os.Exit(m.Run())
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fakeEnv+"=child")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		_ = child.Wait()
	case "child":
		fmt.Println("ready", os.Getpid())
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

// family starts a process with one child and returns both pids and a function
// that ends them and waits.
func family(t *testing.T) (parent, child int, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fakeEnv+"=parent")
	in, err := cmd.StdinPipe()
	labtest.Check(t, err)
	out, err := cmd.StdoutPipe()
	labtest.Check(t, err)
	labtest.Check(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	labtest.Check(t, err)
	if _, err := fmt.Sscanf(line, "ready %d", &child); err != nil {
		t.Fatalf("the child said %q: %v", line, err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = in.Close()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(end)
	return cmd.Process.Pid, child, end
}

func TestAPortsOwnerIsFoundOnIPv4AndOnAllAddresses(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", ":0"} {
		l, err := net.Listen("tcp", addr)
		labtest.Check(t, err)
		port := l.Addr().(*net.TCPAddr).Port
		pid, name, ok := PortOwner(port)
		if !ok || pid != os.Getpid() {
			t.Errorf("owner of %s (port %d) = %d, %v; want %d", addr, port, pid, ok, os.Getpid())
		}
		if want := Name(os.Getpid()); name != want || name == "" {
			t.Errorf("name of the owner = %q, want %q", name, want)
		}
		labtest.Check(t, l.Close())
		if pid, _, ok := PortOwner(port); ok {
			t.Errorf("port %d is closed and still owned by %d", port, pid)
		}
	}
}

func TestALineOfTheSocketTableIsRead(t *testing.T) {
	const listening = "   1: 0100007F:46B5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        " +
		"0 31007 1 0000000000000000 100 0 0 10 0"
	for _, c := range []struct {
		line  string
		port  int
		inode string
	}{
		{listening, 18101, "31007"},
		{listening, 18102, ""},
		{strings.Replace(listening, " 0A ", " 06 ", 1), 18101, ""}, // TIME_WAIT
		{"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode", 18101, ""},
		{strings.Replace(listening, "0100007F:", "00000000000000000000000000000000:", 1), 18101, "31007"},
		{strings.Replace(listening, "0100007F:", "00000000000000000000000001000000:", 1), 18101, "31007"}, // ::1
		// ::ffff:127.0.0.1
		{strings.Replace(listening, "0100007F:", "0000000000000000FFFF00000100007F:", 1), 18101, "31007"},
		{strings.Replace(listening, "0100007F:", "00000000:", 1), 18101, "31007"},
		{strings.Replace(listening, "0100007F:", "020012AC:", 1), 18101, ""},                         // 172.18.0.2
		{strings.Replace(listening, "0100007F:", "B80D0120000000000000000001000000:", 1), 18101, ""}, // 2001:db8::1
	} {
		if inode := listener(c.line, c.port); inode != c.inode {
			t.Errorf("port %d in %q: %q, want %q", c.port, c.line, inode, c.inode)
		}
	}
}

func TestOfSeveralHoldersOfASocketTheTopmostIsTheOwner(t *testing.T) {
	for _, c := range []struct {
		name    string
		parents map[int]int
		want    int
	}{
		{"a master and its worker", map[int]int{20: 1, 21: 20}, 20},
		{"a worker with a lower pid than its master", map[int]int{20: 1, 5: 20}, 20},
		{"a worker whose master is gone", map[int]int{21: 1}, 21},
		{"two strangers", map[int]int{30: 1, 20: 1}, 20},
	} {
		if got := topmost(c.parents); got != c.want {
			t.Errorf("%s: owner %d, want %d", c.name, got, c.want)
		}
	}
}

func TestATreeHoldsAChildUntilItEnds(t *testing.T) {
	parent, child, end := family(t)
	if got := Tree(parent); !slices.Equal(got, sorted(parent, child)) {
		t.Errorf("tree of %d = %v, want it and its child %d", parent, got, child)
	}
	if got := Tree(os.Getpid()); !slices.Contains(got, child) {
		t.Errorf("tree of the test = %v, without its grandchild %d", got, child)
	}
	end()
	if got := Tree(parent); got != nil {
		t.Errorf("tree of an ended process = %v, want none", got)
	}
}

func TestAZombieIsGone(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	labtest.Check(t, cmd.Start())
	defer func() { _ = cmd.Wait() }()
	pid := cmd.Process.Pid
	deadline := time.After(10 * time.Second)
	for len(Tree(pid)) > 0 { // no process waits for it, so it stays a zombie
		select {
		case <-deadline:
			t.Fatalf("process %d ended and is still counted as living", pid)
		default:
		}
	}
	if _, err := StartTime(pid); err == nil {
		t.Errorf("process %d is a zombie and still has a start time", pid)
	}
}

func TestAProcessIsTheSameOnlyWithItsStartTime(t *testing.T) {
	parent, _, end := family(t)
	started, err := StartTime(parent)
	labtest.Check(t, err)
	if !Same(parent, started) {
		t.Error("a living process is not the same as itself")
	}
	if Same(parent, started+1) {
		t.Error("a process with another start time is taken for the same")
	}
	end()
	if Same(parent, started) {
		t.Error("an ended process is taken for the same")
	}
	if BootID() == "" {
		t.Error("no boot id")
	}
}

func TestProcessorTimeGrowsWithWork(t *testing.T) {
	read := func() (own, machine float64) {
		own, err := CPUSeconds(os.Getpid())
		if err == nil {
			machine, err = MachineBusySeconds()
		}
		labtest.Check(t, err)
		return own, machine
	}
	own, machine := read()
	for deadline := time.Now().Add(30 * time.Second); ; {
		for i, x := 0, 1; i < 1e6; i++ {
			x = x*31 + i
		}
		now, busy := read()
		if now > own+0.05 && busy > machine {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s of work: process %v → %v s, machine %v → %v s", own, now, machine, busy)
		}
	}
}

func TestProcessorTimeOfAnEndedProcessIsAnError(t *testing.T) {
	parent, _, end := family(t)
	end()
	if s, err := CPUSeconds(os.Getpid(), parent); err == nil {
		t.Errorf("got %v s, want an error that names process %d", s, parent)
	} else if !strings.Contains(err.Error(), fmt.Sprint(parent)) {
		t.Errorf("error %q doesn't name process %d", err, parent)
	}
}

func TestTheMachineIsDescribed(t *testing.T) {
	m := ThisMachine()
	if mb, err := MaxRSSMB(os.Getpid()); err != nil || mb < 1 || mb > 4000 {
		t.Errorf("this test has had %v MB resident, %v", mb, err)
	}
	if m.CPU == "" || m.Cores < 1 || m.MemoryMB < 64 || m.Kernel == "unknown" || m.OS == "" {
		t.Errorf("something is missing: %+v", m)
	}
}

func TestThePrettyNameIsReadWithoutItsQuotes(t *testing.T) {
	for in, want := range map[string]string{
		"NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n": "Debian GNU/Linux 12 (bookworm)",
		"PRETTY_NAME=Alpine": "Alpine",
		"PRETTY_NAME='Void'": "Void",
		"NAME=x\n":           "",
	} {
		if got := prettyName(in); got != want {
			t.Errorf("pretty name of %q = %q, want %q", in, got, want)
		}
	}
}

func sorted(pids ...int) []int {
	slices.Sort(pids)
	return pids
}
