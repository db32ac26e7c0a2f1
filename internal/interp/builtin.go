package interp

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// The builtin functions that compute, by name; the float forms of the maths
// share the double's entry and round its result.
var (
	oneFloat = sync.OnceValue(func() map[string]func(x float64) float64 {
		m := map[string]func(x float64) float64{
			"sqrt": math.Sqrt, "exp": math.Exp, "exp2": math.Exp2, "log": math.Log, "log2": math.Log2, "log10": math.Log10,
			"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc,
			"round": math.Round, "rint": math.RoundToEven, "fabs": math.Abs, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
		}
		addOneFloat(m)
		return m
	})
	twoFloats = sync.OnceValue(func() map[string]func(x, y float64) float64 {
		m := map[string]func(x, y float64) float64{
			"pow": math.Pow, "fmod": math.Mod, "fmin": fmin, "fmax": fmax,
		}
		addTwoFloats(m)
		return m
	})
	oneInt = sync.OnceValue(func() map[string]func(x int64) int64 {
		return map[string]func(x int64) int64{
			"labs": absInt, "llabs": absInt,
			"__popc":   func(x int64) int64 { return int64(bits.OnesCount32(uint32(x))) },
			"__popcll": func(x int64) int64 { return int64(bits.OnesCount64(uint64(x))) },
			"__clz":    func(x int64) int64 { return int64(bits.LeadingZeros32(uint32(x))) },
			"__clzll":  func(x int64) int64 { return int64(bits.LeadingZeros64(uint64(x))) },
			"__ffs":    func(x int64) int64 { return ffs(uint64(uint32(x))) },
			"__ffsll":  func(x int64) int64 { return ffs(uint64(x)) },
			"__brev":   func(x int64) int64 { return int64(bits.Reverse32(uint32(x))) },
			"__brevll": func(x int64) int64 { return int64(bits.Reverse64(uint64(x))) },
		}
	})
	twoInts = sync.OnceValue(func() map[string]func(x, y int64) int64 {
		return map[string]func(x, y int64) int64{
			"__mulhi":    func(x, y int64) int64 { return x * y >> 32 },
			"__umulhi":   func(x, y int64) int64 { return int64(uint64(x) * uint64(y) >> 32) },
			"__mul24":    func(x, y int64) int64 { return int64(int32(x << 40 >> 40 * (y << 40 >> 40))) },
			"__umul24":   func(x, y int64) int64 { return int64(uint32(x & 0xffffff * (y & 0xffffff))) },
			"__umul64hi": func(x, y int64) int64 { hi, _ := bits.Mul64(uint64(x), uint64(y)); return int64(hi) },
			"__mul64hi":  mul64hi,
		}
	})
	reinterpret = [...]string{
		"__float_as_int", "__int_as_float", "__float_as_uint", "__uint_as_float", "__double_as_longlong", "__longlong_as_double",
	}
)

// fmin and fmax give the number when the other is not one.
func fmin(x, y float64) float64 {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return math.Min(x, y)
}

// fmax is the same for the larger one.
func fmax(x, y float64) float64 {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return math.Max(x, y)
}

