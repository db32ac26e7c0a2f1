package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// hidden declares a variable that the program has no name for.
func (e *env) hidden(name string, t types.Type, init hir.Expr, at ast.Span) *variable {
	e.body.hidden++
	name += decimal(e.body.hidden)
	v := &variable{name: name, at: at, typ: t, owner: e.body, state: done, hir: &hir.Var{Span: at, Name: name, Type: t, Init: init}}
	v.hir.Decl = v
	e.extend(v.hir)
	if !t.IsRef() {
		v.hir.Destroy = e.destructorOf(t, at)
	}
	e.body.add(&hir.VarStmt{Span: at, Vars: []*hir.Var{v.hir}})
	return v
}

// rangeFor analyses for (T v : range) as the loop over iterators that it stands for.
func (e *env) rangeFor(s *ast.RangeForStmt) {
	e.scoped(s.Span, true, func(e *env) {
		if s.Init != nil {
			e.statement(s.Init)
		}
		var x hir.Expr
		if l, ok := s.Range.(*ast.InitList); ok {
			x = e.rangeList(l)
		} else {
			x = e.single(e.expr(s.Range))
		}
		if isBad(x) {
			return
		}
		at := spanOf(s.Range)
		rt := e.types.Ref(x.Type(), x.Category() != hir.LValue)
		init := e.convertTo(x, rt, "range")
		if isBad(init) {
			return
		}
		r := e.hidden("__range", rt, init, at)
		begin, end := e.rangeEnds(r, at)
		if isBad(begin) || isBad(end) {
			return
		}
		b := e.iterator("__begin", begin, at)
		n := e.iterator("__end", end, at)
		if b == nil || n == nil {
			return
		}
		e.iterate(s, b, n, at)
	})
}

func (e *env) iterator(name string, x hir.Expr, at ast.Span) *variable {
	t := e.deduceAuto(e.basic(types.Auto), x, name)
	if !t.IsValid() {
		return nil
	}
	init := e.convertTo(x, t, "variable")
	if isBad(init) {
		return nil
	}
	return e.hidden(name, t, init, at)
}

// rangeEnds returns the first iterator of a range and the one behind the last.
func (e *env) rangeEnds(r *variable, at ast.Span) (begin, end hir.Expr) {
	t := r.typ.Elem
	ref := func() hir.Expr { return e.ref(r.hir, at) }
	if t.IsArray() {
		if t.Len < 0 {
			e.errorf(at, codeRange, "cannot use incomplete type '%s' as a range", t)
			return e.bad(at), e.bad(at)
		}
		first := e.load(ref())
		last := e.pointerArith(at, hir.Add, e.load(ref()), e.intConst(uint64(t.Len), e.basic(types.Long), at))
		return first, last
	}
	if k := classOfType(t); k != nil && e.requireComplete(t, at, "range has incomplete type") {
		var f finding
		if e.inClass(&f, k, "begin", anything) {
			return e.memberCall(ref(), "begin", at), e.memberCall(ref(), "end", at)
		}
	}
	if !t.IsClass() {
		e.errorf(at, codeRange, "invalid range expression of type '%s'; no viable 'begin' function available", t)
		return e.bad(at), e.bad(at)
	}
	return e.freeCall("begin", ref(), at), e.freeCall("end", ref(), at)
}

func nameOf(id string, at ast.Span) *ast.Name {
	return &ast.Name{Span: at, Last: &ast.Segment{Span: at, Ident: id}}
}

func (e *env) memberCall(obj hir.Expr, name string, at ast.Span) hir.Expr {
	m := e.memberOf(&ast.MemberExpr{Span: at, Name: nameOf(name, at)}, obj)
	if isBad(m) {
		return m
	}
	return e.callExpr(&ast.CallExpr{Span: at}, m, nil)
}

func (e *env) freeCall(name string, arg hir.Expr, at ast.Span) hir.Expr {
	o := &overloadExpr{Info: hir.Info{Span: at, T: e.basic(types.Overload), Cat: hir.LValue}, name: nameOf(name, at), adl: true}
	return e.callOverloads(at, o, []hir.Expr{arg})
}

// iterate makes the loop of a range for.
func (e *env) iterate(s *ast.RangeForStmt, b, n *variable, at ast.Span) {
	cond := e.operandOp(at, "!=", e.ref(b.hir, at), e.ref(n.hir, at))
	post := e.increment(at, e.ref(b.hir, at))
	elem := e.indirect(at, e.ref(b.hir, at))
	if isBad(cond) || isBad(post) || isBad(elem) {
		return
	}
	l := &hir.Loop{Span: s.Span, Cond: e.toBool(cond), Post: e.discard(post), Unroll: e.unroll(s.Unroll)}
	e.body.loops++
	l.Body = e.inBlock(spanOf(s.Body), func(e *env) {
		e.scope.control = true
		if len(s.Var.Bindings) > 0 {
			e.bindTo2(s.Var, elem)
		} else if !e.loopVar(s.Var, elem) {
			return
		}
		if inner := e.sub(s.Body); inner != nil {
			e.body.add(inner)
		}
	})
	e.body.loops--
	e.body.add(l)
}

