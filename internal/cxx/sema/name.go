package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// An env is where an expression, a type or a statement is analysed: what its names see.
type env struct {
	*checker
	scope *scope
	order int32 // declarations of namespaces behind it are not seen; 0 for no limit
	body  *body // nil outside of functions
	// this is the object that this and unqualified members refer to outside of a body,
	// as in a member's initialiser.
	this        *hir.Var
	unevaluated bool // in sizeof, decltype and their like
	anyBase     bool // a cast converts to and from bases that are not accessible ([expr.cast]/4.6)
	host        bool // the names and calls are the host's: launches
	launching   bool // the callee is that of a launch
	folding     bool // in the initialiser of a host's constant: constants of floating type have values
	pack        *expansion
	base        *class // that a constructor of a derived class initialises
}

// An expansion is the expansion of a pattern X...: index is the element that packs in it
// stand for.
type expansion struct {
	index int
	n     int // elements; -1 before a pack was met
	bad   bool
	elems bool // a pack with elements was met, not a parameter that is itself
}

// A qualifier is what is before the last :: of a name.
type qualifier struct {
	ns  *namespace
	typ types.Type // a class, an enumeration, or what depends on a parameter
	bad bool
}

func (q qualifier) none() bool { return q.ns == nil && !q.typ.IsValid() && !q.bad }

// qualifier resolves what qualifies a name; errors are reported.
func (e *env) qualifier(n *ast.Name) qualifier {
	var q qualifier
	if n.Global {
		q.ns = e.global
	}
	if n.Decltype != nil {
		q.typ = e.typ(n.Decltype).Unref()
		q.bad = !q.typ.IsValid()
	}
	for _, s := range n.Quals {
		if q.bad {
			return q
		}
		q = e.qualify(q, s)
	}
	return q
}

// qualify resolves one segment behind what qualifies it.
func (e *env) qualify(q qualifier, s *ast.Segment) qualifier {
	if q.typ.Dependent() {
		d := types.DependentInfo{Of: q.typ, Name: s.Ident}
		if s.HasArgs {
			d.Args, _ = e.rawArgs(s.Args)
		}
		return qualifier{typ: e.types.DependentType(d)}
	}
	f := e.member(q, s.Ident, onlyTypes, s)
	switch o := f.obj.(type) {
	case *namespace:
		return qualifier{ns: o}
	case *nsAlias:
		if ns := e.aliased(o); ns != nil {
			return qualifier{ns: ns}
		}
		d := e.errorf(s, codeUndeclared, "'%s' is an alias of a namespace that is not declared: '%s'", s.Ident, textOf(o.decl.To.Span))
		e.note(d, o.decl.Span, "declared here")
		return qualifier{bad: true}
	case nil:
		e.noQualifier(q, s, &f)
		return qualifier{bad: true}
	}
	t := e.objectType(f.obj, s, s.Span)
	if !t.IsValid() {
		return qualifier{bad: true}
	}
	if !t.IsClass() && !t.IsEnum() && !t.Dependent() {
		e.errorf(s, codeNotScope, "'%s' (aka '%s') is not a class, namespace, or enumeration", s.Ident, t)
		return qualifier{bad: true}
	}
	return qualifier{typ: t.Unqualified()}
}

func (e *env) noQualifier(q qualifier, s *ast.Segment, f *finding) {
	if f.class == nil && q.bad {
		return
	}
	other := e.member(q, s.Ident, anything, s)
	if other.found() {
		e.errorf(s, codeNotScope, "'%s' is not a class, namespace, or enumeration", s.Ident)
		return
	}
	d := e.errorf(s, codeUndeclared, "use of undeclared identifier '%s'", s.Ident)
	if s.Ident == "std" || s.Ident == "thrust" || s.Ident == "cub" {
		d.Hint = hostLibrary(s.Ident)
	}
}

// hostLibrary is the hint of what is not declared in a library's namespace.
func hostLibrary(space string) string {
	return "the headers of irgl that the file includes do not have it in device code, and those of the host's " + space + " are not read for the device"
}

