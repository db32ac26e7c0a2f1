package host

import (
	"fmt"
	"sync"

	"irgl/internal/check"
	"irgl/syntax"
)

func (f *frame) typ(x syntax.Expr) check.Type { return f.p.info.Types[x] }

// stringValue returns the bytes of a string literal.
func stringValue(lit *syntax.BasicLit) string {
	s, err := syntax.ParseString(lit.Text)
	if err != nil {
		panic(fmt.Sprintf("host: string literal %s: %v", lit.Text, err))
	}
	return s
}

// converted compiles x and its conversion to type t.
func (f *frame) converted(x syntax.Expr, t check.Type) eval {
	v := f.expr(x)
	from := check.Decay(f.typ(x))
	if t == check.Dim3() && check.IsInteger(from) {
		return f.dim3Of(x, v)
	}
	conv := converter(from, t)
	if conv == nil {
		return v
	}
	return func(m *machine) uint64 { return conv(v(m)) }
}

// expr compiles an expression for its value.
//
//irgl:flatswitch
//irgl:allnodes Expr except InvokeExpr SliceExpr SizeofExpr InitList
func (f *frame) expr(x syntax.Expr) eval {
	if c := f.p.info.Consts[x]; c != nil && check.IsArithmetic(f.typ(x)) {
		v := uint64(c.Int)
		if check.IsFloat(f.typ(x)) {
			v = fromFloat(c.Float)
		}
		return func(*machine) uint64 { return v }
	}
	switch x := x.(type) {
	case *syntax.Ident:
		return f.ident(x)
	case *syntax.BasicLit:
		return f.literal(x)
	case *syntax.ParenExpr:
		return f.expr(x.X)
	case *syntax.UnaryExpr:
		return f.unary(x)
	case *syntax.PostfixExpr:
		return f.step(x, x.X, x.Op, true)
	case *syntax.BinaryExpr:
		return f.binary(x)
	case *syntax.AssignExpr:
		return f.assign(x)
	case *syntax.CondExpr:
		return f.condExpr(x)
	case *syntax.CallExpr:
		return f.call(x)
	case *syntax.LaunchExpr:
		return f.launch(x)
	case *syntax.IndexExpr, *syntax.MemberExpr, *syntax.CompoundLit:
		return f.load(x, f.place(x), f.typ(x))
	case *syntax.CastExpr:
		if f.typ(x) == check.Void {
			return f.expr(x.X)
		}
		return f.converted(x.X, f.typ(x))
	}
	f.p.refuse(x, CodeBuiltin, "host code cannot evaluate this expression")
	return func(*machine) uint64 { return 0 }
}

// ident compiles a name: a builtin value or a variable.
func (f *frame) ident(x *syntax.Ident) eval {
	if obj := f.p.info.Uses[x]; obj != nil && obj.Kind == check.BuiltinObj {
		if v, ok := builtinValues()[x.Name]; ok {
			return func(*machine) uint64 { return v }
		}
		f.p.refuse(x, CodeBuiltin, "host code cannot use %s", x.Name)
		return func(*machine) uint64 { return 0 }
	}
	if _, fn := f.typ(x).(*check.Func); fn {
		if v, ok := f.p.kernelValue(f.p.info.Uses[x]); ok {
			return func(*machine) uint64 { return v }
		}
		f.p.refuse(x, CodeNoBody, "host code cannot take the address of the function %s", x.Name)
		return func(*machine) uint64 { return 0 }
	}
	return f.load(x, f.place(x), f.typ(x))
}

// builtinValues are the builtin variables that host code may name.
var builtinValues = sync.OnceValue(func() map[string]uint64 {
	return map[string]uint64{
		"NULL": 0, "nullptr": 0, "stdout": stdoutHandle, "stderr": stderrHandle,
		"INFINITY": fromFloat(inf), "warpSize": 32,
	}
})

// literal compiles a string literal: an array in its own segment.
func (f *frame) literal(x *syntax.BasicLit) eval {
	if x.Kind != syntax.StringLit {
		f.p.refuse(x, CodeBuiltin, "this literal has no value")
		return func(*machine) uint64 { return 0 }
	}
	text := stringValue(x)
	return func(m *machine) uint64 { return m.literal(x, text) }
}