// absInt leaves the least value as it is: its negation wraps.
func absInt(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// ffs is the position, from 1, of the lowest bit set; 0 without one.
func ffs(x uint64) int64 {
	if x == 0 {
		return 0
	}
	return int64(bits.TrailingZeros64(x)) + 1
}

// mul64hi is the upper half of a signed product: that of the unsigned one less
// the other factor for each negative one.
func mul64hi(x, y int64) int64 {
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return int64(hi)
}

// bytePerm is CUDA's __byte_perm: each nibble of s picks a byte of y:x, its top
// bit that byte's sign instead.
func bytePerm(x, y, s int64) int64 {
	both := uint64(uint32(x)) | uint64(uint32(y))<<32
	var r uint32
	for i := range 4 {
		n := uint32(s) >> (4 * i)
		b := uint32(both>>(8*(n&7))) & 0xff
		if n&8 != 0 {
			b = uint32(int32(int8(b))>>7) & 0xff
		}
		r |= b << (8 * i)
	}
	return int64(r)
}

// A meaning compiles the calls of a builtin function, of which check has chosen
// the form f.
type meaning func(c *compiler, e *syntax.CallExpr, f *check.Func) val

// meanings returns the builtin functions that the interpreter has, by name.
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
		"printf":  func(c *compiler, e *syntax.CallExpr, _ *check.Func) val { return c.printf(e, "printf") },
		"fprintf": func(c *compiler, e *syntax.CallExpr, _ *check.Func) val { return c.printf(e, "fprintf") },
		"__ldg": func(c *compiler, e *syntax.CallExpr, _ *check.Func) val {
			return c.load(c.atomicTarget(e.Args[0]))
		},
	}
	for name := range atomicUpdates {
		m[name] = func(c *compiler, e *syntax.CallExpr, f *check.Func) val { return c.atomic(e, name, f) }
	}
	for name, compute := range computed() {
		m[name] = func(c *compiler, e *syntax.CallExpr, f *check.Func) val {
			args, ok := c.passed(e, f)
			if !ok {
				return undefined(f.Result, func() {})
			}
			return compute(f.Result, args)
		}
	}
	for name, act := range actions {
		m[name] = func(c *compiler, e *syntax.CallExpr, f *check.Func) val {
			args, ok := c.passed(e, f)
			if !ok {
				return undefined(f.Result, func() {})
			}
			return act(c.machine, e, args)
		}
	}
	return m
}

// builtin compiles a call of a builtin function. check has chosen the form,
// which is the type of the name.
func (c *compiler) builtin(e *syntax.CallExpr, id *syntax.Ident, o *check.Object) val {
	f, ok := c.info.Types[id].(*check.Func)
	if !ok {
		c.errorf(e, codeUnknown, "%s is not a function", o.Name)
		return intConst(check.Int, 0)
	}
	if b := check.LookupBuiltin(o.Name); b != nil && b.Rule == builtin.CtorCall {
		return c.makeVector(e, f)
	}
	if m := meanings()[o.Name]; m != nil {
		return m(c, e, f)
	}
	c.errorf(e, codeUnknown, "the interpreter has no %s", o.Name)
	return undefined(f.Result, func() {})
}

// passed compiles the arguments of a call of the form f; ok is false, with an
// error, when their number differs from that of its parameters.
func (c *compiler) passed(e *syntax.CallExpr, f *check.Func) (args []val, ok bool) {
	if len(e.Args) != len(f.Params) {
		c.errorf(e, codeUnknown, "this call has %d arguments in place of %d", len(e.Args), len(f.Params))
		return nil, false
	}
	for i, a := range e.Args {
		args = append(args, c.as(a, f.Params[i]))
	}
	return args, true
}

