package sema

import (
	"math"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// listOf returns {...} as an expression whose type its context decides.
func (e *env) listOf(l *ast.InitList) *listExpr {
	return &listExpr{Info: rvalueInfo(l.Span, e.basic(types.InitList)), list: l, env: *e}
}

// values returns the elements of a list, analysed once.
func (l *listExpr) values() []hir.Expr {
	if l.elems == nil {
		l.elems = []hir.Expr{}
		for _, el := range l.list.Elems {
			l.elems = append(l.elems, l.env.exprs([]ast.Expr{el.Value})...)
		}
	}
	return l.elems
}

// initList initialises an object of type t from a list.
func (e *env) initList(t types.Type, l *listExpr, copying bool, what string) hir.Expr {
	at := l.Span
	if !t.IsValid() {
		return e.bad(at)
	}
	if t.IsRef() {
		return e.listRef(t, l, what)
	}
	designated := false
	for _, el := range l.list.Elems {
		designated = designated || el.Field != nil || el.Index != nil
	}
	switch {
	case t.IsArray():
		return e.arrayList(t, l)
	case t.IsClass():
		return e.classList(t, l, copying, designated)
	}
	vals := l.values()
	switch {
	case anyBad(vals):
		return e.bad(at)
	case len(vals) == 0:
		return &hir.Zero{Info: rvalueInfo(at, t.Unqualified())}
	case len(vals) > 1:
		e.errorf(vals[1], codeExcessInit, "excess elements in scalar initializer")
		return e.bad(at)
	}
	if in, ok := vals[0].(*listExpr); ok {
		return e.initList(t, in, copying, what)
	}
	if v := vals[0]; !copying && t.IsEnum() && t.Enum.Fixed && v.Type().IsInteger() {
		x := e.scalar(e.load(v), t.Enum.Base)
		e.checkNarrowing(v, x, t.Enum.Base)
		return e.scalar(x, t.Unqualified())
	}
	x := e.directScalar(t, vals[0], what)
	e.checkNarrowing(vals[0], x, t)
	return x
}

// listRef binds a reference to a list: a temporary, unless its one element binds.
func (e *env) listRef(t types.Type, l *listExpr, what string) hir.Expr {
	vals := l.values()
	if anyBad(vals) {
		return e.bad(l)
	}
	if len(vals) == 1 {
		if s := e.bindSeq(vals[0], t, false); s.ok() {
			return e.apply(vals[0], t, &s)
		}
	}
	if t.Is(types.LRef) && !t.Elem.IsConst() {
		e.errorf(l, codeConvert, "non-const lvalue reference to type '%s' cannot bind to an initializer list temporary", t.Elem)
		return e.bad(l)
	}
	x := e.initList(t.Elem.Unqualified(), l, true, what)
	return e.requalify(e.materialize(x), t.Elem)
}

// classList initialises a class: by an aggregate's elements or a constructor.
func (e *env) classList(t types.Type, l *listExpr, copying, designated bool) hir.Expr {
	k := classOfType(t)
	if k == nil || !e.requireComplete(t, spanOf(l), "initialization of incomplete type") {
		return e.bad(l)
	}
	if e.isInitializerList(k) {
		return e.initializerList(t, k, l)
	}
	var vals []hir.Expr
	if !k.t.Aggregate || len(l.list.Elems) == 1 && !designated {
		if vals = l.values(); anyBad(vals) {
			return e.bad(l)
		}
	}
	if len(vals) == 1 && k.t.Aggregate && vals[0].Type().IsClass() {
		if f := vals[0].Type().Unqualified(); f == t.Unqualified() || e.derives(f, t.Unqualified()) {
			return e.convertTo(vals[0], t, "value")
		}
	}
	if k.t.Aggregate && len(l.list.Elems) == 0 && k.t.TrivialDefault {
		// No member has an initialiser: zeros, without a node for each of perhaps many.
		return &hir.Zero{Info: rvalueInfo(l.Span, t.Unqualified())}
	}
	if k.t.Aggregate {
		c := &cursor{env: e, list: l}
		x := e.aggregate(t, c)
		if c.more() && !isBad(x) {
			if el := c.elem(); el != nil && el.Field != nil {
				e.designated(k, el, len(k.fields))
			} else {
				e.errorf(c.item(), codeExcessInit, "excess elements in %s initializer", kindWord(k.decl.Kind))
			}
			return e.bad(l)
		}
		return x
	}
	if len(vals) == 0 {
		return e.valueInit(t, l.Span)
	}
	if x := e.listConstructor(k, l, vals); x != nil {
		return x
	}
	if len(vals) == 1 && vals[0].Category() == hir.PRValue && vals[0].Type().Unqualified() == t.Unqualified() {
		return vals[0] // initialises the object itself: CWG 2311
	}
	x := e.constructBy(k, vals, l.Span, true, "initialization")
	if c, ok := x.(*hir.Construct); ok && copying {
		if f := functionOf(c.Func); f != nil && f.has(ast.Explicit) {
			d := e.errorf(l, codeExplicit, "chosen constructor is explicit in copy-initialization")
			e.note(d, f.at, "explicit constructor declared here")
			return e.bad(l)
		}
	}
	if c, ok := x.(*hir.Construct); ok {
		for i := range min(len(vals), len(c.Args)) {
			e.checkNarrowing(vals[i], c.Args[i], c.Args[i].Type())
		}
	}
	return x
}

// listConstructor tries the constructors that take a std::initializer_list, which a list
// prefers; nil if none fits.
func (e *env) listConstructor(k *class, l *listExpr, vals []hir.Expr) hir.Expr {
	for _, f := range e.constructors(k) {
		if f.bad || f.tmpl != nil || len(f.params) == 0 {
			continue
		}
		p := f.params[0].Unref().Unqualified()
		pk := classOfType(p)
		if pk == nil || !e.isInitializerList(pk) {
			continue
		}
		if s := e.listSeq(l, p, true); !s.ok() {
			continue
		}
		if len(f.params) > 1 && !f.hasDefault(1) {
			continue
		}
		return e.construct(f, []hir.Expr{l}, e.types.Class(k.t), l.Span)
	}
	return nil
}

// A cursor walks the elements of a list, which nested aggregates without braces share.
type cursor struct {
	env  *env
	list *listExpr
	i    int
	vals []hir.Expr // of the present element: more than one for a pack
	vi   int
	read bool
}

func (c *cursor) more() bool {
	c.fill()
	return c.i < len(c.list.list.Elems)
}

// fill analyses the present element; packs without elements are skipped.
func (c *cursor) fill() {
	for !c.read && c.i < len(c.list.list.Elems) {
		el := c.list.list.Elems[c.i]
		if len(c.list.list.Elems) == 1 && c.list.elems != nil {
			c.vals = c.list.elems // a second analysis would make another closure of a lambda
		} else if l, ok := el.Value.(*ast.InitList); ok {
			c.vals = []hir.Expr{c.list.env.listOf(l)}
		} else {
			c.vals = c.list.env.exprs([]ast.Expr{el.Value})
		}
		c.vi, c.read = 0, true
		if len(c.vals) == 0 {
			c.i++
			c.read = false
		}
	}
}

func (c *cursor) item() hir.Expr {
	c.fill()
	return c.vals[c.vi]
}

func (c *cursor) next() {
	if c.vi++; c.vi >= len(c.vals) {
		c.i++
		c.read = false
	}
}

// elem returns the present element's designators.
func (c *cursor) elem() *ast.InitElem {
	if !c.more() || c.vi > 0 {
		return nil
	}
	return c.list.list.Elems[c.i]
}

// aggregate initialises an aggregate class from the elements at a cursor.
func (e *env) aggregate(t types.Type, c *cursor) hir.Expr {
	k := classOfType(t)
	a := &hir.Aggregate{Info: rvalueInfo(c.list.Span, t.Unqualified())}
	a.Fields = make([]hir.Expr, len(k.fields))
	if len(k.bases) > 0 {
		a.Bases = make([]hir.Expr, len(k.bases))
		for i := range k.bases {
			bt := e.types.Class(k.bases[i].class.t)
			a.Bases[i] = e.element1(bt, c, nil)
			if isBad(a.Bases[i]) {
				return e.bad(c.list)
			}
		}
	}
	given, asked := false, false
	for i := 0; i < len(k.fields); i++ {
		f := k.fields[i]
		if f.t.Width >= 0 && f.t.Name == "" {
			continue
		}
		if el := c.elem(); el != nil && el.Field != nil {
			j, ok := e.designated(k, el, i)
			if !ok {
				return e.bad(el)
			}
			for ; i < j; i++ {
				if !k.t.Union {
					a.Fields[i] = e.element1(k.fields[i].t.Type, &cursor{env: e, list: &listExpr{Info: c.list.Info, list: &ast.InitList{}}}, k.fields[i])
				}
			}
			f = k.fields[i]
		}
		if !asked && !c.more() {
			asked = true
			if a.Rest = e.restOf(k, i); a.Rest != nil {
				a.Fields = a.Fields[:i]
				break
			}
		}
		if k.t.Union && (given || !c.more() && f.decl != nil && f.decl.Init == nil && k.hasInit) {
			continue
		}
		x := e.element1(f.t.Type, c, f)
		if isBad(x) {
			return e.bad(c.list)
		}
		a.Fields[i] = x
		given = true
	}
	return a
}

// designated returns the field that .name = x initialises.
func (e *env) designated(k *class, el *ast.InitElem, from int) (int, bool) {
	for j, f := range k.fields {
		if f.t.Name == el.Field.Name {
			if j < from {
				e.errorf(el.Field, codeDesignator, "designator '%s' is not in the order of declaration", el.Field.Name)
				return 0, false
			}
			return j, true
		}
	}
	e.errorf(el.Field, codeNoMember, "field designator '%s' does not refer to any field in type '%s'", el.Field.Name, e.types.Class(k.t))
	return 0, false
}

// element1 initialises one element of an aggregate from the cursor: from one element, or
// from several if braces are left out.
func (e *env) element1(t types.Type, c *cursor, f *field) hir.Expr {
	if !c.more() {
		return e.missingElement(t, c.list.Span, f)
	}
	x := c.item()
	if isBad(x) {
		return x
	}
	if l, ok := x.(*listExpr); ok {
		c.next()
		return e.initList(t, l, true, "a member subobject")
	}
	if t.IsArray() {
		if el := c.list.list.Elems[c.i]; isString(el.Value) && t.Elem.IsInteger() {
			s := stripParens(el.Value).(*ast.Literal)
			c.next()
			return e.stringInit(t, s, "array")
		}
		return e.arrayElems(t, c)
	}
	if k := classOfType(t); k != nil {
		if !e.requireComplete(t, spanOf(x), "initialization of incomplete type") {
			return e.bad(x)
		}
		if s := e.implicit(x, t, true); !s.ok() && k.t.Aggregate {
			return e.aggregate(t, c)
		}
	}
	c.next()
	y := e.convertTo(x, t, "a member subobject")
	e.checkNarrowing(x, y, t)
	return y
}

func isString(x ast.Expr) bool {
	s, ok := stripParens(x).(*ast.Literal)
	return ok && s.Kind == ast.StringLit
}

// missingElement initialises an element that a list does not have.
func (e *env) missingElement(t types.Type, at ast.Span, f *field) hir.Expr {
	if f != nil && f.decl != nil && f.decl.Init != nil {
		return e.memberInit(f)
	}
	if t.IsRef() {
		e.errorf(at, codeUninitialized, "reference member of type '%s' uninitialized", t)
		return e.bad(at)
	}
	empty := &listExpr{Info: rvalueInfo(at, e.basic(types.InitList)), list: &ast.InitList{Span: at}, env: *e}
	empty.elems = []hir.Expr{}
	return e.initList(t, empty, true, "a member subobject")
}

// arrayList initialises an array from a list in braces.
func (e *env) arrayList(t types.Type, l *listExpr) hir.Expr {
	if len(l.list.Elems) == 1 && isString(l.list.Elems[0].Value) && t.Elem.IsInteger() {
		return e.stringInit(t, stripParens(l.list.Elems[0].Value).(*ast.Literal), "array")
	}
	c := &cursor{env: e, list: l}
	x := e.arrayElems(t, c)
	if c.more() && !isBad(x) {
		e.errorf(c.item(), codeExcessInit, "excess elements in array initializer")
		return e.bad(l)
	}
	return x
}

// arrayElems initialises the elements of an array, as many as the cursor has for it.
func (e *env) arrayElems(t types.Type, c *cursor) hir.Expr {
	if !e.requireComplete(t.Elem, spanOf(c.list), "array has incomplete element type") {
		return e.bad(c.list)
	}
	a := &hir.Aggregate{Info: rvalueInfo(c.list.Span, t.Unqualified())}
	n := int64(0)
	for (t.Len < 0 || n < t.Len) && c.more() {
		if el := c.elem(); el != nil && el.Index != nil {
			e.errorf(el, codeDesignator, "array designators are a C99 feature, which C++ does not have")
			return e.bad(el)
		}
		i, vi := c.i, c.vi
		x := e.element1(t.Elem, c, nil)
		if isBad(x) {
			return e.bad(c.list)
		}
		if c.i == i && c.vi == vi { // an aggregate without members takes none of them
			e.errorf(c.item(), codeExcessInit, "initializer for '%s' must be in braces", t.Elem)
			return e.bad(c.list)
		}
		a.Elems = append(a.Elems, x)
		n++
	}
	if t.Len < 0 {
		a.T = e.types.Array(t.Elem, n).Unqualified()
		return a
	}
	if n < t.Len {
		fill := e.missingElement(t.Elem, c.list.Span, nil)
		if isBad(fill) {
			return e.bad(c.list)
		}
		if _, zero := fill.(*hir.Zero); !zero {
			a.Fill = fill
		}
	}
	return a
}

// listSeq returns how a list converts to the type of a parameter.
func (e *env) listSeq(l *listExpr, to types.Type, user bool) seq {
	to = to.Unqualified()
	s := seq{list: true, to: to}
	switch {
	case to.IsClass():
		k := classOfType(to)
		if !e.checker.complete(k, l.Span) {
			return failed
		}
		if e.isInitializerList(k) {
			return e.elementsSeq(l, k, to, user)
		}
		var x hir.Expr
		if e.fails(func() { x = e.initList(to, l, true, "parameter") }) || isBad(x) {
			return failed
		}
		if c, ok := x.(*hir.Construct); ok {
			s.fn = functionOf(c.Func)
		}
		if len(l.list.Elems) == 1 && l.elems != nil && l.elems[0].Type().Unqualified() == to {
			s.identity = true
			return s
		}
		s.kind = userSeq
		return s
	case to.IsArray():
		return failed
	}
	vals := l.values()
	switch {
	case anyBad(vals), len(vals) > 1:
		return failed
	case len(vals) == 0:
		s.identity = true
		return s
	}
	r := e.implicit(vals[0], to, user)
	r.list = true
	return r
}

// elementsSeq is the conversion of a list to std::initializer_list: the worst one of its
// elements ([over.ics.list]/5).
func (e *env) elementsSeq(l *listExpr, k *class, to types.Type, user bool) seq {
	worst := seq{list: true, initList: true, identity: true, to: to, from: to}
	if len(k.args) == 0 || k.args[0].Kind != types.TypeArg {
		return failed
	}
	vals := l.values()
	if len(vals) == 1 && vals[0].Type().Unqualified() == to {
		return worst
	}
	for _, x := range vals {
		s := e.implicit(x, k.args[0].Type, user)
		if !s.ok() {
			return failed
		}
		s.list, s.initList, s.from, s.to = true, true, to, to
		s.ref, s.rref, s.boolean = false, false, false
		if e.compare(&s, &worst) > 0 {
			worst = s
		}
	}
	return worst
}

func (e *env) listRefSeq(l *listExpr, to types.Type, user bool) seq {
	vals := l.values()
	if len(vals) == 1 && !isBad(vals[0]) {
		if s := e.bindSeq(vals[0], to, false); s.ok() {
			return s
		}
	}
	if to.Is(types.LRef) && !to.Elem.IsConst() {
		return seq{kind: noSeq, refused: needsLvalue}
	}
	if to.Elem.IsArray() {
		var x hir.Expr
		if e.fails(func() { x = e.initList(to.Elem.Unqualified(), l, true, "parameter") }) || isBad(x) {
			return failed
		}
		return seq{identity: true, ref: true, rref: to.Is(types.RRef), rvalue: true}
	}
	s := e.listSeq(l, to.Elem, user)
	s.ref, s.rref, s.rvalue = true, to.Is(types.RRef), true
	return s
}

// checkNarrowing reports a conversion in a list that may lose a value. As with g++,
// it is an error if the value is a constant, and a warning otherwise; as with nvcc, a
// floating constant for an integer is a warning too, since kernels have such tables.
func (e *env) checkNarrowing(from, x hir.Expr, t types.Type) {
	if isBad(from) || isBad(x) || !t.IsArithmetic() {
		return
	}
	if _, ok := from.(*listExpr); ok {
		return
	}
	f := from.Type().Unref()
	if !f.IsArithmetic() && !f.IsIntegerOrEnum() || f.Unqualified() == t.Unqualified() {
		return
	}
	k := e.fold(e.load(from))
	switch {
	case f.IsFloat() && t.IsInteger():
	case f.IsFloat() && t.IsFloat():
		if t.Kind >= f.Kind || k != nil && (!t.Is(types.Float) || math.IsInf(k.Float, 0) || !math.IsInf(float64(float32(k.Float)), 0)) {
			return
		}
	case t.IsFloat():
		if k != nil && exactFloat(k, f, t) {
			return
		}
	case t.Is(types.Bool):
		if k != nil && k.Int <= 1 {
			return
		}
	default:
		if k != nil {
			if t.Fits(k.Int, f) {
				return
			}
		} else if holds(t, f, from) {
			return
		}
	}
	if k != nil && !f.IsFloat() && t.IsInteger() {
		e.errorf(from, codeNarrowing, "constant expression evaluates to %s which cannot be narrowed to type '%s'", constString(k), t)
		return
	}
	if k != nil && !t.IsInteger() {
		e.errorf(from, codeNarrowing, "type '%s' cannot be narrowed to '%s' in initializer list", f, t)
		return
	}
	if k != nil {
		e.warnf(from, codeNarrows, "type '%s' is narrowed to '%s' in initializer list", f, t)
		return
	}
	e.warnf(from, codeNarrows, "non-constant-expression is narrowed from type '%s' to '%s' in initializer list", f, t)
}

// holds reports whether all values of the integer type f are values of t.
func holds(t, f types.Type, x hir.Expr) bool {
	if fd := bitField(x); fd != nil {
		return fd.Field.Width < t.Width() || fd.Field.Width == t.Width() && t.IsSigned() == f.IsSigned()
	}
	if f.IsSigned() == t.IsSigned() {
		return t.Width() >= f.Width()
	}
	return !f.IsSigned() && t.Width() > f.Width()
}

func exactFloat(k *hir.Const, f, t types.Type) bool {
	v := float64(int64(k.Int))
	if !f.IsSigned() {
		v = float64(k.Int)
	}
	if t.Is(types.Float) && float64(float32(v)) != v {
		return false
	}
	if f.IsSigned() {
		return int64(v) == int64(k.Int)
	}
	return uint64(v) == k.Int
}
