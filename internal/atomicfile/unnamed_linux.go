package atomicfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed returns a new file in dir that has no name yet, nil if the file system
// has no such files or /proc, by which it gets its name, is missing.
func openUnnamed(dir string, mode os.FileMode) *os.File {
	fd, err := unix.Open(dir, unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), dir)
	if _, err := os.Stat(byDescriptor(f)); err != nil {
		f.Close()
		return nil
	}
	return f
}

// linkUnnamed gives a file of openUnnamed a name.
func linkUnnamed(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, byDescriptor(f), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: err}
	}
	return nil
}

// byDescriptor returns the path of an open file by its descriptor.
func byDescriptor(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
