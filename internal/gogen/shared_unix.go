//go:build unix

package gogen

import (
	"os"
	"strconv"
)

// A shared is a file that a built program inherits. It has no name any more: it is
// gone when the processes that have it open are.
type shared struct{ *os.File }

func newShared() (shared, error) {
	f, err := os.CreateTemp("", "irgl-")
	if err != nil {
		return shared{}, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return shared{}, err
	}
	return shared{f}, nil
}

// firstInherited is the number that a child gives the first file it inherits.
const firstInherited = 3

// arg returns the argument by which a program finds inherited file number i.
func (f shared) arg(i int) string { return strconv.Itoa(firstInherited + i) }

func (f shared) inherit() []*os.File { return []*os.File{f.File} }

func (f shared) remove() { f.Close() }
