package rt

import (
	"sort"
	"sync/atomic"
	"unsafe"
)

// A Body is the code of a kernel for the iterations from lo up to hi of its
// outermost ForAll. For a loop over the worklist items points to item lo.
type Body func(w *Worker, items unsafe.Pointer, lo, hi int)

// A Shape is a set of facts about a kernel that decide how it is cut.
type Shape uint8

const (
	// EdgeWork says that an iteration's work grows with the degree of its node.
	EdgeWork Shape = 1 << iota
	// Outside says that code outside the ForAll must run even without
	// iterations.
	Outside
	// InEdgeWork says, with EdgeWork, that it is the degree of arcs that lead to
	// the node.
	InEdgeWork
	// EdgeAtomics says that every edge costs an atomic operation.
	EdgeAtomics
	// AnyWork says that nothing is known of an iteration's work: it has loops.
	AnyWork
	// Fuse says that an item may be run again in the invocation that retries it, with
	// any number, and meets others as it does in the next: what waits for few items on one
	// worker need not wait for all workers.
	Fuse
)

// A Reduced is what the ReduceAndReturn statements of an invocation gave.
type Reduced struct {
	anyTrue, anyFalse bool
}

// Any reports whether some value was true; false without values.
func (x Reduced) Any() bool { return x.anyTrue }

// All reports whether no value was false; true without values.
func (x Reduced) All() bool { return !x.anyFalse }

const (
	// smallWork is the work, in nodes plus edges, below which an invocation
	// stays on worker 0. A hand-off to a spinning worker costs as much as some
	// hundred edges.
	smallWork = 768
	// wlChunk is the least number of worklist items in a chunk, and nodeChunk
	// that of nodes where no edges count.
	wlChunk   = 64
	nodeChunk = 1 << 10
	// perWorker is how many chunks a worker has on average.
	perWorker = 32
	// threadsPerWorker is the same of threads that each run a whole kernel.
	threadsPerWorker = 8
	// helperWork is the work for which another worker is worth its hand-off.
	helperWork = 2048
	// fusedItems is up to how many items that a worker retries it runs by itself at once,
	// and fusedWork how many in one invocation.
	fusedItems = 1 << 10
	fusedWork  = 1 << 12
	// sampled is at how many items of a worklist the work is looked at, if there are more.
	sampled = 128
	// hubEdges is how many edges make a node a hub, and hubPart how many a worker runs at once.
	hubEdges = 1 << 14
	hubPart  = 1 << 11
	// atomicWorkers is how many workers it takes to be faster with an atomic
	// operation an edge than one worker is with plain operations. Adding to
	// doubles all over memory, an atomic costs four to six times as much.
	atomicWorkers = 6
)

// LaunchWL runs a kernel whose outermost ForAll traverses the worklist, and
// then swaps the lists. solo, when not nil, is code that may be used while
// only one worker runs: the same with plain operations in place of atomic ones. hub, when
// not nil, is code for items with very many edges, over which its loop is [Worker.Split].
func (r *Run) LaunchWL(wl *WL, shape Shape, body, solo, hub Body) Reduced {
	r.begin(wl)
	n := wl.size
	if n == 0 && shape&Outside == 0 {
		return r.end(wl)
	}
	work := r.workOfList(wl, shape)
	if r.single(work, shape, solo) {
		if solo == nil {
			solo = body
		}
		w := r.workers[0]
		for _, s := range wl.in {
			r.Check()
			solo(w, unsafe.Pointer(s.items), s.start, s.start+s.n)
		}
		if n == 0 {
			solo(w, nil, 0, 0)
		}
		return r.end(wl)
	}
	helpers := r.helpers(work)
	var hubs []uint64
	if hub != nil {
		hubs = r.hubsOf(shape)
	}
	chunk := max(wlChunk, min(n/(perWorker*(helpers+1)), 2048))
	first := make([]int, len(wl.in)+1) // number of a segment's first chunk
	for i, s := range wl.in {
		first[i+1] = first[i] + (s.n+chunk-1)/chunk
	}
	r.divide(helpers, first[len(wl.in)], func(w *Worker, c int) {
		at := sort.SearchInts(first, c+1) - 1
		s := &wl.in[at]
		lo := (c - first[at]) * chunk
		hi := min(lo+chunk, s.n)
		call := func(body Body) func(lo, hi int) {
			return func(lo, hi int) { body(w, unsafe.Pointer(&s.items[lo]), s.start+lo, s.start+hi) }
		}
		if hubs == nil {
			call(body)(lo, hi)
			return
		}
		around(lo, hi, func(i int) bool {
			v := s.items[i]
			return uint32(v) < uint32(r.Nodes) && hubs[v+1]-hubs[v] >= hubEdges
		}, call(body), call(hub))
	}, func(w *Worker) {
		if shape&Fuse != 0 {
			r.fuse(w, body)
		}
	})
	r.runSplits(helpers)
	return r.end(wl)
}

