package eval

import (
	"math"
	"strings"
	"testing"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// The trees of the tests are built by the functions of a builder, named after what they
// make.
type builder struct {
	t    *types.Table
	file *source.File
	at   int
}

func newBuilder() *builder {
	return &builder{t: types.NewTable(), file: source.NewFile("a.cu", []byte(strings.Repeat("x", 1000)))}
}

func (b *builder) info(t types.Type, c hir.Category) hir.Info {
	i := hir.Info{T: t, Cat: c}
	b.at++
	at := source.Pos{File: b.file, Offset: int32(b.at % 1000)}
	i.Span = ast.Range(at, at)
	return i
}

func (b *builder) typ(k types.Kind) types.Type { return b.t.Basic(k) }

func (b *builder) num(t types.Type, v int64) hir.Expr {
	return &hir.ConstExpr{Info: b.info(t, hir.PRValue), Value: hir.Const{Type: t, Int: uint64(v)}}
}

func (b *builder) flt(t types.Type, f float64) hir.Expr {
	return &hir.ConstExpr{Info: b.info(t, hir.PRValue), Value: hir.Const{Type: t, Float: f}}
}

func (b *builder) i(v int64) hir.Expr { return b.num(b.typ(types.Int), v) }

func (b *builder) bin(op hir.BinaryOp, x, y hir.Expr) hir.Expr {
	t := x.Type()
	if op >= hir.Eq {
		t = b.typ(types.Bool)
	}
	return &hir.Binary{Info: b.info(t, hir.PRValue), Op: op, X: x, Y: y}
}

func (b *builder) neg(x hir.Expr) hir.Expr {
	return &hir.Unary{Info: b.info(x.Type(), hir.PRValue), Op: hir.Neg, X: x}
}

func (b *builder) conv(k hir.Conversion, t types.Type, x hir.Expr) hir.Expr {
	return &hir.Convert{Info: b.info(t, hir.PRValue), Kind: k, X: x}
}

func (b *builder) ref(v *hir.Var) hir.Expr {
	return &hir.VarRef{Info: b.info(v.Type.Unref(), hir.LValue), Var: v}
}

// get is the value of a glvalue.
func (b *builder) get(x hir.Expr) hir.Expr { return b.conv(hir.Load, x.Type().Unqualified(), x) }

func (b *builder) set(x hir.Expr, op hir.BinaryOp, y hir.Expr) hir.Stmt {
	return b.do(&hir.Assign{Info: b.info(x.Type(), hir.LValue), X: x, Op: op, Y: y, Computed: x.Type()})
}

func (b *builder) do(x hir.Expr) hir.Stmt { return &hir.ExprStmt{X: x} }

func (b *builder) vr(name string, t types.Type, init hir.Expr) *hir.Var {
	return &hir.Var{Name: name, Type: t, Init: init}
}

func (b *builder) decl(v ...*hir.Var) hir.Stmt { return &hir.VarStmt{Vars: v} }
func (b *builder) ret(x hir.Expr) hir.Stmt     { return &hir.Return{X: x} }
func block(s ...hir.Stmt) *hir.Block           { return &hir.Block{Stmts: s} }

func (b *builder) fn(name string, result types.Type, params []*hir.Var, body ...hir.Stmt) *hir.Func {
	return &hir.Func{Name: name, Result: result, Params: params, Body: block(body...), Constexpr: true}
}

func (b *builder) call(f *hir.Func, args ...hir.Expr) *hir.Call {
	c := hir.PRValue
	if f.Result.IsRef() {
		c = hir.LValue
	}
	return &hir.Call{Info: b.info(f.Result.Unref(), c), Func: f, Args: args}
}

// elem is p[i].
func (b *builder) elem(array hir.Expr, i hir.Expr) hir.Expr {
	e := array.Type().Elem
	p := b.conv(hir.Decay, b.t.Pointer(e), array)
	return &hir.Deref{Info: b.info(e, hir.LValue), X: &hir.Binary{Info: b.info(b.t.Pointer(e), hir.PRValue), Op: hir.Add, X: p, Y: i}}
}

func (b *builder) addr(x hir.Expr) hir.Expr {
	return &hir.AddrOf{Info: b.info(b.t.Pointer(x.Type()), hir.PRValue), X: x}
}

func (b *builder) field(x hir.Expr, c *types.Class, i int) hir.Expr {
	return &hir.Field{Info: b.info(c.Fields[i].Type, hir.LValue), X: x, Field: c.Fields[i]}
}

func (b *builder) eval(e hir.Expr) (*hir.Const, string) {
	k, d := Eval(&Context{Table: b.t, Steps: 100_000}, e)
	if d != nil {
		return nil, d.Message
	}
	return k, ""
}

func (b *builder) wantInt(t *testing.T, name string, e hir.Expr, want int64) {
	t.Helper()
	k, why := b.eval(e)
	if why != "" {
		t.Errorf("%s is no constant: %s", name, why)
	} else if int64(k.Int) != want {
		t.Errorf("%s is %d, want %d", name, int64(k.Int), want)
	}
}

func (b *builder) wantNote(t *testing.T, name string, e hir.Expr, want string) {
	t.Helper()
	k, why := b.eval(e)
	if why != want {
		t.Errorf("%s: got %v %q, want %q", name, k, why, want)
	}
}

func TestIntegers(t *testing.T) {
	b := newBuilder()
	u, l, c := b.typ(types.UInt), b.typ(types.Long), b.typ(types.SChar)
	b.wantInt(t, "unsigned wraps", b.bin(hir.Add, b.num(u, 0xffffffff), b.num(u, 2)), 1)
	b.wantInt(t, "-7 / 2", b.bin(hir.Div, b.i(-7), b.i(2)), -3)
	b.wantInt(t, "-7 % 2", b.bin(hir.Rem, b.i(-7), b.i(2)), -1)
	b.wantInt(t, "-1 >> 3", b.bin(hir.Shr, b.i(-1), b.i(3)), -1)
	b.wantInt(t, "1 << 31", b.bin(hir.Shl, b.i(1), b.i(31)), math.MinInt32)
	b.wantInt(t, "long product", b.bin(hir.Mul, b.num(l, 1<<40), b.num(l, 1<<20)), 1<<60)
	b.wantInt(t, "signed char of 200", b.conv(hir.Integral, c, b.i(200)), -56)
	b.wantInt(t, "-1 < 1u", b.bin(hir.Lt, b.conv(hir.Integral, u, b.i(-1)), b.num(u, 1)), 0)
	b.wantInt(t, "truncated", b.conv(hir.FloatToInt, b.typ(types.Int), b.flt(b.typ(types.Float), -2.9)), -2)
	n := b.typ(types.Int128)
	big := b.bin(hir.Mul, b.conv(hir.Integral, n, b.num(l, 1<<62)), b.conv(hir.Integral, n, b.num(l, 1<<62)))
	b.wantInt(t, "128 bits", b.conv(hir.Integral, l, b.bin(hir.Shr, big, b.i(100))), 1<<24)
	b.wantNote(t, "128 bits as a result", big, "value of type '__int128' does not fit in 64 bits")
	for _, x := range []struct {
		name string
		e    hir.Expr
		want string
	}{
		{"overflow", b.bin(hir.Add, b.i(math.MaxInt32), b.i(1)), "value 2147483648 is outside the range of representable values of type 'int'"},
		{"overflow of long", b.bin(hir.Mul, b.num(l, 1<<62), b.num(l, 4)), "value 18446744073709551616 is outside the range of representable values of type 'long'"},
		{"negation", b.neg(b.i(math.MinInt32)), "value 2147483648 is outside the range of representable values of type 'int'"},
		{"quotient", b.bin(hir.Div, b.i(math.MinInt32), b.i(-1)), "value 2147483648 is outside the range of representable values of type 'int'"},
		{"division", b.bin(hir.Div, b.i(1), b.i(0)), "division by zero"},
		{"remainder", b.bin(hir.Rem, b.num(u, 1), b.num(u, 0)), "division by zero"},
		{"shift count", b.bin(hir.Shl, b.i(1), b.i(32)), "shift count 32 >= width of type 'int' (32 bits)"},
		{"negative count", b.bin(hir.Shr, b.i(1), b.i(-1)), "negative shift count -1"},
		{"left of negative", b.bin(hir.Shl, b.i(-1), b.i(1)), "left shift of negative value -1"},
		{"left discards", b.bin(hir.Shl, b.i(3), b.i(31)), "signed left shift discards bits"},
		{"float too large", b.conv(hir.FloatToInt, b.typ(types.Int), b.flt(b.typ(types.Double), 3e10)), "value 3e+10 is outside the range of representable values of type 'int'"},
		{"float division", b.bin(hir.Div, b.flt(b.typ(types.Float), 1), b.flt(b.typ(types.Float), 0)), "division by zero"},
	} {
		b.wantNote(t, x.name, x.e, x.want)
	}
}

func TestFloats(t *testing.T) {
	b := newBuilder()
	f := b.typ(types.Float)
	k, why := b.eval(b.bin(hir.Add, b.flt(f, float64(float32(0.1))), b.flt(f, float64(float32(0.2)))))
	if why != "" || k.Float != float64(float32(0.1)+float32(0.2)) {
		t.Errorf("0.1f + 0.2f is %v %s", k, why)
	}
	k, _ = b.eval(b.conv(hir.IntToFloat, f, b.i(16777217)))
	if k.Float != 16777216 {
		t.Errorf("float(16777217) is %v", k.Float)
	}
	nan := b.conv(hir.Load, f, b.ref(&hir.Var{Name: "n", Type: b.t.Qualify(f, types.Const), Const: &hir.Const{Type: f, Float: math.NaN()}}))
	b.wantInt(t, "nan != nan", b.bin(hir.Ne, nan, nan), 1)
	b.wantInt(t, "nan < nan", b.bin(hir.Lt, nan, nan), 0)
}

// TestFunctions runs a loop, a recursion and what they run into.
func TestFunctions(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	n := b.vr("n", in, nil)
	fib := b.fn("fib", in, []*hir.Var{n})
	rec := func(k int64) hir.Expr { return b.call(fib, b.bin(hir.Sub, b.get(b.ref(n)), b.i(k))) }
	fib.Body = block(b.ret(&hir.Cond{Info: b.info(in, hir.PRValue), C: b.bin(hir.Lt, b.get(b.ref(n)), b.i(2)), X: b.get(b.ref(n)), Y: b.bin(hir.Add, rec(1), rec(2))}))
	b.wantInt(t, "fib(15)", b.call(fib, b.i(15)), 610)
	b.wantNote(t, "fib(40)", b.call(fib, b.i(40)), "constexpr evaluation hit maximum step limit; possible infinite loop?")

	deep := b.fn("deep", in, []*hir.Var{n})
	deep.Body = block(b.ret(b.call(deep, b.get(b.ref(n)))))
	b.wantNote(t, "deep(1)", b.call(deep, b.i(1)), "constexpr evaluation exceeded maximum depth of 512 calls")

	s, i := b.vr("s", in, b.i(0)), b.vr("i", in, b.i(0))
	inc := &hir.IncDec{Info: b.info(in, hir.LValue), X: b.ref(i)}
	sum := b.fn("sum", in, []*hir.Var{n}, b.decl(s), b.decl(i),
		&hir.Loop{Cond: b.bin(hir.Lt, b.get(b.ref(i)), b.get(b.ref(n))), Post: inc, Body: block(
			&hir.If{Cond: b.bin(hir.Eq, b.get(b.ref(i)), b.i(3)), Then: &hir.Continue{}},
			&hir.If{Cond: b.bin(hir.Gt, b.get(b.ref(i)), b.i(6)), Then: &hir.Break{}},
			b.set(b.ref(s), hir.Add, b.get(b.ref(i))))},
		b.ret(b.get(b.ref(s))))
	b.wantInt(t, "sum(100)", b.call(sum, b.i(100)), 0+1+2+4+5+6)

	plain := b.fn("plain", in, nil, b.ret(b.i(1)))
	plain.Constexpr = false
	b.wantNote(t, "no constexpr", b.call(plain), "non-constexpr function 'plain' cannot be used in a constant expression")
	b.wantNote(t, "no body", b.call(&hir.Func{Name: "g", Result: in, Constexpr: true}), "undefined function 'g' cannot be used in a constant expression")
	b.wantNote(t, "no return", b.call(b.fn("h", in, nil)), "control reached end of constexpr function")
	b.wantNote(t, "goto", b.call(b.fn("j", in, nil, &hir.Goto{Name: "x"})), "statement not allowed in a constant expression")
}

func TestNotesOfCalls(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	n := b.vr("n", in, nil)
	inner := b.fn("inner", in, []*hir.Var{n}, b.ret(b.bin(hir.Div, b.i(1), b.get(b.ref(n)))))
	m := b.vr("m", in, nil)
	outer := b.fn("outer", in, []*hir.Var{m}, b.ret(b.call(inner, b.get(b.ref(m)))))
	_, d := Eval(&Context{Table: b.t}, b.call(outer, b.i(0)))
	if d == nil || len(d.Notes) != 2 || d.Notes[0].Message != "in call to 'inner(0)'" || d.Notes[1].Message != "in call to 'outer(0)'" || d.Severity != source.Note {
		t.Errorf("got %v", d)
	}
}

func TestSwitch(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	n, s := b.vr("n", in, nil), b.vr("s", in, b.i(0))
	f := b.fn("f", in, []*hir.Var{n}, b.decl(s), &hir.Switch{X: b.get(b.ref(n)), Body: block(
		&hir.Case{From: 1, To: 1}, b.set(b.ref(s), hir.Add, b.i(1)),
		&hir.Case{From: 5, To: 9}, b.set(b.ref(s), hir.Add, b.i(10)), &hir.Break{},
		&hir.Case{Default: true}, b.set(b.ref(s), hir.Add, b.i(100)),
		block(b.set(b.ref(s), hir.Add, b.i(1000)), &hir.Case{From: -2, To: -2}, b.set(b.ref(s), hir.Add, b.i(10000))),
	)}, b.ret(b.get(b.ref(s))))
	for arg, want := range map[int64]int64{1: 11, 7: 10, 3: 11100, -2: 10000} {
		b.wantInt(t, "switch", b.call(f, b.i(arg)), want)
	}
}

func TestArraysAndPointers(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	arr := b.t.Array(in, 3)
	a := b.vr("a", arr, &hir.Aggregate{Info: b.info(arr, hir.PRValue), Elems: []hir.Expr{b.i(5), b.i(6)}})
	at := func(i int64) hir.Expr { return b.get(b.elem(b.ref(a), b.i(i))) }
	in3 := func(s ...hir.Stmt) hir.Expr {
		return b.call(b.fn("f", in, nil, append([]hir.Stmt{b.decl(a)}, s...)...))
	}
	b.wantInt(t, "a[1]", in3(b.ret(at(1))), 6)
	b.wantInt(t, "a[2]", in3(b.ret(at(2))), 0)
	b.wantInt(t, "assigned", in3(b.set(b.elem(b.ref(a), b.i(2)), hir.NoOp, b.i(9)), b.ret(at(2))), 9)
	b.wantNote(t, "a[3]", in3(b.ret(at(3))), "read of dereferenced one-past-the-end pointer is not allowed in a constant expression")
	b.wantNote(t, "a[4]", in3(b.ret(at(4))), "cannot refer to element 4 of array of 3 elements in a constant expression")
	b.wantNote(t, "a[-1]", in3(b.ret(at(-1))), "cannot refer to element -1 of array of 3 elements in a constant expression")
	diff := &hir.Binary{Info: b.info(b.typ(types.Long), hir.PRValue), Op: hir.Sub, X: b.addr(b.elem(b.ref(a), b.i(2))), Y: b.addr(b.elem(b.ref(a), b.i(0)))}
	b.wantInt(t, "difference", in3(b.ret(b.conv(hir.Integral, in, diff))), 2)
	b.wantInt(t, "order", in3(b.ret(b.conv(hir.Integral, in, b.bin(hir.Lt, b.addr(b.elem(b.ref(a), b.i(0))), b.addr(b.elem(b.ref(a), b.i(1))))))), 1)
	null := b.conv(hir.NullToPtr, b.t.Pointer(in), b.i(0))
	b.wantNote(t, "*null", b.get(&hir.Deref{Info: b.info(in, hir.LValue), X: null}), "read of dereferenced null pointer is not allowed in a constant expression")
	x := b.vr("x", in, nil)
	b.wantNote(t, "no value", b.call(b.fn("g", in, nil, b.decl(x), b.ret(b.get(b.ref(x))))), "read of uninitialized object is not allowed in a constant expression")
	y := b.vr("y", in, b.i(1))
	dangle := b.fn("dangle", b.t.Ref(in, false), nil, b.decl(y), b.ret(b.ref(y)))
	b.wantNote(t, "dangling", b.get(b.call(dangle)), "read of object outside its lifetime is not allowed in a constant expression")
	lit := &hir.StringExpr{Info: b.info(b.t.Array(b.t.Qualify(b.typ(types.Char), types.Const), 4), hir.LValue), Bytes: []byte("abc\x00")}
	b.wantInt(t, "\"abc\"[1]", b.get(b.elem(lit, b.i(1))), 'b')
	strlen := &hir.Func{Name: "__builtin_strlen", Builtin: "__builtin_strlen", Result: b.typ(types.ULong)}
	b.wantInt(t, "strlen", b.call(strlen, b.conv(hir.Decay, b.t.Pointer(lit.T.Elem), lit)), 3)
}

func TestVariables(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	n := &hir.Var{Name: "n", Type: in}
	b.wantNote(t, "variable", b.get(b.ref(n)), "read of non-const variable 'n' is not allowed in a constant expression")
	c := &hir.Var{Name: "c", Type: b.t.Qualify(b.typ(types.Float), types.Const)}
	b.wantNote(t, "const", b.get(b.ref(c)), "read of non-constexpr variable 'c' is not allowed in a constant expression")
	arr := b.t.Array(in, 100)
	g := &hir.Var{Name: "g", Symbol: "g", Type: arr, Space: hir.Device}
	k, why := b.eval(b.addr(b.elem(b.ref(g), b.i(7))))
	if why != "" || k.Base != types.Entity(g) || k.Offset != 28 {
		t.Errorf("&g[7] is %v, %s", k, why)
	}
	p := &hir.Var{Name: "p", Type: b.t.Qualify(b.t.Pointer(in), types.Const), Const: k}
	next := &hir.Binary{Info: b.info(b.t.Pointer(in), hir.PRValue), Op: hir.Add, X: b.get(b.ref(p)), Y: b.i(2)}
	k, why = b.eval(next)
	if why != "" || k.Offset != 36 {
		t.Errorf("p + 2 is %v, %s", k, why)
	}
	b.wantNote(t, "write", &hir.Assign{Info: b.info(in, hir.LValue), X: b.ref(n), Y: b.i(1), Computed: in}, "a constant expression cannot modify an object that is visible outside that expression")
	local := b.vr("x", in, b.i(1))
	b.wantNote(t, "address of a local", b.call(b.fn("f", b.t.Pointer(in), nil, b.decl(local), b.ret(b.addr(b.ref(local))))), "pointer to temporary is not a constant expression")
}

func TestClasses(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	base := &types.Class{Name: "B", Fields: []*types.Field{{Name: "b", Type: in, Width: -1}}}
	c := &types.Class{Name: "C", Bases: []types.Base{{Class: base}}, Fields: []*types.Field{{Name: "x", Type: in, Width: -1}, {Name: "bits", Type: b.typ(types.UInt), Width: 3}}}
	for _, k := range []*types.Class{base, c} {
		if err := types.Layout(k); err != nil {
			t.Fatal(err)
		}
	}
	ct := b.t.Class(c)
	this := b.vr("this", b.t.Pointer(ct), nil)
	self := &hir.Deref{Info: b.info(ct, hir.LValue), X: b.get(b.ref(this))}
	n := b.vr("n", in, nil)
	asBase := &hir.Convert{Info: b.info(b.t.Class(base), hir.LValue), Kind: hir.ToBase, X: self, Path: hir.NewPath([]*types.Class{base})}
	ctor := b.fn("C::C", types.Type{}, []*hir.Var{n},
		&hir.Init{X: asBase, Y: &hir.Aggregate{Info: b.info(b.t.Class(base), hir.PRValue), Fields: []hir.Expr{b.get(b.ref(n))}}},
		&hir.Init{X: b.field(self, c, 0), Y: b.bin(hir.Mul, b.get(b.ref(n)), b.i(2))},
		b.set(b.field(self, c, 1), hir.NoOp, b.num(b.typ(types.UInt), 13)))
	ctor.Constructor, ctor.This = true, this
	made := &hir.Construct{Info: b.info(ct, hir.PRValue), Func: ctor, Args: []hir.Expr{b.i(21)}}
	k, why := b.eval(made)
	if why != "" || k.Bases[0].Fields[0].Int != 21 || k.Fields[0].Int != 42 || k.Fields[1].Int != 5 {
		t.Fatalf("C(21) is %+v, %s", k, why)
	}
	v := &hir.Var{Name: "v", Type: ct, Const: k}
	b.wantInt(t, "member of a constant", b.get(b.field(b.ref(v), c, 0)), 42)
	viaBase := &hir.Convert{Info: b.info(b.t.Class(base), hir.LValue), Kind: hir.ToBase, X: b.ref(v), Path: hir.NewPath([]*types.Class{base})}
	b.wantInt(t, "member of a base", b.get(b.field(viaBase, base, 0)), 21)
	back := &hir.Convert{Info: b.info(ct, hir.LValue), Kind: hir.FromBase, X: viaBase, Path: hir.NewPath([]*types.Class{c})}
	b.wantInt(t, "back from the base", b.get(b.field(back, c, 0)), 42)
	w := b.vr("w", ct, &hir.Copy{Info: b.info(ct, hir.PRValue), X: b.ref(v)})
	changed := b.fn("f", in, nil, b.decl(w), b.set(b.field(b.ref(w), c, 0), hir.Add, b.i(1)), b.ret(b.bin(hir.Sub, b.get(b.field(b.ref(w), c, 0)), b.get(b.field(b.ref(v), c, 0)))))
	b.wantInt(t, "copy", b.call(changed), 1)
	b.wantInt(t, "temporary", b.get(b.field(&hir.Materialize{Info: b.info(ct, hir.XValue), X: made}, c, 0)), 42)
	part := &hir.Aggregate{Info: b.info(ct, hir.PRValue), Bases: []hir.Expr{nil}, Fields: []hir.Expr{nil, nil}}
	b.wantNote(t, "part without value", part, "subobject of type 'int' is not initialized")
}

// TestReferenceMembers reads and writes through a member that is a reference, as a lambda's captures are.
func TestReferenceMembers(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	c := &types.Class{Name: "L", Fields: []*types.Field{{Name: "r", Type: b.t.Ref(in, false), Width: -1}}}
	if err := types.Layout(c); err != nil {
		t.Fatal(err)
	}
	x := b.vr("x", in, b.i(3))
	l := b.vr("l", b.t.Class(c), &hir.Aggregate{Info: b.info(b.t.Class(c), hir.PRValue), Fields: []hir.Expr{b.ref(x)}})
	r := func() hir.Expr { return &hir.Field{Info: b.info(in, hir.LValue), X: b.ref(l), Field: c.Fields[0]} }
	b.wantInt(t, "read", b.call(b.fn("f", in, nil, b.decl(x), b.decl(l), b.ret(b.get(r())))), 3)
	b.wantInt(t, "written", b.call(b.fn("g", in, nil, b.decl(x), b.decl(l), b.set(r(), hir.Add, b.i(4)), b.ret(b.get(b.ref(x))))), 7)
}

func TestUnions(t *testing.T) {
	b := newBuilder()
	in := b.typ(types.Int)
	u := &types.Class{Name: "U", Union: true, Fields: []*types.Field{{Name: "a", Type: in, Width: -1}, {Name: "b", Type: b.typ(types.Float), Width: -1}}}
	if err := types.Layout(u); err != nil {
		t.Fatal(err)
	}
	v := b.vr("v", b.t.Class(u), &hir.Aggregate{Info: b.info(b.t.Class(u), hir.PRValue), Fields: []hir.Expr{b.i(3), nil}})
	b.wantInt(t, "active", b.call(b.fn("f", in, nil, b.decl(v), b.ret(b.get(b.field(b.ref(v), u, 0))))), 3)
	b.wantNote(t, "inactive", b.call(b.fn("f", b.typ(types.Float), nil, b.decl(v), b.ret(b.get(b.field(b.ref(v), u, 1))))),
		"read of member 'b' of union with active member 'a' is not allowed in a constant expression")
}

func TestBuiltins(t *testing.T) {
	b := newBuilder()
	in, u, ull := b.typ(types.Int), b.typ(types.UInt), b.typ(types.ULongLong)
	one := func(name string, x hir.Expr) hir.Expr {
		return b.call(&hir.Func{Name: name, Builtin: name, Result: in}, x)
	}
	for _, x := range []struct {
		name string
		arg  hir.Expr
		want int64
	}{
		{"__builtin_popcount", b.num(u, 0xf0f0), 8}, {"__builtin_popcountll", b.num(ull, -1), 64}, {"__builtin_clz", b.num(u, 1), 31},
		{"__builtin_clzll", b.num(ull, 1), 63}, {"__builtin_ctz", b.num(u, 8), 3}, {"__builtin_ffs", b.i(0), 0}, {"__builtin_ffs", b.i(4), 3},
		{"__builtin_parity", b.num(u, 7), 1}, {"__builtin_bswap32", b.num(u, 0x01020304), 0x04030201}, {"__builtin_abs", b.i(-3), 3},
		{"__builtin_isnan", b.flt(b.typ(types.Double), 1), 0}, {"__builtin_signbit", b.flt(b.typ(types.Double), -1), 1},
	} {
		b.wantInt(t, x.name, one(x.name, x.arg), x.want)
	}
	b.wantNote(t, "clz(0)", one("__builtin_clz", b.num(u, 0)), "argument of '__builtin_clz' is zero")
	b.wantNote(t, "no such", one("atomicAdd", b.i(0)), "non-constexpr function 'atomicAdd' cannot be used in a constant expression")
}
