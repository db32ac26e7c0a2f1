package simt

// The race detector remembers, of each four bytes of memory, the last write and the last two reads. This file is how:
// most records are of weak accesses by threads that have executed no fence, bar.warp.sync or barrier of a cluster, and fit in
// 16 bytes; and most memory is read only or written only for long.

// An access is one record of a place's history.
type access struct {
	thread uint64 // plus one; 0 when there is none
	pc     int32  // PTX line
	bep    uint32 // barriers of the block before it
	clocks
	mask  uint8 // of the four bytes
	scope scope // weak, or that of a strong access
}

// clocks are what is zero in most kernels.
type clocks struct {
	wep uint32 // bar.warp.syncs of the warp before an access
	tep uint32 // fences of the thread before it
	cep uint32 // barriers of the cluster at which the thread arrived before it
}

// A record is an access as it is kept.
type record struct {
	who uint64 // the thread, plus one, and the bits below
	pc  int32
	bep uint32
}

const (
	whoThread = 1<<48 - 1
	whoMask   = 15 << maskShift  // access.mask
	whoScope  = 7 << scopeShift  // access.scope
	whoClocks = 1 << clocksShift // not all clocks are zero: they are beside the records

	maskShift, scopeShift, clocksShift = 48, 52, 55
)

// record returns a as a record, without its clocks.
func (a *access) record() record {
	who := a.thread | uint64(a.mask)<<maskShift | uint64(a.scope)<<scopeShift
	if a.clocks != (clocks{}) {
		who |= whoClocks
	}
	return record{who: who, pc: a.pc, bep: a.bep}
}

// The accesses that a page keeps of each cell, which is four bytes.
const (
	lastWrite = iota
	lastRead
	readBefore // by another thread
	perCell
)

const pageCells = 256 // cells of a page: 1 KiB of memory

// A page is the history of some memory that is not all the same.
type page struct {
	gen    uint32
	wrote  bool // writes holds something
	read   bool // reads does
	writes *[pageCells]record
	reads  *[pageCells][2]record // lastRead and readBefore
	clocks *[pageCells][perCell]clocks
}

// shadow is the history of a buffer, by pages that are made at first use.
// Pages of an earlier launch, or of an earlier block in the same shared
// memory, have another generation and are cleared at first use.
type shadow struct {
	pages []*page
	gen   uint32 // of shared memory; 0 for global, which takes the epoch's
}

// renew forgets all that the shadow holds.
func (s *shadow) renew(r *raceState) {
	if r != nil {
		s.gen = max(s.gen, r.gen) + 1
	}
}

// pages returns the pages of a buffer's history, of which some are nil or of another generation.
func (r *raceState) pages(b *buffer) []*page {
	s := &b.shadow
	if s.pages == nil {
		s.pages = make([]*page, (b.size+4*pageCells-1)/(4*pageCells))
	}
	return s.pages
}

// generation returns that of a buffer's history now.
func (r *raceState) generation(b *buffer) uint32 { return max(r.gen, b.shadow.gen) }

// page returns a page of a buffer's history.
func (r *raceState) page(b *buffer, index uint64) *page {
	pages, gen := r.pages(b), r.generation(b)
	p := pages[index]
	if p == nil {
		p = r.newPage()
		p.gen = gen
		pages[index] = p
	} else if p.gen != gen {
		p.gen, p.wrote, p.read = gen, false, false
	}
	return p
}

// toWrite returns the records of writes, for a change.
func (p *page) toWrite() *[pageCells]record {
	if !p.wrote {
		p.wrote = true
		if p.writes == nil {
			p.writes = new([pageCells]record)
		} else {
			clear(p.writes[:])
		}
	}
	return p.writes
}

// toRead returns the records of reads, for a change.
func (p *page) toRead() *[pageCells][2]record {
	if !p.read {
		p.read = true
		if p.reads == nil {
			p.reads = new([pageCells][2]record)
		} else {
			clear(p.reads[:])
		}
	}
	return p.reads
}

// record returns one of the records of a cell.
func (p *page) record(cell uint64, which int) record {
	switch {
	case which == lastWrite && p.wrote:
		return p.writes[cell]
	case which != lastWrite && p.read:
		return p.reads[cell][which-lastRead]
	}
	return record{}
}

// at returns what a page keeps as one of the accesses to a cell.
func (p *page) at(cell uint64, which int) access {
	r := p.record(cell, which)
	return r.access(p.clocksAt(r.who, cell, which))
}

// access returns the access that a record is of.
func (r record) access(c clocks) access {
	return access{thread: r.who & whoThread, pc: r.pc, bep: r.bep, clocks: c, mask: uint8(r.who & whoMask >> maskShift), scope: scope(r.who & whoScope >> scopeShift)}
}

// clocksAt returns the clocks of a record.
func (p *page) clocksAt(who, cell uint64, which int) clocks {
	if who&whoClocks == 0 {
		return clocks{}
	}
	return p.clocks[cell][which]
}

// setClocks keeps the clocks of a record that has some.
func (p *page) setClocks(cell uint64, which int, c clocks) {
	if p.clocks == nil {
		p.clocks = new([pageCells][perCell]clocks)
	}
	p.clocks[cell][which] = c
}

// setWrite makes a the last write of a cell.
func (p *page) setWrite(cell uint64, a *access) {
	r := a.record()
	if r.who&whoClocks != 0 {
		p.setClocks(cell, lastWrite, a.clocks)
	}
	p.toWrite()[cell] = r
}

// setRead makes a the last read of a cell.
func (p *page) setRead(cell uint64, a *access) {
	c, r := &p.toRead()[cell], a.record()
	if old := c[0]; (old.who^r.who)&whoThread != 0 {
		c[1] = old
		if old.who&whoClocks != 0 {
			p.clocks[cell][readBefore] = p.clocks[cell][lastRead]
		}
	}
	c[0] = r
	if r.who&whoClocks != 0 {
		p.setClocks(cell, lastRead, a.clocks)
	}
}
