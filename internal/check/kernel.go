package check

import (
	"slices"

	"irgl/internal/plan"
	"irgl/syntax"
)

// This file checks the constructs of Kernels (IrGL paper, section 3.2 and
// Table 3): worklists, ForAll, ReduceAndReturn, and parameters whose types
// their invocations give.

// An inference collects the types that invocations give a parameter.
type inference struct {
	kernel *syntax.FuncDecl
	typ    Type
	world  syntax.Node // an argument that was the graph or the mesh
	clash  bool
}

// inferParams gives the parameters without a type the common type of the
// arguments that invocations pass.
func (c *checker) inferParams() {
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.FuncDecl)
		if !ok || d == nil || d.Kind != syntax.KernelFunc {
			continue
		}
		f := c.funcs[d]
		for i, p := range d.Params {
			inf := c.inferred[p]
			if inf == nil || i >= len(f.Params) {
				continue
			}
			o := f.Params[i]
			switch {
			case inf.world != nil:
				w := c.worldOf(inf.world)
				c.errorf(p, codeGraphParam, "the parameter %s takes %s and must have its name", o.Name, describe(w.Type)).Hint = "call it " + w.Name
			case inf.typ == nil && c.graph == nil && c.mesh == nil:
				c.errorf(p, codeInfer, "the type of %s is not known: nothing invokes %s", o.Name, nameOf(d.Name)).Hint =
					"write its type before it; a graph needs a declaration: Graph " + o.Name + " { }"
			case inf.typ == nil:
				c.errorf(p, codeInfer, "the type of %s is not known: nothing invokes %s", o.Name, nameOf(d.Name)).Hint = "write its type before it"
			default:
				o.Type = inf.typ
				f.Type.Params[i] = inf.typ
			}
		}
	}
}

// infer notes the argument of one invocation for a parameter without a type.
func (c *checker) infer(inf *inference, e syntax.Expr, x operand, name string) {
	t := Decay(x.typ)
	switch {
	case t == Invalid:
		if inf.typ == nil {
			inf.typ = Invalid
		}
		return
	case t == GraphType || t == MeshType:
		inf.world = e
		return
	}
	if b, ok := t.(Basic); !ok || !isHandleType(b) {
		t = Promote(t)
	}
	switch {
	case inf.typ == nil || inf.typ == Invalid || Identical(inf.typ, t):
		inf.typ = t
	case IsArithmetic(inf.typ) && IsArithmetic(t):
		inf.typ = UsualArithmetic(inf.typ, t)
	case !inf.clash:
		inf.clash = true
		c.errorf(e, codeInfer, "%s is %s in this invocation and %s in another", name, describe(t), describe(inf.typ)).Hint = "write its type in the Kernel"
	}
}

// useWorklist records and checks a use of WL.
func (c *checker) useWorklist(e syntax.Node) {
	if c.fn == nil || c.fn.decl.Kind != syntax.KernelFunc {
		if c.hostSize {
			return
		}
		d := c.errorf(e, codeKernelOnly, "WL is the worklist of a Kernel and cannot be used in %s", c.whereName())
		if c.fn != nil && c.fn.decl.Kind == syntax.HostFunc {
			d.Hint = "put items into a worklist with Initial [ ... ]"
		}
		return
	}
	c.fn.UsesWL = true
}

// whereName is sideName for constructs that have one place to be.
func (c *checker) whereName() string {
	if c.fn != nil && c.fn.decl.Kind == syntax.PlainFunc {
		return "a function"
	}
	return c.sideName()
}

// worklistCall records WL.pop and WL.push.
func (c *checker) worklistCall(e *syntax.CallExpr, name string) {
	if c.fn == nil {
		return
	}
	switch name {
	case "pop":
		c.fn.Pops = true
	case "push":
		c.fn.Pushes = true
		c.memoryWrite(e)
		for _, a := range e.Args {
			c.edgeItem(a)
		}
	}
}

// edgeItem notes that an item of a worklist is an edge, which must be less than
// 2^31, and warns about other numbers of 64 bits.
func (c *checker) edgeItem(e syntax.Expr) {
	m, ok := syntax.Unparen(e).(*syntax.MemberExpr)
	number := ok && m.Name != nil && m.Name.Name == "id" && c.info.Types[m.X] == Edge
	t := c.info.Types[e]
	c.info.Needs.EdgeItems = c.info.Needs.EdgeItems || number || t == Edge
	if number || t == nil || t == Edge || !IsInteger(t) || t.Size() <= 4 {
		return
	}
	if k := c.info.Consts[e]; k == nil || k.Int != int64(int32(k.Int)) {
		c.warnf(e, codeItem, "a worklist holds 32-bit numbers: %s is cut to one", describe(t)).Hint = "write (int) before it where that is meant"
	}
}

