package gogen

import (
	"os/exec"
	"runtime"
	"syscall"
)

// runWithParent runs a process that the kernel kills when this process ends. The
// signal is tied to the thread that starts the process, which must live as long.
func runWithParent(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}