// computed are the builtins whose result of type t depends on their arguments
// alone.
var computed = sync.OnceValue(func() map[string]func(t check.Type, args []val) val {
	m := map[string]func(t check.Type, args []val) val{
		"min": func(t check.Type, args []val) val { return minMax(true, t, args[0], args[1]) },
		"max": func(t check.Type, args []val) val { return minMax(false, t, args[0], args[1]) },
		"abs": func(t check.Type, args []val) val {
			x := args[0]
			if isFloat(t) {
				return floatVal(t, func() float64 { return math.Abs(x.f()) })
			}
			return intVal(t, truncate(func() int64 { return absInt(x.i()) }, t))
		},
		"fma":  func(t check.Type, args []val) val { return fma(t, args[0].f, args[1].f, args[2].f) },
		"fmaf": func(t check.Type, args []val) val { return fma(t, args[0].f, args[1].f, args[2].f) },
		"isnan": func(t check.Type, args []val) val {
			return ofCond(t, func() bool { return math.IsNaN(args[0].f()) })
		},
		"isinf": func(t check.Type, args []val) val {
			return ofCond(t, func() bool { return math.IsInf(args[0].f(), 0) })
		},
		"__byte_perm": func(t check.Type, args []val) val {
			return intVal(t, func() int64 { return bytePerm(args[0].i(), args[1].i(), args[2].i()) })
		},
	}
	for _, name := range reinterpret {
		m[name] = func(t check.Type, args []val) val { return asBits(t, args[0]) }
	}
	for name, f := range oneInt() {
		m[name] = func(t check.Type, args []val) val {
			x := args[0]
			return intVal(t, func() int64 { return f(x.i()) })
		}
	}
	for name, f := range twoInts() {
		m[name] = func(t check.Type, args []val) val {
			x, y := args[0], args[1]
			return intVal(t, func() int64 { a := x.i(); return f(a, y.i()) })
		}
	}
	for name, f := range oneFloat() {
		m[name] = func(t check.Type, args []val) val {
			x := args[0]
			return rounded(t, func() float64 { return f(x.f()) })
		}
		m[name+"f"] = m[name]
	}
	for name, f := range twoFloats() {
		m[name] = func(t check.Type, args []val) val {
			x, y := args[0], args[1]
			return rounded(t, func() float64 { a := x.f(); return f(a, y.f()) })
		}
		m[name+"f"] = m[name]
	}
	return m
})

// rounded returns a floating value that v computes in double.
func rounded(t check.Type, v func() float64) val {
	if t == check.Float {
		return floatVal(t, func() float64 { return float64(float32(v())) })
	}
	return floatVal(t, v)
}

// asBits compiles the functions that reinterpret a value's bits.
func asBits(t check.Type, x val) val {
	size := max(t.Size(), x.t.Size())
	if isFloat(t) {
		return floatVal(t, func() float64 {
			if size == 4 {
				return float64(math.Float32frombits(uint32(x.i())))
			}
			return math.Float64frombits(uint64(x.i()))
		})
	}
	return intVal(t, func() int64 {
		if size == 4 {
			return wrap(int64(math.Float32bits(float32(x.f()))), t)
		}
		return int64(math.Float64bits(x.f()))
	})
}

// fma rounds once. For float the exact sum of the exact product and z may not
// fit a double; rounding that to odd keeps the second rounding right.
func fma(t check.Type, x, y, z func() float64) val {
	if t == check.Double {
		return floatVal(t, func() float64 { a, b := x(), y(); return math.FMA(a, b, z()) })
	}
	return floatVal(t, func() float64 {
		a, b := x(), y()
		return fmaFloat(a*b, z())
	})
}

// fmaFloat adds an exact product p and z and rounds to float once.
func fmaFloat(p, z float64) float64 {
	s := p + z
	if !math.IsInf(s, 0) && s == s {
		// s + lost is exactly p + z (Knuth's two-sum).
		big := s - p
		lost := (p - (s - big)) + (z - big)
		if lost != 0 && math.Float64bits(s)&1 == 0 {
			s = math.Nextafter(s, math.Inf(int(math.Copysign(1, lost))))
		}
	}
	return float64(float32(s))
}

// minMax compiles min, max and what the atomics of that name compute.
func minMax(least bool, t check.Type, x, y val) val {
	if isFloat(t) {
		f := fmax
		if least {
			f = fmin
		}
		return floatVal(t, func() float64 { a := x.f(); return f(a, y.f()) })
	}
	flip := int64(0)
	if check.IsUnsigned(t) {
		flip = math.MinInt64 // makes unsigned order signed order
	}
	i, j := x.i, y.i
	if least {
		return intVal(t, func() int64 { a := i(); return min(a^flip, j()^flip) ^ flip })
	}
	return intVal(t, func() int64 { a := i(); return max(a^flip, j()^flip) ^ flip })
}

