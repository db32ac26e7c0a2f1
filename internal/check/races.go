package check

import (
	"irgl/internal/builtin"
	"irgl/syntax"
)

// This file warns about the commonest data race: a global variable that the
// iterations of a ForAll read, change and write, as in total += 1, or a property at
// the far end of their edges (races_edges.go). Of several threads that do so at the
// same time all but one change is lost.
//
// There is no warning where a program can be right: in an Atomic or an Exclusive,
// for a variable that is declared Racy, or where a condition selects one iteration
// (n == 0) or takes a lock of the program's own.

// A raceFinder looks at the statements of one kernel.
type raceFinder struct {
	c *checker
	// forAlls and guards count the ForAlls around the statement, and what around it
	// keeps other iterations away.
	forAlls, guards int
	far             *farFinder
	// choices counts what around the statement may leave one iteration for each far
	// end of an edge.
	choices int
}

// races warns about races in the kernels of the file.
func (c *checker) races() {
	for _, f := range c.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc && f.Decl.Body != nil {
			(&raceFinder{c: c, far: c.newFarFinder(f.Decl.Body)}).walk(f.Decl.Body)
		}
	}
}

// walk looks at n and what is in it.
func (r *raceFinder) walk(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ForAllStmt:
		r.far.outer[n] = r.forAlls
		if !n.Serial {
			r.forAlls++
			defer func() { r.forAlls-- }()
		}
	case *syntax.AtomicStmt:
		r.bodyElse(n.Body, n.Else)
		return
	case *syntax.ExclusiveStmt:
		r.bodyElse(n.Body, n.Else)
		return
	case *syntax.IfStmt:
		r.ifStmt(n)
		return
	case *syntax.Block:
		r.block(n)
		return
	case *syntax.AssignExpr:
		r.assign(n)
	case *syntax.UnaryExpr:
		if n.Op == "++" || n.Op == "--" {
			r.change(n, n.X, string(n.Op[:1]))
		}
	case *syntax.PostfixExpr:
		r.change(n, n.X, string(n.Op[:1]))
	}
	syntax.Inspect(n, func(child syntax.Node) bool {
		if child != nil && child != n {
			r.walk(child)
			return false
		}
		return child == n
	})
}

// bodyElse walks through the blocks of an Atomic or Exclusive.
func (r *raceFinder) bodyElse(body, other *syntax.Block) {
	if body != nil {
		r.guarded(body)
	}
	if other != nil {
		r.walk(other)
	}
}

// guarded walks through what one iteration at a time executes.
func (r *raceFinder) guarded(n syntax.Stmt) {
	r.guards++
	r.walk(n)
	r.guards--
}

// ifStmt walks through the arms of an if, whose condition may select an iteration.
func (r *raceFinder) ifStmt(n *syntax.IfStmt) {
	r.walk(n.Cond)
	if r.far.chooses(n.Cond) {
		r.choices++
		defer func() { r.choices-- }()
	}
	for _, arm := range []struct {
		s     syntax.Stmt
		holds bool
	}{{n.Then, true}, {n.Else, false}} {
		switch {
		case arm.s == nil:
		case r.selects(n.Cond, arm.holds):
			r.guarded(arm.s)
		default:
			r.walk(arm.s)
		}
	}
}

// block walks through statements. What follows if (n != 0) continue; is executed
// by one iteration, and what follows while (atomicCAS(...) != 0); by the owner of a lock.
func (r *raceFinder) block(b *syntax.Block) {
	guards, choices := r.guards, r.choices
	for _, s := range b.Stmts {
		r.walk(s)
		switch s := s.(type) {
		case *syntax.IfStmt:
			if s.Else != nil || !r.leaves(s.Then) {
				break
			}
			if r.selects(s.Cond, false) {
				r.guards++
			}
			if r.far.chooses(s.Cond) {
				r.choices++
			}
		case *syntax.WhileStmt:
			if r.far.chooses(s.Cond) {
				r.choices++
			}
		}
	}
	r.guards, r.choices = guards, choices
}

// leaves reports whether s ends with a jump.
func (r *raceFinder) leaves(s syntax.Stmt) bool {
	if b, ok := s.(*syntax.Block); ok && len(b.Stmts) > 0 {
		s = b.Stmts[len(b.Stmts)-1]
	}
	switch s.(type) {
	case *syntax.ContinueStmt, *syntax.ReturnStmt, *syntax.BreakStmt, *syntax.ReduceStmt:
		return true
	}
	return false
}

