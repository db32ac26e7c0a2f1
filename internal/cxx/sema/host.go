package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
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
func (e *env) checkLaunched(at ast.Span, f *function) {
	if e.opts.Host && !e.launching && f.has(ast.Global) {
		d := e.errorf(at, codeHostCall, "a call to a kernel function must be configured")
		d.Hint = "kernels are launched with <<<...>>>"
	}
}

// computeInitial notes that a variable's initial value is computed when the program runs: of one
// of the file in front of main, of a static one of a function when control first reaches it.
func (c *checker) computeInitial(e *env, v *variable, x hir.Expr) {
	in := &hir.Init{Span: v.at, X: &hir.VarRef{Info: hir.Info{Span: v.at, T: v.typ.Unref(), Cat: hir.LValue}, Var: v.hir}, Y: x}
	if v.owner != nil {
		v.once = in
		return
	}
	c.computed = append(c.computed, in)
}

// initOnce adds the initialisation of a static variable of a function, whose value is computed.
func (e *env) initOnce(v *variable) {
	if v.once == nil {
		return
	}
	at, boolean := v.at, e.types.Basic(types.Bool)
	flag := &hir.Var{Span: at, Name: v.name + "_set", Symbol: v.hir.Symbol + "_set", Type: boolean, Static: true, Space: hir.Device}
	e.body.add(&hir.VarStmt{Span: at, Vars: []*hir.Var{flag}})
	e.body.add(&hir.If{Span: at,
		Cond: &hir.Unary{Info: rvalueInfo(at, boolean), Op: hir.Not, X: e.load(e.ref(flag, at))},
		Then: &hir.Block{Span: at, Stmts: []hir.Stmt{
			v.once,
			&hir.ExprStmt{Span: at, X: e.assign(at, e.ref(flag, at), hir.NoOp, &hir.ConstExpr{Info: rvalueInfo(at, boolean), Value: hir.Const{Int: 1}})},
		}},
	})
}

// initialised adds the variables of the program that have initialisers, in their order: what
// computes their values may do more.
func (k *collector) initialised() {
	for _, v := range k.variables {
		if v.specs&(memory|ast.Constexpr) != 0 || v.external && v.def == nil || v.tmpl != nil {
			continue
		}
		if k.variableType(v).IsValid() && !v.failed && !isTexture(v.typ) && (v.init() != nil || v.typ.Element().IsClass()) {
			k.variable(v.hir)
		}
	}
}

// computeInitials puts what computes initial values in front of main's call.
func (k *collector) computeInitials(roots []*function) {
	if len(roots) == 0 || roots[0].hir.Body == nil {
		return
	}
	for n := 0; n < len(k.computed); n++ {
		k.stmt(k.computed[n])
		k.drain()
	}
	var list []hir.Stmt
	for _, in := range k.computed {
		list = append(list, in)
	}
	b := roots[0].hir.Body
	b.Stmts = append(list, b.Stmts...)
}
