//go:build linux

package podexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestAPeerThatDiesOrTalksNonsenseEndsTheProgram(t *testing.T) {
	socket, _ := serving(t, turnTime)
	for name, farewell := range map[string]func(*net.UnixConn){
		"dies":           func(c *net.UnixConn) { c.Close() },
		"no JSON":        func(c *net.UnixConn) { _, _ = c.Write([]byte("GET / HTTP/1.1\r\n\r\n")) },
		"unknown field":  func(c *net.UnixConn) { _, _ = c.Write([]byte(`{"shell":"yes"}`)) },
		"second request": func(c *net.UnixConn) { _, _ = c.Write([]byte(`{"run":["true"]}`)) },
		"never read": func(c *net.UnixConn) {
			for range 2 * unread {
				_, _ = c.Write([]byte(`{"stdin":"` + strings.Repeat("AAAA", 100) + `"}`))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := asked(t, socket, `{"run":["sleep","60"]}`)
			m, err := newPeer(conn).receive()
			if err != nil || m.Pid == 0 {
				t.Fatalf("it said %+v, %v", m, err)
			}
			farewell(conn)
			isGone(t, strconv.Itoa(m.Pid))
		})
	}
	var s said
	if got, err := s.sh(context.Background(), socket, "echo well", ""); err != nil || got.Status != 0 {
		t.Errorf("the agent is of no use any more: %+v, %v", got, err)
	}
}

func TestAFirstWordThatIsNoRequestIsRefused(t *testing.T) {
	socket, _ := serving(t, turnTime)
	for _, word := range []string{"hello\n", `{"stdin":"AAAA"}`, `[]`, `{}`} {
		conn := asked(t, socket, word)
		m, err := newPeer(conn).receive()
		if err != nil || !strings.Contains(m.Refused, "the request") {
			t.Errorf("%q: it said %+v, %v", word, m, err)
		}
	}
}

func TestASecondRequestWaitsItsTurnAndIsRefusedWhenItDoesNotCome(t *testing.T) {
	socket, _ := serving(t, 100*time.Millisecond)
	first := asked(t, socket, `{"run":["sleep","60"]}`)
	if m, err := newPeer(first).receive(); err != nil || m.Pid == 0 {
		t.Fatalf("it said %+v, %v", m, err)
	}
	var s said
	_, err := s.sh(context.Background(), socket, "echo second", "")
	mustSay(t, err, "already running", "one at a time")

	patient, _ := serving(t, turnTime)
	first = asked(t, patient, `{"run":["sleep","0.2"]}`)
	if m, err := newPeer(first).receive(); err != nil || m.Pid == 0 {
		t.Fatalf("it said %+v, %v", m, err)
	}
	if got, err := s.sh(context.Background(), patient, "echo second", ""); err != nil || got.Status != 0 ||
		s.out.String() != "second\n" {
		t.Errorf("Exec() = %+v, %v, %q", got, err, &s.out)
	}
}

func TestAnAgentThatIsStoppedEndsWhatRuns(t *testing.T) {
	socket, stop := serving(t, turnTime)
	out := &firstLine{heard: func() { go stop() }}
	got, err := Exec(context.Background(), socket, []string{"sh", "-c", "echo $$; exec sleep 60"},
		Streams{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard})
	if err != nil || got.Signal != "terminated" {
		t.Errorf("Exec() = %+v, %v", got, err)
	}
	isGone(t, out.String())
}

func TestAnAgentThatIsKilledIsNamedAndItsNameIsFreeAtOnce(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	socket := fmt.Sprintf("@h2lab-test-%d-%d", os.Getpid(), names.Add(1))
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "BE_HAND="+socket)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := &firstLine{heard: func() { _ = cmd.Process.Kill() }}
	// it waits for the agent
	_, err = Exec(context.Background(), socket, []string{"sh", "-c", "echo $$; exec sleep 60"},
		Streams{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard})
	mustSay(t, err, socket, "has ended")
	_ = cmd.Wait()
	if pid, err := strconv.Atoi(strings.TrimSpace(out.String())); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // in a container it ends with the agent, but not in this test
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Serve(ctx, socket); err != nil {
		t.Errorf("a new agent: %v", err)
	}
}