// fuse runs the items that w retries, and those that it retries then, while they are few.
// Rounds of a search that is long and thin, or whose parts are far from each other, then
// need no hand-off each (bucket fusion: Zhang et al., Optimizing Ordered Graph Algorithms
// with GraphIt, CGO 2020, section 3.3).
func (r *Run) fuse(w *Worker, body Body) {
	for left := fusedWork; len(w.retried) > 0 && len(w.retried) <= min(fusedItems, left) && !r.halted(); {
		n := len(w.retried)
		left -= n
		items := append(w.retried, 0) // a pointer to the end of the items points into them
		w.retried, w.fused = w.fused[:0], nil
		body(w, unsafe.Pointer(unsafe.SliceData(items)), 0, n)
		w.fused = items[:0]
	}
}

// LaunchNodes runs a kernel whose outermost ForAll traverses all nodes. wl is
// the worklist it pushes to, or nil; hub is as that of [Run.LaunchWL].
func (r *Run) LaunchNodes(wl *WL, shape Shape, body, solo, hub Body) Reduced {
	return r.launchRange(wl, int(r.Nodes), shape, body, solo, hub)
}

// LaunchRange runs a kernel whose outermost ForAll traverses n points or
// elements, or numbers from a range, for which the shape never has EdgeWork, or nodes.
func (r *Run) LaunchRange(wl *WL, n int, shape Shape, body, solo Body) Reduced {
	return r.launchRange(wl, n, shape, body, solo, nil)
}

func (r *Run) launchRange(wl *WL, n int, shape Shape, body, solo, hub Body) Reduced {
	r.begin(wl)
	work := n
	switch {
	case shape&EdgeWork != 0:
		work += int(r.Arcs)
	case shape&AnyWork != 0:
		work = max(0, n-1) * helperWork // each is worth a worker
	}
	if r.single(work, shape, solo) {
		if solo == nil {
			solo = body
		}
		r.serial(n, shape, solo)
		return r.end(wl)
	}
	helpers := r.helpers(work)
	var chunks int
	var bounds func(c int) (lo, hi int)
	if shape&EdgeWork == 0 {
		least := nodeChunk
		if shape&AnyWork != 0 {
			least = 1
		}
		chunk := max(least, min(n/(perWorker*(helpers+1)), 1<<16))
		chunks = (n + chunk - 1) / chunk
		bounds = func(c int) (lo, hi int) { return c * chunk, min((c+1)*chunk, n) }
	} else {
		chunks = min(perWorker*(helpers+1), max(1, work/256))
		bounds = func(c int) (lo, hi int) { return r.cut(shape, c, chunks), r.cut(shape, c+1, chunks) }
	}
	var hubs []uint64
	if hub != nil {
		hubs = r.hubsOf(shape)
	}
	r.divide(helpers, chunks, func(w *Worker, c int) {
		switch lo, hi := bounds(c); {
		case lo >= hi:
		case hubs == nil:
			body(w, nil, lo, hi)
		default:
			around(lo, hi, func(v int) bool { return hubs[v+1]-hubs[v] >= hubEdges },
				func(lo, hi int) { body(w, nil, lo, hi) }, func(lo, hi int) { hub(w, nil, lo, hi) })
		}
	}, nil)
	r.runSplits(helpers)
	return r.end(wl)
}

// serial runs the iterations 0 to n on worker 0, in pieces between which the
// run can be cancelled.
func (r *Run) serial(n int, shape Shape, body Body) {
	w := r.workers[0]
	const piece = 1 << 16
	for lo := 0; lo < n; lo += piece {
		r.Check()
		body(w, nil, lo, min(lo+piece, n))
	}
	if n == 0 && shape&Outside != 0 {
		body(w, nil, 0, 0)
	}
}

// cut returns the first node of chunk c when the nodes and edges together are
// cut in equal chunks.
func (r *Run) cut(shape Shape, c, chunks int) int {
	n := int(r.Nodes)
	if c >= chunks {
		return n
	}
	total := uint64(n) + uint64(r.Arcs)
	want := total / uint64(chunks) * uint64(c)
	row := r.rows(shape)
	return sort.Search(n, func(v int) bool { return row[v]+uint64(v) >= want })
}

// rows returns the row offsets by which the work of nodes differs.
func (r *Run) rows(shape Shape) []uint64 {
	if shape&InEdgeWork != 0 && r.graph.In != nil {
		return r.graph.In.RowStart
	}
	return r.graph.RowStart
}

