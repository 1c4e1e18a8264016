//go:build linux

package podexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
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
		t.Errorf("the hand is of no use any more: %+v, %v", got, err)
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
		t.Errorf("Reach() = %+v, %v, %q", got, err, &s.out)
	}
}

func TestAHandThatIsStoppedEndsWhatRuns(t *testing.T) {
	socket, stop := serving(t, turnTime)
	out := &firstLine{heard: func() { go stop() }}
	got, err := Reach(context.Background(), socket, []string{"sh", "-c", "echo $$; exec sleep 60"},
		Streams{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard})
	if err != nil || got.Signal != "terminated" {
		t.Errorf("Reach() = %+v, %v", got, err)
	}
	isGone(t, out.String())
}

func TestAHandThatIsKilledIsNamedAndItsNameIsFreeAtOnce(t *testing.T) {
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
	// it waits for the hand
	_, err = Reach(context.Background(), socket, []string{"sh", "-c", "echo $$; exec sleep 60"},
		Streams{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard})
	mustSay(t, err, socket, "has ended")
	_ = cmd.Wait()
	if pid, err := strconv.Atoi(strings.TrimSpace(out.String())); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // in a container it ends with the hand, but not in this test
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Serve(ctx, socket); err != nil {
		t.Errorf("a new hand: %v", err)
	}
}

func TestTwoHandsOfOneNameAreImpossible(t *testing.T) {
	socket, _ := serving(t, turnTime)
	var s said
	if _, err := s.sh(context.Background(), socket, "true", ""); err != nil { // it listens
		t.Fatal(err)
	}
	mustSay(t, Serve(context.Background(), socket), "another runner", socket)
}

func TestReachWithoutAHandSaysWhereToLook(t *testing.T) {
	_, err := reach(context.Background(), "@h2lab-test-nobody", []string{"true"}, Streams{}, 100*time.Millisecond)
	mustSay(t, err, "@h2lab-test-nobody", "docker compose ps")
	_, err = Reach(context.Background(), "@h2lab-test-nobody", nil, Streams{})
	mustSay(t, err, "after --")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Reach(ctx, "@h2lab-test-nobody", []string{"true"}, Streams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Reach() = %v, want the cancellation", err)
	}
}

// asked is a connection on which words were sent to a hand.
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
