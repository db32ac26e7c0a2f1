package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// constructors returns the constructors of a complete class.
func (e *env) constructors(k *class) []*function {
	if k.ctors == nil {
		return nil
	}
	e.resolveSet(k.ctors)
	return k.ctors.funcs
}

// conversions returns the conversion functions of a class and its bases.
func (e *env) conversions(k *class) []*function {
	out := make([]*function, 0, len(k.convs))
	for _, f := range k.convs {
		e.signature(f)
		if !f.bad && f.typ.Node != nil {
			out = append(out, f)
		}
	}
	for i := range k.bases {
		for _, f := range e.conversions(k.bases[i].class) {
			hidden := false
			for _, g := range out {
				hidden = hidden || g.tmpl == nil && f.tmpl == nil && g.result() == f.result()
			}
			if !hidden {
				out = append(out, f)
			}
		}
	}
	return out
}

// finish gives a class its implicit members, classifies it and lays it out.
func (e *env) finish(k *class) {
	t := k.t
	if a := k.decl.Attrs; a != nil {
		t.MinAlign = e.alignOf(a)
		if a.Packed {
			t.Pack = 1
		}
	}
	if k.decl.Pack > 0 {
		t.Pack = int64(k.decl.Pack)
	}
	if t.Virtual && !k.failed {
		// Members of such a class can be used on the host; the device refuses it when it is
		// constructed or called.
		t.Virtual = true
	}
	e.inheritConstructors(k)
	e.markSpecial(k)
	t.Declares = e.declares(k)
	if err := types.Layout(t); err != nil {
		e.errorf(k.at, codeClass, "class '%s': %s", e.types.Class(t), err)
		k.failed = true
	}
	t.Complete = !k.failed
	e.declareImplicit(k)
	e.classify(k)
}

// declares returns which special members a class declares itself, as its layout needs.
func (e *env) declares(k *class) types.SpecialMembers {
	var d types.SpecialMembers
	for _, f := range e.constructors(k) {
		d |= types.AnyConstructor
		provided := !f.defaulted && !f.deleted
		if provided || f.has(ast.Explicit) || f.inherited != nil {
			d |= types.UserConstructor
		}
		switch {
		case f.special == defaultCtor && provided:
			d |= types.UserDefault
		case f.special == defaultCtor:
			d |= types.DefaultedDefault
		case (f.special == copyCtor || f.special == moveCtor) && provided:
			d |= types.UserCopy
		}
		if f.has(ast.Constexpr) && f.special != copyCtor && f.special != moveCtor {
			d |= types.ConstexprConstructor
		}
	}
	for _, f := range e.ownMembers(k, copyAssign) {
		switch {
		case f.defaulted || f.deleted:
		case f.special == copyAssign:
			d |= types.UserCopyAssign
		case f.special == moveAssign:
			d |= types.UserMoveAssign
		}
	}
	if k.dtor != nil && !k.dtor.defaulted && !k.dtor.deleted {
		d |= types.UserDestructor
	}
	if k.hasInit {
		d |= types.DefaultInit
	}
	return d
}

// declaredSpecial returns the special member of a kind that the class declares, or nil.
func (e *env) declaredSpecial(k *class, kind specialKind) *function {
	if kind == destructor {
		return k.dtor
	}
	for _, f := range e.ownMembers(k, kind) {
		if f.special == kind {
			return f
		}
	}
	return nil
}

// ownMembers returns the constructors or the assignment operators of a class.
func (e *env) ownMembers(k *class, kind specialKind) []*function {
	if kind <= moveCtor {
		return e.constructors(k)
	}
	if sym := k.scope.get("operator="); sym != nil {
		if o, ok := sym.what.(*overloads); ok {
			e.resolveSet(o)
			return o.funcs
		}
	}
	return nil
}

// markSpecial says of each declared member which special member it is.
func (e *env) markSpecial(k *class) {
	self := e.types.Class(k.t)
	for _, f := range e.constructors(k) {
		if f.tmpl != nil || f.inherited != nil || f.typ.Node == nil {
			continue
		}
		switch {
		case len(f.params) == 0 || f.hasDefault(0):
			f.special = defaultCtor
		case len(f.params) == 1 || f.hasDefault(1):
			f.special = f.copyOrMove(self, copyCtor, moveCtor)
		}
	}
	for _, f := range e.ownMembers(k, copyAssign) {
		if f.tmpl == nil && len(f.params) == 1 {
			f.special = f.copyOrMove(self, copyAssign, moveAssign)
			if f.params[0].Unqualified() == self {
				f.special = copyAssign
			}
		}
	}
}

