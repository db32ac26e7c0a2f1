package types

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/golden"
)

// A world builds the entities of testdata/mangle.cpp.
type world struct {
	*Table
	std, ns            *space
	vec, box, tup, pr  *tmpl
	i, f, v            Type
	T, N, U            Type // parameters 0, 1 and 1
	pT, pN, pU, pPackT *ParamInfo
	tmpls              map[string]*tmpl
}

type entity string

func (e entity) MangledName() string { return string(e) }

// A function is one as a scope.
type function struct{ s *Symbol }

func (f *function) ScopeName() string    { return f.s.Name }
func (f *function) ScopeParent() Scope   { return f.s.Scope }
func (f *function) ScopeSymbol() *Symbol { return f.s }

func newWorld() *world {
	w := &world{Table: NewTable(), std: &space{"std", global}, ns: &space{"ns", global}, tmpls: map[string]*tmpl{}}
	w.vec, w.box, w.tup, w.pr = &tmpl{"vec", global}, &tmpl{"box", w.ns}, &tmpl{"tup", w.ns}, &tmpl{"pr", w.std}
	w.i, w.f, w.v = w.Basic(Int), w.Basic(Float), w.Basic(Void)
	w.pT, w.pN, w.pU, w.pPackT = &ParamInfo{Name: "T"}, &ParamInfo{Index: 1, Name: "N"}, &ParamInfo{Index: 1, Name: "U"}, &ParamInfo{Name: "T", Pack: true}
	w.T, w.U = w.Param(*w.pT), w.Param(*w.pU)
	return w
}

func (w *world) spec(t Template, args ...Arg) Type { return w.Spec(SpecInfo{Template: t, Args: args}) }

func (w *world) instance(t *tmpl, args ...Arg) *Class {
	return &Class{Name: t.name, Scope: t.scope, Template: t, Args: args}
}

func (w *world) fn(result Type, params ...Type) Type {
	return w.Func(result, FuncInfo{Params: params})
}

func value(p *ParamInfo) Arg           { return Arg{Kind: DependentValue, Pattern: p} }
func valueExpr(e *Expr) Arg            { return Arg{Kind: DependentValue, Expr: e} }
func pack(args ...Arg) Arg             { return Arg{Kind: PackArg, Pack: args} }
func (w *world) class(n string) *Class { return &Class{Name: n, Scope: global} }

// symbols returns the symbols of testdata/mangle.cpp, each with the name that g++ gave it.
func (w *world) symbols() []string {
	var out []string
	add := func(s *Symbol) { out = append(out, Mangle(s)) }
	tf := func(name string, typ Type, args ...Arg) {
		add(&Symbol{Name: name, Scope: global, Type: typ, Args: args, Template: true})
	}
	w.templates(tf)
	w.plain(add)
	w.members(add)
	w.locals(add)
	w.library(add)
	w.expressions(tf)
	w.closures(add)
	return out
}

