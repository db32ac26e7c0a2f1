//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// maybeClosed reports whether standard output may have been closed when this process
// started. Then Go's runtime has opened /dev/null in its place, for reading and writing.
// Some programs start others with such a /dev/null to throw away what they print, Python
// with subprocess.DEVNULL for one, and nothing tells the two apart.
func maybeClosed(stdout *os.File) bool {
	st, err := stdout.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(st, null) {
		return false
	}
	flags, err := unix.FcntlInt(stdout.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}

// takeStdout returns standard output under another descriptor, and makes descriptor 1
// standard error: what a library prints cannot damage what is written to the result.
func takeStdout() (*os.File, error) {
	own, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := duplicate(2, 1); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(own), "stdout"), nil
}
