package ssagen

import (
	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// staticAddress returns the address that the constant expression e is: of a variable of the
// device, a part of one, a string, or a function.
func (b *builder) staticAddress(e syntax.Expr) (r ssa.Ref, ok bool) {
	t := b.info.Types[e]
	switch x := e.(type) {
	case *syntax.ParenExpr:
		return b.staticAddress(x.X)
	case *syntax.CastExpr:
		if t != nil && t.Size() == 8 {
			b.alignString(x.X, t)
			return b.staticAddress(x.X)
		}
	case *syntax.UnaryExpr:
		if x.Op == "&" {
			return b.staticPlace(x.X)
		}
	case *syntax.BinaryExpr:
		return b.staticSum(x)
	}
	if isArray(t) {
		return b.staticPlace(e)
	}
	if _, isFunc := t.(*check.Func); isFunc || t == check.String {
		return b.staticPlace(e)
	}
	return r, false
}

// staticSum returns the address that is a pointer plus or minus a constant.
func (b *builder) staticSum(x *syntax.BinaryExpr) (r ssa.Ref, ok bool) {
	pointer, index := x.X, b.info.Consts[x.Y]
	if index == nil && x.Op == "+" {
		pointer, index = x.Y, b.info.Consts[x.X]
	}
	p, isPtr := check.Decay(b.info.Types[pointer]).(*check.Pointer)
	if index == nil || !isPtr || x.Op != "+" && x.Op != "-" {
		return r, false
	}
	r, ok = b.staticAddress(pointer)
	n := index.Int * p.Elem.Size()
	if x.Op == "-" {
		n = -n
	}
	r.Add += n
	return r, ok
}

// staticPlace returns the address of what e names.
func (b *builder) staticPlace(e syntax.Expr) (r ssa.Ref, ok bool) {
	switch x := e.(type) {
	case *syntax.ParenExpr:
		return b.staticPlace(x.X)
	case *syntax.BasicLit:
		if x.Kind == syntax.StringLit {
			text, _ := syntax.ParseString(x.Text) // already parsed by check
			return ssa.Ref{Name: b.stringVar(text).Name}, true
		}
	case *syntax.Ident:
		o := b.info.Uses[x]
		switch {
		case o == nil:
		case o.Kind == check.FuncObj:
			return ssa.Ref{Name: b.symbol(o.Name)}, b.funcs[o.Name] != nil && !o.Attrs.Has(syntax.Global)
		case b.vars[o] != nil && b.vars[o].Space != ssa.PtrShared && !o.Attrs.Has(syntax.Managed):
			return ssa.Ref{Name: b.vars[o].Name}, true
		}
	case *syntax.UnaryExpr:
		if x.Op == "*" {
			return b.staticAddress(x.X)
		}
	case *syntax.IndexExpr:
		t, isPtr := check.Decay(b.info.Types[x.X]).(*check.Pointer)
		if i := b.info.Consts[x.Index]; i != nil && isPtr {
			r, ok = b.staticAddress(x.X)
			r.Add += i.Int * t.Elem.Size()
			return r, ok
		}
	case *syntax.MemberExpr:
		t := b.info.Types[x.X]
		base := b.staticPlace
		if x.Arrow {
			base = b.staticAddress
			if p, isPtr := check.Decay(t).(*check.Pointer); isPtr {
				t = p.Elem
			}
		}
		if s, isStruct := t.(*check.Struct); isStruct {
			f, _ := s.Field(x.Name.Name)
			r, ok = base(x.X)
			r.Add += f.Offset
			return r, ok
		}
	}
	return r, false
}
