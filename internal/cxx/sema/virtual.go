package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// This file answers what type traits ask about virtual functions, which device code cannot
// call.

// isVirtual reports whether a function is declared virtual, in words that only virtual
// functions may have.
func (f *function) isVirtual() bool {
	d := f.decl
	return d != nil && (d.Specs.Has(ast.Virtual) || d.Pure || d.Override || d.Final)
}

// methods calls yield for the member functions that a class declares, but for constructors
// and templates.
func (e *env) methods(k *class, yield func(*function)) {
	for i := range k.scope.list {
		if set, ok := k.scope.list[i].what.(*overloads); ok {
			e.resolveSet(set)
			for _, f := range set.funcs {
				if f.tmpl == nil && f.class == k {
					yield(f)
				}
			}
		}
	}
	if k.destroyer != nil {
		yield(k.destroyer)
	}
}

// isPolymorphic reports whether a class has or inherits a virtual function.
func (e *env) isPolymorphic(k *class) bool {
	if slices.ContainsFunc(k.bases, func(b base) bool { return e.isPolymorphic(b.class) }) {
		return true
	}
	found := false
	e.methods(k, func(f *function) { found = found || f.isVirtual() })
	return found
}

// hasVirtualDestructor reports whether the destructor of a class is virtual, by itself or as
// that of a base is.
func (k *class) hasVirtualDestructor() bool {
	return k.destroyer != nil && k.destroyer.isVirtual() || slices.ContainsFunc(k.bases, func(b base) bool { return b.class.hasVirtualDestructor() })
}

// isAbstract reports whether a class has a pure virtual function that is the final overrider
// ([class.abstract]/4).
func (e *env) isAbstract(k *class) bool { return len(e.pureFunctions(k)) > 0 }

// isAbstractType reports whether a type is an abstract class.
func (e *env) isAbstractType(t types.Type) bool {
	k := classOfType(t)
	return k != nil && k.t.Virtual && e.isAbstract(k)
}

// pureFunctions returns the pure virtual functions of a class and its bases that nothing
// overrides.
func (e *env) pureFunctions(k *class) []*function {
	var list []*function
	for i := range k.bases {
		list = append(list, e.pureFunctions(k.bases[i].class)...)
	}
	e.methods(k, func(f *function) {
		list = slices.DeleteFunc(list, func(g *function) bool { return overrides(f, g) })
		if f.decl != nil && f.decl.Pure {
			list = append(list, f)
		}
	})
	return list
}

// overrides reports whether f has the name and the parameters of g, a virtual function of a
// base.
func overrides(f, g *function) bool {
	if f.special == destructor || g.special == destructor {
		return f.special == g.special
	}
	if f.name != g.name || f.static || f.typ.Node == nil || g.typ.Node == nil {
		return false
	}
	a, b := f.typ.Func, g.typ.Func
	return slices.Equal(f.params, g.params) && a.CV == b.CV && a.Ref == b.Ref && (f.kind != ast.Conversion || f.result() == g.result())
}