func (f *function) copyOrMove(self types.Type, copying, moving specialKind) specialKind {
	p := f.params[0]
	switch {
	case p.Is(types.LRef) && p.Elem.Unqualified() == self:
		return copying
	case p.Is(types.RRef) && p.Elem.Unqualified() == self:
		return moving
	}
	return notSpecial
}

// declareImplicit declares the special members that the class has without saying so
// (C++17, 15).
func (e *env) declareImplicit(k *class) {
	if k.ctors == nil {
		k.ctors = &overloads{name: k.t.Name, scope: k.scope}
	}
	e.markSpecial(k)
	hasCtor := false
	for _, f := range e.constructors(k) {
		hasCtor = hasCtor || f.inherited == nil
	}
	has := func(s specialKind) bool { return e.declaredSpecial(k, s) != nil }
	anyMove := has(moveCtor) || has(moveAssign)
	noMove := has(copyCtor) || has(copyAssign) || has(destructor) || anyMove
	self := e.types.Class(k.t)
	copyParam := e.types.Ref(e.types.Qualify(self, types.Const), false)
	moveParam := e.types.Ref(self, true)
	lhs := e.types.Ref(self, false)
	void := e.basic(types.Void)
	if k.dtor == nil {
		k.dtor = e.addImplicit(k, destructor, void, nil, false)
	}
	e.signature(k.dtor)
	if !has(copyCtor) {
		e.addImplicit(k, copyCtor, void, []types.Type{copyParam}, anyMove || k.lambda != nil && false)
	}
	if !has(copyAssign) {
		e.addImplicit(k, copyAssign, lhs, []types.Type{copyParam}, anyMove || k.lambda != nil)
	}
	if !noMove {
		e.addImplicit(k, moveCtor, void, []types.Type{moveParam}, false)
		if k.lambda == nil {
			e.addImplicit(k, moveAssign, lhs, []types.Type{moveParam}, false)
		}
	}
	if !hasCtor && k.lambda == nil {
		e.addImplicit(k, defaultCtor, void, nil, false)
	}
	for _, s := range []specialKind{defaultCtor, copyCtor, moveCtor, copyAssign, moveAssign, destructor} {
		f := e.declaredSpecial(k, s)
		if f == nil || f.deleted || !f.implicit && !f.defaulted {
			continue
		}
		if !e.canDefault(k, s) {
			if (s == moveCtor || s == moveAssign) && f.implicit {
				k.remove(f) // it does not take part: copies are made
				continue
			}
			f.deleted = true
		}
	}
}

func (k *class) remove(f *function) {
	drop := func(o *overloads) {
		for i, g := range o.funcs {
			if g == f {
				o.funcs = append(o.funcs[:i:i], o.funcs[i+1:]...)
				return
			}
		}
	}
	drop(k.ctors)
	if sym := k.scope.get("operator="); sym != nil {
		if o, ok := sym.what.(*overloads); ok {
			drop(o)
		}
	}
}

// addImplicit declares one special member.
func (e *env) addImplicit(k *class, s specialKind, result types.Type, params []types.Type, deleted bool) *function {
	f := &function{class: k, at: k.at, scope: k.scope, special: s, implicit: true, deleted: deleted, state: done, deduced: true,
		specs: ast.Inline, access: types.Public}
	f.typ = e.types.Func(result, types.FuncInfo{Params: params})
	f.params = f.typ.Func.Params
	switch s {
	case destructor:
		f.name, f.kind = "~"+k.t.Name, ast.Destructor
		return f
	case copyAssign, moveAssign:
		f.name = "operator="
		sym := k.scope.put("operator=")
		o, ok := sym.what.(*overloads)
		if !ok {
			o = &overloads{name: f.name, scope: k.scope, state: done}
			sym.what = o
		}
		o.funcs = append(o.funcs, f)
	default:
		f.name, f.kind = k.t.Name, ast.Constructor
		k.ctors.funcs = append(k.ctors.funcs, f)
	}
	return f
}

// canDefault reports whether every base and field has the special member too.
func (e *env) canDefault(k *class, s specialKind) bool {
	for i := range k.bases {
		if f := e.subobject(k.bases[i].class, s, false); f == nil || f.deleted || f.access == types.Private {
			return false
		}
	}
	for _, f := range k.fields {
		t := f.t.Type
		if f.t.Width >= 0 && f.t.Name == "" {
			continue
		}
		switch {
		case t.IsRef():
			if s == defaultCtor && (f.decl == nil || f.decl.Init == nil) || s == copyAssign || s == moveAssign {
				return false
			}
			continue
		case t.IsConst():
			if s == copyAssign || s == moveAssign {
				return false
			}
			if s == defaultCtor && classOfType(t.Element()) == nil && (f.decl == nil || f.decl.Init == nil) && !k.t.Union {
				return false
			}
		}
		sub := classOfType(t.Element())
		if sub == nil || s == defaultCtor && f.decl != nil && f.decl.Init != nil {
			continue
		}
		m := e.subobject(sub, s, t.IsConst() && s != moveCtor)
		if m == nil || m.deleted || m.access != types.Public && !e.friendly(sub, k) {
			return false
		}
		if k.t.Union && !m.trivial() {
			return false
		}
	}
	return true
}

