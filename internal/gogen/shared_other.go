//go:build !unix

package gogen

import "os"

// A shared is a file that a built program opens by its name, as processes inherit
// no files on this system. The parent removes it, or the program when that has
// ended before.
type shared struct{ *os.File }

func newShared() (shared, error) {
	f, err := os.CreateTemp("", "irgl-")
	return shared{f}, err
}

func (f shared) arg(int) string { return f.Name() }

func (f shared) inherit() []*os.File { return nil }

func (f shared) remove() {
	f.Close()
	os.Remove(f.Name())
}
