package simt

// This file is the race detector for the loads and stores of a warp. Most of them race with nothing, as a look at the
// records of their places tells: loops that call no other functions, for speed, look at these and keep new ones. The first lane
// that is not so is left to gatherCell, which reports, and makes room; then they go on.

// gather is access for all lanes of m: of those of same, a write does not change the value.
func (r *raceState) gather(w *warp, in *inst, m uint32, g *gather, n uint64, write bool, same uint32) {
	now := access{pc: in.line, bep: w.b.epoch} // of all lanes, but for the thread, the clocks and the bytes
	if g.global && len(w.l.bulks) > 0 {
		for ; m != 0; m &= m - 1 {
			i := lowest(m)
			r.againstBulks(w, in, i, &location{buf: g.buf, off: g.off[i], global: true}, n, write)
			now.clocks = w.clocks(i)
			r.gatherLane(w, in, i, g, n, write, same, &now)
		}
		return
	}
	common := commonReads
	if write {
		common = commonWrites
	}
	c := &r.common
	c.pages, c.gen = r.pages(g.buf), r.generation(g.buf)
	c.words, c.mask = max(1, n/4), 15>>(4-min(n, 4))
	c.firstThread, c.threads = w.b.firstThread+1, uint64(w.l.tpb)
	for m != 0 {
		run := w.sameClocks(m, &now.clocks)
		c.record, c.clocks = now.record(), now.clocks
		c.record.who += w.number(0)
		m &^= run
		if g.row && run == fullMask && n == 4 && c.row(g.off[0], write) {
			return
		}
		for run = common(c, &g.off, run); run != 0; run = common(c, &g.off, run&(run-1)) {
			r.gatherLane(w, in, lowest(run), g, n, write, same, &now)
		}
	}
}

// clocks returns the clocks of a lane.
func (w *warp) clocks(lane int) clocks {
	c := clocks{cep: w.b.group.arrivals(w, lane)}
	if s := w.sync[lane]; s != nil {
		c.tep = s.tep
	}
	if w.warps != nil {
		c.wep = w.warps.count
	}
	return c
}

// sameClocks sets c to the clocks of the first lane of m, and returns the lanes from there on that have the same.
func (w *warp) sameClocks(m uint32, c *clocks) uint32 {
	*c = w.clocks(lowest(m))
	if !w.synced && w.met.arrived == 0 {
		return m
	}
	for r := m & (m - 1); r != 0; r &= r - 1 {
		if i := lowest(r); w.clocks(i) != *c {
			return m & (1<<i - 1)
		}
	}
	return m
}

// number returns the number of a lane's thread as records have it.
func (w *warp) number(lane int) uint64 { return w.b.firstThread + uint64(w.first) + uint64(lane) + 1 }

// gatherLane checks and records the access of a lane.
func (r *raceState) gatherLane(w *warp, in *inst, lane int, g *gather, n uint64, write bool, same uint32, now *access) {
	now.thread, now.mask = w.number(lane), 15
	off := g.off[lane]
	if n < 4 {
		now.mask = uint8(1<<n-1) << (off & 3)
	}
	for end := off + n; off < end; off += 4 {
		r.gatherCell(w, in, lane, g, off, write, same, now)
	}
	now.thread, now.mask = 0, 0
}

// gatherCell checks and records the access of a lane to four bytes, or part of them.
func (r *raceState) gatherCell(w *warp, in *inst, lane int, g *gather, off uint64, write bool, same uint32, now *access) {
	p, cell := r.page(g.buf, off/(4*pageCells)), off/4%pageCells
	who := now.record().who
	last := p.record(cell, lastWrite)
	if w.b.conflicts(&last, who, now.bep) {
		r.conflict(w, in, p, cell, lastWrite, now, g, lane, off, write, same)
	}
	if !write {
		p.setRead(cell, now)
		return
	}
	for which := lastRead; p.read && which < perCell; which++ {
		if old := p.record(cell, which); w.b.conflicts(&old, who, now.bep) {
			r.conflict(w, in, p, cell, which, now, g, lane, off, write, same)
		}
	}
	kept := *now
	if old := p.at(cell, lastWrite); old.mask&^now.mask != 0 && old.together(now) {
		kept.mask |= old.mask
	}
	p.setWrite(cell, &kept)
}

// commonAccess is what an access by lanes of a warp is compared with and recorded as.
type commonAccess struct {
	pages       []*page
	gen         uint32
	words       uint64 // cells of a lane
	mask        uint64 // of the bytes of the first cell, for an offset that is a multiple of four
	record      record // of lane 0, without the bytes
	clocks      clocks
	firstThread uint64 // of the block
	threads     uint64 // of the block
}

// conflicts is as that of block.
func (c *commonAccess) conflicts(old *record, who uint64) bool {
	thread := old.who & whoThread
	return thread != 0 && thread != who&whoThread && old.who&who&whoMask != 0 && (old.bep >= c.record.bep || thread-c.firstThread >= c.threads)
}

