package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// synthesize makes the body of an implicit or defaulted special member.
func (c *checker) synthesize(f *function) {
	h := f.hir
	k := f.class
	b := &body{fn: f, hir: h, class: k}
	block := &hir.Block{Span: f.at}
	b.stmts = &block.Stmts
	s := newScope(paramScope, k.scope)
	s.body = b
	e := &env{checker: c, scope: s, body: b}
	switch f.special {
	case destructor:
		e.destroyMembers(f, block)
	case defaultCtor:
		e.memberInits(f, nil)
	case restInit:
		for _, m := range k.fields[f.first:] {
			if m.t.Name != "" || m.t.Width < 0 {
				e.initField(m, nil, f)
			}
		}
	case copyCtor, moveCtor:
		e.copyMembers(f, false)
	case copyAssign, moveAssign:
		e.copyMembers(f, true)
		this := e.load(e.ref(h.This, f.at))
		b.add(&hir.Return{Span: f.at, X: &hir.Deref{Info: hir.Info{Span: f.at, T: h.This.Type.Elem, Cat: hir.LValue}, X: this}})
	}
	h.Body = block
}

// self returns *this.
func (e *env) self(at ast.Span) hir.Expr {
	this := e.body.hir.This
	return &hir.Deref{Info: hir.Info{Span: at, T: this.Type.Elem, Cat: hir.LValue}, X: &hir.Convert{Info: rvalueInfo(at, this.Type), Kind: hir.Load, X: e.ref(this, at)}}
}

// copyMembers copies or moves each base and field.
func (e *env) copyMembers(f *function, assign bool) {
	k, at := f.class, f.at
	param := e.body.hir.Params[0]
	src := func() hir.Expr {
		x := e.ref(param, at)
		if f.special == moveCtor || f.special == moveAssign {
			return &hir.VarRef{Info: hir.Info{Span: at, T: x.Type(), Cat: hir.XValue}, Var: param}
		}
		return x
	}
	if k.t.Union {
		e.body.add(&hir.ExprStmt{Span: at, X: &hir.Copy{Info: hir.Info{Span: at, T: e.types.Class(k.t), Cat: hir.LValue}, To: e.self(at), X: src()}})
		return
	}
	for i := range k.bases {
		bt := e.types.Class(k.bases[i].class.t)
		to := e.toBase(e.self(at), bt)
		from := e.toBase(src(), e.types.Qualify(bt, src().Type().CV))
		sub := *e
		sub.base = k.bases[i].class
		sub.copyMember(to, from, assign)
	}
	for _, m := range k.fields {
		if m.t.Width >= 0 && m.t.Name == "" {
			continue
		}
		e.copyMember(e.fieldOf(e.self(at), m, at), e.fieldOf(src(), m, at), assign)
	}
}

// copyMember copies one base or field.
func (e *env) copyMember(to, from hir.Expr, assign bool) {
	at := spanOf(to)
	t := to.Type()
	if t.IsArray() {
		e.copyArray(to, from, assign)
		return
	}
	if f, ok := to.(*hir.Field); ok && f.Field.Type.IsRef() {
		e.body.add(&hir.Init{Span: at, X: to, Y: from})
		return
	}
	if assign {
		var x hir.Expr
		if t.IsClass() {
			x = e.operatorCall(at, "=", cpp.Equal, []hir.Expr{to, from})
		} else {
			x = e.assign(at, to, hir.NoOp, e.load(from))
		}
		if x != nil && !isBad(x) {
			e.body.add(&hir.ExprStmt{Span: at, X: x})
		}
		return
	}
	x := e.convertTo(from, t.Unqualified(), "member")
	if !isBad(x) {
		e.body.add(&hir.Init{Span: at, X: to, Y: x})
	}
}

// copyArray copies an array, by elements if they are not trivially copyable.
func (e *env) copyArray(to, from hir.Expr, assign bool) {
	at := spanOf(to)
	t := to.Type()
	k := classOfType(t.Element())
	if k == nil || k.t.TrivialCopy {
		info := hir.Info{Span: at, T: t.Unqualified()}
		if assign {
			info.Cat = hir.LValue
			e.body.add(&hir.ExprStmt{Span: at, X: &hir.Copy{Info: info, To: to, X: from}})
		} else {
			e.body.add(&hir.Init{Span: at, X: to, Y: &hir.Copy{Info: info, X: from}})
		}
		return
	}
	e.eachIndex(t.Len, false, at, func(e *env, i func() hir.Expr) {
		e.copyMember(e.elementOf(to, i()), e.elementOf(from, i()), assign)
	})
}

