package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// basesOf counts the objects of base class b in one of k: those of virtual bases are one
// together.
func (k *class) basesOf(b *class) (plain, virtual int) {
	for i := range k.bases {
		x := &k.bases[i]
		switch {
		case x.class != b:
			p, v := x.class.basesOf(b)
			if x.virtual && p > 0 {
				p, v = 0, 1
			}
			plain, virtual = plain+p, max(virtual, v)
		case x.virtual:
			virtual = 1
		default:
			plain++
		}
	}
	return plain, virtual
}

// ambiguousBase reports a conversion between classes where the derived one has the base more than
// once ([conv.ptr]/3, [class.member.lookup]). Format is of the message, with the classes for %s.
func (e *env) ambiguousBase(at ast.Node, derived, base types.Type, format string, first, second types.Type) bool {
	k, b := classOfType(derived), classOfType(base)
	if k == nil || b == nil || k == b || len(k.bases) == 0 {
		return false
	}
	if plain, virtual := k.basesOf(b); plain+virtual < 2 {
		return false
	}
	d := e.errorf(at, codeAmbiguousMember, format, first.Unqualified(), second.Unqualified())
	for i := range k.bases {
		if x := &k.bases[i]; x.class == b || x.class.basePath(b) != nil {
			e.note(d, x.at, "a base of class '"+b.t.String()+"' is here")
		}
	}
	return true
}

const (
	ambiguousUpcast   = "ambiguous conversion from derived class '%s' to base class '%s'"
	ambiguousDowncast = "ambiguous cast from base '%s' to derived '%s'"
	ambiguousMembers  = "ambiguous conversion from pointer to member of class '%s' to pointer to member of class '%s'"
)

// ambiguousName reports a name that using-directives, or inline namespaces, find in several namespaces
// as different entities, unless they are functions ([namespace.udir]/6). Names of the compiler's own
// headers take no part: the host's headers have others.
func (e *env) ambiguousName(n *ast.Name, f *finding) bool {
	if len(f.more) == 0 || f.class != nil || qualified(n) || !mayClash(f.obj) || e.opts.Embedded[f.obj.span().Pos().File] {
		return false
	}
	for _, o := range f.more {
		if !mayClash(o) || e.opts.Embedded[o.span().Pos().File] || e.sameType(f.obj, o) {
			continue
		}
		d := e.errorf(n, codeAmbiguous, "reference to '%s' is ambiguous", n.Last.Ident)
		for o := range f.all() {
			e.note(d, o.span(), "candidate found by name lookup is here")
		}
		return true
	}
	return false
}

// mayClash reports whether two objects of a kind cannot be meant by one name.
func mayClash(o object) bool {
	switch o := o.(type) {
	case *class, *enum, *enumConst, *alias:
		return true
	case *variable:
		return !o.specs.Has(ast.ExternC) && !o.specs.Has(ast.Extern)
	case *template:
		return o.kind != aliasTemplate
	}
	return false
}

// sameType reports whether two objects are names of one type.
func (e *env) sameType(a, b object) bool {
	typeOf := func(o object) (t types.Type) {
		if x, ok := o.(*alias); ok {
			e.fails(func() { t = e.resolveAlias(x) })
			return t
		}
		return e.entityType(o)
	}
	x, y := typeOf(a), typeOf(b)
	return x.IsValid() && x == y
}
