package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// declareAll registers declarations in a namespace. Nothing is looked at but names.
func (c *checker) declareAll(s *scope, decls []ast.Decl) {
	for _, d := range decls {
		c.order++
		c.declare(s, d)
	}
}

// declare registers one declaration of a namespace.
func (c *checker) declare(s *scope, d ast.Decl) {
	switch d := d.(type) {
	case *ast.NamespaceDecl:
		c.declareNamespace(s, d)
	case *ast.NamespaceAlias:
		s.declare(d.Name.Name, &nsAlias{decl: d, scope: s, order: c.order})
	case *ast.UsingDirective:
		s.ns.directives = append(s.ns.directives, directive{decl: d, order: c.order})
	case *ast.UsingDecl:
		c.declareUsing(s, d, types.Public, c.order)
	case *ast.AliasDecl:
		c.declareAlias(s, d)
	case *ast.LinkageDecl:
		c.declareAll(s, d.Decls)
	case *ast.StaticAssertDecl:
		c.asserts = append(c.asserts, pendingAssert{d, s, c.order})
	case *ast.ClassDecl:
		c.declareClass(s, d)
	case *ast.EnumDecl:
		c.declareEnum(s, d)
	case *ast.FuncDecl:
		c.definedIn(s, funcTypes(d)...)
		c.declareFunc(s, d)
	case *ast.VarDecl:
		c.definedIn(s, d.Type)
		c.declareVar(s, d)
	case *ast.TemplateDecl:
		c.declareTemplate(s, d)
	case *ast.InstantiationDecl:
		if !d.Extern {
			c.explicits = append(c.explicits, explicit{d, s, c.order})
		}
	case *ast.DeductionGuide:
		if t, ok := c.primary(s, d.Name).(*template); ok {
			t.guides = append(t.guides, guide{decl: d, scope: s})
		}
	case *ast.OpaqueDecl:
		for _, n := range d.Names {
			s.declare(n, &opaque{d})
		}
	}
}

func (c *checker) declareNamespace(s *scope, d *ast.NamespaceDecl) {
	names := d.Names
	if len(names) == 0 {
		names = []*ast.Ident{{Span: d.Span}}
	}
	for i, id := range names {
		sym := s.put(id.Name)
		n, ok := sym.tag.(*namespace)
		if !ok {
			n = newNamespace(id.Name, s.ns)
			n.at = id.Span
			n.inline = d.Inline && i == len(names)-1
			sym.tag = n
			if n.inline || n.unnamed {
				s.ns.inlines = append(s.ns.inlines, n)
			}
		}
		s = n.scope
	}
	c.declareAll(s, d.Decls)
}

// declareUsing registers a using declaration beside what else the name means. Order is what
// it sees of namespaces.
func (c *checker) declareUsing(s *scope, d *ast.UsingDecl, access types.Access, order int32) {
	if d.Name.Last.Ident == "" && d.Name.Last.Kind != ast.Operator {
		return
	}
	sym := s.put(segmentKey(d.Name.Last))
	sym.more = append(sym.more, &using{decl: d, scope: s, order: order, access: access})
}

func (c *checker) declareAlias(s *scope, d *ast.AliasDecl) {
	c.definedIn(s, d.Type)
	if ct, ok := stripQual(d.Type).(*ast.ClassType); ok && ct.Decl.Name == nil {
		if k, ok := s.defined[ct.Decl].(*class); ok && k.t.TypedefName == "" {
			k.t.TypedefName = d.Name.Name
		}
	}
	a := &alias{decl: d, scope: s, order: c.localOrder(s)}
	sym := s.put(d.Name.Name)
	if sym.what == nil {
		sym.what = a
	} else if old, ok := sym.what.(*alias); !ok {
		c.redefinition(d.Name.Span, d.Name.Name, sym.what)
	} else if old.state == done {
		c.sameAlias(old, a)
	} else {
		old.again = append(old.again, a)
	}
}

// localOrder is the order of a declaration in s: outside of namespaces there is none.
func (c *checker) localOrder(s *scope) int32 {
	if s.kind == nsScope {
		return c.order
	}
	return 0
}

func stripQual(t ast.TypeExpr) ast.TypeExpr {
	for {
		q, ok := t.(*ast.QualType)
		if !ok {
			return t
		}
		t = q.Elem
	}
}

// funcTypes returns the types of a function's result and parameters.
func funcTypes(d *ast.FuncDecl) []ast.TypeExpr {
	if d.Type == nil || d.Type.Result == nil {
		return nil
	}
	return []ast.TypeExpr{d.Type.Result}
}

