package lower

import (
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// basicNames are the arithmetic types as C writes them.
var basicNames = [...]string{
	types.Void: "void", types.Bool: "bool", types.Char: "char", types.SChar: "signed char", types.UChar: "unsigned char",
	types.Char8: "unsigned char", types.Short: "short", types.UShort: "unsigned short", types.Char16: "unsigned short",
	types.WChar: "int", types.Int: "int", types.UInt: "unsigned int", types.Char32: "unsigned int",
	types.Long: "long", types.ULong: "unsigned long", types.LongLong: "long long", types.ULongLong: "unsigned long long",
	types.Float: "float", types.Double: "double",
}

// typ returns a type as C writes it. References are pointers, enumerations their
// underlying types, pointers to data members offsets, those to member functions structs.
func (l *lowerer) typ(sp syntax.Span, t types.Type) syntax.TypeExpr {
	if t.Node == nil {
		return tree.Basic(sp, "void")
	}
	var x syntax.TypeExpr
	switch t.Kind {
	case types.Pointer:
		return &syntax.PointerType{Span: sp, Elem: l.pointed(sp, t.Elem), Const: t.CV&types.Const != 0, Volatile: t.CV&types.Volatile != 0}
	case types.LRef, types.RRef:
		return &syntax.PointerType{Span: sp, Elem: l.pointed(sp, t.Elem)}
	case types.Array:
		pointers := l.pointers
		l.pointers = 0 // of complete elements
		defer func() { l.pointers = pointers }()
		a := &syntax.ArrayType{Span: sp, Elem: l.typ(sp, types.Type{Node: t.Elem.Node, CV: t.Elem.CV | t.CV})}
		if t.Len >= 0 {
			a.Len = tree.Number(sp, t.Len)
		}
		return a
	case types.Func:
		f := &syntax.FuncType{Span: sp, Result: l.result(sp, t.Elem)}
		if l.inMemory(t.Elem) {
			f.Params = append(f.Params, &syntax.Param{Span: sp, Type: &syntax.PointerType{Span: sp, Elem: l.typ(sp, t.Elem)}})
		}
		for _, p := range t.Func.Params {
			f.Params = append(f.Params, &syntax.Param{Span: sp, Type: l.param(sp, p)})
		}
		if len(f.Params) == 0 {
			f.Params = []*syntax.Param{{Span: sp, Type: tree.Basic(sp, "void")}}
		}
		return f
	case types.EnumKind:
		x = l.typ(sp, t.Enum.Base)
	case types.ClassKind:
		if t.Class.Complete {
			x = l.structType(sp, t.Class)
		} else { // what a pointer points to, and nobody looks at
			x = tree.Basic(sp, "void")
		}
	case types.MemberPointer:
		x = tree.Basic(sp, "long")
		if t.Elem.IsFunc() {
			x = l.methodType(sp)
		}
	case types.Nullptr:
		return &syntax.PointerType{Span: sp, Elem: tree.Basic(sp, "void")}
	default:
		name := ""
		if int(t.Kind) < len(basicNames) {
			name = basicNames[t.Kind]
		}
		if name == "" {
			l.errorf(spanNode{sp}, codeType, "the type '%s' is not supported in device code", t)
			name = "int"
		}
		x = tree.Basic(sp, name)
	}
	if t.CV != 0 {
		x = &syntax.QualType{Span: sp, Const: t.CV&types.Const != 0, Volatile: t.CV&types.Volatile != 0, Elem: x}
	}
	return x
}

// pointed returns the type that a pointer points to.
func (l *lowerer) pointed(sp syntax.Span, t types.Type) syntax.TypeExpr {
	l.pointers++
	defer func() { l.pointers-- }()
	return l.typ(sp, t)
}

// A spanNode gives a span the methods of a node.
type spanNode struct{ syntax.Span }

// object returns the type of a variable or field: const is left out, since constructors
// and initialisers assign to it.
func (l *lowerer) object(sp syntax.Span, t types.Type) syntax.TypeExpr {
	return l.typ(sp, mutable(l.prog.Types, t))
}

// mutable returns t without const; of an array, without that of its elements.
func mutable(tab *types.Table, t types.Type) types.Type {
	if t.IsArray() {
		e := mutable(tab, types.Type{Node: t.Elem.Node, CV: t.Elem.CV | t.CV})
		if e == t.Elem {
			return t.Unqualified()
		}
		return tab.Array(e, t.Len)
	}
	return types.Type{Node: t.Node, CV: t.CV &^ types.Const}
}

// param returns the C type of a parameter: a pointer to an object that is passed by address.
func (l *lowerer) param(sp syntax.Span, t types.Type) syntax.TypeExpr {
	x := l.object(sp, t)
	if l.inMemory(t) {
		return &syntax.PointerType{Span: sp, Elem: x}
	}
	return x
}

// result returns the C type of a function's result.
func (l *lowerer) result(sp syntax.Span, t types.Type) syntax.TypeExpr {
	if l.inMemory(t) {
		return tree.Basic(sp, "void")
	}
	return l.object(sp, t)
}

// pointerTo returns t * in C.
func (l *lowerer) pointerTo(sp syntax.Span, t types.Type) syntax.TypeExpr {
	return &syntax.PointerType{Span: sp, Elem: l.typ(sp, t)}
}