// selects reports whether a condition that is true, or with holds false not,
// can hold in one iteration only: it compares a handle or the number of one for
// equality, or changes a global variable by an atomic function, as locks do.
func (r *raceFinder) selects(cond syntax.Expr, holds bool) bool {
	equal, both := syntax.Op("=="), syntax.Op("&&")
	if !holds {
		equal, both = "!=", "||"
	}
	switch e := syntax.Unparen(cond).(type) {
	case *syntax.UnaryExpr:
		return e.Op == "!" && r.selects(e.X, !holds)
	case *syntax.BinaryExpr:
		if e.Op == both {
			return r.selects(e.X, holds) || r.selects(e.Y, holds)
		}
		one := r.c.names(e.X) && r.steady(e.Y) || r.c.names(e.Y) && r.steady(e.X)
		return e.Op == equal && one || r.locks(e)
	}
	return r.locks(cond)
}

// names reports whether e is a variable that holds a node or the like, or the
// variable of a ForAll, or the number of one.
func (c *checker) names(e syntax.Expr) bool {
	e = syntax.Unparen(e)
	if m, ok := e.(*syntax.MemberExpr); ok && nameOf(m.Name) == "id" {
		e = syntax.Unparen(m.X)
	}
	id, ok := e.(*syntax.Ident)
	if !ok {
		return false
	}
	o := c.info.Uses[id]
	if o == nil || o.Kind != VarObj || o.Global {
		return false
	}
	_, loop := o.Decl.(*syntax.ForAllStmt)
	b, ok := o.Type.(Basic)
	return loop || ok && isHandleType(b)
}

// steady reports whether e is the same in all iterations, as far as can be seen:
// made of constants, parameters and globals.
func (r *raceFinder) steady(e syntax.Expr) bool {
	for n := range syntax.Preorder(e) {
		switch n := n.(type) {
		case *syntax.Ident:
			if o := r.c.info.Uses[n]; o != nil && o.Kind == VarObj && !o.Global {
				return false
			}
		case *syntax.CallExpr:
			return false
		}
	}
	return true
}

// locks reports whether e has a call of an atomic function on a global variable.
func (r *raceFinder) locks(e syntax.Expr) bool {
	for n := range syntax.Preorder(e) {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			continue
		}
		id, ok := syntax.Unparen(call.Fun).(*syntax.Ident)
		if !ok {
			continue
		}
		b := LookupBuiltin(id.Name)
		if b == nil || b.Effects&builtin.Atomic == 0 || b.obj != r.c.info.Uses[id] {
			continue
		}
		if u, ok := syntax.Unparen(call.Args[0]).(*syntax.UnaryExpr); ok && u.Op == "&" && r.global(u.X) != nil {
			return true
		}
	}
	return false
}

// assign looks at x += v, and at x = x + v.
func (r *raceFinder) assign(e *syntax.AssignExpr) {
	if e.Op != "=" {
		r.change(e, e.L, string(e.Op[:len(e.Op)-1]))
		return
	}
	b, ok := syntax.Unparen(e.R).(*syntax.BinaryExpr)
	o := r.shared(e.L)
	if !ok || o == nil {
		return
	}
	for _, side := range []syntax.Expr{b.X, b.Y} {
		if r.shared(side) == o && syntax.String(side) == syntax.String(e.L) {
			r.change(e, e.L, string(b.Op))
			return
		}
	}
}

// change warns about a change of e by an operator in an iteration.
func (r *raceFinder) change(n syntax.Node, e syntax.Expr, op string) {
	o := r.shared(e)
	if o == nil || r.forAlls == 0 || r.guards > 0 || r.c.info.Racy[o.Name] != "" {
		return
	}
	text := "the iterations of ForAll change %s at the same time, and changes are lost"
	if o.Kind == PropObj {
		if r.choices > 0 {
			return
		}
		text = "iterations of ForAll whose edges lead to the same node change %s at the same time, and changes are lost"
	}
	d := r.c.warnf(n, codeRace, text, syntax.String(e))
	name := map[string]string{"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}[op]
	if f := LookupBuiltin(name); f != nil && formByPointee(f.Sigs, &Pointer{Elem: elemOf(r.c.info.Types[e])}) != nil {
		d.Hint = "write " + name + "(&" + syntax.String(e) + ", ...)"
	} else {
		d.Hint = "put it into Atomic (LOCK) { ... }"
	}
	d.Hint += ", or declare " + o.Name + " Racy"
}

// shared returns the global variable, or the property of an edge's far end, that e
// names; nil for other places.
func (r *raceFinder) shared(e syntax.Expr) *Object {
	if o := r.global(e); o != nil {
		return o
	}
	return r.far.property(e)
}

// global returns the global variable that e names, as a whole or by an element with
// a constant index; nil for other places.
func (r *raceFinder) global(e syntax.Expr) *Object {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.Ident:
		if o := r.c.info.Uses[e]; o != nil && o.Kind == VarObj && o.Global {
			return o
		}
	case *syntax.IndexExpr:
		if r.c.info.Consts[e.Index] != nil {
			return r.global(e.X)
		}
	case *syntax.MemberExpr:
		if !e.Arrow && r.c.info.Uses[e.Name] == nil {
			return r.global(e.X)
		}
	}
	return nil
}
