//go:build unix

package serve

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A file is the backing of an arena on Unix.
type file struct {
	f    *os.File
	data []byte
}

// openArena maps the file behind a descriptor that the client has made.
func openArena(descriptor uintptr, size int64) (*arena, error) {
	f := os.NewFile(descriptor, "arena")
	if f == nil {
		return nil, fmt.Errorf("the arena: %d is no descriptor", descriptor)
	}
	about, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the arena: %w", err)
	case !about.Mode().IsRegular():
		return nil, fmt.Errorf("the arena: descriptor %d is no file that can be mapped", descriptor)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|mapSparse)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the arena: map %d bytes: %w", size, err), f.Close())
	}
	return &arena{data: data, file: &file{f, data}, size: about.Size()}, nil
}

func (b *file) resize(size int64) error { return b.f.Truncate(size) }

func (b *file) close() error { return errors.Join(unix.Munmap(b.data), b.f.Close()) }
