package host

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/rt"
	"irgl/syntax"
)

// Handles of the standard streams.
const (
	stdoutHandle = 1
	stderrHandle = 2
)

// A meaning compiles the calls of a builtin function; ft is the overload that
// check chose.
type meaning func(f *frame, x *syntax.CallExpr, name string, ft *check.Func) eval

// meanings returns the builtin functions available in host code, by name.
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
		"printf":  func(f *frame, x *syntax.CallExpr, _ string, _ *check.Func) eval { return f.printf(x, 0) },
		"fprintf": func(f *frame, x *syntax.CallExpr, _ string, _ *check.Func) eval { return f.printf(x, 1) },
		"cudaLaunchCooperativeKernel": func(f *frame, x *syntax.CallExpr, _ string, ft *check.Func) eval {
			return f.cooperativeLaunch(x, ft)
		},
	}
	for _, name := range []string{"cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaGetSymbolAddress"} {
		m[name] = (*frame).symbolCall
	}
	for _, name := range []string{"min", "max", "abs", "labs", "llabs"} {
		m[name] = (*frame).generic
	}
	for name, run := range maths() {
		m[name] = func(f *frame, x *syntax.CallExpr, _ string, ft *check.Func) eval { return f.mathCall(x, ft, run) }
		m[name+"f"] = m[name]
	}
	for _, name := range []string{"fma", "fmaf"} {
		m[name] = func(f *frame, x *syntax.CallExpr, _ string, ft *check.Func) eval {
			if ft.Result == check.Float {
				return f.mathCall(x, ft, fmaFloat)
			}
			return f.mathCall(x, ft, math.FMA)
		}
	}
	for _, funcs := range []map[string]hostFunc{cLibrary(), cudaRuntime()} {
		for name, run := range funcs {
			m[name] = func(f *frame, x *syntax.CallExpr, _ string, ft *check.Func) eval { return f.hostCall(x, ft, run) }
		}
	}
	return m
}

// hostCall compiles a call of a function with scalar arguments.
func (f *frame) hostCall(x *syntax.CallExpr, ft *check.Func, run hostFunc) eval {
	args := f.args(x.Args, ft)
	return func(m *machine) uint64 {
		var v [4]uint64
		for i, a := range args[:min(len(args), 4)] {
			v[i] = a(m)
		}
		return run(m, x, v)
	}
}

// builtin compiles a call of a function of the C library or CUDA runtime.
func (f *frame) builtin(x *syntax.CallExpr, name string, ft *check.Func) eval {
	if b := check.LookupBuiltin(name); b != nil && b.Rule == builtin.CtorCall {
		return f.construct(x, ft)
	}
	if m := meanings()[name]; m != nil && ft != nil {
		return m(f, x, name, ft)
	}
	f.p.refuse(x, CodeBuiltin, "host code cannot call %s here", name)
	return func(*machine) uint64 { return 0 }
}

// mathCall compiles a call of a function of up to three floating-point numbers, of which the first may be an int,
// which is computed in double and rounded to the type of the result.
func (f *frame) mathCall(x *syntax.CallExpr, ft *check.Func, run func(a, b, c float64) float64) eval {
	args, result := f.args(x.Args, ft), ft.Result
	order := check.IsInteger(ft.Params[0]) // as of jn
	return func(m *machine) uint64 {
		var v [3]float64
		for i, a := range args {
			v[i] = toFloat(a(m))
			if i == 0 && order {
				v[i] = float64(int32(a(m)))
			}
		}
		return round(result, run(v[0], v[1], v[2]))
	}
}

// fmaFloat is fma on floats, rounded once. The product of two floats is exact in
// double; if the sum is not, rounding it to odd keeps the final rounding to float
// correct (Boldo and Melquiond, 2008).
func fmaFloat(a, b, c float64) float64 {
	p := a * b
	sum := p + c
	if math.IsInf(sum, 0) || sum != sum {
		return sum
	}
	back := sum - p
	lost := (p - (sum - back)) + (c - back)
	if lost != 0 && math.Float64bits(sum)&1 == 0 {
		return math.Nextafter(sum, math.Copysign(math.Inf(1), lost))
	}
	return sum
}

