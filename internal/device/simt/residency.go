package simt

// Blocks of all launches under way share the multiprocessors of their device.

// usage is what resident blocks take of a multiprocessor.
type usage struct {
	blocks, threads int
	shared          uint64
}

// fits reports whether a block finds room.
func (u usage) fits(b usage) bool {
	return u.blocks+b.blocks <= maxBlocksPerSM && u.threads+b.threads <= maxThreadsPerSM && u.shared+b.shared <= sharedPerSM
}

func (u *usage) add(b usage) {
	u.blocks += b.blocks
	u.threads += b.threads
	u.shared += b.shared
}

func (u *usage) remove(b usage) {
	u.blocks -= b.blocks
	u.threads -= b.threads
	u.shared -= b.shared
}

// place takes room for the blocks of a cluster, the first in a slot: each on the
// multiprocessor of its slot, or another where that is full. It takes none if not all
// find room.
func (l *launch) place(slot int) (at []int, ok bool) {
	sms := l.d.sms
	for rank := range l.per {
		sm := (slot + rank) % len(sms)
		for range sms {
			if sms[sm].fits(l.takes) {
				break
			}
			sm = (sm + 1) % len(sms)
		}
		if !sms[sm].fits(l.takes) {
			for _, sm := range at {
				sms[sm].remove(l.takes)
			}
			return nil, false
		}
		sms[sm].add(l.takes)
		at = append(at, sm)
	}
	return at, true
}

// fits reports whether a launch can begin: one that is cooperative needs room for
// all its blocks at once.
func (l *launch) fits() bool {
	if !l.cooperative {
		return true
	}
	room := uint64(0)
	for _, u := range l.d.sms {
		for u.fits(l.takes) {
			u.add(l.takes)
			room++
		}
	}
	return room >= l.total
}
