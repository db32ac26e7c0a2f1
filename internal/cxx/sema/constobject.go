package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// checkConstObject reports a const object of class type that nothing initialises ([dcl.init]/7), and a
// constexpr one of a type with a destructor ([dcl.constexpr]/9); it returns false then.
func (e *env) checkConstObject(v *variable) bool {
	k := classOfType(v.typ.Element())
	if k == nil || !k.t.Complete || !v.typ.IsConst() && !v.specs.Has(ast.Constexpr) {
		return true
	}
	if v.specs.Has(ast.Constexpr) && !k.t.TrivialDestroy {
		d := e.errorf(v.at, codeConstexpr, "constexpr variable cannot have non-literal type '%s'", e.types.Qualify(v.typ, types.Const))
		e.note(d, k.at, "'"+k.t.String()+"' is not literal because it has a non-trivial destructor")
		return false
	}
	if v.init() == nil && !e.constDefault(k) {
		d := e.errorf(v.at, codeUninitialized, "default initialization of an object of const type '%s' without a user-provided default constructor", e.types.Qualify(v.typ, types.Const))
		d.Hint = "add an initializer such as {}"
		return false
	}
	return true
}
