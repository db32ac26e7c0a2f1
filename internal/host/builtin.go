package host

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/gogen/rt"
	"irgl/syntax"
)

// Handles of the standard streams.
const (
	stdoutHandle = 1
	stderrHandle = 2
)

// cudaSuccess is what every call of the CUDA runtime returns: an error ends the
// run, so that no program goes on past one it did not check.
const cudaSuccess = 0

// builtin compiles a call of a function of the C library or CUDA runtime.
func (f *frame) builtin(x *syntax.CallExpr, name string, ft *check.Func) eval {
	switch name {
	case "printf":
		return f.printf(x, 0)
	case "fprintf":
		return f.printf(x, 1)
	case "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaGetSymbolAddress":
		return f.symbolCall(x, name, ft)
	case "cudaLaunchCooperativeKernel":
		return f.cooperativeLaunch(x, ft)
	case "min", "max", "abs", "labs", "llabs":
		return f.generic(x, name, ft)
	}
	if b := check.LookupBuiltin(name); b != nil && b.Rule == check.CtorCall {
		return f.construct(x, ft)
	}
	args := f.args(x.Args, ft)
	if run := mathFunc(name, ft); run != nil {
		result := ft.Result
		return func(m *machine) uint64 {
			var v [3]float64
			for i, a := range args {
				v[i] = toFloat(a(m))
			}
			return round(result, run(v[0], v[1], v[2]))
		}
	}
	run := hostFuncs[name]
	if run == nil {
		f.p.refuse(x, CodeBuiltin, "host code cannot call %s here", name)
		return func(*machine) uint64 { return 0 }
	}
	return func(m *machine) uint64 {
		var v [4]uint64
		for i, a := range args[:min(len(args), 4)] {
			v[i] = a(m)
		}
		return run(m, x, v)
	}
}

// construct compiles dim3(a, b, c) and make_int2(a, b) and the like: a struct
// with the given fields. Those that dim3 is not given are 1.
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
	less := comparison("<", t)
	return func(m *machine) uint64 {
		l := a(m)
		r := b(m)
		if check.IsFloat(t) && toFloat(l) != toFloat(l) {
			return r
		}
		if less(r, l) == (name == "min") && l != r {
			return r
		}
		return l
	}
}

// mathFunc returns the math function of that name on floating arguments.
func mathFunc(name string, ft *check.Func) func(a, b, c float64) float64 {
	if ft == nil || !check.IsFloat(ft.Result) {
		return nil
	}
	base := name
	if ft.Result == check.Float && len(name) > 1 && name[len(name)-1] == 'f' && maths()[name] == nil {
		base = name[:len(name)-1]
	}
	return maths()[base]
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
		"fmin": of2(fmin), "fmax": of2(fmax), "fdim": of2(math.Dim), "fma": math.FMA,
	}
	addMaths(m)
	return m
})

// fmin and fmax return the number when the other is NaN.
func fmin(a, b float64) float64 {
	if a != a || b < a {
		return b
	}
	return a
}

func fmax(a, b float64) float64 {
	if a != a || b > a {
		return b
	}
	return a
}

// moveBytes is memcpy and memmove.
func moveBytes(m *machine, n syntax.Node, v [4]uint64) uint64 {
	copy(m.bytes(n, v[0], int64(v[2])), m.bytes(n, v[1], int64(v[2])))
	return v[0]
}

// hostFuncs are the builtins with scalar arguments.
var hostFuncs = map[string]func(m *machine, n syntax.Node, v [4]uint64) uint64{
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
		fail(n, errors.New("the program aborted"))
		return 0
	},
	"exit": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		fail(n, &exitError{int32(v[0])})
		return 0
	},
	"assert": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		if v[0] == 0 {
			fail(n, errors.New("assertion failed"))
		}
		return 0
	},
	"cudaMalloc": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		at, start := m.bytes(n, v[0], 8), m.rec.now()
		p, err := m.alloc(n, int64(v[1]))
		m.check(n, err)
		m.rec.copied("allocate", int64(v[1]), start)
		m.rec.allocated(p, int64(v[1]))
		m.allocated[p] = true
		store(at, uint64(p))
		return cudaSuccess
	},
	"cudaFree": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		if v[0] == 0 {
			return cudaSuccess
		}
		m.check(n, m.rec.freed(device.Ptr(v[0])))
		delete(m.allocated, device.Ptr(v[0]))
		return m.check(n, m.dev.Free(device.Ptr(v[0])))
	},
	"cudaMemcpy": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		return m.copy(n, v[0], v[1], int64(v[2]))
	},
	"cudaMemset": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		return m.fill(n, device.Ptr(v[0]), byte(v[1]), int64(v[2]))
	},
	"cudaDeviceSynchronize": func(m *machine, n syntax.Node, _ [4]uint64) uint64 {
		start := m.rec.now()
		err := m.wait()
		m.rec.copied("wait", 0, start)
		return m.check(n, err)
	},
	"cudaGetLastError":    func(*machine, syntax.Node, [4]uint64) uint64 { return cudaSuccess },
	"cudaPeekAtLastError": func(*machine, syntax.Node, [4]uint64) uint64 { return cudaSuccess },
	"cudaGetErrorString":  func(m *machine, _ syntax.Node, v [4]uint64) uint64 { return m.errorString(v[0]) },
	"cudaGetErrorName":    func(m *machine, _ syntax.Node, v [4]uint64) uint64 { return m.errorString(v[0]) },
	"cudaSetDevice":       func(*machine, syntax.Node, [4]uint64) uint64 { return cudaSuccess },
	"cudaGetDevice": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
		store(m.bytes(n, v[0], 4), 0)
		return cudaSuccess
	},
	"cudaDeviceGetAttribute":                        deviceAttribute,
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": maxActiveBlocks,
	"cudaOccupancyMaxActiveClusters":                maxActiveClusters,
	"cudaFuncSetAttribute":                          funcSetAttribute,
}

