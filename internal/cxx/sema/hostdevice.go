package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
)

// A side is where a function runs, or where a call comes from.
type side uint8

const (
	hostSide side = iota
	deviceOnly
	bothSides
	kernelSide
)

func (s side) String() string {
	return [...]string{"__host__", "__device__", "__host__ __device__", "__global__"}[s]
}

// sideOf returns where a function runs, as seen from the side that is analysed: where that is
// the host, its functions are to the analysis what those of the device are otherwise.
func (c *checker) sideOf(f *function) side {
	s := declaredSide(f)
	if c.opts.Host {
		switch s {
		case hostSide:
			return deviceOnly
		case deviceOnly:
			return hostSide
		}
	}
	return s
}

// declaredSide returns where a function runs. Functions without attributes are the host's, but
// constexpr functions, lambdas and what the compiler declares run on both sides.
func declaredSide(f *function) side {
	switch {
	case f.has(ast.Global):
		return kernelSide
	case f.has(ast.Device) && f.has(ast.Host):
		return bothSides
	case f.has(ast.Device):
		return deviceOnly
	case f.has(ast.Host):
		if f.has(ast.Constexpr) {
			return bothSides
		}
		return hostSide
	case f.has(ast.Constexpr), f.implicit, f.lambda != nil, f.defaulted, f.deleted:
		return bothSides
	}
	if f.inherited != nil {
		return declaredSide(f.inherited)
	}
	return hostSide
}

// caller returns where the present code runs.
func (e *env) caller() side {
	if e.host {
		return hostSide
	}
	for b := e.body; b != nil; {
		if b.fn != nil && b.fn.lambda == nil {
			return e.sideOf(b.fn)
		}
		if b.fn != nil && b.fn.has(ast.Device) { // an extended lambda
			return deviceOnly
		}
		if b.outer == nil {
			break
		}
		b = b.outer.body
	}
	return deviceOnly
}

// A preference orders candidates that convert equally well by where they run, as gpucc's
// Table 1 has it.
type preference uint8

const (
	never preference = iota
	wrongSide
	hostDevice
	sameSide
	native
)

// preference returns how well a function suits the present code.
func (e *env) preference(f *function) preference {
	to := e.sideOf(f)
	from := e.caller()
	if from == kernelSide {
		from = deviceOnly
	}
	switch {
	case to == kernelSide:
		if from == hostSide || e.opts.Host {
			return native
		}
		return never
	case from == to && from != bothSides:
		return native
	case to == bothSides:
		if from == bothSides {
			return native
		}
		return hostDevice
	case from == bothSides && to == deviceOnly: // what is analysed runs on the device
		return sameSide
	}
	return wrongSide
}

// checkCallee reports a call that cannot be made from here.
func (e *env) checkCallee(at ast.Span, f *function) {
	if e.unevaluated || e.host || e.body == nil && e.this == nil {
		return
	}
	if e.body != nil {
		f.request(at, e.body.fn)
	}
	if f.specialised != nil {
		e.checkSpecialised(f.specialised, f.name, at)
	}
	if f.special != notSpecial && (f.implicit || f.trivial()) {
		return
	}
	if f.attrs != nil && f.attrs.Builtin != "" {
		return
	}
	from := e.caller()
	if from == hostSide {
		return
	}
	switch to := e.sideOf(f); to {
	case hostSide:
		if e.capturing > 0 {
			return
		}
		name := ""
		if e.body != nil && e.body.fn != nil {
			name = " in " + e.nameOfSide(from) + " function"
		}
		d := e.errorf(at, codeHostCall, "reference to %s function '%s'%s", e.nameOfSide(hostSide), f.title(), name)
		e.note(d, f.at, "'"+f.title()+"' declared here")
		d.Hint = "declare it __device__ or __host__ __device__"
		if e.opts.Host {
			d.Hint = "declare it __host__ __device__"
		}
	case kernelSide:
		if e.launching || e.opts.Host { // callFunction reports calls; the address is of the host's stub
			return
		}
		d := e.errorf(at, codeHostCall, "reference to __global__ function '%s' in %s function", f.name, e.nameOfSide(from))
		e.note(d, f.at, "'"+f.title()+"' declared here")
		d.Hint = "kernels are launched with <<<...>>>"
	}
	if f.attrs != nil && f.attrs.Deprecated != "" {
		e.warnDeprecated(at, f.title(), f.attrs.Deprecated)
	}
}

func (e *env) warnDeprecated(at ast.Node, name, text string) {
	if text == "-" {
		e.warnf(at, codeDeprecated, "'%s' is deprecated", name)
		return
	}
	e.warnf(at, codeDeprecated, "'%s' is deprecated: %s", name, text)
}

