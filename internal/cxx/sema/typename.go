package sema

import "irgl/internal/cxx/ast"

// needsTypename reports whether the qualifiers of a type's name depend on a parameter of a
// template, so that the name is one of a type only behind typename ([temp.res]/3). Names of
// members of the current instantiation need none ([temp.dep.type]/1).
func (e *env) needsTypename(n *ast.Name) bool {
	if n.Decltype != nil || !e.inTemplate() {
		return false
	}
	for i, s := range n.Quals {
		if i == 0 && !n.Global {
			f := e.lookup(s.Ident, onlyTypes)
			if b, ok := f.obj.(*bound); ok {
				return b.param.Kind == ast.TypeParam || s.HasArgs
			}
		}
		if !s.HasArgs {
			continue
		}
		if e.isInstantiating(s.Ident) {
			return false
		}
		if d := (&dependence{env: e}); d.args(s) {
			return true
		}
	}
	return false
}

// isInstantiating reports whether one of the classes around has been made of the template of
// a name.
func (e *env) isInstantiating(name string) bool {
	for s := e.scope; s != nil; s = s.parent {
		if s.kind == classScope && s.class != nil && s.class.tmpl != nil && s.class.tmpl.name == name {
			return true
		}
	}
	return false
}
