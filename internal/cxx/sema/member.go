package sema

import (
	"slices"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// A boundMember is a pointer to a member function with its object: what only a call can
// use.
type boundMember struct {
	hir.Info
	object hir.Expr
	fun    hir.Expr
}

// memberExpr analyses x.m and x->m.
func (e *env) memberExpr(x *ast.MemberExpr) hir.Expr {
	obj := e.single(e.expr(x.X))
	if isBad(obj) {
		return e.bad(x)
	}
	if x.Arrow {
		if obj = e.arrow(x, obj); isBad(obj) {
			return obj
		}
	}
	return e.memberOf(x, obj)
}

// arrow returns the object that x-> refers to.
func (e *env) arrow(x *ast.MemberExpr, obj hir.Expr) hir.Expr {
	for range maxDepth {
		if !obj.Type().IsClass() {
			break
		}
		obj = e.operatorCall(spanOf(x.X), "->", cpp.Arrow, []hir.Expr{obj})
		if isBad(obj) {
			return e.bad(x)
		}
	}
	obj = e.load(obj)
	if isBad(obj) {
		return obj
	}
	if !obj.Type().IsPointer() {
		e.errorf(x.X, codeOperands, "member reference type '%s' is not a pointer", obj.Type())
		return e.bad(x)
	}
	return e.dereference(spanOf(x.X), obj)
}

// memberOf returns the member of an object that a name means.
func (e *env) memberOf(x *ast.MemberExpr, obj hir.Expr) hir.Expr {
	if f := e.plainField(x, obj); f != nil {
		return f
	}
	t := obj.Type()
	k := classOfType(t)
	n := x.Name
	if k == nil {
		if t.IsPointer() && t.Elem.IsClass() {
			d := e.errorf(x, codeOperands, "member reference type '%s' is a pointer; did you mean to use '->'?", t)
			d.Hint = "use -> instead of ."
		} else {
			e.errorf(x, codeOperands, "member reference base type '%s' is not a structure or union", t)
		}
		return e.bad(x)
	}
	if !e.requireComplete(t, x.Span, "member access into incomplete type") && k.state != active {
		return e.bad(x)
	}
	var f finding
	q := qualifier{}
	if qualified(n) {
		sub := *e
		if k.scope != nil && !n.Global {
			in := newScope(classScope, e.scope)
			in.class = k
			sub.scope = in
		}
		q = sub.qualifier(n)
		if q.bad {
			return e.bad(x)
		}
		f = e.member(q, segmentKey(n.Last), anything, n)
	} else if n.Last.Kind == ast.ConversionName {
		return e.namedConversion(x, obj, k)
	} else {
		e.inClass(&f, k, segmentKey(n.Last), anything)
		f.naming = k
	}
	if !f.found() {
		e.errorf(n, codeNoMember, "no member named '%s' in '%s'", segmentKey(n.Last), t.Unqualified())
		return e.bad(x)
	}
	if f.ambiguous[0] != nil {
		e.ambiguousMember(n, n.Last.Ident, &f)
		return e.bad(x)
	}
	e.checkAccess(&f, classOfType(t), n)
	obj = e.asNamed(obj, q)
	switch o := f.obj.(type) {
	case *field:
		return e.fieldOf(obj, o, x.Span)
	case *overloads:
		r := e.overloadSet(&f, qualifier{typ: t.Unqualified()}, n, obj)
		if o, ok := r.(*overloadExpr); ok {
			o.Span = x.Span
		}
		return r
	case *variable:
		v := e.useVariable(o, x.Span)
		if isPure(obj) || isBad(v) {
			return v
		}
		return &hir.Comma{Info: hir.Info{Span: x.Span, T: v.Type(), Cat: v.Category()}, X: e.discard(obj), Y: v}
	case *enumConst:
		return e.useEnumerator(o, x.Span)
	}
	e.errorf(n, codeNotValue, "cannot refer to type member '%s' in '%s' with '.'", n.Last.Ident, t)
	return e.bad(x)
}

// refuseVirtual reports the use of an object of class k, which may be nil, if that has virtual
// functions or bases: calls are of static types, and layouts have no tables.
func (e *env) refuseVirtual(k *class, at ast.Span) bool {
	if k == nil || !k.t.Virtual && !k.t.Unsized || e.unevaluated {
		return false
	}
	e.errorf(at, codeRefused, "class '%s' has virtual functions or bases, which are not supported in device code", e.types.Class(k.t))
	return true
}

// sized reports whether a type is complete and of a known size; a message says what needs it.
func (e *env) sized(t types.Type, at ast.Span, message string) bool {
	if !e.requireComplete(t, at, message) {
		return false
	}
	if x := t.Element(); x.IsClass() && x.Class.Unsized {
		e.errorf(at, codeRefused, "class '%s' has a virtual base, or a part that has: its size is not supported in device code", x.Unqualified())
		return false
	}
	return true
}

// asNamed returns an object as the base that a member's qualifier names: a class may be
// a base of an object's class more than once.
func (e *env) asNamed(obj hir.Expr, q qualifier) hir.Expr {
	k := classOfType(q.typ)
	if k == nil || obj == nil {
		return obj
	}
	return e.toBaseOrSelf(obj, k)
}

// namedConversion is x.operator T.
func (e *env) namedConversion(x *ast.MemberExpr, obj hir.Expr, k *class) hir.Expr {
	t := e.typ(x.Name.Last.Type)
	if !t.IsValid() {
		return e.bad(x)
	}
	o := &overloadExpr{Info: hir.Info{Span: x.Span, T: e.basic(types.Overload), Cat: hir.LValue}, name: x.Name, object: obj, class: k, qualified: true}
	for _, f := range e.conversions(k) {
		if f.tmpl == nil && f.result() == t {
			o.addFunc(e.checker, f)
		}
	}
	if len(o.funcs) == 0 {
		e.errorf(x.Name, codeNoMember, "no member named 'operator %s' in '%s'", t, obj.Type())
		return e.bad(x)
	}
	return o
}

func (e *env) ambiguousMember(at ast.Node, name string, f *finding) {
	d := e.errorf(at, codeAmbiguousMember, "member '%s' found in multiple base classes of different types", name)
	for _, k := range f.ambiguous {
		e.note(d, k.at, "member found in '"+e.types.Class(k.t).String()+"'")
	}
}

// pseudoDestructor analyses x.~T(), which does nothing for scalars; nil for other calls.
func (e *env) pseudoDestructor(x *ast.CallExpr, m *ast.MemberExpr) hir.Expr {
	if m.Name.Last.Kind != ast.DestructorName {
		return nil
	}
	obj := e.single(e.expr(m.X))
	if isBad(obj) {
		return obj
	}
	if m.Arrow {
		if obj = e.arrow(m, obj); isBad(obj) {
			return obj
		}
	}
	void := e.basic(types.Void)
	k := classOfType(obj.Type())
	if k == nil {
		return &hir.Convert{Info: rvalueInfo(x.Span, void), Kind: hir.ToVoid, X: e.address(x.Span, obj)}
	}
	if !e.requireComplete(obj.Type(), spanOf(x), "destructor of incomplete type") {
		return e.bad(x)
	}
	d := e.destructorOf(obj.Type(), spanOf(x))
	if d == nil {
		return &hir.Convert{Info: rvalueInfo(x.Span, void), Kind: hir.ToVoid, X: &hir.AddrOf{Info: rvalueInfo(x.Span, e.types.Pointer(obj.Type())), X: e.materialize(obj)}}
	}
	f := functionOf(d)
	return &hir.Call{Info: rvalueInfo(x.Span, void), Func: d, This: e.thisArgument(f, obj)}
}

// memberPointerAccess is x.*p and x->*p.
func (e *env) memberPointerAccess(x *ast.BinaryExpr, a, b hir.Expr) hir.Expr {
	b = e.load(b)
	if x.Op == cpp.ArrowStar {
		a = e.load(a)
		if isBad(a) {
			return a
		}
		if a = e.dereference(x.Span, a); isBad(a) {
			return a
		}
	}
	if isBad(b) {
		return b
	}
	t := b.Type()
	if !t.Is(types.MemberPointer) {
		e.errorf(x, codeOperands, "right hand operand to %s has non-pointer-to-member type '%s'", x.Op, t)
		return e.bad(x)
	}
	if a.Type().Unqualified() != t.Of {
		if !e.derives(a.Type().Unqualified(), t.Of) {
			e.errorf(x, codeOperands, "left hand operand to %s must be a class compatible with the right hand operand, but is '%s'", x.Op, a.Type())
			return e.bad(x)
		}
		a = e.toBase(a, e.types.Qualify(t.Of, a.Type().CV))
	}
	if t.Elem.IsFunc() {
		if !e.callableOn(x, t.Elem, a) {
			return e.bad(x)
		}
		return &boundMember{Info: hir.Info{Span: x.Span, T: t.Elem}, object: a, fun: b}
	}
	if m, ok := b.(*hir.MemberPtr); ok && m.Field != nil {
		return e.fieldOf(a, m.Field.Decl.(*field), x.Span)
	}
	ft := e.types.Qualify(t.Elem, a.Type().CV)
	a = e.materialize(a)
	return &hir.FieldAt{Info: hir.Info{Span: x.Span, T: ft, Cat: a.Category()}, X: a, Ptr: b}
}

// callableOn reports an object that the qualifiers of a member function's type do not let its pointer be
// applied to ([expr.mptr.oper]/6).
func (e *env) callableOn(at ast.Node, t types.Type, object hir.Expr) bool {
	f := t.Func
	if lost := object.Type().CV &^ f.CV & (types.Const | types.Volatile); lost != 0 {
		word := "const"
		if lost&types.Const == 0 {
			word = "volatile"
		}
		e.errorf(at, codeOperands, "call to pointer to member function of type '%s' drops '%s' qualifier", t, word)
		return false
	}
	lvalue := object.Category() == hir.LValue
	if f.Ref == 2 && lvalue || f.Ref == 1 && !lvalue && f.CV != types.Const {
		word := "lvalue"
		if lvalue {
			word = "rvalue"
		}
		e.errorf(at, codeOperands, "pointer-to-member function type '%s' can only be called on an %s", t, word)
		return false
	}
	return true
}

// checkAccess reports the use of a private or protected member.
func (e *env) checkAccess(f *finding, through *class, at ast.Node) {
	if f.class == nil || f.obj == nil || !e.checkPath(f, at) {
		return
	}
	access, ok := accessOfObject(f.obj)
	if u := namedBy(f.using, f.obj); u != nil && ok {
		access = u.access
	}
	if !ok || access == types.Public && len(f.path) == 0 {
		return
	}
	name := ""
	switch n := at.(type) {
	case *ast.Name:
		name = segmentKey(n.Last)
	}
	if _, isField := f.obj.(*field); !isField {
		through = nil
	}
	e.checkMemberAccess(spanOf(at), f.class, access, name, f.obj.span(), through)
}

// checkPath reports a member that is named in a class derived from its own, by bases that are not
// accessible ([class.access.base]/5), and returns false then.
func (e *env) checkPath(f *finding, at ast.Node) bool {
	if f.naming == nil || len(f.path) == 0 {
		return true
	}
	if plain, virtual := f.naming.basesOf(f.class); plain+virtual > 1 || virtual > 0 {
		return true // there may be a better path
	}
	derived := []*class{f.naming}
	edges := make([]*base, 0, len(f.path))
	for _, t := range f.path {
		k := derived[len(derived)-1]
		i := slices.IndexFunc(k.bases, func(b base) bool { return b.class != nil && b.class.t == t })
		if i < 0 {
			return true
		}
		edges = append(edges, &k.bases[i])
		derived = append(derived, k.bases[i].class)
	}
	for i, b := range edges {
		if e.edgeAccessible(derived[:i+1], edges[:i+1]) {
			continue
		}
		word := accessWord(b.access)
		name := ""
		if n, ok := at.(*ast.Name); ok {
			name = segmentKey(n.Last)
		}
		d := e.errorf(at, codeAccess, "'%s' is a %s member of '%s'", name, word, e.types.Class(f.class.t))
		e.note(d, b.at, "constrained by "+word+" inheritance here")
		return false
	}
	return true
}

// edgeAccessible reports whether the last of a chain of bases is accessible: as a base of its
// derived class, or of one in front of that.
func (e *env) edgeAccessible(derived []*class, edges []*base) bool {
	access := types.Public
	for i := len(edges) - 1; i >= 0; i-- {
		if access == types.Private {
			return false
		}
		if a := edges[i].access; a == types.Private || access == types.Public {
			access = a
		}
		if access == types.Public && i == len(edges)-1 || e.mayAccess(derived[i], access, nil) || e.mayAccess(derived[i], access, derived[i]) {
			return true
		}
	}
	return false
}

// checkUsing reports members that a using-declaration of a class names and may not use
// ([namespace.udecl]/19).
func (e *env) checkUsing(f *finding, n *ast.Name) {
	if f.class == nil || f.obj == nil || !e.checkPath(f, n) {
		return
	}
	for o := range f.all() {
		set, ok := o.(*overloads)
		if !ok {
			e.checkAccess(&finding{obj: o, class: f.class, using: f.using}, nil, n)
			continue
		}
		for _, fn := range slices.Concat(set.funcs, set.pending) {
			if fn.class != nil && namedBy(f.using, set) == nil {
				e.checkMemberAccess(spanOf(n), fn.class, fn.access, fn.name, fn.at, nil)
			}
		}
	}
}

// namedBy returns the using-declaration among list that names a member; nil if there is none.
func namedBy(list []*using, o object) *using {
	for _, u := range list {
		if slices.Contains(u.found, o) {
			return u
		}
	}
	return nil
}

// checkFunctionAccess is checkMemberAccess for a member function that was found in class
// naming, perhaps by using-declarations.
func (e *env) checkFunctionAccess(at ast.Span, f *function, naming *class, list []*using, name string, through *class) {
	k, access := f.class, f.access
	for _, u := range list {
		for _, o := range u.found {
			if set, ok := o.(*overloads); ok && set.scope != nil && set.scope.class == f.class {
				k, access = naming, u.access
			}
		}
	}
	e.checkMemberAccess(at, k, access, name, f.at, through)
}

func accessOfObject(o object) (types.Access, bool) {
	switch o := o.(type) {
	case *field:
		return o.t.Access, true
	case *variable:
		return o.access, o.class != nil
	case *alias:
		return o.access, true
	case *class:
		return o.access, true
	case *template:
		return o.access, true
	case *enum:
		return o.access, o.scope.kind == classScope
	case *enumConst:
		return o.enum.access, o.enum.scope.kind == classScope
	}
	return types.Public, false
}

// checkMemberAccess reports the use of a member of class k that the present scope may
// not use, through an object of a class or, for nil, not through a written object.
func (e *env) checkMemberAccess(at ast.Span, k *class, access types.Access, name string, declared ast.Span, through *class) {
	if access == types.Public {
		return
	}
	if e.mayAccess(k, access, through) {
		return
	}
	word := accessWord(access)
	what := "member of '" + e.types.Class(k.t).String() + "'"
	if name == k.t.Name {
		d := e.errorf(at, codeAccess, "calling a %s constructor of class '%s'", word, e.types.Class(k.t))
		e.note(d, declared, "declared "+word+" here")
		return
	}
	d := e.errorf(at, codeAccess, "'%s' is a %s %s", name, word, what)
	e.note(d, declared, "declared "+word+" here")
}

// accessWord returns the word for an access that is not public.
func accessWord(access types.Access) string {
	if access == types.Protected {
		return "protected"
	}
	return "private"
}

// mayAccess reports whether the scope is in class k, in one derived from it for protected
// members, or in a friend. A protected member that is not static is accessed through the class
// of an object, which must be the derived class or one derived from it ([class.protected]);
// through is nil for other members and where the object is this.
func (e *env) mayAccess(k *class, access types.Access, through *class) bool {
	for s := e.scope; s != nil; s = s.parent {
		if s.kind == classScope && s.class != nil && e.classMay(s.class, k, access, through) {
			return true
		}
		if s.body != nil && s.kind == paramScope {
			f := s.body.fn
			if f.class != nil && e.classMay(f.class, k, access, through) || e.friendMay(f, k, access, through) {
				return true
			}
		}
	}
	for b := e.body; b != nil; b = b.outer.body {
		if b.class != nil && e.classMay(b.class, k, access, through) || e.friendMay(b.fn, k, access, through) {
			return true
		}
		if b.outer == nil {
			break
		}
	}
	return false
}

// classMay reports whether class c, or one around it, may access a member of k.
func (e *env) classMay(c, k *class, access types.Access, through *class) bool {
	for ; c != nil; c = c.scope.parent.classOf() {
		switch {
		case c == k, e.isFriendClass(k, c):
			return true
		case access == types.Protected && c.basePath(k) != nil && (through == nil || through == c || through.basePath(c) != nil):
			return true
		}
	}
	return false
}

// friendMay reports whether a function may access a member of k as a friend of k or of the
// class of the object.
func (e *env) friendMay(f *function, k *class, access types.Access, through *class) bool {
	if e.isFriendFunc(k, f) {
		return true
	}
	return access == types.Protected && through != nil && e.isFriendBetween(f, through, k)
}

// isFriendBetween reports whether a function is a friend of c or of a base of it that is
// derived from k.
func (e *env) isFriendBetween(f *function, c, k *class) bool {
	if c.basePath(k) == nil {
		return false
	}
	return e.isFriendFunc(c, f) || slices.ContainsFunc(c.bases, func(b base) bool { return e.isFriendBetween(f, b.class, k) })
}

// isFriendClass reports whether k names c as its friend.
func (e *env) isFriendClass(k, c *class) bool {
	for i := range k.friends {
		f := &k.friends[i]
		e.resolveFriend(k, f)
		switch o := f.class.(type) {
		case *class:
			if o == c {
				return true
			}
		case *template:
			if o == c.tmpl {
				return true
			}
		}
	}
	return false
}

// isFriendFunc reports whether k names a function as its friend.
func (e *env) isFriendFunc(k *class, f *function) bool {
	for i := range k.friends {
		fr := &k.friends[i]
		e.resolveFriend(k, fr)
		if fr.fn != nil {
			g := fr.fn
			for g.sameName != nil {
				g = g.sameName
			}
			if g == f || g.tmpl != nil && f.of == g.tmpl {
				return true
			}
		}
		if d, ok := fr.decl.Decl.(*ast.FuncDecl); ok && fr.fn == nil && d.Name != nil && segmentKey(d.Name.Last) == f.name {
			return true
		}
	}
	return false
}

func (e *env) resolveFriend(k *class, f *friend) {
	if f.state != untouched {
		return
	}
	f.state = active
	if d, ok := f.decl.Decl.(*ast.ClassDecl); ok && f.class == nil {
		sub := &env{checker: e.checker, scope: k.scope.namespaceOf().scope, order: 0}
		e.fails(func() { f.class = sub.friendTemplate(d) })
	}
	t := f.decl.Type
	if t != nil {
		sub := &env{checker: e.checker, scope: f.scope, order: 0}
		var ty types.Type
		if n, ok := t.(*ast.NamedType); ok {
			e.fails(func() {
				if g := sub.lookupName(n.Name, anything); g.obj != nil {
					if tm, ok := g.obj.(*template); ok && !n.Name.Last.HasArgs {
						f.class = tm
					}
				}
			})
		}
		if f.class == nil {
			e.fails(func() { ty = sub.typ(t) })
			if kk := classOfType(ty); kk != nil {
				f.class = kk
			}
		}
	}
	f.state = done
}

// checkBaseAccess reports a conversion to a base that is not accessible.
func (e *env) checkBaseAccess(at ast.Node, k, to *class) {
	e.baseAccess(at, k, to, "cannot cast '%[1]s' to its %[2]s base class '%[3]s'")
}

// checkDerivedAccess reports a cast from a base that is not accessible.
func (e *env) checkDerivedAccess(at ast.Node, k, from *class) {
	e.baseAccess(at, k, from, "cannot cast %[2]s base class '%[3]s' to '%[1]s'")
}

func (e *env) baseAccess(at ast.Node, k, to *class, format string) {
	if e.anyBase {
		return
	}
	for i := range k.bases {
		b := &k.bases[i]
		if b.class != to && b.class.basePath(to) == nil {
			continue
		}
		if b.access != types.Public && !e.mayAccess(k, b.access, nil) {
			word := accessWord(b.access)
			d := e.errorf(at, codeAccess, format, e.types.Class(k.t), word, e.types.Class(to.t))
			e.note(d, b.at, "declared with "+word+" inheritance here")
		}
		return
	}
}