// sidesDiffer reports whether two functions of one signature are two functions: one of
// the host and one of the device.
func (c *checker) sidesDiffer(a, b *function) bool {
	x, y := c.sideOf(a), c.sideOf(b)
	return x == hostSide && y == deviceOnly || x == deviceOnly && y == hostSide
}

// checkVariable reports the use of a host's variable by device code.
func (e *env) checkVariable(v *variable, at ast.Span) bool {
	if v.failed {
		return false
	}
	h := v.hir
	if h.Builtin != "" || h.Space != hir.Local || h.Const != nil && (!v.typ.IsClass() || v.specs.Has(ast.Constexpr) || isStateless(v.typ)) {
		return true
	}
	if e.folding && v.typ.IsConst() && v.typ.IsFloat() && v.init() != nil {
		e.constantObject(v)
		return true
	}
	if e.unevaluated || e.host || e.body == nil {
		return true
	}
	if v.specs.Has(ast.Constexpr) {
		return !v.failed
	}
	if v.typ.IsConst() && !v.typ.IsVolatile() && v.init() != nil && e.constantObject(v) {
		return true
	}
	d := e.errorf(at, codeHostVar, "reference to __host__ variable '%s' in %s function", v.name, e.caller())
	e.note(d, v.at, "host variable declared here")
	d.Hint = "declare it __device__, __constant__ or constexpr"
	return false
}

// constantObject gives a const variable of the host that has a constant value a place in
// device memory, as clang does. Its initialiser may read const variables of floating type,
// which C++ does not take for constants.
func (e *env) constantObject(v *variable) bool {
	if v.valued == done && v.hir.Value != nil {
		return true
	}
	if v.typ.Unref() != v.typ || v.folding {
		return false
	}
	v.folding = true
	defer func() { v.folding = false }()
	sub := e.initEnv(v)
	sub.folding = true
	var k *hir.Const
	if e.try(func() {
		if x := sub.initializer(v.typ, v.init(), v.at, "variable"); x != nil && !isBad(x) {
			k, _ = sub.evaluate(x, v.typ)
		}
	}) != nil || k == nil {
		return false
	}
	v.hir.Value, v.hir.Space = k, hir.Device
	if v.typ.IsFloat() {
		v.hir.Const = k
	}
	return true
}

// checkReferences refuses parameters of a kernel that are rvalue references, as nvcc does, and
// those that are references without being declared as such: the host's half passes the address of
// an object only where it sees that a parameter is one.
func (c *checker) checkReferences(f *function) bool {
	for i, t := range f.params {
		if !t.IsRef() {
			continue
		}
		what := "rvalue reference"
		if p := f.paramAt(i); p != nil && !isPack(p) {
			if ref, ok := p.Type.(*ast.RefType); ok && !ref.RValue {
				continue
			} else if !ok {
				what = "reference"
			}
		}
		c.errorf(f.at, codeKernel, "kernel function '%s' cannot have a parameter of %s type", f.name, what).Hint = "pass a value or a pointer"
		return false
	}
	return true
}

// roots returns the kernels that are analysed: those that are no templates, explicit
// instantiations, and the instances that launches and the options name.
func (c *checker) roots() []*function {
	if c.opts.Host {
		return c.hostRoots()
	}
	var out []*function
	add := func(f *function) {
		if f == nil || f.bad || f.tmpl != nil || !f.has(ast.Global) {
			return
		}
		if f.of == nil && f.def == nil {
			return // a kernel of another file, which host code may launch
		}
		if f.root || !c.checkReferences(f) {
			return
		}
		f.root = true
		out = append(out, f)
	}
	for _, set := range c.kernels {
		c.resolveSet(set)
		for _, f := range set.funcs {
			if f.def != nil && f.def.Body != nil {
				add(f)
			}
		}
	}
	for _, x := range c.explicits {
		if _, isClass := x.decl.Decl.(*ast.ClassDecl); !isClass { // kernels are no members
			for _, f := range c.instantiated(x) {
				add(f)
			}
		}
	}
	for _, b := range c.bodies {
		if b.decl.Body.Host == nil {
			continue
		}
		for _, l := range b.decl.Body.Launches() {
			for _, f := range c.launched(b, l) {
				f.request(spanOf(l.Fun), nil)
				add(f)
			}
		}
	}
	c.warnTemplateLaunches(out)
	if !c.nameClosures() {
		return out
	}
	for _, text := range c.opts.Instances {
		f := c.named(text)
		if symbol := c.opts.Symbols[text]; symbol != "" && f != nil {
			c.hirFunc(f).Symbol = symbol
		}
		add(f)
	}
	return out
}
