package simt

// A scope is the set of threads for which an atomic, a fence or another strong
// access orders anything (PTX ISA, memory consistency model): the same operation
// orders nothing for a thread outside of it.
type scope uint8

const (
	weak         scope = iota // no strong access
	scopeBlock                // .cta
	scopeCluster              // .cluster
	scopeDevice               // .gpu
	scopeSystem               // .sys
	scopes
)

var scopeNames = [scopes]string{"", ".cta", ".cluster", ".gpu", ".sys"}

// scopeOf returns the scope that an instruction names, or what it has without.
func scopeOf(m mods, without scope) scope {
	switch m.first("cta", "cluster", "gpu", "sys", "gl") {
	case "cta":
		return scopeBlock
	case "cluster":
		return scopeCluster
	case "gpu", "gl":
		return scopeDevice
	case "sys":
		return scopeSystem
	}
	return without
}

// noteScope notes that a kernel orders threads of a block or cluster alone.
func (k *kernel) noteScope(s scope) {
	if s == scopeBlock || s == scopeCluster {
		k.narrow = true
	}
}

// scopes returns the scopes at which a launch has to tell threads apart, the
// narrowest first. Where nothing is ordered for a block alone, blocks need not be
// told apart, and devices only where there are several.
func (l *launch) scopes() []scope {
	list := make([]scope, 0, scopes)
	if l.k.narrow || l.k.relaxes {
		list = append(list, scopeBlock, scopeCluster)
	}
	list = append(list, scopeDevice)
	if len(l.d.sys.devices) > 1 {
		list = append(list, scopeSystem)
	}
	return list
}

// number names the group of threads of a block b of c within a scope.
func (c *cluster) number(b *block, s scope) uint64 {
	switch s {
	case scopeBlock:
		return b.number
	case scopeCluster:
		return c.l.span.firstBlock + uint64(c.index)
	case scopeDevice:
		return uint64(c.l.d.index)
	}
	return 0
}

// distance returns the narrowest scope that a thread of the launch o shares with
// the threads of w.
func (w *warp) distance(o *launch, thread uint64) scope {
	switch {
	case thread-w.b.firstThread < uint64(w.l.tpb):
		return scopeBlock
	case o == w.l && o.clusterOf(o.blockOfThread(thread)) == w.b.group.index:
		return scopeCluster
	case o.d == w.l.d:
		return scopeDevice
	}
	return scopeSystem
}
