package sema

import (
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// checkStaticMember reports what a static data member cannot be.
func (e *env) checkStaticMember(k *class, d *ast.VarDecl) {
	if d.Width != nil {
		e.errorf(d, codeField, "static member '%s' cannot be a bit-field", d.Name.Last.Ident)
	}
	if k.owner != nil {
		e.errorf(d, codeContext, "static data member '%s' not allowed in local class '%s'", d.Name.Last.Ident, k.t)
	}
}

// checkMemberFunction reports what is wrong with the form of a member function's declaration: its
// types are not looked at.
func (e *env) checkMemberFunction(k *class, f *function) {
	d := f.decl
	if d.Name == nil {
		return
	}
	static := d.Specs.Has(ast.Static)
	switch last := d.Name.Last; {
	case static && last.Kind == ast.Operator && !isAllocator(f.name):
		e.errorf(d.Name, codeOperator, "overloaded '%s' cannot be a static member function", f.name)
	case static && (d.Type.CV != 0 || d.Type.Ref != 0):
		e.errorf(d, codeBadType, "static member function '%s' cannot have a qualifier of its object", f.name)
	case d.Kind == ast.Plain && last.Kind == ast.Identifier && last.Ident == k.t.Name && last.Ident != "":
		e.errorf(d, codeBadType, "constructor cannot have a return type")
	case d.Kind == ast.Destructor && last.Ident != "" && strings.TrimPrefix(last.Ident, "~") != k.t.Name:
		e.errorf(d.Name, codeBadType, "expected the class name after '~' to name the enclosing class")
	case d.Kind == ast.Destructor && len(d.Type.Params) > 0:
		e.errorf(d.Name, codeBadType, "destructor cannot have any parameters")
	case d.Kind == ast.Destructor && d.Type.Result != nil:
		e.errorf(d.Name, codeBadType, "destructor cannot have a return type")
	case d.Kind == ast.Conversion && len(d.Type.Params) > 0:
		e.errorf(d.Name, codeBadType, "conversion function cannot have any parameters")
	case d.Kind == ast.Conversion && d.Type.Result != nil:
		e.errorf(d.Name, codeBadType, "conversion function cannot have a return type")
	}
}

// operands returns how many operands an operator takes at least and at most.
func operands(sign string) (least, most int) {
	switch sign {
	case "+", "-", "*", "&", "++", "--":
		return 1, 2
	case "!", "~", "->":
		return 1, 1
	}
	return 2, 2
}

// checkOperatorFunction reports an operator function of other parameters than its operator has
// operands ([over.oper]).
func (e *env) checkOperatorFunction(f *function) {
	sign := strings.TrimSpace(strings.TrimPrefix(f.name, "operator"))
	if isAllocator(f.name) || f.kind != ast.Plain {
		return
	}
	n, member := len(f.params), f.class != nil && !f.friend
	for _, p := range f.params {
		if p.Is(types.Expansion) {
			return
		}
	}
	if member {
		n++
	}
	least, most := operands(sign)
	switch {
	case sign == "()" && member:
	case !member && (sign == "()" || sign == "[]" || sign == "->" || sign == "="):
		e.errorf(f.at, codeOperator, "overloaded '%s' must be a non-static member function", f.name)
	case n < least || n > most:
		e.errorf(f.at, codeOperator, "overloaded '%s' has %d operands, and its operator has %s", f.name, n, [...]string{"one", "one or two", "two"}[least+most-2])
	case (sign == "++" || sign == "--") && n == 2 && f.params[len(f.params)-1] != e.basic(types.Int) && !f.params[len(f.params)-1].Dependent():
		e.errorf(f.at, codeOperator, "parameter of overloaded post-%s operator must have type 'int' (not '%s')", map[bool]string{true: "increment", false: "decrement"}[sign == "++"], f.params[len(f.params)-1])
	case !member && !e.hasOverloadable(f.params):
		e.errorf(f.at, codeOperator, "overloaded '%s' must have at least one parameter of class or enumeration type", f.name)
	}
}

// hasOverloadable reports whether one of the parameters is of a class or enumeration.
func (e *env) hasOverloadable(params []types.Type) bool {
	for _, p := range params {
		if t := p.Unref(); t.IsClass() || t.IsEnum() || t.Dependent() {
			return true
		}
	}
	return false
}

// checkLiteralOperator reports a literal operator of parameters that no literal has ([over.literal]/3).
func (e *env) checkLiteralOperator(f *function) {
	if f.tmpl != nil && len(f.params) == 0 || f.of != nil {
		return
	}
	if len(f.params) == 1 || len(f.params) == 2 {
		t := f.params[0]
		chars := t.IsPointer() && isCharacter(t.Elem.Unqualified()) && t.Elem.IsConst()
		switch {
		case len(f.params) == 2 && chars && f.params[1] == e.basic(types.ULong):
			return
		case len(f.params) == 1 && (chars && t.Elem.Is(types.Char) || isCharacter(t) || t.Is(types.ULongLong) || t.Is(types.LongDouble)):
			return
		}
	}
	e.errorf(f.at, codeOperator, "parameters of '%s' are not those of a literal operator", f.name)
}

// isCharacter reports whether t is a type of characters that literals have.
func isCharacter(t types.Type) bool {
	return t.Is(types.Char) || t.Is(types.WChar) || t.Is(types.Char16) || t.Is(types.Char32) || t.Is(types.Char8)
}

// parameterIn returns a parameter of the function that the argument is of, if the argument
// evaluates it ([dcl.fct.default]/9).
func (d *defaultArg) parameterIn(x hir.Expr) (found *hir.Var) {
	if len(d.scope.list) == 0 {
		return nil
	}
	hir.Walk(x, func(n any) {
		ref, ok := n.(*hir.VarRef)
		if !ok || ref.Var.Name == "" {
			return
		}
		if sym := d.scope.get(ref.Var.Name); sym != nil {
			if v, ok := sym.what.(*variable); ok && v.hir == ref.Var {
				found = ref.Var
			}
		}
	})
	return found
}