// eachIndex adds a loop over the indices of an array of n elements, from the first or, back,
// from the last.
func (e *env) eachIndex(n int64, back bool, at ast.Span, do func(e *env, i func() hir.Expr)) {
	from, end := int64(0), n
	if back {
		from, end = n-1, -1
	}
	t := e.basic(types.Long)
	e.body.add(e.inBlock(at, func(e *env) {
		v := e.hidden("__i", t, e.intConst(uint64(from), t, at), at)
		i := func() hir.Expr { return e.ref(v.hir, at) }
		l := &hir.Loop{Span: at, Cond: e.toBool(e.operandOp(at, "!=", i(), e.intConst(uint64(end), t, at))), Post: e.discard(e.incDec(at, i(), back, false))}
		e.body.loops++
		l.Body = e.inBlock(at, func(e *env) { do(e, i) })
		e.body.loops--
		e.body.add(l)
	}))
}

// elementOf is an array's element with the category of the array.
func (e *env) elementOf(a, i hir.Expr) hir.Expr {
	x := e.subscript(spanOf(a), a, i)
	if d, ok := x.(*hir.Deref); ok {
		d.Cat = a.Category()
	}
	return x
}

// destroyMembers adds the calls of the destructors of fields and bases, in reverse.
func (e *env) destroyMembers(f *function, block *hir.Block) {
	k := f.class
	saved := e.body.stmts
	e.body.stmts = &block.Stmts
	defer func() { e.body.stmts = saved }()
	if e.body.ended {
		inner := &hir.Block{Span: block.Span, Stmts: block.Stmts}
		block.Stmts = []hir.Stmt{inner, &hir.Label{Span: block.Span, Name: e.body.endLabel}}
	}
	call := func(obj hir.Expr, t types.Type, base bool) {
		d := e.destructorFor(t, f.at, base)
		if d == nil {
			return
		}
		e.destroyOne(d, obj, f.at)
	}
	if !k.t.Union {
		for i := len(k.fields) - 1; i >= 0; i-- {
			m := k.fields[i]
			if mk := classOfType(m.t.Type); mk != nil && mk.t.Union && m.t.Name == "" {
				continue // its members are the class's own, which nothing destroys by itself
			}
			call(e.fieldOf(e.self(f.at), m, f.at), m.t.Type, false)
		}
	}
	for i := len(k.bases) - 1; i >= 0; i-- {
		bt := e.types.Class(k.bases[i].class.t)
		call(e.toBase(e.self(f.at), bt), bt, true)
	}
}

// destroyOne adds the call of a destructor for an object, or for the elements of an array from
// the last to the first.
func (e *env) destroyOne(d *hir.Func, obj hir.Expr, at ast.Span) {
	if obj.Type().IsArray() {
		e.eachIndex(obj.Type().Len, true, at, func(e *env, i func() hir.Expr) { e.destroyOne(d, e.elementOf(obj, i()), at) })
		return
	}
	this := &hir.AddrOf{Info: rvalueInfo(at, e.types.Pointer(obj.Type().Unqualified())), X: e.requalify(obj, obj.Type().Unqualified())}
	e.body.add(&hir.ExprStmt{Span: at, X: &hir.Call{Info: rvalueInfo(at, e.basic(types.Void)), Func: d, This: this}})
}

// memberInits adds what a constructor does in front of its body: it delegates, or
// initialises bases and fields in the order of declaration.
func (e *env) memberInits(f *function, inits []*ast.MemberInit) {
	k := f.class
	if e.refuseVirtual(k, f.at) {
		return
	}
	bases := make([]*ast.MemberInit, len(k.bases))
	var packs []*ast.MemberInit
	fields := map[*types.Field]*ast.MemberInit{}
	inner := map[*field]*ast.MemberInit{}
	for _, m := range inits {
		if e.initTarget(k, m, bases, fields, inner, &packs) {
			x := e.initializer(e.types.Class(k.t), m.Init, m.Span, "object")
			if !isBad(x) && x != nil {
				e.body.add(&hir.Init{Span: m.Span, X: e.self(m.Span), Y: x})
			}
			return
		}
	}
	for i := range k.bases {
		e.initBase(k, i, bases[i], f)
	}
	for _, m := range k.fields {
		if m.t.Name == "" && m.t.Width >= 0 {
			continue
		}
		if m.decl == nil && m.t.Name == "" && k.lambda == nil {
			e.initAnonymous(m, inner)
			continue
		}
		in := fields[m.t]
		if k.t.Union && in == nil && (m.decl.Init == nil || len(fields) > 0) {
			continue
		}
		e.initField(m, in, f)
	}
}

