package simt

import (
	"fmt"

	"irgl/internal/device"
)

// This file finds races of kernels and copies with host code that accesses page-locked or managed memory, where the host's side of the
// program runs on a machine (machine.go), which tells of its accesses. An access of the host comes after what the host has waited for.
// Work that was queued before the access and not waited for may run at any time: it is compared with the access when it
// runs, or at once if it has run. Strong accesses of kernels do not race with the host, which they may communicate with.

// A touch is the last access of host code to four bytes.
type touch struct {
	items uint64 // that were queued before
	write bool
	stack []device.Frame
}

// maxTouches bounds the places of a buffer that are remembered.
const maxTouches = 1 << 16

// HostAccess notes that host code accesses n bytes of page-locked memory; stack returns where.
func (d *Device) HostAccess(addr, n uint64, write bool, stack func() []device.Frame) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	r := d.sys.races
	if r == nil || !d.sys.pending() {
		return
	}
	b := d.sys.host.find(addr)
	if b == nil || b.freed || !b.holds(addr, n) {
		return
	}
	t := &touch{items: d.sys.items, write: write, stack: stack()}
	off := addr - b.base
	r.hostAgainstDone(d, t, b, off, n)
	if b.touched == nil {
		b.touched = map[uint64]*touch{}
	}
	for c := off / 4; c <= (off+n-1)/4; c++ {
		if old := b.touched[c]; len(b.touched) < maxTouches || old != nil {
			if old != nil && old.write {
				t.write = true // the earlier one is of the same work, or ordered with more of it
			}
			b.touched[c] = t
		}
	}
}

// pending reports whether there is work that the host has not waited for.
func (s *system) pending() bool {
	for _, o := range s.streams {
		if len(o.queue) > 0 || s.known.at(o.id) < s.ids[o.id] {
			return true
		}
	}
	return false
}

// waited reports whether the host has waited for a task.
func (s *system) waited(t *task) bool { return s.known.at(t.stream.id) >= t.number }

// hostAgainstDone compares an access of the host with work that has run and that the host has not waited for.
func (r *raceState) hostAgainstDone(d *Device, t *touch, b *buffer, off, n uint64) {
	for _, c := range r.bulks {
		if c.overlaps(b, off, n, t.write) && !r.s.waited(&c.it.task) {
			r.reportHost(d, t, c.side(), b, max(off, c.at.off))
		}
	}
	for c := off / 4; c <= (off+n-1)/4; c++ {
		page := c / pageCells
		if page >= uint64(len(b.shadow.pages)) || b.shadow.pages[page] == nil || b.shadow.pages[page].gen != r.gen {
			continue
		}
		for which := range perCell {
			a := b.shadow.pages[page].at(c%pageCells, which)
			if a.thread == 0 || a.scope != weak || which != lastWrite && !t.write {
				continue
			}
			if l := r.launchOf(a.thread - 1); l != nil && !r.s.waited(&l.item.task) {
				r.reportHost(d, t, l.side(&a, which == lastWrite), b, c*4)
			}
		}
	}
}

// againstHost compares an access of a lane with those of host code since its launch was queued.
func (r *raceState) againstHost(w *warp, in *inst, lane int, loc *location, n uint64, write bool) {
	for c := loc.off / 4; c <= (loc.off+n-1)/4; c++ {
		if t := loc.buf.touched[c]; t != nil && in.scope == weak && w.l.item.number < t.items && (write || t.write) {
			r.reportHost(w.l.d, t, w.side(in, lane, write), loc.buf, c*4)
			return
		}
	}
}

// bulkAgainstHost is againstHost for a copy.
func (r *raceState) bulkAgainstHost(now *bulk) {
	b := now.at.buf
	if len(b.touched) == 0 {
		return
	}
	for c := now.at.off / 4; c <= (now.at.off+now.at.size-1)/4; c++ {
		if t := b.touched[c]; t != nil && now.it.number < t.items && (now.write || t.write) {
			r.reportHost(now.it.s.d, t, now.side(), b, max(c*4, now.at.off))
			return
		}
	}
}

// reportHost reports a race with host code.
func (r *raceState) reportHost(d *Device, t *touch, other side, b *buffer, off uint64) {
	name, place := b.describe(off)
	at := device.Frame{}
	if len(t.stack) > 0 {
		at = t.stack[0]
	}
	key := reportKey{device.Race, name, reportPlace{kernel: "host", line: int32(at.Position.Line)}, other.place()}
	if d.reports.again(key) {
		return
	}
	what := "host code reads it"
	if t.write {
		what = "host code writes it"
	}
	text := what
	if at.Position.File != "" {
		text += " at " + at.Position.String()
	}
	sites := append(hostSites("", what, t.stack), other.site(true))
	d.reports.add(key, device.Report{Kind: device.Race, Rule: device.RuleRaceHost, Kernel: other.kernel(), Buffer: name, Place: place, Count: 1,
		Message:   fmt.Sprintf("%s and has not waited for the other access: %s", text, other.text(true)),
		Positions: []device.Position{at.Position, other.position}, Sites: append(sites, launchSites(other.l)...)})
}