func (w *world) templates(tf func(name string, typ Type, args ...Arg)) {
	ptr, ref := w.Pointer, func(x Type) Type { return w.Ref(x, false) }
	i, f, T, U := typeArg(w.i), typeArg(w.f), w.T, w.U
	packT := w.Param(*w.pPackT)
	vTN := w.spec(w.vec, typeArg(T), value(w.pN))
	tf("k1", w.fn(w.v, ptr(T), ptr(T), T), f)
	tf("k2", w.fn(w.v, ref(vTN), ptr(w.Qualify(vTN, Const))), f, intArg(w.Table, 3))
	tf("k3", w.fn(w.v, w.Expansion(packT)), pack(i, f, typeArg(w.Basic(Char))))
	tf("k3", w.fn(w.v, w.Expansion(packT)), pack())
	tf("k4", w.fn(w.v, w.spec(w.tup, pack(typeArg(w.Expansion(packT)))), ptr(w.spec(w.tup, pack(typeArg(w.Expansion(ptr(packT))))))), pack(i, f))
	enable, integral := &tmpl{"enable_if", w.std}, &tmpl{"is_integral", w.std}
	isInt := &Expr{Op: "sr", Type: w.spec(integral, typeArg(T)), Name: "value"}
	tf("k5", w.fn(w.DependentType(DependentInfo{Of: w.spec(enable, valueExpr(isInt), typeArg(T)), Name: "type"}), T), i)
	large := &Expr{Op: "gt", Args: []*Expr{{Op: "st", Type: T}, {Type: w.i, Value: Value{Int: 2}}}}
	tf("k6", w.fn(w.DependentType(DependentInfo{Of: w.spec(enable, valueExpr(large), typeArg(T)), Name: "type"}), T), typeArg(w.Basic(Long)))
	tf("k7", w.fn(w.v, ref(w.ArrayBound(T, value(w.pN)))), i, intArg(w.Table, 3))
	in := w.DependentType(DependentInfo{Of: w.spec(w.box, typeArg(T)), Name: "in"})
	tf("k8", w.fn(in, in, T), i)
	e, x := &Enum{Name: "E", Scope: w.ns, Base: w.i}, &Enum{Name: "F", Scope: w.ns, Base: w.i}
	constant := func(t Type, v int64) Arg { return Arg{Kind: ValueArg, Type: t, Value: Value{Int: uint64(v)}} }
	tf("k9", w.fn(w.v), constant(w.Basic(Bool), 1), constant(w.Basic(Char), 'a'), constant(w.Enum(e), 1), constant(w.Enum(x), -3), constant(w.Basic(UInt), 7), constant(w.Basic(LongLong), -9))
	sum := w.DependentType(DependentInfo{Expr: &Expr{Op: "pl", Args: []*Expr{{Op: "fp"}, {Op: "fp", Index: 1}}}})
	tf("k10", w.fn(sum, T, T), i)
	tf("k11", w.fn(w.v, w.Spec(SpecInfo{Param: w.pT, Args: []Arg{typeArg(U)}}), w.Spec(SpecInfo{Param: w.pT, Args: []Arg{i}})), Arg{Kind: TemplateArg, Template: w.box}, i)
	entityArg := func(t Type, name string) Arg { return Arg{Kind: ValueArg, Type: t, Value: Value{Entity: entity(name)}} }
	fp := ptr(w.fn(w.v))
	tf("k12", w.fn(w.v), entityArg(ptr(w.i), "gi"), entityArg(fp, "_Z2gfv"), entityArg(ref(w.i), "gi"))
	tf("k12", w.fn(w.v), constant(ptr(w.i), 0), entityArg(fp, "cf"), entityArg(ref(w.i), "gi"))
	packA := w.Expansion(w.Param(ParamInfo{Index: 1, Pack: true}))
	tf("k13", w.fn(T, ptr(w.fn(T, packA)), packA), i, pack(f, typeArg(w.Basic(Char))))
	tf("k14", w.fn(w.v, w.Ref(T, true)), typeArg(ref(w.f)))
	tf("k14", w.fn(w.v, w.Ref(T, true)), i)
	ht := w.Class(w.class("ht"))
	tf("k15", w.fn(w.v, w.MemberPointer(U, T), w.MemberPointer(U, w.Func(T, FuncInfo{Params: []Type{w.i}, CV: Const}))), i, typeArg(ht))
	ints := &ParamInfo{Name: "N", Pack: true}
	tf("k16", w.fn(w.v, w.spec(w.tup, pack(typeArg(w.Expansion(w.spec(w.vec, i, value(ints))))))), pack(intArg(w.Table, 1), intArg(w.Table, 2)))
	next := &Expr{Op: "pl", Args: []*Expr{{Param: w.pN}, {Type: w.i, Value: Value{Int: 1}}}}
	tf("k17", w.fn(w.v, w.spec(w.vec, typeArg(T), valueExpr(next))), i, intArg(w.Table, 2))
	tf("k18", w.fn(w.v, T, ptr(w.DependentType(DependentInfo{Of: T, Name: "type"}))), typeArg(ht))
}

