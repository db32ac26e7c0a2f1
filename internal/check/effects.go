package check

import (
	"slices"

	"irgl/syntax"
)

// A useMode says what is done with a variable's memory.
type useMode uint8

const (
	useRead useMode = 1 << iota
	useWrite
	// useEscape is the taking of an address: a write may happen later and
	// elsewhere, so the place itself breaks no rule about writing.
	useEscape
)

// mark records an access of a variable or property in the function's read and
// write sets, and checks the rules about where one may write.
func (c *checker) mark(n syntax.Node, o *Object, mode useMode) {
	if c.fn == nil || c.unevaluated > 0 {
		return
	}
	if o.Kind != PropObj && !(o.Kind == VarObj && o.Global) {
		if mode&useWrite != 0 && mode&useEscape == 0 {
			c.outerLocal(n, o)
		}
		return
	}
	if mode&useWrite != 0 && mode&useEscape == 0 {
		c.memoryWrite(n)
	}
	if mode&useEscape != 0 && c.irgl {
		c.deviceAddress(n, o)
	}
	fresh := mode &^ c.fn.marks[o]
	c.fn.marks[o] |= mode
	if fresh&useRead != 0 {
		c.fn.Reads = append(c.fn.Reads, o)
	}
	if fresh&useWrite != 0 {
		c.fn.Writes = append(c.fn.Writes, o)
	}
}

// deviceAddress checks that an address of device memory is taken on the
// device; it ties a plain function to it.
func (c *checker) deviceAddress(n syntax.Node, o *Object) {
	switch c.fn.decl.Kind {
	case syntax.HostFunc:
		c.errorf(n, codeSideVar, "%s lives on the device, so a Host function cannot take its address", o.Name).Hint =
			"read and write it by its name, or do it in a Kernel"
	case syntax.PlainFunc:
		c.fn.tie(n, false, true)
	}
}

// write records that the place x of expression e is written.
func (c *checker) write(e syntax.Expr, x operand, mode useMode) {
	if x.root != nil {
		c.mark(e, x.root, mode)
	} else if c.unevaluated == 0 {
		c.memoryWrite(e) // through a pointer
	}
}

// memoryWrite checks that memory may be written at this place of a kernel.
func (c *checker) memoryWrite(n syntax.Node) {
	if c.fn != nil && c.fn.outside() {
		c.errorf(n, codeOuterWrite, "memory is written outside the kernel's ForAll, where every thread does it").Hint =
			"write a kernel of its own for it"
	}
}

// outerLocal warns about a local of an outer scope that a ForAll assigns.
func (c *checker) outerLocal(n syntax.Node, o *Object) {
	f := c.fn
	if f.forAlls <= f.depths[o] || f.warned[o] {
		return
	}
	f.warned[o] = true
	d := c.warnf(n, codeOuterLocal, "%s is declared outside this ForAll, whose iterations may run in parallel", o.Name)
	if f.depths[o] == 0 {
		d.Hint = "each thread has its own " + o.Name + "; use a property, or a global and an atomic, to share a value"
	} else {
		d.Hint = "write for in place of ForAll to go through the edges one after another"
	}
}

// sideVar checks that a global variable may be used on the current side. In
// .irgl files every global can be used everywhere.
func (c *checker) sideVar(n syntax.Node, o *Object) {
	if c.fn == nil || c.irgl || !o.Global || c.unevaluated > 0 || c.symbols > 0 {
		return
	}
	const device = syntax.Device | syntax.Constant | syntax.Shared
	switch a := o.Attrs; {
	case a.Has(syntax.Managed):
	case a&device != 0:
		if !c.fn.Device {
			d := c.errorf(n, codeSideVar, "%s lives on the device and cannot be used in host code", o.Name)
			d.Hint = "copy it with cudaMemcpyFromSymbol or cudaMemcpyToSymbol"
			if a.Has(syntax.Shared) {
				d.Hint = "each block has its own; let the kernel copy it to global memory"
			}
			noteDecl(d, o, "declared here")
		}
	case c.fn.Device && !(o.ReadOnly && o.Const != nil):
		if c.fn.Host {
			return // nvcc leaves such a function to its callers
		}
		d := c.errorf(n, codeSideVar, "%s lives on the host and cannot be used in device code", o.Name)
		d.Hint = "declare it __device__"
		noteDecl(d, o, "declared here")
	}
}

