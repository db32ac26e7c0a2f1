package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// A class is one class, or one instance of a class template.
type class struct {
	t     *types.Class
	decl  *ast.ClassDecl // the definition once there is one
	scope *scope         // of its members; its parent is where it is declared
	order int32
	// defOrder is the place of the definition; 0 where it may see everything.
	defOrder int32
	named    bool
	tmpl     *template // of an instance
	args     []types.Arg
	at       ast.Span
	access   types.Access
	owner    *body // of a local class

	state       state // of its members
	failed      bool
	late        []*source.Diagnostic // of its members, while only host functions use it
	bases       []base
	fields      []*field
	ctors       *overloads
	destroyer   *function // its destructor: see checker.destructor
	convs       []*function
	friends     []friend
	plain       bool // as C has it: see isPlain
	deferred    bool // plain, and its implicit members are not declared
	explicit    bool // an explicit specialisation
	specialised *specialised
	lambda      *closure
	hasInit     bool // a default member initialiser
	patterns    []ast.Decl
	selected    map[selection]*function // by overload resolution, of a complete class
	parts       []subobject             // once subobjects has been asked
	// uncopyable classes have deleted copies and moves alone: g++ counts them as trivially
	// copyable, but they are not copied in registers.
	uncopyable bool
	collected  bool // it is one of those of the program
}

// Pos returns where the class is declared, for the stages behind this one.
func (k *class) Pos() source.Pos { return k.at.Pos() }

// End returns the position behind the class's name.
func (k *class) End() source.Pos { return k.at.End() }

// A base is one direct base class.
type base struct {
	class  *class
	access types.Access
	at     ast.Span
	// dependent says that the base depends on a parameter of the class's template:
	// unqualified names are not looked up in it.
	dependent bool
	virtual   bool
}

// A friend is a class or function that may use private members.
type friend struct {
	decl  *ast.FriendDecl
	scope *scope
	fn    *function
	class object
	state state
}

func (k *class) span() ast.Span { return k.at }

// classOfType returns the class of a type, or nil.
func classOfType(t types.Type) *class {
	if t.IsClass() {
		k, _ := t.Class.Decl.(*class)
		return k
	}
	return nil
}

// enumOf returns the enumeration of a type, or nil.
func enumOf(t types.Type) *enum {
	if t.IsEnum() {
		x, _ := t.Enum.Decl.(*enum)
		return x
	}
	return nil
}

// declareClass registers a class of a scope.
func (c *checker) declareClass(s *scope, d *ast.ClassDecl) *class {
	if qualified(d.Name) {
		c.addOutOfLine(s, d, d.Name, nil)
		return nil
	}
	c.refuseKernels(d)
	name := d.Name.Plain()
	if d.Name != nil && name == "" { // a specialisation without template <>
		c.declareSpecialisation(s, d, d.Name, nil)
		return nil
	}
	if name == "" {
		k := c.newClass(s, d, "")
		if d.Attrs == nil || d.Attrs.Builtin == "" {
			k.t.Title = c.titleAt("anonymous "+kindWord(d.Kind), d.Span)
		}
		return k
	}
	sym := s.putNumbered(name, d.Name.Number)
	if k, ok := sym.tag.(*class); ok {
		if d.Defined {
			if k.decl.Defined {
				c.redefinition(d.Name.Span, name, k)
				return k
			}
			k.decl, k.at, k.defOrder = d, d.Name.Span, c.localOrder(s)
		}
		return k
	}
	k := c.newClass(s, d, name)
	k.at = d.Name.Span
	s.putNumbered(name, d.Name.Number).tag = k
	return k
}

// refuseKernels reports kernels that are members, which CUDA does not have.
func (c *checker) refuseKernels(d *ast.ClassDecl) {
	for _, m := range d.Members {
		if t, ok := m.(*ast.TemplateDecl); ok {
			m = t.Decl
		}
		if f, ok := m.(*ast.FuncDecl); ok && f.Specs.Has(ast.Global) {
			c.errorf(f.Name, codeKernel, "kernel function '%s' must be a free function, not a member", f.Name.Last.Ident)
		}
	}
}

func kindWord(k ast.ClassKind) string { return [...]string{"struct", "class", "union"}[k] }