// LaunchThreads runs a kernel of another form: every thread runs the whole body, in which
// each ForAll takes the thread's [Share]. It has n iterations in all, [ManyIterations] if
// that is not known. Workers claim the threads, of which there are more than workers.
func (r *Run) LaunchThreads(wl *WL, n int, shape Shape, body, solo Body) Reduced {
	r.begin(wl)
	work := n
	switch {
	case shape&AnyWork != 0:
		work = max(0, n-1) * helperWork
	case shape&EdgeWork != 0 && r.Nodes > 0:
		work += n * int(r.Arcs/int64(r.Nodes))
	}
	if r.single(work, shape, solo) {
		if solo == nil {
			solo = body
		}
		solo(r.workers[0], nil, 0, 1)
		return r.end(wl)
	}
	helpers := r.helpers(work)
	threads := max(helpers+1, min(threadsPerWorker*(helpers+1), n/wlChunk))
	r.divide(helpers, threads, func(w *Worker, c int) { body(w, nil, c, threads) }, nil)
	return r.end(wl)
}

// Share returns the iterations that thread id of count has of n.
func Share(n int64, id, count int) (lo, hi int) {
	return int(n * int64(id) / int64(count)), int(n * int64(id+1) / int64(count))
}

// LaunchOnce runs a kernel without a ForAll: once.
func (r *Run) LaunchOnce(wl *WL, body Body) Reduced {
	r.begin(wl)
	body(r.workers[0], nil, 0, 0)
	return r.end(wl)
}

// Each calls f for ranges that together make 0 to n, from several workers when
// n is large.
func (r *Run) Each(n int, f func(lo, hi int)) {
	if len(r.workers) == 1 || n < 1<<15 {
		f(0, n)
		return
	}
	const chunk = 1 << 14
	chunks := (n + chunk - 1) / chunk
	r.divide(min(len(r.workers), chunks)-1, chunks, func(_ *Worker, c int) { f(c*chunk, min((c+1)*chunk, n)) }, nil)
}

// A split is a loop over a node's edges that runs in parts, behind the chunks of its job.
type split struct {
	edges Range
	run   func(w *Worker, part Range)
}

// Split has a loop over edges run in parts before the invocation ends, by any workers.
func (w *Worker) Split(edges Range, run func(w *Worker, part Range)) {
	w.splits = append(w.splits, split{edges, run})
}

// runSplits runs what worker 0 and the helpers have split.
func (r *Run) runSplits(helpers int) {
	var all []split
	for _, w := range r.workers[:helpers+1] {
		all, w.splits = append(all, w.splits...), w.splits[:0]
	}
	if len(all) == 0 {
		return
	}
	first := make([]int, len(all)+1) // number of a split's first part
	for i, s := range all {
		first[i+1] = first[i] + int((s.edges.Hi-s.edges.Lo+hubPart-1)/hubPart)
	}
	part := func(w *Worker, c int) {
		at := sort.SearchInts(first, c+1) - 1
		s := &all[at]
		lo := s.edges.Lo + int64(c-first[at])*hubPart
		s.run(w, Range{lo, min(lo+hubPart, s.edges.Hi)})
	}
	parts := first[len(all)]
	r.divide(r.helpers(parts*hubPart), parts, part, nil)
}

// hubsOf returns the row offsets by which some node of the graph is a hub, or nil.
func (r *Run) hubsOf(shape Shape) []uint64 {
	row, at := r.rows(shape), &r.hubs[shape/InEdgeWork%2]
	if *at == 0 {
		var found atomic.Bool
		if r.Arcs >= hubEdges {
			r.Each(len(row)-1, func(lo, hi int) {
				for v := lo; v < hi; v++ {
					if row[v+1]-row[v] >= hubEdges {
						found.Store(true)
						return
					}
				}
			})
		}
		if *at = 1; found.Load() {
			*at = 2
		}
	}
	if *at == 1 {
		return nil
	}
	return row
}

// around calls body for the iterations from lo up to hi but for those of hubs, each of which
// it calls hub for.
func around(lo, hi int, isHub func(i int) bool, body, hub func(lo, hi int)) {
	from := lo
	for i := lo; i < hi; i++ {
		if !isHub(i) {
			continue
		}
		if from < i {
			body(from, i)
		}
		hub(i, i+1)
		from = i + 1
	}
	if from < hi {
		body(from, hi)
	}
}

// halted reports that the job's workers should come to an end: the run is
// cancelled, or one of them has failed.
func (r *Run) halted() bool { return r.stop.Load() || r.pool.broken.Load() }

