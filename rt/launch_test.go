package rt

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// retrying runs a kernel that retries the items below few until each has run often, from a
// list of n items, and returns how many invocations that took. Each item must run as often
// as it should, however the runs are fused.
func retrying(t *testing.T, shape Shape, workers, n, few, often int) int64 {
	t.Helper()
	runs := make([]atomic.Int32, n)
	p := program(func(r *Run) {
		wl := r.NewWL()
		r.LaunchNodes(wl, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
			for i := lo; i < hi; i++ {
				w.Push(int32(i))
			}
		}, nil)
		r.Rerun(wl, false, func() Reduced {
			return r.LaunchWL(wl, shape, func(w *Worker, items unsafe.Pointer, lo, hi int) {
				each(items, lo, hi, func(x int32) {
					if k := runs[x].Add(1); int(x) < few && int(k) < often {
						w.Retry(x)
					}
				})
			}, nil)
		})
		if wl.Len() != 0 {
			t.Errorf("%d items are left", wl.Len())
		}
		wl.Close()
	})
	res, err := p.Execute(context.Background(), Input{Graph: loose(n), Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	for x := range runs {
		want := 1
		if x < few {
			want = often
		}
		if got := int(runs[x].Load()); got != want {
			t.Fatalf("shape %d, %d workers: item %d has run %d times, not %d", shape, workers, x, got, want)
		}
	}
	return res.Launches - 1
}

// TestFuse: a worker runs the few items that it retries itself, up to a limit, where the
// kernel allows it and several workers run.
func TestFuse(t *testing.T) {
	const n = 4 * smallWork
	for _, tt := range []struct {
		what            string
		shape           Shape
		workers         int
		few, often      int
		atLeast, atMost int64
	}{
		{"few items", Fuse, 3, 4, 100, 1, 1},
		{"few items, alone", Fuse, 1, 4, 100, 100, 100},
		{"few items of a kernel that is not fused", 0, 3, 4, 100, 100, 100},
		{"more runs than a worker does at once", Fuse, 3, 4, 2 * fusedWork, 3, 2 * fusedWork},
		{"many items", Fuse, 2, n, 5, 2, 5},
	} {
		if got := retrying(t, tt.shape, tt.workers, n, tt.few, tt.often); got < tt.atLeast || got > tt.atMost {
			t.Errorf("%s: %d invocations, want %d to %d", tt.what, got, tt.atLeast, tt.atMost)
		}
	}
}

// TestHelpers: the number of workers follows the work, and those with higher numbers
// never join.
func TestHelpers(t *testing.T) {
	p := program(func(r *Run) {
		for _, tt := range []struct{ work, want int }{{0, 1}, {helperWork, 1}, {2 * helperWork, 2}, {3*helperWork - 1, 2}, {100 * helperWork, 4}} {
			if got := r.helpers(tt.work); got != tt.want {
				t.Errorf("%d helpers for %d, want %d", got, tt.work, tt.want)
			}
		}
		for helpers := range 5 {
			var joined [5]atomic.Bool
			for range 20 {
				r.parallel(helpers, func(w *Worker) {
					joined[w.ID].Store(true)
					if w.ID == 0 {
						time.Sleep(time.Millisecond) // for all that come
					}
				})
			}
			if helpers > 0 && !joined[1].Load() {
				t.Errorf("of %d helpers not even the first has joined", helpers)
			}
			for id := range joined {
				if id > helpers && joined[id].Load() {
					t.Errorf("worker %d is in a job with %d helpers", id, helpers)
				}
			}
		}
	})
	if _, err := p.Execute(context.Background(), Input{Graph: loose(1), Workers: 5}); err != nil {
		t.Fatal(err)
	}
}

// TestWorkOfList: a long list's work is estimated by a sample, a short one's is counted as
// far as it matters.
func TestWorkOfList(t *testing.T) {
	const n = 10000
	g := pathGraph(n)
	p := program(func(r *Run) {
		for _, tt := range []struct{ items, low, high int }{{10, 20, 20}, {smallWork - 1, smallWork, smallWork}, {n - 1, 19000, 21000}} {
			wl := r.NewWL()
			r.LaunchOnce(wl, func(w *Worker, _ unsafe.Pointer, _, _ int) {
				for i := range tt.items {
					w.Push(int32(i))
				}
			})
			if got := r.workOfList(wl, EdgeWork); got < tt.low || got > tt.high {
				t.Errorf("%d items: work %d, want %d to %d", tt.items, got, tt.low, tt.high)
			}
			wl.Close()
		}
	})
	if _, err := p.Execute(context.Background(), Input{Graph: g, Workers: 3}); err != nil {
		t.Fatal(err)
	}
}

// TestRanges: every iteration of a range runs once, however much work it may have.
func TestRanges(t *testing.T) {
	for _, shape := range []Shape{0, AnyWork} {
		for _, workers := range []int{1, 2, 7} {
			for _, n := range []int{0, 1, 5, 100, 5000} {
				runs := make([]atomic.Int32, n)
				p := program(func(r *Run) {
					r.LaunchRange(nil, n, shape, func(_ *Worker, _ unsafe.Pointer, lo, hi int) {
						for i := lo; i < hi; i++ {
							runs[i].Add(1)
						}
					}, nil)
				})
				if _, err := p.Execute(context.Background(), Input{Graph: loose(1), Workers: workers}); err != nil {
					t.Fatal(err)
				}
				for i := range runs {
					if runs[i].Load() != 1 {
						t.Fatalf("shape %d, %d workers: iteration %d of %d has run %d times", shape, workers, i, n, runs[i].Load())
					}
				}
			}
		}
	}
}
