package serve

import (
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// mapSparse is the flag of a mapping that reserves address space alone.
const mapSparse = unix.MAP_NORESERVE

// populated is how many bytes are allocated at a time, and few how many by one thread alone.
const (
	populated = 4 << 20
	few       = 1 << 20
)

// reserve allocates the pages now: a store to a page that cannot be had would kill
// the process. All processors do so at once, where the kernel can (from 5.14 on).
func (b *file) reserve(at, size int64) error {
	if size < few {
		return b.allocate(at, size)
	}
	parts := make(chan int64)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for w := range errs {
		all.Go(func() {
			for from := range parts {
				if errs[w] == nil {
					errs[w] = unix.Madvise(b.data[from:min(from+populated, at+size)], unix.MADV_POPULATE_WRITE)
				}
			}
		})
	}
	for from := at; from < at+size; from += populated {
		parts <- from
	}
	close(parts)
	all.Wait()
	err := errors.Join(errs...)
	if errors.Is(err, unix.EINVAL) {
		return b.allocate(at, size)
	}
	return err
}

// writers is the most processors that are slower, where they map and clear pages and then fill them, than
// one thread that writes to the file. Of those that write to it, the system lets in one.
const writers = 2

// write writes to the file, where that is faster: its pages are neither cleared nor mapped first. The client
// maps them when it reads them, in either case.
func (b *file) write(at int64, data []byte) (ok bool, err error) {
	if len(data) >= few && runtime.GOMAXPROCS(0) > writers {
		return false, nil
	}
	_, err = b.f.WriteAt(data, at)
	return true, err
}

// allocate is reserve by one thread, without mapping the pages.
func (b *file) allocate(at, size int64) error {
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
