package simt

import "sync/atomic"

// This file records what groups of blocks access (parallel.go), by cells of four bytes.

// cells are what is recorded of a page.
type cells struct {
	of                     uint32 // the group of the worker, or the speculation; what is of another one is void
	saved                  bool
	reads, writes, reduced [pageCells / 64]uint64
}

// claims are what the group under way has accessed of a buffer.
type claims struct {
	w       *worker
	of      *buffer
	tracked bool // reads are recorded
	read    bool // by a group of the worker
	wrote   bool
	by      reduction
	all     *sharing // what all groups have accessed; nil before the first write
	cells   []cells
	touched []uint64 // pages of cells that are of the group
}

// begin makes claims those of the worker's speculation.
func (c *claims) begin() {
	p := c.w.p
	c.tracked = p.keeps || !c.of.readOnly && (p.all || p.both[c.of])
	c.read, c.wrote, c.by, c.all = false, false, 0, nil
}

// page returns the record of a page, for a change.
func (c *claims) page(index uint64) *cells {
	if c.cells == nil {
		c.cells = make([]cells, pagesOf(c.of))
	}
	e := &c.cells[index]
	if e.of != c.w.group {
		if len(c.touched) == 0 {
			c.w.used = append(c.w.used, c)
		}
		c.touched = append(c.touched, index)
		*e = cells{of: c.w.group}
	}
	return e
}

// toWrite is page for a write that follows: the page is saved.
func (c *claims) toWrite(index uint64) *cells {
	e := c.page(index)
	if !e.saved {
		e.saved = true
		c.save(index)
	}
	return e
}

// pagesOf returns the number of pages of a buffer.
func pagesOf(b *buffer) uint64 { return (b.size + 4*pageCells - 1) / (4 * pageCells) }

// note notes an access to the buffer, and returns whether its cells are recorded.
func (c *claims) note(write bool) bool {
	if write {
		c.wrote = true
	} else {
		c.read = true
	}
	if !c.tracked && c.read && c.wrote {
		c.w.fail(imprecise)
	}
	return write || c.tracked
}

// gather records the access of the lanes of m, and returns whether the race detector has to.
func (c *claims) gather(g *gather, m uint32, n uint64, write bool) bool {
	switch {
	case write && c.wrote:
		if g.row && n == 4 && c.wroteRow(g.off[0]/4) {
			return true
		}
	case !c.note(write):
		return false
	}
	if g.row {
		c.row(g.off[0], 32*n, write)
		return true
	}
	// The bits of a lane are in one word, since its bytes are aligned.
	bits := uint64(1)<<max(1, n/4) - 1
	for ; m != 0; m &= m - 1 {
		cell := g.off[lowest(m)] / 4
		word := cell / 64 % (pageCells / 64)
		if write {
			c.toWrite(cell / pageCells).writes[word] |= bits << (cell % 64)
		} else {
			c.page(cell / pageCells).reads[word] |= bits << (cell % 64)
		}
	}
	return true
}

// wroteRow is row for a write to 32 cells of a word of a page that the group has written before; else it returns false.
func (c *claims) wroteRow(cell uint64) bool {
	if cell%64 > 32 || cell/pageCells >= uint64(len(c.cells)) {
		return false
	}
	e := &c.cells[cell/pageCells]
	if e.of != c.w.group || !e.saved {
		return false
	}
	e.writes[cell/64%(pageCells/64)] |= fullMask << (cell % 64)
	return true
}

// row records an access to n bytes.
func (c *claims) row(off, n uint64, write bool) {
	for cell, last := off/4, (off+n-1)/4; cell <= last; {
		count := min(64-cell%64, last-cell+1)
		bits := ^uint64(0) >> (64 - count) << (cell % 64)
		word := cell / 64 % (pageCells / 64)
		if write {
			c.toWrite(cell / pageCells).writes[word] |= bits
		} else {
			c.page(cell / pageCells).reads[word] |= bits
		}
		cell += count
	}
}

// lane records the access of a lane by an instruction; false where that ends the speculation.
func (c *claims) lane(in *inst, off, n uint64, write bool) bool {
	if in.scope != weak {
		if in.commutes == 0 || c.by != 0 && c.by != in.commutes {
			c.w.giveUp()
			return false
		}
		c.by = in.commutes
		c.note(true)
		cell := off / 4
		c.toWrite(cell / pageCells).reduced[cell/64%(pageCells/64)] |= (1<<(n/4) - 1) << (cell % 64)
	} else if c.note(write) {
		c.row(off, n, write)
	}
	return c.w.l.fault == nil
}