func (e *env) friendly(sub, k *class) bool {
	return e.isFriendClass(sub, k) || k.scope.parent.classOf() == sub
}

// subobject returns the special member that an implicit one of the class around calls.
func (e *env) subobject(k *class, s specialKind, constant bool) *function {
	e.checker.complete(k, k.at)
	if f := e.declaredSpecial(k, s); f != nil {
		return f
	}
	switch s {
	case moveCtor:
		return e.declaredSpecial(k, copyCtor)
	case moveAssign:
		return e.declaredSpecial(k, copyAssign)
	}
	return nil
}

// trivialMember reports whether a special member that is implicit or defaulted copies
// bytes, because those of all bases and fields do.
func (k *class) trivialMember(s specialKind) bool {
	if k.state != done {
		return k.trivialParts(s)
	}
	if k.trivial[s] == 0 {
		k.trivial[s] = 1
		if k.trivialParts(s) {
			k.trivial[s] = 2
		}
	}
	return k.trivial[s] == 2
}

// trivialParts asks the class's bases and fields.
func (k *class) trivialParts(s specialKind) bool {
	if k.t.Virtual || s == defaultCtor && k.hasInit {
		return false
	}
	for i := range k.bases {
		if !k.bases[i].class.trivialOf(s) {
			return false
		}
	}
	for _, f := range k.fields {
		if sub := classOfType(f.t.Type.Element()); sub != nil && !sub.trivialOf(s) {
			return false
		}
	}
	return true
}

func (k *class) trivialOf(s specialKind) bool {
	find := func(s specialKind) *function {
		if s == destructor {
			return k.dtor
		}
		var list []*function
		if s <= moveCtor {
			list = k.ctors.funcs
		} else if sym := k.scope.get("operator="); sym != nil {
			if o, ok := sym.what.(*overloads); ok {
				list = o.funcs
			}
		}
		for _, f := range list {
			if f.special == s {
				return f
			}
		}
		return nil
	}
	f := find(s)
	if f == nil && s == moveCtor {
		f, s = find(copyCtor), copyCtor
	}
	if f == nil && s == moveAssign {
		f, s = find(copyAssign), copyAssign
	}
	return f != nil && !f.deleted && (f.implicit || f.defaulted && f.decl.Defaulted) && k.trivialMember(s)
}

// classify sets what the language says of a complete class.
func (e *env) classify(k *class) {
	t := k.t
	user, private := false, false
	for _, f := range e.constructors(k) {
		if f.implicit {
			continue
		}
		if f.inherited != nil || f.has(ast.Explicit) || !(f.defaulted || f.deleted) {
			user = true
		}
		if !f.defaulted && !f.deleted {
			t.HasUserConstruct = true
		}
	}
	for _, f := range k.fields {
		private = private || f.t.Access != types.Public
	}
	t.Aggregate = !user && !private && !t.Virtual && k.lambda == nil
	for i := range k.bases {
		if k.bases[i].access != types.Public {
			t.Aggregate = false
		}
	}
	trivial := func(s specialKind) bool {
		f := e.declaredSpecial(k, s)
		return f != nil && !f.deleted && (f.implicit || f.defaulted && f.decl.Defaulted) && k.trivialMember(s)
	}
	t.TrivialDestroy = trivial(destructor)
	t.TrivialDefault = trivial(defaultCtor) && !k.hasInit && t.TrivialDestroy
	ok, some := true, false
	for _, s := range []specialKind{copyCtor, moveCtor, copyAssign, moveAssign} {
		f := e.declaredSpecial(k, s)
		if f == nil || f.deleted {
			continue
		}
		some = true
		ok = ok && trivial(s)
	}
	t.TrivialCopy = ok && some && t.TrivialDestroy
	t.Literal = t.TrivialDestroy
	t.StandardLayout = e.standardLayout(k)
}

