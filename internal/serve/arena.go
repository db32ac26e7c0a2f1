package serve

import (
	"fmt"
	"slices"
	"sync"

	"irgl/internal/device"
)

// pageSize is the unit of the arena's ranges.
const pageSize = 4096

// maxArena is the most address space that an arena takes.
const maxArena = 64 << 30

// maxIdle and maxIdleSpans bound the memory of ranges that were freed and are kept to be lent again,
// and their number: to allocate and clear a page costs several times as much as to fill it.
const (
	maxIdle      = 256 << 20
	maxIdleSpans = 256
)

// A span is a range of the arena, from at to end.
type span struct{ at, end int64 }

// size returns the bytes of a range.
func (s span) size() int64 { return s.end - s.at }

// An arena is the memory that client and server share. The server alone allocates in
// it.
type arena struct {
	mu   sync.Mutex
	data []byte // mapped: its greatest size
	file backing
	size int64  // of the file
	used []span // lent or idle, in multiples of pageSize, by address
	idle []span // freed, with their pages and what was in them, the oldest first
	kept int64  // bytes of idle
	base uint64 // where the client has it
}

// A backing is the file behind an arena.
type backing interface {
	// resize makes the file larger.
	resize(size int64) error
	// reserve gets zero-filled memory for a range, which then cannot run out.
	reserve(at, size int64) error
	// write fills a range that has no memory yet, if that is faster than to reserve and then fill it; ok says whether it has.
	write(at int64, b []byte) (ok bool, err error)
	// release gives the memory of a range back to the system.
	release(at, size int64)
	close() error
}

// alloc lends zero-filled memory.
func (a *arena) alloc(name string, size int64) (span, error) {
	s, dirty, err := a.take(name, size)
	if err != nil {
		return span{}, err
	}
	if dirty {
		_ = inParallel(int(size), func(lo, hi int) error {
			clear(a.data[s.at+int64(lo) : s.at+int64(hi)])
			return nil
		})
		return s, nil
	}
	return s, a.reserve(name, size, s)
}

// lend lends memory that holds the parts of an array, which begin at starts.
func (a *arena) lend(name string, size int64, parts [][]byte, starts []int64) (span, error) {
	s, dirty, err := a.take(name, size)
	if err != nil {
		return s, err
	}
	written := !dirty
	for i := 0; i < len(parts) && written; i++ {
		if written, err = a.file.write(s.at+starts[i], parts[i]); err != nil {
			return s, a.lacks(name, size, s, err)
		}
	}
	if written {
		return s, nil
	}
	if !dirty {
		if err := a.reserve(name, size, s); err != nil {
			return s, err
		}
	}
	for i, b := range parts {
		to := a.data[s.at+starts[i]:][:len(b)]
		_ = inParallel(len(b), func(lo, hi int) error {
			copy(to[lo:hi], b[lo:hi])
			return nil
		})
	}
	return s, nil
}

// reserve gets the memory of a range that was taken.
func (a *arena) reserve(name string, size int64, s span) error {
	err := a.file.reserve(s.at, s.size())
	if err == nil {
		return nil
	}
	return a.lacks(name, size, s, err)
}

// lacks gives up a range for which there is no memory, and returns the error that says so.
func (a *arena) lacks(name string, size int64, s span, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.file.release(s.at, s.size()) // some pages may be there
	a.forget(s)
	return fmt.Errorf("%s: %w: %w", name, err, &device.OutOfMemoryError{Name: name, Size: size, Free: -1})
}

// take lends a range, of which no memory is reserved: one that is dirty has it from before,
// and the others read as zeros.
func (a *arena) take(name string, size int64) (s span, dirty bool, err error) {
	if a == nil {
		return span{}, false, argumentf("%s: the session has no arena", name)
	}
	if size < 0 {
		return span{}, false, argumentf("%s: size %d is negative", name, size)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	most := int64(len(a.data))
	if size > most {
		return span{}, false, &device.OutOfMemoryError{Name: name, Size: size, Free: most}
	}
	pages := max(pageSize, (size+pageSize-1)&^(pageSize-1))
	// Much larger ones are left to what needs them.
	if i := slices.IndexFunc(a.idle, func(o span) bool { return o.size() >= pages && o.size() <= 2*pages }); i >= 0 {
		s = a.idle[i]
		a.idle, a.kept = slices.Delete(a.idle, i, i+1), a.kept-s.size()
		return s, true, nil
	}
	at, i := a.gap(pages)
	if pages > most-at {
		a.trim(0)
		at, i = a.gap(pages)
	}
	if pages > most-at {
		return span{}, false, &device.OutOfMemoryError{Name: name, Size: size, Free: -1}
	}
	s = span{at, at + pages}
	if s.end > a.size {
		if err := a.file.resize(s.end); err != nil {
			return span{}, false, fmt.Errorf("%s: %w: %w", name, err, &device.OutOfMemoryError{Name: name, Size: size, Free: -1})
		}
		a.size = s.end
	}
	a.used = slices.Insert(a.used, i, s)
	return s, false, nil
}

// gap returns the first free place of a size, and its index in used.
func (a *arena) gap(size int64) (at int64, i int) {
	for ; i < len(a.used) && a.used[i].at-at < size; i++ {
		at = a.used[i].end
	}
	return at, i
}

// free takes a range back.
func (a *arena) free(s span) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.idle, a.kept = append(a.idle, s), a.kept+s.size()
	a.trim(maxIdle)
}

// trim gives the memory of idle ranges back to the system, the oldest first, until there
// is no more than that of them.
func (a *arena) trim(most int64) {
	for a.kept > most || len(a.idle) > maxIdleSpans {
		s := a.idle[0]
		a.idle, a.kept = a.idle[1:], a.kept-s.size()
		a.file.release(s.at, s.size())
		a.forget(s)
	}
}

// forget has a range be neither lent nor idle.
func (a *arena) forget(s span) {
	a.used = slices.DeleteFunc(a.used, func(o span) bool { return o == s })
}

// bytes returns size bytes at an offset, which must be in a range that is lent.
func (a *arena) bytes(at, size int64) ([]byte, error) {
	if a == nil {
		return nil, argumentf("the session has no arena")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := slices.BinarySearchFunc(a.used, at, func(s span, at int64) int {
		if s.end <= at {
			return -1
		}
		return 1
	})
	if at < 0 || size < 0 || i == len(a.used) || at < a.used[i].at || size > a.used[i].end-at || slices.Contains(a.idle, a.used[i]) {
		return nil, argumentf("%d bytes at %d of the arena are not in a range of it", size, at)
	}
	return a.data[at : at+size : at+size], nil
}

func (a *arena) close() error {
	if a == nil {
		return nil
	}
	return a.file.close()
}
