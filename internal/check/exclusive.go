package check

import (
	"fmt"
	"slices"

	"irgl/syntax"
)

// This file checks Exclusive (report, section 3.3), the barriers (section 3.4),
// and what a program passes on to CUDA (sections 1 and 2).

// A group is what the iterations of a ForAll that wait at barriers have in
// common: the statements directly in its body between which they wait.
type group struct {
	direct map[syntax.Stmt]bool
}

// isBarrier reports whether the iterations that execute s wait for each other.
func isBarrier(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.BarrierStmt:
		return s != nil
	case *syntax.ExclusiveStmt:
		return s != nil
	}
	return false
}

// directly returns the barriers of list.
func directly(list []syntax.Stmt) map[syntax.Stmt]bool {
	var set map[syntax.Stmt]bool
	for _, s := range list {
		if isBarrier(s) {
			if set == nil {
				set = map[syntax.Stmt]bool{}
			}
			set[s] = true
		}
	}
	return set
}

// forAllBody checks the body of a ForAll, and notes whether its iterations wait for each other.
func (c *checker) forAllBody(s *syntax.ForAllStmt) {
	outermost := c.fn.decl.Kind == syntax.KernelFunc && !s.Serial && c.fn.forAlls == 1 && slices.Contains(c.fn.top.Stmts, syntax.Stmt(s))
	if !outermost {
		c.stmts(s.Body.Stmts)
		return
	}
	g := &group{direct: directly(s.Body.Stmts)}
	c.fn.group = g
	c.stmts(s.Body.Stmts)
	c.fn.group = nil
	if len(g.direct) > 0 {
		c.info.Groups[s] = true
		c.acrossBarriers(s.Body)
	}
}

// acrossBarriers refuses gotos that pass a barrier of the body they are in.
func (c *checker) acrossBarriers(body *syntax.Block) {
	part, labels := 0, map[string]int{}
	type jump struct {
		s    *syntax.GotoStmt
		part int
	}
	var jumps []jump
	for _, s := range body.Stmts {
		if s == nil || isNil(s) {
			continue
		}
		if isBarrier(s) {
			part++
		}
		syntax.Inspect(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.LabelStmt:
				if n.Name != nil {
					labels[n.Name.Name] = part
				}
			case *syntax.GotoStmt:
				jumps = append(jumps, jump{n, part})
			}
			return true
		})
		if isBarrier(s) {
			part++
		}
	}
	for _, j := range jumps {
		if j.s.Name == nil {
			continue
		}
		if to, ok := labels[j.s.Name.Name]; ok && to != j.part {
			c.errorf(j.s, codePastBarrier, "goto %s passes a barrier at which other iterations wait", j.s.Name.Name)
		}
	}
}

// comes checks that every thread of a kernel comes to s, and notes that the
// kernel's threads wait for each other there.
func (c *checker) comes(s syntax.Stmt, word string, outside bool) {
	f := c.fn
	if f.decl.Kind != syntax.KernelFunc {
		c.errorf(s, codeKernelOnly, "%s belongs into a Kernel, not into %s", word, c.whereName())
		return
	}
	ok := f.group != nil && f.group.direct[s]
	if outside && !ok && f.OuterFA && f.forAlls == 0 {
		ok = slices.Contains(f.top.Stmts, s)
	}
	if !ok {
		text := fmt.Sprintf("not every thread comes to this %s", word)
		if why := c.inIf[s]; why != "" {
			text += ": " + why
		}
		d := c.errorf(s, codeBarrier, "%s", text)
		d.Hint = "write it directly in the outermost ForAll of a Kernel"
		if outside {
			d.Hint += ", or between such ForAlls"
		}
		d.Hint += ", or in an if there whose condition depends on parameters and constants alone"
		return
	}
	f.waits = true
}

// barrier checks SyncRunningThreads and LocalBarrier.
func (c *checker) barrier(s *syntax.BarrierStmt) {
	if s.Cond != nil {
		c.condition(s.Cond)
	}
	if s.Local {
		c.comes(s, "LocalBarrier", true)
		return
	}
	c.comes(s, "SyncRunningThreads", true)
	c.fn.Syncs = c.fn.Syncs || c.fn.decl.Kind == syntax.KernelFunc
}

