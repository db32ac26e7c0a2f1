package check

import (
	"math"
	"slices"

	"irgl/syntax"
)

// This file checks orchestration (IrGL paper, section 3.2 and Table 3): Invoke,
// Iterate and Pipe, and which Host function is the program. What depends on a
// kernel's body waits until all bodies are checked.

// orchestration checks that an orchestration construct stands in a Host
// function.
func (c *checker) orchestration(n syntax.Node, what string) bool {
	if c.fn != nil && c.fn.decl.Kind == syntax.HostFunc {
		return true
	}
	c.errorf(n, codeOrchestration, "%s belongs into a Host function, not into %s", what, c.whereName())
	return false
}

// kernel resolves the kernel of an invocation and checks the arguments.
func (c *checker) kernel(n syntax.Node, id *syntax.Ident, args []syntax.Expr, aggr syntax.Aggr) *FuncInfo {
	var o *Object
	if id != nil {
		o = c.fileScope.names[id.Name]
	}
	if o == nil || o.Kind != FuncObj || o.Func.Decl.Kind != syntax.KernelFunc {
		if o != nil {
			noteDecl(c.errorf(id, codeNotKernel, "%s is not a Kernel", id.Name), o, "declared here")
		} else if id != nil {
			c.errorf(id, codeUndeclared, "%s is not declared", id.Name).Hint =
				c.didYouMean(id.Name, func(o *Object) bool { return o.Kind == FuncObj && o.Func.Decl.Kind == syntax.KernelFunc })
		}
		for _, a := range args {
			c.rvalue(a)
		}
		return nil
	}
	c.info.Uses[id] = o
	c.info.Types[id] = o.Type
	f := o.Func
	c.kernelArgs(n, id, args, f)
	if !slices.Contains(f.Aggrs, aggr) {
		f.Aggrs = append(f.Aggrs, aggr)
		slices.Sort(f.Aggrs)
	}
	if c.fn != nil && !slices.Contains(c.fn.Invokes, f) {
		c.fn.Invokes = append(c.fn.Invokes, f)
	}
	return f
}

// kernelArgs checks the arguments of an invocation, or notes their types for
// parameters that have none.
func (c *checker) kernelArgs(n syntax.Node, id *syntax.Ident, args []syntax.Expr, f *FuncInfo) {
	if len(args) != len(f.Params) {
		c.countError(n, id, len(args), len(f.Params))
	}
	for i, a := range args {
		x := c.rvalue(a)
		if i >= len(f.Params) {
			continue
		}
		p := f.Params[i]
		name := "argument " + p.Name + " of " + id.Name
		decl, _ := p.Decl.(*syntax.Param)
		if inf := c.inferred[decl]; inf != nil && decl != nil {
			c.infer(inf, a, x, p.Name)
			continue
		}
		if w := x.typ; (w == GraphType || w == MeshType) && p.Type != w && p.Type != Invalid {
			c.errorf(a, codeGraphParam, "%s is not %s", name, describe(w))
			continue
		}
		c.convertible(a, &x, p.Type, name)
	}
}

// invoke checks Invoke K(args): a statement, or with Any or All a bool.
func (c *checker) invoke(e *syntax.InvokeExpr) operand {
	r := operand{typ: Void}
	if e.Aggr != syntax.NoAggr {
		r.typ = Bool
	}
	if !c.orchestration(e, "Invoke") {
		for _, a := range e.Args {
			c.rvalue(a)
		}
		return r
	}
	f := c.kernel(e, e.Kernel, e.Args, e.Aggr)
	if f == nil {
		return r
	}
	context := c.fn.pipes + c.fn.iterates
	c.later = append(c.later, func() {
		if f.UsesWL && context == 0 {
			c.errorf(e, codeNoWorklist, "%s uses the worklist, and there is none here", f.Object.Name).Hint = "put the Invoke into a Pipe, or write Iterate"
		}
		if e.Aggr != syntax.NoAggr && !f.Reduces {
			c.errorf(e, codeNoReduce, "%s(...) needs a ReduceAndReturn in %s", e.Aggr, f.Object.Name)
		}
	})
	return r
}

