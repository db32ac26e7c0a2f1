//go:build unix

package graph

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// mapFile maps all of f. The mapping is private and writable: what is written
// to it never reaches the file. parseGalois needs to write one word.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	if size <= 0 || size > math.MaxInt {
		return nil, nil, fmt.Errorf("map %s: size %d", f.Name(), size)
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
