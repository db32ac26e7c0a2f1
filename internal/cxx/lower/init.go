package lower

import (
	"strings"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file initialises objects. A place is a function that returns the object as a new
// lvalue each time, since nodes must not be shared.

// maxUnrolled bounds the elements of an array that are initialised one by one.
const maxUnrolled = 16

// initStmts initialises an object with a prvalue, by statements.
func (l *lowerer) initStmts(to func() syntax.Expr, t types.Type, e hir.Expr) {
	switch e := e.(type) {
	case *hir.Cond:
		if e.T.IsClass() {
			cond := l.condition(e.C)
			out := &syntax.IfStmt{Span: at(e), Cond: cond}
			l.maybe(func() {
				out.Then = tree.Block(at(e.X), l.collect(func() { l.initStmts(to, t, e.X) })...)
				out.Else = tree.Block(at(e.Y), l.collect(func() { l.initStmts(to, t, e.Y) })...)
			})
			// Temporaries are destroyed behind the statement: their declarations are in front of it.
			l.hoist(out.Then.(*syntax.Block))
			l.hoist(out.Else.(*syntax.Block))
			l.emit(out)
			return
		}
	case *hir.Copy:
		if c, ok := e.X.(*hir.Cond); ok && t.IsClass() { // a branch, since the address of a variable keeps it in memory
			x := &hir.Copy{Info: e.Info, X: c.X}
			y := &hir.Copy{Info: e.Info, X: c.Y}
			l.initStmts(to, t, &hir.Cond{Info: e.Info, C: c.C, X: x, Y: y})
			return
		}
	case *hir.Comma:
		for _, x := range l.effects(e.X) {
			l.emit(tree.Do(x))
		}
		l.initStmts(to, t, e.Y)
		return
	case *hir.StmtExpr:
		if e.Value != nil {
			b := &hir.Block{Span: e.Span, Stmts: e.Body}
			l.emit(&syntax.Block{Span: at(e), Stmts: l.collect(func() {
				l.scope(b, func() {
					l.list(b)
					l.initStmts(to, t, e.Value)
				})
			})})
			return
		}
	case *hir.Aggregate:
		if t.IsArray() && e.Fill != nil && t.Len-int64(len(e.Elems)) > 1 {
			l.fill(to, t, e)
			return
		}
	}
	if t.IsArray() {
		if z, ok := e.(*hir.Zero); ok && l.leaves(t) > maxUnrolled {
			l.zeroArray(at(z), to, t)
			return
		}
	}
	for _, x := range l.initExprs(to, t, e) {
		l.emit(tree.Do(x))
	}
}

// hoist moves the declarations of temporaries out of a block.
func (l *lowerer) hoist(b *syntax.Block) {
	var rest []syntax.Stmt
	for _, s := range b.Stmts {
		if d, ok := s.(*syntax.VarDecls); ok && d.Vars[0].Init == nil || isFlag(s) {
			l.emit(s)
		} else {
			rest = append(rest, s)
		}
	}
	b.Stmts = rest
}

// isFlag reports whether s says that a temporary has not been made yet.
func isFlag(s syntax.Stmt) bool {
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	a, ok := x.X.(*syntax.AssignExpr)
	if !ok {
		return false
	}
	to, ok := a.L.(*syntax.Ident)
	return ok && strings.HasSuffix(to.Name, madeFlag)
}

// fill initialises the last elements of an array alike, by a loop.
func (l *lowerer) fill(to func() syntax.Expr, t types.Type, e *hir.Aggregate) {
	sp := at(e)
	for i, x := range e.Elems {
		l.initStmts(element(sp, to, int64(i)), t.Elem, x)
	}
	if first := int64(len(e.Elems)); first < t.Len {
		i := l.temp()
		index := func() syntax.Expr { return tree.Ident(sp, i) }
		elem := func() syntax.Expr { return &syntax.IndexExpr{Span: sp, X: to(), Index: index()} }
		body := l.elementInit(elem, t.Elem, e.Fill)
		l.emit(&syntax.ForStmt{
			Span: sp, Init: tree.Variable(sp, tree.Basic(sp, "long"), i, tree.Number(sp, first)),
			Cond: tree.Binary(index(), "<", tree.Number(sp, t.Len)), Post: &syntax.PostfixExpr{Span: sp, X: index(), Op: "++"},
			Body: tree.Block(sp, body...),
		})
	}
}

// elementInit returns the statements that initialise an element in a loop. Its temporaries end in front
// of the next element ([class.temporary]/5).
func (l *lowerer) elementInit(elem func() syntax.Expr, t types.Type, init hir.Expr) []syntax.Stmt {
	return l.collect(func() {
		l.fullExpr(func() { l.initStmts(elem, t, init) })
	})
}

// zeroArray fills an array with zeros by a loop.
func (l *lowerer) zeroArray(sp syntax.Span, to func() syntax.Expr, t types.Type) {
	l.each(sp, t, to, false, func(elem func() syntax.Expr) {
		for _, x := range l.zeroExprs(sp, elem, t.Element()) {
			l.emit(tree.Do(x))
		}
	})
}

// element returns the place of an array's element.
func element(sp syntax.Span, array func() syntax.Expr, i int64) func() syntax.Expr {
	return func() syntax.Expr { return &syntax.IndexExpr{Span: sp, X: array(), Index: tree.Number(sp, i)} }
}

// initExprs returns expressions that initialise an object with a prvalue, in order.
func (l *lowerer) initExprs(to func() syntax.Expr, t types.Type, e hir.Expr) []syntax.Expr {
	sp := at(e)
	switch e := e.(type) {
	case *hir.Construct:
		return l.construct(to, t, e)
	case *hir.Aggregate:
		if t.IsClass() {
			return l.initFields(to, t.Class, e)
		}
		return l.initElems(to, t, e)
	case *hir.Zero:
		return l.zeroExprs(sp, to, t)
	case *hir.Call:
		if l.inMemory(t) {
			return []syntax.Expr{l.call(e, addressOf(to()))}
		}
	case *hir.Copy:
		if t.IsArray() {
			return l.copyArray(sp, to, t, e)
		}
		if t.Class.Empty {
			return l.effects(e.X)
		}
	case *hir.Comma:
		return append(l.effects(e.X), l.initExprs(to, t, e.Y)...)
	case *hir.Cond:
		if t.IsClass() && !l.byValue(e) {
			return l.condInit(to, t, e)
		}
	case *hir.Convert:
		if t.IsClass() && e.Kind == hir.Qualify {
			return l.initExprs(to, t, e.X)
		}
		if t.IsClass() && e.Kind == hir.BitCast {
			from := l.spill(e.X)
			x := tree.Cast(sp, l.pointerTo(sp, t.Unqualified()), addressOf(from))
			return []syntax.Expr{tree.Assign(to(), "=", deref(x))}
		}
	case *hir.StringExpr:
		return l.copyString(sp, to, t, e)
	}
	if t.IsClass() {
		return []syntax.Expr{tree.Assign(to(), "=", l.classValue(e))}
	}
	if t.IsArray() {
		l.errorf(e, codeArray, "this initialisation of an array is not supported here")
		return nil
	}
	return []syntax.Expr{tree.Assign(to(), "=", l.converted(e, t))}
}

// construct calls a constructor on an object.
func (l *lowerer) construct(to func() syntax.Expr, t types.Type, e *hir.Construct) []syntax.Expr {
	sp := at(e)
	var list []syntax.Expr
	if e.Zero {
		list = l.zeroExprs(sp, to, t)
	}
	f := e.Func
	if f == nil || f.Trivial {
		if f != nil && len(e.Args) == 1 {
			if t.Class.Empty {
				return append(list, l.effects(e.Args[0])...)
			}
			list = append(list, tree.Assign(to(), "=", l.lvalue(e.Args[0])))
		}
		return list
	}
	l.uses(f)
	args := append([]syntax.Expr{addressOf(to())}, l.args(f, e.Args)...)
	return append(list, tree.Call(sp, f.Symbol, args...))
}

// condInit initialises an object by one of two prvalues.
func (l *lowerer) condInit(to func() syntax.Expr, t types.Type, e *hir.Cond) []syntax.Expr {
	c := l.condition(e.C)
	var x, y []syntax.Expr
	l.maybe(func() {
		x = append(l.initExprs(to, t, e.X), tree.Number(at(e.X), 0))
		y = append(l.initExprs(to, t, e.Y), tree.Number(at(e.Y), 0))
	})
	return []syntax.Expr{&syntax.CondExpr{Span: at(e), Cond: c, Then: comma(x...), Else: comma(y...)}}
}

// initFields initialises the bases and fields of a class.
func (l *lowerer) initFields(to func() syntax.Expr, c *types.Class, e *hir.Aggregate) []syntax.Expr {
	var list []syntax.Expr
	r := l.class(c)
	for i, x := range e.Bases {
		if x != nil {
			b := c.Bases[i].Class
			list = append(list, l.initExprs(l.basePlace(at(e), to, c, i), l.prog.Types.Class(b), x)...)
		}
	}
	for i, f := range c.Fields {
		var x hir.Expr
		if i < len(e.Fields) {
			x = e.Fields[i]
		} else if e.Rest != nil {
			break
		}
		place := func() syntax.Expr { return l.rawField(at(e), to(), c, f) }
		switch {
		case x == nil && (c.Union || f.Name == "" && f.Width >= 0):
		case r.builtin && x == nil || x == nil && !f.Type.IsRef():
			list = append(list, l.zeroField(at(e), to, place, c, f)...)
		case f.Type.IsRef():
			list = append(list, tree.Assign(place(), "=", l.addr(x)))
		case f.Width >= 0:
			list = append(list, l.initBits(at(e), to(), c, f, l.value(x)))
		case unalignedField(c, f):
			list = append(list, l.initUnaligned(at(e), place, f, x)...)
		default:
			list = append(list, l.initExprs(place, f.Type, x)...)
		}
	}
	if e.Rest != nil {
		l.uses(e.Rest)
		list = append(list, tree.Call(at(e), e.Rest.Symbol, addressOf(to())))
	}
	return list
}

// zeroField sets a field to zero.
func (l *lowerer) zeroField(sp syntax.Span, to, place func() syntax.Expr, c *types.Class, f *types.Field) []syntax.Expr {
	if f.Width >= 0 {
		return []syntax.Expr{l.initBits(sp, to(), c, f, tree.Number(sp, 0))}
	}
	if unalignedField(c, f) {
		return l.initUnaligned(sp, place, f, nil)
	}
	return l.zeroExprs(sp, place, f.Type)
}

// initElems initialises the elements of an array.
func (l *lowerer) initElems(to func() syntax.Expr, t types.Type, e *hir.Aggregate) []syntax.Expr {
	sp := at(e)
	var list []syntax.Expr
	for i, x := range e.Elems {
		if x == nil {
			list = append(list, l.zeroExprs(sp, element(sp, to, int64(i)), t.Elem)...)
			continue
		}
		list = append(list, l.initExprs(element(sp, to, int64(i)), t.Elem, x)...)
	}
	n := int64(len(e.Elems))
	if t.Len-n > maxUnrolled && (e.Fill != nil || t.Elem.IsClass() || t.Elem.IsArray()) {
		l.errorf(e, codeArray, "an array of %d objects cannot be initialised inside of an expression in device code", t.Len).Hint = "declare a variable of it"
		return list
	}
	if t.Len-n > maxUnrolled {
		from := element(sp, to, n)
		return append(list, l.clear(sp, addressOf(from()), (t.Len-n)*t.Elem.Size()))
	}
	for ; n < t.Len; n++ {
		if e.Fill != nil {
			list = append(list, l.initExprs(element(sp, to, n), t.Elem, e.Fill)...)
		} else {
			list = append(list, l.zeroExprs(sp, element(sp, to, n), t.Elem)...)
		}
	}
	return list
}

// leaves returns the number of scalars in a type.
func (l *lowerer) leaves(t types.Type) int64 {
	switch {
	case t.IsArray():
		return max(0, t.Len) * l.leaves(t.Elem)
	case t.IsClass():
		n := int64(0)
		for _, b := range t.Class.Bases {
			n += l.leaves(l.prog.Types.Class(b.Class))
		}
		for _, f := range t.Class.Fields {
			n += l.leaves(f.Type)
		}
		return n
	}
	return 1
}

// zeroExprs sets an object to zero: its scalars one by one, or all of its bytes where
// they are many.
func (l *lowerer) zeroExprs(sp syntax.Span, to func() syntax.Expr, t types.Type) []syntax.Expr {
	var list []syntax.Expr
	switch {
	case !t.IsClass() && !t.IsArray():
		return []syntax.Expr{tree.Assign(to(), "=", l.zeroScalar(sp, t))}
	case t.IsClass() && (t.Class.Union || len(l.class(t.Class).fields) < len(t.Class.Fields) || len(l.flattened(t.Class)) > 0) || l.leaves(t) > maxUnrolled:
		return []syntax.Expr{l.clear(sp, addressOf(to()), t.Size())}
	case t.IsArray():
		for i := range max(0, t.Len) {
			list = append(list, l.zeroExprs(sp, element(sp, to, i), t.Elem)...)
		}
		return list
	}
	c := t.Class
	for i := range c.Bases {
		if !c.Bases[i].Class.Empty {
			list = append(list, l.zeroExprs(sp, l.basePlace(sp, to, c, i), l.prog.Types.Class(c.Bases[i].Class))...)
		}
	}
	for _, f := range c.Fields {
		if f.Name == "" && f.Width >= 0 {
			continue
		}
		place := func() syntax.Expr { return l.rawField(sp, to(), c, f) }
		list = append(list, l.zeroField(sp, to, place, c, f)...)
	}
	return list
}

// clear fills bytes with zeros.
func (l *lowerer) clear(sp syntax.Span, p syntax.Expr, n int64) syntax.Expr {
	return tree.Call(sp, "memset", p, tree.Number(sp, 0), tree.Number(sp, n))
}

// copyArray copies an array, which C does not assign.
func (l *lowerer) copyArray(sp syntax.Span, to func() syntax.Expr, t types.Type, e *hir.Copy) []syntax.Expr {
	if !l.repeatable(e.X) || l.leaves(t) > maxUnrolled || t.Elem.IsArray() {
		return []syntax.Expr{tree.Call(sp, "memcpy", addressOf(to()), l.addr(e.X), tree.Number(sp, t.Size()))}
	}
	var list []syntax.Expr
	for i := range max(0, t.Len) {
		from := &syntax.IndexExpr{Span: sp, X: l.lvalue(e.X), Index: tree.Number(sp, i)}
		list = append(list, tree.Assign(element(sp, to, i)(), "=", from))
	}
	return list
}

// copyString initialises an array of characters with a string.
func (l *lowerer) copyString(sp syntax.Span, to func() syntax.Expr, t types.Type, e *hir.StringExpr) []syntax.Expr {
	var list []syntax.Expr
	size := t.Elem.Size()
	for i := range max(0, t.Len) {
		v := uint64(0)
		for k := size - 1; k >= 0; k-- {
			v <<= 8
			if at := i*size + k; at < int64(len(e.Bytes)) {
				v |= uint64(e.Bytes[at])
			}
		}
		list = append(list, tree.Assign(element(sp, to, i)(), "=", integer(sp, v, types.Int)))
	}
	return list
}
