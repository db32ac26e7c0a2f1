package sema

import (
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// fullName returns a function's name as messages and lists show it.
func (c *checker) fullName(f *function) string {
	name := f.title()
	if f.of != nil {
		name += types.ArgList(f.args)
	}
	if f.class != nil {
		return types.QualifiedName(f.class.t, name)
	}
	return types.QualifiedName(f.scope.typesScope(), name)
}

// title returns the name of a function in messages: of a conversion function with its type.
func (f *function) title() string {
	if f.kind == ast.Conversion && f.typ.Node != nil {
		return "operator " + f.result().String()
	}
	return f.name
}

// mangle returns the symbol of a function.
func (c *checker) mangle(f *function) string {
	if f.attrs != nil && f.attrs.Builtin != "" {
		return f.name
	}
	if f.typ.Node == nil {
		return f.name
	}
	f.symbol = c.symbolOf(f)
	symbol, x := types.Encode(f.symbol)
	if x != nil && f.has(ast.Global) {
		d := c.errorf(f.at, codeSymbol, "the symbol of kernel '%s' has an expression in it that is not supported: '%s'", f.name, x.Text)
		d.Hint = "the host's compiler would give the kernel another symbol, and a launch would not find it"
	}
	return symbol
}

// symbolOf returns what a function's mangled name is made of.
func (c *checker) symbolOf(f *function) *types.Symbol {
	s := &types.Symbol{Kind: types.FuncSymbol, Name: f.name, Type: f.typ, Args: f.args, Template: f.of != nil}
	if f.of != nil {
		c.signature(f.of.fn)
		s.Type = f.of.fn.typ
	}
	switch {
	case f.class != nil:
		s.Scope = f.class.t
	default:
		s.Scope = f.scope.namespaceOf()
		s.External = f.has(ast.ExternC) && f.of == nil
		s.Internal = f.has(ast.Static)
	}
	switch f.kind {
	case ast.Constructor:
		s.Kind = types.ConstructorSymbol
	case ast.Destructor:
		s.Kind = types.DestructorSymbol
	case ast.Conversion:
		s.Kind, s.Target = types.ConversionSymbol, s.Type.Elem
	default:
		if sign, ok := strings.CutPrefix(f.name, "operator"); ok && sign != "" && !isWordByte(sign[0]) {
			s.Kind, s.Name = types.OperatorSymbol, strings.TrimSpace(sign)
			n := len(f.params)
			if f.isMember() {
				n++
			}
			s.Unary = n == 1
			if strings.HasPrefix(sign, " \"\"") {
				s.Kind, s.Name = types.LiteralSymbol, strings.TrimPrefix(sign, " \"\"")
			}
		}
	}
	return s
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// mangleVar returns the symbol of a variable that is not local.
func (c *checker) mangleVar(v *variable) string {
	s := &types.Symbol{Kind: types.VarSymbol, Name: v.name, Type: v.typ, Args: v.args, Template: v.tmpl != nil}
	if v.class != nil {
		s.Scope = v.class.t
	} else {
		s.Scope = v.scope.namespaceOf()
		s.External = v.specs.Has(ast.ExternC)
		s.Internal = v.specs.Has(ast.Static) || v.typ.Node != nil && v.typ.IsConst() && !v.typ.IsVolatile() && !v.external && !v.specs.Has(ast.Inline) && v.tmpl == nil
	}
	return types.Mangle(s)
}

// mangleLocal returns the symbol of a static or __shared__ variable of a function.
func (e *env) mangleLocal(v *variable) string {
	b := e.body
	if v.hir.Space == hir.SharedX {
		return v.name
	}
	n := 0
	for _, name := range b.statics {
		if name == v.name {
			n++
		}
	}
	b.statics = append(b.statics, v.name)
	sym := b.hir.Symbol
	if s, ok := strings.CutPrefix(sym, "_Z"); ok {
		sym = s
	} else {
		sym = decimal(len(sym)) + sym
	}
	out := "_ZZ" + sym + "E" + decimal(len(v.name)) + v.name
	switch {
	case n == 1:
		out += "_0"
	case n > 1 && n <= 10:
		out += "_" + decimal(n-1)
	case n > 10:
		out += "__" + decimal(n-1) + "_"
	}
	return out
}