// check ends the run on a device's error: no error is left for the program to
// ignore.
func (m *machine) check(n syntax.Node, err error) uint64 {
	if err != nil {
		fail(n, err)
	}
	return cudaSuccess
}

func (m *machine) errorString(code uint64) uint64 {
	return m.mem.putString(fmt.Sprintf("error %d", code))
}

// copy is cudaMemcpy: the addresses say which side is where.
func (m *machine) copy(n syntax.Node, dst, src uint64, size int64) uint64 {
	if size == 0 {
		return cudaSuccess
	}
	to, from, start := device.Ptr(dst), device.Ptr(src), m.rec.now()
	switch toHost, fromHost := dst >= hostBase, src >= hostBase; {
	case toHost && fromHost:
		copy(m.bytes(n, dst, size), m.bytes(n, src, size))
	case toHost:
		b := m.bytes(n, dst, size)
		m.check(n, m.copyOut(b, from))
		m.rec.copied("copy from device", size, start)
		m.rec.seen(from, b)
	case fromHost:
		b := m.bytes(n, src, size)
		m.check(n, m.rec.overwrites(to, size))
		m.check(n, m.dev.CopyIn(to, b))
		m.rec.copied("copy to device", size, start)
		m.rec.seen(to, b)
	default:
		m.check(n, m.rec.overwrites(to, size))
		m.check(n, m.dev.Copy(to, from, size))
		m.rec.copied("copy on device", size, start)
	}
	return cudaSuccess
}

// fill is cudaMemset.
func (m *machine) fill(n syntax.Node, p device.Ptr, value byte, size int64) uint64 {
	start := m.rec.now()
	m.check(n, m.rec.overwrites(p, size))
	m.check(n, m.dev.Fill(p, value, size))
	m.rec.copied("fill", size, start)
	return m.check(n, m.rec.filled(p, value, size))
}

// symbolCall compiles the three functions that take a device variable.
func (f *frame) symbolCall(x *syntax.CallExpr, name string, ft *check.Func) eval {
	at := 0
	if name != "cudaMemcpyToSymbol" {
		at = 1
	}
	symbol := ""
	var args []eval
	for i, a := range x.Args {
		if i == at {
			arg := syntax.Unparen(a)
			if u, ok := arg.(*syntax.UnaryExpr); ok && u.Op == "&" {
				arg = syntax.Unparen(u.X)
			}
			if id, ok := arg.(*syntax.Ident); ok {
				symbol = id.Name
			}
			args = append(args, func(*machine) uint64 { return 0 })
			continue
		}
		if ft != nil && i < len(ft.Params) {
			args = append(args, f.converted(a, ft.Params[i]))
		} else {
			args = append(args, f.expr(a))
		}
	}
	if symbol == "" {
		f.p.refuse(x, CodeBuiltin, "%s needs the name of a device variable", name)
		return func(*machine) uint64 { return 0 }
	}
	return func(m *machine) uint64 {
		p, _, err := m.module.Global(symbol)
		m.check(x, err)
		other := args[1-at](m)
		if name == "cudaGetSymbolAddress" {
			store(m.bytes(x, other, 8), uint64(p))
			return cudaSuccess
		}
		size, offset := int64(args[2](m)), uint64(0)
		if len(args) > 3 {
			offset = args[3](m)
		}
		if name == "cudaMemcpyToSymbol" {
			return m.copy(x, uint64(p)+offset, other, size)
		}
		return m.copy(x, other, uint64(p)+offset, size)
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

// printArg returns a value as the formatter takes it: a sized integer, a
// float64, or the string that a char pointer points to.
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

// alloc is cudaMalloc. To say where it stands takes longer than to hand out memory
// that waits.
func (m *machine) alloc(n syntax.Node, size int64) (device.Ptr, error) {
	if p, ok := m.dev.(*pool); ok {
		if ptr, ok := p.take(size); ok {
			return ptr, nil
		}
	}
	return m.dev.Alloc(fmt.Sprintf("cudaMalloc at %s", n.Pos()), size)
}

// wait is cudaDeviceSynchronize.
func (m *machine) wait() error {
	if err := m.span.mark(); err != nil {
		return err
	}
	return m.dev.Sync(m.ctx)
}

// copyOut copies from the device, unless the run's context ends before the kernels
// that the copy waits for.
func (m *machine) copyOut(to []byte, from device.Ptr) error {
	if err := m.span.mark(); err != nil {
		return err
	}
	dev := m.dev
	if p, ok := dev.(*pool); ok {
		dev = p.Device
	}
	if d, ok := dev.(device.Waiting); ok {
		return d.CopyOutContext(m.ctx, to, from)
	}
	return dev.CopyOut(to, from)
}
