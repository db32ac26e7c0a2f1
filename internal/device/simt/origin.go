package simt

import "irgl/internal/device"

// This file orders grids that device code has launched. The host launches them from a queue, when
// the grid that launches, the parent, has ended; by CUDA's rules they may run beside it. So for the race detector
// a child does not come after its parent: it knows what its thread knew when it wrote the slot of
// the queue, and what that thread and, before a barrier, its block did until then. The end of a child comes before the completion of the
// parent alone, and so before whatever comes after the parent.
//
// What is missed: races of a child with children of the parent that the host has launched earlier, and
// has waited for.

// An originKey names a launch in device code: the grid that launches and its slot.
type originKey struct{ grid, slot uint64 }

// An origin is what a launch in device code comes after.
type origin struct {
	parent *launch
	know   *knowledge
}

// slotSize is what slots of the queue are aligned to.
const slotSize = 64

// launching records that a lane writes at an address of the queue of launches. The launch acts as a fence
// for the child alone.
func (r *raceState) launching(w *warp, lane int, at uint64) {
	if at%slotSize != 0 {
		return
	}
	s := w.threadSync(lane)
	s.tep++
	know := s.know
	for _, p := range s.pending[:scopeDevice+1] {
		know = merged(know, p)
	}
	if r.origins == nil {
		r.origins = map[originKey]*origin{}
	}
	r.origins[originKey{w.l.id, at}] = &origin{w.l, r.prune(merged(merged(know, w.b.know), s.own(w, lane)))}
}

// own returns what a lane did until its last fence, and what its launch comes after.
func (s *threadSync) own(w *warp, lane int) *knowledge {
	thread := leaf(uint64(w.first)+uint64(lane), threadClock{s.tep, w.b.epoch})
	return &knowledge{tasks: w.l.before, blocks: leaf(w.b.number, blockClock{w.b.epoch, thread})}
}

// adopt finds the origin of a launch that begins. Those that are left when the host launches something
// itself are of launches that failed.
func (r *raceState) adopt(l *launch, from *device.Origin) {
	if from == nil {
		clear(r.origins)
		return
	}
	key := originKey{from.Grid, uint64(from.Slot)}
	l.origin = r.origins[key]
	delete(r.origins, key)
}

// descends reports whether a launch, or one that it comes from, was launched by o while o ran.
func (l *launch) descends(o *launch) bool {
	for from := l.origin; from != nil; from = from.parent.origin {
		if from.parent == o {
			return true
		}
	}
	return false
}
