package podexec

import (
	"strconv"
	"strings"
)

// noteName begins the name of the memory file by which a relay reports the process it stands for. /proc shows the
// name to the pod's other processes. There may be no writable directory, a socket's name would be unknown in another
// network namespace, where a distance puts the relay, and a killed relay leaves no such file behind.
const noteName = "h2lab-reach-"

// Pid is the process that does the work: for a relay, the program it stands for, as seen in the
// pod's shared PID namespace; for any other process itself. It is known from the program's first
// line of output until its end.
func Pid(pid int) int {
	for _, file := range memoryFiles(pid) {
		if of, is := strings.CutPrefix(file, noteName); is {
			if of, err := strconv.Atoi(of); err == nil && of > 0 {
				return of
			}
		}
	}
	return pid
}

// say reports the pid that this relay stands for, until stop.
func say(pid int) (stop func(), err error) { return memoryFile(noteName + strconv.Itoa(pid)) }
