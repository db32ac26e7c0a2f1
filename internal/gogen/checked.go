package gogen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// Which parameters calls check.

// demand notes the parameters that the first statement of a function always
// accesses: calls check their arguments, as accesses in that place, and the function
// does not. A small function then stays one that the Go compiler inlines, and most
// arguments are proven.
func (b *bounds) demand(f *check.FuncInfo) {
	if f.Decl.Kind == syntax.KernelFunc || f.Decl.Kind == syntax.HostFunc || f.Decl.Body == nil || len(f.Decl.Body.Stmts) == 0 {
		return
	}
	env := checkedSet{}
	first := f.Decl.Body.Stmts[0]
	b.always(first, env)
	for n := range syntax.Preorder(first) {
		if x, ok := n.(*syntax.MemberExpr); ok {
			if o := b.variableOf(x.X); env[o] && o.Kind == check.ParamObj && b.demands[o] == nil {
				b.demands[o] = x.X
			}
		}
	}
}

// demanded returns the arguments of a call of function o, checked where the function
// relies on it.
func (f *fn) demanded(list []syntax.Expr, o *check.Object) []string {
	vals := f.argVals(list, o.Func.Type.Params)
	out, k := make([]string, len(vals)), 0
	for i, a := range list {
		if isWorld(o.Func.Type.Params[i]) || isWorld(f.info.Types[a]) {
			continue
		}
		out[k] = vals[k].s
		if p := o.Func.Params[i]; p != nil && f.bounds.demands[p] != nil {
			if d, _ := domainOf(p.Type); !f.exists(a, d) {
				out[k] = f.checkedAt(d, out[k], a, f.bounds.demands[p])
			}
		}
		k++
	}
	return out
}

// A checkedSet is a set of variables.
type checkedSet map[*check.Object]bool

// always adds what the statement s accesses whenever it is executed.
func (b *bounds) always(s syntax.Stmt, env checkedSet) {
	switch s := s.(type) {
	case *syntax.VarDecls:
		for _, v := range s.Vars {
			if v.Init != nil {
				b.accesses(v.Init, env)
			}
		}
	case *syntax.ExprStmt:
		if a, ok := syntax.Unparen(s.X).(*syntax.AssignExpr); ok {
			b.accesses(a, env)
		}
	case *syntax.IfStmt:
		b.accesses(s.Cond, env)
	case *syntax.ReturnStmt:
		if s.X != nil {
			b.accesses(s.X, env)
		}
	}
}

// accesses adds the variables of which x, whenever it is evaluated, accesses
// properties.
func (b *bounds) accesses(x syntax.Expr, env checkedSet) {
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryExpr:
			if n.Op == "&&" || n.Op == "||" {
				b.accesses(n.X, env)
				return false
			}
		case *syntax.CondExpr:
			b.accesses(n.Cond, env)
			return false
		case *syntax.SizeofExpr:
			return false
		case *syntax.UnaryExpr:
			return n.Op != "&"
		case *syntax.CallExpr:
			id, ok := syntax.Unparen(n.Fun).(*syntax.Ident)
			if !ok || b.info.Uses[id] == nil || b.own[b.info.Uses[id]] == nil {
				break
			}
			for i, a := range n.Args {
				if o, p := b.variableOf(a), b.own[b.info.Uses[id]].Params[i]; o != nil && b.changed[o] == 0 && p != nil && b.demands[p] != nil && o.Type == p.Type {
					env[o] = true
				}
			}
		case *syntax.MemberExpr:
			o, p := b.variableOf(n.X), b.info.Uses[n.Name]
			if o != nil && b.changed[o] == 0 && (o.Type == check.Point || o.Type == check.Element) && p != nil && p.Kind == check.PropObj {
				env[o] = true
			}
		}
		return true
	})
}
