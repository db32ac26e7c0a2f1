//go:build !linux

package gogen

import "os/exec"

// runWithParent runs a process: only its lifeline ends it with this one.
func runWithParent(cmd *exec.Cmd) error { return cmd.Run() }
