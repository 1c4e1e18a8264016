package podexec

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// sayTime bounds how long a relay may take to say whom it stands for.
const sayTime = time.Second

// note is where a relay says which process it stands for. A name and not a
// file: there may be no directory that it can write in, and a relay that is
// killed leaves none behind.
func note(relay int) *net.UnixAddr {
	return &net.UnixAddr{Name: "@h2lab-reach-" + strconv.Itoa(relay), Net: "unix"}
}

// Pid is the process that does the work: for a relay, the program that it
// stands for, as seen in the pod's shared PID namespace; for any other process
// itself. It is known from the program's first sign of life until its end.
func Pid(pid int) int {
	conn, err := net.DialUnix("unix", nil, note(pid))
	if err != nil {
		return pid
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(sayTime)) // fails as the read then does
	said, err := io.ReadAll(io.LimitReader(conn, 20))
	if err != nil {
		return pid
	}
	if of, err := strconv.Atoi(string(said)); err == nil && of > 0 {
		return of
	}
	return pid
}

// say tells whoever asks that this relay stands for pid, until stop.
func say(relay, pid int) (stop func(), err error) {
	l, err := net.ListenUnix("unix", note(relay))
	if err != nil {
		return nil, fmt.Errorf("saying which process does the work: %w", err)
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
