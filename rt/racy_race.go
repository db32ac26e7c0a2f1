//go:build race

package rt

import (
	"sync/atomic"
	"unsafe"
)

// Load returns the value at p.
func Load[T Scalar](p *T) T {
	if unsafe.Sizeof(*p) >= 4 {
		return load[T](unsafe.Pointer(p))
	}
	word, at := wordOf(unsafe.Pointer(p))
	x := atomic.LoadUint32(word)
	return *(*T)(unsafe.Add(unsafe.Pointer(&x), at))
}

// Store stores v at p.
func Store[T Scalar](p *T, v T) {
	switch unsafe.Sizeof(v) {
	case 8:
		atomic.StoreUint64((*uint64)(unsafe.Pointer(p)), *(*uint64)(unsafe.Pointer(&v)))
		return
	case 4:
		atomic.StoreUint32((*uint32)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(&v)))
		return
	}
	word, at := wordOf(unsafe.Pointer(p))
	for {
		old := atomic.LoadUint32(word)
		x := old
		*(*T)(unsafe.Add(unsafe.Pointer(&x), at)) = v
		if atomic.CompareAndSwapUint32(word, old, x) {
			return
		}
	}
}

// wordOf returns the aligned word that holds the one or two bytes at p, and their
// offset in it.
func wordOf(p unsafe.Pointer) (word *uint32, at uintptr) {
	at = uintptr(p) & 3
	return (*uint32)(unsafe.Add(p, -int(at))), at
}
