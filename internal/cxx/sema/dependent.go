package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// patternValue returns an expression in a pattern as an argument: a parameter, a value,
// or what depends on parameters.
func (e *env) patternValue(x ast.Expr) types.Arg {
	if n, ok := stripParens(x).(*ast.NameExpr); ok && n.Name.Plain() != "" {
		f := e.lookup(n.Name.Plain(), anything)
		if b, ok := f.obj.(*bound); ok && b.arg.Kind == types.DependentValue {
			if b.param.Pack && e.pack != nil {
				e.pack.n = max(e.pack.n, 1)
			}
			return b.arg
		} else if ok && b.arg.Kind == types.PackArg && e.pack != nil && e.pack.index < len(b.arg.Pack) {
			if el := b.arg.Pack[e.pack.index]; el.Kind == types.DependentValue {
				e.pack.n = len(b.arg.Pack)
				return el
			}
		}
	}
	var v hir.Expr
	var a types.Arg
	ok := false
	failed := e.fails(func() {
		v = e.expr(x)
		if isBad(v) {
			return
		}
		if o, isSet := v.(*overloadExpr); isSet {
			o.addr = true
		}
		if v = e.single(v); !isBad(v) {
			a, ok = e.constantArg(v, v.Type(), spanOf(x))
		}
	})
	if failed || !ok {
		if l, isLiteral := stripParens(x).(*ast.Literal); isLiteral { // a malformed one, whose value dependentExpr would ask for here
			return types.Arg{Kind: types.DependentValue, Expr: &types.Expr{Op: "?", Text: textOf(l.Span)}}
		}
		return types.Arg{Kind: types.DependentValue, Expr: e.dependentExpr(x)}
	}
	return a
}

// unaryCodes are the codes of operators in front of one operand.
var unaryCodes = map[cpp.Word]string{
	cpp.Not: "nt", cpp.Minus: "ng", cpp.Plus: "ps", cpp.Tilde: "co", cpp.Star: "de", cpp.Amp: "ad", cpp.PlusPlus: "pp_", cpp.MinusMinus: "mm_",
}

// castCodes are the codes of the casts that are named.
var castCodes = map[cpp.Word]string{
	cpp.KwStaticCast: "sc", cpp.KwReinterpretCast: "rc", cpp.KwConstCast: "cc", cpp.KwDynamicCast: "dc",
}

// dependentExpr describes an expression that depends on parameters, as its mangled name
// needs it. What has no such description is "?".
func (e *env) dependentExpr(x ast.Expr) *types.Expr {
	out := &types.Expr{Op: "?", Text: textOf(spanOf(x))}
	operands := func(op string, list ...ast.Expr) {
		if op == "" {
			return
		}
		out.Op = op
		for _, x := range list {
			out.Args = append(out.Args, e.dependentExpr(x))
		}
	}
	switch x := stripParens(x).(type) {
	case *ast.NameExpr:
		return e.dependentName(x, out)
	case *ast.ThisExpr:
		out.Op = "fpT"
	case *ast.BinaryExpr:
		operands(types.OperatorCode(x.Op.String(), false), x.X, x.Y)
	case *ast.UnaryExpr:
		operands(unaryCodes[x.Op], x.X)
	case *ast.PostfixExpr:
		operands(map[cpp.Word]string{cpp.PlusPlus: "pp", cpp.MinusMinus: "mm"}[x.Op], x.X)
	case *ast.IndexExpr:
		operands("ix", x.X, x.Index)
	case *ast.CondExpr:
		if x.Then != nil {
			operands("qu", x.Cond, x.Then, x.Else)
		}
	case *ast.NoexceptExpr:
		operands("nx", x.X)
	case *ast.PackExpansion:
		operands("sp", x.X)
	case *ast.CallExpr:
		operands("cl", append([]ast.Expr{x.Fun}, x.Args...)...)
		if n := len(out.Args); n > 0 && out.Args[0].Op == "?" {
			out.Args[0] = e.calledName(x.Fun, out.Args[0])
		}
	case *ast.MemberExpr:
		if x.X != nil && x.Name.Plain() != "" || x.Name != nil && len(x.Name.Quals) == 0 && x.Name.Last.Kind == ast.Identifier {
			operands(map[bool]string{false: "dt", true: "pt"}[x.Arrow], x.X)
			out.Name = x.Name.Last.Ident
			if x.Name.Last.HasArgs {
				out.TArgs, _ = e.rawArgs(x.Name.Last.Args)
			}
		}
	case *ast.CastExpr:
		if _, isList := x.X.(*ast.InitList); !isList {
			operands("cv", x.X)
			out.Type = e.patternType(x.Type)
		}
	case *ast.NamedCastExpr:
		operands(castCodes[x.Kind], x.X)
		out.Type = e.patternType(x.Type)
	case *ast.ConstructExpr:
		list, op := x.Args, "cv"
		if x.Brace != nil {
			op = "tl"
			for _, el := range x.Brace.Elems {
				list = append(list, el.Value)
			}
		}
		operands(op, list...)
		out.Type = e.patternType(x.Type)
	case *ast.SizeofExpr:
		if x.Type != nil && x.X == nil || x.Ambiguous {
			out.Op = map[bool]string{false: "st", true: "at"}[x.Align]
			out.Type = e.patternType(x.Type)
		} else if x.X != nil {
			operands(map[bool]string{false: "sz", true: "az"}[x.Align], x.X)
		}
	case *ast.SizeofPackExpr:
		f := e.lookup(x.Name.Name, anything)
		if b, ok := f.obj.(*bound); ok {
			out.Op = "sZ"
			out.Param = b.arg.Pattern
			if b.arg.Type.Is(types.Param) {
				out.Param = b.arg.Type.Param
			}
		}
	case *ast.Literal:
		if a := e.patternValue(x); a.Kind == types.ValueArg {
			out.Op, out.Type, out.Value = "", a.Type, a.Value
		}
	}
	return out
}