// steadyBounds refuses a range of ints for the outermost ForAll of a kernel
// whose bounds are read from memory that the kernel writes: all threads evaluate
// them, at different times, and must come to the same.
func (c *checker) steadyBounds(f *FuncInfo, iter syntax.Expr) {
	refuse := func(n syntax.Node, o *Object) {
		c.errorf(n, codeRangeBound, "a bound of this range is read from %s, which the kernel writes", o.Name).Hint =
			"pass the bound as an argument of the kernel"
	}
	syntax.Inspect(iter, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok || id == nil {
			return true
		}
		o := c.info.Uses[id]
		switch {
		case o == nil:
		case slices.Contains(f.Writes, o):
			refuse(id, o)
		case o.Func != nil:
			for _, r := range o.Func.Reads {
				if slices.Contains(f.Writes, r) {
					refuse(id, r)
					break
				}
			}
		}
		return true
	})
}

// forAll checks a ForAll, or a for over nodes, edges or the worklist. The
// variable is the iteration's own and read-only: assigning to it would not
// move a parallel loop on.
func (c *checker) forAll(s *syntax.ForAllStmt) {
	x := c.rvalue(s.Iter)
	kernel := c.fn.decl.Kind == syntax.KernelFunc
	var t Type = Invalid
	switch x.typ {
	case Worklist:
		t = Int
		if kernel {
			c.fn.Pops = true
		}
	case Nodes:
		t = Node
	case Edges, AllEdges:
		t = Edge
	case InEdges:
		t = InEdge
	case Ints:
		t = Int
	case Points:
		t = Point
	case Elements:
		t = Element
	case Invalid:
	default:
		d := c.errorf(s.Iter, codeIterable, "%s cannot be gone through", describe(x.typ))
		switch x.typ {
		case GraphType:
			d.Hint = "write " + describeOperand(s.Iter) + ".nodes"
		case MeshType:
			d.Hint = "write " + describeOperand(s.Iter) + ".elements"
		case Node:
			d.Hint = "write " + describeOperand(s.Iter) + ".edges"
		}
	}
	if x.typ == Ints && kernel && !s.Serial && c.fn.forAlls == 0 {
		f, iter := c.fn.FuncInfo, s.Iter
		c.later = append(c.later, func() { c.steadyBounds(f, iter) })
	}
	// In a Host function ForAll runs as for (report, section 3).
	parallel := kernel && !s.Serial
	if c.fn.decl.Kind == syntax.PlainFunc && !s.Serial {
		c.errorf(s, codeKernelOnly, "ForAll belongs into a Kernel, not into %s", c.whereName())
	}
	kind := forAllFrame
	if s.Serial {
		kind = loopFrame
	}
	if parallel {
		c.fn.forAlls++
	}
	c.fn.frames = append(c.fn.frames, frame{kind: kind, in: s})
	pop := c.push()
	c.declare(s.Var, &Object{Kind: VarObj, Name: nameOf(s.Var), Type: t, Decl: s, ReadOnly: true})
	if s.Body != nil {
		c.forAllBody(s)
	}
	pop()
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
	if parallel {
		c.fn.forAlls--
	}
}

// reduce checks ReduceAndReturn. Which reduction it takes part in is the
// invocation's choice, so the value is only a condition here.
func (c *checker) reduce(s *syntax.ReduceStmt) {
	c.condition(s.Value)
	if c.fn.decl.Kind != syntax.KernelFunc {
		c.errorf(s, codeKernelOnly, "ReduceAndReturn belongs into a Kernel, not into %s", c.whereName())
		return
	}
	if c.fn.locked() {
		c.atomicJump(s, "ReduceAndReturn")
	}
	c.leavesKernel(s, "ReduceAndReturn")
	c.fn.Reduces = true
}

// fixedBlocks notes which kernels have one block size (report, section 4.3: FixedBlock),
// and refuses those that cannot have it.
func (c *checker) fixedBlocks() {
	for _, f := range c.info.Funcs {
		n := c.info.Plan.Threads[f.Decl]
		if n == 0 {
			continue
		}
		f.Threads = n
		refuse := func(hint, format string, args ...any) {
			list := c.file.Attributes[f.Decl]
			a := list[slices.IndexFunc(list, func(a *syntax.Attribute) bool { return a.Name.Name == "threads" })]
			c.errorf(a, plan.CodeRefused, format, args...).Hint = hint
		}
		switch {
		case f.MaxThreads > 0 && n > f.MaxThreads:
			by := "__launch_bounds__ allows"
			if len(f.Caches) > 0 {
				by = "the __shared__ arrays of " + f.Object.Name + " have room for"
			}
			refuse("leave out one of the two", "%s %d threads a block, fewer than %d", by, f.MaxThreads, n)
		case f.Retries:
			refuse("leave the attribute out", "%s retries items, in the end one after the other in one thread, so its block size cannot be fixed", f.Object.Name)
		case !f.OuterFA:
			refuse("leave the attribute out", "%s has no ForAll: one thread executes it", f.Object.Name)
		}
	}
}
