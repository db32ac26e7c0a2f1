package check

import (
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
	}
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
	case Edges:
		t = Edge
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
