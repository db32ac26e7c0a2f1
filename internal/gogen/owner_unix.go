//go:build unix

package gogen

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether a file belongs to the user of this process.
func ownedByUser(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// private reports whether only its owner can write to a file.
func private(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 == 0 }

func executable(info fs.FileInfo) bool { return info.Mode().Perm()&0o100 != 0 }
