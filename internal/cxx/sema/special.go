package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// constructors returns the constructors of a complete class.
func (e *env) constructors(k *class) []*function {
	if e.implicits(k); k.ctors == nil {
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
	own := out // those of one base hide none of another
	for i := range k.bases {
		for _, f := range e.conversions(k.bases[i].class) {
			hidden := false
			for _, g := range own {
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
		t.Packed = a.Packed
	}
	if k.decl.Pack > 0 {
		t.Pack = int64(k.decl.Pack)
	}
	e.inheritConstructors(k)
	e.markSpecial(k)
	t.Declares = e.declares(k)
	if err := types.Layout(t); err != nil {
		e.errorf(k.at, codeClass, "class '%s': %s", e.types.Class(t), err)
		k.failed = true
	}
	t.Complete = !k.failed
	if e.isPlain(k) {
		e.classifyPlain(k)
		return
	}
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
	if k.destroyer != nil && !k.destroyer.defaulted && !k.destroyer.deleted {
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
		return e.destructor(k)
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
	e.implicits(k)
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
	t.TrivialDestroy = k.destroyer != nil && !k.destroyer.deleted && k.destroyer.trivial()
	t.TrivialDefault = false
	copies, some := true, false
	for _, f := range e.specialMembers(k) {
		switch {
		case f.deleted || f.special == destructor:
		case f.special == defaultCtor:
			t.TrivialDefault = f.trivial() && t.TrivialDestroy
		default:
			some = true
			copies = copies && f.trivial()
		}
	}
	t.TrivialCopy = copies && some && t.TrivialDestroy
	k.uncopyable = !some && t.TrivialDestroy
	for _, s := range k.subobjects() {
		k.uncopyable = k.uncopyable && (s.class == nil || s.class.t.TrivialCopy || s.class.uncopyable)
	}
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
func (e *env) destructorOf(t types.Type, at ast.Span) *hir.Func { return e.destructorFor(t, at, false) }

// destructorFor is destructorOf. A protected destructor destroys bases of derived classes, but
// no other objects ([class.protected]).
func (e *env) destructorFor(t types.Type, at ast.Span, base bool) *hir.Func {
	if e.unevaluated || t.IsRef() {
		return nil
	}
	k := classOfType(t.Element())
	if k == nil || !e.checker.complete(k, at) || k.plain || k.destroyer == nil {
		return nil
	}
	if k.destroyer.deleted {
		e.errorf(at, codeDeleted, "attempt to use a deleted function: the destructor of '%s'", e.types.Class(k.t))
		return nil
	}
	through := k
	if base {
		through = nil
	}
	e.checkMemberAccess(at, k, k.destroyer.access, "~"+k.t.Name, k.destroyer.at, through)
	if k.t.TrivialDestroy {
		return nil
	}
	e.checkCallee(at, k.destroyer)
	return e.hirFunc(k.destroyer)
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
				if f.tmpl != nil { // the instances are k's
					t := *f.tmpl
					t.fn, t.instances = &g, nil
					g.tmpl = &t
				}
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
	e.note(d, f.at, "'"+f.title()+"' has been explicitly marked deleted here")
}

func (e *env) reportDeletedCtor(at ast.Span, f *function, t types.Type) {
	what := "explicitly deleted constructor"
	if f.implicit || f.defaulted {
		what = "implicitly-deleted " + f.special.String()
	}
	d := e.errorf(at, codeDeleted, "call to %s of '%s'", what, t)
	e.note(d, f.at, "declared here")
}
