package sema

import (
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
)

// A definition is a function with a body that the unit itself defines for the device: of a
// namespace, or of a class whose definition is out of it.
type definition struct {
	decl  *ast.FuncDecl
	scope *scope
	fn    *function // nil for a member
	order int32
}

// undefinedHint is the hint of what has no definition.
func (c *checker) undefinedHint() string {
	if c.opts.Relocatable {
		return "no other file sees the name: define it here"
	}
	return "define it here, or compile with -rdc=true if another file has the definition"
}

// defineFunc notes a function that other translation units may call.
func (c *checker) defineFunc(s *scope, d *ast.FuncDecl, f *function) {
	if c.opts.Relocatable && d.Body != nil && !c.opts.Embedded[d.Pos().File] {
		c.definitions = append(c.definitions, definition{d, s, f, c.order})
	}
}

// exported returns the functions of the device that other translation units may call: those
// that each unit which uses them has a copy of are not among them.
func (c *checker) exported() []*function {
	var out []*function
	add := func(f *function, d *ast.FuncDecl) bool {
		if f.bad || f.tmpl != nil || f.def != d || !f.has(ast.Device) || f.has(ast.Global) || f.of != nil && !f.explicitSpec {
			return false
		}
		if c.linkage(f) == hir.External {
			if f.class != nil {
				c.complete(f.class, d.Name.Span)
			}
			out = append(out, f)
		}
		return true
	}
	for _, x := range c.definitions {
		for _, f := range c.candidatesOf(x) {
			if add(f, x.decl) {
				break
			}
		}
	}
	for _, x := range c.explicits {
		for _, f := range c.instantiated(x) {
			if f.has(ast.Device) && !f.has(ast.Global) && !f.bad && c.linkage(f) != hir.Internal {
				out = append(out, f)
			}
		}
	}
	for _, f := range out {
		c.hirFunc(f).Exported = true
	}
	return out
}

// A member is the definition of a static data member out of its class.
type member struct {
	decl  *ast.VarDecl
	scope *scope
	order int32
}

// exportedMembers returns the static data members of the device that the unit defines.
func (c *checker) exportedMembers() []*variable {
	var out []*variable
	for _, x := range c.members {
		var v *variable
		c.fails(func() {
			if k := c.qualifyingClass(x.decl.Name, x.scope, x.order); k != nil {
				v, _ = k.scope.put(segmentKey(x.decl.Name.Last)).what.(*variable)
			}
		})
		if v != nil && spaceOf(v.specs|x.decl.Specs) != hir.Local {
			c.variableType(v)
			out = append(out, v)
		}
	}
	return out
}

// qualifyingClass returns the class that qualifies the name of a definition, completed; nil for
// an instance of a template and for what is no class. The class may be the host's alone: its
// errors are reported when device code uses it.
func (c *checker) qualifyingClass(n *ast.Name, s *scope, order int32) *class {
	c.ofHost++
	defer func() { c.ofHost-- }()
	e := &env{checker: c, scope: s, order: order}
	q := e.qualifier(n)
	if q.bad {
		return nil
	}
	k := classOfType(q.typ)
	if k == nil || k.tmpl != nil {
		return nil
	}
	c.complete(k, n.Span)
	return k
}

// explicitlyOf returns the instance that a definition specialises explicitly.
func (c *checker) explicitlyOf(x definition) []*function {
	if f := c.instantiate(explicit{&ast.InstantiationDecl{Span: x.decl.Span, Decl: x.decl}, x.scope, x.order}); f != nil {
		return []*function{f}
	}
	return nil
}