// construct compiles dim3(a, b, c), make_int2(a, b) and the like: a struct
// with the given fields. The missing fields of a dim3 are 1.
func (f *frame) construct(x *syntax.CallExpr, ft *check.Func) eval {
	t, ok := ft.Result.(*check.Struct)
	if !ok {
		f.p.refuse(x, CodeNoBody, "host code cannot call this")
		return func(*machine) uint64 { return 0 }
	}
	s, args := f.alloc(t), f.args(x.Args, ft)
	return func(m *machine) uint64 {
		at := address(stackSegment, m.fp+s.offset)
		for i, field := range t.Fields {
			v := uint64(1)
			if i < len(args) {
				v = args[i](m)
			}
			encode(field.Type, m.bytes(x, at+uint64(field.Offset), field.Type.Size()), v)
		}
		return at
	}
}

// generic compiles the builtins whose meaning depends on their types.
func (f *frame) generic(x *syntax.CallExpr, name string, ft *check.Func) eval {
	args := f.args(x.Args, ft)
	t := ft.Result
	a := args[0]
	if name != "min" && name != "max" {
		return func(m *machine) uint64 {
			v := a(m)
			if check.IsFloat(t) {
				return fromFloat(math.Abs(toFloat(v)))
			}
			if int64(v) < 0 {
				return narrow(t, -v)
			}
			return v
		}
	}
	b := args[1]
	less, least := comparison("<", t), fmax
	if name == "min" {
		least = fmin
	}
	return func(m *machine) uint64 {
		l := a(m)
		r := b(m)
		if check.IsFloat(t) {
			return fromFloat(least(toFloat(l), toFloat(r)))
		}
		if less(r, l) == (name == "min") && l != r {
			return r
		}
		return l
	}
}

func of1(f func(float64) float64) func(a, b, c float64) float64 {
	return func(a, _, _ float64) float64 { return f(a) }
}

func of2(f func(a, b float64) float64) func(a, b, c float64) float64 {
	return func(a, b, _ float64) float64 { return f(a, b) }
}

var maths = sync.OnceValue(func() map[string]func(a, b, c float64) float64 {
	m := map[string]func(a, b, c float64) float64{
		"sqrt": of1(math.Sqrt), "rsqrt": of1(func(a float64) float64 { return 1 / math.Sqrt(a) }), "cbrt": of1(math.Cbrt),
		"exp": of1(math.Exp), "exp2": of1(math.Exp2), "expm1": of1(math.Expm1), "log": of1(math.Log), "log2": of1(math.Log2),
		"log10": of1(math.Log10), "log1p": of1(math.Log1p), "sin": of1(math.Sin), "cos": of1(math.Cos), "tan": of1(math.Tan),
		"asin": of1(math.Asin), "acos": of1(math.Acos), "atan": of1(math.Atan), "sinh": of1(math.Sinh), "cosh": of1(math.Cosh),
		"tanh": of1(math.Tanh), "floor": of1(math.Floor), "ceil": of1(math.Ceil), "trunc": of1(math.Trunc), "round": of1(math.Round),
		"rint": of1(math.RoundToEven), "nearbyint": of1(math.RoundToEven), "fabs": of1(math.Abs), "erf": of1(math.Erf),
		"pow": of2(math.Pow), "fmod": of2(math.Mod), "atan2": of2(math.Atan2), "hypot": of2(math.Hypot), "copysign": of2(math.Copysign),
		"fmin": of2(fmin), "fmax": of2(fmax), "fdim": of2(math.Dim),
	}
	addMaths(m)
	return m
})

// fmin and fmax return the number when the other is NaN; -0 is less than 0.
func fmin(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Min(a, b)
}

func fmax(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Max(a, b)
}

// moveBytes is memcpy and memmove.
func moveBytes(m *machine, n syntax.Node, v [4]uint64) uint64 {
	copy(m.bytes(n, v[0], int64(v[2])), m.bytes(n, v[1], int64(v[2])))
	return v[0]
}

// A hostFunc is a builtin with scalar arguments.
type hostFunc func(m *machine, n syntax.Node, v [4]uint64) uint64