func (w *world) plain(add func(*Symbol)) {
	ptr := w.Pointer
	c := func(x Type) Type { return w.Qualify(x, Const) }
	add(&Symbol{Kind: VarSymbol, Name: "v1", Scope: global, Template: true, Args: []Arg{typeArg(w.Basic(Double))}})
	prif := w.Class(w.instance(w.pr, typeArg(w.i), typeArg(w.f)))
	boxi := w.instance(w.box, typeArg(w.i))
	in := w.Class(&Class{Name: "in", Scope: boxi})
	fn := func(name string, params ...Type) {
		add(&Symbol{Name: name, Scope: global, Type: w.fn(w.v, params...)})
	}
	fn("q1", ptr(c(w.Basic(Char))), prif, w.Class(w.instance(w.pr, typeArg(w.f), typeArg(prif))), w.Class(boxi), w.Class(w.instance(w.box, typeArg(w.f))), in)
	ints := ptr(w.fn(w.i, w.i))
	fn("q2", ptr(w.fn(w.i, w.f)), w.Ref(w.Array(w.i, 3), false), ptr(w.Array(w.Array(c(w.i), 5), 4)), ptr(w.fn(w.i, ints)),
		ptr(w.Func(w.v, FuncInfo{Variadic: true})), ptr(w.Func(w.v, FuncInfo{Noexcept: true})))
	q3 := []Type{ptr(c(ptr(w.Qualify(w.i, Const|Volatile)))), w.Ref(w.i, true)}
	for _, k := range []Kind{Nullptr, Int128, UInt128, LongDouble, WChar, Char16, Char32, Bool, SChar, UChar} {
		q3 = append(q3, w.Basic(k))
	}
	fn("q3", q3...)
	add(&Symbol{Kind: VarSymbol, Name: "gi", Scope: global})
	add(&Symbol{Name: "cf", Scope: w.ns, External: true, Type: w.fn(w.v)})
	S := w.Class(&Class{Name: "S", Scope: w.ns})
	add(&Symbol{Kind: LiteralSymbol, Name: "_x", Scope: global, Type: w.fn(S, w.Basic(ULongLong))})
	add(&Symbol{Kind: OperatorSymbol, Name: "-", Unary: true, Scope: global, Type: w.fn(S, S)})
	add(&Symbol{Kind: OperatorSymbol, Name: "-", Scope: global, Type: w.fn(S, S, S)})
	add(&Symbol{Kind: VarSymbol, Name: "an", Scope: &space{"", w.ns}})
	add(&Symbol{Kind: VarSymbol, Name: "st", Scope: w.ns, Internal: true})
	add(&Symbol{Kind: VarSymbol, Name: "var", Scope: w.ns})
	add(&Symbol{Name: "sf", Scope: w.ns, Internal: true, Type: w.fn(w.v)})
	for _, s := range []Scope{global, w.ns} {
		add(&Symbol{Name: "si", Scope: s, Internal: true, Template: true, Args: []Arg{typeArg(w.i)}, Type: w.fn(w.v, w.T)})
	}
}