// initTarget notes what a member initialiser initialises, and reports whether it is the
// object itself: the constructor delegates.
func (e *env) initTarget(k *class, m *ast.MemberInit, bases []*ast.MemberInit, fields map[*types.Field]*ast.MemberInit, inner map[*field]*ast.MemberInit, packs *[]*ast.MemberInit) bool {
	if name := m.Name.Plain(); name != "" {
		if sym := k.scope.get(name); sym != nil {
			if fd, ok := sym.what.(*field); ok {
				if fields[fd.t] != nil {
					e.errorf(m, codeMemberInit, "multiple initializations given for non-static member '%s'", name)
				}
				fields[fd.t] = m
				if len(fd.path) > 0 {
					inner[fd] = m
				}
				return false
			}
		}
	}
	if m.Pack {
		e.expand(m, func(e *env) { e.typeNamed(m.Name, false) }, func(sub *env) {
			if t := sub.typeNamed(m.Name, false); t.IsClass() {
				for i := range k.bases {
					if k.bases[i].class.t == t.Class {
						bases[i] = m
					}
				}
			}
		})
		return false
	}
	t := e.typeNamed(m.Name, false)
	if !t.IsValid() {
		return false
	}
	if t.IsClass() {
		if t.Class == k.t {
			return true
		}
		for i := range k.bases {
			if k.bases[i].class.t == t.Class {
				if bases[i] != nil {
					e.errorf(m, codeMemberInit, "multiple initializations given for base '%s'", t)
				}
				bases[i] = m
				return false
			}
		}
	}
	e.errorf(m, codeMemberInit, "type '%s' is not a direct or virtual base of '%s'", t, e.types.Class(k.t))
	return false
}

// initBase initialises one base.
func (e *env) initBase(k *class, i int, m *ast.MemberInit, f *function) {
	bk := k.bases[i].class
	bt := e.types.Class(bk.t)
	at := f.at
	var x hir.Expr
	sub := *e
	sub.base = bk
	if m != nil {
		at = m.Span
		if m.Pack {
			sub.pack = &expansion{index: e.packPosition(k, i, m), n: -1}
		}
		x = sub.initializer(bt, m.Init, at, "base")
	} else {
		x = sub.defaultInit(bt, at, "base")
	}
	if x == nil || isBad(x) {
		return
	}
	e.body.add(&hir.Init{Span: at, X: e.toBase(e.self(at), bt), Y: x})
}

// packPosition returns which element of a pack of bases the i-th base is.
func (e *env) packPosition(k *class, i int, m *ast.MemberInit) int {
	n := 0
	pos := 0
	e.expand(m, func(e *env) { e.typeNamed(m.Name, false) }, func(sub *env) {
		if t := sub.typeNamed(m.Name, false); t.IsClass() && t.Class == k.bases[i].class.t {
			pos = n
		}
		n++
	})
	return pos
}

// initField initialises one field: by the constructor, by its own initialiser, or by
// default.
func (e *env) initField(m *field, in *ast.MemberInit, f *function) {
	at := f.at
	var x hir.Expr
	switch {
	case in != nil:
		at = in.Span
		x = e.initializer(m.t.Type, in.Init, at, "member")
		if x == nil {
			x = e.valueInit(m.t.Type, at)
		}
	case m.decl != nil && m.decl.Init != nil:
		x = e.memberInit(m)
	case m.t.Type.IsRef():
		e.errorf(f.at, codeUninitialized, "constructor for '%s' must explicitly initialize the reference member '%s'", e.types.Class(m.class.t), m.t.Name)
		return
	case f.special == restInit: // an element of an aggregate without an initialiser in the list
		x = e.valueInit(m.t.Type, at)
	case m.t.Type.IsConst() && classOfType(m.t.Type.Element()) == nil:
		e.errorf(f.at, codeUninitialized, "constructor for '%s' must explicitly initialize the const member '%s'", e.types.Class(m.class.t), m.t.Name)
		return
	default:
		x = e.defaultInit(m.t.Type, at, "member")
	}
	if x == nil || isBad(x) {
		return
	}
	to := e.fieldOf(e.self(at), m, at)
	if !m.t.Type.IsRef() {
		to = e.requalify(to, e.types.Unqualify(to.Type()))
		if c, ok := to.(*hir.Convert); ok { // the field itself, written once
			to = c.X
		}
	}
	e.body.add(&hir.Init{Span: at, X: to, Y: x})
}