// newClass makes a class that is declared in s.
func (c *checker) newClass(s *scope, d *ast.ClassDecl, name string) *class {
	n := c.nodes.classes.New()
	k := &n.k
	k.decl, k.order, k.defOrder, k.named, k.at = d, c.localOrder(s), c.localOrder(s), name != "", d.Span
	k.t = &n.t
	k.t.Name, k.t.Union, k.t.Scope, k.t.Decl = name, d.Kind == ast.Union, s.typesScope(), k
	if b, ok := k.t.Scope.(*body); ok {
		k.t.Number = b.numberOf(name)
	}
	k.scope = &n.scope
	k.scope.kind, k.scope.parent, k.scope.class, k.scope.list = classScope, s, k, c.nodes.symbols.New(4)
	for p := s; p != nil; p = p.parent {
		if p.body != nil {
			k.owner = p.body
			break
		}
	}
	return k
}

// complete makes the members of a class known and lays it out. It returns false if the
// class is not defined or has errors.
func (c *checker) complete(k *class, at ast.Span) bool {
	if k.state == done {
		if k.late != nil && c.ofHost == 0 {
			c.report.Diags = append(c.report.Diags, k.late...)
			k.late = nil
		}
		return k.t.Complete
	}
	if k.state == active || c.stopped {
		return false
	}
	if !k.decl.Defined && k.tmpl != nil {
		c.instantiateClass(k, at)
		return k.t.Complete
	}
	c.defineNested(k)
	if !k.decl.Defined {
		return false
	}
	k.state = active
	define := func() {
		e := c.nodes.env(&env{checker: c, scope: k.scope, order: k.defOrder})
		defer c.nodes.done(e)
		e.addBases(k)
		e.addMembers(k)
		k.state = done
		e.finish(k)
		for _, d := range k.decl.Members {
			if d, ok := d.(*ast.UsingDecl); ok && !d.Pack {
				e.checkUsings(k, d)
			}
		}
	}
	if c.ofHost > 0 {
		k.late = c.muted(define)
	} else {
		c.aside(define)
	}
	return k.t.Complete
}

// checkUsings looks up what a using-declaration of a complete class names.
func (e *env) checkUsings(k *class, d *ast.UsingDecl) {
	sym := k.scope.get(segmentKey(d.Name.Last))
	if sym == nil {
		return
	}
	for _, o := range sym.more {
		if u, ok := o.(*using); ok && u.decl == d {
			e.usingTargets(u)
		}
	}
}

// muted runs f and returns what it reports: of a class that a host function uses, which may be
// the host's alone. It is reported when device code uses the class.
func (c *checker) muted(f func()) []*source.Diagnostic {
	var list source.List
	diags, report, capturing, stopped := c.diags, c.report, c.capturing, c.stopped
	c.diags, c.report, c.capturing = &list, &list, 0
	f()
	c.diags, c.report, c.capturing, c.stopped = diags, report, capturing, stopped
	return list.Diags
}

// completeType makes a type complete, and reports whether it is.
func (e *env) completeType(t types.Type, at ast.Span) bool {
	t = t.Element()
	if k := classOfType(t); k != nil {
		if k.specialised != nil {
			e.checkSpecialised(k.specialised, k.t.String(), at)
		}
		return e.checker.complete(k, at)
	}
	if x := enumOf(t); x != nil {
		e.resolveEnum(x)
	}
	return t.Complete()
}

// requireComplete makes a type complete, or reports an error.
func (e *env) requireComplete(t types.Type, at ast.Span, what string) bool {
	if !t.IsValid() || t.Dependent() {
		return false
	}
	if t.IsArithmetic() || e.completeType(t, at) {
		return !t.IsArray() || t.Len >= 0
	}
	if k := classOfType(t.Element()); k != nil && (k.failed || k.state == active && e.capturing > 0) {
		if k.failed {
			return false
		}
	}
	if t.Element().IsClass() && t.Element().Class.Complete {
		return true
	}
	d := e.errorf(at, codeIncomplete, "%s '%s'", what, t)
	if k := classOfType(t.Element()); k != nil {
		c := "forward declaration of '" + t.Element().Unqualified().String() + "'"
		if k.state == active {
			c = "definition of '" + t.Element().Unqualified().String() + "' is not complete until the closing '}'"
		}
		e.note(d, k.at, c)
	}
	return false
}

