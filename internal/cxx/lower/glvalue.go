package lower

import (
	"slices"

	"strconv"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// deref returns *p.
func deref(p syntax.Expr) syntax.Expr {
	if u, ok := p.(*syntax.UnaryExpr); ok && u.Op == "&" {
		return u.X
	}
	return &syntax.UnaryExpr{Span: tree.At(p), Op: "*", X: p}
}

// addressOf returns &x.
func addressOf(x syntax.Expr) syntax.Expr {
	if u, ok := x.(*syntax.UnaryExpr); ok && u.Op == "*" {
		return u.X
	}
	return tree.Addr(x)
}

// spanned gives an address, or what a pointer points to, the place of the operator that says so.
func spanned(sp syntax.Span, x syntax.Expr) syntax.Expr {
	if u, ok := x.(*syntax.UnaryExpr); ok && (u.Op == "*" || u.Op == "&") {
		u.Span = sp
	}
	return x
}

// member returns x.name, or p->name where x is *p.
func memberOf(sp syntax.Span, x syntax.Expr, name string) syntax.Expr {
	if u, ok := x.(*syntax.UnaryExpr); ok && u.Op == "*" {
		return &syntax.MemberExpr{Span: sp, X: u.X, Arrow: true, Name: tree.Ident(sp, name)}
	}
	return &syntax.MemberExpr{Span: sp, X: x, Name: tree.Ident(sp, name)}
}

// addr returns the address of a glvalue.
func (l *lowerer) addr(e hir.Expr) syntax.Expr {
	if v, ok := e.(*hir.VarRef); ok && v.Var.Builtin != "" {
		return addressOf(l.spill(&hir.Copy{Info: hir.Info{Span: v.Span, T: v.T}, X: v}))
	}
	if e.Category() == hir.PRValue {
		return addressOf(l.spill(e))
	}
	if isString(e) { // C's dialect has a type of its own for strings
		return tree.Cast(at(e), l.pointerTo(at(e), e.Type()), l.lvalue(e))
	}
	if d, ok := e.(*hir.Deref); ok && d.T.IsFunc() && !isDecayed(d.X) { // C's dialect has no *p of functions
		return l.value(d.X)
	}
	x := addressOf(l.lvalue(e))
	if inConstant(e) && !e.Type().IsConst() {
		return &syntax.CastExpr{Span: at(e), Type: l.pointerTo(at(e), e.Type()), X: x}
	}
	return x
}

// spill puts a prvalue into a temporary, and returns an lvalue that evaluates it.
func (l *lowerer) spill(e hir.Expr) syntax.Expr {
	return deref(l.materialize(&hir.Materialize{Info: hir.Info{Span: spanOf(e), T: e.Type().Unqualified(), Cat: hir.XValue}, X: e}))
}

// lvalue returns a glvalue as an lvalue of C.
func (l *lowerer) lvalue(e hir.Expr) syntax.Expr {
	sp := at(e)
	switch e := e.(type) {
	case *hir.VarRef:
		return l.variableRef(e)
	case *hir.FuncRef:
		l.uses(e.Func)
		return tree.Ident(sp, e.Func.Symbol)
	case *hir.StringExpr:
		if e.T.Elem.Size() > 1 {
			return tree.Ident(sp, l.wideString(sp, e.Bytes, e.T.Elem))
		}
		return &syntax.BasicLit{Span: sp, Kind: syntax.StringLit, Text: quote(e.Bytes)}
	case *hir.Field:
		return l.field(e)
	case *hir.FieldAt:
		p := l.bytesOf(sp, l.addr(e.X), e.X.Type())
		p = tree.Binary(p, "+", l.value(e.Ptr))
		return deref(tree.Cast(sp, l.pointerTo(sp, e.T), p))
	case *hir.Deref:
		return spanned(sp, l.derefOf(e))
	case *hir.Cond:
		c := l.condition(e.C)
		var x, y syntax.Expr
		l.maybe(func() { x, y = l.addr(e.X), l.addr(e.Y) })
		return deref(&syntax.CondExpr{Span: sp, Cond: c, Then: x, Else: y})
	case *hir.Comma:
		return deref(comma(append(l.effects(e.X), l.addr(e.Y))...))
	case *hir.Assign:
		return l.assigned(e, e.X, func(x hir.Expr) syntax.Expr { return l.assign(e, x) })
	case *hir.IncDec:
		return l.assigned(e, e.X, func(x hir.Expr) syntax.Expr { return l.incDec(e, x) })
	case *hir.Copy:
		if e.To == nil {
			return l.lvalue(e.X)
		}
		return l.assigned(e, e.To, func(x hir.Expr) syntax.Expr { return l.copyTo(e, x) })
	case *hir.Call:
		return deref(l.call(e, nil))
	case *hir.Materialize:
		return deref(l.materialize(e))
	case *hir.Convert:
		return l.convertedPlace(e)
	case *rawPlace:
		return e.place()
	}
	if e.Category() == hir.PRValue {
		return l.spill(e)
	}
	l.missing(e, "this glvalue")
	return tree.Ident(sp, "irgl_missing")
}

// A rawPlace is an lvalue of C in place of an expression.
type rawPlace struct {
	hir.ConstExpr
	place func() syntax.Expr
}

// place returns a glvalue as a place. What has effects is evaluated once, into a pointer.
func (l *lowerer) place(e hir.Expr) func() syntax.Expr {
	if l.repeatable(e) {
		return func() syntax.Expr { return l.lvalue(e) }
	}
	sp := at(e)
	name := l.temp()
	l.emit(tree.Variable(sp, l.pointerTo(sp, e.Type()), name, nil))
	l.emit(tree.Do(tree.Assign(tree.Ident(sp, name), "=", l.addr(e))))
	return func() syntax.Expr { return deref(tree.Ident(sp, name)) }
}

// repeatable reports whether a glvalue or value can be evaluated twice.
func (l *lowerer) repeatable(e hir.Expr) bool {
	switch e := e.(type) {
	case *hir.VarRef, *hir.ConstExpr, *rawPlace:
		return true
	case *hir.Field:
		return l.repeatable(e.X)
	case *hir.Deref:
		return l.repeatable(e.X)
	case *hir.AddrOf:
		return l.repeatable(e.X)
	case *hir.Convert:
		return e.X.Type().Node != nil && l.repeatable(e.X)
	case *hir.Binary:
		return e.Op < hir.Div && l.repeatable(e.X) && l.repeatable(e.Y)
	}
	return false
}

// assigned returns the lvalue that an assignment to x yields. do returns the assignment.
func (l *lowerer) assigned(e, x hir.Expr, do func(x hir.Expr) syntax.Expr) syntax.Expr {
	sp := at(e)
	if l.repeatable(x) {
		return deref(comma(do(x), l.addr(x)))
	}
	name := l.temp()
	l.emit(tree.Variable(sp, l.pointerTo(sp, x.Type()), name, nil))
	once := &rawPlace{ConstExpr: hir.ConstExpr{Info: hir.Info{Span: spanOf(x), T: x.Type(), Cat: hir.LValue}},
		place: func() syntax.Expr { return deref(tree.Ident(sp, name)) }}
	return deref(comma(tree.Assign(tree.Ident(sp, name), "=", l.addr(x)), do(once), tree.Ident(sp, name)))
}

// variableRef returns a variable as an lvalue.
func (l *lowerer) variableRef(e *hir.VarRef) syntax.Expr {
	sp, v := at(e), e.Var
	if v.Builtin != "" {
		return tree.Ident(sp, v.Builtin)
	}
	name := ""
	if l.fn != nil {
		name = l.fn.names[v]
	}
	if name == "" {
		if v.Space == hir.Local && !v.Static && v.Symbol == "" {
			l.missing(e, "the variable '"+v.Name+"', which is used outside of its scope")
		}
		name = l.global(v)
	}
	x := syntax.Expr(tree.Ident(sp, name))
	if v.Type.IsRef() || l.fn != nil && l.fn.byAddr[v] {
		return deref(x)
	}
	return x
}

// derefOf returns *p; p[i] for *(p + i) and for elements of arrays.
func (l *lowerer) derefOf(e *hir.Deref) syntax.Expr {
	x := e.X
	if isDecayed(x) && !isString(x.(*hir.Convert).X) {
		return deref(l.lvalue(x.(*hir.Convert).X))
	}
	if b, ok := x.(*hir.Binary); ok && b.Op == hir.Add && b.X.Type().IsPointer() {
		var base syntax.Expr
		if isDecayed(b.X) && !isString(b.X.(*hir.Convert).X) {
			base = l.lvalue(b.X.(*hir.Convert).X)
		} else {
			base = l.address(b.X)
		}
		return &syntax.IndexExpr{Span: at(e), X: base, Index: l.offset(b.Y)}
	}
	if e.T.IsFunc() {
		return l.value(x)
	}
	return deref(l.address(x))
}

// address returns a pointer that is computed with or read through: a string is no array in C's
// dialect, but converts to a pointer.
func (l *lowerer) address(e hir.Expr) syntax.Expr {
	if isDecayed(e) && isString(e.(*hir.Convert).X) {
		return tree.Cast(at(e), l.typ(at(e), e.Type().Unqualified()), l.value(e))
	}
	return l.value(e)
}

// isString reports whether e is a string literal of char, or a choice between such.
func isString(e hir.Expr) bool {
	if c, ok := e.(*hir.Cond); ok {
		return isString(c.X) && isString(c.Y)
	}
	s, ok := e.(*hir.StringExpr)
	return ok && s.T.Elem.Size() == 1
}

// wideString returns the name of a variable with the characters of a wide string literal, which
// C's dialect has not.
func (l *lowerer) wideString(sp syntax.Span, bytes []byte, elem types.Type) string {
	size := int(elem.Size())
	key := strconv.Itoa(size) + string(bytes)
	if name := l.wides[key]; name != "" {
		return name
	}
	list := &syntax.InitList{Span: sp}
	for i := 0; i+size <= len(bytes); i += size {
		v := uint64(0)
		for k := size - 1; k >= 0; k-- {
			v = v<<8 | uint64(bytes[i+k])
		}
		list.Elems = append(list.Elems, &syntax.InitElem{Span: sp, Value: integer(sp, elem.Truncate(v), types.Int)})
	}
	name := "irgl_wide" + strconv.Itoa(len(l.wides)+1)
	l.wides[key] = name
	t := l.prog.Types.Array(mutable(l.prog.Types, elem), int64(len(list.Elems)))
	l.add(&syntax.VarDecls{Span: sp, Attrs: syntax.Device | syntax.Static, Vars: []*syntax.VarDecl{{Span: sp, Type: l.typ(sp, t), Name: tree.Ident(sp, name), Init: list}}})
	return name
}

// offset returns the integer operand of pointer arithmetic: a widening of it is C's.
func (l *lowerer) offset(e hir.Expr) syntax.Expr {
	if c, ok := e.(*hir.Convert); ok && c.Kind == hir.Integral && c.X.Type().IsInteger() && c.X.Type().Size() < 8 && c.T.Size() == 8 && (c.T.IsSigned() || c.X.Type().IsUnsigned()) {
		return l.value(c.X)
	}
	return l.value(e)
}

// field returns a field of a glvalue or prvalue.
func (l *lowerer) field(e *hir.Field) syntax.Expr {
	if e.Field.Width >= 0 { // has no address: loadBits and setBits access it
		l.missing(e, "the address of a bit-field")
	}
	x := l.fieldPlace(e)()
	if e.Field.Type.IsRef() {
		return deref(x)
	}
	if e.Field.Mutable && e.X.Type().IsConst() && !e.T.IsConst() {
		return deref(tree.Cast(at(e), l.pointerTo(at(e), e.T), tree.Addr(x)))
	}
	return x
}

// fieldPlace returns the member itself: of a reference, the pointer.
func (l *lowerer) fieldPlace(e *hir.Field) func() syntax.Expr {
	return func() syntax.Expr { return l.rawField(at(e), l.lvalue(e.X), e.Field.Class, e.Field) }
}

// rawField returns the member of an object of class c that holds a field of it.
func (l *lowerer) rawField(sp syntax.Span, object syntax.Expr, c *types.Class, f *types.Field) syntax.Expr {
	if c == nil {
		c = f.Class
	}
	m := l.class(c).fields[f.Index]
	if m.name == "" {
		p := tree.Binary(l.chars(sp, addressOf(object)), "+", tree.Number(sp, f.Offset))
		return deref(tree.Cast(sp, l.pointerTo(sp, f.Type), p))
	}
	x := memberOf(sp, object, m.name)
	if m.bytes {
		return deref(tree.Cast(sp, l.pointerTo(sp, f.Type), x))
	}
	return x
}

// chars returns a pointer as one to characters.
func (l *lowerer) chars(sp syntax.Span, p syntax.Expr) syntax.Expr {
	return tree.Cast(sp, &syntax.PointerType{Span: sp, Elem: tree.Basic(sp, "char")}, p)
}

// bytesOf is chars for a pointer to t.
func (l *lowerer) bytesOf(sp syntax.Span, p syntax.Expr, _ types.Type) syntax.Expr {
	return l.chars(sp, p)
}

// basePlace returns the base of an object of class c.
func (l *lowerer) basePlace(sp syntax.Span, object func() syntax.Expr, c *types.Class, index int) func() syntax.Expr {
	return func() syntax.Expr { return l.base(sp, object(), c, index) }
}

// base returns the base of an object of class c: the member that holds it, or the
// bytes at its offset.
func (l *lowerer) base(sp syntax.Span, object syntax.Expr, c *types.Class, index int) syntax.Expr {
	if name := l.class(c).bases[index]; name != "" {
		return memberOf(sp, object, name)
	}
	p := addressOf(object)
	if off := c.Bases[index].Offset; off != 0 {
		p = tree.Binary(l.chars(sp, p), "+", tree.Number(sp, off))
	}
	to := &syntax.PointerType{Span: sp, Elem: l.structType(sp, c.Bases[index].Class)}
	return deref(tree.Cast(sp, to, p))
}

// convertedPlace returns a glvalue as one of another type.
func (l *lowerer) convertedPlace(e *hir.Convert) syntax.Expr {
	sp := at(e)
	switch e.Kind {
	case hir.ToBase:
		x, c := l.lvalue(e.X), e.X.Type().Class
		for _, b := range e.Path.Classes() {
			i, ok := baseAt(c, b)
			if !ok {
				continue // the path may begin with the class itself
			}
			x, c = l.base(sp, x, c, i), b
		}
		if e.X.Type().IsConst() && !isMember(x) {
			x = deref(tree.Cast(sp, l.pointerTo(sp, e.T), addressOf(x)))
		}
		return x
	case hir.FromBase:
		return deref(tree.Cast(sp, l.pointerTo(sp, e.T), l.fromBase(sp, l.addr(e.X), e)))
	case hir.Qualify:
		if e.T.Qualifiers()&e.X.Type().Qualifiers() == e.X.Type().Qualifiers() {
			return l.lvalue(e.X)
		}
		return deref(tree.Cast(sp, l.pointerTo(sp, e.T), l.addr(e.X)))
	case hir.Reinterpret:
		return deref(tree.Cast(sp, l.pointerTo(sp, e.T), l.addr(e.X)))
	}
	l.missing(e, "this conversion of a glvalue")
	return l.lvalue(e.X)
}

func isMember(x syntax.Expr) bool {
	_, ok := x.(*syntax.MemberExpr)
	return ok
}

// fromBase returns the address of the object that a base at address p belongs to.
func (l *lowerer) fromBase(sp syntax.Span, p syntax.Expr, e *hir.Convert) syntax.Expr {
	off := baseOffset(e)
	if off == 0 {
		return p
	}
	return tree.Binary(l.chars(sp, p), "-", tree.Number(sp, off))
}

// baseOffset returns the offset of the base in the object of a conversion FromBase: its
// path leads from the base to the derived class, or from the derived class to the base.
func baseOffset(e *hir.Convert) int64 {
	classOf := func(t types.Type) *types.Class {
		if t.IsPointer() {
			t = t.Elem
		}
		return t.Class
	}
	from, to := classOf(e.X.Type()), classOf(e.T)
	off, c := int64(0), from
	for _, d := range slices.Concat(e.Path.Classes(), []*types.Class{to}) {
		if i, ok := baseAt(d, c); ok {
			off += d.Bases[i].Offset
			c = d
		}
	}
	if c == to {
		return off
	}
	off, c = 0, to
	for _, b := range slices.Concat(e.Path.Classes(), []*types.Class{from}) {
		if i, ok := baseAt(c, b); ok {
			off += c.Bases[i].Offset
			c = b
		}
	}
	return off
}
