package ptxgen

import "slices"

// A pair is a copy's destination and source.
type pair struct{ dst, src vreg }

// coalesce assigns one name to the registers of a copy if they do not
// interfere (Chaitin's rule: at a definition the written register interferes
// with every other live one, but a copy's destination not with its source),
// and returns the blocks in layout order without the copies that are thereby
// redundant.
func (g *fgen) coalesce() []*mblock {
	var blocks []*mblock
	for _, b := range g.blocks {
		m := g.mb[b.ID]
		blocks = append(blocks, m)
		blocks = append(blocks, m.edges...)
	}
	for i, b := range blocks {
		b.index = i
	}
	c := newCoalescer(g.classes, g.pairs, blocks)
	// Phis' own copies first, which pays in every iteration of a loop, then the
	// copies of the last blocks, where back edges are.
	for pass := range 2 {
		for _, p := range g.pairs {
			if (pass == 0) == g.isPhiCopy(p) {
				c.join(p)
			}
		}
	}
	for _, b := range blocks {
		for i := range b.ins {
			if in := &b.ins[i]; in.inst != nil {
				for k := range in.inst.Args {
					vregs(&in.inst.Args[k], c.find)
				}
			}
		}
		b.pred = c.find(b.pred)
		b.ins = slices.DeleteFunc(b.ins, func(in minst) bool {
			return in.copy && in.inst.Args[0].Bits == in.inst.Args[1].Bits
		})
	}
	for _, b := range blocks {
		c.close(b)
	}
	return blocks
}

// close moves the copies on a back edge before the branch that takes it, if they are
// dead on the exit edge. The branch then goes directly to the loop.
func (c *coalescer) close(b *mblock) {
	if len(b.edges) != 2 {
		return
	}
	for i, e := range b.edges {
		out := b.edges[1-i]
		if len(e.ins) == 0 || e.succs[0].index > b.index || out.succs[0].index <= b.index {
			continue
		}
		seen := make(map[vreg]bool)
		for _, n := range c.liveIn[out.index] {
			seen[c.find(c.members[n])] = true
		}
		free := true
		for k := range e.ins {
			d := e.ins[k].defines()[0]
			// The liveness of a crowded register is unknown.
			free = free && e.ins[k].copy && !seen[d] && !c.crowded[c.number[d]] && d != b.pred
		}
		if free {
			b.ins = append(b.ins, e.ins...)
			e.ins = nil
		}
		return
	}
}

// isPhiCopy reports whether p copies a phi's incoming register to the phi.
func (g *fgen) isPhiCopy(p pair) bool {
	_, ok := slices.BinarySearch(g.incomingRegs(), p.src)
	return ok
}

// incomingRegs returns the incoming registers of the phis, sorted.
func (g *fgen) incomingRegs() []vreg {
	if g.incomings == nil {
		g.incomings = []vreg{}
		for _, r := range g.phiIn {
			if r != 0 {
				g.incomings = append(g.incomings, r)
			}
		}
		slices.Sort(g.incomings)
	}
	return g.incomings
}

// A coalescer joins registers. Only registers in copies are considered; they
// are numbered densely. Most live ranges are short, so the registers live at a
// point, and those that interfere with a register, are lists: the time is that
// of their lengths.
type coalescer struct {
	parent  []vreg  // union-find over all registers
	number  []int32 // dense number of a register in a copy, -1 for others
	members []vreg
	clash   [][]int32 // by number of a representative: the numbers that it interferes with, including former representatives
	pairs   pairSet   // the same relation as a set
	crowded []bool    // by number: not joined, since too many registers are live at the same point
	classes []class
	liveIn  [][]int32 // by block: numbers of registers

	// Predicates that a branch tests are not joined. ptxas 13.0 takes such a register for true in all of a loop behind the branch, also where the
	// loop sets it again: if (p) { ...; while (n--) { use(p); p = !p; } }.
	tested []bool
}

// maxLive bounds the registers considered among those live at one point. A
// thread has at most 255, and with more, the interference graph would grow with
// the square of the program.
const maxLive = 128

// newCoalescer numbers the registers of the copies and builds their
// interference graph.
func newCoalescer(classes []class, pairs []pair, blocks []*mblock) *coalescer {
	c := &coalescer{parent: make([]vreg, len(classes)), number: make([]int32, len(classes)), classes: classes, tested: make([]bool, len(classes))}
	for i := range c.parent {
		c.parent[i], c.number[i] = vreg(i), -1
	}
	for _, b := range blocks {
		c.tested[b.pred] = true
	}
	for _, p := range pairs {
		for _, r := range [2]vreg{p.dst, p.src} {
			if c.number[r] < 0 {
				c.number[r] = int32(len(c.members))
				c.members = append(c.members, r)
			}
		}
	}
	c.clash = make([][]int32, len(c.members))
	c.crowded = make([]bool, len(c.members))
	c.pairs = newPairSet(len(c.members))
	if len(c.members) > 0 {
		c.interference(blocks)
	}
	return c
}

