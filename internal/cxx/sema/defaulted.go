package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// This file decides what the special members are that the compiler defines: which function
// of each base and field they call, and so whether they are deleted and whether they are
// trivial ([class.ctor]/4 to 6, [class.dtor], [class.copy.ctor], [class.copy.assign]).

// A selection asks for the special member that a class has for an object: of a kind, for a
// source with qualifiers, and for an assignment to an object with qualifiers.
type selection struct {
	kind     specialKind
	from, to types.CV
}

// selectSpecial returns the function that overload resolution chooses to construct,
// assign or destroy an object of class k: from an lvalue of it for the copies, and from
// an xvalue for the moves. It is nil if there is none or several fit equally well.
func (e *env) selectSpecial(k *class, s selection) *function {
	if s.kind == destructor {
		return e.destructor(k)
	}
	if f, ok := k.selected[s]; ok {
		return f
	}
	f := e.resolveSpecial(k, s)
	if k.selected == nil {
		k.selected = map[selection]*function{}
	}
	k.selected[s] = f
	return f
}

func (e *env) resolveSpecial(k *class, s selection) *function {
	x := &stubExpr{hir.Info{T: e.types.Qualify(e.types.Class(k.t), s.from), Cat: hir.LValue}}
	if s.kind == moveCtor || s.kind == moveAssign {
		x.Cat = hir.XValue
	}
	var set candidates
	defer set.release(e)
	switch s.kind {
	case copyAssign, moveAssign:
		obj := &stubExpr{hir.Info{T: e.types.Qualify(e.types.Class(k.t), s.to), Cat: hir.LValue}}
		set.addMembers(e, k, "operator=", obj, []hir.Expr{x})
	default:
		var args []hir.Expr
		if s.kind != defaultCtor {
			args = []hir.Expr{x}
		}
		for _, f := range e.constructors(k) {
			set.consider(e, f, nil, args, nil, callFlags{noUser: true})
		}
	}
	best, ambiguous := set.best(e)
	if best == nil || ambiguous {
		return nil
	}
	return best.fn
}

// ignored reports whether overload resolution ignores a function: a defaulted move that is
// deleted ([over.match.funcs]/8).
func (f *function) ignored() bool {
	return f.deleted && (f.special == moveCtor || f.special == moveAssign) && (f.implicit || f.defaulted)
}

// A subobject is a base or a field as a special member sees it.
type subobject struct {
	class *class // nil for a field of another type
	field *field // nil for a base
	cv    types.CV
}

// subobjects returns the bases and fields of a class; unnamed bit-fields have no value.
func (k *class) subobjects() []subobject {
	if len(k.parts) > 0 || len(k.bases)+len(k.fields) == 0 {
		return k.parts
	}
	out := make([]subobject, 0, len(k.bases)+len(k.fields))
	for i := range k.bases {
		out = append(out, subobject{class: k.bases[i].class})
	}
	for _, f := range k.fields {
		if f.t.Width < 0 || f.t.Name != "" {
			t := f.t.Type
			s := subobject{field: f, cv: t.Qualifiers()}
			if !t.IsRef() {
				s.class = classOfType(t.Element())
			}
			out = append(out, s)
		}
	}
	k.parts = out
	return out
}

// copiesConst reports whether the copies of all bases and fields take const objects, so
// that the implicit copy of the class does ([class.copy.ctor]/7, [class.copy.assign]/2).
func (e *env) copiesConst(k *class, kind specialKind) bool {
	for _, s := range k.subobjects() {
		if s.class == nil {
			continue
		}
		found := false
		for _, f := range e.ownMembers(s.class, kind) {
			found = found || f.special == kind && (!f.params[0].IsRef() || f.params[0].Elem.IsConst())
		}
		if !found {
			return false
		}
	}
	return true
}

// define decides whether a special member that the compiler defines is deleted, and
// whether it is trivial.
func (e *env) define(k *class, f *function) {
	f.doesNothing = (!k.t.Virtual || f.special == destructor) && (f.special != defaultCtor || !k.hasInit)
	variant := k.t.Union
	for i := range k.subobjects() {
		s := &k.parts[i]
		if !e.definedFor(f, s) {
			f.deleted = true
			return
		}
		if s.class == nil || f.special == defaultCtor && s.initialised() {
			continue
		}
		m := e.selectSpecial(s.class, s.selection(f))
		if m == nil || m.deleted || !e.usable(m, k, s) {
			f.deleted = true
			return
		}
		if !m.trivial() {
			f.doesNothing = false
			if variant && (f.special != defaultCtor || !k.hasInit) {
				f.deleted = true
				return
			}
		}
		if d := e.destructor(s.class); f.special <= moveCtor && !variant && (d == nil || d.deleted || !e.usable(d, k, s)) {
			f.deleted = true
			return
		}
	}
}

