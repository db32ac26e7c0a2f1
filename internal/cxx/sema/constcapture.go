package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
)

// This file decides which constant variables a lambda captures by its default. A host's object
// of an extended lambda has the layout of g++, which captures a variable where a name of it is
// met, and leaves captures out again at the end of the body ([expr.prim.lambda.capture]/7 wants
// none where no use is an odr-use) if it has replaced any constant variable in that body by its
// value. So the outer one of these captures k, and the inner one does not:
//
//	const int k = 6;
//	[=] { return [=] { return k; }(); }

// A constUse is a constant variable that the body of a lambda names, or that of a lambda inside.
type constUse struct {
	v    *variable
	at   ast.Span
	pos  int           // captures in front of it
	refs []*hir.VarRef // the uses in the body itself
	kept bool          // a lambda inside captures it by reference
}

// nameConstant notes that a constant variable is named, in the lambdas from the present one to
// the function of the variable, and returns the use in the present one: nil unless all of them
// have a default capture.
func (e *env) nameConstant(v *variable, at ast.Span) *constUse {
	for b := e.body; b != v.owner; b = b.closure.env.body {
		if b == nil || b.closure == nil || b.closure.done || b.closure.expr.Default == ast.NoDefault || b.closure.expr.Body == nil {
			return nil
		}
	}
	var own *constUse
	for b := e.body; b != v.owner; b = b.closure.env.body {
		if u := b.closure.constUse(v, at); own == nil {
			own = u
		}
	}
	return own
}

// constUse returns the use of a variable, which is new if the lambda has not named it yet.
func (cl *closure) constUse(v *variable, at ast.Span) *constUse {
	for _, u := range cl.consts {
		if u.v == v {
			return u
		}
	}
	u := &constUse{v: v, at: at, pos: len(cl.class.fields)}
	cl.consts = append(cl.consts, u)
	return u
}

// nameByGeneric notes a constant variable that a generic lambda names, which captures it.
func (cl *closure) nameByGeneric(v *variable, at ast.Span) {
	outer := cl.env
	if outer.body == nil || outer.body == v.owner {
		return
	}
	if u := outer.nameConstant(v, at); u != nil {
		if cl.expr.Default == ast.ByRef {
			u.kept = true
		} else {
			outer.body.closure.folded = true
		}
	}
}

// captureConstants captures the constant variables that the body of a lambda needs, or that g++
// captures. The uses that are left in the body are of a reference to the captured one.
func (e *env) captureConstants(cl *closure, body *hir.Block) {
	if len(cl.consts) == 0 {
		return
	}
	left := usesLeft(body)
	for _, u := range cl.consts {
		for _, r := range u.refs {
			cl.folded = cl.folded || !left[r]
		}
	}
	captured := 0
	for _, u := range cl.consts {
		u.refs = slices.DeleteFunc(u.refs, func(r *hir.VarRef) bool { return !left[r] })
		if cl.folded && len(u.refs) == 0 && !u.kept {
			continue
		}
		last := len(cl.class.fields)
		f := e.capture(cl, u.v, cl.expr.Default == ast.ByRef, u.at)
		if f == nil || len(cl.class.fields) == last {
			continue
		}
		cl.moveLast(u.pos + captured)
		captured++
		if len(u.refs) == 0 {
			continue
		}
		x := e.capturedField(f, u.at)
		r := &hir.Var{Span: u.at, Name: u.v.name, Type: e.types.Ref(x.Type(), false), Init: x}
		for _, ref := range u.refs {
			ref.Var = r
		}
		body.Stmts = append([]hir.Stmt{&hir.VarStmt{Span: u.at, Vars: []*hir.Var{r}}}, body.Stmts...)
	}
}

// usesLeft returns the names of variables in a body whose values are used as objects: those that
// are discarded are none.
func usesLeft(body *hir.Block) map[*hir.VarRef]bool {
	left := map[*hir.VarRef]bool{}
	drop := map[hir.Expr]bool{}
	discard := func(x hir.Expr) {
		for c, ok := x.(*hir.Comma); ok; c, ok = x.(*hir.Comma) {
			x = c.Y
		}
		drop[x] = true
	}
	hir.Walk(body, func(n any) {
		switch n := n.(type) {
		case *hir.ExprStmt:
			discard(n.X)
		case *hir.Comma:
			discard(n.X)
		case *hir.Convert:
			if n.Kind == hir.ToVoid {
				discard(n.X)
			}
		case *hir.VarRef:
			if !drop[n] {
				left[n] = true
			}
		}
	})
	return left
}

// moveLast moves the last capture to a place among the others.
func (cl *closure) moveLast(to int) {
	k := cl.class
	n := len(k.fields) - 1
	k.fields = slices.Insert(k.fields[:n:n], to, k.fields[n])
	k.t.Fields = slices.Insert(k.t.Fields[:n:n], to, k.t.Fields[n])
	cl.inits = slices.Insert(cl.inits[:n:n], to, cl.inits[n])
	for i, f := range k.t.Fields {
		f.Index = i
	}
}
