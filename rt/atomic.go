package rt

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// CUDA's atomics. Each returns the value from before. They take the address as
// an unsafe.Pointer, as all pointers of a C program are in generated code, and
// are sequentially consistent, which is more than CUDA promises. One that finds nothing to
// change is a load: what was stored plainly before it is ordered by [Fence] only, as with CUDA's.
//
// The Solo forms do the same with plain accesses: for the code that runs while
// only one worker does.

// An Int is an integer type that CUDA's atomics know.
type Int interface {
	int32 | uint32 | int64 | uint64
}

// cas replaces old by v at p if the bits there are those of old.
func cas[T Scalar](p unsafe.Pointer, old, v T) bool {
	if unsafe.Sizeof(v) == 4 {
		return atomic.CompareAndSwapUint32((*uint32)(p), *(*uint32)(unsafe.Pointer(&old)), *(*uint32)(unsafe.Pointer(&v)))
	}
	return atomic.CompareAndSwapUint64((*uint64)(p), *(*uint64)(unsafe.Pointer(&old)), *(*uint64)(unsafe.Pointer(&v)))
}

// load reads p atomically.
func load[T Scalar](p unsafe.Pointer) T {
	var v T
	if unsafe.Sizeof(v) == 4 {
		x := atomic.LoadUint32((*uint32)(p))
		return *(*T)(unsafe.Pointer(&x))
	}
	x := atomic.LoadUint64((*uint64)(p))
	return *(*T)(unsafe.Pointer(&x))
}

// Add is atomicAdd.
func Add[T Int](p unsafe.Pointer, v T) T {
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.AddUint32((*uint32)(p), uint32(v))) - v
	}
	return T(atomic.AddUint64((*uint64)(p), uint64(v))) - v
}

// A Sum holds back what one thread adds to places, several times in a row to the
// same one.
type Sum[T Int | float32 | float64] struct {
	at  unsafe.Pointer // nil for nothing
	sum T
}

// Add adds v to what is held back for the place p.
func (s *Sum[T]) Add(p unsafe.Pointer, v T) {
	if p != s.at {
		s.Flush()
		s.at = p
	}
	s.sum += v
}

// Flush adds what is held back to its place, and holds nothing.
func (s *Sum[T]) Flush() {
	if s.at == nil {
		return
	}
	switch v := any(s.sum).(type) {
	case int32:
		Add(s.at, v)
	case uint32:
		Add(s.at, v)
	case int64:
		Add(s.at, v)
	case uint64:
		Add(s.at, v)
	case float32:
		AddF32(s.at, v)
	case float64:
		AddF64(s.at, v)
	}
	s.at, s.sum = nil, 0
}

// An ownSum is what a worker adds to an array in one invocation: an array of its own.
type ownSum struct {
	home, at unsafe.Pointer
	used     bool
	add      func() // adds at's elements to home's, and clears them
}

// Own returns an array of n zeros that w adds to in place of the one at home: the end of
// the invocation adds up those of all workers. Atomic operations by which workers count
// in the same few cache lines take longer with every worker.
func Own[T Int | float32 | float64](w *Worker, home unsafe.Pointer, n int) unsafe.Pointer {
	for i := range w.own {
		if o := &w.own[i]; o.home == home {
			o.used = true
			return o.at
		}
	}
	own := make([]T, n+1) // a pointer to the end points into it
	w.own = append(w.own, ownSum{home: home, at: unsafe.Pointer(unsafe.SliceData(own)), used: true, add: func() {
		sums := unsafe.Slice((*T)(home), n)
		for i, x := range own[:n] {
			sums[i] += x
		}
		clear(own)
	}})
	return w.own[len(w.own)-1].at
}

// addOwn adds what w has added in arrays of its own.
func (w *Worker) addOwn() {
	for i := range w.own {
		if o := &w.own[i]; o.used {
			o.add()
			o.used = false
		}
	}
}

// AddF64 is atomicAdd of a double.
func AddF64(p unsafe.Pointer, v float64) float64 {
	for {
		b := atomic.LoadUint64((*uint64)(p))
		old := math.Float64frombits(b)
		if atomic.CompareAndSwapUint64((*uint64)(p), b, math.Float64bits(old+v)) {
			return old
		}
	}
}

// AddF32 is atomicAdd of a float.
func AddF32(p unsafe.Pointer, v float32) float32 {
	for {
		b := atomic.LoadUint32((*uint32)(p))
		old := math.Float32frombits(b)
		if atomic.CompareAndSwapUint32((*uint32)(p), b, math.Float32bits(old+v)) {
			return old
		}
	}
}