// member finds a name behind a qualifier, or an unqualified one.
func (e *env) member(q qualifier, name string, w want, at ast.Node) finding {
	var f finding
	switch {
	case q.none():
		return e.lookup(name, w)
	case q.ns != nil:
		e.inNamespace(&f, q.ns, name, w, nil)
	case q.typ.IsClass():
		k := classOfType(q.typ)
		if k == nil {
			break
		}
		if k.state == untouched {
			e.checker.complete(k, spanOf(at))
		}
		if !k.decl.Defined && k.state == untouched {
			if !e.isInside(k) {
				e.errorf(at, codeIncomplete, "incomplete type '%s' named in nested name specifier", q.typ)
				f.class = k
			}
			break
		}
		e.inClass(&f, k, name, w)
		f.naming = k
	case q.typ.IsEnum():
		if x := enumOf(q.typ); x != nil && x.inner != nil {
			if sym := x.inner.get(name); sym != nil {
				f.add(sym.what)
			}
		}
	}
	return f
}

// find finds what the last part of a name means behind its qualifier.
func (e *env) find(q qualifier, n *ast.Name, w want) finding {
	if q.none() && n.Last.Kind == ast.Identifier {
		return e.lookupNumbered(n.Last.Ident, n.Number, w)
	}
	f := e.member(q, segmentKey(n.Last), w, n)
	if !f.found() && n.Last.Kind == ast.Operator && (q.none() || q.ns == e.global) {
		if name := standardAllocator(segmentKey(n.Last)); name != "" {
			e.inNamespace(&f, e.global, name, w, nil)
		}
	}
	return f
}

// standardAllocator returns the function of the prelude that a global operator new or delete
// means which the program does not have; "" for other names.
func standardAllocator(name string) string {
	switch name {
	case "operator new", "operator new[]":
		return "__irgl_new"
	case "operator delete", "operator delete[]":
		return "__irgl_delete"
	}
	return ""
}

// isInside reports whether the scope is inside of the class.
func (e *env) isInside(k *class) bool {
	for s := e.scope; s != nil; s = s.parent {
		if s.class == k {
			return true
		}
	}
	return false
}

func spanOf(n ast.Node) ast.Span { return ast.Range(n.Pos(), n.End()) }

// lookupName finds what a name means, reporting only what is wrong with its qualifiers.
func (e *env) lookupName(n *ast.Name, w want) finding {
	if n == nil {
		return finding{}
	}
	q := e.qualifier(n)
	if q.bad || q.typ.Dependent() {
		return finding{}
	}
	return e.find(q, n, w)
}

// namespaceNamed returns the namespace that a name means, or nil.
func (e *env) namespaceNamed(n *ast.Name) *namespace {
	var f finding
	if e.fails(func() { f = e.lookupName(n, onlyNamespaces) }) {
		return nil
	}
	switch o := f.obj.(type) {
	case *namespace:
		return o
	case *nsAlias:
		return e.aliased(o)
	}
	return nil
}

func (e *env) aliased(a *nsAlias) *namespace {
	if a.to == nil && a.decl != nil {
		d := a.decl
		a.decl = nil
		sub := env{checker: e.checker, scope: a.scope, order: a.order}
		a.to = sub.namespaceNamed(d.To)
		a.decl = d
	}
	return a.to
}

// qualifyingNamespace returns the namespace that qualifies a name, or nil if a class
// does.
func (e *env) qualifyingNamespace(n *ast.Name) *namespace {
	if n.Decltype != nil || len(n.Quals) == 0 {
		if n.Global {
			return e.global
		}
		return nil
	}
	for _, s := range n.Quals {
		if s.HasArgs {
			return nil
		}
	}
	prefix := &ast.Name{Span: n.Span, Global: n.Global, Quals: n.Quals[:len(n.Quals)-1], Last: n.Quals[len(n.Quals)-1]}
	return e.namespaceNamed(prefix)
}

