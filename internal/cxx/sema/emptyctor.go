package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// This file has CUDA's empty constructors and destructors: variables of device memory may have them, since
// they do nothing. The host's side of a function counts: it is never called.

// hasEmptyConstructor reports whether variables of type t, without an initialiser, are left as they are.
func (e *env) hasEmptyConstructor(t types.Type) bool {
	return e.doNothing(t, func(k *class) *function {
		for _, f := range e.constructors(k) {
			if f.tmpl == nil && len(f.params) == 0 {
				return f
			}
		}
		return nil
	})
}

// hasEmptyDestructor reports whether the destruction of an object of type t does nothing.
func (e *env) hasEmptyDestructor(t types.Type) bool {
	return e.doNothing(t, func(k *class) *function {
		e.implicits(k)
		return k.destroyer
	})
}

// doNothing reports whether what of returns for the class of t has an empty body, and so it is for its bases
// and fields.
func (e *env) doNothing(t types.Type, of func(k *class) *function) bool {
	k := classOfType(t.Element())
	if k == nil {
		return true
	}
	if !e.checker.complete(k, k.at) || k.t.Virtual {
		return false
	}
	if f := of(k); f != nil && (f.deleted || !f.implicit && !f.defaulted && !hasEmptyBody(f)) {
		return false
	}
	if k.hasInit {
		return false
	}
	for i := range k.bases {
		if !e.doNothing(e.types.Class(k.bases[i].class.t), of) {
			return false
		}
	}
	for _, f := range k.t.Fields {
		if !f.Type.IsRef() && !e.doNothing(f.Type, of) {
			return false
		}
	}
	return true
}

// hasEmptyBody reports whether the body is {}, without initialisers of members.
func hasEmptyBody(f *function) bool {
	if f.def == nil || f.def.Body == nil || f.kind != ast.Constructor && f.special != destructor {
		return false
	}
	toks := f.def.Body.Tokens
	return len(toks) >= 2 && toks[0].Word == cpp.LBrace && toks[1].Word == cpp.RBrace
}
