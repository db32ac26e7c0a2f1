//go:build unix

package codecache

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether a folder is of the user of this process, who alone can write
// to it.
func private(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