func (e *env) standardLayout(k *class) bool {
	if k.t.Virtual {
		return false
	}
	n := 0
	for i := range k.bases {
		b := k.bases[i].class
		if !b.t.StandardLayout {
			return false
		}
		if len(b.allFields()) > 0 {
			n++
		}
	}
	if n > 1 || n == 1 && len(k.fields) > 0 {
		return false
	}
	for i, f := range k.fields {
		if f.t.Type.IsRef() || i > 0 && f.t.Access != k.fields[0].t.Access {
			return false
		}
		if sub := classOfType(f.t.Type.Element()); sub != nil && !sub.t.StandardLayout {
			return false
		}
	}
	return true
}

func (k *class) allFields() []*field {
	out := k.fields
	for i := range k.bases {
		out = append(out[:len(out):len(out)], k.bases[i].class.allFields()...)
	}
	return out
}

// destructorOf returns the destructor of objects of type t, or of the elements of an
// array; nil if it does nothing.
func (e *env) destructorOf(t types.Type, at ast.Span) *hir.Func {
	if e.unevaluated || t.IsRef() {
		return nil
	}
	k := classOfType(t.Element())
	if k == nil || !e.checker.complete(k, at) || k.dtor == nil {
		return nil
	}
	if k.dtor.deleted {
		e.errorf(at, codeDeleted, "attempt to use a deleted function: the destructor of '%s'", e.types.Class(k.t))
		return nil
	}
	if k.t.TrivialDestroy {
		return nil
	}
	e.checkMemberAccess(at, k, k.dtor.access, "~"+k.t.Name, k.dtor.at, k)
	e.checkCallee(at, k.dtor)
	return e.hirFunc(k.dtor)
}

// inheritConstructors adds the constructors that using declarations take from bases.
func (e *env) inheritConstructors(k *class) {
	for _, d := range k.patterns {
		u, ok := d.(*ast.UsingDecl)
		if !ok {
			continue
		}
		q := *u.Name
		q.Last = q.Quals[len(q.Quals)-1]
		q.Quals = q.Quals[:len(q.Quals)-1]
		add := func(e *env) {
			t := e.typeNamed(&q, false)
			bk := classOfType(t)
			if bk == nil {
				return
			}
			for _, f := range e.constructors(bk) {
				if f.special == copyCtor || f.special == moveCtor || f.special == defaultCtor {
					continue
				}
				g := *f
				g.class, g.inherited, g.hir, g.bodied = k, f, nil, untouched
				g.implicit = false
				if k.ctors == nil {
					k.ctors = &overloads{name: k.t.Name, scope: k.scope}
				}
				k.ctors.funcs = append(k.ctors.funcs, &g)
			}
		}
		if u.Pack {
			e.expand(u, func(e *env) { e.typeNamed(&q, false) }, add)
		} else {
			add(e)
		}
	}
}

// inheritConstructor makes the body of an inherited constructor: it passes its
// parameters on.
func (c *checker) inheritConstructor(f *function) {
	h, k := f.hir, f.class
	b := &body{fn: f, hir: h, class: k}
	block := &hir.Block{Span: f.at}
	b.stmts = &block.Stmts
	s := newScope(paramScope, k.scope)
	s.body = b
	e := &env{checker: c, scope: s, body: b}
	for i := range k.bases {
		bk := k.bases[i].class
		bt := e.types.Class(bk.t)
		if bk != f.inherited.class {
			e.initBase(k, i, nil, f)
			continue
		}
		var args []hir.Expr
		for j, p := range h.Params {
			x := e.ref(p, f.at)
			if !p.Type.Is(types.LRef) {
				x = &hir.VarRef{Info: hir.Info{Span: f.at, T: x.Type(), Cat: hir.XValue}, Var: p}
			}
			args = append(args, e.convertTo(x, f.params[j], "parameter"))
		}
		y := &hir.Construct{Info: rvalueInfo(f.at, bt), Func: e.hirFunc(f.inherited), Args: args}
		b.add(&hir.Init{Span: f.at, X: e.toBase(e.self(f.at), bt), Y: y})
	}
	for _, m := range k.fields {
		e.initField(m, nil, f)
	}
	h.Body = block
}

func (e *env) reportDeleted(at ast.Node, f *function) {
	d := e.errorf(at, codeDeleted, "attempt to use a deleted function")
	e.note(d, f.at, "'"+f.name+"' has been explicitly marked deleted here")
}

func (e *env) reportDeletedCtor(at ast.Span, f *function, t types.Type) {
	what := "explicitly deleted constructor"
	if f.implicit || f.defaulted {
		what = "implicitly-deleted " + f.special.String()
	}
	d := e.errorf(at, codeDeleted, "call to %s of '%s'", what, t)
	e.note(d, f.at, "declared here")
}
