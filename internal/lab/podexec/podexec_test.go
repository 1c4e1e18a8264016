//go:build linux

package podexec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

func TestARelayThatDiesOrTalksNonsenseEndsTheProgram(t *testing.T) {
	socket, _ := serving(t, turnTime)
	for name, farewell := range map[string]func(*net.UnixConn){
		"dies":   func(c *net.UnixConn) { c.Close() },
		"speaks": func(c *net.UnixConn) { _, _ = c.Write([]byte(`{"run":["true"]}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			conn, pid := sleeping(t, socket, "60")
			farewell(conn)
			isGone(t, strconv.Itoa(pid))
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
		if a := heard(t, asked(t, socket, word, null(t))); !strings.Contains(a.Refused, "the request") {
			t.Errorf("%q: it said %+v", word, a)
		}
	}
	if a := heard(t, asked(t, socket, `{"run":["true"]}`)); !strings.Contains(a.Refused, "0 streams") {
		t.Errorf("without streams: it said %+v", a)
	}
}

func TestASecondRequestWaitsItsTurnAndIsRefusedWhenItDoesNotCome(t *testing.T) {
	socket, _ := serving(t, 100*time.Millisecond)
	sleeping(t, socket, "60")
	var s said
	_, err := s.sh(context.Background(), socket, "echo second", "")
	mustSay(t, err, "already running", "one at a time")

	patient, _ := serving(t, turnTime)
	sleeping(t, patient, "0.2")
	if got, err := s.sh(context.Background(), patient, "echo second", ""); err != nil || got.Status != 0 ||
		s.out.String() != "second\n" {
		t.Errorf("Exec() = %+v, %v, %q", got, err, &s.out)
	}
}

func TestAnAgentThatIsStoppedEndsWhatRuns(t *testing.T) {
	socket, stop := serving(t, turnTime)
	s := said{heard: func() { go stop() }}
	got, err := s.sh(context.Background(), socket, "echo $$; exec sleep 60", "")
	if err != nil || got.Signal != "terminated" {
		t.Errorf("Exec() = %+v, %v", got, err)
	}
	isGone(t, s.out.String())
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
	s := said{heard: func() { _ = cmd.Process.Kill() }}
	// it waits for the agent; in a container its program ends with the agent, but not in this test
	_, err = s.sh(context.Background(), socket, "echo $$; exec sleep 2", "")
	mustSay(t, err, socket, "has ended")
	_ = cmd.Wait()
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
	_, err := execute(context.Background(), "@h2lab-test-nobody", []string{"true"}, [3]*os.File{}, 100*time.Millisecond)
	mustSay(t, err, "@h2lab-test-nobody", "docker compose ps")
	_, err = Exec(context.Background(), "@h2lab-test-nobody", nil, [3]*os.File{})
	mustSay(t, err, "after --")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Exec(ctx, "@h2lab-test-nobody", []string{"true"}, [3]*os.File{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Exec() = %v, want the cancellation", err)
	}
}

// null has no input and takes every output.
func null(t *testing.T) []*os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	labtest.Check(t, err)
	t.Cleanup(func() { f.Close() })
	return []*os.File{f, f, f}
}

// asked is a connection on which words and files were sent to an agent.
func asked(t *testing.T, socket, words string, files ...[]*os.File) *net.UnixConn {
	t.Helper()
	conn, err := dial(context.Background(), socket, dialTime)
	labtest.Check(t, err)
	t.Cleanup(func() { conn.Close() })
	labtest.Check(t, send(conn, []byte(words), slices.Concat(files...)))
	return conn
}

// heard is the agent's next answer.
func heard(t *testing.T, conn *net.UnixConn) (a answer) {
	t.Helper()
	labtest.Check(t, json.NewDecoder(conn).Decode(&a))
	return a
}

// sleeping makes an agent run a program for some seconds.
func sleeping(t *testing.T, socket, seconds string) (conn *net.UnixConn, pid int) {
	t.Helper()
	conn = asked(t, socket, `{"run":["sleep","`+seconds+`"]}`, null(t))
	a := heard(t, conn)
	if a.Pid == 0 {
		t.Fatalf("it said %+v", a)
	}
	return conn, a.Pid
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

// said is the output of a program. heard is called once it has printed a whole line; it may be nil.
type said struct {
	out, err bytes.Buffer
	heard    func()
}

// sh runs a script in a shell through the agent.
func (s *said) sh(ctx context.Context, socket, script, stdin string) (Ending, error) {
	return s.run(ctx, socket, []string{"sh", "-c", script}, stdin)
}

func (s *said) run(ctx context.Context, socket string, argv []string, stdin string) (Ending, error) {
	var files [3]*os.File
	var copied sync.WaitGroup
	for i, out := range []*bytes.Buffer{nil, &s.out, &s.err} {
		r, w, err := os.Pipe()
		if err != nil {
			return Ending{}, err
		}
		if out == nil {
			files[i] = r
			copied.Go(func() { defer w.Close(); _, _ = io.WriteString(w, stdin) })
			continue
		}
		files[i] = w
		copied.Go(func() {
			defer r.Close()
			for b := make([]byte, 4096); ; {
				n, err := r.Read(b)
				if out.Write(b[:n]); s.heard != nil && bytes.Contains(out.Bytes(), []byte("\n")) {
					s.heard()
					s.heard = nil
				}
				if err != nil {
					return
				}
			}
		})
	}
	ending, err := Exec(ctx, socket, argv, files)
	for _, f := range files {
		f.Close()
	}
	copied.Wait()
	return ending, err
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
	got, err := s.sh(context.Background(), socket, `test -e podexec.go || exit 9; read a; echo "got $a"; echo words >&2; cat; exit 7`, "one\ntwo\n")
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

func TestAProgramThatIsNotThereIsRefusedWithItsName(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var s said
	_, err := s.run(context.Background(), socket, []string{"clients/none/out/run"}, "")
	mustSay(t, err, "clients/none/out/run", "no such file")
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
			s := said{heard: cancel}
			got, err := s.sh(ctx, socket, c.script, "")
			if err != nil || got != c.want {
				t.Errorf("Exec() = %+v, %v, want %+v", got, err, c.want)
			}
			isGone(t, s.out.String())
		})
	}
}

func TestPidIsTheProgramsForARelayAndItsOwnForAnyOther(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var during int
	s := said{heard: func() {
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
			if during = Pid(os.Getpid()); during != os.Getpid() || time.Now().After(deadline) {
				return
			}
		}
	}}
	if _, err := s.sh(context.Background(), socket, "echo $$; sleep 0.5", ""); err != nil {
		t.Fatal(err)
	}
	if strconv.Itoa(during) != strings.TrimSpace(s.out.String()) {
		t.Errorf("Pid() = %d while %s ran", during, &s.out)
	}
	if got := Pid(os.Getpid()); got != os.Getpid() {
		t.Errorf("Pid() = %d after it, want our own", got)
	}
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