// cLibrary returns the functions of the C library with scalar arguments.
func cLibrary() map[string]hostFunc {
	return map[string]hostFunc{
		"malloc": func(m *machine, _ syntax.Node, v [4]uint64) uint64 { return m.mem.alloc(int64(v[0])) },
		"calloc": func(m *machine, _ syntax.Node, v [4]uint64) uint64 { return m.mem.alloc(int64(v[0] * v[1])) },
		"free": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			if err := m.mem.release(v[0]); err != nil {
				fail(n, err)
			}
			return 0
		},
		"memcpy":  moveBytes,
		"memmove": moveBytes,
		"memset": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			b := m.bytes(n, v[0], int64(v[2]))
			for i := range b {
				b[i] = byte(v[1])
			}
			return v[0]
		},
		"isnan": func(_ *machine, _ syntax.Node, v [4]uint64) uint64 { return truth(math.IsNaN(toFloat(v[0]))) },
		"isinf": func(_ *machine, _ syntax.Node, v [4]uint64) uint64 { return truth(math.IsInf(toFloat(v[0]), 0)) },
		"abort": func(_ *machine, n syntax.Node, _ [4]uint64) uint64 {
			fail(n, &faultError{CodeExit, "the program aborted"})
			return 0
		},
		"exit": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			fail(n, &exitError{int32(v[0])})
			return 0
		},
		"strlen": func(m *machine, n syntax.Node, v [4]uint64) uint64 { return uint64(len(m.text(n, v[0]))) },
		"strcmp": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			return uint64(int64(strings.Compare(m.text(n, v[0]), m.text(n, v[1]))))
		},
		"atoi": func(m *machine, n syntax.Node, v [4]uint64) uint64 { return uint64(atoi(m.text(n, v[0]))) },
		"atof": func(m *machine, n syntax.Node, v [4]uint64) uint64 { return fromFloat(atof(m.text(n, v[0]))) },
		"assert": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			if v[0] == 0 {
				fail(n, &faultError{CodeExit, "assertion failed"})
			}
			return 0
		},
	}
}

// printf compiles printf (first 0) and fprintf (first 1).
func (f *frame) printf(x *syntax.CallExpr, first int) eval {
	var stream eval
	if first == 1 {
		stream = f.expr(x.Args[0])
	}
	format := f.expr(x.Args[first])
	var args []eval
	var types []check.Type
	for _, a := range x.Args[first+1:] {
		t := promoted(f.typ(a))
		args, types = append(args, f.converted(a, t)), append(types, t)
	}
	return func(m *machine) uint64 {
		text, err := m.mem.cstring(format(m))
		if err != nil {
			fail(x, err)
		}
		values := make([]any, len(args))
		for i, a := range args {
			values[i] = m.printArg(x, types[i], a(m))
		}
		out := m.out
		if stream != nil && stream(m) == stderrHandle {
			out = m.err
		}
		b := rt.Format(nil, text, values...)
		if _, err := out.Write(b); err != nil {
			fail(x, err)
		}
		return uint64(len(b))
	}
}

// printArg converts a value for the formatter: to a sized integer, a float64,
// or the string that a char pointer points to.
func (m *machine) printArg(n syntax.Node, t check.Type, v uint64) any {
	switch t := t.(type) {
	case *check.Pointer:
		if t.Elem == check.Char && v >= hostBase {
			s, err := m.mem.cstring(v)
			if err != nil {
				fail(n, err)
			}
			return s
		}
		return v
	case check.Basic:
		switch {
		case check.IsFloat(t):
			return toFloat(v)
		case t.Size() == 8 && check.IsUnsigned(t):
			return v
		case t.Size() == 8:
			return int64(v)
		case check.IsUnsigned(t):
			return uint32(v)
		}
	}
	return int32(v)
}

// text returns the string at a.
func (m *machine) text(n syntax.Node, a uint64) string {
	s, err := m.mem.cstring(a)
	if err != nil {
		fail(n, err)
	}
	return s
}

// spaces is what C's isspace accepts.
const spaces = " \t\n\v\f\r"

// atoi parses the decimal number at the start of s; one that does not fit an int,
// which is undefined in C, is clamped.
func atoi(s string) int64 {
	s = strings.TrimLeft(s, spaces)
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && (s[0] == '-' || s[0] == '+')) {
		end++
	}
	v, _ := strconv.ParseInt(s[:end], 10, 32) // 0 for no number; clamped if out of range
	return v
}

// atof parses the longest number at the start of s.
func atof(s string) float64 {
	s = strings.TrimLeft(s, spaces)
	for end := min(len(s), 400); end > 0; end-- {
		if v, err := strconv.ParseFloat(s[:end], 64); (err == nil || v != 0) && !strings.Contains(s[:end], "_") {
			return v
		}
	}
	return 0
}
