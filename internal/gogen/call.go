package gogen

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// builtinOf returns the builtin that a call calls, or nil.
func builtinOf(info *check.Info, e *syntax.CallExpr) *check.Builtin {
	id, ok := syntax.Unparen(e.Fun).(*syntax.Ident)
	if !ok {
		return nil
	}
	o := info.Uses[id]
	if b := check.LookupBuiltin(id.Name); b != nil && o == b.Object() {
		return b
	}
	return nil
}

// call translates a call. The value's text is empty when statements did it all.
func (f *fn) call(e *syntax.CallExpr) val {
	statement := f.statementCall == e
	f.statementCall = nil
	t := check.Decay(f.info.Types[e])
	if m, ok := syntax.Unparen(e.Fun).(*syntax.MemberExpr); ok {
		v := f.method1(e, m)
		if statement && f.info.Types[m.X] == check.MeshType {
			v.prec = precCall // it adds, whoever wants the number
		}
		return v
	}
	if b := builtinOf(f.info, e); b != nil {
		return f.builtin(e, b, t)
	}
	id, ok := syntax.Unparen(e.Fun).(*syntax.Ident)
	if ok {
		o := f.info.Uses[id]
		if o != nil && o.Kind == check.TypeObj && len(e.Args) == 1 {
			return f.exprTo(e.Args[0], o.Type)
		}
		if o != nil && o.Kind == check.FuncObj {
			if f.inlines(o) {
				return f.inline(e, o)
			}
			args := f.withDepth(e, o, f.demanded(e.Args, o))
			v := val{s: "s." + f.funcs[o] + "(" + strings.Join(args, ", ") + ")", prec: precOperand, t: t}
			if statement {
				v.prec = precCall
			}
			return v
		}
	}
	f.errorf(e, codeFuncPointer, "generated Go calls functions by their names only")
	return val{s: "0", prec: precOperand, t: t, untyped: true}
}

// args translates arguments for parameters of the given types. The graph
// and the mesh are passed by nobody.
func (f *fn) args(list []syntax.Expr, params []check.Type) []string {
	var out []string
	for _, v := range f.argVals(list, params) {
		out = append(out, v.s)
	}
	return out
}

// argVals is args with what is known of the values.
func (f *fn) argVals(list []syntax.Expr, params []check.Type) []val {
	var vals []val
	for i, a := range list {
		if i < len(params) && isWorld(params[i]) || isWorld(f.info.Types[a]) {
			continue
		}
		mark := len(f.out)
		v := f.expr(a)
		if i < len(params) {
			v = f.convert(v, check.Decay(params[i]), a)
		}
		if len(f.out) > mark {
			// Statements came in between: the arguments before go first.
			for j := len(vals) - 1; j >= 0; j-- {
				vals[j] = f.spillAt(mark, vals[j])
			}
		}
		vals = append(vals, v)
	}
	return vals
}

// method1 translates a call of a member of the graph, the mesh or the
// worklist.
func (f *fn) method1(e *syntax.CallExpr, m *syntax.MemberExpr) val {
	base, _ := f.info.Types[m.X].(check.Basic)
	switch handleKey(base, m.Name.Name) {
	case handleKey(check.GraphType, "nodes"):
		v := f.exprTo(e.Args[0], check.Node)
		return v
	case handleKey(check.GraphType, "edges"):
		return val{s: fmt.Sprintf("rt.EdgesOf(%s, %s)", f.array("row"), f.nodeOf(e.Args[0])), prec: precOperand, t: check.Edges}
	case handleKey(check.MeshType, "points"):
		return f.exprTo(e.Args[0], check.Point)
	case handleKey(check.MeshType, "elements"):
		return f.exprTo(e.Args[0], check.Element)
	case handleKey(check.MeshType, "add_point"):
		args := f.args(e.Args, []check.Type{check.Double, check.Double})
		return val{s: "s.addPoint(" + strings.Join(args, ", ") + ")", prec: precOperand, t: check.Point}
	case handleKey(check.MeshType, "add_element"):
		args := f.args(e.Args, []check.Type{check.Point, check.Point, check.Point})
		return val{s: "s.addElement(" + strings.Join(args, ", ") + ")", prec: precOperand, t: check.Element}
	case handleKey(check.Worklist, "pop"):
		return f.pop(e)
	case handleKey(check.Worklist, "push"):
		f.push(f.exprTo(e.Args[0], check.Node))
		return val{t: check.Void}
	}
	f.errorf(e, codeUnknown, "generated Go has no method %s", m.Name.Name)
	return val{s: "0", prec: precOperand, t: check.Int, untyped: true}
}

