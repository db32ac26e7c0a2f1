package simt

// This file orders the items of streams: an item begins after those before it in
// its stream, after what its stream has waited for, and after what the host had
// waited for when it queued the item.

// A clock says of each stream, by number, how many of its items are known to have
// ended. Clocks are never changed once made; nil knows nothing.
type clock []uint32

// at returns what a clock knows of a stream.
func (c clock) at(stream int) uint32 {
	if stream < len(c) {
		return c[stream]
	}
	return 0
}

// joined returns what a or b know; it may be one of them.
func joined(a, b clock) clock {
	switch {
	case b.within(a):
		return a
	case a.within(b):
		return b
	}
	c := make(clock, max(len(a), len(b)))
	for i := range c {
		c[i] = max(a.at(i), b.at(i))
	}
	return c
}

func (c clock) within(o clock) bool {
	for i, n := range c {
		if n > o.at(i) {
			return false
		}
	}
	return true
}

// with returns c with n items of a stream.
func (c clock) with(stream int, n uint32) clock {
	if c.at(stream) >= n {
		return c
	}
	out := make(clock, max(len(c), stream+1))
	copy(out, c)
	out[stream] = n
	return out
}

// A task is an item of a stream that has begun, as the race detector sees it.
type task struct {
	stream *stream
	number uint32 // in its stream, from 1
	known  clock  // what had ended when it began
}

// after reports whether o had ended when t began.
func (t *task) after(o *task) bool {
	if t.stream.id == o.stream.id {
		return o.number < t.number
	}
	return t.known.at(o.stream.id) >= o.number
}

// wait notes that the host has waited for what c knows.
func (s *system) wait(c clock) { s.known = joined(s.known, c) }
