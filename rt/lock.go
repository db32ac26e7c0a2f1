package rt

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// The locks of Atomic statements: an int32 that is 0 when free and 1 when
// taken. Taking one and giving it back order memory: what an owner wrote is
// visible to the next. at is the statement's index in Program.Places.

// TryLock takes the lock at p if it is free.
func TryLock(p unsafe.Pointer) bool {
	return atomic.CompareAndSwapInt32((*int32)(p), 0, 1)
}

// Unlock gives the lock at p back.
func Unlock(p unsafe.Pointer) { atomic.StoreInt32((*int32)(p), 0) }

// Lock waits for the lock at p and takes it. It ends the run when nobody is
// left who could give the lock back, or the context is done.
func (w *Worker) Lock(p unsafe.Pointer, at int) {
	for i := 0; !TryLock(p); i++ {
		if len(w.r.workers) == 1 || w.r.alone {
			w.r.deadlock(at)
		}
		if i&15 == 15 {
			w.r.waiting()
			runtime.Gosched()
		}
	}
}

// waiting ends the wait of a worker when the run has failed or is cancelled.
func (r *Run) waiting() {
	r.Check()
	if r.pool.broken.Load() {
		r.pool.check()
		panic(abort{context.Canceled}) // worker 0's own failure is what counts
	}
}

func (r *Run) deadlock(at int) {
	panic(newFault(at, DeadlockFault, "deadlock: this lock is taken, and nobody is left to release it"))
}

// SoloTryLock is TryLock by the only worker.
func SoloTryLock(p unsafe.Pointer) bool {
	lock := (*int32)(p)
	if *lock != 0 {
		return false
	}
	*lock = 1
	return true
}

// SoloLock is Lock by the only worker, for whom a lock that is taken stays so.
func (r *Run) SoloLock(p unsafe.Pointer, at int) {
	if !SoloTryLock(p) {
		r.deadlock(at)
	}
}

// SoloUnlock is Unlock by the only worker.
func SoloUnlock(p unsafe.Pointer) { *(*int32)(p) = 0 }