// row records the accesses of 32 lanes to four bytes each in a row that begins at off, where they are in one page and no other thread's
// accesses have to be looked at; else it changes nothing and returns false.
func (c *commonAccess) row(off uint64, write bool) bool {
	p, cell := c.pages[off/(4*pageCells)], off/4%pageCells
	if p == nil || p.gen != c.gen || cell > pageCells-32 || p.clocks != nil || c.clocks != (clocks{}) {
		return false
	}
	if p.wrote && !c.own(p.writes[cell:cell+32]) {
		return false
	}
	rec := c.record
	rec.who |= whoMask
	if write {
		if !p.wrote || p.read && !c.ownReads(p.reads[cell:cell+32]) {
			return false
		}
		writes := p.writes[cell : cell+32]
		for i := range writes {
			writes[i] = rec
			rec.who++
		}
		return true
	}
	if !p.read {
		return false
	}
	reads := p.reads[cell : cell+32]
	for i := range reads {
		r := &reads[i]
		if (r[0].who^rec.who)&whoThread != 0 {
			r[1] = r[0]
		}
		r[0] = rec
		rec.who++
	}
	return true
}

// own reports whether of a row of records each is of the thread that accesses the place now, or none.
func (c *commonAccess) own(list []record) bool {
	who := c.record.who
	for i := range list {
		if old := list[i].who; old != 0 && (old^who)&whoThread != 0 {
			return false
		}
		who++
	}
	return true
}

// ownReads is own for pairs of records.
func (c *commonAccess) ownReads(list [][2]record) bool {
	who := c.record.who
	for i := range list {
		a, b := list[i][0].who, list[i][1].who
		if a != 0 && (a^who)&whoThread != 0 || b != 0 && (b^who)&whoThread != 0 {
			return false
		}
		who++
	}
	return true
}

// commonReads records the reads of the lanes of m, in order, up to one that is not common: where a race has to be looked
// at, or room to be made. It returns the lanes from that one on, of which it may have recorded a part.
func commonReads(c *commonAccess, off *[32]uint64, m uint32) uint32 {
	clocked := c.record.who&whoClocks != 0
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		o := off[i]
		p := c.pages[o/(4*pageCells)]
		if p == nil || p.gen != c.gen || !p.read || clocked && p.clocks == nil {
			return m
		}
		who := c.record.who + uint64(i) | c.mask<<(maskShift+o%4)
		cell := o / 4 % pageCells
		for end := cell + c.words; cell < end; cell++ {
			if p.wrote && c.conflicts(&p.writes[cell%pageCells], who) {
				return m
			}
			r := &p.reads[cell%pageCells]
			if old := r[0].who; (old^who)&whoThread != 0 {
				r[1] = r[0]
				if old&whoClocks != 0 {
					p.clocks[cell%pageCells][readBefore] = p.clocks[cell%pageCells][lastRead]
				}
			}
			r[0] = record{who, c.record.pc, c.record.bep}
			if clocked {
				p.clocks[cell%pageCells][lastRead] = c.clocks
			}
		}
	}
	return 0
}

// commonWrites is commonReads for writes. A write to a part of four bytes of which others are recorded is not common.
func commonWrites(c *commonAccess, off *[32]uint64, m uint32) uint32 {
	clocked := c.record.who&whoClocks != 0
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		o := off[i]
		p := c.pages[o/(4*pageCells)]
		if p == nil || p.gen != c.gen || !p.wrote || clocked && p.clocks == nil {
			return m
		}
		who := c.record.who + uint64(i) | c.mask<<(maskShift+o%4)
		cell := o / 4 % pageCells
		for end := cell + c.words; cell < end; cell++ {
			last := &p.writes[cell%pageCells]
			if c.conflicts(last, who) || last.who&^who&whoMask != 0 {
				return m
			}
			if p.read {
				if r := &p.reads[cell%pageCells]; c.conflicts(&r[0], who) || c.conflicts(&r[1], who) {
					return m
				}
			}
			*last = record{who, c.record.pc, c.record.bep}
			if clocked {
				p.clocks[cell%pageCells][lastWrite] = c.clocks
			}
		}
	}
	return 0
}

// conflict is check for a lane.
func (r *raceState) conflict(w *warp, in *inst, p *page, cell uint64, which int, now *access, g *gather, lane int, off uint64, write bool, same uint32) {
	old := p.at(cell, which)
	r.check(w, in, lane, &old, now, &location{buf: g.buf, off: g.off[lane], global: g.global}, off, write, same>>lane&1 != 0, which == lastWrite)
}

// conflicts reports whether an earlier access may be unordered with one of a thread of the block: whether
// it is of another thread, to the same bytes, and not before the block's last barrier.
func (b *block) conflicts(old *record, who uint64, bep uint32) bool {
	thread := old.who & whoThread
	return thread != 0 && thread != who&whoThread && old.who&who&whoMask != 0 &&
		(old.bep >= bep || thread-1-b.firstThread >= uint64(b.l.tpb))
}

// together reports whether two accesses are of one thread, and nothing orders others between them.
func (a *access) together(o *access) bool {
	return a.thread == o.thread && a.bep == o.bep && a.clocks == o.clocks && a.scope == o.scope
}
