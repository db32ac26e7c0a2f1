package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// This file compiles the ForAlls whose iterations meet (report, sections 3.3 and
// 3.4): those with a SyncRunningThreads, a LocalBarrier or an Exclusive directly
// in their bodies. The iterations run in groups. The body is cut into parts
// where the iterations meet, and one part after the other is run for all
// iterations of the group; in between, each iteration's variables wait in a
// frame.

// groupSize is the number of iterations of a group that Options does not give.
const groupSize = 64

// A part is the statements of a body up to the next meeting.
type part struct {
	exclusive *exclusive // what the part begins with; nil for none
	rest      exec
}

// A group runs the iterations of one ForAll. What is in slices has one value
// for each iteration of the present group, by its position.
type group struct {
	*machine
	n      syntax.Node
	parts  []part
	locals []place
	set    func(int64) // the loop's variable

	frames []frame
	ended  []bool // by continue or ReduceAndReturn: it meets the others no more
	won    []bool // the present Exclusive
	ids    []int32
	claims [][]int32
	turns  []int // the order of the present part
}

// grouped compiles such a ForAll; its variable is local number first.
func (c *compiler) grouped(s *syntax.ForAllStmt, first int, bounds func() (lo, hi int64), set func(int64)) exec {
	g := &group{machine: c.machine, n: s, set: set}
	g.parts = c.parts(s.Body)
	g.locals = append(g.locals, c.fn.locals[first:]...)
	m := c.machine
	return func() control {
		lo, hi := bounds()
		base, permuted := m.order(int(hi - lo))
		result := next
		for done := int64(0); done < hi-lo && result == next; {
			n, first := g.size(hi-lo-done), done
			result = g.together(n, func(i int) int64 {
				if permuted {
					return lo + m.perm[base+int(first)+i]
				}
				return lo + first + int64(i)
			})
			done += int64(n)
		}
		if permuted {
			m.perm = m.perm[:base]
		}
		return result
	}
}

// parts cuts the body of a ForAll where its iterations meet. After an Exclusive
// they do not meet, so what follows it is in one part with its blocks.
func (c *compiler) parts(body *syntax.Block) []part {
	var list []part
	var now part
	var stmts []syntax.Stmt
	cut := func() {
		now.rest = c.block(&syntax.Block{Span: body.Span, Stmts: stmts})
		list = append(list, now)
		now, stmts = part{}, nil
	}
	for _, s := range body.Stmts {
		switch s := s.(type) {
		case *syntax.BarrierStmt:
			cut()
		case *syntax.ExclusiveStmt:
			cut()
			now.exclusive = c.exclusive(s)
		default:
			stmts = append(stmts, s)
		}
	}
	cut()
	return list
}

// size returns how many of the iterations that are left are the next group. A
// seed makes it as random as the order: how many threads run is the machine's
// choice.
func (g *group) size(left int64) int {
	size := int64(groupSize)
	if g.options.Group > 0 {
		size = int64(g.options.Group)
	}
	if g.rand != nil {
		size = 1 + g.rand.Int64N(size)
	}
	return int(min(size, left))
}

// together runs the n iterations of one group; element gives the values of the
// loop's variable.
func (g *group) together(n int, element func(i int) int64) control {
	for len(g.frames) < n {
		g.reserve(frameSize(g.locals)+256, g.n)
		g.frames, g.ended, g.won = append(g.frames, frame{}), append(g.ended, false), append(g.won, false)
		g.ids, g.claims, g.turns = append(g.ids, 0), append(g.claims, nil), append(g.turns, 0)
	}
	for i := range n {
		g.ended[i] = false
		g.set(element(i))
		g.frames[i].save(g.locals)
	}
	for k := range g.parts {
		p := &g.parts[k]
		x := p.exclusive
		if x == nil {
			if r := g.each(n, func(int) control { return p.rest() }); r != next {
				return r
			}
			continue
		}
		g.decide(x, n)
		r := g.each(n, func(i int) control {
			r := next
			if g.won[i] {
				r = x.body()
			} else {
				r = x.other()
			}
			if r != next {
				return r
			}
			return p.rest()
		})
		if r != next {
			return r
		}
	}
	return next
}

