package child

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// attributes gives the child a process group of its own, so that the console's Ctrl-C reaches only h2lab.
func attributes(spec Spec) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{}
	if !spec.Foreground {
		a.CreationFlags = windows.CREATE_NEW_PROCESS_GROUP
	}
	return a
}

// family is a child and all that it started: a job object, which processes can't leave. A program that
// the child starts before it is in the job stays outside.
type family struct {
	process *os.Process
	job     windows.Handle // 0 where there is none
}

// familyOf puts a child into a job that Windows ends with its last handle, and so with h2lab at the latest.
func familyOf(p *os.Process, spec Spec) family {
	f := family{process: p}
	if spec.Outlives || spec.Foreground {
		return f
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return f
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, p.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return f
	}
	f.job = job
	return f
}

func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // only a handle
	return windows.AssignProcessToJobObject(job, h)
}

// signal kills for SIGKILL. Windows has no other signals: the nearest one is Ctrl-Break, which a console
// program of another process group can get. Without a console to send it in, the child is killed.
func (f family) signal(sig syscall.Signal) {
	if sig == syscall.SIGKILL ||
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(f.process.Pid)) != nil {
		_ = f.process.Kill()
	}
}

// signalAll is signal for the whole job; Ctrl-Break reaches the whole process group.
func (f family) signalAll(sig syscall.Signal) {
	if sig != syscall.SIGKILL || f.job == 0 {
		f.signal(sig)
		return
	}
	_ = windows.TerminateJobObject(f.job, 1)
}

// release closes the job, which ends what is left in it.
func (f family) release() {
	if f.job != 0 {
		_ = windows.CloseHandle(f.job)
	}
}

// awaitEnd returns when a child has ended. The os.Process keeps its pid from being reused.
func awaitEnd(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h) //nolint:errcheck // only a handle
	event, err := windows.WaitForSingleObject(h, windows.INFINITE)
	return err == nil && event == windows.WAIT_OBJECT_0
}

func onLastingThread(f func()) { f() }

// running: a child that Start started runs until its status is read, and of one that Find found nothing
// is known.
func (c *Child) running() bool { return c.exited != nil }

func killByHand(pid int) string { return fmt.Sprintf("taskkill /F /T /PID %d", pid) }
