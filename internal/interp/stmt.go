package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// A control says how a statement ended.
type control uint8

const (
	next    control = iota // go on with the statement after it
	breaks                 // leave the innermost loop or switch
	again                  // continue: the innermost loop's next iteration
	returns                // leave the function
	reduced                // end the iteration of the innermost ForAll, or the kernel
	jumps                  // goto: to the label in machine.target
)

// An exec is a compiled statement.
type exec func() control

// nothing is the statement that does nothing.
func nothing() control { return next }

// do returns f as a statement.
func do(f func()) exec {
	return func() control { f(); return next }
}

//irgl:flatswitch
//irgl:allnodes Stmt except ExclusiveStmt AsmStmt
func (c *compiler) stmt(s syntax.Stmt) exec {
	c.enter()
	defer c.leave()
	switch s := s.(type) {
	case *syntax.Block:
		return c.block(s)
	case *syntax.VarDecls:
		return c.varDecls(s)
	case *syntax.ExprStmt:
		return c.exprStmt(s.X)
	case *syntax.IfStmt:
		return c.ifStmt(s)
	case *syntax.ForStmt:
		return c.forStmt(s)
	case *syntax.WhileStmt:
		return c.while(s)
	case *syntax.SwitchStmt:
		return c.switchStmt(s)
	case *syntax.ReturnStmt:
		return c.returnStmt(s)
	case *syntax.BreakStmt:
		return func() control { return breaks }
	case *syntax.ContinueStmt:
		return func() control { return again }
	case *syntax.GotoStmt:
		return c.gotoStmt(s)
	case *syntax.ForAllStmt:
		return c.forAll(s)
	case *syntax.ReduceStmt:
		return c.reduce(s)
	case *syntax.AtomicStmt:
		return c.atomicStmt(s)
	case *syntax.RetryStmt:
		return c.retry(s)
	case *syntax.IterateStmt:
		return c.iterate(s)
	case *syntax.PipeStmt:
		return c.pipe(s)
	case *syntax.BarrierStmt, *syntax.CBlock:
		// A barrier outside a ForAll is one of the kernel's only thread, those
		// inside are grouped's; C text has been refused.
		return nothing
	case nil, *syntax.EmptyStmt, *syntax.TypeDecl:
		return nothing
	case *syntax.LabelStmt: // block handles those in blocks
		c.errorf(s, codeGoto, "the interpreter has no labels outside blocks")
		return nothing
	case *syntax.CaseStmt:
		c.errorf(s, codeCase, "the interpreter has no case labels below the first level of a switch")
		return nothing
	}
	c.errorf(s, codeUnknown, "this statement is not part of IrGL programs")
	return nothing
}

// exprStmt compiles an expression for its effect.
func (c *compiler) exprStmt(e syntax.Expr) exec {
	if e == nil {
		return nothing
	}
	v := c.expr(e)
	switch {
	case v.f != nil:
		f := v.f
		return func() control { f(); return next }
	case v.s != nil:
		s := v.s
		return func() control { s(); return next }
	}
	i := v.i
	return func() control { i(); return next }
}

// varDecls compiles declarations: what they run is the initialisers. A variable
// without one loses the value of the last time round, so that a program cannot
// come to depend on it.
func (c *compiler) varDecls(s *syntax.VarDecls) exec {
	var steps []func()
	for _, v := range s.Vars {
		o := c.info.Defs[v.Name]
		if o == nil {
			continue
		}
		steps = append(steps, c.initialise(c.storage(o, v.Name), v.Init))
	}
	if len(steps) == 1 {
		return do(steps[0])
	}
	return do(func() {
		for _, step := range steps {
			step()
		}
	})
}

// block compiles a block and the labels directly in it: a goto from inside it
// to one of them goes on there, any other leaves the block.
func (c *compiler) block(b *syntax.Block) exec {
	if b == nil {
		return nothing
	}
	var list []exec
	labels := map[*check.Object]int{}
	for _, s := range b.Stmts {
		if l, ok := s.(*syntax.LabelStmt); ok {
			labels[c.info.Defs[l.Name]] = len(list)
			c.reachable(l, b)
			continue
		}
		list = append(list, c.stmt(s))
	}
	if len(labels) > 0 {
		return c.labelled(list, labels)
	}
	switch len(list) {
	case 0:
		return nothing
	case 1:
		return list[0]
	case 2:
		x, y := list[0], list[1]
		return func() control {
			if r := x(); r != next {
				return r
			}
			return y()
		}
	case 3:
		x, y, z := list[0], list[1], list[2]
		return func() control {
			if r := x(); r != next {
				return r
			}
			if r := y(); r != next {
				return r
			}
			return z()
		}
	}
	return func() control {
		for _, s := range list {
			if r := s(); r != next {
				return r
			}
		}
		return next
	}
}