// leavesKernel notes a statement that ends a thread of a kernel, unless it ends
// only an iteration.
func (c *checker) leavesKernel(s syntax.Stmt, word string) {
	if c.fn.decl.Kind == syntax.KernelFunc && c.fn.forAlls == 0 {
		c.fn.leaves = append(c.fn.leaves, leave{s, word})
	}
}

// A leave is a statement that ends a thread.
type leave struct {
	s    syntax.Stmt
	word string
}

// checkLeaves refuses what would end a thread for which others wait.
func (c *checker) checkLeaves() {
	if !c.fn.waits {
		return
	}
	for _, l := range c.fn.leaves {
		c.errorf(l.s, codePastBarrier, "%s ends a thread for which others wait at a barrier", l.word)
	}
}

// exclusive checks an Exclusive: its object has elements that are numbered, and
// its lists are arrays of numbers.
func (c *checker) exclusive(s *syntax.ExclusiveStmt) {
	c.comes(s, "Exclusive", false)
	x := c.rvalue(s.Object)
	d, ok := map[Type]syntax.Domain{
		GraphType: syntax.NodeDomain, Nodes: syntax.NodeDomain,
		MeshType: syntax.ElementDomain, Elements: syntax.ElementDomain, Points: syntax.PointDomain,
	}[x.typ]
	if !ok && x.typ != Invalid {
		c.errorf(s.Object, codeExclusive, "Exclusive locks nodes, points or elements, not %s", describe(x.typ)).Hint =
			"write the graph, the mesh or a range of either"
	}
	for _, l := range s.Locks {
		if l != nil {
			c.slice(l)
		}
	}
	if ok && c.fn.decl.Kind == syntax.KernelFunc {
		c.fn.Syncs = true
		if !slices.Contains(c.fn.Locks, d) {
			c.fn.Locks = append(c.fn.Locks, d)
		}
	}
	g := c.fn.group
	c.fn.group = nil
	c.block(s.Body)
	c.block(s.Else)
	c.fn.group = g
}

// slice checks a list of numbers: an item of Initial, or what Exclusive locks.
func (c *checker) slice(s *syntax.SliceExpr) {
	x := c.place(s.X)
	var elem Type = Invalid
	switch t := x.typ.(type) {
	case *Array:
		elem = t.Elem
	case *Pointer:
		elem = t.Elem
	}
	if x.root != nil {
		c.mark(s.X, x.root, useRead)
	}
	if x.typ != Invalid && !IsInteger(elem) {
		d := c.errorf(s.X, codeSlice, "%s is not an array of integers: it is of type %s", syntax.String(s.X), describe(x.typ))
		d.Hint = "Exclusive and Initial take a part of an array or what a pointer points to"
	}
	c.info.Types[s] = elem
	for _, e := range []syntax.Expr{s.Low, s.High, s.Step} {
		if e == nil {
			continue
		}
		y := c.rvalue(e)
		if y.typ != Invalid && !IsInteger(y.typ) {
			c.errorf(e, codeIndex, "a bound must be an integer, not %s", describe(y.typ))
		} else if e == s.Step && y.cv != nil && y.cv.Int < 1 {
			c.errorf(e, codeSlice, "the step must be positive")
		}
	}
}

// cBlock checks the sets of a text that is passed on, and records what it does.
func (c *checker) cBlock(b *syntax.CBlock) {
	if !c.irgl {
		return // lowered: package lower has been here
	}
	c.info.CBlocks = append(c.info.CBlocks, b)
	resolve := func(list []*syntax.Ident, mode useMode) {
		for _, id := range list {
			o := c.scope.lookup(nameOf(id))
			if p := c.info.PropOf(nameOf(id)); p != nil {
				o = p.Object
			}
			if o == nil || o.Kind != PropObj && o.Kind != VarObj && o.Kind != ParamObj {
				c.errorf(id, codeCBlock, "%s is no property or variable", nameOf(id)).Hint = c.racyHint(nameOf(id))
				continue
			}
			c.info.Uses[id] = o
			c.mark(id, o, mode)
		}
	}
	resolve(b.Reads, useRead)
	resolve(b.Writes, useWrite)
}

// foreign declares the names that the C text of the program defines.
func (c *checker) foreign(d *syntax.NamesDecl) {
	for _, n := range d.Names {
		c.declare(n, &Object{Kind: ForeignObj, Name: nameOf(n), Type: Int, Decl: d, ReadOnly: true, Global: true})
	}
}