// loopVar declares the variable of a range for.
func (e *env) loopVar(d *ast.VarDecl, elem hir.Expr) bool {
	t := e.typ(d.Type)
	if !t.IsValid() {
		return false
	}
	if hasAuto(t) {
		if t = e.deduceAuto(t, elem, d.Name.Last.Ident); !t.IsValid() {
			return false
		}
	}
	v := &variable{decl: d, name: d.Name.Last.Ident, at: d.Name.Span, typ: t, owner: e.body, state: done, hir: &hir.Var{Span: d.Name.Span, Name: d.Name.Last.Ident, Type: t}}
	v.hir.Decl = v
	e.scope.declare(v.name, v)
	x := e.convertTo(elem, t, "variable")
	if isBad(x) {
		v.failed = true
		return true
	}
	v.hir.Init = x
	e.extend(v.hir)
	if !t.IsRef() {
		v.hir.Destroy = e.destructorOf(t, v.at)
	}
	e.body.add(&hir.VarStmt{Span: d.Span, Vars: []*hir.Var{v.hir}})
	return true
}

// structuredBinding analyses auto [a, b] = x.
func (e *env) structuredBinding(d *ast.VarDecl) {
	if d.Init == nil || len(d.Init.Args) == 0 {
		e.errorf(d, codeBinding, "structured binding declaration requires an initializer")
		return
	}
	src := d.Init.Args[0]
	if l, ok := src.(*ast.InitList); ok && len(l.Elems) == 1 {
		src = l.Elems[0].Value
	}
	x := e.single(e.expr(src))
	if isBad(x) {
		e.badBindings(d)
		return
	}
	e.bindTo2(d, x)
}

func (e *env) badBindings(d *ast.VarDecl) {
	for _, id := range d.Bindings {
		e.scope.declare(id.Name, &binding{at: id.Span, make: func(e *env, at ast.Span) hir.Expr { return e.bad(at) }})
	}
}

// bindTo2 declares the names of a structured binding to an object.
func (e *env) bindTo2(d *ast.VarDecl, x hir.Expr) {
	t := e.typ(d.Type)
	if !t.IsValid() {
		e.badBindings(d)
		return
	}
	var init hir.Expr
	if x.Type().IsArray() && !t.IsRef() {
		t = e.types.Qualify(x.Type(), t.CV)
		init = &hir.Copy{Info: rvalueInfo(spanOf(x), e.types.Unqualify(x.Type())), X: e.materialize(x)}
	} else {
		if t = e.deduceAuto(t, x, "structured binding"); !t.IsValid() {
			e.badBindings(d)
			return
		}
		init = e.convertTo(x, t, "variable")
	}
	if isBad(init) {
		e.badBindings(d)
		return
	}
	v := e.hidden("__binding", t, init, d.Span)
	e.bindNames(d, v, t.Unref())
}

// bindNames declares each name as an element or field of the hidden variable.
func (e *env) bindNames(d *ast.VarDecl, v *variable, t types.Type) {
	count := func(n int) bool {
		if n != len(d.Bindings) {
			e.errorf(d, codeBinding, "type '%s' decomposes into %d elements, but %d names were provided", t, n, len(d.Bindings))
			e.badBindings(d)
			return false
		}
		return true
	}
	declare := func(i int, f func(e *env, at ast.Span) hir.Expr) {
		id := d.Bindings[i]
		if old := e.scope.declare(id.Name, &binding{at: id.Span, owner: e.body, base: v, make: f}); old != nil {
			e.redefinition(id.Span, id.Name, old)
		}
	}
	if t.IsArray() {
		if count(int(t.Len)) {
			for i := range d.Bindings {
				declare(i, func(e *env, at ast.Span) hir.Expr {
					return e.subscript(at, e.useVariable(v, at), e.intConst(uint64(i), e.basic(types.Long), at))
				})
			}
		}
		return
	}
	k := classOfType(t)
	if k == nil || !e.requireComplete(t, spanOf(d), "cannot decompose incomplete type") {
		if k == nil {
			e.errorf(d, codeBinding, "cannot decompose non-class, non-array type '%s'", t)
		}
		e.badBindings(d)
		return
	}
	if e.tupleBindings(d, v, t, count, declare) {
		return
	}
	from := k
	for len(from.fields) == 0 && len(from.bases) > 0 {
		from = from.bases[0].class
	}
	var fields []*field
	for _, f := range from.fields {
		if f.t.Name == "" {
			continue
		}
		if f.t.Access != types.Public && !e.mayAccess(from, f.t.Access, nil) {
			e.errorf(d, codeBinding, "cannot decompose private member '%s' of '%s'", f.t.Name, t)
			e.badBindings(d)
			return
		}
		fields = append(fields, f)
	}
	if !count(len(fields)) {
		return
	}
	for i, f := range fields {
		declare(i, func(e *env, at ast.Span) hir.Expr { return e.fieldOf(e.useVariable(v, at), f, at) })
	}
}