func (r *Run) begin(wl *WL) {
	r.Check()
	r.result.Launches++
	if r.prof != nil {
		r.prof.begin(r, wl)
	}
}

// single reports whether an invocation with that much work stays on worker 0.
func (r *Run) single(work int, shape Shape, solo Body) bool {
	return len(r.workers) == 1 || r.alone || work < smallWork ||
		shape&EdgeAtomics != 0 && solo != nil && len(r.workers) < atomicWorkers
}

// helpers returns how many workers are worth their hand-off, besides worker 0, at least one.
func (r *Run) helpers(work int) int { return max(1, min(len(r.workers)-1, work/helperWork)) }

// workOfList estimates the work of popping all of wl; where it is short, exactly up to what all
// workers are worth.
func (r *Run) workOfList(wl *WL, shape Shape) int {
	work := wl.size
	if shape&EdgeWork == 0 || len(r.workers) == 1 {
		return work
	}
	row := r.rows(shape)
	if work >= smallWork {
		step := wl.size / sampled
		seen, edges := 0, 0
		for _, s := range wl.in {
			for i := 0; i < s.n; i += step {
				if v := s.items[i]; uint32(v) < uint32(r.Nodes) {
					edges += int(row[v+1] - row[v])
				}
				seen++
			}
		}
		return work + work/seen*edges
	}
	enough := helperWork * len(r.workers)
	for _, s := range wl.in {
		for _, v := range s.items[:s.n] {
			// An item need not be a node.
			if uint32(v) < uint32(r.Nodes) {
				work += int(row[v+1] - row[v])
			}
			if work >= enough {
				return work
			}
		}
	}
	return work
}

// divide runs the chunks of a job on worker 0 and so many others; last, when not nil, runs
// on each of them when it finds no more. The chunks are divided evenly, in order, so that
// a worker has about the same part of the nodes, or of a search's front, from one
// invocation to the next, and finds it in its caches. One that is done with its part
// takes half of what another still has.
func (r *Run) divide(helpers, chunks int, do func(w *Worker, c int), last func(w *Worker)) {
	n := helpers + 1
	if r.shares == nil {
		r.shares = make([]share, len(r.workers))
	}
	shares := r.shares[:n]
	for i := range shares {
		shares[i].set(chunks*i/n, chunks*(i+1)/n)
	}
	r.parallel(helpers, func(w *Worker) {
		for !r.halted() {
			c, ok := shares[w.ID].first()
			if ok {
				do(w, c)
			} else if !steal(shares, w.ID) {
				break
			}
		}
		if last != nil {
			last(w)
		}
	})
}

// A share is the chunks of a job that are one worker's: the number of the first and, in the
// upper half, that of the one behind the last.
type share struct {
	chunks atomic.Uint64
	_      [56]byte
}

func (s *share) set(lo, hi int) { s.chunks.Store(uint64(lo) | uint64(hi)<<32) }

// first takes the first chunk.
func (s *share) first() (c int, ok bool) {
	for {
		x := s.chunks.Load()
		if uint32(x) >= uint32(x>>32) {
			return 0, false
		}
		if s.chunks.CompareAndSwap(x, x+1) {
			return int(uint32(x)), true
		}
	}
}

// steal takes the later half of the chunks of the next worker that has some, for a worker
// that has none.
func steal(shares []share, thief int) bool {
	for i := 1; i < len(shares); i++ {
		s := &shares[(thief+i)%len(shares)]
		for x := s.chunks.Load(); uint32(x) < uint32(x>>32); x = s.chunks.Load() {
			lo, hi := uint64(uint32(x)), x>>32
			if middle := lo + (hi-lo)/2; s.chunks.CompareAndSwap(x, lo|middle<<32) {
				shares[thief].set(int(middle), int(hi))
				return true
			}
		}
	}
	return false
}

// parallel runs work on worker 0 and so many others.
func (r *Run) parallel(helpers int, work func(*Worker)) {
	if r.pool.idle == nil {
		r.pool.start(r.workers)
	}
	r.pool.do(r.workers[0], helpers, work)
	r.pool.check()
	r.Check()
}

// end collects the reduction, and swaps the lists of an invocation that has
// some.
func (r *Run) end(wl *WL) Reduced {
	if r.prof != nil {
		r.prof.end(r)
	}
	r.recount()
	if wl != nil && !wl.hold {
		wl.Swap()
	}
	var x Reduced
	for _, w := range r.workers {
		w.addOwn()
		x.anyTrue = x.anyTrue || w.any
		x.anyFalse = x.anyFalse || w.all
		w.any, w.all = false, false
	}
	return x
}