// literal returns the address of a string literal in m's memory.
func (m *machine) literal(x *syntax.BasicLit, text string) uint64 {
	a, ok := m.literals[x]
	if !ok {
		a = m.mem.putString(text)
		m.literals[x] = a
	}
	return a
}

// load compiles reading an object: its scalar value, or its address if it is
// an aggregate.
func (f *frame) load(n syntax.Node, at place, t check.Type) eval {
	if isAggregate(t) {
		return eval(at)
	}
	if _, fn := t.(*check.Func); fn {
		return eval(at)
	}
	size := t.Size()
	return func(m *machine) uint64 { return decode(t, m.bytes(n, at(m), size)) }
}

// store compiles writing the value v of type t to an address.
func (f *frame) store(n syntax.Node, t check.Type, v eval) func(m *machine, at uint64) {
	size := t.Size()
	if isAggregate(t) {
		return func(m *machine, at uint64) {
			from := v(m)
			copy(m.bytes(n, at, size), m.bytes(n, from, size))
		}
	}
	return func(m *machine, at uint64) {
		x := v(m)
		encode(t, m.bytes(n, at, size), x)
	}
}

// place compiles an lvalue to its address.
func (f *frame) place(x syntax.Expr) place {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return f.place(x.X)
	case *syntax.Ident:
		return f.variable(x)
	case *syntax.UnaryExpr:
		if x.Op == "*" {
			return place(f.expr(x.X))
		}
	case *syntax.IndexExpr:
		return f.indexPlace(x, 0)
	case *syntax.MemberExpr:
		return f.memberPlace(x)
	case *syntax.CompoundLit:
		t := f.typ(x)
		s := f.alloc(t)
		at := func(m *machine) uint64 { return address(stackSegment, m.fp+s.offset) }
		init := f.initialise(at, t, x.Init)
		return func(m *machine) uint64 { init(m); return at(m) }
	}
	// An aggregate rvalue, such as a call's result, is represented by its address.
	return place(f.expr(x))
}

// variable compiles a variable to its address.
func (f *frame) variable(x *syntax.Ident) place {
	obj := f.p.info.Uses[x]
	if obj == nil {
		obj = f.p.info.Defs[x]
	}
	if s, ok := f.vars[obj]; ok {
		return func(m *machine) uint64 { return address(stackSegment, m.fp+s.offset) }
	}
	if offset, ok := f.p.globals[obj]; ok {
		return func(*machine) uint64 { return address(globalSegment, offset) }
	}
	f.p.refuse(x, CodeDeviceVariable, "%s is in device memory: host code copies it with cudaMemcpyFromSymbol and cudaMemcpyToSymbol", x.Name)
	return func(*machine) uint64 { return 0 }
}

// indexPlace compiles p[i]. An index into an array of known length must be less
// than the length, or, if only the address is taken, at most past more.
func (f *frame) indexPlace(x *syntax.IndexExpr, past int64) place {
	base := x.X
	p, k := f.expr(base), f.expr(x.Index)
	size := uint64(f.typ(x).Size())
	if a, ok := f.typ(base).(*check.Array); ok && a.Len >= 0 {
		limit := uint64(a.Len + past)
		return func(m *machine) uint64 {
			at := p(m)
			n := k(m)
			if n >= limit {
				fail(x, indexFault(int64(n), a.Len))
			}
			return at + n*size
		}
	}
	return func(m *machine) uint64 {
		at := p(m)
		return at + k(m)*size
	}
}

// memberPlace compiles s.x and p->x to their address.
func (f *frame) memberPlace(x *syntax.MemberExpr) place {
	t := f.typ(x.X)
	var base place
	if x.Arrow {
		if p, ok := check.Decay(t).(*check.Pointer); ok {
			t = p.Elem
		}
		base = place(f.expr(x.X))
	} else {
		base = f.place(x.X)
	}
	s, ok := t.(*check.Struct)
	if !ok {
		f.p.refuse(x, CodeBuiltin, "host code cannot evaluate this member")
		return func(*machine) uint64 { return 0 }
	}
	field, _ := s.Field(x.Name.Name)
	if field.Bits != nil {
		f.p.refuse(x, CodeBuiltin, "host code cannot evaluate bit-fields")
	}
	offset := uint64(field.Offset)
	return func(m *machine) uint64 { return base(m) + offset }
}