// tupleBindings decomposes a class for which std::tuple_size is specialised.
func (e *env) tupleBindings(d *ast.VarDecl, v *variable, t types.Type, count func(int) bool, declare func(int, func(*env, ast.Span) hir.Expr)) bool {
	std := e.stdNamespace()
	if std == nil {
		return false
	}
	var f finding
	e.inNamespace(&f, std, "tuple_size", anything, nil)
	size, ok := f.obj.(*template)
	if !ok {
		return false
	}
	arg := types.Arg{Kind: types.TypeArg, Type: t.Unqualified()}
	k := e.classInstance(size, []types.Arg{arg})
	if !e.checker.complete(k, d.Span) {
		return false
	}
	var m finding
	if !e.inClass(&m, k, "value", anything) {
		return false
	}
	sv, ok := m.obj.(*variable)
	if !ok {
		return false
	}
	x := e.load(e.useVariable(sv, d.Span))
	n, _ := e.evaluate(x, x.Type())
	if n == nil || !count(int(n.Int)) {
		return true
	}
	for i := range d.Bindings {
		var y hir.Expr
		index := types.Arg{Kind: types.ValueArg, Type: e.basic(types.ULong), Value: types.Value{Int: uint64(i)}}
		obj := e.ref(v.hir, d.Span)
		if !v.typ.Is(types.LRef) {
			obj = e.asXValue(obj, d.Span)
		}
		y = e.getElement(obj, index, d.Span)
		if isBad(y) {
			e.badBindings(d)
			return true
		}
		rt := e.types.Ref(y.Type(), y.Category() != hir.LValue)
		init := e.convertTo(y, rt, "variable")
		h := e.hidden(d.Bindings[i].Name, rt, init, d.Bindings[i].Span)
		declare(i, func(e *env, at ast.Span) hir.Expr { return e.useVariable(h, at) })
	}
	return true
}

// getElement is obj.get<i>() or get<i>(obj).
func (e *env) getElement(obj hir.Expr, index types.Arg, at ast.Span) hir.Expr {
	k := classOfType(obj.Type())
	var f finding
	o := &overloadExpr{Info: hir.Info{Span: at, T: e.basic(types.Overload), Cat: hir.LValue}, name: nameOf("get", at), targs: []types.Arg{index}, hasArgs: true}
	if k != nil && e.inClass(&f, k, "get", anything) {
		if set, ok := f.obj.(*overloads); ok {
			e.resolveSet(set)
			o.funcs, o.object, o.class = set.funcs, obj, f.class
			return e.callOverloads(at, o, nil)
		}
	}
	o.adl = true
	return e.callOverloads(at, o, []hir.Expr{obj})
}

func (e *env) stdNamespace() *namespace {
	if e.std == nil {
		if sym := e.global.scope.get("std"); sym != nil {
			e.std, _ = sym.tag.(*namespace)
		}
	}
	return e.std
}

func (e *env) useBinding(b *binding, at ast.Span) hir.Expr { return b.make(e, at) }

// operandOp, increment and indirect are operators on operands of any type.
func (e *env) operandOp(at ast.Span, sign string, a, b hir.Expr) hir.Expr {
	if overloadable(a) || overloadable(b) {
		if r := e.operatorCall(at, sign, cpp.NotEqual, []hir.Expr{a, b}); r != nil {
			return r
		}
	}
	return e.arithmetic(at, hir.Ne, a, b)
}

func (e *env) increment(at ast.Span, a hir.Expr) hir.Expr {
	if overloadable(a) {
		if r := e.operatorCall(at, "++", cpp.PlusPlus, []hir.Expr{a}); r != nil {
			return r
		}
	}
	return e.incDec(at, a, false, false)
}

func (e *env) indirect(at ast.Span, a hir.Expr) hir.Expr {
	if overloadable(a) {
		if r := e.operatorCall(at, "*", cpp.Star, []hir.Expr{a}); r != nil {
			return r
		}
	}
	return e.builtinUnary(at, cpp.Star, a)
}