// mathNames maps functions of double to package math's; the float forms, with
// an f at the end, compute in double and round.
var mathNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"sqrt": "math.Sqrt", "exp": "math.Exp", "exp2": "math.Exp2", "log": "math.Log", "log2": "math.Log2",
		"log10": "math.Log10", "sin": "math.Sin", "cos": "math.Cos", "tan": "math.Tan", "floor": "math.Floor", "ceil": "math.Ceil",
		"trunc": "math.Trunc", "round": "math.Round", "rint": "math.RoundToEven", "fabs": "math.Abs",
		"pow": "math.Pow", "fmod": "math.Mod", "rsqrt": "rt.Rsqrt", "fma": "math.FMA", "fmin": "rt.FMin", "fmax": "rt.FMax",
		"expm1": "math.Expm1", "log1p": "math.Log1p", "asin": "math.Asin", "acos": "math.Acos", "atan": "math.Atan",
		"sinh": "math.Sinh", "cosh": "math.Cosh", "tanh": "math.Tanh", "asinh": "math.Asinh", "acosh": "math.Acosh", "atanh": "math.Atanh",
		"erf": "math.Erf", "erfc": "math.Erfc", "cbrt": "math.Cbrt",
		"atan2": "math.Atan2", "hypot": "math.Hypot", "copysign": "math.Copysign", "remainder": "math.Remainder",
	}
})

// intNames maps CUDA's functions of integers to rt's.
var intNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"__popc": "rt.Popc", "__popcll": "rt.Popcll", "__clz": "rt.Clz", "__clzll": "rt.Clzll", "__ffs": "rt.Ffs", "__ffsll": "rt.Ffsll",
		"__brev": "rt.Brev", "__brevll": "rt.Brevll", "__mulhi": "rt.Mulhi", "__umulhi": "rt.Umulhi", "__mul64hi": "rt.Mul64hi",
		"__umul64hi": "rt.Umul64hi", "__mul24": "rt.Mul24", "__umul24": "rt.Umul24", "__byte_perm": "rt.BytePerm",
		"__float_as_int": "rt.FloatAsInt", "__float_as_uint": "rt.FloatAsUint",
		"__int_as_float": "rt.IntAsFloat", "__uint_as_float": "rt.UintAsFloat", "__double_as_longlong": "rt.DoubleAsLong",
		"__longlong_as_double": "rt.LongAsDouble", "labs": "rt.Abs", "llabs": "rt.Abs",
	}
})

// An atomicName is a function of rt, and whether it has a solo form.
type atomicName struct {
	name string
	solo bool
}

// atomicNames maps CUDA's atomics to rt's.
var atomicNames = sync.OnceValue(func() map[string]atomicName {
	return map[string]atomicName{
		"atomicAdd": {"Add", true}, "atomicSub": {"Sub", true}, "atomicExch": {"Exch", true}, "atomicMin": {"Min", true},
		"atomicMax": {"Max", true}, "atomicCAS": {"CAS", true}, "atomicInc": {"Inc", false}, "atomicDec": {"Dec", false},
		"atomicAnd": {"And", false}, "atomicOr": {"Or", false}, "atomicXor": {"Xor", false},
	}
})

// A meaning translates the calls of a builtin; t is the type of the result.
type meaning func(f *fn, e *syntax.CallExpr, b *check.Builtin, t check.Type) val

// meanings returns the builtins that generated Go has, by name.
func meanings() map[string]meaning {
	meaningsOnce.Do(func() { allMeanings = makeMeanings() })
	return allMeanings
}

var (
	meaningsOnce sync.Once
	allMeanings  map[string]meaning // set by meanings
)