func (w *world) members(add func(*Symbol)) {
	boxi, boxf := w.instance(w.box, typeArg(w.i)), w.instance(w.box, typeArg(w.f))
	self := w.Class(boxi)
	add(&Symbol{Name: "f", Scope: boxi, Type: w.fn(w.v, w.i)})
	add(&Symbol{Kind: ConstructorSymbol, Scope: boxi, Type: w.fn(Type{})})
	add(&Symbol{Kind: DestructorSymbol, Scope: boxf, Type: w.fn(Type{})})
	add(&Symbol{Kind: ConstructorSymbol, Scope: boxf, Type: w.fn(Type{}, w.T), Template: true, Args: []Arg{typeArg(w.Basic(Long))}})
	add(&Symbol{Kind: VarSymbol, Name: "s", Scope: boxi})
	add(&Symbol{Kind: OperatorSymbol, Name: "+", Scope: boxi, Type: w.Func(w.i, FuncInfo{Params: []Type{w.Ref(w.Qualify(self, Const), false)}, CV: Const})})
	add(&Symbol{Kind: ConversionSymbol, Target: w.i, Scope: boxi, Type: w.Func(w.i, FuncInfo{CV: Const})})
	add(&Symbol{Name: "g", Scope: boxi, Type: w.Func(w.v, FuncInfo{Params: []Type{w.i}, CV: Volatile, Ref: 2})})
	m := &Symbol{Name: "m", Scope: boxi, Type: w.fn(w.v, w.i, w.T), Template: true, Args: []Arg{typeArg(w.f)}}
	add(m)
	add(&Symbol{Kind: VarSymbol, Name: "q", Scope: &function{m}})
	add(&Symbol{Kind: ConversionSymbol, Target: w.Pointer(w.T), Scope: boxi, Type: w.fn(w.Pointer(w.T)), Template: true, Args: []Arg{typeArg(w.Basic(Char))}})
}

func (w *world) locals(add func(*Symbol)) {
	loc := &function{&Symbol{Name: "loc", Scope: global, Type: w.fn(w.v)}}
	for n := range 2 {
		l := &Class{Name: "L", Scope: loc, Number: n}
		add(&Symbol{Name: "g", Scope: l, Type: w.fn(w.v)})
		add(&Symbol{Name: "k14", Scope: global, Type: w.fn(w.v, w.Ref(w.T, true)), Template: true, Args: []Arg{typeArg(w.Ref(w.Class(l), false))}})
		add(&Symbol{Kind: VarSymbol, Name: "x", Scope: loc, Number: n})
		lambda := &Class{Lambda: n + 1, LambdaParams: []Type{w.i}, Scope: loc}
		add(&Symbol{Kind: OperatorSymbol, Name: "()", Scope: lambda, Type: w.Func(w.i, FuncInfo{Params: []Type{w.i}, CV: Const})})
	}
}

// library returns those with abbreviations and many substitutions.
func (w *world) library(add func(*Symbol)) {
	ptr, ref := w.Pointer, func(x Type) Type { return w.Ref(x, false) }
	inst := func(name string, args ...Type) Type {
		var list []Arg
		for _, a := range args {
			list = append(list, typeArg(a))
		}
		t := w.tmpls[name]
		if t == nil {
			t = &tmpl{name, w.std}
			w.tmpls[name] = t
		}
		return w.Class(w.instance(t, list...))
	}
	ch := w.Basic(Char)
	traits := inst("char_traits", ch)
	str := inst("basic_string", ch, traits, inst("allocator", ch))
	strs := []Type{ptr(str), ref(w.Qualify(str, Const)), ptr(inst("vector", str, inst("allocator", str))), ref(inst("basic_ostream", ch, traits)), ptr(inst("allocator", w.i))}
	add(&Symbol{Name: "strs", Scope: global, Type: w.fn(w.v, strs...)})
	c := w.Class(w.class("C"))
	cc := w.Qualify(c, Const)
	many := []Type{ptr(c), ptr(ptr(c)), ptr(ptr(ptr(c))), ptr(ptr(ptr(ptr(c)))), ptr(cc), ptr(ptr(cc)), ref(c), w.Ref(c, true), ptr(w.fn(c, c))}
	for _, k := range []Kind{Int, Float, Double, Long, Char, Short, UInt, Bool} {
		x := ptr(w.Basic(k))
		many = append(many, x, ptr(x), ptr(ptr(x)))
	}
	b := ptr(ptr(w.Basic(Bool)))
	many = append(many, ptr(ptr(b)), ptr(c), ptr(ptr(b)), b, ptr(ptr(ptr(ch))))
	add(&Symbol{Name: "many", Scope: global, Type: w.fn(w.v, many...)})
	td := &Class{TypedefName: "TD", Scope: global}
	add(&Symbol{Name: "tf", Scope: td, Type: w.fn(w.v)})
	add(&Symbol{Name: "fa", Scope: &Class{Scope: w.class("An")}, Type: w.fn(w.v)})
	h := &Class{Name: "H", Scope: global, Template: &tmpl{"H", global}, Args: []Arg{typeArg(w.i)}}
	in := &Class{Name: "I", Scope: h, Template: &tmpl{"I", h}, Args: []Arg{typeArg(w.f)}}
	add(&Symbol{Name: "g", Scope: in, Template: true, Args: []Arg{typeArg(ch)}, Type: w.fn(w.v, w.T, w.i, w.f)})
}