// definedFor reports whether the type of a field lets a special member be defined.
func (e *env) definedFor(f *function, s *subobject) bool {
	if s.field == nil {
		return true
	}
	t := s.field.t.Type
	switch f.special {
	case defaultCtor:
		switch {
		case s.initialised():
			return true
		case t.IsRef():
			return false
		case s.cv&types.Const != 0 && !f.class.t.Union:
			return s.class != nil && e.constDefault(s.class)
		}
	case copyCtor:
		return !t.Is(types.RRef)
	case copyAssign, moveAssign:
		return !t.IsRef() && (s.cv&types.Const == 0 || s.class != nil)
	}
	return true
}

// initialised reports whether a field has a default member initialiser.
func (s *subobject) initialised() bool {
	return s.field != nil && s.field.decl != nil && s.field.decl.Init != nil
}

// selection returns what a special member of the class around asks a base or field for.
func (s *subobject) selection(f *function) selection {
	out := selection{kind: f.special}
	if f.special == defaultCtor || f.special == destructor {
		return out
	}
	out.from = s.cv
	if p := f.params[0]; p.IsRef() {
		cv := p.Elem.CV
		if s.field != nil && s.field.t.Mutable {
			cv &^= types.Const
		}
		out.from |= cv
	}
	if f.special == copyAssign || f.special == moveAssign {
		out.to = s.cv
	}
	return out
}

// usable reports whether a member of a base or field is accessible to a class.
func (e *env) usable(m *function, k *class, s *subobject) bool {
	switch {
	case m.access == types.Public, m.access == types.Protected && s.field == nil:
		return true
	}
	return e.classMay(k, m.class, types.Private, nil)
}

// constDefault reports whether a const object of a class may be default-initialised: its
// constructor is the program's, or all of its members have values without it.
func (e *env) constDefault(k *class) bool {
	f := e.selectSpecial(k, selection{kind: defaultCtor})
	if f == nil || f.userProvided() {
		return f != nil
	}
	if k.t.Union {
		return len(k.fields) == 0 || k.hasInit
	}
	for _, s := range k.subobjects() {
		if !s.initialised() && (s.class == nil || !e.constDefault(s.class)) {
			return false
		}
	}
	return true
}

// userProvided reports whether a special member is the program's own.
func (f *function) userProvided() bool {
	return !f.implicit && !(f.decl != nil && f.decl.Defaulted)
}

// trivial reports whether a special member does nothing but copy bytes, or nothing.
func (f *function) trivial() bool {
	return f.class != nil && f.special != notSpecial && !f.userProvided() && f.doesNothing
}

// isTrivialCopy reports whether a constructor copies bytes.
func (f *function) isTrivialCopy() bool {
	return (f.special == copyCtor || f.special == moveCtor) && f.trivial()
}

// specialMembers returns the special members of a class, implicit ones included.
func (e *env) specialMembers(k *class) []*function {
	out := make([]*function, 0, 6)
	if d := e.destructor(k); d != nil {
		out = append(out, d)
	}
	for _, kind := range [...]specialKind{defaultCtor, copyAssign} {
		for _, f := range e.ownMembers(k, kind) {
			if f.special != notSpecial {
				out = append(out, f)
			}
		}
	}
	return out
}

// declareImplicit declares the special members that the class has without saying so
// (C++17, 15), and decides what those are that the compiler defines.
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
	copyParam := func(s specialKind) []types.Type {
		t := self
		if e.copiesConst(k, s) {
			t = e.types.Qualify(self, types.Const)
		}
		return []types.Type{e.types.Ref(t, false)}
	}
	moveParam := []types.Type{e.types.Ref(self, true)}
	lhs := e.types.Ref(self, false)
	void := e.basic(types.Void)
	if k.destroyer == nil {
		k.destroyer = e.addImplicit(k, destructor, void, nil, false)
	}
	e.signature(k.destroyer)
	if !has(copyCtor) {
		e.addImplicit(k, copyCtor, void, copyParam(copyCtor), anyMove)
	}
	if !has(copyAssign) {
		e.addImplicit(k, copyAssign, lhs, copyParam(copyAssign), anyMove || k.lambda != nil)
	}
	if !noMove {
		e.addImplicit(k, moveCtor, void, moveParam, false)
		if k.lambda == nil {
			e.addImplicit(k, moveAssign, lhs, moveParam, false)
		}
	}
	if !hasCtor && k.lambda == nil {
		e.addImplicit(k, defaultCtor, void, nil, false)
	}
	for _, f := range e.specialMembers(k) {
		if !f.deleted && (f.implicit || f.defaulted) {
			e.define(k, f)
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
