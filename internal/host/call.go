package host

import (
	"fmt"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/syntax"
)

// call compiles a call of a function or builtin.
func (f *frame) call(x *syntax.CallExpr) eval {
	id, ok := syntax.Unparen(x.Fun).(*syntax.Ident)
	if !ok {
		f.p.refuse(x, CodeNoBody, "host code cannot call through a pointer")
		return func(*machine) uint64 { return 0 }
	}
	ft, _ := f.typ(x.Fun).(*check.Func)
	if ft == nil {
		ft, _ = f.typ(id).(*check.Func)
	}
	obj := f.p.info.Uses[id]
	switch {
	case obj != nil && obj.Kind == check.BuiltinObj:
		return f.builtin(x, id.Name, ft)
	case obj != nil && obj.Kind == check.TypeObj && ft != nil: // dim3
		return f.construct(x, ft)
	}
	if ft == nil {
		f.p.refuse(x, CodeNoBody, "host code cannot call %s", id.Name)
		return func(*machine) uint64 { return 0 }
	}
	args := f.args(x.Args, ft)
	p, name := f.p, id.Name
	fn := p.funcs[name]
	if fn == nil {
		f.p.refuse(x, CodeNoBody, "%s has no body that runs on the host", name)
		return func(*machine) uint64 { return 0 }
	}
	invoke := func(m *machine) uint64 {
		base := len(m.args)
		for _, a := range args {
			v := a(m)
			m.args = append(m.args, v)
		}
		values := m.args[base:]
		var result uint64
		if r := p.replaced[name]; r != nil {
			result = r(m, values)
		} else {
			result = m.call(x, fn, values)
		}
		m.args = m.args[:base]
		return result
	}
	if !isAggregate(ft.Result) {
		return invoke
	}
	s := f.alloc(ft.Result)
	return func(m *machine) uint64 {
		invoke(m)
		at := address(stackSegment, m.fp+s.offset)
		copy(m.bytes(x, at, ft.Result.Size()), m.returned)
		return at
	}
}

// args compiles arguments with their conversion to the parameters' types; a
// variadic argument gets the default promotions.
func (f *frame) args(list []syntax.Expr, ft *check.Func) []eval {
	out := make([]eval, len(list))
	for i, a := range list {
		if ft != nil && i < len(ft.Params) {
			out[i] = f.converted(a, ft.Params[i])
		} else {
			out[i] = f.converted(a, promoted(f.typ(a)))
		}
	}
	return out
}

// promoted returns the type of a variadic argument of type t after default promotion.
func promoted(t check.Type) check.Type {
	if t == check.Float {
		return check.Double
	}
	return check.Promote(check.Decay(t))
}

// dim3Of compiles the conversion of an integer to a dim3: (v, 1, 1).
func (f *frame) dim3Of(n syntax.Node, v eval) eval {
	s := f.alloc(check.Dim3())
	return func(m *machine) uint64 {
		at := address(stackSegment, m.fp+s.offset)
		b := m.bytes(n, at, 12)
		store(b[0:4], v(m))
		store(b[4:8], 1)
		store(b[8:12], 1)
		return at
	}
}

// launch compiles kernel<<<grid, block, shared, stream>>>(args).
func (f *frame) launch(x *syntax.LaunchExpr) eval {
	id, ok := syntax.Unparen(x.Fun).(*syntax.Ident)
	if !ok {
		f.p.refuse(x, CodeNoBody, "host code launches kernels by name only")
		return func(*machine) uint64 { return 0 }
	}
	ft, _ := f.typ(x.Fun).(*check.Func)
	if ft == nil {
		f.p.refuse(x, CodeNoBody, "%s is not a kernel", id.Name)
		return func(*machine) uint64 { return 0 }
	}
	grid, block := f.converted(x.Grid, check.Dim3()), f.converted(x.Block, check.Dim3())
	shared := eval(func(*machine) uint64 { return 0 })
	if x.Shared != nil {
		shared = f.converted(x.Shared, check.UInt)
	}
	args := f.args(x.Args, ft)
	k := newKernelLayout(id.Name, ft)
	return func(m *machine) uint64 {
		l := device.Launch{Grid: m.dim3(x, grid(m)), Block: m.dim3(x, block(m)), Shared: uint32(shared(m)), Params: make([]byte, k.size)}
		for i, t := range k.types {
			b := l.Params[k.offsets[i] : k.offsets[i]+t.Size()]
			v := args[i](m)
			if isAggregate(t) {
				copy(b, m.bytes(x, v, t.Size()))
			} else {
				encode(t, b, v)
			}
		}
		m.launch(x, k, l)
		return 0
	}
}

func (m *machine) dim3(n syntax.Node, at uint64) device.Dim3 {
	b := m.bytes(n, at, 12)
	return device.Dim3{X: uint32(load(b[0:4])), Y: uint32(load(b[4:8])), Z: uint32(load(b[8:12]))}
}

func (m *machine) kernel(name string) (device.Kernel, error) {
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	k, err := m.module.Kernel(name)
	if err != nil {
		return nil, fmt.Errorf("%w; PTX that is given must be built with the switches of the run, such as --outline", err)
	}
	m.kernels[name] = k
	return k, nil
}