// each runs f for the iterations that have not ended, in an order of its own.
func (g *group) each(n int, f func(i int) control) control {
	turns := g.turns[:n]
	for i := range turns {
		turns[i] = i
	}
	if g.rand != nil {
		g.rand.Shuffle(n, func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	}
	for _, i := range turns {
		if g.ended[i] {
			continue
		}
		g.tick(1)
		g.frames[i].restore(g.locals)
		switch r := f(i); r {
		case next:
			g.frames[i].save(g.locals)
		case again, reduced:
			g.ended[i] = true
		default:
			return r
		}
	}
	return next
}

// An exclusive is a compiled Exclusive.
type exclusive struct {
	n           syntax.Node
	of          syntax.Domain
	lists       []func(each func(int64))
	at          []syntax.Node // the lists
	bad         []func(i int64)
	body, other exec
}

// exclusive compiles Exclusive (report, section 3.3).
func (c *compiler) exclusive(s *syntax.ExclusiveStmt) *exclusive {
	t := c.info.Types[s.Object]
	x := &exclusive{n: s, of: domains[t]}
	handle := [...]check.Type{check.Node, check.Edge, check.Point, check.Element}[x.of]
	for _, l := range s.Locks {
		x.lists, x.at = append(x.lists, c.slice(l)), append(x.at, l)
		x.bad = append(x.bad, c.noElement(handle, l))
	}
	x.body, x.other = c.block(s.Body), c.block(s.Else)
	return x
}

// decide finds which iterations of a group have all the elements that they list
// to themselves. The iterations claim one after the other in an order that the
// seed gives, and what is claimed stays claimed: the first one always wins, as
// the one with the smallest number does in the three phases of the report,
// where an iteration that lost keeps others from winning, too.
func (g *group) decide(x *exclusive, n int) {
	locks, id := g.locksOf(x), int32(0)
	g.each(n, func(i int) control {
		id++
		g.ids[i] = id
		g.claims[i] = g.claims[i][:0]
		for k, list := range x.lists {
			list(func(e int64) {
				if e < 0 {
					return
				}
				if e >= g.counts[x.of] {
					x.bad[k](e)
				}
				if e >= int64(len(locks)) { // a bound has added to the mesh
					locks = g.locksOf(x)
				}
				g.add(&g.claims[i], int32(e), x.at[k])
				if locks[e] == 0 {
					locks[e] = id
				}
			})
		}
		return next
	})
	for i := range n {
		g.won[i] = true
		for _, e := range g.claims[i] {
			g.won[i] = g.won[i] && locks[e] == g.ids[i]
		}
	}
	for i := range n {
		for _, e := range g.claims[i] {
			locks[e] = 0
		}
		g.claims[i] = g.claims[i][:0]
	}
}

// locksOf returns the locks of a domain, one for each of its elements: 0, or
// who has claimed it.
func (g *group) locksOf(x *exclusive) []int32 {
	locks, n := g.locks[x.of], g.counts[x.of]
	if int64(len(locks)) < n {
		room := max(n, 2*int64(cap(locks)))
		g.reserve(4*(room-int64(cap(locks))), x.n)
		locks = append(make([]int32, 0, room), locks...)[:room]
		g.locks[x.of] = locks
	}
	return locks[:n]
}

// slice compiles X[Low : High : Step] and gives what calls each with its
// elements. All bounds are evaluated once, before the first element.
func (c *compiler) slice(s *syntax.SliceExpr) func(each func(int64)) {
	bound := func(e syntax.Expr, other int64) func() int64 {
		if e == nil {
			return func() int64 { return other }
		}
		return c.as(e, check.Long).i
	}
	elem, length := c.info.Types[s], int64(-1)
	if a, ok := c.info.Types[s.X].(*check.Array); ok {
		length = a.Len
	}
	m, base, at := c.machine, c.expr(s.X).i, new(int64)
	low, high, step := bound(s.Low, 0), bound(s.High, 0), bound(s.Step, 1)
	size, load := elem.Size(), c.load(place{mode: ptrMode, t: elem, n: s, ptr: func() int64 { return *at }}).i
	return func(each func(int64)) {
		p, i, hi, by := base(), low(), high(), step()
		if by < 1 {
			m.fail(s.Step, codeRoom, "the step of a list must be positive, not %d", by)
		}
		for i < hi {
			m.tick(1)
			if length >= 0 && uint64(i) >= uint64(length) {
				m.fail(s, codeIndex, "index %d is out of range: the array has %d elements, 0 to %d", i, length, length-1)
			}
			*at = p + i*size
			each(load())
			if uint64(hi)-uint64(i) <= uint64(by) { // i + by may be no int64
				break
			}
			i += by
		}
	}
}