// callGraph spreads what functions do over their callers, and checks the
// rules that depend on it.
func (c *checker) callGraph() {
	for changed := true; changed; {
		changed = false
		for _, f := range c.info.Funcs {
			for _, g := range f.Calls {
				if c.absorb(f, g) {
					changed = true
				}
			}
		}
	}
	c.recursion()
	for _, f := range c.info.Funcs {
		if fn := c.bodyOf[f]; fn != nil {
			c.checkSites(fn)
		}
	}
}

// absorb adds the effects of callee g to f.
func (c *checker) absorb(f, g *FuncInfo) bool {
	changed := false
	add := func(to *[]*Object, from []*Object) {
		for _, o := range from {
			if !slices.Contains(*to, o) {
				*to = append(*to, o)
				changed = true
			}
		}
	}
	add(&f.Reads, g.Reads)
	add(&f.Writes, g.Writes)
	for _, d := range g.Adds {
		if !slices.Contains(f.Adds, d) {
			f.Adds = append(f.Adds, d)
			changed = true
		}
	}
	if c.irgl && f.Decl.Kind == syntax.PlainFunc && g.Decl.Kind == syntax.PlainFunc {
		if f.Host && !g.Host || f.Device && !g.Device {
			f.Host, f.Device = f.Host && g.Host, f.Device && g.Device
			changed = true
		}
	}
	return changed
}

// checkSites checks the calls of one function, now that it is known what
// their targets do.
func (c *checker) checkSites(fn *function) {
	for _, s := range fn.sites {
		g := s.callee
		if g.Decl.Body == nil && g.Object.Attrs&syntax.Extern == 0 {
			if _, launch := s.node.(*syntax.LaunchExpr); launch && fn.Device {
				continue // another file defines the kernel
			}
			report := c.errorf
			if !c.irgl && !fn.Device {
				report = c.warnf
			}
			noteDecl(report(s.node, codeNoBody, "%s is declared but has no body", g.Object.Name), g.Object, "declared here")
		}
		if !c.irgl || g.Decl.Kind != syntax.PlainFunc {
			continue
		}
		side := ""
		switch {
		case fn.decl.Kind == syntax.HostFunc && !g.Host:
			side = "device"
		case fn.decl.Kind == syntax.KernelFunc && !g.Device:
			side = "host"
		default:
			continue
		}
		c.errorf(s.node, codeSideCall, "%s uses what only the %s has and cannot be called from %s", g.Object.Name, side,
			map[syntax.FuncKind]string{syntax.HostFunc: "a Host function", syntax.KernelFunc: "a Kernel"}[fn.decl.Kind])
	}
	for _, s := range fn.outer {
		if len(s.callee.Writes) > 0 {
			c.errorf(s.node, codeOuterWrite, "%s writes memory and is called outside the kernel's ForAll, where every thread does it", s.callee.Object.Name).Hint =
				"write a kernel of its own for it"
		}
	}
}

// recursion marks functions that can reach themselves, and refuses them in
// operator code: a GPU thread has little stack, and lower inlines. A function
// is not operator code when host functions call it and kernels do not.
func (c *checker) recursion() {
	kernels, hosts := c.reachable(syntax.KernelFunc), c.reachable(syntax.HostFunc)
	for _, f := range c.info.Funcs {
		seen := map[*FuncInfo]bool{}
		work := slices.Clone(f.Calls)
		for len(work) > 0 {
			g := work[len(work)-1]
			work = work[:len(work)-1]
			if g == f {
				f.Recursive = true
				break
			}
			if !seen[g] {
				seen[g] = true
				work = append(work, g.Calls...)
			}
		}
		if f.Recursive && c.irgl && f.Decl.Kind == syntax.PlainFunc && (kernels[f] || !hosts[f]) {
			c.errorf(f.Decl.Name, codeRecursion, "%s calls itself, directly or through other functions", f.Object.Name).Hint =
				"operator code cannot recur: write a loop"
		}
	}
}

// reachable returns the functions that those of a kind call, directly or
// through others.
func (c *checker) reachable(kind syntax.FuncKind) map[*FuncInfo]bool {
	seen := map[*FuncInfo]bool{}
	var work []*FuncInfo
	for _, f := range c.info.Funcs {
		if f.Decl.Kind == kind {
			work = append(work, f.Calls...)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[f] {
			seen[f] = true
			work = append(work, f.Calls...)
		}
	}
	return seen
}
