package klap

import (
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Conditions that agree in a block.
//
// A branch is uniform if its condition has one value in all threads of the block. Beside what uniform.go has, a
// load from a uniform address is: all threads come to it once and by the same path, and what they load differs only if another
// thread stores in between. A program without data races orders that store behind the load of one thread and
// in front of that of another one, which a barrier cannot do, as both threads have passed the same barriers,
// but atomic operations, fences and volatile accesses can:
//
//	Node n = nodes[blockIdx.x];
//	if (n.last - n.first <= 1) return; // uniform, as no such operation is in front of it
//	__syncthreads();
//
// So the analysis looks at what is in front of the condition, in the order of the text, and is for conditions
// that are in no loop. A call agrees if its arguments do and the functions know nothing of the thread.

// An agreement is what threads of a block agree on at a place of a kernel.
type agreement struct {
	p       *Program
	changed map[*check.Object]bool // by what is in front of the place
	loads   bool                   // loads from uniform addresses are uniform
}

// agreementAt returns that of the node of a kernel before which the nodes in front come.
func (p *Program) agreementAt(k *check.FuncInfo, front []syntax.Node) *agreement {
	a := &agreement{p: p, changed: map[*check.Object]bool{}, loads: !jumpsBack(k.Decl)}
	seen := map[*check.FuncInfo]bool{}
	for _, n := range front {
		p.noteAssigned(n, a.changed)
		a.loads = a.loads && !p.orders(n, seen)
	}
	return a
}

// orders reports whether a node may order the accesses of a thread with those of another one otherwise than a barrier does.
func (p *Program) orders(n syntax.Node, seen map[*check.FuncInfo]bool) bool {
	switch n := n.(type) {
	case *syntax.AsmStmt:
		return n.Volatile || len(n.Clobbers) > 0
	case *syntax.IndexExpr:
		return p.volatile(n.X)
	case *syntax.UnaryExpr:
		return n.Op == "*" && p.volatile(n.X)
	case *syntax.MemberExpr:
		return n.Arrow && p.volatile(n.X)
	case *syntax.Ident:
		o := p.info.Uses[n]
		switch {
		case o == nil:
		case o.Kind == check.BuiltinObj:
			row := builtin.Lookup(o.Name)
			return row != nil && row.Effects&(builtin.Atomic|builtin.Fence|builtin.MayExit|builtin.Allocates) != 0
		case o.Kind == check.FuncObj:
			if o.Func == nil || o.Func.Decl.Body == nil {
				return true
			}
			if seen[o.Func] {
				return false
			}
			seen[o.Func] = true
			for c := range syntax.Preorder(o.Func.Decl.Body) {
				if p.orders(c, seen) {
					return true
				}
			}
		case o.Kind == check.VarObj:
			return o.Volatile
		}
	}
	return false
}

// knows reports whether a function computes with what differs between threads beside its arguments.
func (p *Program) knows(f *check.FuncInfo) bool {
	for _, g := range reachable(f) {
		if g.Decl.Body == nil || p.indirect(g) {
			return true
		}
		for n := range syntax.Preorder(g.Decl.Body) {
			switch n := n.(type) {
			case *syntax.AsmStmt, *syntax.LaunchExpr:
				return true
			case *syntax.Ident:
				o := p.info.Uses[n]
				if o == nil || o.Kind != check.BuiltinObj {
					continue
				}
				row, place := builtin.Lookup(o.Name), p.builtin(n)
				if place == "threadIdx" || place == "" && row != nil && row.Effects&^(builtin.Reads|builtin.Writes) != 0 {
					return true
				}
			}
			if p.orders(n, map[*check.FuncInfo]bool{}) {
				return true
			}
		}
	}
	return false
}

// of reports whether an expression has one value in all threads.
func (a *agreement) of(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.BasicLit, *syntax.SizeofExpr:
		return true
	case *syntax.ParenExpr:
		return a.of(x.X)
	case *syntax.CastExpr:
		return a.of(x.X)
	case *syntax.BinaryExpr:
		return x.Op != "," && a.of(x.X) && a.of(x.Y)
	case *syntax.UnaryExpr:
		switch x.Op {
		case "+", "-", "!", "~":
			return a.of(x.X)
		case "*":
			return a.loaded(x)
		case "&":
			return a.address(x.X)
		}
	case *syntax.IndexExpr:
		return a.loaded(x)
	case *syntax.MemberExpr:
		if x.Arrow {
			return a.loaded(x)
		}
		return a.of(x.X)
	case *syntax.Ident:
		return a.ident(x)
	case *syntax.CallExpr:
		return a.call(x)
	}
	return false
}

// loaded reports whether a load is of a uniform address, and its value is uniform then.
func (a *agreement) loaded(x syntax.Expr) bool {
	return a.loads && !a.p.orders(x, map[*check.FuncInfo]bool{}) && a.address(x)
}

// address reports whether an expression is of memory that threads share, at an address that has one value.
func (a *agreement) address(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return a.address(x.X)
	case *syntax.UnaryExpr:
		return x.Op == "*" && a.of(x.X)
	case *syntax.IndexExpr:
		if _, array := a.p.info.Types[x.X].(*check.Array); array {
			return a.address(x.X) && a.of(x.Index)
		}
		return a.of(x.X) && a.of(x.Index)
	case *syntax.MemberExpr:
		if x.Arrow {
			return a.of(x.X)
		}
		return a.address(x.X)
	case *syntax.Ident:
		o := a.p.info.Uses[x]
		return o != nil && o.Kind == check.VarObj && (o.Global || o.Attrs.Has(syntax.Shared))
	}
	return false
}

func (a *agreement) ident(id *syntax.Ident) bool {
	o := a.p.info.Uses[id]
	if o == nil || o.Volatile || a.changed[o] {
		return false
	}
	switch o.Kind {
	case check.ConstObj, check.ParamObj:
		return true
	case check.BuiltinObj:
		row := builtin.Lookup(o.Name)
		name := a.p.builtin(id)
		return name == "gridDim" || name == "blockDim" || name == "blockIdx" || o.Name == "warpSize" || row != nil && row.Kind == builtin.Const
	case check.VarObj:
		if o.Global || o.Attrs.Has(syntax.Shared) {
			return a.loads
		}
		v, ok := o.Decl.(*syntax.VarDecl)
		return ok && o.Attrs == 0 && v.Init != nil && a.of(v.Init)
	}
	return false
}

func (a *agreement) call(x *syntax.CallExpr) bool {
	id, ok := uncast(x.Fun).(*syntax.Ident)
	if !ok {
		return false
	}
	for _, arg := range x.Args {
		if !a.of(arg) {
			return false
		}
	}
	o := a.p.info.Uses[id]
	switch {
	case o == nil:
	case o.Kind == check.BuiltinObj:
		row := builtin.Lookup(tree.Callee(x))
		return row != nil && row.Pure()
	case o.Kind == check.FuncObj && o.Func != nil:
		return a.loads && !a.p.knows(o.Func)
	}
	return false
}
