//go:build !unix

package main

import "os"

// maybeClosed reports whether standard output is closed.
func maybeClosed(stdout *os.File) bool {
	_, err := stdout.Stat()
	return err != nil
}

// takeStdout returns standard output. What libraries print goes there, too.
func takeStdout() (*os.File, error) { return os.Stdout, nil }
