package graph

import (
	"context"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// parallelTasks calls task(worker, i) for every i in 0..n-1, on as many
// goroutines as there are processors.
func parallelTasks(ctx context.Context, n int, task func(worker, i int) error) error {
	return parallelWorkers(ctx, workers(), n, task)
}

// parallelWorkers is parallelTasks with a given number of goroutines, for
// tasks that need scratch memory: worker, in 0..limit-1, names the goroutine.
// (The number of processors may change between two calls of workers.)
//
// Tasks are handed out in ascending order and none after the first failure, so
// every task before a failing one has run: the error returned is that of the
// lowest failing i, whatever the timing. The context is asked before each task.
func parallelWorkers(ctx context.Context, limit, n int, task func(worker, i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  = n
		reason error
		wg     sync.WaitGroup
	)
	work := func(worker int) {
		for !failed.Load() {
			i := int(next.Add(1) - 1)
			if i >= n {
				return
			}
			err := ctx.Err()
			if err == nil {
				err = task(worker, i)
			}
			if err != nil {
				failed.Store(true)
				mu.Lock()
				if i < first {
					first, reason = i, err
				}
				mu.Unlock()
			}
		}
	}
	for k := 1; k < min(limit, n); k++ {
		wg.Go(func() { work(k) })
	}
	work(0)
	wg.Wait()
	return reason
}

// workers returns the number of processors to use.
func workers() int { return runtime.GOMAXPROCS(0) }

// parallelRange cuts 0..n-1 into blocks and calls body(lo, hi) for each. The
// blocks are small enough to be spread evenly and to notice a cancelled
// context soon; grain is the smallest number of items worth a block.
func parallelRange(ctx context.Context, n, grain int, body func(lo, hi int)) error {
	block := max(grain, n/(64*workers()))
	return parallelTasks(ctx, (n+block-1)/block, func(_, i int) error {
		body(i*block, min(n, (i+1)*block))
		return nil
	})
}

// parallelArcs calls body for ranges of about equally many arcs of g, which may begin and
// end within a row.
func parallelArcs(ctx context.Context, g *Graph, body func(lo, hi uint64)) error {
	return parallelRange(ctx, len(g.Dst), 1<<14, func(lo, hi int) { body(uint64(lo), uint64(hi)) })
}

// forRows calls body for each row, of those at row, that has some of the arcs from lo up
// to hi: node u has those from first up to end.
func forRows(row []uint64, lo, hi uint64, body func(u uint32, first, end uint64)) {
	if lo >= hi {
		return
	}
	for u := sourceOf(row, lo); lo < hi; u++ {
		if end := min(hi, row[u+1]); lo < end {
			body(u, lo, end)
			lo = end
		}
	}
}

// sourceOf returns the node whose row has arc e.
func sourceOf(row []uint64, e uint64) uint32 {
	after, _ := slices.BinarySearch(row, e+1) // the first row behind e
	return uint32(after - 1)
}

// parallelRows calls body for ranges of nodes with about equally many arcs.
func parallelRows(ctx context.Context, g *Graph, body func(lo, hi int)) error {
	bounds := rowBounds(g)
	return parallelTasks(ctx, len(bounds)-1, func(_, i int) error {
		body(bounds[i], bounds[i+1])
		return nil
	})
}

// rowBounds cuts the nodes of g into ranges of about equally many arcs, at
// most 256 of them.
func rowBounds(g *Graph) []int {
	return cutRows(g.NumNodes(), 256, func(v int) uint64 { return g.RowStart[v] })
}

// cutRows cuts n nodes into at most so many ranges with about equally many arcs, of which
// before(v) are those of the nodes before v.
func cutRows(n, most int, before func(v int) uint64) []int {
	if n == 0 {
		return []int{0}
	}
	// A node counts as much as an arc, so that empty rows are spread too.
	work := func(v int) uint64 { return before(v) + uint64(v) }
	step := max(1<<14, work(n)/uint64(most)+1)
	bounds := []int{0}
	for last := 0; work(n)-work(last) > step; {
		next := work(last) + step
		v := last + 1 + sort.Search(n-last-1, func(i int) bool { return work(last+1+i) >= next })
		bounds = append(bounds, v)
		last = v
	}
	if bounds[len(bounds)-1] < n {
		bounds = append(bounds, n)
	}
	return bounds
}

// firstBad returns the lowest index in 0..n-1 for which some block reports a
// fault, or -1. find(lo, hi) returns the lowest faulty index in its block, or
// -1.
func firstBad(ctx context.Context, n int, find func(lo, hi int) int) (int, error) {
	var bad atomic.Int64
	bad.Store(-1)
	err := parallelRange(ctx, n, 1<<16, func(lo, hi int) {
		i := int64(find(lo, hi))
		for i >= 0 {
			old := bad.Load()
			if old >= 0 && old <= i || bad.CompareAndSwap(old, i) {
				return
			}
		}
	})
	return int(bad.Load()), err
}

// checkRows returns the lowest i with row[i] < row[i-1], or -1.
func checkRows(ctx context.Context, row []uint64) (int, error) {
	return firstBad(ctx, len(row)-1, func(lo, hi int) int {
		prev := row[lo]
		for i, r := range row[lo+1 : hi+1] {
			if r < prev {
				return lo + 1 + i
			}
			prev = r
		}
		return -1
	})
}

// checkDst returns the lowest i with dst[i] >= n, or -1.
func checkDst(ctx context.Context, dst []uint32, n uint64) (int, error) {
	return firstBad(ctx, len(dst), func(lo, hi int) int {
		var top uint32
		for _, v := range dst[lo:hi] {
			top = max(top, v)
		}
		if uint64(top) < n {
			return -1
		}
		for i, v := range dst[lo:hi] {
			if uint64(v) >= n {
				return lo + i
			}
		}
		return -1
	})
}