// addBases resolves the base classes.
func (e *env) addBases(k *class) {
	for _, b := range k.decl.Bases {
		if b.Virtual {
			k.t.Virtual, k.t.Unsized = true, true
		}
		if pack, ok := b.Type.(*ast.PackType); ok || b.Pack {
			x := b.Type
			if ok {
				x = pack.Elem
			}
			e.expand(b, func(e *env) { e.baseType(x) }, func(e *env) { e.addBase(k, b) })
			continue
		}
		e.addBase(k, b)
	}
}

// baseType resolves the type of a base, which is named without typename ([temp.res]/5).
func (e *env) baseType(x ast.TypeExpr) types.Type {
	if n, ok := x.(*ast.NamedType); ok {
		return e.typeNamed(n.Name, n.Typename)
	}
	return e.typ(x)
}

func (e *env) addBase(k *class, b *ast.Base) {
	bt := b.Type
	if p, ok := bt.(*ast.PackType); ok {
		bt = p.Elem
	}
	t := e.baseType(bt)
	if !t.IsValid() {
		k.failed = true
		return
	}
	bk := classOfType(t)
	if bk == nil || t.IsUnion() {
		e.errorf(b, codeBase, "base specifier must name a class")
		k.failed = true
		return
	}
	if !e.requireComplete(t, spanOf(b), "base class has incomplete type") {
		k.failed = true
		return
	}
	for i := range k.bases {
		if k.bases[i].class == bk {
			e.errorf(b, codeBase, "base class '%s' specified more than once as a direct base class", t)
			k.failed = true
			return
		}
	}
	if bk.decl.Final {
		e.errorf(b, codeBase, "base '%s' is marked 'final'", bk.t.Name)
	}
	access := types.Public
	if k.decl.Kind == ast.Class {
		access = types.Private
	}
	if b.Access != ast.NoAccess {
		access = accessOf(b.Access)
	}
	k.bases = append(k.bases, base{bk, access, b.Span, e.dependsOn(k, b), b.Virtual})
	k.t.Bases = append(k.t.Bases, types.Base{Class: bk.t, Access: access})
	k.t.Virtual = k.t.Virtual || bk.t.Virtual
}

// dependsOn reports whether a base, as it is written, depends on a parameter of the
// template that k is an instance of.
func (e *env) dependsOn(k *class, b *ast.Base) bool {
	if k.tmpl == nil || k.explicit {
		return false
	}
	if d, ok := e.baseDepends[b]; ok {
		return d
	}
	s := e.patternScope(k.tmpl)
	for _, p := range k.tmpl.partials {
		if p.decl == ast.Decl(k.decl) {
			s = p.pattern
		}
	}
	sub := e.at(s)
	t := sub.patternType(stripPack(b.Type))
	e.baseDepends[b] = t.Dependent()
	return t.Dependent()
}

func accessOf(a ast.Access) types.Access {
	switch a {
	case ast.Protected:
		return types.Protected
	case ast.Private:
		return types.Private
	}
	return types.Public
}

// addMembers registers the members of a class; types of fields are resolved.
func (e *env) addMembers(k *class) {
	access := types.Public
	if k.decl.Kind == ast.Class {
		access = types.Private
	}
	fields := 0
	for _, d := range k.decl.Members {
		if _, ok := d.(*ast.VarDecl); ok {
			fields++
		}
	}
	k.t.Fields = slices.Grow(k.t.Fields, fields)
	k.fields = slices.Grow(k.fields, fields)
	for _, d := range k.decl.Members {
		if a, ok := d.(*ast.AccessDecl); ok {
			access = accessOf(a.Access)
			continue
		}
		e.addMember(k, d, access)
	}
}

// addMember registers one member.
func (e *env) addMember(k *class, d ast.Decl, access types.Access) {
	s := k.scope
	switch d := d.(type) {
	case *ast.VarDecl:
		e.definedIn(s, d.Type)
		e.setAccess(s, d.Type, access)
		e.addDataMember(k, d, access)
	case *ast.FuncDecl:
		e.definedIn(s, funcTypes(d)...)
		e.addMethod(k, d, access, nil)
	case *ast.ClassDecl:
		e.addNested(k, d, access)
	case *ast.EnumDecl:
		if x := e.declareEnum(s, d); x != nil {
			x.access = access
		}
	case *ast.AliasDecl:
		e.declareAlias(s, d)
		e.memberAccess(s, d.Name.Name, access)
	case *ast.UsingDecl:
		if len(d.Name.Quals) > 0 && (d.Name.Quals[len(d.Name.Quals)-1].Ident == d.Name.Last.Ident) {
			k.patterns = append(k.patterns, d) // the base's constructors
			return
		}
		if d.Pack {
			e.declareUsingPack(s, d, access)
			return
		}
		if !e.inheritsConstructors(k, d) {
			e.declareUsing(s, d, access, 0)
		}
	case *ast.TemplateDecl:
		e.addMemberTemplate(k, d, access)
	case *ast.FriendDecl:
		k.friends = append(k.friends, friend{decl: d, scope: s})
		e.declareFriend(k, d)
	case *ast.StaticAssertDecl:
		e.asserts = append(e.asserts, pendingAssert{d, s, 0})
	case *ast.DeductionGuide:
	}
}

