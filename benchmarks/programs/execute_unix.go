//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupOf makes a command the leader of a process group.
func groupOf(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends a command's group: by SIGTERM, or at once.
func endGroup(cmd *exec.Cmd, now bool) {
	signal := syscall.SIGTERM
	if now {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, signal) // the group may have ended
}

// minDisk is the free space without which nothing is built or run.
const minDisk = 1 << 30

func checkDisk(folder string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	if free := st.Bavail * uint64(st.Bsize); free < minDisk {
		return fmt.Errorf("%s has %d MB of free space, want %d", folder, free>>20, minDisk>>20)
	}
	return nil
}
