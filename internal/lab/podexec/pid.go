package podexec

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// sayTime bounds the wait for a relay's answer.
const sayTime = time.Second

// note is the socket where a relay reports the process it stands for. It is a name and not a file:
// there may be no writable directory, and a killed relay leaves no name behind.
func note(relay int) *net.UnixAddr {
	return &net.UnixAddr{Name: "@h2lab-reach-" + strconv.Itoa(relay), Net: "unix"}
}

// Pid is the process that does the work: for a relay, the program it stands for, as seen in the
// pod's shared PID namespace; for any other process itself. It is known from the program's first
// line of output until its end.
func Pid(pid int) int {
	conn, err := net.DialUnix("unix", nil, note(pid))
	if err != nil {
		return pid
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(sayTime)) // if it fails, the read fails too
	said, err := io.ReadAll(io.LimitReader(conn, 20))
	if err != nil {
		return pid
	}
	if of, err := strconv.Atoi(string(said)); err == nil && of > 0 {
		return of
	}
	return pid
}

// say answers every connection with the pid that this relay stands for, until stop.
func say(relay, pid int) (stop func(), err error) {
	l, err := net.ListenUnix("unix", note(relay))
	if err != nil {
		return nil, fmt.Errorf("publishing the program's pid: %w", err)
	}
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, strconv.Itoa(pid)) // fits every buffer
			conn.Close()
		}
	}()
	return func() { l.Close() }, nil
}
