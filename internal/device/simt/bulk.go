package simt

// A bulk is a copy's or fill's access to memory, for the race detector.
type bulk struct {
	it    *item
	what  string
	at    span
	write bool
}

// overlaps reports whether an access to n bytes of b races with the copy, if nothing
// orders them.
func (c *bulk) overlaps(b *buffer, off, n uint64, write bool) bool {
	return c.at.buf == b && (write || c.write) && off < c.at.off+c.at.size && c.at.off < off+n
}

// bulk checks a copy against the epoch and records it.
func (r *raceState) bulk(it *item, what string, at span, write bool) {
	if r == nil || at.buf == nil || at.size == 0 {
		return
	}
	r.enter(&it.task)
	now := &bulk{it, what, at, write}
	for _, b := range r.bulks {
		if b.it != it && b.overlaps(at.buf, at.off, at.size, write) && !it.task.after(&b.it.task) {
			r.report(it.s.d, b.side(), now.side(), at.buf, max(at.off, b.at.off), unordered)
		}
	}
	r.againstCells(now)
	r.bulkAgainstHost(now)
	r.bulks = append(r.bulks, now)
	for _, l := range r.s.active {
		l.bulks = append(l.bulks, now)
	}
}

// againstCells looks for a launch of the epoch that accessed what is copied, and
// comes neither before nor after the copy. Each launch is reported once.
func (r *raceState) againstCells(now *bulk) {
	reported, none := map[*launch]bool{}, true
	for _, l := range r.launches {
		reported[l] = now.it.task.after(&l.item.task)
		none = none && reported[l]
	}
	const pageBytes = 4 * pageCells
	pages := now.at.buf.shadow.pages
	if none || pages == nil {
		return
	}
	for page := now.at.off / pageBytes; page <= (now.at.off+now.at.size-1)/pageBytes; page++ {
		p := pages[page]
		if p == nil || p.gen != r.gen {
			continue
		}
		for i := range uint64(pageCells) {
			off := page*pageBytes + i*4
			if off+4 <= now.at.off || off >= now.at.off+now.at.size {
				continue
			}
			for which := range perCell {
				a, wrote := p.at(i, which), which == lastWrite
				if a.thread == 0 || !wrote && !now.write {
					continue
				}
				if l := r.launchOf(a.thread - 1); l != nil && !reported[l] {
					reported[l] = true
					r.report(now.it.s.d, l.side(&a, wrote), now.side(), now.at.buf, max(off, now.at.off), unordered)
				}
			}
		}
	}
}

// againstBulks checks an access of a lane against copies that nothing orders with
// its launch.
func (r *raceState) againstBulks(w *warp, in *inst, lane int, loc *location, n uint64, write bool) {
	for _, b := range w.l.bulks {
		if b.overlaps(loc.buf, loc.off, n, write) {
			r.report(w.l.d, b.side(), w.side(in, lane, write), loc.buf, max(loc.off, b.at.off), unordered)
		}
	}
}