// A savedPage is what was in a page before the launch.
type savedPage struct {
	of            *buffer
	off           uint64
	data, written []byte
}

// save saves a page, unless a group has done so before.
func (c *claims) save(index uint64) {
	p, s := c.w.p, c.sharing()
	if s.saved[index].Load() == p.number {
		return
	}
	mu := &p.pages[index%uint64(len(p.pages))]
	mu.Lock()
	defer mu.Unlock()
	if s.saved[index].Load() == p.number {
		return
	}
	from := index * 4 * pageCells
	to := min(from+4*pageCells, c.of.size)
	page := savedPage{of: c.of, off: from, data: c.w.keep(c.of.data[from:to])}
	if c.of.written != nil {
		page.written = c.w.keep(c.of.written[from:to])
	}
	c.w.saved = append(c.w.saved, page)
	s.saved[index].Store(p.number)
	if p.kept.Add(int64(len(page.data)+len(page.written))) > p.s.opts.Memory/mostSaved {
		c.w.giveUp()
	}
}

// keep returns a copy of some bytes.
func (w *worker) keep(b []byte) []byte {
	if len(w.free) < len(b) {
		w.free = make([]byte, 64<<10)
	}
	out := w.free[:len(b):len(b)]
	w.free = w.free[len(b):]
	copy(out, b)
	return out
}

// A sharing is what the groups of a speculation have accessed of a buffer.
type sharing struct {
	of          uint32 // the speculation
	read, wrote atomic.Bool
	by          atomic.Uint32   // a reduction
	saved       []atomic.Uint32 // by page: the last speculation that has saved it
	cells       []cells
	records     []*page // of the race detector, where they are kept
}

// sharing returns the record of all groups.
func (c *claims) sharing() *sharing {
	if c.all != nil {
		return c.all
	}
	p := c.w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	s := c.of.sharing
	if s == nil {
		n := pagesOf(c.of)
		s = &sharing{saved: make([]atomic.Uint32, n), cells: make([]cells, n)}
		c.of.sharing = s
	}
	if s.of != p.number {
		s.of = p.number
		s.read.Store(false)
		s.wrote.Store(false)
		s.by.Store(0)
		if s.records = nil; p.keeps {
			s.records = make([]*page, len(s.cells))
		}
		p.shared = append(p.shared, c.of)
	}
	c.all = s
	return s
}

// add adds what a worker has accessed.
func (s *sharing) add(c *claims) verdict {
	if c.read {
		s.read.Store(true)
	}
	if c.wrote {
		s.wrote.Store(true)
	}
	if by := uint32(c.by); by != 0 && !s.by.CompareAndSwap(0, by) && s.by.Load() != by {
		return conflict
	}
	if !c.tracked && s.read.Load() && s.wrote.Load() {
		return imprecise
	}
	return committed
}

// publish compares the cells of the group with those of the groups before, and adds them to these.
func (c *claims) publish() verdict {
	s, why := c.sharing(), committed
	for _, index := range c.touched {
		why = max(why, c.publishPage(s, index))
	}
	return why
}

func (c *claims) publishPage(s *sharing, index uint64) verdict {
	p := c.w.p
	mu := &p.pages[index%uint64(len(p.pages))]
	mu.Lock()
	defer mu.Unlock() // others wait for it, also if this panics
	if c.cells[index].addTo(&s.cells[index], p.number) {
		return conflict
	}
	if p.keeps {
		s.keepRecords(p, c.w.views[c.of], index)
	}
	return committed
}

// addTo adds what a group has accessed to what all groups of a speculation have, and reports whether they conflict.
func (own *cells) addTo(all *cells, speculation uint32) bool {
	if all.of != speculation {
		*all = cells{of: speculation}
	}
	overlap := uint64(0)
	for i := range own.reads {
		r, w, x := own.reads[i], own.writes[i], own.reduced[i]
		overlap |= w&(all.reads[i]|all.writes[i]|all.reduced[i]) | r&(all.writes[i]|all.reduced[i]) | x&(all.reads[i]|all.writes[i])
		all.reads[i] |= r
		all.writes[i] |= w
		all.reduced[i] |= x
	}
	return overlap != 0
}

// drop gives back what the group has used.
func (c *claims) drop() {
	view := c.w.views[c.of]
	for _, index := range c.touched {
		if r := c.w.l.races; r != nil && index < uint64(len(view.shadow.pages)) && view.shadow.pages[index] != nil {
			r.spare = append(r.spare, view.shadow.pages[index])
			view.shadow.pages[index] = nil
		}
	}
	c.touched = c.touched[:0]
}
