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

// A span is a range of the arena, from at to end.
type span struct{ at, end int64 }

// An arena is the memory that client and server share. The server alone allocates in
// it.
type arena struct {
	mu   sync.Mutex
	data []byte // mapped: its greatest size
	file backing
	size int64  // of the file
	used []span // lent, in multiples of pageSize, by address
	base uint64 // where the client has it
}

// A backing is the file behind an arena.
type backing interface {
	// resize makes the file larger.
	resize(size int64) error
	// reserve gets zero-filled memory for a range, which then cannot run out.
	reserve(at, size int64) error
	// release gives the memory of a range back to the system.
	release(at, size int64)
	close() error
}

// alloc lends zero-filled memory.
func (a *arena) alloc(name string, size int64) (span, error) {
	if a == nil {
		return span{}, argumentf("%s: the session has no arena", name)
	}
	if size < 0 {
		return span{}, argumentf("%s: size %d is negative", name, size)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	most := int64(len(a.data))
	if size > most {
		return span{}, &device.OutOfMemoryError{Name: name, Size: size, Free: most}
	}
	pages := max(pageSize, (size+pageSize-1)&^(pageSize-1))
	at, i := int64(0), 0
	for ; i < len(a.used) && a.used[i].at-at < pages; i++ {
		at = a.used[i].end
	}
	if pages > most-at {
		return span{}, &device.OutOfMemoryError{Name: name, Size: size, Free: -1}
	}
	s := span{at, at + pages}
	if s.end > a.size {
		if err := a.file.resize(s.end); err != nil {
			return span{}, fmt.Errorf("%s: %w: %w", name, err, &device.OutOfMemoryError{Name: name, Size: size, Free: -1})
		}
		a.size = s.end
	}
	if err := a.file.reserve(at, pages); err != nil {
		return span{}, fmt.Errorf("%s: %w: %w", name, err, &device.OutOfMemoryError{Name: name, Size: size, Free: -1})
	}
	a.used = slices.Insert(a.used, i, s)
	return s, nil
}

// free takes a range back.
func (a *arena) free(s span) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used = slices.DeleteFunc(a.used, func(o span) bool { return o == s })
	a.file.release(s.at, s.end-s.at)
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
	if at < 0 || size < 0 || i == len(a.used) || at < a.used[i].at || size > a.used[i].end-at {
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