// typeNamed resolves the name of a type; errors are reported.
func (e *env) typeNamed(n *ast.Name, typename bool) types.Type {
	q := e.qualifier(n)
	if q.bad {
		return types.Type{}
	}
	if q.typ.Dependent() {
		return e.qualify(q, n.Last).typ
	}
	if n.Last.Kind != ast.Identifier {
		e.errorf(n, codeNotType, "expected a type")
		return types.Type{}
	}
	f := e.find(q, n, anything)
	if f.obj != nil && !isTypeLike(f.obj) {
		if g := e.member(q, n.Last.Ident, onlyTypes, n); g.found() && e.sameScope(&f, &g) {
			f = g
		}
	}
	switch o := f.obj.(type) {
	case nil:
		if f.class == nil || f.early != nil {
			e.undeclared(n, q, &f, "type name")
		}
		return types.Type{}
	case *opaque:
		e.reportOpaque(n, o)
		return types.Type{}
	case *template:
		if !n.Last.HasArgs && o.kind != paramTemplate {
			d := e.errorf(n, codeTemplateArgs, "use of %s template '%s' requires template arguments", o.kindWord(), o.name)
			e.note(d, o.at, "template is declared here")
			return types.Type{}
		}
	}
	if e.ambiguousName(n, &f) {
		return types.Type{}
	}
	e.checkAccess(&f, nil, n)
	return e.objectType(f.obj, n.Last, n.Span)
}

// sameScope reports whether a type and what hides it are found in one place.
func (e *env) sameScope(f, g *finding) bool { return f.class == g.class && f.class != nil }

// objectType returns the type that an object of a name's segment is.
func (e *env) objectType(o object, s *ast.Segment, at ast.Span) types.Type {
	switch o := o.(type) {
	case *alias:
		if s.HasArgs && o.injected != nil {
			return e.templateType(o.injected, s, at)
		}
		return e.notTemplate(e.resolveAlias(o), s)
	case *class:
		if s.HasArgs {
			if o.tmpl == nil {
				e.errorf(at, codeNotTemplate, "'%s' is not a template", s.Ident)
				return types.Type{}
			}
			return e.templateType(o.tmpl, s, at)
		}
		return e.types.Class(o.t)
	case *enum:
		return e.types.Enum(o.t)
	case *template:
		return e.templateType(o, s, at)
	case *bound:
		return e.boundType(o, s, at)
	}
	e.errorf(at, codeNotType, "'%s' does not refer to a type", s.Ident)
	return types.Type{}
}

func (e *env) notTemplate(t types.Type, s *ast.Segment) types.Type {
	if s.HasArgs && t.IsValid() {
		e.errorf(s, codeNotTemplate, "'%s' is not a template", s.Ident)
		return types.Type{}
	}
	return t
}

// boundType returns the type that a parameter of a template stands for.
func (e *env) boundType(b *bound, s *ast.Segment, at ast.Span) types.Type {
	arg, ok := e.element(b, at)
	if !ok {
		return types.Type{}
	}
	switch arg.Kind {
	case types.TypeArg:
		return e.notTemplate(arg.Type, s)
	case types.TemplateArg:
		if t, ok := arg.Template.(*template); ok {
			return e.templateType(t, s, at)
		}
		args, ok := e.rawArgs(s.Args)
		if !ok {
			return types.Type{}
		}
		return e.types.Spec(types.SpecInfo{Param: arg.Pattern, Args: args})
	}
	e.errorf(at, codeNotType, "'%s' does not refer to a type", s.Ident)
	return types.Type{}
}

// element returns a parameter's argument: of a pack the element that is being expanded.
func (e *env) element(b *bound, at ast.Span) (types.Arg, bool) {
	if b.arg.Kind != types.PackArg {
		if b.param.Pack && e.pack != nil { // in a pattern: one of unknown length
			e.pack.n = max(e.pack.n, 1)
		}
		return b.arg, true
	}
	i, ok := e.packIndex(len(b.arg.Pack), b.param.Name, at)
	if !ok {
		return types.Arg{}, false
	}
	return b.arg.Pack[i], true
}

