package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
)

// This file has what is different where the host's side of a program is analysed
// ([Options.Host]).

// hostRoots returns the entry of the host's program.
func (c *checker) hostRoots() []*function {
	for _, set := range c.kernels {
		if set.name != c.opts.Entry {
			continue
		}
		c.resolveSet(set)
		return set.funcs
	}
	return nil
}

// nameOfSide returns what messages call a side.
func (c *checker) nameOfSide(s side) string {
	if c.opts.Host {
		switch s {
		case hostSide:
			s = deviceOnly
		case deviceOnly:
			s = hostSide
		}
	}
	return s.String()
}

// hostMemory gives a variable of the file memory of the host: those of the device are
// what stands for them there.
func (c *checker) hostMemory(v *variable) {
	if v.hir.Space == hir.Managed {
		d := c.errorf(v.at, codeRefused, "__managed__ variables are not supported in device code")
		d.Hint = "use cudaMallocManaged, or install g++ or clang++"
	}
	v.hir.Space = hir.Device
}

// machines reports whether a function without a body is the machine's: one of the C library
// or of the CUDA runtime.
func (k *collector) machines(f *function) bool {
	h := f.hir
	return h.Symbol == f.name && f.class == nil && k.opts.Machine != nil && k.opts.Machine(f.name)
}

// addressed reports a function of the machine that is not called by its name.
func (k *collector) addressed(r *hir.FuncRef) {
	if f := functionOf(r.Func); k.opts.Host && f != nil && f.def == nil && k.machines(f) {
		d := k.errorf(r, codeUndefined, "the address of '%s' is not known in device code", r.Func.Name)
		d.Hint = "take the address of a function of the program that calls it"
	}
}

// undefinedHost reports a function of the host that has no body.
func (k *collector) undefinedHost(f *function) {
	d := k.errorf(f.at, codeUndefined, "function '%s' has no definition in this translation unit, which host code that irgl evaluates needs", k.fullName(f))
	d.Hint = "host code of several files and of libraries needs g++ or clang++"
}

// checkLaunched reports a kernel that host code calls as a function.
func (e *env) checkLaunched(at ast.Node, f *function) {
	if e.opts.Host && !e.launching && f.has(ast.Global) {
		d := e.errorf(at, codeHostCall, "a call to a kernel function must be configured")
		d.Hint = "kernels are launched with <<<...>>>"
	}
}