// expressions returns those whose types depend on parameters by expressions.
func (w *world) expressions(tf func(name string, typ Type, args ...Arg)) {
	i, f, T := typeArg(w.i), typeArg(w.f), w.T
	c := w.Class(w.class("C"))
	address := func(t Type, name string) Arg { return Arg{Kind: ValueArg, Type: t, Value: Value{Entity: entity(name)}} }
	tf("mp1", w.fn(w.v), address(w.MemberPointer(c, w.i), "_ZN1C1mE"))
	tf("mp2", w.fn(w.v), address(w.MemberPointer(c, w.fn(w.v)), "_ZN1C2mfEv"))
	member := func(arg Type) Type {
		return w.DependentType(DependentInfo{Of: w.DependentType(DependentInfo{Of: T, Name: "R", Args: []Arg{typeArg(arg)}}), Name: "type"})
	}
	tf("two", w.fn(w.v, member(w.U), T, w.U, member(w.i)), typeArg(w.Class(w.class("Q"))), i)
	made := &Expr{Op: "cv", Type: T}
	tf("ddt", w.fn(w.v, w.Pointer(w.DependentType(DependentInfo{Expr: &Expr{Op: "dt", Name: "d", Args: []*Expr{made}}})), T), typeArg(w.Class(w.class("ht"))))
	tr, packT := &tmpl{"tr", global}, w.Param(*w.pPackT)
	val := func(x Type) *Expr { return &Expr{Op: "sr", Type: w.spec(tr, typeArg(x), typeArg(w.v)), Name: "value"} }
	all := Arg{Kind: DependentValue, Expand: true, Expr: val(packT)}
	tf("fold", w.fn(w.v, w.spec(&tmpl{"bs", global}, pack(all)), w.Expansion(packT)), pack(i, f))
	size := valueExpr(&Expr{Op: "sZ", Param: w.pPackT})
	tf("sz", w.fn(w.v, w.spec(w.vec, i, size), w.Expansion(packT)), pack(i, i))
	four := &Expr{Op: "eq", Args: []*Expr{{Op: "st", Type: T}, {Type: w.Basic(UInt), Value: Value{Int: 4}}}}
	cond := &Expr{Op: "oo", Args: []*Expr{{Op: "nt", Args: []*Expr{val(T)}}, four}}
	tf("neg", w.fn(w.DependentType(DependentInfo{Of: w.spec(&tmpl{"enable_if", w.std}, valueExpr(cond), i), Name: "type"}), T), i)
	ct := w.Qualify(T, Const)
	tf("cc", w.fn(w.v, ct, w.Ref(w.Qualify(w.Pointer(ct), Const), false), w.Pointer(w.Qualify(T, Volatile)), w.Array(ct, 3)), i)
}

