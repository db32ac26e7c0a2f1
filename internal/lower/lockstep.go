package lower

import (
	"fmt"
	"slices"

	"irgl/internal/analysis"
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

// lockstep lowers a round whose slots go through a chain in step. enter says
// which slot is lowered next.
func (l *lowerer) lockstep(r *round, c *analysis.CondChain, name string, index []string, enter func(int)) []syntax.Stmt {
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
	for _, x := range c.Conds {
		for _, a := range l.tp.f.AtomicsIn(x) {
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
		if len(l.tp.f.AtomicsIn(x)) == 0 {
			l.decide(c, x, each, goes, func(int) {})
		}
	}
	each(func(int) syntax.Stmt { return l.stmt(c.Action) })
	return out
}

// decide lowers a condition for all slots.
func (l *lowerer) decide(c *analysis.CondChain, x syntax.Expr, each func(func(int) syntax.Stmt), goes []string, enter func(int)) {
	each(func(k int) syntax.Stmt {
		enter(k)
		return stmt(assign(ident(at(x), goes[k]), "=", l.expr(x)))
	})
}

// withDecls returns a block of a lowered statement with the declarations of a
// chain in front of it that it uses, directly or through others.
func (l *lowerer) withDecls(c *analysis.CondChain, s syntax.Stmt) *syntax.Block {
	out := block(at(s), s)
	if b, ok := s.(*syntax.Block); ok {
		out = block(b.Span, b.Stmts...)
		if declaresNames(b) {
			out = block(b.Span, b)
		}
	}
	for _, d := range slices.Backward(c.Decls) {
		v := d.(*syntax.VarDecls).Vars[0]
		if tree.Mentions(out, localName(v.Name.Name)) {
			out.Stmts = append([]syntax.Stmt{l.stmt(d)}, out.Stmts...)
		}
	}
	return out
}
