package klap

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// Which threads of a launch have nothing to do. A program that wants n threads launches (n + b - 1) / b blocks, and its kernel
// guards what it does:
//
//	int i = blockIdx.x * blockDim.x + threadIdx.x;
//	if (i < n) ...                                     or: if (i >= n) return;
//
// Threads from n on need not be done then, if that is the n by which the launch has its blocks. n may be a member of an argument that is a
// structure, too: what the launch passes says how many threads do something. In a kernel without such a guard all threads of all blocks do.

// guarded reports whether a kernel in blocks of one size does nothing in threads from number n on, in one dimension, for a parameter n.
func (p *Program) guarded(f *check.FuncInfo, n *check.Object, block int64) bool {
	g := idle{p: p, n: n, block: block, assigned: p.assigned(f), values: map[*check.Object]syntax.Expr{}}
	if g.assigned[n] || n.Volatile || !check.IsInteger(n.Type) || n.Type.Size() < 4 {
		return false
	}
	return g.guards(f)
}

// guardedMember returns the parameter and its member n, as guarded has it for a parameter; "" if there is none. Nothing in front of the guard
// writes a parameter.
func (p *Program) guardedMember(f *check.FuncInfo, block int64) (param int, member string) {
	for x := range syntax.Preorder(f.Decl.Body) {
		m, ok := x.(*syntax.MemberExpr)
		if !ok || m.Arrow || p.info.Types[m] == nil || !check.IsInteger(p.info.Types[m]) || p.info.Types[m].Size() < 4 {
			continue
		}
		id, ok := syntax.Unparen(m.X).(*syntax.Ident)
		if !ok {
			continue
		}
		i := slices.Index(f.Params, p.info.Uses[id])
		if i < 0 || f.Params[i].Volatile {
			continue
		}
		g := idle{p: p, n: f.Params[i], member: m.Name.Name, block: block, assigned: p.assigned(f), values: map[*check.Object]syntax.Expr{}}
		if g.guards(f) {
			return i, g.member
		}
	}
	return 0, ""
}

// guards reports whether the kernel has the guard.
func (g *idle) guards(f *check.FuncInfo) bool {
	list := f.Decl.Body.Stmts
	for i, s := range list {
		switch s := s.(type) {
		case *syntax.VarDecls:
			if !g.declare(s) {
				return false
			}
		case *syntax.IfStmt:
			if g.compares(s.Cond, ">=", "<=") && returns(s.Then) {
				return true
			}
			return s.Else == nil && i == len(list)-1 && g.compares(s.Cond, "<", ">")
		default:
			return false
		}
	}
	return false
}

// An idle is what is known of variables in front of the guard of a kernel.
type idle struct {
	p        *Program
	n        *check.Object
	member   string // of n, which is a structure; "" for n itself
	block    int64
	assigned map[*check.Object]bool
	values   map[*check.Object]syntax.Expr // of variables that are never assigned
}

// declare notes the values of variables, and reports whether these are made of numbers, parameters and the built-in variables alone.
func (g *idle) declare(s *syntax.VarDecls) bool {
	for _, v := range s.Vars {
		o := g.p.info.Defs[v.Name]
		if o == nil || o.Volatile || s.Attrs != 0 || v.Init != nil && !g.pure(v.Init) {
			return false
		}
		if v.Init != nil && !g.assigned[o] {
			g.values[o] = v.Init
		}
	}
	return true
}

func (g *idle) pure(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.BasicLit:
		return true
	case *syntax.Ident:
		o := g.p.info.Uses[x]
		return o != nil && !o.Volatile && !o.Global
	case *syntax.ParenExpr:
		return g.pure(x.X)
	case *syntax.CastExpr:
		return g.pure(x.X)
	case *syntax.UnaryExpr:
		return (x.Op == "-" || x.Op == "+" || x.Op == "~" || x.Op == "!") && g.pure(x.X)
	case *syntax.BinaryExpr:
		return g.pure(x.X) && g.pure(x.Y)
	case *syntax.MemberExpr:
		return g.position(x) != "" || g.member != "" && g.isN(x)
	}
	return false
}

