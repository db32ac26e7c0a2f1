package emit

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
	"irgl/syntax"
)

// Arguments that are enumerations.
//
//	struct __klap_args_child {          struct __klap_args_child {
//		unsigned int pred;          	unsigned int pred;
//		unsigned int a0;            	mode a0;
//	};                                  };
//
// The lowered program has integers in their place, which C++ converts to no enumeration. What is declared for a
// parameter or a variable of the source has its place, and so its type.

// enumerations returns the types of parameters and variables that are enumerations or pointers to such, by the places that
// declarations of the lowered program have.
func (e *emitter) enumerations() map[source.Pos]types.Type {
	of := map[source.Pos]types.Type{}
	note := func(v *hir.Var) {
		if _, ok := enumeration(v.Type); ok {
			of[v.Pos()] = v.Type
		}
	}
	for _, h := range e.u.CXX.HIR.Funcs {
		for _, v := range h.Params {
			note(v)
		}
		if h.Body == nil {
			continue
		}
		hir.Walk(h.Body, func(n any) {
			if s, ok := n.(*hir.VarStmt); ok {
				for _, v := range s.Vars {
					note(v)
				}
			}
		})
	}
	return of
}

// enumeration returns the name of the enumeration that a type is, or points to.
func enumeration(t types.Type) (string, bool) {
	for t.Is(types.Pointer) || t.Is(types.Array) {
		t = t.Elem
	}
	if !t.IsEnum() {
		return "", false
	}
	t.CV = 0
	return t.String(), true
}

// enumerated makes the type of a declaration at a place of the source that of the source, if that is an enumeration.
func (n *names) enumerated(place *syntax.TypeExpr, at ...syntax.Node) {
	for _, x := range at {
		t, ok := n.enums[x.Pos()]
		if !ok {
			continue
		}
		name, _ := enumeration(t)
		for {
			switch x := (*place).(type) {
			case *syntax.PointerType:
				place = &x.Elem
			case *syntax.ArrayType:
				place = &x.Elem
			case *syntax.QualType:
				place = &x.Elem
			case *syntax.BasicType:
				*place = &syntax.NamedType{Span: x.Span, Name: name}
				return
			default:
				return
			}
		}
	}
}
