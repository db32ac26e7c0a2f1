package types

import (
	"strings"
	"testing"
)

// A deduction is one of the tests.
type deduction struct {
	name     string
	params   []TemplateParam
	explicit []Arg
	patterns []Type
	args     []CallArg
	want     string // "<float, 3>", or the error
}

func rv(t Type) CallArg { return CallArg{Type: t} }
func lv(t Type) CallArg { return CallArg{Type: t, LValue: true} }

// params makes parameters from their names: N is an int, C a template, others are types;
// with "..." behind it one is a pack.
func params(w *world, names ...string) []TemplateParam {
	var out []TemplateParam
	for _, n := range names {
		p := TemplateParam{Kind: TypeArg, Name: strings.TrimSuffix(n, "..."), Pack: strings.HasSuffix(n, "...")}
		switch n[0] {
		case 'N', 'M':
			p.Kind, p.Type = ValueArg, w.i
		case 'C':
			p.Kind = TemplateArg
		}
		out = append(out, p)
	}
	return out
}

func TestDeduceCall(t *testing.T) {
	w := newWorld()
	for _, c := range append(callsOfTypes(w), append(callsOfTemplates(w), callsOfPacks(w)...)...) {
		d := Deduction{Params: c.params, Explicit: c.explicit, Patterns: c.patterns, Args: c.args}
		got := ""
		if err := w.Deduce(&d); err != nil {
			got = err.Error()
		} else {
			got = ArgList(d.Result)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func callsOfTypes(w *world) []deduction {
	ptr, lref, rref := w.Pointer, func(x Type) Type { return w.Ref(x, false) }, func(x Type) Type { return w.Ref(x, true) }
	con := func(x Type) Type { return w.Qualify(x, Const) }
	T, U, i, f := w.T, w.U, w.i, w.f
	fn := w.fn(i, f)
	bound := lref(w.ArrayBound(T, value(w.pN)))
	one, two, tn := params(w, "T"), params(w, "T", "U"), params(w, "T", "N")
	over := func(fs ...Type) CallArg { return CallArg{Type: w.Basic(Overload), Overloads: fs} }
	return []deduction{
		{"by value", one, nil, []Type{T}, []CallArg{lv(con(i))}, "<int>"},
		{"array decays", one, nil, []Type{T}, []CallArg{lv(w.Array(con(i), 4))}, "<const int *>"},
		{"function decays", one, nil, []Type{T}, []CallArg{lv(fn)}, "<int (*)(float)>"},
		{"reference keeps const", one, nil, []Type{lref(T)}, []CallArg{lv(con(i))}, "<const int>"},
		{"reference to array", one, nil, []Type{lref(T)}, []CallArg{lv(w.Array(i, 3))}, "<int[3]>"},
		{"const reference", one, nil, []Type{lref(con(T))}, []CallArg{rv(i)}, "<int>"},
		{"const reference to const", one, nil, []Type{lref(con(T))}, []CallArg{lv(con(i))}, "<int>"},
		{"const reference to array", one, nil, []Type{lref(con(T))}, []CallArg{lv(w.Array(con(w.Basic(Char)), 3))}, "<char[3]>"},
		{"forwarding an lvalue", one, nil, []Type{rref(T)}, []CallArg{lv(i)}, "<int &>"},
		{"forwarding a const lvalue", one, nil, []Type{rref(T)}, []CallArg{lv(con(i))}, "<const int &>"},
		{"forwarding an rvalue", one, nil, []Type{rref(T)}, []CallArg{rv(i)}, "<int>"},
		{"const && does not forward", one, nil, []Type{rref(con(T))}, []CallArg{lv(i)}, "<int>"},
		{"pointer", one, nil, []Type{ptr(T)}, []CallArg{rv(ptr(con(i)))}, "<const int>"},
		{"pointer to const from pointer", one, nil, []Type{ptr(con(T))}, []CallArg{rv(ptr(i))}, "<int>"},
		{"pointer from array", one, nil, []Type{ptr(T)}, []CallArg{lv(w.Array(i, 3))}, "<int>"},
		{"pointer from nullptr", one, nil, []Type{ptr(T)}, []CallArg{rv(w.Basic(Nullptr))}, "could not match 'T *' against 'std::nullptr_t'"},
		{"no pointer", one, nil, []Type{ptr(T)}, []CallArg{rv(i)}, "could not match 'T *' against 'int'"},
		{"conflict", one, nil, []Type{T, T}, []CallArg{rv(i), rv(f)}, "deduced conflicting types for parameter 'T' ('int' vs. 'float')"},
		{"explicit allows conversions", one, []Arg{typeArg(f)}, []Type{T, T}, []CallArg{rv(i), rv(f)}, "<float>"},
		{"not inferred", two, nil, []Type{T}, []CallArg{rv(i)}, "couldn't infer template argument 'U'"},
		{"explicit result", two, []Arg{typeArg(f)}, []Type{U}, []CallArg{rv(i)}, "<float, int>"},
		{"too many", one, []Arg{typeArg(f), typeArg(f)}, []Type{T}, []CallArg{rv(i)}, "too many template arguments"},
		{"explicit of another kind", one, []Arg{intArg(w.Table, 1)}, []Type{T}, []CallArg{rv(i)}, "invalid explicitly-specified argument for template parameter 'T'"},
		{"bound", tn, nil, []Type{bound}, []CallArg{lv(w.Array(f, 7))}, "<float, 7>"},
		{"bound of a pointer", tn, nil, []Type{bound}, []CallArg{rv(ptr(f))}, "could not match 'T[N]' against 'float *'"},
		{"bounds conflict", tn, nil, []Type{bound, bound}, []CallArg{lv(w.Array(f, 7)), lv(w.Array(f, 8))}, "deduced conflicting values for parameter 'N' (7 vs. 8)"},
		{"function pointer", two, nil, []Type{ptr(w.fn(T, U))}, []CallArg{rv(ptr(fn))}, "<int, float>"},
		{"function without noexcept", two, nil, []Type{ptr(w.fn(T, U))}, []CallArg{rv(ptr(w.Func(i, FuncInfo{Params: []Type{f}, Noexcept: true})))}, "<int, float>"},
		{"overload set with one match", two, nil, []Type{ptr(w.fn(T, U))}, []CallArg{over(fn, w.fn(i, f, f))}, "<int, float>"},
		{"overload set with two", two, nil, []Type{ptr(w.fn(T, U))}, []CallArg{over(fn, w.fn(i, i))}, "couldn't infer template argument 'T'"},
		{"member pointer", two, nil, []Type{w.MemberPointer(U, T)}, []CallArg{rv(w.MemberPointer(w.Class(w.class("ht")), f))}, "<float, ht>"},
		{"not deduced", one, nil, []Type{w.DependentType(DependentInfo{Of: T, Name: "type"}), T}, []CallArg{rv(f), rv(i)}, "<int>"},
		{"initialiser list", one, nil, []Type{w.spec(&tmpl{"initializer_list", w.std}, typeArg(T))}, []CallArg{{List: true, Elems: []CallArg{rv(i), rv(i)}}}, "<int>"},
		{"array from a list", tn, nil, []Type{w.Ref(w.ArrayBound(T, value(w.pN)), true)}, []CallArg{{List: true, Elems: []CallArg{rv(i), rv(i)}}}, "<int, 2>"},
		{"list for a plain parameter", one, nil, []Type{T}, []CallArg{{List: true, Elems: []CallArg{rv(i)}}}, "couldn't infer template argument 'T'"},
		{"default argument", one, nil, []Type{T, T}, []CallArg{rv(i)}, "<int>"},
	}
}

func callsOfTemplates(w *world) []deduction {
	lref := func(x Type) Type { return w.Ref(x, false) }
	tn, ct := params(w, "T", "N"), params(w, "C", "U")
	vec := w.Class(w.instance(w.vec, typeArg(w.f), intArg(w.Table, 3)))
	pattern := w.spec(w.vec, typeArg(w.T), value(w.pN))
	child := &Class{Name: "child", Scope: global, Bases: []Base{{Class: vec.Class}}, Complete: true}
	grand := w.Class(&Class{Name: "grand", Scope: global, Bases: []Base{{Class: child}}, Complete: true})
	other := w.instance(w.vec, typeArg(w.f), intArg(w.Table, 4))
	both := w.Class(&Class{Name: "both", Scope: global, Bases: []Base{{Class: vec.Class}, {Class: other}}, Complete: true})
	box := w.Class(w.instance(w.box, typeArg(w.f)))
	ofC := w.Spec(SpecInfo{Param: &ParamInfo{Name: "C"}, Args: []Arg{typeArg(w.U)}})
	twoArgs := w.Class(w.instance(&tmpl{"list", w.std}, typeArg(w.i), typeArg(w.f)))
	byType := []TemplateParam{{Kind: TypeArg, Name: "T"}, {Kind: ValueArg, Name: "N", Type: w.T}}
	small := []TemplateParam{{Kind: TypeArg, Name: "T"}, {Kind: ValueArg, Name: "N", Type: w.Basic(UChar)}}
	big := w.Class(w.instance(w.vec, typeArg(w.f), intArg(w.Table, 300)))
	return []deduction{
		{"class", tn, nil, []Type{pattern}, []CallArg{lv(vec)}, "<float, 3>"},
		{"class by reference", tn, nil, []Type{lref(w.Qualify(pattern, Const))}, []CallArg{lv(vec)}, "<float, 3>"},
		{"const class", tn, nil, []Type{lref(pattern)}, []CallArg{lv(w.Qualify(vec, Const))}, "could not match 'vec<T, N>' against 'const vec<float, 3>'"},
		{"derived class", tn, nil, []Type{lref(pattern)}, []CallArg{lv(grand)}, "<float, 3>"},
		{"pointer to derived", tn, nil, []Type{w.Pointer(pattern)}, []CallArg{rv(w.Pointer(grand))}, "<float, 3>"},
		{"pointer to pointer to derived", tn, nil, []Type{w.Pointer(w.Pointer(pattern))}, []CallArg{rv(w.Pointer(w.Pointer(grand)))}, "could not match 'vec<T, N>' against 'grand'"},
		{"two bases", tn, nil, []Type{pattern}, []CallArg{lv(both)}, "could not match 'vec<T, N>' against 'both'"},
		{"another template", tn, nil, []Type{pattern}, []CallArg{lv(box)}, "could not match 'vec<T, N>' against 'ns::box<float>'"},
		{"template template", ct, nil, []Type{ofC}, []CallArg{lv(box)}, "<ns::box, float>"},
		{"template with default arguments", ct, nil, []Type{ofC}, []CallArg{lv(twoArgs)}, "<std::list, int>"},
		{"conflict of templates", ct, nil, []Type{ofC, ofC}, []CallArg{lv(box), lv(twoArgs)}, "deduced conflicting templates for parameter 'C' ('ns::box' vs. 'std::list')"},
		{"type of a value", byType, nil, []Type{w.spec(w.vec, typeArg(w.f), value(w.pN))}, []CallArg{lv(vec)}, "<int, 3>"},
		{"value too large", small, nil, []Type{pattern}, []CallArg{lv(big)}, "could not match 'unsigned char' against 'int'"},
		{"expression is not deduced", tn, []Arg{typeArg(w.f), intArg(w.Table, 2)}, []Type{w.spec(w.vec, typeArg(w.T), valueExpr(&Expr{Op: "pl"}))}, []CallArg{lv(vec)}, "<float, 2>"},
	}
}

func callsOfPacks(w *world) []deduction {
	tp, tup := params(w, "T..."), params(w, "T", "U...")
	packT, packU := w.Param(*w.pPackT), w.Param(ParamInfo{Index: 1, Pack: true, Name: "U"})
	e := w.Expansion
	i, f := w.i, w.f
	t2 := w.Class(w.instance(w.tup, pack(typeArg(i), typeArg(f))))
	t1 := w.Class(w.instance(w.tup, pack(typeArg(i))))
	ofPack := w.spec(w.tup, pack(typeArg(e(packT))))
	headTail := w.spec(w.tup, pack(typeArg(w.T), typeArg(e(packU))))
	ints := &ParamInfo{Name: "N", Pack: true}
	seq := w.Class(w.instance(w.tup, pack(intArg(w.Table, 1), intArg(w.Table, 2))))
	np := params(w, "N...")
	fnPack := w.Pointer(w.fn(w.T, e(packU)))
	inner := w.spec(w.vec, typeArg(packT), intArg(w.Table, 3))
	vec := w.Class(w.instance(w.vec, typeArg(f), intArg(w.Table, 3)))
	return []deduction{
		{"empty pack", tp, nil, []Type{e(packT)}, nil, "<>"},
		{"pack", tp, nil, []Type{e(packT)}, []CallArg{rv(i), rv(f), rv(i)}, "<int, float, int>"},
		{"forwarding pack", tp, nil, []Type{e(w.Ref(packT, true))}, []CallArg{lv(i), rv(f)}, "<int &, float>"},
		{"pack that begins explicitly", tp, []Arg{typeArg(f)}, []Type{e(packT)}, []CallArg{rv(f), rv(i)}, "<float, int>"},
		{"pack of a class", tp, nil, []Type{ofPack}, []CallArg{lv(t2)}, "<int, float>"},
		{"two packs agree", tp, nil, []Type{ofPack, e(packT)}, []CallArg{lv(t2), rv(i), rv(f)}, "<int, float>"},
		{"two packs differ", tp, nil, []Type{ofPack, e(packT)}, []CallArg{lv(t2), rv(i), rv(i)}, "deduced conflicting types for parameter 'T' ('float' vs. 'int')"},
		{"packs of different lengths", tp, nil, []Type{ofPack, e(packT)}, []CallArg{lv(t2), rv(i)}, "deduced packs of different lengths for parameter 'T' (<int, float> vs. <int>)"},
		{"head and tail", tup, nil, []Type{headTail}, []CallArg{lv(t2)}, "<int, float>"},
		{"head and no tail", tup, nil, []Type{headTail}, []CallArg{lv(t1)}, "<int>"},
		{"values", np, nil, []Type{w.spec(w.tup, pack(Arg{Kind: DependentValue, Pattern: ints, Expand: true}))}, []CallArg{lv(seq)}, "<1, 2>"},
		{"function's parameters", tup, nil, []Type{fnPack}, []CallArg{rv(w.Pointer(w.fn(i, f, i)))}, "<int, float, int>"},
		{"function's parameters and arguments", tup, nil, []Type{fnPack, e(packU)}, []CallArg{rv(w.Pointer(w.fn(i, f))), rv(f)}, "<int, float>"},
		{"pattern around a pack", tp, nil, []Type{e(w.Ref(inner, false))}, []CallArg{lv(vec), lv(vec)}, "<float, float>"},
	}
}

func TestDeduceTypes(t *testing.T) {
	w := newWorld()
	d := Deduction{Params: params(w, "T"), Types: [][2]Type{{w.fn(w.v, w.Pointer(w.T)), w.fn(w.v, w.Pointer(w.f))}}}
	if err := w.Deduce(&d); err != nil || ArgList(d.Result) != "<float>" {
		t.Errorf("got %s, %v", ArgList(d.Result), err)
	}
	d = Deduction{Params: params(w, "T"), Types: [][2]Type{{w.Pointer(w.Qualify(w.T, Const)), w.Pointer(w.f)}}}
	if err := w.Deduce(&d); err == nil {
		t.Error("a pattern with const matched a type without it exactly")
	}
	// template <class T> struct X<T *, T>
	patterns := []Arg{typeArg(w.Pointer(w.T)), typeArg(w.T)}
	d = Deduction{Params: params(w, "T"), TemplateArgs: [2][]Arg{patterns, {typeArg(w.Pointer(w.i)), typeArg(w.i)}}}
	if err := w.Deduce(&d); err != nil || ArgList(d.Result) != "<int>" {
		t.Errorf("specialisation: got %s, %v", ArgList(d.Result), err)
	}
	d = Deduction{Params: params(w, "T"), TemplateArgs: [2][]Arg{patterns, {typeArg(w.Pointer(w.i)), typeArg(w.f)}}}
	if err := w.Deduce(&d); err == nil {
		t.Error("specialisation <T *, T> matched <int *, float>")
	}
}

func TestDeduceDefaults(t *testing.T) {
	w := newWorld()
	d := Deduction{Params: params(w, "T", "U"), Patterns: []Type{w.T}, Args: []CallArg{rv(w.i)}}
	d.Default = func(i int, args []Arg) (Arg, bool, error) { return typeArg(w.Pointer(args[0].Type)), i == 1, nil }
	if err := w.Deduce(&d); err != nil || ArgList(d.Result) != "<int, int *>" {
		t.Errorf("got %s, %v", ArgList(d.Result), err)
	}
	made := 0
	c := &Class{Name: "late", Scope: global}
	vec := w.instance(w.vec, typeArg(w.f), intArg(w.Table, 3))
	d = Deduction{Params: params(w, "T", "N"), Patterns: []Type{w.spec(w.vec, typeArg(w.T), value(w.pN))}, Args: []CallArg{rv(w.Class(c))}}
	d.Complete = func(c *Class) {
		made++
		if c.Name == "late" {
			c.Bases, c.Complete = []Base{{Class: vec}}, true
		}
	}
	if err := w.Deduce(&d); err != nil || ArgList(d.Result) != "<float, 3>" || made == 0 {
		t.Errorf("got %s, %v, %d classes completed", ArgList(d.Result), err, made)
	}
}

func TestMoreSpecialized(t *testing.T) {
	w := newWorld()
	lref, rref, con := func(x Type) Type { return w.Ref(x, false) }, func(x Type) Type { return w.Ref(x, true) }, func(x Type) Type { return w.Qualify(x, Const) }
	T, U := w.T, w.U
	packT, packU := w.Expansion(w.Param(*w.pPackT)), w.Expansion(w.Param(ParamInfo{Index: 1, Pack: true}))
	one, two, tp, tup := params(w, "T"), params(w, "T", "U"), params(w, "T..."), params(w, "T", "U...")
	fn := func(p []TemplateParam, types ...Type) *Signature { return &Signature{Params: p, Types: types} }
	spec := func(p []TemplateParam, args ...Arg) *Signature { return &Signature{Params: p, Args: args} }
	for _, c := range []struct {
		name string
		a, b *Signature
		want int
	}{
		{"pointer", fn(one, w.Pointer(T)), fn(one, T), -1},
		{"pointer to const", fn(one, w.Pointer(con(T))), fn(one, w.Pointer(T)), -1},
		{"same twice", fn(one, T, T), fn(two, T, U), -1},
		{"crossed", fn(two, w.Pointer(T), U), fn(two, T, w.Pointer(U)), 0},
		{"equal", fn(one, T), fn(one, T), 0},
		{"lvalue reference", fn(one, lref(T)), fn(one, rref(T)), -1},
		{"const reference", fn(one, lref(con(T))), fn(one, lref(T)), -1},
		{"pack", fn(one, T), fn(tp, packT), -1},
		{"longer head", fn(tup, T, packU), fn(tp, packT), -1},
		{"class", fn(one, w.spec(w.box, typeArg(T))), fn(one, T), -1},
		{"specialisation of pointers", spec(one, typeArg(w.Pointer(T))), spec(one, typeArg(T)), -1},
		{"specialisation of one type", spec(one, typeArg(T), typeArg(T)), spec(two, typeArg(T), typeArg(U)), -1},
		{"specialisation of head and tail", spec(tup, pack(typeArg(T), typeArg(packU))), spec(tp, pack(typeArg(packT))), -1},
		{"specialisations crossed", spec(two, typeArg(w.Pointer(T)), typeArg(U)), spec(two, typeArg(T), typeArg(w.Pointer(U))), 0},
	} {
		if got := sign(w.MoreSpecialized(c.a, c.b)); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
		if got := sign(w.MoreSpecialized(c.b, c.a)); got != -c.want {
			t.Errorf("%s, exchanged: got %d, want %d", c.name, got, -c.want)
		}
	}
}

func sign(n int) int { return max(-1, min(1, n)) }

func TestSubstitute(t *testing.T) {
	w := newWorld()
	packT := w.Param(*w.pPackT)
	s := Substitution{Table: w.Table, Args: [][]Arg{{typeArg(w.f), intArg(w.Table, 3)}}}
	s.Instance = func(t Template, args []Arg) (Type, error) {
		return w.Class(&Class{Name: t.TemplateName(), Scope: t.TemplateScope(), Template: t, Args: args}), nil
	}
	s.Member = func(d DependentInfo) (Type, error) { return w.Pointer(d.Of), nil }
	p := Substitution{Table: w.Table, Args: [][]Arg{{pack(typeArg(w.i), typeArg(w.f))}}, Instance: s.Instance}
	for _, c := range []struct {
		s    *Substitution
		x    Type
		want string
	}{
		{&s, w.Pointer(w.Qualify(w.T, Const)), "const float *"},
		{&s, w.Ref(w.ArrayBound(w.T, value(w.pN)), false), "float (&)[3]"},
		{&s, w.spec(w.vec, typeArg(w.T), value(w.pN)), "vec<float, 3>"},
		{&s, w.DependentType(DependentInfo{Of: w.spec(w.box, typeArg(w.T)), Name: "in"}), "ns::box<float> *"},
		{&s, w.fn(w.T, w.Param(ParamInfo{Index: 5, Name: "X"})), "float (X)"},
		{&p, w.fn(w.v, w.Expansion(w.Ref(packT, true)), w.i), "void (int &&, float &&, int)"},
		{&p, w.spec(w.tup, pack(typeArg(w.Expansion(w.Pointer(packT))))), "ns::tup<int *, float *>"},
	} {
		got, err := c.s.Type(c.x)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.x, got, err, c.want)
		}
	}
	v := Substitution{Table: w.Table, Args: [][]Arg{{typeArg(w.v), intArg(w.Table, 0)}}}
	for _, x := range []Type{w.Ref(w.T, false), w.fn(w.v, w.T), w.Array(w.T, 2), w.ArrayBound(w.i, value(w.pN)), w.MemberPointer(w.T, w.i), packT} {
		if x == packT {
			v.Args[0][0] = pack()
		}
		if y, err := v.Type(x); err == nil {
			t.Errorf("%s of void became %s", x, y)
		}
	}
}
