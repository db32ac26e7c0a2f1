package analysis

import (
	"slices"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds loops whose iterations can go in step, condition by condition: those
// whose bodies are chains of conditions, some of which ask an atomic, with declarations
// in front. Declarations are repeated where they are used: they must give the same each
// time, so they may read only what has been loaded already, and what no thread writes.

// A CondChain is the body of a loop that goes from condition to condition.
type CondChain struct {
	Decls  []syntax.Stmt // one variable each
	Conds  []syntax.Expr // in order
	Action syntax.Stmt
}

// CondChain returns the chain that the body of a batched loop is, or nil. The loads are those
// that its iterations begin with ([Func.EarlyLoads]).
func (f *Func) CondChain(s *syntax.ForAllStmt, loads []Load) *CondChain {
	if s.Serial || len(s.Body.Stmts) == 0 || f.setsOuter(s) {
		return nil
	}
	c := &CondChain{}
	last := len(s.Body.Stmts) - 1
	for _, d := range s.Body.Stmts[:last] {
		decls := singles(d)
		if decls == nil || !f.steadyDecl(d, loads) {
			return nil
		}
		c.Decls = append(c.Decls, decls...)
	}
	c.Action = s.Body.Stmts[last]
	for {
		s, ok := c.Action.(*syntax.IfStmt)
		if b, block := c.Action.(*syntax.Block); block && len(b.Stmts) == 1 {
			s, ok = b.Stmts[0].(*syntax.IfStmt)
		}
		if !ok || s.Else != nil || !f.plainConds(s.Cond) {
			break
		}
		c.Conds = append(c.Conds, conjuncts(s.Cond)...)
		c.Action = s.Then
	}
	if !slices.ContainsFunc(c.Conds, func(x syntax.Expr) bool { return len(f.AtomicsIn(x)) > 0 }) {
		return nil
	}
	return c
}

// setsOuter reports whether the body of a loop assigns locals from outside of it.
func (f *Func) setsOuter(s *syntax.ForAllStmt) bool {
	own := map[*check.Object]bool{f.Info.Defs[s.Var]: true}
	syntax.Inspect(s.Body, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && f.Info.Defs[id] != nil {
			own[f.Info.Defs[id]] = true
		}
		return true
	})
	for i, n := range f.Graph.Nodes {
		if !n.Within(s) {
			continue
		}
		for _, r := range f.Effects[i].Refs {
			if IsLocal(r.Object) && r.Mode&(Write|Escape) != 0 && !own[r.Object] {
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
func (f *Func) steadyDecl(s syntax.Stmt, loads []Load) bool {
	d := s.(*syntax.VarDecls)
	for _, v := range d.Vars {
		obj := f.Info.Defs[v.Name]
		if v.Init == nil || obj == nil || obj.Addressed || obj.Volatile || !check.IsScalar(obj.Type) || !Pure(v.Init) || !f.steadyReads(v.Init, loads) {
			return false
		}
	}
	return true
}

// steadyReads reports whether x reads only locals, what is loaded early and
// what the kernel does not write.
func (f *Func) steadyReads(x syntax.Expr, loads []Load) bool {
	ok := true
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.MemberExpr:
			early := slices.ContainsFunc(loads, func(x Load) bool { return x.Expr == n && x.Kind != OuterProp })
			if p := PropertyOf(f.Info, n); p != nil && !early {
				ok = ok && !slices.Contains(f.Fn.Writes, p.Object)
			}
		case *syntax.Ident:
			if obj := f.Info.Uses[n]; obj != nil && obj.Kind == check.VarObj && (obj.Global || obj.Volatile) {
				ok = ok && !obj.Volatile && !slices.Contains(f.Fn.Writes, obj)
			}
		case *syntax.UnaryExpr:
			ok = ok && n.Op != "*" && n.Op != "&"
		case *syntax.IndexExpr:
			if !overRow(f.Info.Types[n.X]) {
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
func (f *Func) plainConds(x syntax.Expr) bool {
	for _, c := range conjuncts(x) {
		atomics := f.AtomicsIn(c)
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
				ok = ok && (method || slices.Contains(atomics, n) || f.ruleOf(n) == builtin.MinMaxCall)
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
func (f *Func) ruleOf(x *syntax.CallExpr) builtin.Rule {
	id, ok := syntax.Unparen(x.Fun).(*syntax.Ident)
	if !ok {
		return builtin.PlainCall
	}
	if obj := f.Info.Uses[id]; obj == nil || obj.Kind != check.BuiltinObj {
		return builtin.PlainCall
	}
	b := check.LookupBuiltin(id.Name)
	if b == nil {
		return builtin.PlainCall
	}
	return b.Rule
}

// AtomicsIn returns the calls of atomic functions in x.
func (f *Func) AtomicsIn(x syntax.Expr) []*syntax.CallExpr {
	var out []*syntax.CallExpr
	syntax.Inspect(x, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && f.ruleOf(c) == builtin.AtomicCall {
			out = append(out, c)
		}
		return true
	})
	return out
}

// Pure reports whether x, as the program has it, has no side effect, so that
// it may be evaluated twice or not at all.
func Pure(x syntax.Expr) bool {
	ok := true
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr, *syntax.PostfixExpr, *syntax.InvokeExpr:
			ok = false
		case *syntax.UnaryExpr:
			ok = ok && n.Op != "++" && n.Op != "--"
		case *syntax.CallExpr:
			m, method := n.Fun.(*syntax.MemberExpr)
			ok = ok && method && slices.Contains([]string{"nodes", "edges", "points", "elements"}, m.Name.Name)
		}
		return ok
	})
	return ok
}

// PropertyOf returns the property that x is, or nil.
func PropertyOf(info *check.Info, x *syntax.MemberExpr) *check.Prop {
	if !IsHandle(info.Types[x.X]) || info.Types[x.X] == check.Edge && x.Name.Name == "weight" && info.Requires.Weights {
		return nil
	}
	return info.PropOf(x.Name.Name)
}

// overRow reports whether t is the range of the edges of one node.
func overRow(t check.Type) bool { return t == check.Edges || t == check.InEdges }