// compares reports whether the first condition of x && ... compares a thread's number with n.
func (g *idle) compares(x syntax.Expr, op, turned syntax.Op) bool {
	for {
		b, ok := syntax.Unparen(x).(*syntax.BinaryExpr)
		if !ok {
			return false
		}
		switch b.Op {
		case "&&":
			if op != "<" { // a return on more than one condition
				return false
			}
			x = b.X
		case op:
			return g.number(b.X) && g.isN(b.Y)
		case turned:
			return g.number(b.Y) && g.isN(b.X)
		default:
			return false
		}
	}
}

func (g *idle) isN(x syntax.Expr) bool {
	if g.member == "" {
		return g.object(x) == g.n
	}
	m, ok := g.value(x).(*syntax.MemberExpr)
	return ok && !m.Arrow && m.Name.Name == g.member && g.object(m.X) == g.n
}

// number reports whether an expression is the number of the thread in the grid.
func (g *idle) number(x syntax.Expr) bool {
	x = g.value(x)
	b, ok := x.(*syntax.BinaryExpr)
	return ok && b.Op == "+" && (g.first(b.X) && g.is(b.Y, "threadIdx") || g.first(b.Y) && g.is(b.X, "threadIdx"))
}

// first reports whether an expression is the number of the block's first thread.
func (g *idle) first(x syntax.Expr) bool {
	b, ok := g.value(x).(*syntax.BinaryExpr)
	return ok && b.Op == "*" && (g.is(b.X, "blockIdx") && g.size(b.Y) || g.is(b.Y, "blockIdx") && g.size(b.X))
}

// size reports whether an expression is the size of the block.
func (g *idle) size(x syntax.Expr) bool {
	if c := g.p.info.Consts[x]; c != nil {
		return c.Int == g.block
	}
	return g.is(x, "blockDim")
}

func (g *idle) is(x syntax.Expr, builtin string) bool { return g.position(g.value(x)) == builtin }

// position returns which built-in variable an expression is the x of, or "".
func (g *idle) position(x syntax.Expr) string {
	m, ok := x.(*syntax.MemberExpr)
	if !ok || m.Arrow || m.Name.Name != "x" {
		return ""
	}
	id, ok := syntax.Unparen(m.X).(*syntax.Ident)
	if !ok {
		return ""
	}
	return g.p.builtin(id)
}

// kept returns x without parentheses and without conversions that keep every value.
func (p *Program) kept(x syntax.Expr) syntax.Expr {
	return p.unconverted(x, func(to, from check.Type) bool {
		return from != nil && check.IsInteger(from) && to.Size() >= from.Size()
	})
}

// wide returns x without parentheses and without conversions to integers of 32 bits and more.
func (p *Program) wide(x syntax.Expr) syntax.Expr {
	return p.unconverted(x, func(to, _ check.Type) bool { return to.Size() >= 4 })
}

// unconverted returns x without parentheses and without the conversions to integers that ok says.
func (p *Program) unconverted(x syntax.Expr, ok func(to, from check.Type) bool) syntax.Expr {
	for {
		x = syntax.Unparen(x)
		c, cast := x.(*syntax.CastExpr)
		if !cast {
			return x
		}
		if to := p.info.Types[c]; to == nil || !check.IsInteger(to) || !ok(to, p.info.Types[c.X]) {
			return x
		}
		x = c.X
	}
}

// value returns the value of an expression without conversions that keep 32 bits, and for a variable that is never assigned its initial value.
func (g *idle) value(x syntax.Expr) syntax.Expr {
	for {
		x = g.p.wide(x)
		o := g.object(x)
		if o == nil || g.values[o] == nil || o.Type.Size() < 4 || !check.IsInteger(o.Type) {
			return x
		}
		x = g.values[o]
	}
}

func (g *idle) object(x syntax.Expr) *check.Object {
	if id, ok := g.p.wide(x).(*syntax.Ident); ok {
		return g.p.info.Uses[id]
	}
	return nil
}

// returns reports whether a statement is a return.
func returns(s syntax.Stmt) bool {
	if b, ok := s.(*syntax.Block); ok && len(b.Stmts) == 1 {
		s = b.Stmts[0]
	}
	r, ok := s.(*syntax.ReturnStmt)
	return ok && r.X == nil
}
