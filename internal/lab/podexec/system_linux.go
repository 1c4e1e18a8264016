package podexec

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// sameUser checks the peer's user, since an abstract name has no permissions.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var who *unix.Ucred
	var asked error
	if err := raw.Control(func(fd uintptr) {
		who, asked = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if asked != nil {
		return fmt.Errorf("the caller's user is unknown: %w", asked)
	}
	if int(who.Uid) != os.Getuid() {
		return fmt.Errorf("user %d asks, but this runner belongs to user %d", who.Uid, os.Getuid())
	}
	return nil
}

// send sends words with files beside them.
func send(conn *net.UnixConn, words []byte, files []*os.File) error {
	var numbers []int
	for _, f := range files {
		numbers = append(numbers, int(f.Fd()))
	}
	_, _, err := conn.WriteMsgUnix(words, unix.UnixRights(numbers...), nil)
	return err
}

// mostWords is more than the longest command line of a client program.
const mostWords = 1 << 16

// receive returns the words of one message and the files beside them, three at most.
func receive(conn *net.UnixConn) (words []byte, files []*os.File, err error) {
	words, rights := make([]byte, mostWords), make([]byte, unix.CmsgSpace(3*4))
	n, beside, _, _, err := conn.ReadMsgUnix(words, rights)
	if err != nil {
		return nil, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:beside])
	for _, m := range messages {
		numbers, _ := unix.ParseUnixRights(&m) // none in another message
		for _, fd := range numbers {
			files = append(files, os.NewFile(uintptr(fd), "stream"))
		}
	}
	return words[:n], files, err
}

// memoryFile makes a file without a directory (memfd_create(2)).
func memoryFile(name string) (remove func(), err error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("publishing the program's pid: %w", err)
	}
	return func() { _ = unix.Close(fd) }, nil
}

// memoryFiles are the names of a process's memory files.
func memoryFiles(pid int) (names []string) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir) // none where it has ended
	for _, e := range entries {
		target, _ := os.Readlink(filepath.Join(dir, e.Name()))
		if name, ok := strings.CutPrefix(target, "/memfd:"); ok {
			names = append(names, strings.TrimSuffix(name, " (deleted)"))
		}
	}
	return names
}