// unusedReduce warns when an invocation as a statement drops a reduction.
func (c *checker) unusedReduce(e *syntax.InvokeExpr) {
	o := c.usesOf(e.Kernel)
	if e.Kernel == nil || o == nil || o.Func == nil || e.Aggr != syntax.NoAggr {
		return
	}
	c.later = append(c.later, func() {
		if o.Func.Reduces {
			c.warnf(e, codeDropReduce, "the ReduceAndReturn of %s is not used", o.Name).Hint = "write Any(Invoke ...) or All(Invoke ...)"
		}
	})
}

// iterate checks an Iterate. break in its body leaves it and continue ends
// the body, as in a C loop.
func (c *checker) iterate(s *syntax.IterateStmt) {
	if !c.orchestration(s, "Iterate") {
		return
	}
	f := c.kernel(s, s.Kernel, s.Args, s.Aggr)
	c.initial(s.Initial)
	shared := c.fn.pipes > 0
	if f != nil {
		c.later = append(c.later, func() { c.checkIterate(s, f, shared) })
	}
	c.fn.iterates++
	c.fn.frames = append(c.fn.frames, frame{kind: loopFrame, in: s})
	c.block(s.Body)
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
	if s.Extra != nil {
		c.condition(s.Extra.Cond) // after the body, while the worklist exists
	}
	c.fn.iterates--
}

// checkIterate checks an Iterate against what its kernel turned out to do.
func (c *checker) checkIterate(s *syntax.IterateStmt, f *FuncInfo, shared bool) {
	name, or := f.Object.Name, s.Extra != nil && s.Extra.Or
	switch {
	case s.Extra != nil && !f.UsesWL && (or || s.Cond == syntax.NoCond):
		d := c.errorf(s.Extra, codeExtra, "%s goes with a worklist, and %s uses none", extraWord(s.Extra), name)
		d.Hint = "use a C loop around Invoke"
		if s.Cond != syntax.NoCond {
			d.Hint = "write And, or break in the body"
		}
	case s.Cond != syntax.NoCond && !f.Reduces:
		c.errorf(s, codeNoReduce, "Iterate %s %s needs a ReduceAndReturn in %s", condWord(s.Cond), s.Aggr, name)
	case s.Cond == syntax.NoCond && !f.UsesWL && f.Reduces:
		c.errorf(s, codeIterate, "%s uses no worklist, so nothing ends this Iterate", name).Hint = "write Iterate While Any, While All, Until Any or Until All"
	case s.Cond == syntax.NoCond && !f.UsesWL:
		c.errorf(s, codeIterate, "%s uses no worklist, so nothing ends this Iterate", name).Hint = "use a C loop around Invoke"
	}
	switch {
	case s.Initial != nil && shared:
		c.errorf(s.Initial, codeInitial, "this Iterate shares the worklist of the Pipe around it").Hint = "give the items to the outermost Pipe"
	case s.Initial != nil && !f.UsesWL:
		c.errorf(s.Initial, codeInitial, "%s uses no worklist", name)
	case s.Initial == nil && !shared && s.Cond == syntax.NoCond && f.UsesWL && !or:
		c.errorf(s, codeIterate, "the worklist of this Iterate is empty, so %s would never run", name).Hint = "add Initial [ ... ]"
	}
}

// condWord returns the keyword of a condition.
func condWord(t syntax.TermCond) string {
	return [...]string{"", "While", "Until"}[min(t, syntax.Until)]
}

// extraWord returns the keyword of an extra condition.
func extraWord(x *syntax.ExtraCond) string {
	if x.Or {
		return "Or"
	}
	return "And"
}

