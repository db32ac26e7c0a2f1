package lower

import (
	"fmt"
	"slices"

	"irgl/internal/analysis"
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The slots of a batch in step: a processor goes on behind an atomic until its
// result is needed, so if an iteration asks an atomic whether to go on, the next
// iteration's atomic waits for the answer. A body that is a chain of conditions
//
//	ForAll (e In n.edges) {
//	  int d = near + e.weight;
//	  if (d < e.dst.dist && d < atomicMin(&e.dst.dist, d)) { WL.push(e.dst); }
//	}
//
// is executed condition by condition, each for all slots: first the atomics of
// those that have come so far, then what their results decide.
//
//	bool e_go_0 = true;
//	bool e_go_1 = 1 < e_left;
//	if (e_go_0) { int d = near + e_weight_0; e_go_0 = d < e_dist_0; }
//	if (e_go_1) { int d = near + e_weight_1; e_go_1 = d < e_dist_1; }
//	int e_old_0 = 0; int e_old_1 = 0;
//	if (e_go_0) { int d = ...; e_old_0 = atomicMin(&graph.dist[e_dst_0], d); }
//	if (e_go_1) { int d = ...; e_old_1 = atomicMin(&graph.dist[e_dst_1], d); }
//	if (e_go_0) { int d = ...; e_go_0 = d < e_old_0; }
//	if (e_go_1) { int d = ...; e_go_1 = d < e_old_1; }
//	if (e_go_0) { ... }
//	if (e_go_1) { ... }
//
// Iterations of a ForAll are independent, so that one may begin before another
// has ended; those of a serial for stay as they are. Declarations in front of
// the chain are repeated where they are used: they must give the same each time,
// so they may read only what has been loaded already, and what no thread writes.
// Conditions are evaluated once. It pays where the latency of atomics is the
// limit, as in batch.go. A body whose conditions have no atomic, or which does
// anything between them, is copied as a whole. (Beyond the IrGL paper.)

// A chain is the body of a loop that goes from condition to condition.
type chain struct {
	decls  []syntax.Stmt // one variable each
	conds  []syntax.Expr // in order
	action syntax.Stmt
}

// chainOf returns the chain that the body of a batched loop is, or nil.
func (l *lowerer) chainOf(s *syntax.ForAllStmt, loads []analysis.Load) *chain {
	if s.Serial || len(s.Body.Stmts) == 0 || l.setsOuter(s) {
		return nil
	}
	c := &chain{}
	last := len(s.Body.Stmts) - 1
	for _, d := range s.Body.Stmts[:last] {
		decls := singles(d)
		if decls == nil || !l.steadyDecl(d, loads) {
			return nil
		}
		c.decls = append(c.decls, decls...)
	}
	c.action = s.Body.Stmts[last]
	for {
		s, ok := c.action.(*syntax.IfStmt)
		if b, block := c.action.(*syntax.Block); block && len(b.Stmts) == 1 {
			s, ok = b.Stmts[0].(*syntax.IfStmt)
		}
		if !ok || s.Else != nil || !l.plainConds(s.Cond) {
			break
		}
		c.conds = append(c.conds, conjuncts(s.Cond)...)
		c.action = s.Then
	}
	if !slices.ContainsFunc(c.conds, func(x syntax.Expr) bool { return len(l.atomicsIn(x)) > 0 }) {
		return nil
	}
	return c
}

// setsOuter reports whether the body of a loop assigns locals from outside of it.
func (l *lowerer) setsOuter(s *syntax.ForAllStmt) bool {
	own := map[*check.Object]bool{l.info.Defs[s.Var]: true}
	syntax.Inspect(s.Body, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && l.info.Defs[id] != nil {
			own[l.info.Defs[id]] = true
		}
		return true
	})
	f := l.tp.f
	for i, n := range f.Graph.Nodes {
		if !n.Within(s) {
			continue
		}
		for _, r := range f.Effects[i].Refs {
			if analysis.IsLocal(r.Object) && r.Mode&(analysis.Write|analysis.Escape) != 0 && !own[r.Object] {
				return true
			}
		}
	}
	return false
}

// singles returns a declaration as declarations of one variable, or nil for
// another statement.
func singles(s syntax.Stmt) []syntax.Stmt {
	d, ok := s.(*syntax.VarDecls)
	if !ok || d.Attrs != 0 {
		return nil
	}
	var out []syntax.Stmt
	for _, v := range d.Vars {
		one := *d
		one.Vars = []*syntax.VarDecl{v}
		out = append(out, &one)
	}
	return out
}

// steadyDecl reports whether a declaration gives the same whenever an iteration
// evaluates it.
func (l *lowerer) steadyDecl(s syntax.Stmt, loads []analysis.Load) bool {
	d := s.(*syntax.VarDecls)
	for _, v := range d.Vars {
		obj := l.info.Defs[v.Name]
		if v.Init == nil || obj == nil || obj.Addressed || obj.Volatile || !check.IsScalar(obj.Type) || !pure(v.Init) || !l.steadyReads(v.Init, loads) {
			return false
		}
	}
	return true
}

