package mesh

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// grain is the smallest number of items worth a goroutine.
const grain = 1 << 13

// gather cuts 0..n-1 into blocks, calls find for each on all processors, and
// returns all that was found, in order.
func gather[T any](n int, find func(lo, hi int) []T) []T {
	blocks := (n + grain - 1) / grain
	found := make([][]T, blocks)
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1) - 1)
			if i >= blocks {
				return
			}
			found[i] = find(i*grain, min(n, (i+1)*grain))
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	var all []T
	for _, f := range found {
		all = append(all, f...)
	}
	return all
}
