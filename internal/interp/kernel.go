package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// A worklist is the lists that a Pipe or Iterate makes (report, section 4.1):
// kernels pop from in and push to out, and the two change places after each
// invocation. What is retried goes to retry; the kernel pops that before the
// invocation ends.
type worklist struct{ in, out, retry []int32 }

// push appends an item to the list that the next invocation pops from.
func (m *machine) push(x int32, n syntax.Node) {
	if m.wl == nil {
		m.noList(n)
	}
	m.add(&m.wl.out, x, n)
}

// add appends an item to one of the lists.
func (m *machine) add(list *[]int32, x int32, n syntax.Node) {
	if len(*list) == cap(*list) {
		m.reserve(int64(4*max(64, len(*list))), n)
	}
	*list = append(*list, x)
}

// retry compiles Retry and Respawn: without other threads they are the same.
// Retry Merge leaves the item to the next invocation.
func (c *compiler) retry(s *syntax.RetryStmt) exec {
	m, item, merge := c.machine, c.as(s.Item, check.Int).i, s.Merge
	return func() control {
		x := item()
		if m.wl == nil {
			m.noList(s)
		}
		if merge {
			m.add(&m.wl.out, int32(x), s)
		} else {
			m.add(&m.wl.retry, int32(x), s)
		}
		return next
	}
}

// atomicStmt compiles Atomic (report, section 3.2.1). Iterations run one after
// the other, so a lock that is taken is one that this iteration holds itself or
// that nobody will ever release: to wait for it is an error. The place is
// computed once, since the body may change what names it.
func (c *compiler) atomicStmt(s *syntax.AtomicStmt) exec {
	prepare, lock := c.place(s.Lock).pin()
	if prepare == nil {
		prepare = func() {}
	}
	taken := truth(c.load(lock))
	take := effect(c.store(lock, intConst(check.Int, 1)))
	release := effect(c.store(lock, intConst(check.Int, 0)))
	body, other := c.block(s.Body), c.block(s.Else)
	m, wait := c.machine, s.Else == nil
	return func() control {
		prepare()
		if taken() {
			if wait {
				m.fail(s.Lock, codeDeadlock, "deadlock: this lock is taken, and nobody is left to release it")
			}
			return other()
		}
		take()
		r := body()
		release()
		return r
	}
}

// badPop reports a pop that push cannot have made possible.
func (m *machine) badPop(n syntax.Node, i int64) {
	if m.wl == nil {
		m.noList(n)
	}
	m.fail(n, codePop, "the worklist has no item %d: it has %d", i, len(m.wl.in))
}

// noList reports a use of WL outside a Pipe or Iterate. check finds most of
// these; what is left depends on the Iterate around an Invoke.
func (m *machine) noList(n syntax.Node) {
	m.fail(n, codeNoList, "there is no worklist here")
}

// order returns what gives the iterations of a ForAll over n elements: nil for
// 0, 1, 2, ..., and otherwise where a permutation of them is in m.perm until
// the caller truncates it.
func (m *machine) order(n int) (base int, permuted bool) {
	if m.rand == nil || n < 2 {
		return 0, false
	}
	base = len(m.perm)
	for i := range n {
		m.perm = append(m.perm, int64(i))
	}
	p := m.perm[base:]
	m.rand.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return base, true
}

// forAll compiles both forms of a loop over the worklist or a range of the graph
// or the mesh. A parallel one ends an iteration with continue or
// ReduceAndReturn and may run in any order; a serial one is a C loop, and so is
// a ForAll in a Host function (report, section 3).
func (c *compiler) forAll(s *syntax.ForAllStmt) exec {
	o := c.info.Defs[s.Var]
	if o == nil {
		c.errorf(s, codeUnknown, "this loop has no variable")
		return nothing
	}
	first := len(c.fn.locals)
	v := c.storage(o, s.Var)
	set := func(i int64) {}
	if v.mode == cellMode {
		cell := v.cell
		set = func(i int64) { *cell = i }
	} else if b := c.bytes(v, true); b != nil {
		set = func(i int64) { putInt(v.t, b(), i) }
	}
	bounds := c.bounds(s.Iter)
	if c.info.Groups[s] {
		return c.grouped(s, first, bounds, set)
	}
	body := c.block(s.Body)
	serial := s.Serial || c.fn.info.Decl.Kind == syntax.HostFunc
	if v.mode == cellMode && (c.rand == nil || serial) {
		return c.loopInOrder(serial, bounds, v.cell, body)
	}
	return c.loop(serial, bounds, set, body)
}

