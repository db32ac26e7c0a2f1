package simt

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Strong accesses to page-locked memory are atomic accesses of Go's memory model, for
// the host may access the memory at the same time: a kernel that polls a flag which
// another goroutine sets. Elements of 4 and 8 bytes are; they are aligned, or the access
// was refused.

// host reports whether the buffer is page-locked memory of the host.
func (b *buffer) host() bool {
	return b != nil && b.base >= hostStart && b.base < deviceStart(maxDevices-1)
}

// load reads the element at an offset, atomically where the host may write it.
func (loc *location) load(at int, size uint8, host bool) uint64 {
	if host {
		return loadHost(loc.mem[at:], size)
	}
	return load(loc.mem[at:], size)
}

// store writes the element at an offset, atomically where the host may read it.
func (loc *location) store(at int, size uint8, v uint64, host bool) {
	if host {
		storeHost(loc.mem[at:], size, v)
		return
	}
	store(loc.mem[at:], size, v)
}

// loadHost is load of page-locked memory.
func loadHost(p []byte, size uint8) uint64 {
	var b [8]byte
	switch {
	case size == 4 && len(p) >= 4:
		binary.NativeEndian.PutUint32(b[:], atomic.LoadUint32((*uint32)(unsafe.Pointer(&p[0]))))
	case size == 8 && len(p) >= 8:
		binary.NativeEndian.PutUint64(b[:], atomic.LoadUint64((*uint64)(unsafe.Pointer(&p[0]))))
	default:
		return load(p, size)
	}
	return load(b[:], size)
}

// storeHost is store to page-locked memory.
func storeHost(p []byte, size uint8, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	switch {
	case size == 4 && len(p) >= 4:
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&p[0])), binary.NativeEndian.Uint32(b[:]))
	case size == 8 && len(p) >= 8:
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&p[0])), binary.NativeEndian.Uint64(b[:]))
	default:
		store(p, size, v)
	}
}