// pipe checks a Pipe. The items of Initial belong to the outermost one: nested
// Pipes share its worklist (IrGL paper, Table 3).
func (c *checker) pipe(s *syntax.PipeStmt) {
	if !c.orchestration(s, "Pipe") {
		return
	}
	c.initial(s.Initial)
	if s.Initial != nil && c.fn.pipes > 0 {
		c.errorf(s.Initial, codeInitial, "this Pipe shares the worklist of the Pipe around it").Hint = "give the items to the outermost Pipe"
	}
	c.fn.pipes++
	c.fn.frames = append(c.fn.frames, frame{kind: loopFrame, in: s})
	c.block(s.Body)
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
	c.fn.pipes--
}

// initial checks the items of a worklist, which are nodes or ints.
func (c *checker) initial(w *syntax.WorklistInit) {
	if w == nil {
		return
	}
	if w.Size != nil {
		x := c.rvalue(w.Size)
		if x.typ != Invalid && !IsInteger(x.typ) {
			c.errorf(w.Size, codeSize, "the size of a worklist is a number of items, not %s", describe(x.typ))
		} else if x.cv != nil && (x.cv.Int < 1 || x.cv.Int > math.MaxInt32) {
			c.errorf(w.Size, codeSize, "the capacity of a worklist must be from 1 to %d items, not %d", math.MaxInt32, x.cv.Int)
		}
	}
	for _, e := range w.Items {
		if s, ok := e.(*syntax.SliceExpr); ok {
			c.slice(s)
			continue
		}
		if x := c.rvalue(e); x.typ != Invalid && !IsInteger(x.typ) {
			c.errorf(e, codePropType, "an item of a worklist is a node or an int, not %s", describe(x.typ))
		}
		c.edgeItem(e)
	}
}

// entry finds the Host function that is the program: the one that no other
// calls, or of several the one called main.
func (c *checker) entry() {
	called := map[*FuncInfo]bool{}
	invoked := map[*FuncInfo]bool{}
	var hosts, free []*FuncInfo
	for _, f := range c.info.Funcs {
		for _, g := range f.Calls {
			called[g] = called[g] || g != f
		}
		for _, g := range f.Invokes {
			invoked[g] = true
		}
	}
	for _, f := range c.info.Funcs {
		if f.Decl.Kind != syntax.HostFunc {
			continue
		}
		hosts = append(hosts, f)
		if !called[f] {
			free = append(free, f)
		}
	}
	for _, f := range free {
		if len(free) == 1 || f.Object.Name == "main" {
			c.info.Entry = f
		}
	}
	switch {
	case len(hosts) == 0:
		return
	case len(free) == 0:
		c.errorf(hosts[len(hosts)-1].Decl.Name, codeEntry, "every Host function is called by another, so none is the program")
	case c.info.Entry == nil:
		d := c.errorf(free[1].Decl.Name, codeEntry, "%s and %s could both be the program: no other Host function calls them", free[0].Object.Name, free[1].Object.Name)
		d.Hint = "call one from the other, or name the program main"
		noteDecl(d, free[0].Object, "the other one")
	}
	c.flagNames()
	for _, f := range c.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc && !invoked[f] {
			c.warnf(f.Decl.Name, codeUnused, "nothing invokes the Kernel %s", f.Object.Name)
		}
	}
}

// RunFlags are the flags of irgl run whose names a parameter of the program could
// have, which becomes a flag itself. --source is not one of them: it stands for the
// program's first node.
var RunFlags = []string{
	"ahead", "backoff", "batch", "block", "bounds", "capacity", "coop", "deal", "device", "disable", "eager", "enable", "explain",
	"format", "gen", "graph", "help", "json", "ldg", "mesh", "np", "out", "outline", "passes", "prepare", "program", "ptx", "repeat", "report", "room",
	"scope", "seed", "stats", "symmetrize", "target", "ticket", "trace", "tune", "tuning", "unroll", "verify", "weights",
	"workers",
}

// flagNames refuses parameters of the program that have the name of a flag.
func (c *checker) flagNames() {
	if c.info.Entry == nil {
		return
	}
	for _, p := range c.info.Entry.Decl.Params {
		if name := nameOf(p.Name); slices.Contains(RunFlags, name) {
			c.errorf(p.Name, codeFlagName, "%s is a flag of irgl run, and so would be the parameter", name).Hint = "choose another name"
		}
	}
}