// initAnonymous initialises the member of an anonymous union or struct.
func (e *env) initAnonymous(m *field, inner map[*field]*ast.MemberInit) {
	k := classOfType(m.t.Type)
	if k == nil {
		return
	}
	done := false
	for _, n := range k.fields {
		for fd, in := range inner {
			if fd.t != n.t {
				continue
			}
			x := e.initializer(n.t.Type, in.Init, in.Span, "member")
			if x == nil {
				x = e.valueInit(n.t.Type, in.Span)
			}
			if !isBad(x) {
				e.body.add(&hir.Init{Span: in.Span, X: e.fieldOf(e.self(in.Span), fd, in.Span), Y: x})
			}
			done = true
		}
	}
	if done && k.t.Union {
		return
	}
	for _, n := range k.fields {
		if n.decl != nil && n.decl.Init != nil {
			up := *n
			up.class = m.class
			up.path = []*types.Field{m.t}
			x := e.memberInit(n)
			if !isBad(x) {
				e.body.add(&hir.Init{Span: n.at, X: e.fieldOf(e.self(n.at), &up, n.at), Y: x})
			}
			if k.t.Union {
				return
			}
		}
	}
}

// memberInit analyses a default member initialiser. Its object is the one of the
// constructor, or of the aggregate, which only a constructor has a name for.
func (e *env) memberInit(f *field) hir.Expr {
	if f.state == active {
		e.errorf(f.at, codeCycle, "default member initializer for '%s' needed within itself", f.t.Name)
		return e.bad(f.at)
	}
	saved := f.state
	f.state = active
	defer func() { f.state = saved }()
	var this *hir.Var
	if e.body != nil && e.body.hir != nil && e.body.hir.This != nil && e.body.class == f.class {
		this = e.body.hir.This
	}
	return e.initialiserOf(f, this)
}

// initialiserOf analyses a default member initialiser; this is nil where the object has no
// name.
func (e *env) initialiserOf(f *field, this *hir.Var) hir.Expr {
	sub := &env{checker: e.checker, scope: newScope(blockScope, f.class.scope), order: f.class.scope.visible(), unevaluated: e.unevaluated, this: this}
	x := sub.initializer(f.t.Type, f.decl.Init, f.at, "member")
	if x == nil {
		return e.valueInit(f.t.Type, f.at)
	}
	return x
}

// restOf returns the function that initialises the fields of an aggregate from the i-th on,
// if the default initialiser of one of them names the object; nil otherwise.
func (e *env) restOf(k *class, i int) *hir.Func {
	if k.t.Union || !k.hasInit {
		return nil
	}
	names := false
	for _, m := range k.fields[i:] {
		names = names || e.namesObject(m)
	}
	if !names {
		return nil
	}
	f := k.fields[i].rest
	if f == nil {
		f = &function{name: "__members" + decimal(i), class: k, at: k.at, scope: k.scope, special: restInit, first: i, implicit: true,
			state: done, deduced: true, specs: ast.Inline, access: types.Public}
		f.typ = e.types.Func(e.basic(types.Void), types.FuncInfo{})
		k.fields[i].rest = f
	}
	return e.hirFunc(f)
}

// namesObject reports whether the default initialiser of a field names the object.
func (e *env) namesObject(m *field) bool {
	if m.naming == untouched && m.decl != nil && m.decl.Init != nil {
		m.naming = active
		for _, a := range m.decl.Init.Args {
			if _, literal := a.(*ast.Literal); literal {
				continue
			}
			this := &hir.Var{Name: "this", Type: e.types.Pointer(e.types.Class(m.class.t))}
			var x hir.Expr
			if e.fails(func() { x = e.initialiserOf(m, this) }) {
				break
			}
			hir.Walk(x, func(n any) {
				if v, ok := n.(*hir.VarRef); ok && v.Var == this {
					m.namesObject = true
				}
			})
			break
		}
		m.naming = done
	}
	return m.namesObject
}