func TestTwoAgentsOfOneNameAreImpossible(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var s said
	if _, err := s.sh(context.Background(), socket, "true", ""); err != nil { // it listens
		t.Fatal(err)
	}
	mustSay(t, Serve(context.Background(), socket), "another runner", socket)
}

func TestExecWithoutAnAgentSaysWhereToLook(t *testing.T) {
	_, err := execute(context.Background(), "@h2lab-test-nobody", []string{"true"}, Streams{}, 100*time.Millisecond)
	mustSay(t, err, "@h2lab-test-nobody", "docker compose ps")
	_, err = Exec(context.Background(), "@h2lab-test-nobody", nil, Streams{})
	mustSay(t, err, "after --")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Exec(ctx, "@h2lab-test-nobody", []string{"true"}, Streams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Exec() = %v, want the cancellation", err)
	}
}

// asked is a connection on which words were sent to an agent.
func asked(t *testing.T, socket, words string) *net.UnixConn {
	t.Helper()
	conn, err := dial(context.Background(), socket, dialTime)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, words); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestMain lets the test binary act as an agent that a test can kill.
func TestMain(m *testing.M) {
	if socket := os.Getenv("BE_HAND"); socket != "" {
		fmt.Println(Serve(context.Background(), socket))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var names atomic.Int64

// serving starts an agent and returns its socket and a function that stops it. turn is how long it
// waits for the program of an earlier request.
func serving(t *testing.T, turn time.Duration) (socket string, stop func()) {
	t.Helper()
	socket = fmt.Sprintf("@h2lab-test-%d-%d", os.Getpid(), names.Add(1))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, socket, turn) }()
	stop = func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
		served <- nil
	}
	t.Cleanup(stop)
	return socket, stop
}

// said is the output of a program.
type said struct{ out, err bytes.Buffer }

// sh runs a script in a shell through the agent.
func (s *said) sh(ctx context.Context, socket, script, stdin string) (Ending, error) {
	return Exec(ctx, socket, []string{"sh", "-c", script},
		Streams{Stdin: strings.NewReader(stdin), Stdout: &s.out, Stderr: &s.err})
}

func TestTheSocketIsTheOneThatComposeGivesTheAgent(t *testing.T) {
	// the name in docker-compose.yml; the e2e tests check it
	if got := Socket("grpc-go"); got != "@h2lab-pod-exec-grpc-go" {
		t.Errorf("Socket() = %q", got)
	}
}

func TestExecHasTheProgramsStreamsAndStatus(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var s said
	got, err := s.sh(context.Background(), socket, `read a; echo "got $a"; echo words >&2; cat; exit 7`, "one\ntwo\n")
	if err != nil || got != (Ending{Status: 7}) || s.out.String() != "got one\ntwo\n" || s.err.String() != "words\n" {
		t.Errorf("Exec() = %+v, %v; stdout %q, stderr %q", got, err, &s.out, &s.err)
	}
}

func TestAProgramEndedByASignalSaysWhich(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var s said
	got, err := s.sh(context.Background(), socket, `kill -SEGV $$`, "")
	if err != nil || got != (Ending{Status: 139, Signal: "segmentation fault"}) {
		t.Errorf("Exec() = %+v, %v", got, err)
	}
}

func TestAProgramSeesPathAndHomeAlone(t *testing.T) {
	t.Setenv("SECRET", "x")
	socket, _ := serving(t, turnTime)
	var s said
	if _, err := s.sh(context.Background(), socket, `exec env`, ""); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(s.out.String()), "\n") {
		// sh sets PWD itself, child its mark
		if name, _, _ := strings.Cut(line, "="); name != "PATH" && name != "HOME" && name != "PWD" &&
			name != "H2LAB_CHILD" {
			t.Errorf("it sees %s", line)
		}
	}
}