func makeMeanings() map[string]meaning {
	m := map[string]meaning{
		"printf": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, _ check.Type) val { return f.printf(e) },
		"assert": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, _ check.Type) val {
			f.emit("if !(%s) { rt.AssertionFailed(%d) }", f.cond(e.Args[0]).s, f.at(e))
			return val{t: check.Void}
		},
		"abort": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, _ check.Type) val {
			f.emit("rt.Abort(%d)", f.at(e))
			return val{t: check.Void}
		},
		"exit": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, _ check.Type) val {
			f.exits = true
			f.emit("s.r.Exit(%s, %d)", f.exprTo(e.Args[0], check.Int).s, f.at(e))
			return val{t: check.Void}
		},
		"min": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, t check.Type) val { return f.minMax("min", e, t) },
		"max": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, t check.Type) val { return f.minMax("max", e, t) },
		"abs": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, t check.Type) val {
			if check.IsFloat(t) {
				return f.mathCall(e, "fabs", t)
			}
			return f.callOf("rt.Abs", e, t, t)
		},
		"isnan": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, _ check.Type) val {
			return f.ofDouble(e, "math.IsNaN(%s)")
		},
		"isinf": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, _ check.Type) val {
			return f.ofDouble(e, "math.IsInf(%s, 0)")
		},
		"__ldg": func(f *fn, e *syntax.CallExpr, _ *check.Builtin, t check.Type) val {
			return f.load(f.deref(f.expr(e.Args[0]), t, e))
		},
		"__threadfence": fence, "__threadfence_block": fence, "__threadfence_system": fence,
	}
	for name := range atomicNames() {
		m[name] = (*fn).atomic
	}
	for name, goName := range intNames() {
		m[name] = func(f *fn, e *syntax.CallExpr, b *check.Builtin, t check.Type) val {
			return f.callOf(goName, e, t, b.Sigs[0].Params...)
		}
	}
	for name := range mathNames() {
		m[name] = func(f *fn, e *syntax.CallExpr, _ *check.Builtin, t check.Type) val { return f.mathCall(e, name, t) }
		m[name+"f"] = m[name]
	}
	return m
}

// fence translates the fences of memory, of all scopes.
func fence(f *fn, _ *syntax.CallExpr, _ *check.Builtin, _ check.Type) val {
	f.emit("rt.Fence()")
	return val{t: check.Void}
}

// ofDouble translates a test of a floating number; format has the argument.
func (f *fn) ofDouble(e *syntax.CallExpr, format string) val {
	v := f.exprTo(e.Args[0], check.Double)
	f.imports["math"] = true
	return val{s: fmt.Sprintf(format, v.s), prec: precOperand, t: check.Int, cond: true}
}

func (f *fn) builtin(e *syntax.CallExpr, b *check.Builtin, t check.Type) val {
	if b.Rule == builtin.CtorCall {
		return f.vector(e, t)
	}
	if m := meanings()[b.Name]; m != nil {
		return m(f, e, b, t)
	}
	f.errorf(e, codeBuiltin, "generated Go has no %s", b.Name)
	return val{s: "0", prec: precOperand, t: t, untyped: true}
}

// callOf translates a call of a Go function with the arguments converted. Each
// has its type even when it is a constant: the function may be generic.
func (f *fn) callOf(name string, e *syntax.CallExpr, t check.Type, params ...check.Type) val {
	for len(params) < len(e.Args) {
		params = append(params, t)
	}
	var list []string
	for _, v := range f.argVals(e.Args, params) {
		list = append(list, f.typed(v).s)
	}
	return val{s: name + "(" + strings.Join(list, ", ") + ")", prec: precOperand, t: t}
}

func (f *fn) minMax(name string, e *syntax.CallExpr, t check.Type) val {
	if check.IsFloat(t) {
		return f.callOf("rt.F"+strings.ToUpper(name[:1])+name[1:], e, t, t, t)
	}
	a, b := f.info.Consts[e.Args[0]], f.info.Consts[e.Args[1]]
	if a == nil || b == nil {
		return f.callOf(name, e, t, t, t)
	}
	// Go's min of constants is a constant, which would have to fit wherever it goes.
	a, b = convertConst(a, f.info.Types[e.Args[0]], t), convertConst(b, f.info.Types[e.Args[1]], t)
	less := a.Int < b.Int
	if check.IsUnsigned(t) {
		less = uint64(a.Int) < uint64(b.Int)
	}
	if less == (name == "min") {
		return f.constant(a, t)
	}
	return f.constant(b, t)
}

