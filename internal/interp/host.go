package interp

import (
	"math"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/syntax"
)

// This file compiles orchestration (IrGL paper, section 3.3 and Table 3).

// invocation returns what invokes a kernel and gives the reduction of its
// ReduceAndReturn values: Any of none is false, All of none is true.
func (c *compiler) invocation(n syntax.Node, kernel *syntax.Ident, args []syntax.Expr, aggr syntax.Aggr) func() bool {
	o := c.info.Uses[kernel]
	if o == nil || o.Func == nil {
		c.errorf(kernel, codeUnknown, "%s is no kernel", kernel.Name)
		return func() bool { return false }
	}
	m, fn, usesWL, name := c.machine, c.function(o.Func), o.Func.UsesWL, o.Name
	eval, set := c.evalArgs(fn, args)
	return func() bool {
		m.check()
		eval()
		set()
		if usesWL && m.wl == nil {
			m.noList(n)
		}
		m.any, m.all = false, true
		m.launch(name, usesWL, fn)
		for usesWL && len(m.wl.retry) > 0 { // with the same arguments
			m.check()
			m.wl.in, m.wl.retry = m.wl.retry, m.wl.in[:0]
			set()
			m.launch(name, usesWL, fn)
		}
		m.begin()
		if usesWL {
			m.wl.in, m.wl.out = m.wl.out, m.wl.in[:0]
		}
		if aggr == syntax.All {
			return m.all
		}
		return m.any
	}
}

// launch runs a kernel once.
func (m *machine) launch(name string, usesWL bool, fn *function) {
	m.stats.Launches++
	m.begin()
	if m.rec == nil {
		fn.body()
		return
	}
	var lists worklist
	if usesWL {
		lists = *m.wl
	}
	e := run.Event{Name: name, Start: m.rec.Now(), Items: int64(len(lists.in)), Iteration: m.stats.Iterations}
	fn.body()
	e.Time = m.rec.Now() - e.Start
	if usesWL {
		e.Pushes = int64(len(m.wl.out) - len(lists.out))
		e.Retries = int64(len(m.wl.retry) - len(lists.retry))
	}
	m.rec.Launched(e)
}

// invoke compiles Invoke as a statement, and Any(Invoke ...) as a bool.
func (c *compiler) invoke(e *syntax.InvokeExpr) val {
	f := c.invocation(e, e.Kernel, e.Args, e.Aggr)
	if e.Aggr == syntax.NoAggr {
		return intVal(check.Void, func() int64 { f(); return 0 })
	}
	return ofCond(check.Bool, f)
}

// initial returns what puts the items of Initial into a worklist. The lists
// grow as they must, so Size is only looked at.
func (c *compiler) initial(w *syntax.WorklistInit) func(wl *worklist) {
	if w == nil {
		return func(*worklist) {}
	}
	m := c.machine
	var items []func(wl *worklist)
	for _, e := range w.Items {
		if s, ok := e.(*syntax.SliceExpr); ok {
			all := c.slice(s)
			items = append(items, func(wl *worklist) {
				all(func(x int64) { m.add(&wl.in, int32(x), s) })
			})
			continue
		}
		item := c.as(e, check.Int).i
		items = append(items, func(wl *worklist) { wl.in = append(wl.in, int32(item())) })
	}
	if w.Size != nil {
		size := c.as(w.Size, check.Long).i
		items = append(items, func(*worklist) {
			if n := size(); n < 1 || n > math.MaxInt32 {
				m.fail(w.Size, codeRoom, "the capacity of a worklist must be from 1 to %d items, not %d", math.MaxInt32, n)
			}
		})
	}
	return func(wl *worklist) {
		for _, item := range items {
			item(wl)
		}
	}
}

// owning runs body with a worklist of its own when own is set.
func (c *compiler) owning(own bool, w *syntax.WorklistInit, body exec) exec {
	if !own {
		return body
	}
	m, fill := c.machine, c.initial(w)
	return func() control {
		outer, wl := m.wl, &worklist{}
		fill(wl)
		m.wl = wl
		r := body()
		m.wl = outer
		return r
	}
}

// iterate compiles Iterate. A kernel with a worklist runs while that has items;
// a condition ends the loop too, after the body. Or lets the first round happen
// whatever the list holds.
func (c *compiler) iterate(s *syntax.IterateStmt) exec {
	o := c.info.Uses[s.Kernel]
	usesWL := o != nil && o.Func != nil && o.Func.UsesWL
	aggr := s.Aggr
	invoke, body := c.invocation(s, s.Kernel, s.Args, aggr), c.block(s.Body)
	m, cond := c.machine, s.Cond
	more := func() bool { return !usesWL || len(m.wl.in) > 0 }
	goesOn, first := more, more
	if x := s.Extra; x != nil {
		extra := c.cond(x.Cond)
		goesOn = func() bool { return more() && extra() }
		if x.Or {
			first = func() bool { return true }
			goesOn = func() bool { return more() || extra() }
		}
	}
	return c.owning(usesWL && c.pipes == 0, s.Initial, func() control {
		for run := first(); run; run = goesOn() {
			m.stats.Iterations++
			value := invoke()
			if r := body(); r != next && r != again {
				if r == breaks {
					break
				}
				return r
			}
			if cond == syntax.While && !value || cond == syntax.Until && value {
				break
			}
		}
		return next
	})
}

// pipe compiles Pipe. Only the outermost one has a worklist; without Initial
// that one runs its first round whatever the list holds.
func (c *compiler) pipe(s *syntax.PipeStmt) exec {
	own := c.pipes == 0
	c.pipes++
	body := c.block(s.Body)
	c.pipes--
	m, first, once := c.machine, own && s.Initial == nil, s.Once
	if once {
		return c.owning(own, s.Initial, func() control {
			if r := body(); r != breaks && r != again {
				return r
			}
			return next
		})
	}
	return c.owning(own, s.Initial, func() control {
		for start := first; start || len(m.wl.in) > 0; start = false {
			m.check()
			m.stats.Iterations++
			if r := body(); r != next && r != again {
				if r == breaks {
					break
				}
				return r
			}
		}
		return next
	})
}