// declareUsingPack registers using Bases::name...
func (e *env) declareUsingPack(s *scope, d *ast.UsingDecl, access types.Access) {
	u := &using{decl: d, scope: s, access: access, state: done}
	e.expand(d, func(e *env) { e.lookupName(d.Name, anything) }, func(e *env) {
		f := e.lookupName(d.Name, anything)
		u.found = slices.AppendSeq(u.found, f.all())
	})
	sym := s.put(segmentKey(d.Name.Last))
	sym.more = append(sym.more, u)
}

// inheritsConstructors reports whether a using declaration names the constructors of a
// base by an alias or a parameter, as in using Base::Base with Base an alias.
func (e *env) inheritsConstructors(k *class, d *ast.UsingDecl) bool {
	if len(d.Name.Quals) == 0 || d.Name.Last.Kind != ast.Identifier {
		return false
	}
	q := *d.Name
	last := q.Quals[len(q.Quals)-1]
	q.Last = last
	q.Quals = q.Quals[:len(q.Quals)-1]
	var t types.Type
	if e.fails(func() { t = e.typeNamed(&q, false) }) || !t.IsClass() {
		return false
	}
	bk := classOfType(t)
	if bk != nil && bk.t.Name == d.Name.Last.Ident {
		k.patterns = append(k.patterns, d)
		return true
	}
	return false
}

// addNested registers a class inside of a class; the members of an anonymous union or
// struct are those of the class around it.
func (e *env) addNested(k *class, d *ast.ClassDecl, access types.Access) {
	n := e.declareClass(k.scope, d)
	if n == nil {
		return
	}
	n.access = access
	if d.Name != nil || !d.Defined {
		return
	}
	if !e.checker.complete(n, d.Span) {
		k.failed = true
		return
	}
	f := &field{class: k, at: d.Span}
	f.t = &types.Field{Type: e.types.Class(n.t), Access: access, Width: -1, Index: len(k.t.Fields), Class: k.t, Decl: f}
	k.t.Fields = append(k.t.Fields, f.t)
	k.fields = append(k.fields, f)
	k.hasInit = k.hasInit || n.hasInit
	for i := range n.scope.list {
		sym := &n.scope.list[i]
		if in, ok := sym.what.(*field); ok {
			if in.t.Access != types.Public {
				e.errorf(in.at, codeField, "anonymous %s cannot contain a %s data member", kindWord(d.Kind), map[types.Access]string{types.Private: "private", types.Protected: "protected"}[in.t.Access])
			}
			up := *in
			up.class = k
			up.path = append([]*types.Field{f.t}, in.path...)
			if old := k.scope.declare(sym.name, &up); old != nil {
				e.redefinition(in.at, sym.name, old)
			}
		}
	}
}

