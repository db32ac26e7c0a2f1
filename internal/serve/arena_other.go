//go:build !unix

package serve

import "errors"

// openArena fails: arenas need a system with mmap.
func openArena(descriptor uintptr, size int64) (*arena, error) {
	return nil, errors.New("the arena: shared memory is not supported on this system yet")
}