// dependentName describes a name that depends on parameters: a parameter itself, one of
// the function's, or a member of a dependent type.
func (e *env) dependentName(x *ast.NameExpr, out *types.Expr) *types.Expr {
	if x.Name.Plain() != "" {
		f := e.lookup(x.Name.Plain(), anything)
		switch o := f.obj.(type) {
		case *bound:
			if o.arg.Kind == types.DependentValue {
				out.Op, out.Param, out.Type = "", o.arg.Pattern, o.arg.Type
				return out
			}
		case *variable:
			if o.param > 0 {
				out.Op, out.Index = "fp", int(o.param-1)
				if e.scope.declaringParams() {
					out.Op = "fL0p"
				}
				return out
			}
		}
		if a := e.tryConstant(x); a.Kind == types.ValueArg {
			out.Op, out.Type, out.Value = "", a.Type, a.Value
		}
		return out
	}
	var q qualifier
	if !e.fails(func() { q = e.qualifier(x.Name) }) && q.typ.Dependent() {
		out.Op, out.Type, out.Name = "sr", q.typ, x.Name.Last.Ident
		if x.Name.Last.HasArgs {
			out.TArgs, _ = e.rawArgs(x.Name.Last.Args)
		}
	}
	return out
}

// calledName describes the name of a function that is called with arguments that depend
// on parameters: as it is written.
func (e *env) calledName(x ast.Expr, out *types.Expr) *types.Expr {
	n, ok := stripParens(x).(*ast.NameExpr)
	if !ok || n.Name.Decltype != nil || n.Name.Last.Kind != ast.Identifier {
		return out
	}
	out.Op, out.Name = "", n.Name.Last.Ident
	var f finding
	if e.fails(func() { f = e.lookupName(n.Name, anything) }) || !f.found() {
		for _, s := range n.Name.Quals { // g++ leaves out what it has looked up
			if s.HasArgs {
				out.Op = "?"
				return out
			}
			out.Path = append(out.Path, s.Ident)
		}
	}
	if len(out.Path) > 0 {
		out.Op = "sr"
	} else if n.Name.Global && !f.found() {
		out.Op = "gs"
	}
	if n.Name.Last.HasArgs {
		out.TArgs, _ = e.rawArgs(n.Name.Last.Args)
	}
	return out
}

func (e *env) tryConstant(x ast.Expr) (a types.Arg) {
	e.fails(func() {
		if v := e.expr(x); !isBad(v) {
			a, _ = e.constantArg(v, v.Type(), spanOf(x))
		}
	})
	return a
}

// declaringParams reports whether s is in the parameters of a declaration, not after them.
func (s *scope) declaringParams() bool {
	for ; s != nil && s.kind != nsScope; s = s.parent {
		if s.kind == paramScope {
			return s.declaring
		}
	}
	return false
}

// dependsOnType reports whether the type of an expression depends on parameters, or that
// of an operand.
func dependsOnType(x hir.Expr) bool {
	found := false
	hir.Walk(x, func(n any) {
		if x, ok := n.(hir.Expr); ok {
			t := x.Type()
			found = found || t.Node != nil && t.Dependent()
		}
	})
	return found
}