// unary compiles a prefix operator.
func (f *frame) unary(x *syntax.UnaryExpr) eval {
	t := f.typ(x)
	switch x.Op {
	case "&":
		if _, fn := f.typ(x.X).(*check.Func); fn {
			return f.expr(x.X) // &kernel is kernel
		}
		if i, ok := syntax.Unparen(x.X).(*syntax.IndexExpr); ok {
			return eval(f.indexPlace(i, 1))
		}
		return eval(f.place(x.X))
	case "*":
		return f.load(x, f.place(x), t)
	case "++", "--":
		return f.step(x, x.X, x.Op, false)
	case "!":
		c := f.cond(x.X)
		return func(m *machine) uint64 { return truth(!c(m)) }
	}
	v := f.converted(x.X, t)
	float := check.IsFloat(t)
	switch {
	case x.Op == "-" && float:
		return func(m *machine) uint64 { return fromFloat(-toFloat(v(m))) }
	case x.Op == "-":
		return func(m *machine) uint64 { return narrow(t, -v(m)) }
	case x.Op == "~":
		return func(m *machine) uint64 { return narrow(t, ^v(m)) }
	}
	return v
}

// step compiles ++ and --.
func (f *frame) step(n syntax.Node, x syntax.Expr, op syntax.Op, post bool) eval {
	t := f.typ(x)
	at := f.place(x)
	delta := int64(1)
	if p, ok := t.(*check.Pointer); ok {
		delta = p.Elem.Size()
	}
	if op == "--" {
		delta = -delta
	}
	size := t.Size()
	return func(m *machine) uint64 {
		b := m.bytes(n, at(m), size)
		old := decode(t, b)
		var now uint64
		switch {
		case check.IsFloat(t):
			now = round(t, toFloat(old)+float64(delta))
		case check.IsInteger(t):
			now = narrow(t, old+uint64(delta))
		default:
			now = old + uint64(delta)
		}
		encode(t, b, now)
		if post {
			return old
		}
		return now
	}
}

// assign compiles an assignment; the right side is evaluated before the left.
func (f *frame) assign(x *syntax.AssignExpr) eval {
	t := f.typ(x.L)
	at := f.place(x.L)
	if x.Op == "=" {
		v := f.converted(x.R, t)
		if isAggregate(t) {
			set := f.store(x, t, v)
			return func(m *machine) uint64 { a := at(m); set(m, a); return a }
		}
		size := t.Size()
		return func(m *machine) uint64 {
			val := v(m)
			encode(t, m.bytes(x, at(m), size), val)
			return val
		}
	}
	op := x.Op[:len(x.Op)-1]
	size := t.Size()
	if p, ok := t.(*check.Pointer); ok {
		k := f.expr(x.R)
		elem := uint64(p.Elem.Size())
		return func(m *machine) uint64 {
			d := k(m) * elem
			if op == "-" {
				d = -d
			}
			b := m.bytes(x, at(m), size)
			now := decode(t, b) + d
			encode(t, b, now)
			return now
		}
	}
	ct := check.UsualArithmetic(t, f.typ(x.R))
	rt := ct
	if op == "<<" || op == ">>" {
		ct = check.Promote(t)
		rt = check.Promote(f.typ(x.R))
	}
	r := f.converted(x.R, rt)
	apply := f.arithmetic(x, op, ct)
	widen, narrowBack := converter(t, ct), converter(ct, t)
	return func(m *machine) uint64 {
		rv := r(m)
		b := m.bytes(x, at(m), size)
		v := decode(t, b)
		if widen != nil {
			v = widen(v)
		}
		v = apply(v, rv)
		if narrowBack != nil {
			v = narrowBack(v)
		}
		encode(t, b, v)
		return v
	}
}

func (f *frame) condExpr(x *syntax.CondExpr) eval {
	c := f.cond(x.Cond)
	t := f.typ(x)
	a, b := f.converted(x.Then, t), f.converted(x.Else, t)
	return func(m *machine) uint64 {
		if c(m) {
			return a(m)
		}
		return b(m)
	}
}