// Sub is atomicSub.
func Sub[T Int](p unsafe.Pointer, v T) T { return Add(p, -v) }

// Exch is atomicExch. Where the value there is v it writes nothing, as for flags that are
// mostly set already.
func Exch[T Int | float32 | float64](p unsafe.Pointer, v T) T {
	if unsafe.Sizeof(v) == 4 {
		b := *(*uint32)(unsafe.Pointer(&v))
		if atomic.LoadUint32((*uint32)(p)) != b {
			b = atomic.SwapUint32((*uint32)(p), b)
		}
		return *(*T)(unsafe.Pointer(&b))
	}
	b := *(*uint64)(unsafe.Pointer(&v))
	if atomic.LoadUint64((*uint64)(p)) != b {
		b = atomic.SwapUint64((*uint64)(p), b)
	}
	return *(*T)(unsafe.Pointer(&b))
}

// Min is atomicMin. Where the value there is no larger it writes nothing.
func Min[T Int](p unsafe.Pointer, v T) T {
	for {
		if old := load[T](p); old <= v || cas(p, old, v) {
			return old
		}
	}
}

// Max is atomicMax.
func Max[T Int](p unsafe.Pointer, v T) T {
	for {
		if old := load[T](p); old >= v || cas(p, old, v) {
			return old
		}
	}
}

// Inc is atomicInc: up to v, then 0.
func Inc(p unsafe.Pointer, v uint32) uint32 {
	for {
		old := load[uint32](p)
		x := old + 1
		if old >= v {
			x = 0
		}
		if cas(p, old, x) {
			return old
		}
	}
}

// Dec is atomicDec: down to 0, then v; also v when above v.
func Dec(p unsafe.Pointer, v uint32) uint32 {
	for {
		old := load[uint32](p)
		x := old - 1
		if old == 0 || old > v {
			x = v
		}
		if cas(p, old, x) {
			return old
		}
	}
}

// CAS is atomicCAS.
func CAS[T Int](p unsafe.Pointer, want, v T) T {
	for {
		old := load[T](p)
		if old != want || cas(p, old, v) {
			return old
		}
	}
}

// And is atomicAnd. Where it changes nothing it writes nothing.
func And[T Int](p unsafe.Pointer, v T) T {
	if old := load[T](p); old&v == old {
		return old
	}
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.AndUint32((*uint32)(p), uint32(v)))
	}
	return T(atomic.AndUint64((*uint64)(p), uint64(v)))
}

// Or is atomicOr. Where it changes nothing it writes nothing.
func Or[T Int](p unsafe.Pointer, v T) T {
	if old := load[T](p); old|v == old {
		return old
	}
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.OrUint32((*uint32)(p), uint32(v)))
	}
	return T(atomic.OrUint64((*uint64)(p), uint64(v)))
}

// Xor is atomicXor.
func Xor[T Int](p unsafe.Pointer, v T) T {
	for {
		if old := load[T](p); cas(p, old, old^v) {
			return old
		}
	}
}

// SoloAdd is Add, AddF32 or AddF64 by the only worker.
func SoloAdd[T Int | float32 | float64](p unsafe.Pointer, v T) T {
	old := *(*T)(p)
	*(*T)(p) = old + v
	return old
}

// SoloSub is Sub by the only worker.
func SoloSub[T Int](p unsafe.Pointer, v T) T {
	old := *(*T)(p)
	*(*T)(p) = old - v
	return old
}

// SoloExch is Exch by the only worker.
func SoloExch[T Int | float32 | float64](p unsafe.Pointer, v T) T {
	old := *(*T)(p)
	*(*T)(p) = v
	return old
}

// SoloMin is Min by the only worker.
func SoloMin[T Int](p unsafe.Pointer, v T) T {
	old := *(*T)(p)
	if v < old {
		*(*T)(p) = v
	}
	return old
}

// SoloMax is Max by the only worker.
func SoloMax[T Int](p unsafe.Pointer, v T) T {
	old := *(*T)(p)
	if v > old {
		*(*T)(p) = v
	}
	return old
}

// SoloCAS is CAS by the only worker.
func SoloCAS[T Int](p unsafe.Pointer, want, v T) T {
	old := *(*T)(p)
	if old == want {
		*(*T)(p) = v
	}
	return old
}

var fence atomic.Uint32

// Fence orders the memory accesses before it and after it, as __threadfence.
func Fence() { fence.Add(0) }
