package lower

import (
	"math"
	"strconv"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// builtin lowers the call of a function that the language has by itself. CUDA
// has fewer forms of some than IrGL: their arguments and results are cast.
func (l *lowerer) builtin(x *syntax.CallExpr, name string) syntax.Expr {
	f, _ := l.info.Types[x.Fun].(*check.Func)
	b := check.LookupBuiltin(name)
	args := l.exprs(x.Args)
	if f != nil && b != nil {
		switch b.Rule {
		case builtin.AtomicCall:
			return l.atomic(x, name, f, args)
		case builtin.MinMaxCall, builtin.MathCall:
			for i := range args {
				args[i] = l.argument(x.Args[i], args[i], f.Params[i])
			}
		}
	}
	if b != nil && b.HostForm != "" && (l.host || l.shared) {
		name = b.HostForm
	}
	return &syntax.CallExpr{Span: x.Span, Fun: ident(at(x.Fun), name), Args: args}
}

// argument returns an argument in the type of its parameter, so that C++ finds
// one form of an overloaded function, not several that fit as well as each
// other, nor one of its own library that no kernel can call.
func (l *lowerer) argument(x, lowered syntax.Expr, t check.Type) syntax.Expr {
	from := l.info.Types[x]
	if !check.IsArithmetic(from) || !check.IsArithmetic(t) || check.Promote(from) == t {
		return lowered
	}
	if c := l.info.Consts[x]; c != nil && check.IsInteger(from) && check.IsInteger(t) && (c.Int >= 0 || !check.IsUnsigned(t)) {
		return constant(at(x), t, c)
	}
	return cast(at(x), l.typeName(at(x), t), lowered)
}

// atomic lowers an atomic function. CUDA has
//
//	Add          int, unsigned, unsigned long long, float, double
//	Min ... Xor  int, unsigned, long long, unsigned long long
//	Exch, CAS    int, unsigned, unsigned long long; Exch also float
//	Sub          int, unsigned
//
// The other types of the same size go through these.
func (l *lowerer) atomic(x *syntax.CallExpr, name string, f *check.Func, args []syntax.Expr) syntax.Expr {
	p, _ := f.Params[0].(*check.Pointer)
	if p == nil {
		return &syntax.CallExpr{Span: x.Span, Fun: ident(at(x.Fun), name), Args: args}
	}
	if l.tp != nil && l.tp.lanes[x] != nil {
		return l.addTogether(x, args)
	}
	s, elem := x.Span, p.Elem
	if name == "atomicExch" && elem == check.Double {
		args[0] = l.pointerTo(args[0], check.ULongLong)
		args[1] = call(s, "__double_as_longlong", args[1])
		args[1] = cast(s, l.typeName(s, check.ULongLong), args[1])
		bits := cast(s, l.typeName(s, check.LongLong), call(s, name, args...))
		return call(s, "__longlong_as_double", bits)
	}
	to := atomicForm(name, elem)
	if name == "atomicSub" && elem.Size() == 8 {
		name = "atomicAdd"
		args[1] = &syntax.UnaryExpr{Span: s, Op: "-", X: cast(s, l.typeName(s, to), l.integer(x.Args[1], args[1], elem))}
	}
	if to != elem {
		args[0] = l.pointerTo(args[0], to)
		for i := 1; i < len(args); i++ {
			args[i] = cast(s, l.typeName(s, to), l.integer(x.Args[i], args[i], elem))
		}
	}
	out := syntax.Expr(call(s, name, args...))
	if to != elem {
		out = paren(cast(s, l.typeName(s, elem), out))
	}
	return out
}

// integer returns a value as one of the integer type t that a further cast
// would otherwise pass by: a floating one.
func (l *lowerer) integer(x, lowered syntax.Expr, t check.Type) syntax.Expr {
	if check.IsFloat(l.info.Types[x]) {
		return cast(at(x), l.typeName(at(x), t), lowered)
	}
	return lowered
}

func (l *lowerer) pointerTo(x syntax.Expr, elem check.Type) syntax.Expr {
	s := at(x)
	return cast(s, &syntax.PointerType{Span: s, Elem: l.typeName(s, elem)}, x)
}

// atomicForm returns the type that CUDA has the function for, of elem's size.
func atomicForm(name string, elem check.Type) check.Type {
	switch elem {
	case check.Node:
		return check.Node // an int
	case check.Long, check.ULong, check.LongLong, check.ULongLong, check.Edge:
		switch name {
		case "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor":
			if !check.IsUnsigned(elem) {
				return check.LongLong
			}
		}
		return check.ULongLong
	}
	return elem
}

// constant returns c as a literal of the arithmetic type t.
func constant(s syntax.Span, t check.Type, c *check.Const) syntax.Expr {
	if check.IsFloat(t) {
		return floatLit(s, t, c.Float)
	}
	suffix := map[check.Type]string{check.UInt: "u", check.Long: "L", check.ULong: "uL", check.LongLong: "LL", check.ULongLong: "uLL"}[t]
	literal := func(digits string) syntax.Expr {
		return &syntax.BasicLit{Span: s, Kind: syntax.IntLit, Text: digits + suffix}
	}
	v := c.Int
	switch {
	case check.IsUnsigned(t):
		u := uint64(v)
		if t.Size() < 8 {
			u &= 1<<(8*t.Size()) - 1
		}
		return literal(strconv.FormatUint(u, 10))
	case v >= 0:
		return literal(strconv.FormatInt(v, 10))
	case v == -1<<(8*t.Size()-1): // its negation has no literal
		x := paren(&syntax.UnaryExpr{Span: s, Op: "-", X: literal(strconv.FormatInt(-(v + 1), 10))})
		return paren(binary(x, "-", literal("1")))
	}
	return paren(&syntax.UnaryExpr{Span: s, Op: "-", X: literal(strconv.FormatInt(-v, 10))})
}

// floatLit returns v as a literal of the floating type t.
func floatLit(s syntax.Span, t check.Type, v float64) syntax.Expr {
	switch {
	case v != v:
		return ident(s, "NAN")
	case math.IsInf(v, 1):
		return ident(s, "INFINITY")
	case math.Signbit(v):
		return paren(&syntax.UnaryExpr{Span: s, Op: "-", X: floatLit(s, t, -v)})
	}
	text := strconv.FormatFloat(v, 'e', -1, 64)
	if t == check.Float {
		text = strconv.FormatFloat(v, 'e', -1, 32) + "f"
	}
	return &syntax.BasicLit{Span: s, Kind: syntax.FloatLit, Text: text}
}