// labelled runs a list of statements that gotos jump into.
func (c *compiler) labelled(list []exec, labels map[*check.Object]int) exec {
	m := c.machine
	return func() control {
		for i := 0; i < len(list); i++ {
			r := list[i]()
			if r == jumps {
				at, here := labels[m.target]
				if !here {
					return r
				}
				m.tick(1)
				i, r = at-1, next
			}
			if r != next {
				return r
			}
		}
		return next
	}
}

// reachable checks that every goto to l is inside the block b that l is in.
func (c *compiler) reachable(l *syntax.LabelStmt, b *syntax.Block) {
	o := c.info.Defs[l.Name]
	inside := map[*syntax.GotoStmt]bool{}
	for n := range syntax.Preorder(b) {
		if g, ok := n.(*syntax.GotoStmt); ok {
			inside[g] = true
		}
	}
	for n := range syntax.Preorder(c.fn.info.Decl.Body) {
		if g, ok := n.(*syntax.GotoStmt); ok && c.info.Uses[g.Name] == o && !inside[g] {
			c.errorf(g, codeGoto, "the interpreter cannot jump into a block: %s is in one that this goto is not in", l.Name.Name)
		}
	}
}

// gotoStmt leaves statement after statement until the block with the label is
// reached.
func (c *compiler) gotoStmt(s *syntax.GotoStmt) exec {
	m, target := c.machine, c.info.Uses[s.Name]
	return func() control {
		m.target = target
		return jumps
	}
}

// ifStmt compiles if, with and without else.
func (c *compiler) ifStmt(s *syntax.IfStmt) exec {
	cond, then := c.cond(s.Cond), c.stmt(s.Then)
	if s.Else == nil {
		return func() control {
			if cond() {
				return then()
			}
			return next
		}
	}
	other := c.stmt(s.Else)
	return func() control {
		if cond() {
			return then()
		}
		return other()
	}
}

// forStmt compiles C's for; continue goes on with the last part of its head.
func (c *compiler) forStmt(s *syntax.ForStmt) exec {
	m := c.machine
	start, post := nothing, nothing
	if s.Init != nil {
		start = c.stmt(s.Init)
	}
	cond := func() bool { return true }
	if s.Cond != nil {
		cond = c.cond(s.Cond)
	}
	body := c.stmt(s.Body)
	if s.Post != nil {
		post = c.exprStmt(s.Post)
	}
	return func() control {
		for start(); cond(); post() {
			m.tick(1)
			if r := body(); r != next && r != again {
				if r == breaks {
					break
				}
				return r
			}
		}
		return next
	}
}

// while compiles both kinds of while, of which do skips the first test.
func (c *compiler) while(s *syntax.WhileStmt) exec {
	m, cond, body, skip := c.machine, c.cond(s.Cond), c.stmt(s.Body), s.Do
	return func() control {
		for first := skip; first || cond(); first = false {
			m.tick(1)
			if r := body(); r != next && r != again {
				if r == breaks {
					break
				}
				return r
			}
		}
		return next
	}
}

// switchStmt compiles a switch whose labels are directly in its body.
func (c *compiler) switchStmt(s *syntax.SwitchStmt) exec {
	x := c.expr(s.X)
	t := check.Promote(x.t)
	value := convert(x, t).i
	starts := map[int64]int{}
	var list []exec
	other := -1
	labels := map[*check.Object]int{}
	for _, s := range s.Body.Stmts {
		switch s := s.(type) {
		case *syntax.CaseStmt:
			if s.Value == nil {
				other = len(list)
			} else if k := c.info.Consts[s.Value]; k != nil {
				starts[wrap(k.Int, t)] = len(list)
			}
			continue
		case *syntax.LabelStmt:
			labels[c.info.Defs[s.Name]] = len(list)
			continue
		}
		list = append(list, c.stmt(s))
	}
	for _, l := range s.Body.Stmts {
		if l, ok := l.(*syntax.LabelStmt); ok {
			c.reachable(l, s.Body)
		}
	}
	m := c.machine
	return func() control {
		i, ok := starts[value()]
		if !ok {
			i = other
		}
		if i < 0 {
			return next
		}
		for ; i < len(list); i++ {
			r := list[i]()
			if r == jumps {
				if at, here := labels[m.target]; here {
					m.tick(1)
					i, r = at-1, next
				}
			}
			switch r {
			case next:
			case breaks:
				return next
			default:
				return r
			}
		}
		return next
	}
}

// returnStmt leaves the value where the caller looks for it. A Host function may
// return an expression without a value, which is run for its effect.
func (c *compiler) returnStmt(s *syntax.ReturnStmt) exec {
	if s.X == nil {
		return func() control { return returns }
	}
	if c.fn.result.t == check.Void {
		set := c.exprStmt(s.X)
		return func() control { set(); return returns }
	}
	set := effect(c.store(c.fn.result, c.as(s.X, c.fn.result.t)))
	return func() control { set(); return returns }
}