// closures returns those of and with closures in a template's instance.
func (w *world) closures(add func(*Symbol)) {
	ch := w.Basic(Char)
	gen := &function{&Symbol{Name: "gen", Scope: global, Type: w.fn(w.v), Template: true, Args: []Arg{typeArg(ch)}}}
	add(gen.s)
	generic := &Class{Lambda: 1, LambdaParams: []Type{w.T, ch}, Scope: gen}
	call := w.Func(w.Basic(Auto), FuncInfo{Params: []Type{w.T, ch}, CV: Const})
	add(&Symbol{Kind: OperatorSymbol, Name: "()", Scope: generic, Type: call, Template: true, Args: []Arg{typeArg(w.f)}})
	plain := &Class{Lambda: 2, LambdaParams: []Type{w.i}, Scope: gen}
	add(&Symbol{Kind: OperatorSymbol, Name: "()", Scope: plain, Type: w.Func(w.v, FuncInfo{Params: []Type{w.i}, CV: Const})})
	add(&Symbol{Name: "each", Scope: global, Template: true, Args: []Arg{typeArg(w.Class(plain))}, Type: w.fn(w.v, w.T, w.i)})
}

// TestMangle compares symbols with those that g++ gave the same declarations when the
// file was recorded: nm of the object of testdata/mangle.cpp.
func TestMangle(t *testing.T) {
	const path = "testdata/mangle.golden"
	if golden.Updating() {
		golden.File(t, path, gccSymbols(t))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compareSymbols(t, strings.Fields(string(text)))
}

// TestMangleAgainstGcc compares them with those of the g++ that is here.
func TestMangleAgainstGcc(t *testing.T) {
	if testing.Short() {
		t.Skip("runs g++")
	}
	compareSymbols(t, strings.Fields(gccSymbols(t)))
}

func compareSymbols(t *testing.T, want []string) {
	t.Helper()
	got := newWorld().symbols()
	for _, s := range got {
		if !slices.Contains(want, s) {
			near := strings.Join(slices.DeleteFunc(slices.Clone(want), func(x string) bool { return len(x) < 5 || len(s) < 5 || x[:5] != s[:5] }), " ")
			t.Errorf("g++ has no %s; perhaps %.500s", s, near)
		}
	}
	for _, s := range want {
		known := slices.Contains(got, s) || strings.Contains(s, "use") || s == "_Z3locv"
		for _, other := range []string{"C2", "C5", "D2", "D5"} {
			known = known || strings.Contains(s, other)
		}
		known = known || strings.Contains(s, "UliE") && strings.Contains(s, "k14") || s == "_ZN2ns3boxIiED1Ev" || s == "_Z2gfv" || s == "_ZNK2ht1mEi" || s == "_ZN1C2mfEv"
		if !known {
			t.Errorf("g++ has %s, and no symbol is it", s)
		}
	}
}

func gccSymbols(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	object := filepath.Join(t.TempDir(), "a.o")
	if out, err := exec.Command("g++", "-std=c++17", "-c", "testdata/mangle.cpp", "-o", object).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	out, err := exec.Command("nm", "-j", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestUnknownExpression checks that an expression that is not known leaves a symbol that
// an assembler takes.
func TestUnknownExpression(t *testing.T) {
	w := newWorld()
	x := w.DependentType(DependentInfo{Expr: &Expr{Op: "?", Text: "a.b->c()"}})
	got := Mangle(&Symbol{Name: "f", Scope: global, Template: true, Args: []Arg{typeArg(w.i)}, Type: w.fn(x, w.T)})
	if got != "_Z1fIiEDTv09dependentET_" {
		t.Errorf("got %s", got)
	}
}

// TestDemangle has c++filt read each symbol.
func TestDemangle(t *testing.T) {
	if _, err := exec.LookPath("c++filt"); err != nil {
		t.Skip("no c++filt")
	}
	got := newWorld().symbols()
	cmd := exec.Command("c++filt")
	cmd.Stdin = strings.NewReader(strings.Join(got, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if strings.HasPrefix(line, "_Z") {
			t.Errorf("c++filt does not know %s", got[n])
		}
	}
}