// packIndex returns which element of a pack of n is meant; false for none.
func (e *env) packIndex(n int, name *ast.Ident, at ast.Span) (int, bool) {
	x := e.pack
	if x == nil {
		e.errorf(at, codePack, "expression contains unexpanded parameter pack '%s'", name.Name)
		return 0, false
	}
	x.elems = true
	if x.n >= 0 && x.n != n && !x.bad {
		x.bad = true
		e.errorf(at, codePack, "pack expansion contains parameter packs that have different lengths (%d vs. %d)", x.n, n)
		return 0, false
	}
	x.n = n
	if x.index >= n {
		return 0, false
	}
	return x.index, true
}

// expand runs each for every element of the packs that a pattern names. Dry looks at
// the pattern alone, to find the packs. It returns false, after an error, if there are
// none or their lengths differ.
func (e *env) expand(at ast.Node, dry, each func(*env)) bool {
	x := &expansion{n: -1}
	sub := *e
	sub.pack = x
	e.fails(func() { dry(&sub) })
	switch {
	case x.n < 0:
		e.errorf(at, codePack, "pack expansion does not contain any unexpanded parameter packs")
		return false
	case x.bad:
		*x = expansion{n: -1}
		dry(&sub)
		return false
	}
	if x.n > maxPack {
		e.packTooLong(spanOf(at))
		return false
	}
	for i := range x.n {
		sub.pack = &expansion{index: i, n: x.n}
		each(&sub)
	}
	return true
}

// undeclared reports a name that nothing declares.
func (e *env) undeclared(n *ast.Name, q qualifier, f *finding, what string) {
	name := n.Last.Ident
	if n.Last.Kind != ast.Identifier {
		name = segmentKey(n.Last)
	}
	switch {
	case q.ns != nil && q.ns != e.global:
		d := e.errorf(n, codeUndeclared, "no %s '%s' in namespace '%s'", memberWord(what), name, q.ns.name)
		if q.ns == e.stdNamespace() {
			d.Hint = hostLibrary("std")
		}
		return
	case q.ns != nil:
		e.errorf(n, codeUndeclared, "no %s '%s' in the global namespace", memberWord(what), name)
		return
	case q.typ.IsValid():
		e.errorf(n, codeNoMember, "no %s '%s' in '%s'", memberWord(what), name, q.typ)
		return
	}
	if name == "va_list" || name == "__builtin_va_list" {
		e.errorf(n, codeRefused, "variable arguments are not supported in device code").Hint = "declare a template with a parameter pack"
		return
	}
	d := e.errorf(n, codeUndeclared, "%s '%s'", map[string]string{"type name": "unknown type name", "": "use of undeclared identifier"}[what], name)
	if f.early != nil {
		e.note(d, f.early.span(), "'"+name+"' is declared later, here")
		return
	}
	if e.capturing == 0 {
		if k := e.scope.classOf(); k != nil && k.tmpl != nil {
			var f finding
			if e.inClass(&f, k, name, anything) {
				d.Hint = "a member of a base class that depends on a template parameter is named by this->" + name
				return
			}
		}
		d.Hint = e.hintFor(name)
	}
}

func memberWord(what string) string {
	if what == "type name" {
		return "type named"
	}
	return "member named"
}

// visibleNames returns the names that can be seen, for suggestions.
func (e *env) visibleNames() []string {
	var names []string
	for s := e.scope; s != nil; s = s.parent {
		for i := range s.list {
			if s.list[i].name != "" {
				names = append(names, s.list[i].name)
			}
		}
	}
	return names
}

// reportOpaque says why a declaration of the host cannot be used on the device.
func (e *env) reportOpaque(n ast.Node, o *opaque) {
	d := e.errorf(n, codeOpaque, "this name is declared by host code that device code cannot use")
	for _, x := range o.decl.Diags {
		d.Notes = append(d.Notes, *x)
	}
}

// operatorName returns the name of an operator function.
func operatorName(s *ast.Segment) string {
	switch {
	case s.Call:
		return "operator()"
	case s.Index:
		return "operator[]"
	case s.Op == cpp.KwNew && s.Array:
		return "operator new[]"
	case s.Op == cpp.KwNew:
		return "operator new"
	case s.Op == cpp.KwDelete && s.Array:
		return "operator delete[]"
	case s.Op == cpp.KwDelete:
		return "operator delete"
	}
	return "operator" + s.Op.String()
}
