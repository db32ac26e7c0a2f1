//go:build unix && !linux

package serve

// mapSparse is the flag of a mapping that reserves address space alone, which such a
// mapping of a file does anyway.
const mapSparse = 0

// reserve has nothing to do: fresh pages of a file are zero, and freed ones are cleared.
func (b *file) reserve(at, size int64) error { return nil }

// write has nothing to gain.
func (b *file) write(at int64, data []byte) (ok bool, err error) { return false, nil }

// release clears the pages for those that get them next.
func (b *file) release(at, size int64) { clear(b.data[at : at+size]) }
