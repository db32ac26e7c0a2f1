package serve

import (
	"errors"

	"golang.org/x/sys/unix"
)

// mapSparse is the flag of a mapping that reserves address space alone.
const mapSparse = unix.MAP_NORESERVE

// reserve allocates the pages now: a store to a page that cannot be had would kill
// the process.
func (b *file) reserve(at, size int64) error {
	for {
		err := unix.Fallocate(int(b.f.Fd()), 0, at, size)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EOPNOTSUPP) { // a file system without it; pages are zero
			return nil
		}
		return err
	}
}

// release punches a hole: the pages read as zero when they are lent again.
func (b *file) release(at, size int64) {
	if unix.Fallocate(int(b.f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, size) != nil {
		clear(b.data[at : at+size])
	}
}