// definedIn registers the classes and enumerations that types declare.
func (c *checker) definedIn(s *scope, list ...ast.TypeExpr) {
	for _, t := range list {
		for t != nil {
			switch x := t.(type) {
			case *ast.QualType:
				t = x.Elem
			case *ast.PointerType:
				t = x.Elem
			case *ast.RefType:
				t = x.Elem
			case *ast.ArrayType:
				t = x.Elem
			case *ast.FuncType:
				t = x.Result
			case *ast.ClassType:
				c.defineType(s, x.Decl)
				t = nil
			case *ast.EnumType:
				c.defineType(s, x.Decl)
				t = nil
			default:
				t = nil
			}
		}
	}
}

// defineType registers a class or enumeration that a type declares in s.
func (c *checker) defineType(s *scope, d ast.Decl) {
	if _, ok := s.defined[d]; ok {
		return
	}
	var o object
	switch d := d.(type) {
	case *ast.ClassDecl:
		if !d.Defined {
			e := c.nodes.env(&env{checker: c, scope: s})
			f := e.lookupName(d.Name, onlyTypes)
			c.nodes.done(e)
			if f.found() || d.Name.Plain() == "" {
				return
			}
		}
		o = c.declareClass(s, d)
	case *ast.EnumDecl:
		if !d.Defined {
			return
		}
		o = c.declareEnum(s, d)
	}
	if s.defined == nil {
		s.defined = map[any]object{}
	}
	s.defined[d] = o
}

// at returns an environment for lookups in s.
func (c *checker) at(s *scope) *env { return &env{checker: c, scope: s} }

// declareEnum registers an enumeration and its enumerators.
func (c *checker) declareEnum(s *scope, d *ast.EnumDecl) *enum {
	name := d.Name.Plain()
	if d.Name != nil && name == "" {
		c.addOutOfLine(s, d, d.Name, nil)
		return nil
	}
	x := &enum{decl: d, scope: s, order: c.localOrder(s)}
	if name != "" {
		sym := s.put(name)
		if old, ok := sym.tag.(*enum); ok {
			if !d.Defined || old.decl.Defined {
				if d.Defined {
					c.redefinition(d.Name.Span, name, old)
				}
				return old
			}
			x = old
			x.decl, x.scope = d, s
		} else {
			sym.tag = x
		}
	}
	if x.t == nil {
		x.t = &types.Enum{Name: name, Scope: s.typesScope(), Scoped: d.Scoped, Decl: x}
		if name == "" {
			x.t.Title = c.titleAt("unnamed enum", d.Span)
		}
	}
	x.inner = newScope(enumScope, s)
	for i, k := range d.Consts {
		o := &enumConst{enum: x, decl: k, index: i}
		x.consts = append(x.consts, o)
		x.inner.declare(k.Name.Name, o)
		if !d.Scoped {
			if old := s.declare(k.Name.Name, o); old != nil {
				c.redefinition(k.Name.Span, k.Name.Name, old)
			}
		}
	}
	return x
}

// declareFunc registers a function of a namespace, or the definition of a member.
func (c *checker) declareFunc(s *scope, d *ast.FuncDecl) *function {
	if qualified(d.Name) {
		c.addOutOfLine(s, d, d.Name, nil)
		return nil
	}
	f := c.newFunction(s, d)
	c.addFunction(s, f)
	c.defineFunc(s, d, f)
	if d.Specs.Has(ast.Global) && d.Body != nil {
		c.addKernel(s.putNumbered(f.name, f.number()))
	} else if c.opts.Unreached && d.Specs.Has(ast.Device) && d.Body != nil && !c.opts.Embedded[d.Pos().File] {
		c.unreached = append(c.unreached, f)
	} else if d.Body != nil && !d.Specs.Has(ast.Device) && !d.Specs.Has(ast.Global) {
		c.bodies = append(c.bodies, hostBody{f, d, s, c.order})
	}
	return f
}

func (c *checker) addKernel(sym *symbol) {
	o, ok := sym.what.(*overloads)
	if !ok || o.kernels {
		return
	}
	o.kernels = true
	c.kernels = append(c.kernels, o)
}

func qualified(n *ast.Name) bool {
	return n != nil && (n.Global || len(n.Quals) > 0 || n.Decltype != nil)
}

// newFunction makes the function of a declaration.
func (c *checker) newFunction(s *scope, d *ast.FuncDecl) *function {
	f := c.nodes.entities.New()
	f.name, f.at, f.decl, f.scope, f.specs, f.attrs, f.kind = segmentKey(d.Name.Last), d.Name.Span, d, s, d.Specs, d.Attrs, d.Kind
	f.order, f.deleted, f.defaulted = c.localOrder(s), d.Deleted, d.Defaulted
	if d.Body != nil || d.Defaulted || d.Deleted {
		f.def, f.defIn, f.defOrder = d, s, f.order
	}
	return f
}

