package gogen

import (
	"maps"

	"irgl/internal/check"
	"irgl/syntax"
)

// Where points and elements have been checked already. A variable that is never
// assigned again is proven in the statements behind one that always accesses it, of
// the same block, and where a condition that accesses it holds. Nodes and edges are
// not followed: their rows are loaded ahead of the loops that need them (rows.go).

// demand notes the parameters that the first statement of a function always
// accesses: calls check their arguments, as accesses in that place, and the function
// does not. A small function then stays one that the Go compiler inlines, and most
// arguments are proven.
func (b *bounds) demand(f *check.FuncInfo) {
	if f.Decl.Kind == syntax.KernelFunc || f.Decl.Kind == syntax.HostFunc || f.Decl.Body == nil || len(f.Decl.Body.Stmts) == 0 {
		return
	}
	changed := checkedSet{}
	for n := range syntax.Preorder(f.Decl.Body) {
		if x := b.target(n); x != nil {
			changed[b.local(x)] = true
		}
	}
	env := checkedSet{}
	first := f.Decl.Body.Stmts[0]
	b.always(first, env, changed)
	for n := range syntax.Preorder(first) {
		if x, ok := n.(*syntax.MemberExpr); ok {
			if o := b.local(x.X); env[o] && o.Kind == check.ParamObj && b.demands[o] == nil {
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
			if d, _ := domainOf(p.Type); f.bounds.expr(a)&provenIn(d) == 0 {
				out[k] = f.checkedAt(d, out[k], a, f.bounds.demands[p])
			}
		}
		k++
	}
	return out
}

// A checkedSet is a set of variables.
type checkedSet map[*check.Object]bool

// available notes the uses of variables that have been checked in a function's body.
func (b *bounds) available(body *syntax.Block) {
	if contains(body, func(n syntax.Node) bool { _, ok := n.(*syntax.LabelStmt); return ok }) {
		return
	}
	changed := checkedSet{}
	for n := range syntax.Preorder(body) {
		if x := b.target(n); x != nil {
			changed[b.local(x)] = true
		}
	}
	b.block(body.Stmts, checkedSet{}, changed)
	for n := range syntax.Preorder(body) { // the operands behind those that are evaluated first
		in := checkedSet{}
		switch e := n.(type) {
		case *syntax.CondExpr:
			b.accesses(e.Cond, in, changed)
			b.mark(e.Then, b.when(e.Cond, in, changed))
			b.mark(e.Else, in)
		case *syntax.BinaryExpr:
			if e.Op == "&&" {
				b.mark(e.Y, b.when(e.X, in, changed))
			} else if e.Op == "||" {
				b.accesses(e.X, in, changed)
				b.mark(e.Y, in)
			}
		}
	}
}

// block notes the uses in a list of statements, with what is checked before it.
func (b *bounds) block(list []syntax.Stmt, before, changed checkedSet) {
	env := maps.Clone(before)
	for _, s := range list {
		b.mark(s, env)
		b.within(s, env, changed)
		b.always(s, env, changed)
	}
}

// mark notes the uses in n of what has been checked.
func (b *bounds) mark(n syntax.Node, env checkedSet) {
	if len(env) == 0 {
		return
	}
	for n := range syntax.Preorder(n) {
		if id, ok := n.(*syntax.Ident); ok && env[b.info.Uses[id]] {
			b.checked[id] = true
		}
	}
}

// within notes the uses in the statements inside of s.
func (b *bounds) within(s syntax.Stmt, env, changed checkedSet) {
	switch s := s.(type) {
	case *syntax.IfStmt:
		b.block([]syntax.Stmt{s.Then}, b.when(s.Cond, env, changed), changed)
		if s.Else != nil {
			in := maps.Clone(env)
			b.accesses(s.Cond, in, changed)
			b.block([]syntax.Stmt{s.Else}, in, changed)
		}
	case *syntax.ForStmt:
		in := env
		if s.Cond != nil {
			in = b.when(s.Cond, env, changed)
		}
		b.block([]syntax.Stmt{s.Body}, in, changed)
	case *syntax.WhileStmt:
		in := env
		if !s.Do {
			in = b.when(s.Cond, env, changed)
		}
		b.block([]syntax.Stmt{s.Body}, in, changed)
	case *syntax.Block:
		b.block(s.Stmts, env, changed)
	case syntax.Loop:
		if body := s.LoopBody(); body != nil {
			b.block([]syntax.Stmt{body}, env, changed)
		}
	case *syntax.AtomicStmt:
		b.block(s.Body.Stmts, env, changed)
		if s.Else != nil {
			b.block(s.Else.Stmts, env, changed)
		}
	case *syntax.ExclusiveStmt:
		b.block(s.Body.Stmts, env, changed)
		if s.Else != nil {
			b.block(s.Else.Stmts, env, changed)
		}
	}
}

// always adds what the statement s accesses whenever it is executed.
func (b *bounds) always(s syntax.Stmt, env, changed checkedSet) {
	switch s := s.(type) {
	case *syntax.VarDecls:
		for _, v := range s.Vars {
			if v.Init != nil {
				b.accesses(v.Init, env, changed)
			}
		}
	case *syntax.ExprStmt:
		if a, ok := syntax.Unparen(s.X).(*syntax.AssignExpr); ok {
			b.accesses(a, env, changed)
		}
	case *syntax.IfStmt:
		b.accesses(s.Cond, env, changed)
	case *syntax.ReturnStmt:
		if s.X != nil {
			b.accesses(s.X, env, changed)
		}
	}
}

// when returns what is checked where cond holds.
func (b *bounds) when(cond syntax.Expr, env, changed checkedSet) checkedSet {
	in := maps.Clone(env)
	var each func(x syntax.Expr)
	each = func(x syntax.Expr) {
		if e, ok := syntax.Unparen(x).(*syntax.BinaryExpr); ok && e.Op == "&&" {
			each(e.X)
			each(e.Y)
			return
		}
		b.accesses(x, in, changed)
	}
	each(cond)
	return in
}

// accesses adds the variables of which x, whenever it is evaluated, accesses
// properties.
func (b *bounds) accesses(x syntax.Expr, env, changed checkedSet) {
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryExpr:
			if n.Op == "&&" || n.Op == "||" {
				b.accesses(n.X, env, changed)
				return false
			}
		case *syntax.CondExpr:
			b.accesses(n.Cond, env, changed)
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
				if o, p := b.local(a), b.own[b.info.Uses[id]].Params[i]; o != nil && !changed[o] && p != nil && b.demands[p] != nil && o.Type == p.Type {
					env[o] = true
				}
			}
		case *syntax.MemberExpr:
			o, p := b.local(n.X), b.info.Uses[n.Name]
			if o != nil && !changed[o] && (o.Type == check.Point || o.Type == check.Element) && p != nil && p.Kind == check.PropObj {
				env[o] = true
			}
		}
		return true
	})
}