// candidatesOf returns the functions that a definition may be of.
func (c *checker) candidatesOf(x definition) []*function {
	if x.fn != nil {
		set, _ := x.scope.put(x.fn.name).what.(*overloads)
		if set == nil {
			return nil
		}
		c.resolveSet(set)
		if x.fn.explicitSpec {
			return c.explicitlyOf(x)
		}
		return set.funcs
	}
	var list []*function
	c.fails(func() {
		k := c.qualifyingClass(x.decl.Name, x.scope, x.order)
		if k == nil {
			return
		}
		switch x.decl.Kind {
		case ast.Constructor:
			if c.implicits(k); k.ctors != nil {
				c.resolveSet(k.ctors)
				list = k.ctors.funcs
			}
		case ast.Destructor:
			if d := c.destructor(k); d != nil {
				list = []*function{d}
			}
		case ast.Conversion:
			list = c.at(k.scope).conversions(k)
		default:
			if set, ok := k.scope.put(segmentKey(x.decl.Name.Last)).what.(*overloads); ok {
				c.resolveSet(set)
				list = set.funcs
			}
		}
		for _, f := range list {
			c.findDefinition(f)
		}
	})
	return list
}

// linkage returns how the symbol of a function with a body is seen by other translation units.
func (c *checker) linkage(f *function) hir.Linkage {
	symbol := c.hirFunc(f).Symbol
	instance := f.of != nil && !f.explicitSpec || f.class != nil && f.class.tmpl != nil && !f.class.explicit
	switch {
	case !c.opts.Relocatable, c.opts.Embedded[f.at.Pos().File]:
		return hir.Internal
	case f.lambda != nil, f.pointerOf != nil, f.special == restInit, isUnnamed(symbol):
		return hir.Internal
	case f.class != nil && (f.class.owner != nil || f.class.lambda != nil):
		return hir.Internal
	case f.class == nil && f.has(ast.Static):
		return hir.Internal
	case instance && hasLocalType(symbol):
		return hir.Internal
	case instance, f.implicit, f.defaulted, f.specs&(ast.Inline|ast.Constexpr|ast.ForceInline) != 0, f.class != nil && f.def == f.decl, f.friend && f.def == f.decl:
		return hir.Weak
	}
	return hir.External
}

// variableLinkage returns how the symbol of a variable is seen by other translation units, and
// whether the unit only declares it.
func (c *checker) variableLinkage(v *variable) (l hir.Linkage, declared bool) {
	symbol := v.hir.Symbol
	switch {
	case !c.opts.Relocatable, c.opts.Embedded[v.at.Pos().File], v.hir.Space == hir.Shared, v.hir.Space == hir.SharedX:
		return hir.Internal, false
	case v.owner != nil:
		if v.owner.fn != nil && v.owner.fn.lambda == nil && c.linkage(v.owner.fn) == hir.Weak {
			return hir.Weak, false
		}
		return hir.Internal, false
	case isUnnamed(symbol), spaceOf(v.specs) == hir.Local:
		return hir.Internal, false
	case v.class != nil:
		switch {
		case v.class.owner != nil || hasLocalType(symbol) && v.class.tmpl != nil:
			return hir.Internal, false
		case v.class.tmpl != nil && !v.class.explicit, v.specs&(ast.Inline|ast.Constexpr) != 0:
			return hir.Weak, false
		}
		return hir.External, v.def == nil
	case v.tmpl != nil, v.specs.Has(ast.Inline):
		return hir.Weak, false
	case v.specs.Has(ast.Static), v.specs.Has(ast.Constexpr), v.typ.IsConst() && !v.typ.IsVolatile() && !v.external:
		return hir.Internal, false
	}
	return hir.External, v.external && v.def == nil && v.init() == nil
}

// isUnnamed reports whether a symbol is of an unnamed namespace.
func isUnnamed(symbol string) bool { return strings.Contains(symbol, "_GLOBAL__N_") }

// hasLocalType reports whether the symbol of an instance may name a lambda or a class of a
// function, which two translation units may have under one name.
func hasLocalType(symbol string) bool {
	for _, part := range []string{"_ZZ", "IZ", "NZ", "Ul", "Ut", "__irgl_closure_", "6irgl7Closure"} {
		if strings.Contains(symbol, part) {
			return true
		}
	}
	return false
}
