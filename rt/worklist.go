package rt

import "unsafe"

// blockItems is the size of a worklist's blocks. A block has room for one more
// item, so that a pointer to its end points into it.
const blockItems = 1 << 14

type block = *[blockItems + 1]int32

// A segment is part of a list: the first n items of a block, which have the
// list's indices start and up.
type segment struct {
	items block
	n     int
	start int
}

// A WL is a pair of worklists. Invocations pop from the first; what they push
// becomes the first when they end.
type WL struct {
	r    *Run
	in   []segment
	size int
	hold bool // invocations do not swap: what they retried comes first
}

// ListSize ends the run when no worklist can have n items.
func ListSize(n int64, at int) {
	if n < 1 || n > 1<<31-1 {
		panic(newFault(at, SizeFault, "the capacity of a worklist must be from 1 to %d items, not %d", 1<<31-1, n))
	}
}

// NewWL returns a worklist with the given items.
func (r *Run) NewWL(items ...int32) *WL {
	wl := &WL{r: r}
	w := r.workers[0]
	for _, x := range items {
		w.Push(x)
	}
	wl.Swap()
	return wl
}

// Len returns the number of items.
func (wl *WL) Len() int { return wl.size }

// Size returns the number of items as IrGL's WL.size has it.
func (wl *WL) Size() int32 { return int32(wl.size) }

// Swap makes what was pushed the list that is popped from. The items of a
// worker stay in the order of its pushes, those of different workers come in
// the order of workers; nothing is copied.
func (wl *WL) Swap() {
	r := wl.r
	wl.empty()
	for _, w := range r.workers {
		for _, b := range w.full {
			wl.add(b, blockItems)
		}
		w.full = w.full[:0]
		if n := w.pending(); n > 0 {
			wl.add(w.block, n)
			w.block, w.Out, w.End = nil, nil, nil
		}
	}
}

// empty gives the blocks of the list that is popped from back to the run.
func (wl *WL) empty() {
	for _, s := range wl.in {
		wl.r.free = append(wl.r.free, s.items)
	}
	wl.in = wl.in[:0]
	wl.size = 0
}

func (wl *WL) add(b block, n int) {
	wl.in = append(wl.in, segment{b, n, wl.size})
	wl.size += n
}

// Close gives the list's memory back to the run.
func (wl *WL) Close() {
	wl.empty()
	wl.in = nil
}

// At returns item i of the list, any i; kernels read the items of their own
// chunk directly. It ends the run when there is no such item.
func (wl *WL) At(i int32, at int) int32 {
	if uint64(i) >= uint64(wl.size) {
		panic(newFault(at, PopFault, "the worklist has no item %d: it has %d", i, wl.size))
	}
	lo, hi := 0, len(wl.in)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; wl.in[mid].start <= int(i) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return wl.in[lo].items[int(i)-wl.in[lo].start]
}

// A Worker is one thread of a run, with what it has pushed and reduced in the
// present invocation.
type Worker struct {
	ID int
	// Out is where the next item goes; End is the end of the block it lies
	// in. Kernels keep both in variables, and store Out when they are done.
	Out, End unsafe.Pointer

	block    block
	full     []block
	retried  []int32
	fused    []int32 // memory for retried
	own      []ownSum
	splits   []split
	any, all bool // a true, a false value was reduced
	tried    int  // Exclusives of the present group, and those lost
	lost     int
	r        *Run
	_        [64]byte
}

func (w *Worker) pending() int {
	if w.block == nil {
		return 0
	}
	return int(uintptr(w.Out)-uintptr(unsafe.Pointer(w.block))) / 4
}

// Push appends x to the worklist that the next invocation pops from.
func (w *Worker) Push(x int32) {
	if w.Out == w.End {
		w.Out, w.End = w.Grow()
	}
	*(*int32)(w.Out) = x
	w.Out = unsafe.Add(w.Out, 4)
}

// Grow puts the full block aside and returns the bounds of a new one: what
// generated code does when it finds Out at End.
func (w *Worker) Grow() (out, end unsafe.Pointer) {
	if w.block != nil {
		w.full = append(w.full, w.block)
	}
	w.block = w.r.newBlock()
	w.Out = unsafe.Pointer(w.block)
	w.End = unsafe.Pointer(&w.block[blockItems])
	return w.Out, w.End
}

// newBlock returns a block that nobody uses.
func (r *Run) newBlock() block {
	r.freeMu.Lock()
	defer r.freeMu.Unlock()
	if n := len(r.free); n > 0 {
		b := r.free[n-1]
		r.free = r.free[:n-1]
		return b
	}
	return new([blockItems + 1]int32)
}

// Reduce adds values to the invocation's reduction: anyTrue says that one of
// them was true, anyFalse that one was false.
func (w *Worker) Reduce(anyTrue, anyFalse bool) {
	w.any = w.any || anyTrue
	w.all = w.all || anyFalse
}
