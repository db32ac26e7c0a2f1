package types

import "testing"

// A space is a namespace of the tests.
type space struct {
	name   string
	parent Scope
}

func (s *space) ScopeName() string  { return s.name }
func (s *space) ScopeParent() Scope { return s.parent }

// A tmpl is a template of the tests.
type tmpl struct {
	name  string
	scope Scope
}

func (t *tmpl) TemplateName() string { return t.name }
func (t *tmpl) TemplateScope() Scope { return t.scope }

var global = &space{}

func typeArg(t Type) Arg { return Arg{Kind: TypeArg, Type: t} }

func intArg(t *Table, v int64) Arg {
	return Arg{Kind: ValueArg, Type: t.Basic(Int), Value: Value{Int: uint64(v)}}
}

func TestString(t *testing.T) {
	tab := NewTable()
	f, i, v := tab.Basic(Float), tab.Basic(Int), tab.Basic(Void)
	c := func(x Type) Type { return tab.Qualify(x, Const) }
	ns := &space{"ns", global}
	vecT := &tmpl{"vec", ns}
	vec := tab.Class(&Class{Name: "vec", Scope: ns, Template: vecT, Args: []Arg{typeArg(f), intArg(tab, 3)}})
	T := tab.Param(ParamInfo{Name: "T"})
	fn := tab.Func(i, FuncInfo{Params: []Type{f}})
	method := tab.Func(v, FuncInfo{Params: []Type{i}, CV: Const, Ref: 1, Variadic: true, Noexcept: true})
	e := &Enum{Name: "E", Scope: ns, Scoped: true, Base: i}
	e.Consts = []*EnumConst{{Name: "A", Value: 0, Enum: e}}
	for _, x := range []struct {
		t    Type
		want string
	}{
		{tab.Pointer(c(f)), "const float *"},
		{c(tab.Pointer(f)), "float *const"},
		{tab.Pointer(tab.Pointer(f)), "float **"},
		{tab.Ref(vec, false), "ns::vec<float, 3> &"},
		{tab.Ref(tab.Ref(T, true), true), "T &&"},
		{tab.Ref(tab.Ref(T, true), false), "T &"},
		{tab.Pointer(fn), "int (*)(float)"},
		{fn, "int (float)"},
		{tab.Func(tab.Pointer(fn), FuncInfo{Params: []Type{i}}), "int (*(int))(float)"},
		{tab.Pointer(tab.Func(tab.Pointer(fn), FuncInfo{})), "int (*(*)())(float)"},
		{tab.Array(c(i), 3), "const int[3]"},
		{tab.Array(tab.Array(i, 4), 3), "int[3][4]"},
		{tab.Array(tab.Pointer(i), 4), "int *[4]"},
		{tab.Ref(tab.Array(i, 4), false), "int (&)[4]"},
		{tab.Ref(tab.ArrayBound(T, Arg{Kind: DependentValue, Pattern: &ParamInfo{Index: 1, Name: "N"}}), false), "T (&)[N]"},
		{tab.Array(tab.Pointer(fn), 2), "int (*[2])(float)"},
		{tab.MemberPointer(vec, i), "int ns::vec<float, 3>::*"},
		{tab.Pointer(tab.Pointer(tab.Array(tab.Array(i, 5), 4))), "int (**)[4][5]"},
		{tab.MemberPointer(vec, method), "void (ns::vec<float, 3>::*)(int, ...) const & noexcept"},
		{tab.Spec(SpecInfo{Template: vecT, Args: []Arg{typeArg(T), {Kind: DependentValue, Pattern: &ParamInfo{Index: 1, Name: "N"}}}}), "ns::vec<T, N>"},
		{tab.Expansion(tab.Ref(T, true)), "T &&..."},
		{tab.DependentType(DependentInfo{Of: T, Name: "type"}), "typename T::type"},
		{tab.Class(&Class{Name: "w", Template: vecT, Args: []Arg{{Kind: ValueArg, Type: tab.Enum(e)}, {Kind: ValueArg, Type: tab.Basic(Bool), Value: Value{Int: 1}}, {Kind: PackArg}, {Kind: PackArg, Pack: []Arg{typeArg(i), typeArg(f)}}}}), "w<ns::E::A, true, int, float>"},
		{tab.Class(&Class{Name: "x", Scope: &space{"", global}}), "(anonymous namespace)::x"},
	} {
		if got := x.t.String(); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
	if got := c(tab.Pointer(f)).Declare("p"); got != "float *const p" {
		t.Errorf("Declare: got %q", got)
	}
	if got := tab.Pointer(fn).Declare("f"); got != "int (*f)(float)" {
		t.Errorf("Declare: got %q", got)
	}
}

func TestInterning(t *testing.T) {
	tab := NewTable()
	f, i := tab.Basic(Float), tab.Basic(Int)
	T := tab.Param(ParamInfo{Name: "T"})
	vec := &tmpl{"vec", global}
	same := func(what string, x, y Type) {
		t.Helper()
		if x != y {
			t.Errorf("%s: two types %s and %s", what, x, y)
		}
	}
	same("names of parameters", T, tab.Param(ParamInfo{Name: "U"}))
	same("pointer", tab.Pointer(i), tab.Pointer(i))
	same("array parameter", tab.Func(i, FuncInfo{Params: []Type{i, tab.Array(f, 3)}}), tab.Func(i, FuncInfo{Params: []Type{tab.Qualify(i, Const), tab.Pointer(f)}}))
	same("spec", tab.Spec(SpecInfo{Template: vec, Args: []Arg{typeArg(T)}}), tab.Spec(SpecInfo{Template: vec, Args: []Arg{typeArg(T)}}))
	same("dependent", tab.DependentType(DependentInfo{Of: T, Name: "x"}), tab.DependentType(DependentInfo{Of: T, Name: "x"}))
	bound := Arg{Kind: DependentValue, Pattern: &ParamInfo{Index: 1}}
	same("bound", tab.ArrayBound(i, bound), tab.ArrayBound(i, Arg{Kind: DependentValue, Pattern: &ParamInfo{Index: 1, Name: "N"}}))
	distinct := []Type{tab.Func(i, FuncInfo{}), tab.Func(i, FuncInfo{CV: Const}), tab.Func(i, FuncInfo{Variadic: true}), tab.Func(i, FuncInfo{Noexcept: true}),
		tab.Func(i, FuncInfo{Ref: 1}), tab.Array(i, -1), tab.ArrayBound(i, bound), tab.Array(i, 0), T, tab.Param(ParamInfo{Index: 1}), tab.Param(ParamInfo{Depth: 1}),
		tab.Param(ParamInfo{Pack: true}), tab.Expansion(T), tab.MemberPointer(T, i), tab.MemberPointer(tab.Param(ParamInfo{Index: 1}), i)}
	for n, x := range distinct {
		for _, y := range distinct[:n] {
			if x == y {
				t.Errorf("%s is the same as %s", x, y)
			}
		}
	}
}

func TestDependent(t *testing.T) {
	tab := NewTable()
	T := tab.Param(ParamInfo{Name: "T"})
	i := tab.Basic(Int)
	for _, x := range []Type{tab.Pointer(T), tab.Func(i, FuncInfo{Params: []Type{i, T}}), tab.Func(T, FuncInfo{}), tab.MemberPointer(T, i), tab.Basic(Auto)} {
		if !x.Dependent() {
			t.Errorf("%s is not dependent", x)
		}
	}
	if x := tab.Func(i, FuncInfo{Params: []Type{i}}); x.Dependent() {
		t.Errorf("%s is dependent", x)
	}
}

func TestUsualArithmetic(t *testing.T) {
	tab := NewTable()
	for _, x := range []struct{ a, b, want Kind }{
		{Char, Short, Int}, {UShort, UShort, Int}, {Int, UInt, UInt}, {Long, UInt, Long}, {LongLong, ULong, ULongLong}, {Long, LongLong, LongLong},
		{Int, Float, Float}, {ULongLong, Float, Float}, {Double, Float, Double}, {Bool, Bool, Int}, {Char32, Int, UInt}, {WChar, UInt, UInt},
		{Int128, ULongLong, Int128}, {UInt128, Int128, UInt128}, {LongDouble, Double, LongDouble},
	} {
		for _, p := range [][2]Kind{{x.a, x.b}, {x.b, x.a}} {
			if got := tab.UsualArithmetic(tab.Basic(p[0]), tab.Basic(p[1])); got != tab.Basic(x.want) {
				t.Errorf("%s and %s: %s, want %s", tab.Basic(p[0]), tab.Basic(p[1]), got, tab.Basic(x.want))
			}
		}
	}
	small := tab.Enum(&Enum{Name: "E", Fixed: true, Base: tab.Basic(UChar)})
	if got := tab.Promote(small); got != tab.Basic(Int) {
		t.Errorf("an enumeration of unsigned char promotes to %s", got)
	}
	of := func(v uint64) Type { return tab.Enum(&Enum{Base: tab.Basic(UInt), Consts: []*EnumConst{{Value: v}}}) }
	if got := tab.Promote(of(9)); got != tab.Basic(Int) {
		t.Errorf("an enumeration of 9 promotes to %s", got)
	}
	big := of(1 << 31)
	if got := tab.Promote(big); got != tab.Basic(UInt) {
		t.Errorf("an enumeration of unsigned int promotes to %s", got)
	}
	for _, x := range []struct {
		kind  Kind
		width int
		want  Kind
	}{{UInt, 31, Int}, {UInt, 32, UInt}, {ULong, 20, Int}, {ULong, 32, UInt}, {ULong, 33, ULong}, {Long, 32, Int}, {UChar, 8, Int}, {Bool, 1, Int}} {
		if got := tab.PromoteBits(tab.Basic(x.kind), x.width); got != tab.Basic(x.want) {
			t.Errorf("%s : %d promotes to %s, want %s", tab.Basic(x.kind), x.width, got, tab.Basic(x.want))
		}
	}
}

func TestIntegers(t *testing.T) {
	tab := NewTable()
	c, i, u, l, b := tab.Basic(Char), tab.Basic(Int), tab.Basic(UInt), tab.Basic(Long), tab.Basic(Bool)
	if got := c.Truncate(0x1ff); got != ^uint64(0) {
		t.Errorf("char of 0x1ff is %#x", got)
	}
	if i.Min() != uint64(0xffffffff80000000) || i.Max() != 0x7fffffff || u.Max() != 0xffffffff || l.Min() != 1<<63 || b.Max() != 1 {
		t.Error("ranges are wrong")
	}
	for _, x := range []struct {
		to, from Type
		v        int64
		want     bool
	}{{u, i, -1, false}, {i, u, 1 << 31, false}, {l, u, 1 << 31, true}, {tab.Basic(ULong), i, -1, false}, {c, i, -128, true}, {c, i, 128, false}, {l, tab.Basic(ULong), -1, false}} {
		if got := x.to.Fits(uint64(x.v), x.from); got != x.want {
			t.Errorf("%d of %s fits %s: %v", x.v, x.from, x.to, got)
		}
	}
}

func TestSizes(t *testing.T) {
	tab := NewTable()
	in := tab.Basic(Int)
	huge := tab.Array(tab.Array(in, 1<<40), 1<<40)
	if huge.Size() != hugeSize || tab.Array(in, 1<<62).Size() != hugeSize || tab.Array(tab.Array(in, 3), 4).Size() != 48 {
		t.Error("sizes of arrays are wrong")
	}
	c := &Class{Name: "c", Fields: []*Field{{Name: "a", Type: huge, Width: -1}}}
	if err := Layout(c); err == nil {
		t.Error("a class with a field that is too large has a layout")
	}
	late := tab.Class(&Class{Name: "late"})
	if err := Layout(&Class{Fields: []*Field{{Type: late, Width: -1}}}); err == nil || err.Error() != "field has incomplete type 'late'" {
		t.Errorf("got %v", err)
	}
	flexible := &Class{Fields: []*Field{{Type: in, Width: -1}, {Type: tab.Array(in, -1), Width: -1}}}
	if err := Layout(flexible); err != nil || flexible.Size != 4 {
		t.Errorf("a flexible array: size %d, %v", flexible.Size, err)
	}
}