// addFunction adds a function to the overloads of its name in s.
func (c *checker) addFunction(s *scope, f *function) {
	sym := s.putNumbered(f.name, f.number())
	o, ok := sym.what.(*overloads)
	if !ok {
		o = c.nodes.named.New()
		*o = overloads{name: f.name, scope: s, order: f.order, hidden: f.friend}
		if sym.what != nil {
			if _, isOpaque := sym.what.(*opaque); !isOpaque {
				if f.deviceSide() {
					c.redefinition(f.at, f.name, sym.what)
				}
				return
			}
		}
		sym.what = o
	}
	o.hidden = o.hidden && f.friend
	if f.of != nil || f.explicitSpec {
		o.specs = append(o.specs, f)
	} else {
		if o.pending == nil {
			o.pending = c.nodes.funcs.New(1)
		}
		o.pending = append(o.pending, f)
	}
	o.state = untouched
}

// declareVar registers a variable of a namespace, or the definition of a static member.
func (c *checker) declareVar(s *scope, d *ast.VarDecl) {
	if d.Name == nil {
		return
	}
	if qualified(d.Name) {
		c.addOutOfLine(s, d, d.Name, nil)
		return
	}
	name := d.Name.Last.Ident
	v := &variable{decl: d, name: name, at: d.Name.Span, scope: s, order: c.localOrder(s), specs: d.Specs, attrs: d.Attrs, external: d.Specs.Has(ast.Extern)}
	c.checkMemories(v)
	old, _ := s.declare(name, v).(*variable)
	if !c.opts.Embedded[d.Pos().File] && (old == nil || old == v) {
		c.variables = append(c.variables, v)
	}
	if old == nil {
		return
	}
	// extern int x; int x = 1; is one variable.
	old.specs = old.specs&^ast.Extern | d.Specs | old.specs&d.Specs&ast.Extern
	old.external = old.external || d.Specs.Has(ast.Extern)
	if !d.Specs.Has(ast.Extern) || d.Init != nil {
		if old.def != nil && d.Init != nil && old.def.Init != nil {
			c.redefinition(d.Name.Span, name, old)
		}
		old.def, old.defIn = d, s
	}
	if old.attrs == nil {
		old.attrs = d.Attrs
	}
}

// addOutOfLine registers the definition of a member outside of its class. A name that
// is qualified by namespaces alone defines a member of the last of them.
func (c *checker) addOutOfLine(s *scope, d ast.Decl, name *ast.Name, params [][]*ast.TemplateParam) {
	e := c.at(s)
	if n := e.qualifyingNamespace(name); n != nil {
		short := *name
		short.Global, short.Quals = false, nil
		switch d := d.(type) {
		case *ast.FuncDecl:
			x := *d
			x.Name = &short
			c.declareFunc(n.scope, &x)
		case *ast.VarDecl:
			x := *d
			x.Name = &short
			c.declareVar(n.scope, &x)
		case *ast.ClassDecl:
			x := *d
			x.Name = &short
			c.declareClass(n.scope, &x)
		case *ast.EnumDecl:
			x := *d
			x.Name = &short
			c.declareEnum(n.scope, &x)
		}
		return
	}
	last := ""
	if n := len(name.Quals); n > 0 {
		last = name.Quals[n-1].Ident
	}
	key := memberKey{last, segmentKey(name.Last)}
	c.outOfLine[key] = append(c.outOfLine[key], &outOfLine{decl: d, name: name, params: params, scope: s, order: c.order})
	if v, ok := d.(*ast.VarDecl); ok && len(params) == 0 && c.opts.Relocatable && !c.opts.Embedded[d.Pos().File] {
		c.members = append(c.members, member{v, s, c.order})
	}
	if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && len(params) == 0 {
		c.defineFunc(s, f, nil)
		c.bodies = append(c.bodies, hostBody{nil, f, s, c.order})
	}
}

// segmentKey returns what a name is found by: operators and conversions have names of
// their own.
func segmentKey(s *ast.Segment) string {
	switch s.Kind {
	case ast.Operator:
		return operatorName(s)
	case ast.ConversionName:
		return "operator T"
	case ast.DestructorName:
		return "~"
	case ast.LiteralOperator:
		return "operator \"\"" + s.Ident
	}
	return s.Ident
}

// redefinition reports a name that is declared twice as different things.
func (c *checker) redefinition(at ast.Span, name string, old object) {
	d := c.errorf(at, codeRedefined, "redefinition of '%s'", name)
	if s := old.span(); s.Pos().IsValid() {
		c.note(d, s, "previous definition is here")
	}
}

// titleAt returns what messages call an entity without a name.
func (c *checker) titleAt(what string, at ast.Span) string {
	return "(" + what + " at " + at.Pos().String() + ")"
}