// mathCall translates a function of floating numbers, which package math or rt
// has on doubles.
func (f *fn) mathCall(e *syntax.CallExpr, name string, t check.Type) val {
	goName := mathNames()[name]
	if strings.HasPrefix(name, "fm") && name != "fma" && name != "fmod" {
		return f.callOf(goName, e, t, t, t) // generic
	}
	if strings.HasPrefix(goName, "math.") && !(name == "fma" && t == check.Float) {
		f.imports["math"] = true
	}
	if t != check.Float {
		return f.callOf(goName, e, t, t, t, t)
	}
	if name == "fma" {
		return f.callOf("rt.FMA32", e, t, t, t, t)
	}
	args := make([]check.Type, len(e.Args))
	for i := range args {
		args[i] = check.Float
	}
	list := f.args(e.Args, args)
	for i, a := range list {
		list[i] = "float64(" + a + ")"
	}
	return val{s: "float32(" + goName + "(" + strings.Join(list, ", ") + "))", prec: precOperand, t: t}
}

// atomic translates CUDA's atomics on the type that the first argument points
// to.
func (f *fn) atomic(e *syntax.CallExpr, b *check.Builtin, t check.Type) val {
	a := atomicNames()[b.Name]
	name := a.name
	switch {
	case f.kernel != nil && f.kernel.solo && a.solo:
		name = "Solo" + name
	case name == "Add" && t == check.Double:
		name = "AddF64"
	case name == "Add" && t == check.Float:
		name = "AddF32"
	}
	v := f.callOf("rt."+name, e, t, check.Decay(f.info.Types[e.Args[0]]), t, t)
	v.prec = precCall
	return v
}

// vector translates make_int2(x, y) and its like.
func (f *fn) vector(e *syntax.CallExpr, t check.Type) val {
	st, ok := t.(*check.Struct)
	if !ok {
		return val{s: "0", prec: precOperand, t: t, untyped: true}
	}
	var params []check.Type
	for _, field := range st.Fields {
		params = append(params, field.Type)
	}
	args := f.args(e.Args, params)
	for i := range args {
		args[i] = fieldName(st.Fields[i].Name) + ": " + args[i]
	}
	return val{s: f.goType(t, e) + "{" + strings.Join(args, ", ") + "}", prec: precOperand, t: t}
}

// printf translates printf: each argument by C's default promotions.
func (f *fn) printf(e *syntax.CallExpr) val {
	format, ok := syntax.Unparen(e.Args[0]).(*syntax.BasicLit)
	if !ok || format.Kind != syntax.StringLit {
		f.errorf(e, codeBuiltin, "generated Go needs a string literal as printf's format")
		return val{s: "0", prec: precOperand, t: check.Int, untyped: true}
	}
	args := []string{cString(format.Text)}
	var vals []val
	for _, a := range e.Args[1:] {
		mark := len(f.out)
		var v val
		if lit, ok := syntax.Unparen(a).(*syntax.BasicLit); ok && lit.Kind == syntax.StringLit {
			v = val{s: cString(lit.Text), prec: precOperand, t: check.String, c: &check.Const{}}
		} else {
			v = f.expr(a)
			t := v.t
			if t == check.Float {
				t = check.Double
			}
			v = f.typed(f.convert(v, check.Promote(t), a))
		}
		if len(f.out) > mark {
			for j := len(vals) - 1; j >= 0; j-- {
				vals[j] = f.spillAt(mark, vals[j])
			}
		}
		vals = append(vals, v)
	}
	for _, v := range vals {
		args = append(args, v.s)
	}
	return val{s: "s.r.Printf(" + strings.Join(args, ", ") + ")", prec: precCall, t: check.Int}
}

// cString returns the Go literal of a C string as a function that takes a string
// sees it: up to its first zero.
func cString(text string) string {
	s, err := syntax.ParseString(text)
	if at := strings.IndexByte(s, 0); err == nil && at >= 0 {
		return strconv.Quote(s[:at])
	}
	return goString(text, "")
}
