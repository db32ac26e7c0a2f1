//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

// duplicate makes descriptor to what from is.
func duplicate(from, to int) error { return unix.Dup2(from, to) }
