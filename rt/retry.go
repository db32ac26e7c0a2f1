package rt

// Retry adds x to what the kernel's next run pops.
func (w *Worker) Retry(x int32) { w.retried = append(w.retried, x) }

// Rerun invokes a kernel that retries items: launch runs it, and once more for
// what it retried, until nothing is. Only then the lists are swapped (report
// "Lowering IrGL to CUDA", section 4.2, Figure 2). Where items conflict, a run
// that retries as many as it was given is followed by one on worker 0 alone,
// which meets no other.
func (r *Run) Rerun(wl *WL, conflicts bool, launch func() Reduced) Reduced {
	var x Reduced
	wl.hold = true
	for again := true; again; {
		given := wl.size
		y := launch()
		x.anyTrue, x.anyFalse = x.anyTrue || y.anyTrue, x.anyFalse || y.anyFalse
		again = wl.takeRetried()
		r.alone = conflicts && again && wl.size >= given
	}
	wl.hold = false
	wl.Swap()
	return x
}

// takeRetried makes what was retried the list that is popped from, in the order
// of workers and of each one's calls; false without any.
func (wl *WL) takeRetried() bool {
	r := wl.r
	total := 0
	for _, w := range r.workers {
		total += len(w.retried)
	}
	if total == 0 {
		return false
	}
	wl.empty()
	for _, w := range r.workers {
		for rest := w.retried; len(rest) > 0; {
			b := r.newBlock()
			n := copy(b[:blockItems], rest)
			wl.add(b, n)
			rest = rest[n:]
		}
		w.retried = w.retried[:0]
	}
	return true
}
