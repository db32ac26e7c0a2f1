package simt

// gather is access for all lanes of m: of those of same, a write does not change the value.
func (r *raceState) gather(w *warp, in *inst, m uint32, g *gather, n uint64, write bool, same uint32) {
	b, block := g.buf, w.b
	now := access{pc: in.line, bep: block.epoch, clocks: clocks{cep: block.group.phase}, mask: 15} // of all lanes, but for the thread
	if w.warps != nil {
		now.wep = w.warps.count
	}
	bulks := g.global && len(w.l.bulks) > 0
	if n == 4 && !bulks && !w.synced && w.met.arrived == 0 && now.clocks == (clocks{}) {
		r.gatherWords(w, in, m, g, write, same, &now)
		return
	}
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		if w.synced || w.met.arrived != 0 {
			now.tep, now.cep = w.fences(i), block.group.arrivals(w, i)
		}
		if bulks {
			r.againstBulks(w, in, i, &location{buf: b, off: g.off[i], global: true}, n, write)
		}
		now.thread = w.number(i)
		off := g.off[i]
		if n < 4 {
			now.mask = uint8(1<<n-1) << (off & 3)
		}
		for end := off + n; off < end; off += 4 {
			r.gatherCell(w, in, i, g, off, write, same, &now)
		}
	}
}

// number returns the number of a lane's thread as records have it.
func (w *warp) number(lane int) uint64 { return w.b.firstThread + uint64(w.first) + uint64(lane) + 1 }

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

// gatherWords is gatherCell for accesses of four bytes each without clocks: most of all. What is common in them
// is in functions that call no others, for speed; gatherCell has the rest.
func (r *raceState) gatherWords(w *warp, in *inst, m uint32, g *gather, write bool, same uint32, now *access) {
	common := commonReads
	if write {
		common = commonWrites
	}
	c := &r.common
	c.pages, c.gen, c.record = r.pages(g.buf), r.generation(g.buf), now.record()
	c.firstThread, c.threads = w.b.firstThread+1, uint64(w.l.tpb)
	c.record.who += w.number(0)
	if g.row && c.row(g.off[0], write) {
		return
	}
	for m = common(c, &g.off, m); m != 0; m = common(c, &g.off, m&(m-1)) {
		i := lowest(m)
		now.thread = w.number(i)
		r.gatherCell(w, in, i, g, g.off[i], write, same, now)
	}
}

// commonAccess is what an access by the lanes of a warp is compared with and recorded as.
type commonAccess struct {
	pages       []*page
	gen         uint32
	record      record // of lane 0
	firstThread uint64 // of the block
	threads     uint64 // of the block
}

// conflicts is as that of block, or true where the bytes differ.
func (c *commonAccess) conflicts(old *record, who uint64) bool {
	thread := old.who & whoThread
	return thread != 0 && thread != who&whoThread && (old.bep >= c.record.bep || thread-c.firstThread >= c.threads)
}

// row records the accesses of 32 lanes in a row that begins at off, where they are in one page and no other thread's
// accesses have to be looked at; else it changes nothing and returns false.
func (c *commonAccess) row(off uint64, write bool) bool {
	p, cell := c.pages[off/(4*pageCells)], off/4%pageCells
	if p == nil || p.gen != c.gen || cell > pageCells-32 || p.clocks != nil {
		return false
	}
	if p.wrote && !c.own(p.writes[cell:cell+32]) {
		return false
	}
	rec := c.record
	if write {
		if !p.wrote || p.read && !c.ownReads(p.reads[cell:cell+32]) {
			return false
		}
		for i := range p.writes[cell : cell+32] {
			p.writes[cell+uint64(i)] = rec
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
// at, or room to be made. It returns the lanes from that one on.
func commonReads(c *commonAccess, off *[32]uint64, m uint32) uint32 {
	var writes *[pageCells]record
	var reads *[pageCells][2]record
	rec, first := c.record, c.record.who
	at := ^uint64(0) // the index of the page of writes and reads
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		o := off[i]
		if k := o / (4 * pageCells); k != at {
			p := c.pages[k]
			if p == nil || p.gen != c.gen || !p.read {
				return m
			}
			at, reads, writes = k, p.reads, nil
			if p.wrote {
				writes = p.writes
			}
		}
		cell := o / 4 % pageCells
		rec.who = first + uint64(i)
		if writes != nil && c.conflicts(&writes[cell], rec.who) {
			return m
		}
		r := &reads[cell]
		if old := r[0].who; (old^rec.who)&whoThread != 0 {
			if old&whoClocks != 0 {
				return m
			}
			r[1] = r[0]
		}
		r[0] = rec
	}
	return 0
}

// commonWrites is commonReads for writes.
func commonWrites(c *commonAccess, off *[32]uint64, m uint32) uint32 {
	var writes *[pageCells]record
	var reads *[pageCells][2]record
	rec, first := c.record, c.record.who
	at := ^uint64(0) // the index of the page of writes and reads
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		o := off[i]
		if k := o / (4 * pageCells); k != at {
			p := c.pages[k]
			if p == nil || p.gen != c.gen || !p.wrote {
				return m
			}
			at, writes, reads = k, p.writes, nil
			if p.read {
				reads = p.reads
			}
		}
		cell := o / 4 % pageCells
		rec.who = first + uint64(i)
		if c.conflicts(&writes[cell], rec.who) || reads != nil && (c.conflicts(&reads[cell][0], rec.who) || c.conflicts(&reads[cell][1], rec.who)) {
			return m
		}
		writes[cell] = rec
	}
	return 0
}

// conflict is check for a lane.
func (r *raceState) conflict(w *warp, in *inst, p *page, cell uint64, which int, now *access, g *gather, lane int, off uint64, write bool, same uint32) {
	old := p.at(cell, which)
	r.check(w, in, lane, &old, now, &location{buf: g.buf, off: g.off[lane], global: g.global}, off, write, same>>lane&1 != 0, which == lastWrite)
}

// fences returns how many fences a lane has executed.
func (w *warp) fences(lane int) uint32 {
	if s := w.sync[lane]; s != nil {
		return s.tep
	}
	return 0
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