// addDataMember registers a field or a static data member.
func (e *env) addDataMember(k *class, d *ast.VarDecl, access types.Access) {
	if d.Specs.Has(ast.Static) {
		if d.Name == nil {
			e.errorf(d, codeField, "unnamed bit-field cannot be static")
			return
		}
		e.checkStaticMember(k, d)
		v := &variable{decl: d, name: d.Name.Last.Ident, at: d.Name.Span, scope: k.scope, class: k, access: access, specs: d.Specs, attrs: d.Attrs}
		e.checkMemories(v)
		if old := k.scope.declare(v.name, v); old != nil {
			e.redefinition(v.at, v.name, old)
		}
		return
	}
	n := e.nodes.members.New()
	f := &n.f
	*f = field{decl: d, class: k, at: d.Span}
	t := e.fieldType(d)
	if !t.IsValid() {
		k.failed = true
		t = e.types.Basic(types.Int)
		f.state = done
	}
	f.t = &n.t
	n.t = types.Field{Type: t, Access: access, Mutable: d.Specs.Has(ast.Mutable), Width: -1, Index: len(k.t.Fields), Class: k.t, Decl: f}
	if d.Width != nil {
		f.t.Width = int(e.bitWidth(d, t))
	}
	f.t.Align = e.alignOf(d.Attrs)
	f.t.Packed = d.Attrs != nil && d.Attrs.Packed
	f.t.Shares = d.Attrs != nil && d.Attrs.NoUnique && d.Width == nil
	if d.Init != nil {
		if k.hasInit && k.t.Union {
			e.errorf(f.at, codeField, "initializing multiple members of union")
		}
		k.hasInit = true
	}
	k.t.Fields = append(k.t.Fields, f.t)
	k.fields = append(k.fields, f)
	if d.Name == nil {
		return
	}
	f.t.Name, f.at = d.Name.Last.Ident, d.Name.Span
	if old := k.scope.declareNumbered(f.t.Name, d.Name.Number, f); old != nil {
		d := e.errorf(f.at, codeRedefined, "duplicate member '%s'", f.t.Name)
		e.note(d, old.span(), "previous declaration is here")
	}
}

// fieldType resolves the type of a field.
func (e *env) fieldType(d *ast.VarDecl) types.Type {
	t := e.typ(d.Type)
	if !t.IsValid() {
		return t
	}
	if t.Is(types.Auto) {
		e.errorf(d, codeField, "'auto' not allowed in non-static struct member")
		return types.Type{}
	}
	if t.IsVoid() || t.IsFunc() {
		e.errorf(d, codeField, "field has invalid type '%s'", t)
		return types.Type{}
	}
	if t.IsRef() || t.IsArray() && t.Len < 0 { // a flexible array is one without elements
		return t
	}
	if !e.requireComplete(t, spanOf(d), "field has incomplete type") {
		return types.Type{}
	}
	return t
}

// maxBitField bounds the bits of a bit-field; those beyond its type's are padding.
const maxBitField = 1 << 16

// bitWidth returns the bits of a bit-field of type t, 1 after an error.
func (e *env) bitWidth(d *ast.VarDecl, t types.Type) int64 {
	n, ok := e.intConstant(d.Width, "bit-field size is not an integral constant expression")
	switch {
	case !ok:
		return 1
	case !t.IsInteger() && !t.IsEnum():
		e.errorf(d, codeField, "bit-field has non-integral type '%s'", t)
	case n < 0:
		e.errorf(d.Width, codeField, "bit-field has negative width (%d)", n)
	case n == 0 && d.Name != nil:
		e.errorf(d.Width, codeField, "named bit-field '%s' has zero width", d.Name.Last.Ident)
	case n > maxBitField:
		e.errorf(d.Width, codeField, "width of bit-field (%d bits) is not supported: the limit is %d bits", n, maxBitField)
	default:
		if n > int64(t.Width()) && !t.Is(types.Bool) && d.Name != nil {
			e.warnf(d.Width, codeField, "width of bit-field (%d bits) exceeds the width of its type; value will be truncated to %d bits", n, t.Width())
		}
		return n
	}
	return 1
}

// setAccess sets the access of a class that a member's type defines.
func (e *env) setAccess(s *scope, t ast.TypeExpr, access types.Access) {
	if ct, ok := stripQual(t).(*ast.ClassType); ok {
		if k, ok := s.defined[ct.Decl].(*class); ok {
			k.access = access
		}
	}
	if et, ok := stripQual(t).(*ast.EnumType); ok {
		if x, ok := s.defined[et.Decl].(*enum); ok {
			x.access = access
		}
	}
}

func (e *env) memberAccess(s *scope, name string, access types.Access) {
	if sym := s.get(name); sym != nil {
		if a, ok := sym.what.(*alias); ok {
			a.order = 0
			a.access = access
		}
	}
}