// interference solves liveness and fills clash.
func (c *coalescer) interference(blocks []*mblock) {
	liveIn := make([][]int32, len(blocks))
	c.liveIn = liveIn
	live := newNumbers(len(c.members))
	// A block is scanned again when the live-in set of a successor has grown since
	// its last scan; scans and growth are stamped by one clock.
	clock, scanned, grown := 0, make([]int, len(blocks)), make([]int, len(blocks))
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			if scanned[i] > 0 && !slices.ContainsFunc(blocks[i].succs, func(s *mblock) bool { return grown[s.index] >= scanned[i] }) {
				continue
			}
			clock++
			scanned[i] = clock
			c.scan(blocks[i], live, liveIn, false)
			for _, n := range liveIn[i] { // lists only grow, so this terminates
				live.add(n)
			}
			if len(live.list) > len(liveIn[i]) {
				liveIn[i] = append(liveIn[i][:0], live.list...)
				grown[i] = clock
				changed = true
			}
		}
	}
	for _, b := range blocks {
		c.scan(b, live, liveIn, true)
	}
}

// scan computes into live the live-in set of b, and records interference if
// record is set.
func (c *coalescer) scan(b *mblock, live *numbers, liveIn [][]int32, record bool) {
	live.clear()
	for _, s := range b.succs {
		for _, n := range liveIn[s.index] {
			c.enter(n, live)
		}
	}
	if n := c.number[b.pred]; n >= 0 {
		c.enter(n, live)
	}
	for i := len(b.ins) - 1; i >= 0; i-- {
		in := &b.ins[i]
		if in.asm != nil {
			c.scanAsm(in, live, record)
			continue
		}
		defines := in.defines()
		for _, r := range defines {
			if d := c.number[r]; d >= 0 {
				if record {
					c.record(in, d, live)
				}
				if defines[1] == 0 {
					live.remove(d)
				}
			}
		}
		if defines[1] != 0 {
			c.together(defines, live)
		}
		in.uses(func(r vreg) {
			if n := c.number[r]; n >= 0 {
				c.enter(n, live)
			}
		})
	}
}

// together ends the live ranges of two registers that are written by one
// instruction; they interfere even if neither is read.
func (c *coalescer) together(defines [2]vreg, live *numbers) {
	i, j := c.number[defines[0]], c.number[defines[1]]
	if i >= 0 {
		live.remove(i)
	}
	if j >= 0 {
		live.remove(j)
	}
	if i >= 0 && j >= 0 {
		c.conflict(i, j)
	}
}

// enter makes n live, or, beyond maxLive, marks it as crowded.
func (c *coalescer) enter(n int32, live *numbers) {
	switch {
	case c.crowded[n]:
	case len(live.list) < maxLive || live.has(n):
		live.add(n)
	default:
		c.crowded[n] = true
	}
}

// record makes d, which in defines, interfere with everything live after it,
// except, in a copy, the source.
func (c *coalescer) record(in *minst, d int32, live *numbers) {
	source := int32(-1)
	if in.copy {
		source = c.number[vreg(in.inst.Args[1].Bits)]
	}
	for _, n := range live.list {
		if n != d && n != source {
			c.conflict(d, n)
		}
	}
}

// conflict records that i and j interfere. Registers of different classes are
// never joined, so their interference is not recorded.
func (c *coalescer) conflict(i, j int32) {
	if c.classes[c.members[i]] == c.classes[c.members[j]] && c.pairs.add(i, j) {
		c.clash[i] = append(c.clash[i], j)
		c.clash[j] = append(c.clash[j], i)
	}
}

// find returns the representative of r.
func (c *coalescer) find(r vreg) vreg {
	for c.parent[r] != r {
		c.parent[r] = c.parent[c.parent[r]]
		r = c.parent[r]
	}
	return r
}

// join gives the two registers of p one representative if none of their
// members interfere.
func (c *coalescer) join(p pair) {
	a, b := c.find(p.dst), c.find(p.src)
	if a == b || c.classes[a] != c.classes[b] || c.classes[a] == clsPred && (c.tested[a] || c.tested[b]) {
		return
	}
	na, nb := c.number[a], c.number[b]
	if c.crowded[na] || c.crowded[nb] || c.pairs.has(na, nb) {
		return
	}
	c.parent[b] = a
	// The shorter list is appended to the longer one, whose number is kept.
	if len(c.clash[na]) < len(c.clash[nb]) {
		na, nb = nb, na
		c.number[a] = na
	}
	for _, i := range c.clash[nb] {
		c.conflict(na, i)
	}
}
