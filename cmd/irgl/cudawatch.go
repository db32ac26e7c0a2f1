package main

import (
	"os"
	"os/exec"
	"time"
)

// This file waits for the reports of a program that a signal has ended: the emulator, a child of the program's, writes
// them when the program is gone.

// reportPatience is how long that may take.
const reportPatience = 10 * time.Second

// watched is the descriptor that the program and the emulator have open, above those that the runtime uses.
const watched = 9

// watch has a program hold the end of a pipe, which its emulator inherits, if there are reports. The function
// that it returns waits, when the program has ended, until the emulator has, too.
func (f *cudaRunFlags) watch(program *exec.Cmd) (ended func(), err error) {
	if f.report == "" && os.Getenv("IRGL_REPORT") == "" {
		return func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	program.ExtraFiles = make([]*os.File, watched-2)
	program.ExtraFiles[watched-3] = w
	return func() {
		w.Close()
		_ = r.SetReadDeadline(time.Now().Add(reportPatience))
		_, _ = r.Read(make([]byte, 1)) // the end of the file, or of the patience
		r.Close()
	}, nil
}