// addMethod registers a member function; params are those of a member template.
func (e *env) addMethod(k *class, d *ast.FuncDecl, access types.Access, params []*ast.TemplateParam) *function {
	f := e.newFunction(k.scope, d)
	f.class, f.access = k, access
	f.static = d.Specs.Has(ast.Static) || isAllocator(f.name)
	if d.Specs.Has(ast.Virtual) || d.Pure || d.Override {
		k.t.Virtual = true
	}
	e.checkMemberFunction(k, f)
	if params != nil {
		f.tmpl = &template{kind: funcTemplate, name: f.name, at: f.at, params: params, scope: k.scope, decl: d, fn: f, class: k}
		f.tmpl.addDefaults(params)
	}
	switch d.Kind {
	case ast.Constructor:
		f.name = k.t.Name
		if k.ctors == nil {
			k.ctors = &overloads{name: k.t.Name, scope: k.scope}
		}
		k.ctors.pending = append(k.ctors.pending, f)
		return f
	case ast.Destructor:
		f.special = destructor
		f.name = "~" + k.t.Name
		if k.destroyer != nil {
			e.redefinition(f.at, f.name, k.destroyer)
		}
		k.destroyer = f
		return f
	case ast.Conversion:
		k.convs = append(k.convs, f)
	}
	e.addFunction(k.scope, f)
	return f
}

func isAllocator(name string) bool {
	switch name {
	case "operator new", "operator new[]", "operator delete", "operator delete[]":
		return true
	}
	return false
}

// addMemberTemplate registers a template that is a member.
func (e *env) addMemberTemplate(k *class, d *ast.TemplateDecl, access types.Access) {
	if k.owner != nil && k.lambda == nil {
		if _, isFriend := d.Decl.(*ast.FriendDecl); !isFriend {
			e.errorf(d, codeContext, "templates cannot be declared inside of a local class")
		}
	}
	switch x := d.Decl.(type) {
	case *ast.FuncDecl:
		if len(d.Params) == 0 {
			f := e.newFunction(k.scope, x)
			f.class, f.access, f.explicitSpec = k, access, true
			f.static = x.Specs.Has(ast.Static)
			e.addFunction(k.scope, f)
			return
		}
		e.addMethod(k, x, access, d.Params)
	case *ast.FriendDecl:
		k.friends = append(k.friends, friend{decl: x, scope: k.scope})
		if fd, ok := x.Decl.(*ast.FuncDecl); ok && fd.Name != nil && !qualified(fd.Name) {
			e.declareFriendFunc(k, fd, d.Params)
		} else if cd, ok := x.Decl.(*ast.ClassDecl); ok {
			k.friends[len(k.friends)-1].class = e.friendTemplate(cd)
		}
	default:
		e.declareTemplate(k.scope, d)
		name := templateDeclName(d.Decl)
		if name != nil && !name.Last.HasArgs {
			if sym := k.scope.get(name.Last.Ident); sym != nil {
				if t, ok := sym.what.(*template); ok {
					t.class, t.access, t.order = k, access, 0
				}
			}
		}
	}
}

// friendTemplate returns the class template that is a friend, which may be the one that k is an instance
// of; nil where it is declared later.
func (e *env) friendTemplate(d *ast.ClassDecl) object {
	switch o := e.lookupName(d.Name, anything).obj.(type) {
	case *template:
		return o
	case *class:
		if o.tmpl != nil {
			return o.tmpl
		}
	}
	return nil
}

// declareFriend registers a function or class that a friend declaration is the first to
// name, in the namespace around the class.
func (e *env) declareFriend(k *class, d *ast.FriendDecl) {
	switch x := d.Decl.(type) {
	case *ast.FuncDecl:
		if x.Name != nil && !qualified(x.Name) && !x.Name.Last.HasArgs {
			e.declareFriendFunc(k, x, nil)
		}
	case *ast.ClassDecl:
		if x.Name.Plain() != "" {
			f := e.lookupName(x.Name, onlyTypes)
			if !f.found() {
				f.obj = e.declareClass(k.scope.namespaceOf().scope, x)
			}
			k.friends[len(k.friends)-1].class = f.obj
			k.friends[len(k.friends)-1].state = done
		}
	}
}

// declareFriendFunc registers a friend function in the namespace around the class. Its
// names are those that the class sees.
func (e *env) declareFriendFunc(k *class, d *ast.FuncDecl, params []*ast.TemplateParam) {
	ns := k.scope.namespaceOf()
	f := e.newFunction(k.scope, d)
	f.order, f.friend, f.friendOf = k.order, true, k
	if params != nil {
		f.tmpl = &template{kind: funcTemplate, name: f.name, at: f.at, params: params, scope: k.scope, decl: d, fn: f}
		f.tmpl.addDefaults(params)
	}
	e.addFunction(ns.scope, f)
	if len(k.friends) > 0 {
		fr := &k.friends[len(k.friends)-1]
		fr.fn, fr.state = f, done
	}
}