// makeVector compiles make_int2(x, y) and its relatives.
func (c *compiler) makeVector(e *syntax.CallExpr, f *check.Func) val {
	s, ok := f.Result.(*check.Struct)
	if !ok || len(e.Args) > len(s.Fields) {
		c.errorf(e, codeUnknown, "this is no vector")
		return intConst(check.Int, 0)
	}
	p := place{mode: fixedMode, t: s, seg: c.newSegment(s.Size(), e), n: e}
	var set []func()
	for i, a := range e.Args {
		fd := s.Fields[i]
		set = append(set, effect(c.store(p.field(fd.Type, fd.Offset, a), c.as(a, fd.Type))))
	}
	data := p.seg.data
	return val{t: s, s: func() []byte {
		for _, f := range set {
			f()
		}
		return data
	}}
}

// actions are the builtins that act on the run or read memory.
var actions = map[string]func(m *machine, e *syntax.CallExpr, args []val) val{
	"__threadfence": fence, "__threadfence_block": fence, "__threadfence_system": fence,
	"assert": func(m *machine, e *syntax.CallExpr, args []val) val {
		ok := truth(args[0])
		return intVal(check.Void, func() int64 {
			if !ok() {
				m.fail(e, codeAssert, "assertion failed")
			}
			return 0
		})
	},
	"abort": func(m *machine, e *syntax.CallExpr, _ []val) val {
		return intVal(check.Void, func() int64 { m.fail(e, codeAssert, "the program aborted"); return 0 })
	},
	"exit": func(m *machine, e *syntax.CallExpr, args []val) val {
		return intVal(check.Void, func() int64 {
			if status := args[0].i(); status != 0 {
				m.fail(e, codeAssert, "the program exited with status %d", status)
			}
			panic(exit{})
		})
	},
	"strlen": func(m *machine, e *syntax.CallExpr, args []val) val {
		return intVal(check.ULong, func() int64 { return int64(len(m.text(args[0].i(), -1, e))) })
	},
	"strcmp": func(m *machine, e *syntax.CallExpr, args []val) val {
		return intVal(check.Int, func() int64 {
			a := m.text(args[0].i(), -1, e)
			return int64(strings.Compare(a, m.text(args[1].i(), -1, e)))
		})
	},
	"atoi": func(m *machine, e *syntax.CallExpr, args []val) val {
		return intVal(check.Int, func() int64 { return atoi(m.text(args[0].i(), -1, e)) })
	},
	"atof": func(m *machine, e *syntax.CallExpr, args []val) val {
		return floatVal(check.Double, func() float64 { return atof(m.text(args[0].i(), -1, e)) })
	},
}

// fence does nothing: there is one thread.
func fence(*machine, *syntax.CallExpr, []val) val {
	return intVal(check.Void, func() int64 { return 0 })
}

// text returns the string that p points to, up to its zero or max bytes.
func (m *machine) text(p int64, max int, n syntax.Node) string {
	m.at(p, 0, 1, false, n)
	id, off := uint64(p)>>offsetBits, offsetOf(p)
	if id == 0 || id >= uint64(len(m.segments)) || off < 0 || off > int64(len(m.segments[id].data)) {
		m.badPointer(p, 1, 1, n)
	}
	b := m.segments[id].data[off:]
	for i, ch := range b {
		if ch == 0 || i == max {
			return string(b[:i])
		}
	}
	if max < 0 || len(b) < max {
		m.fail(n, codePointer, "this string has no end within its object")
	}
	return string(b)
}

// atoi reads the number at the start of s; as much of it as fits an int.
func atoi(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || n == 0 && (s[0] == '-' || s[0] == '+')) {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 32)
	if err != nil && v == 0 {
		return 0
	}
	return v
}

// atof reads the longest number at the start of s.
func atof(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	for n := min(len(s), 400); n > 0; n-- {
		if strings.Contains(s[:n], "_") {
			continue
		}
		if v, err := strconv.ParseFloat(s[:n], 64); err == nil || v != 0 {
			return v
		}
	}
	return 0
}
