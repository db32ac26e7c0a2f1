//go:build !unix

package main

import (
	"errors"
	"os/exec"
)

func groupOf(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd, now bool) {
	if now {
		_ = cmd.Process.Kill() // it may have ended
	}
}

// checkDisk refuses: programs are built for Linux, and run by sh.
func checkDisk(string) error { return errors.New("public programs are built and run on Linux only") }