// bounds returns what gives the first element of an iteration space and the
// one after the last.
func (c *compiler) bounds(at syntax.Expr) func() (lo, hi int64) {
	m, g := c.machine, c.g
	if c.info.Types[at] == check.Ints {
		return c.intBounds(at)
	}
	over := c.expr(at)
	switch over.t {
	case check.Worklist:
		return func() (int64, int64) {
			if m.wl == nil {
				m.noList(at)
			}
			return 0, int64(len(m.wl.in))
		}
	case check.Nodes:
		n := int64(g.NumNodes())
		return func() (int64, int64) { return 0, n }
	case check.AllEdges:
		n := g.NumEdges()
		return func() (int64, int64) { return 0, n }
	case check.Points, check.Elements:
		n := &m.seen[domains[over.t]]
		return func() (int64, int64) { return 0, *n }
	}
	bad, n, rows, node := c.noElement(check.Node, at), uint64(g.NumNodes()), c.rows(over.t == check.InEdges), over.i
	return func() (int64, int64) {
		v := node()
		if uint64(v) >= n {
			bad(v)
		}
		return int64(rows[v]), int64(rows[v+1])
	}
}

// intBounds is bounds of range(low, high), which is empty where high is not the
// larger.
func (c *compiler) intBounds(at syntax.Expr) func() (lo, hi int64) {
	low, high := check.RangeBounds(at)
	from, to := func() int64 { return 0 }, c.as(high, check.Int).i
	if low != nil {
		from = c.as(low, check.Int).i
	}
	return func() (int64, int64) {
		lo := from()
		return lo, max(lo, to())
	}
}

// loopInOrder is loop with a variable outside memory and without a seed: the
// loop that most of the time goes into.
func (c *compiler) loopInOrder(serial bool, bounds func() (lo, hi int64), cell *int64, body exec) exec {
	m := c.machine
	return func() control {
		lo, hi := bounds()
		m.tick(1)
		for i := lo; i < hi; i++ {
			*cell = i
			m.tick(1)
			r := body()
			if r == next || r == again || r == reduced && !serial {
				continue
			}
			if r == breaks {
				break
			}
			return r
		}
		return next
	}
}

// loop iterates over an iteration space, permuted when there is a seed and the
// loop is parallel. The bounds are computed once, as ForAll demands: what the
// body pushes belongs to a later invocation.
func (c *compiler) loop(serial bool, bounds func() (lo, hi int64), set func(int64), body exec) exec {
	m := c.machine
	return func() control {
		lo, hi := bounds()
		base, permuted := 0, false
		if !serial {
			base, permuted = m.order(int(hi - lo))
		}
		result := next
		for i := range hi - lo {
			m.tick(1)
			if permuted {
				set(lo + m.perm[base+int(i)])
			} else {
				set(lo + i)
			}
			r := body()
			if r == next || r == again || r == reduced && !serial {
				continue
			}
			if r != breaks {
				result = r
			}
			break
		}
		if permuted {
			m.perm = m.perm[:base]
		}
		return result
	}
}

// reduce compiles ReduceAndReturn (IrGL paper, section 3.2).
func (c *compiler) reduce(s *syntax.ReduceStmt) exec {
	m, value := c.machine, c.cond(s.Value)
	return func() control {
		if value() {
			m.any = true
		} else {
			m.all = false
		}
		return reduced
	}
}
