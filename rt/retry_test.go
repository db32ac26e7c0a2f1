package rt

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// loose returns a graph of n nodes without edges.
func loose(n int) *Graph { return &Graph{RowStart: make([]uint64, n+1)} }

// each calls f for the items of a chunk.
func each(items unsafe.Pointer, lo, hi int, f func(x int32)) {
	for i := range hi - lo {
		f(*(*int32)(unsafe.Add(items, 4*i)))
	}
}

// TestRerun retries every item twice, in lists of several blocks: none is lost,
// what was pushed comes last, and reductions of all runs count.
func TestRerun(t *testing.T) {
	const n = 3*blockItems + 77
	for _, workers := range []int{1, 3} {
		var runs [n]int32
		p := program(func(r *Run) {
			wl := r.NewWL()
			r.LaunchNodes(wl, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				for i := lo; i < hi; i++ {
					w.Push(int32(i))
				}
			}, nil, nil)

			x := r.Rerun(wl, false, func() Reduced {
				return r.LaunchWL(wl, 0, func(w *Worker, items unsafe.Pointer, lo, hi int) {
					each(items, lo, hi, func(x int32) {
						if runs[x]++; runs[x] < 3 {
							w.Retry(x)
						} else {
							w.Push(x)
						}
						w.Reduce(x == n-1 && runs[x] == 1, false)
					})
				}, nil, nil)

			})
			if !x.Any() || !x.All() || wl.Len() != n {
				t.Errorf("%d workers: %v, %d items", workers, x, wl.Len())
			}
			seen := map[int32]bool{}
			for i := range int32(wl.Len()) {
				seen[wl.At(i, 0)] = true
			}
			if len(seen) != n {
				t.Errorf("%d workers: %d different items of %d", workers, len(seen), n)
			}
			wl.Close()
		})
		res, err := p.Execute(context.Background(), Input{Graph: loose(n), Workers: workers})
		if err != nil || res.Launches != 4 {
			t.Errorf("%d workers: %v, %+v", workers, err, res)
		}
	}
}

// TestConflicts checks that a kernel that gets nowhere with several workers is
// given to one, which takes the solo form.
func TestConflicts(t *testing.T) {
	const n = 5000
	p := program(func(r *Run) {
		wl := r.NewWL(make([]int32, n)...)
		r.Rerun(wl, true, func() Reduced {
			return r.LaunchWL(wl, 0, func(w *Worker, items unsafe.Pointer, lo, hi int) {
				each(items, lo, hi, w.Retry)
			}, func(w *Worker, items unsafe.Pointer, lo, hi int) {
				if !r.alone || w.ID != 0 {
					t.Error("the solo form is run by several")
				}
				each(items, lo, hi, w.Push)
			}, nil)

		})
		if wl.Len() != n || r.alone {
			t.Errorf("%d items, alone %v", wl.Len(), r.alone)
		}
		wl.Close()
	})
	if res, err := p.Execute(context.Background(), Input{Graph: loose(9), Workers: 4}); err != nil || res.Launches != 2 {
		t.Errorf("%v, %+v", err, res)
	}
}

// TestLocks checks mutual exclusion, and that nobody waits for ever for a lock
// whose owner failed, whoever that is.
func TestLocks(t *testing.T) {
	const n = 1 << 16
	var lock int32
	at := unsafe.Pointer(&lock)
	count := 0
	p := program(func(r *Run) {
		r.LaunchNodes(nil, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
			for range hi - lo {
				w.Lock(at, 0)
				count++
				Unlock(at)
			}
		}, nil, nil)

	})
	if _, err := p.Execute(context.Background(), Input{Graph: loose(n), Workers: 4}); err != nil || count != n || lock != 0 {
		t.Errorf("%v: %d of %d", err, count, n)
	}
	for _, owner := range []int{0, 1} {
		lock = 0
		var waiters atomic.Int32
		p := program(func(r *Run) {
			r.LaunchThreads(nil, ManyIterations, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				if w.ID == owner {
					w.Lock(at, 0)
					for start := time.Now(); waiters.Load() == 0 && time.Since(start) < time.Second; {
					}
					r.Fail("the owner is gone")
				}
				for start := time.Now(); atomic.LoadInt32(&lock) == 0 && time.Since(start) < time.Second; {
				}
				waiters.Add(1)
				w.Lock(at, 0)
				Unlock(at)
			}, nil)
		})
		// The other worker may not have come: then there is no failure.
		_, err := p.Execute(context.Background(), Input{Graph: loose(9), Workers: 2})
		if err != nil && !strings.Contains(err.Error(), "the owner is gone") {
			t.Errorf("owner %d: %v", owner, err)
		}
	}
}

// TestDeadlock checks what one worker, and a cancelled run, say of a lock that
// nobody gives back.
func TestDeadlock(t *testing.T) {
	lock := int32(1)
	at := unsafe.Pointer(&lock)
	run := func(ctx context.Context, workers int, wait func(w *Worker)) error {
		_, err := program(func(r *Run) {
			r.LaunchNodes(nil, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) { wait(w) }, nil, nil)
		}).Execute(ctx, Input{Graph: loose(9999), Workers: workers})
		return err
	}
	for _, wait := range []func(w *Worker){
		func(w *Worker) { w.Lock(at, 0) },
		func(w *Worker) { w.r.SoloLock(at, 0) },
	} {
		if err := run(context.Background(), 1, wait); err == nil || !strings.Contains(err.Error(), "deadlock: this lock is taken") {
			t.Errorf("one worker: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := run(ctx, 3, func(w *Worker) { w.Lock(at, 0) }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("three workers: %v", err)
	}
	if TryLock(at) || SoloTryLock(at) {
		t.Error("a lock was taken twice")
	}
	SoloUnlock(at)
	if !SoloTryLock(at) || lock != 1 {
		t.Error("a free lock was not taken")
	}
}
