package sema

import (
	"slices"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// addAssociated adds the functions of a name in the namespaces and friends that belong
// to the arguments (C++17, 6.4.2).
func (e *env) addAssociated(o *overloadExpr, name string, args []hir.Expr) {
	a := associated{env: e, set: o, spaces: e.nodes.spaces[:0], classes: e.nodes.associates[:0]}
	e.nodes.spaces, e.nodes.associates = nil, nil // completing a class may ask for others
	defer func() { e.nodes.spaces, e.nodes.associates = a.spaces, a.classes }()
	for _, x := range args {
		a.addExpr(x)
	}
	var number int32
	if o.name != nil {
		number = o.name.Number
	}
	for _, n := range a.spaces {
		a.addFrom(n, name, number)
	}
}

// addFrom adds the functions of a name in a namespace that the call sees.
func (a *associated) addFrom(n *namespace, name string, number int32) {
	add := func(x object) {
		set, ok := x.(*overloads)
		if !ok || set == a.set.whole {
			return
		}
		a.resolveSet(set)
		for _, f := range set.funcs {
			if a.sees(f.order) && (!f.friend || a.befriended(f)) {
				a.set.addFunc(a.checker, f)
			}
		}
	}
	if sym := n.scope.getNumbered(name, number); sym != nil {
		add(sym.what)
		for _, m := range sym.more {
			if u, ok := m.(*using); ok && a.sees(u.order) {
				for _, t := range a.usingTargets(u) {
					add(t)
				}
			}
		}
	}
	for _, m := range n.inlines {
		a.addFrom(m, name, number)
	}
}

// befriended reports whether a hidden friend is one of an associated class ([basic.lookup.argdep]/4),
// or of a class around one.
func (a *associated) befriended(f *function) bool {
	return f.friendOf == nil || slices.ContainsFunc(a.classes, func(k *class) bool {
		for ; k != nil && k != f.friendOf; k = k.scope.parent.classOf() {
		}
		return k != nil
	})
}

// sees reports whether the call sees a declaration: one that is before it, and in an
// instance of a template later ones too if an argument was type-dependent, as if the call
// were at the end of the translation unit, which is one of its points of instantiation
// ([temp.point]/8).
func (a *associated) sees(order int32) bool {
	if a.order == 0 || order <= a.order {
		return true
	}
	if !a.decided {
		a.decided = true
		a.dependent = a.inInstance() && (a.set.operands == nil || a.typeDependent(a.set.operands))
	}
	return a.dependent
}

// inInstance reports whether names are looked up in an instance of a template.
func (e *env) inInstance() bool {
	for s := e.scope; s != nil; s = s.parent {
		if s.kind == templateScope && !s.pattern {
			return true
		}
	}
	return false
}

// associated collects the namespaces of types for a call.
type associated struct {
	*env
	set      *overloadExpr
	decided, // dependent is known
	dependent bool // the call was dependent in the template that it is in an instance of
	spaces  []*namespace
	classes []*class
}

func (a *associated) addExpr(x hir.Expr) {
	switch x := x.(type) {
	case *listExpr:
		return
	case *overloadExpr:
		for _, f := range x.funcs {
			if f.typ.Node != nil && f.tmpl == nil {
				a.addType(f.typ)
			}
		}
		return
	}
	a.addType(x.Type())
}

func (a *associated) addSpace(s *scope) {
	n := s.namespaceOf()
	if n == nil || n == a.global && len(a.spaces) > 0 && a.spaces[0] == n {
		return
	}
	for n.inline && n.parent != nil {
		n = n.parent
	}
	for _, m := range a.spaces {
		if m == n {
			return
		}
	}
	a.spaces = append(a.spaces, n)
}

func (a *associated) addType(t types.Type) {
	if !t.IsValid() {
		return
	}
	switch t.Kind {
	case types.Pointer, types.LRef, types.RRef, types.Array:
		a.addType(t.Elem)
	case types.Func:
		a.addType(t.Elem)
		for _, p := range t.Func.Params {
			a.addType(p)
		}
	case types.MemberPointer:
		a.addType(t.Of)
		a.addType(t.Elem)
	case types.EnumKind:
		if x := enumOf(t); x != nil {
			a.addSpace(x.scope)
			if k := x.scope.classOf(); k != nil {
				a.classes = append(a.classes, k)
			}
		}
	case types.ClassKind:
		if k := classOfType(t); k != nil {
			a.addClass(k)
		}
	}
}

func (a *associated) addClass(k *class) {
	for _, c := range a.classes {
		if c == k {
			return
		}
	}
	a.classes = append(a.classes, k)
	a.complete(k, k.at)
	a.addSpace(k.scope.parent)
	for i := range k.bases {
		a.addClass(k.bases[i].class)
	}
	for _, arg := range k.args {
		a.addArg(arg)
	}
}

func (a *associated) addArg(arg types.Arg) {
	switch arg.Kind {
	case types.TypeArg:
		a.addType(arg.Type)
	case types.TemplateArg:
		if t, ok := arg.Template.(*template); ok {
			a.addSpace(t.scope)
		}
	case types.PackArg:
		for _, x := range arg.Pack {
			a.addArg(x)
		}
	}
}
