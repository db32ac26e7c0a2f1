//go:build unix

package rt

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps a file for reading.
func mapFile(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	return b, nil
}
