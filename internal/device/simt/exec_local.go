package simt

// This file executes loads and stores of local memory for all lanes at once, where nothing is to be reported;
// [warp.resolveLocal] goes lane by lane.

// gatherLocal is gather for local memory: the offsets are in that of each lane.
func (w *warp) gatherLocal(in *inst, m uint32, n uint64, write bool) (*gather, bool) {
	base := uint64(in.off) - localStart
	switch {
	case in.scope != weak:
		return nil, false
	case in.frame:
		base = uint64(in.off) + uint64(w.fr.base)
	case in.space == spLocal:
	case in.space == spGlobal || in.space == spShared || in.address(w, lowest(m))/windowSize != localWindow/windowSize:
		return nil, false
	default:
		base -= localWindow
	}
	end := uint64(w.fr.base + w.fr.fn.localSize)
	if end < n {
		return nil, false
	}
	g := &w.l.gather
	if bits, ok := g.spread(w, in, m, n, base, end-n); !ok || bits&(n-1) != 0 {
		return nil, false
	}
	from, most := uint64(0), end-n // of the variable that is meant
	if s := in.within; s != nil && s.space == spLocal {
		if uint64(s.size) < n {
			return nil, false
		}
		from, most = uint64(s.off)+uint64(w.fr.base), uint64(s.size)-n
	}
	if write && in.untyped && !in.sound && w.init != nil {
		for _, slot := range in.moved {
			if w.init[slot]&m != m {
				return nil, false
			}
		}
	}
	for r := m; r != 0; r &= r - 1 {
		i := lowest(r)
		off := g.off[i]
		if off-from > most || uint64(len(w.local[i])) < end {
			return nil, false
		}
		switch wrote := w.wrote[i]; {
		case len(wrote) == 0:
		case write:
			setWritten(wrote[off : off+n])
		case !allWritten(wrote[off : off+n]):
			return nil, false
		}
	}
	return g, true
}

// loadLocal executes ld of local memory.
func (g *gather) loadLocal(w *warp, in *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		p := w.local[i][g.off[i]:]
		for k, d := range in.ds {
			w.regs[d+int32(i)] = in.extended(load(p[k*int(in.size):], in.size))
		}
	}
}

// storeLocal executes st to local memory.
func (g *gather) storeLocal(w *warp, in *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		p := w.local[i][g.off[i]:]
		for k, s := range in.ds {
			store(p[k*int(in.size):], in.size, w.regs[s+int32(i)])
		}
	}
}
