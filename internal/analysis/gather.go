package analysis

import (
	"slices"
	"strings"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds reductions of inner loops into locals of the outer iteration:
//
//	double sum = 0;
//	ForAll (e In n.edges) { atomicAdd(&sum, e.dst.share); }
//
// The atomic function says that the order does not matter. No other thread knows
// of the local, so that each thread that executes iterations can gather a part
// in a register; the parts come together when the loop is done.

// A Gather is a local that an inner ForAll reduces to.
type Gather struct {
	Object *check.Object
	Op     string // Add, Min, Max, And, Or or Xor; Add also for atomicSub
	Calls  []*syntax.CallExpr
}

// GatherOp returns the local that a call of an atomic function changes, and by
// which operation, Add for atomicSub; nil for any other call.
func GatherOp(info *check.Info, c *syntax.CallExpr) (o *check.Object, op string) {
	place, op := atomicOp(info, c)
	id, ok := syntax.Unparen(place).(*syntax.Ident)
	if !ok {
		return nil, ""
	}
	o = info.Uses[id]
	if o == nil || o.Kind != check.VarObj || o.Global || o.Volatile {
		return nil, ""
	}
	return o, op
}

// atomicOp returns the place that a call of an atomic function names with & and
// changes, and by which operation, of those that can be done in any order; nil for
// any other call.
func atomicOp(info *check.Info, c *syntax.CallExpr) (place syntax.Expr, op string) {
	fun, ok := syntax.Unparen(c.Fun).(*syntax.Ident)
	if !ok || len(c.Args) != 2 {
		return nil, ""
	}
	b := check.LookupBuiltin(fun.Name)
	if b == nil || b.Rule != builtin.AtomicCall || info.Uses[fun] != b.Object() {
		return nil, ""
	}
	u, ok := syntax.Unparen(c.Args[0]).(*syntax.UnaryExpr)
	if !ok || u.Op != "&" {
		return nil, ""
	}
	op = strings.TrimPrefix(fun.Name, "atomic")
	if op == "Sub" {
		op = "Add"
	}
	if !slices.Contains([]string{"Add", "Min", "Max", "And", "Or", "Xor"}, op) {
		return nil, ""
	}
	return u.X, op
}

// gathers finds the locals that the loop of n reduces to: it does nothing else
// with them, and nothing has their address.
func (f *Func) gathers(n *Nest) {
	var found []*Gather
	bad := map[*check.Object]bool{}
	gather := func(o *check.Object) *Gather {
		for _, g := range found {
			if g.Object == o {
				return g
			}
		}
		return nil
	}
	for i, m := range f.Graph.Nodes {
		if !m.inside(n.Loop) {
			continue
		}
		var own *check.Object
		if s, ok := m.Stmt.(*syntax.ExprStmt); ok && m.Kind == Plain {
			if c, ok := syntax.Unparen(s.X).(*syntax.CallExpr); ok {
				o, op := GatherOp(f.Info, c)
				if g := gather(o); o != nil && g == nil {
					found = append(found, &Gather{o, op, []*syntax.CallExpr{c}})
				} else if o != nil {
					g.Calls = append(g.Calls, c)
					bad[o] = bad[o] || g.Op != op
				}
				own = o
			}
		}
		changes := 0
		for _, r := range f.Effects[i].Refs {
			switch {
			case r.Object == nil:
			case r.Object == own && r.Mode&AtomicOp != 0 && !r.Part:
				changes++
				bad[own] = bad[own] || changes > 1
			case IsLocal(r.Object):
				bad[r.Object] = true
			}
		}
	}
	for i, m := range f.Graph.Nodes {
		for _, r := range f.Effects[i].Refs {
			// Where it is declared, it is one for each outer iteration.
			outside := r.Mode&(Declare|Write) != 0 && f.declaredAt(r) && (!m.inside(n.Outer) || m.inside(n.Loop))
			if r.Object != nil && (r.Mode&Escape != 0 || outside) {
				bad[r.Object] = true
			}
		}
	}
	for _, g := range found {
		if !bad[g.Object] && check.IsArithmetic(g.Object.Type) {
			n.Gathers = append(n.Gathers, g)
		}
	}
}

// gathersTo reports whether the loop of n reduces to o.
func (n *Nest) gathersTo(o *check.Object) bool {
	return slices.ContainsFunc(n.Gathers, func(g *Gather) bool { return g.Object == o })
}
