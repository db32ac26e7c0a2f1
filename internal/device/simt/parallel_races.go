package simt

// This file keeps the race detector's records of a launch in groups for what may yet begin and is not ordered behind it. Of each
// four bytes there are the last write and the last two reads: those of the groups with the highest numbers, so that they
// do not depend on which group ends first. What releases something is not executed in groups then: what a place carries is not put together.

// alone reports whether all other launches of the epoch come before l.
func (r *raceState) alone(l *launch) bool {
	for _, o := range r.launches {
		if o != l && !l.item.task.after(&o.item.task) {
			return false
		}
	}
	return len(r.origins) == 0
}

// order returns the number of the group of an access; of accesses that came before the launch it is -1.
func (p *speculation) order(who uint64) int64 {
	if thread := who&whoThread - 1 - p.l.span.first; thread < p.l.span.n {
		return int64(thread / (p.size * uint64(p.l.tpb)))
	}
	return -1
}

// merge adds the records of o, which are of one group, or of all.
func (p *page) merge(o *page, order func(who uint64) int64) {
	for cell := range uint64(pageCells) {
		// Reductions are of several groups.
		if w := o.record(cell, lastWrite); w.who != 0 && order(w.who) >= order(p.record(cell, lastWrite).who) {
			p.toWrite()[cell] = w
			p.copyClocks(cell, lastWrite, w.who, o.clocksAt(w.who, cell, lastWrite))
		}
		if o.read && o.reads[cell][0].who != 0 {
			p.mergeReads(cell, o, order)
		}
	}
}

func (p *page) copyClocks(cell uint64, which int, who uint64, c clocks) {
	if who&whoClocks != 0 {
		p.setClocks(cell, which, c)
	}
}

// mergeReads keeps the two reads of a cell that are of the groups with the highest numbers.
func (p *page) mergeReads(cell uint64, o *page, order func(who uint64) int64) {
	type read struct {
		record
		clocks
	}
	var all []read
	for _, from := range []*page{o, p} {
		for which := lastRead; which < perCell; which++ {
			r := from.record(cell, which)
			if r.who == 0 {
				break
			}
			next := read{r, from.clocksAt(r.who, cell, which)}
			at := len(all)
			for at > 0 && order(all[at-1].who) < order(r.who) {
				at--
			}
			all = append(all, read{})
			copy(all[at+1:], all[at:])
			all[at] = next
		}
	}
	reads := p.toRead()
	for i, r := range all[:min(2, len(all))] {
		reads[cell][i] = r.record
		p.copyClocks(cell, lastRead+i, r.who, r.clocks)
	}
}

// keepRecords adds the records that a group has of a page to those of the speculation. The caller has the page's lock.
func (s *sharing) keepRecords(p *speculation, view *buffer, index uint64) {
	if index >= uint64(len(view.shadow.pages)) {
		return
	}
	if page := view.shadow.pages[index]; page == nil || page.gen != view.claims.w.l.races.gen {
		return
	}
	if s.records[index] == nil { // of the group no longer
		s.records[index], view.shadow.pages[index] = view.shadow.pages[index], nil
		return
	}
	s.records[index].merge(view.shadow.pages[index], p.order)
}

// commitRecords makes the records of the speculation those of the race detector.
func (p *speculation) commitRecords(r *raceState) {
	for _, b := range p.shared {
		for i, page := range b.sharing.records {
			if page != nil {
				r.page(b, uint64(i)).merge(page, p.order)
			}
		}
		b.sharing.records = nil
	}
}