// steadyReads reports whether x reads only locals, what is loaded early and
// what the kernel does not write.
func (l *lowerer) steadyReads(x syntax.Expr, loads []analysis.Load) bool {
	ok := true
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.MemberExpr:
			early := slices.ContainsFunc(loads, func(x analysis.Load) bool { return x.Expr == n && x.Kind != analysis.OuterProp })
			if p := l.propertyOf(n); p != nil && !early {
				ok = ok && !slices.Contains(l.tp.f.Fn.Writes, p.Object)
			}
		case *syntax.Ident:
			if obj := l.info.Uses[n]; obj != nil && obj.Kind == check.VarObj && (obj.Global || obj.Volatile) {
				ok = ok && !obj.Volatile && !slices.Contains(l.tp.f.Fn.Writes, obj)
			}
		case *syntax.UnaryExpr:
			ok = ok && n.Op != "*" && n.Op != "&"
		case *syntax.IndexExpr:
			if !isRow(l.info.Types[n.X]) {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// conjuncts returns the operands of a chain of &&.
func conjuncts(x syntax.Expr) []syntax.Expr {
	if b, ok := syntax.Unparen(x).(*syntax.BinaryExpr); ok && b.Op == "&&" {
		return append(conjuncts(b.X), conjuncts(b.Y)...)
	}
	return []syntax.Expr{x}
}

// plainConds reports whether each operand of a condition has one atomic at
// most, which it always calls, and no other effect.
func (l *lowerer) plainConds(x syntax.Expr) bool {
	for _, c := range conjuncts(x) {
		atomics := l.atomicsIn(c)
		ok := len(atomics) <= 1
		syntax.Inspect(c, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AssignExpr, *syntax.PostfixExpr, *syntax.CondExpr:
				ok = false
			case *syntax.UnaryExpr:
				ok = ok && n.Op != "++" && n.Op != "--"
			case *syntax.BinaryExpr:
				ok = ok && n.Op != "&&" && n.Op != "||"
			case *syntax.CallExpr:
				_, method := n.Fun.(*syntax.MemberExpr)
				ok = ok && (method || slices.Contains(atomics, n) || l.ruleOf(n) == builtin.MinMaxCall)
			}
			return ok
		})
		if !ok {
			return false
		}
	}
	return true
}

// ruleOf returns how a call of a builtin is checked; PlainCall for others.
func (l *lowerer) ruleOf(x *syntax.CallExpr) builtin.Rule {
	id, ok := syntax.Unparen(x.Fun).(*syntax.Ident)
	if !ok {
		return builtin.PlainCall
	}
	if obj := l.info.Uses[id]; obj == nil || obj.Kind != check.BuiltinObj {
		return builtin.PlainCall
	}
	b := check.LookupBuiltin(id.Name)
	if b == nil {
		return builtin.PlainCall
	}
	return b.Rule
}

// atomicsIn returns the calls of atomic functions in x.
func (l *lowerer) atomicsIn(x syntax.Expr) []*syntax.CallExpr {
	var out []*syntax.CallExpr
	syntax.Inspect(x, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && l.ruleOf(c) == builtin.AtomicCall {
			out = append(out, c)
		}
		return true
	})
	return out
}

// lockstep lowers a round whose slots go through a chain in step. enter says
// which slot is lowered next.
func (l *lowerer) lockstep(r *round, c *chain, name string, index []string, enter func(int)) []syntax.Stmt {
	var out []syntax.Stmt
	goes := make([]string, r.n)
	for k := range goes {
		goes[k] = l.fresh(fmt.Sprintf("%s_go_%d", name, k))
		cond := r.valid(k)
		if cond == "" {
			cond = "true"
		}
		out = append(out, l.template(fmt.Sprintf("bool %s = %s;\n", goes[k], cond))...)
	}
	each := func(lower func(k int) syntax.Stmt) {
		for k := range r.n {
			enter(k)
			out = append(out, l.copyOf(r, k, name, index[k], goes[k], func() *syntax.Block {
				return l.withDecls(c, lower(k))
			})...)
		}
	}
	for _, x := range c.conds {
		for _, a := range l.atomicsIn(x) {
			old := make([]string, r.n)
			for k := range old {
				old[k] = l.fresh(fmt.Sprintf("%s_old_%d", name, k))
				out = append(out, l.template(fmt.Sprintf("%s %s = 0;\n", l.typeText(l.info.Types[a]), old[k]))...)
			}
			each(func(k int) syntax.Stmt {
				delete(l.tp.results, a)
				return stmt(assign(ident(a.Span, old[k]), "=", l.expr(a)))
			})
			defer delete(l.tp.results, a)
			l.decide(c, x, each, goes, func(k int) { l.tp.results[a] = old[k] })
		}
		if len(l.atomicsIn(x)) == 0 {
			l.decide(c, x, each, goes, func(int) {})
		}
	}
	each(func(int) syntax.Stmt { return l.stmt(c.action) })
	return out
}

// decide lowers a condition for all slots.
func (l *lowerer) decide(c *chain, x syntax.Expr, each func(func(int) syntax.Stmt), goes []string, enter func(int)) {
	each(func(k int) syntax.Stmt {
		enter(k)
		return stmt(assign(ident(at(x), goes[k]), "=", l.expr(x)))
	})
}

// withDecls returns a block of a lowered statement with the declarations of a
// chain in front of it that it uses, directly or through others.
func (l *lowerer) withDecls(c *chain, s syntax.Stmt) *syntax.Block {
	out := block(at(s), s)
	if b, ok := s.(*syntax.Block); ok {
		out = block(b.Span, b.Stmts...)
		if declaresNames(b) {
			out = block(b.Span, b)
		}
	}
	for _, d := range slices.Backward(c.decls) {
		v := d.(*syntax.VarDecls).Vars[0]
		if tree.Mentions(out, localName(v.Name.Name)) {
			out.Stmts = append([]syntax.Stmt{l.stmt(d)}, out.Stmts...)
		}
	}
	return out
}
