package rt

import (
	"context"
	"math"
	"sync"
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
		}, nil, nil)

		r.Rerun(wl, false, func() Reduced {
			return r.LaunchWL(wl, shape, func(w *Worker, items unsafe.Pointer, lo, hi int) {
				each(items, lo, hi, func(x int32) {
					if k := runs[x].Add(1); int(x) < few && int(k) < often {
						w.Retry(x)
					}
				})
			}, nil, nil)

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

// TestWorkOfList: a long list's work is estimated by a sample, a short one's is counted.
func TestWorkOfList(t *testing.T) {
	const n = 10000
	g := pathGraph(n)
	p := program(func(r *Run) {
		for _, tt := range []struct{ items, low, high int }{{10, 20, 20}, {smallWork - 1, 2*smallWork - 2, 2*smallWork - 2}, {n - 1, 19000, 21000}} {
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

// TestThreads: the threads of a kernel with several loops share each loop, every iteration
// runs once, and there are more threads than workers when there is work for them, and one
// when there is little.
func TestThreads(t *testing.T) {
	for _, tt := range []struct {
		n       int
		shape   Shape
		threads int32 // of three workers
	}{{0, 0, 1}, {10, 0, 1}, {smallWork - 1, 0, 1}, {10, AnyWork, 3}, {1 << 16, 0, 3 * threadsPerWorker}, {ManyIterations, 0, 3 * threadsPerWorker}} {
		for _, workers := range []int{1, 3} {
			runs := make([]atomic.Int32, tt.n)
			var threads atomic.Int32
			p := program(func(r *Run) {
				r.LaunchThreads(nil, tt.n, tt.shape, func(_ *Worker, _ unsafe.Pointer, id, count int) {
					threads.Add(1)
					for _, half := range []Range{{0, int64(tt.n / 2)}, {int64(tt.n / 2), int64(tt.n)}} {
						lo, hi := Share(half.Hi-half.Lo, id, count)
						for i := lo; i < hi; i++ {
							runs[int(half.Lo)+i].Add(1)
						}
					}
				}, nil)
			})
			if _, err := p.Execute(context.Background(), Input{Graph: loose(1), Workers: workers}); err != nil {
				t.Fatal(err)
			}
			for i := range runs {
				if runs[i].Load() != 1 {
					t.Fatalf("%d workers: iteration %d of %d has run %d times", workers, i, tt.n, runs[i].Load())
				}
			}
			want := tt.threads
			if workers == 1 {
				want = 1
			}
			if got := threads.Load(); got != want {
				t.Errorf("%d workers, %d iterations: %d threads, want %d", workers, tt.n, got, want)
			}
		}
	}
}

// TestOwn: what workers add to arrays of their own is in the array when the invocation
// ends, beside what is there already, and is not added again by the next one.
func TestOwn(t *testing.T) {
	const n, size = 1 << 17, 100
	sums, floats := [size]int64{5}, [1]float64{0.5}
	p := program(func(r *Run) {
		for range 3 {
			r.LaunchRange(nil, n, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				own := (*[size]int64)(Own[int64](w, unsafe.Pointer(&sums), size))
				float := (*float64)(Own[float64](w, unsafe.Pointer(&floats), 1))
				for i := lo; i < hi; i++ {
					own[i%size] += int64(i)
					*float++
				}
			}, nil)
		}
		r.LaunchRange(nil, n, 0, func(*Worker, unsafe.Pointer, int, int) {}, nil)
	})
	if _, err := p.Execute(context.Background(), Input{Graph: loose(1), Workers: 4}); err != nil {
		t.Fatal(err)
	}
	want := [size]int64{5}
	for i := range n {
		want[i%size] += 3 * int64(i)
	}
	if sums != want || floats[0] != 3*n+0.5 {
		t.Errorf("%v and %v, want %v and %v", sums, floats, want, 3*n+0.5)
	}
}

// TestUnchanged: an atomic operation that changes nothing gives the old value all the same.
func TestUnchanged(t *testing.T) {
	x, f, negative := uint32(6), 0.0, math.Copysign(0, -1)
	if Or(unsafe.Pointer(&x), uint32(2)) != 6 || Or(unsafe.Pointer(&x), uint32(1)) != 6 || x != 7 {
		t.Errorf("after Or: %d", x)
	}
	if And(unsafe.Pointer(&x), uint32(15)) != 7 || And(unsafe.Pointer(&x), uint32(3)) != 7 || x != 3 {
		t.Errorf("after And: %d", x)
	}
	if Exch(unsafe.Pointer(&x), uint32(3)) != 3 || Exch(unsafe.Pointer(&x), uint32(9)) != 3 || x != 9 {
		t.Errorf("after Exch: %d", x)
	}
	if Exch(unsafe.Pointer(&f), negative) != 0 || !math.Signbit(f) {
		t.Errorf("zeros of two signs are one value: %v", f)
	}
}

// TestSteal: a worker takes its chunks in order, one without any takes the later half of
// the next one's, and each chunk is taken once however many take them.
func TestSteal(t *testing.T) {
	shares := make([]share, 3)
	shares[1].set(10, 15)
	if c, ok := shares[1].first(); !ok || c != 10 {
		t.Errorf("the first chunk is %d (%v), want 10", c, ok)
	}
	for _, tt := range []struct{ thief, lo, hi int }{{0, 13, 15}, {2, 14, 15}} { // of 11 to 15, and of 13 to 15
		if !steal(shares, tt.thief) {
			t.Fatalf("worker %d finds nothing to steal", tt.thief)
		}
		if got, want := shares[tt.thief].chunks.Load(), uint64(tt.lo)|uint64(tt.hi)<<32; got != want {
			t.Errorf("worker %d has %x, want %x", tt.thief, got, want)
		}
	}
	const chunks = 1 << 16
	var taken [chunks]atomic.Int32
	shares[0].set(0, chunks)
	for i := range shares[1:] {
		shares[i+1].set(0, 0)
	}
	var group sync.WaitGroup
	for id := range shares {
		group.Go(func() {
			for c, ok := shares[id].first(); ok || steal(shares, id); c, ok = shares[id].first() {
				if ok {
					taken[c].Add(1)
				}
			}
		})
	}
	group.Wait()
	for c := range taken {
		if n := taken[c].Load(); n != 1 {
			t.Fatalf("chunk %d is taken %d times", c, n)
		}
	}
}

// TestHubs: nodes of very many edges are run by the form of the body that is for them, whose
// loops run in parts, all others by the body, each once.
func TestHubs(t *testing.T) {
	const nodes, edges = 3000, 3*hubEdges + 5
	g := &Graph{RowStart: make([]uint64, nodes+1), Dst: make([]uint32, 2*edges+nodes)}
	for v := range nodes {
		degree := 1
		if v == 7 || v == nodes-1 {
			degree = edges
		}
		g.RowStart[v+1] = g.RowStart[v] + uint64(degree)
	}
	g.Dst = g.Dst[:g.RowStart[nodes]]
	runs := make([]atomic.Int32, len(g.Dst))
	var parts atomic.Int32
	visit := func(v int, hub bool) {
		if is := g.RowStart[v+1]-g.RowStart[v] >= hubEdges; is != hub {
			t.Errorf("node %d: run as a hub is %v", v, hub)
		}
	}
	form := func(hub, list bool) Body {
		return func(w *Worker, items unsafe.Pointer, lo, hi int) {
			for i := lo; i < hi; i++ {
				v := int32(i)
				if list {
					v = unsafe.Slice((*int32)(items), hi-lo)[i-lo]
				}
				visit(int(v), hub)
				edges := EdgesOf(unsafe.Pointer(unsafe.SliceData(g.RowStart)), v)
				if !hub {
					for e := edges.Lo; e < edges.Hi; e++ {
						runs[e].Add(1)
					}
					continue
				}
				w.Split(edges, func(_ *Worker, part Range) {
					parts.Add(1)
					for e := part.Lo; e < part.Hi; e++ {
						runs[e].Add(1)
					}
				})
			}
		}
	}
	p := program(func(r *Run) {
		wl := r.NewWL()
		r.LaunchOnce(wl, func(w *Worker, _ unsafe.Pointer, _, _ int) {
			for v := range nodes {
				w.Push(int32(v))
			}
		})
		r.LaunchNodes(nil, EdgeWork, form(false, false), nil, form(true, false))
		r.LaunchWL(wl, EdgeWork, form(false, true), nil, form(true, true))
	})
	if _, err := p.Execute(context.Background(), Input{Graph: g, Workers: 4}); err != nil {
		t.Fatal(err)
	}
	for e := range runs {
		if n := runs[e].Load(); n != 2 {
			t.Fatalf("edge %d has run %d times, not twice", e, n)
		}
	}
	if got, want := int(parts.Load()), 2*2*((edges+hubPart-1)/hubPart); got != want {
		t.Errorf("%d parts, want %d", got, want)
	}
}