func TestAFloodOnStderrComesThroughWholeAndBeforeTheEnding(t *testing.T) {
	socket, _ := serving(t, turnTime)
	const size = 4 << 20
	var s said
	got, err := s.sh(context.Background(), socket, fmt.Sprintf(`head -c %d /dev/zero >&2; echo last`, size), "")
	if err != nil || got.Status != 0 || s.err.Len() != size || s.out.String() != "last\n" {
		t.Errorf("Exec() = %+v, %v; %d bytes of %d on stderr, stdout %q", got, err, s.err.Len(), size, &s.out)
	}
}

func TestAProgramThatIsNotThereIsRefusedWithItsName(t *testing.T) {
	socket, _ := serving(t, turnTime)
	_, err := Exec(context.Background(), socket, []string{"clients/none/out/run"},
		Streams{Stdin: strings.NewReader("")})
	mustSay(t, err, "clients/none/out/run", "no such file")
}

func TestAnEarlyEndIsToldWhileStdinStaysOpen(t *testing.T) {
	socket, _ := serving(t, turnTime)
	in, open := io.Pipe()
	defer open.Close()
	var out bytes.Buffer
	got, err := Exec(context.Background(), socket, []string{"sh", "-c", "echo bye; exit 1"}, Streams{
		Stdin:  in,
		Stdout: &out,
		Stderr: &out,
	})
	if err != nil || got.Status != 1 || out.String() != "bye\n" {
		t.Errorf("Exec() = %+v, %v, %q", got, err, &out)
	}
}

func TestWhatAProgramLeavesBehindIsEndedWithIt(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var s said
	began := time.Now()
	if _, err := s.sh(context.Background(), socket, `sleep 60 & echo $!`, ""); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s: a process that was left held it up", took)
	}
	isGone(t, s.out.String())
}

func TestACancelledExecEndsTheGroupPolitelyAndTellsHow(t *testing.T) {
	socket, _ := serving(t, turnTime)
	for _, c := range []struct {
		name, script string
		want         Ending
	}{
		{"asked", `trap 'exit 9' TERM; sleep 60 & echo $!; wait`, Ending{Status: 9}},
		{"deaf", `trap '' TERM; sleep 60 & echo $!; while :; do wait; done`, Ending{Status: 137, Signal: "killed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := &firstLine{heard: cancel}
			got, err := Exec(ctx, socket, []string{"sh", "-c", c.script}, Streams{
				Stdin:  strings.NewReader(""),
				Stdout: out,
				Stderr: io.Discard,
			})
			if err != nil || got != c.want {
				t.Errorf("Exec() = %+v, %v, want %+v", got, err, c.want)
			}
			isGone(t, out.String())
		})
	}
}

func TestPidIsTheProgramsForARelayAndItsOwnForAnyOther(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var during int
	out := &firstLine{heard: func() { during = Pid(os.Getpid()) }}
	if _, err := Exec(context.Background(), socket, []string{"sh", "-c", "echo $$"},
		Streams{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if strconv.Itoa(during) != strings.TrimSpace(out.String()) {
		t.Errorf("Pid() = %d while %s ran", during, &out.Buffer)
	}
	if got := Pid(os.Getpid()); got != os.Getpid() {
		t.Errorf("Pid() = %d after it, want our own", got)
	}
}

// firstLine calls heard once a whole line was written.
type firstLine struct {
	bytes.Buffer
	heard func()
}

func (f *firstLine) Write(b []byte) (int, error) {
	n, err := f.Buffer.Write(b)
	if f.heard != nil && bytes.Contains(f.Bytes(), []byte("\n")) {
		f.heard()
		f.heard = nil
	}
	return n, err
}

// isGone waits until a process has ended or is a zombie.
func isGone(t *testing.T, pid string) {
	t.Helper()
	pid = strings.TrimSpace(pid)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
	}
	t.Errorf("process %s is still there", pid)
}

func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}
