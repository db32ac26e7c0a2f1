package check

import (
	"slices"
	"strings"

	"irgl/syntax"
)

// This file checks IrGL's own constructs (IrGL paper, section 3.2 and Table 3).

// declareGraph declares the Graph and its properties' names and types; what
// depends on the rest of the file waits for graphBody.
func (c *checker) declareGraph(g *syntax.GraphDecl) {
	if c.info.Graph != nil {
		c.errorf(g.Name, codeTwoGraphs, "a program has one Graph, this is the second")
		return
	}
	c.info.Graph = g
	o := &Object{Kind: GraphObj, Name: nameOf(g.Name), Type: GraphType, Decl: g, ReadOnly: true, Global: true}
	c.declare(g.Name, o)
	c.graph = o
	words := map[string]*bool{
		"weights": &c.info.Requires.Weights, "symmetric": &c.info.Requires.Symmetric, "sorted": &c.info.Requires.Sorted,
		"noloops": &c.info.Requires.NoLoops, "nodups": &c.info.Requires.NoDups,
	}
	for _, w := range g.Requires {
		if w == nil {
			continue
		}
		if set := words[w.Name]; set != nil {
			*set = true
			continue
		}
		all := []string{"weights", "symmetric", "sorted", "noloops", "nodups"}
		d := c.errorf(w, codeRequires, "%s is nothing that a program can require of its graph", w.Name)
		if d.Hint = suggest(w.Name, all); d.Hint == "" {
			d.Hint = "it can require: " + strings.Join(all, ", ")
		}
	}
	for _, p := range g.Props {
		if p != nil {
			c.declareProp(p)
		}
	}
}

func (c *checker) declareProp(p *syntax.PropDecl) {
	q := c.typ(p.Type)
	name := nameOf(p.Name)
	if q.Type != Invalid && !IsArithmetic(q.Type) {
		c.errorf(p, codePropType, "a property must be a number, a bool or a node, not %s", describe(q.Type))
		q.Type = Invalid
	}
	if q.Type == Edge && !p.Edge && p.Output {
		c.errorf(p, codePropType, "an output cannot be an edge").Hint = "store e.id in a long"
	}
	o := &Object{Kind: PropObj, Name: name, Type: q.Type, Decl: p, Global: true, ReadOnly: q.ro, Volatile: q.volatile}
	if p.Output {
		o.Attrs = syntax.Output
	}
	base := Node
	if p.Edge {
		base = Edge
	}
	if name == "" {
		return
	}
	builtin := memberObjects[base][name] != nil
	if builtin && name == "weight" {
		builtin = c.info.Requires.Weights
	}
	if builtin {
		c.errorf(p.Name, codeRedeclared, "every %s has a %s already", base, name)
		return
	}
	if prev := c.info.PropOf(name); prev != nil {
		noteDecl(c.errorf(p.Name, codeRedeclared, "%s is declared twice", name), prev.Object, "the first declaration")
		return
	}
	c.info.Defs[p.Name] = o
	c.info.Props = append(c.info.Props, &Prop{Object: o, Decl: p, Edge: p.Edge, Output: p.Output})
}

// graphBody checks the initialisers and Racy declarations, which may name
// what the file declares after the Graph.
func (c *checker) graphBody(g *syntax.GraphDecl) {
	for _, p := range c.info.Props {
		if p.Decl.Init != nil {
			c.propInitialiser(p)
		}
	}
	for _, r := range g.Racy {
		if r == nil || r.Name == nil {
			continue
		}
		name := r.Name.Name
		if p := c.info.PropOf(name); p != nil {
			c.info.Uses[r.Name] = p.Object
		} else if o := c.fileScope.names[name]; o != nil && o.Kind == VarObj {
			c.info.Uses[r.Name] = o
		} else {
			c.errorf(r.Name, codeRacy, "%s is neither a property nor a global variable", name).Hint = c.racyHint(name)
			continue
		}
		if _, twice := c.info.Racy[name]; twice {
			c.errorf(r.Name, codeRedeclared, "%s is declared Racy twice", name)
		}
		c.info.Racy[name] = r.Reason
	}
}

func (c *checker) racyHint(name string) string {
	var all []string
	for _, p := range c.info.Props {
		all = append(all, p.Object.Name)
	}
	for _, o := range c.info.Globals {
		all = append(all, o.Name)
	}
	return suggest(name, all)
}

// propInitialiser checks the initialiser of a property, in which id is the
// number of the node or edge and degree that of the node's edges.
func (c *checker) propInitialiser(p *Prop) {
	defer c.push()()
	idType := Type(Int)
	if p.Edge {
		idType = Long
	} else {
		c.scope.names["degree"] = &Object{Kind: BuiltinObj, Name: "degree", Type: Int, ReadOnly: true}
	}
	c.scope.names["id"] = &Object{Kind: BuiltinObj, Name: "id", Type: idType, ReadOnly: true}
	c.propInit = true
	defer func() { c.propInit = false }()
	x := c.rvalue(p.Decl.Init)
	if x.typ == Invalid {
		return
	}
	if !c.convertible(p.Decl.Init, &x, p.Object.Type, "the initial value of "+p.Object.Name) {
		return
	}
	if bad := c.notSimple(p.Decl.Init); bad != nil {
		c.errorf(bad, codePropInit, "the initial value of a property is made of constants, id and degree").Hint = "set it in a Kernel over graph.nodes"
	}
}

// notSimple returns a part of e that is more than arithmetic on constants, id
// and degree, or nil.
func (c *checker) notSimple(e syntax.Expr) syntax.Expr {
	first := func(es ...syntax.Expr) syntax.Expr {
		for _, e := range es {
			if bad := c.notSimple(e); bad != nil {
				return bad
			}
		}
		return nil
	}
	switch e := e.(type) {
	case *syntax.BasicLit, *syntax.SizeofExpr:
		return nil
	case *syntax.Ident:
		if o := c.info.Uses[e]; o != nil && (o.Const != nil || o.Kind == BuiltinObj) {
			return nil
		}
	case *syntax.ParenExpr:
		return first(e.X)
	case *syntax.UnaryExpr:
		if e.Op != "&" && e.Op != "*" && e.Op != "++" && e.Op != "--" {
			return first(e.X)
		}
	case *syntax.BinaryExpr:
		return first(e.X, e.Y)
	case *syntax.CondExpr:
		return first(e.Cond, e.Then, e.Else)
	case *syntax.CastExpr:
		return first(e.X)
	}
	return e
}

// An inference collects the types that invocations give a parameter.
type inference struct {
	kernel *syntax.FuncDecl
	typ    Type
	graph  syntax.Node // an argument that was the graph
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
			case inf.graph != nil && c.graph != nil:
				c.errorf(p, codeGraphParam, "the parameter %s takes the graph and must have its name", o.Name).Hint = "call it " + c.graph.Name
			case inf.typ == nil && c.graph == nil:
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
	case t == GraphType:
		inf.graph = e
		return
	case t != Node && t != Edge:
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
	case Invalid:
	default:
		d := c.errorf(s.Iter, codeIterable, "%s cannot be gone through", describe(x.typ))
		switch x.typ {
		case GraphType:
			d.Hint = "write " + describeOperand(s.Iter) + ".nodes"
		case Node:
			d.Hint = "write " + describeOperand(s.Iter) + ".edges"
		}
	}
	if !kernel && !s.Serial {
		c.errorf(s, codeKernelOnly, "ForAll belongs into a Kernel, not into %s", c.whereName())
	} else if c.fn.decl.Kind == syntax.HostFunc {
		c.errorf(s, codeKernelOnly, "a Host function cannot go through nodes or edges").Hint = "do it in a Kernel and Invoke that"
	}
	kind := forAllFrame
	if s.Serial {
		kind = loopFrame
	} else {
		c.fn.forAlls++
	}
	c.fn.frames = append(c.fn.frames, frame{kind: kind, in: s})
	pop := c.push()
	c.declare(s.Var, &Object{Kind: VarObj, Name: nameOf(s.Var), Type: t, Decl: s, ReadOnly: true})
	if s.Body != nil {
		c.stmts(s.Body.Stmts)
	}
	pop()
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
	if !s.Serial {
		c.fn.forAlls--
	}
}

func (c *checker) reduce(s *syntax.ReduceStmt) {
	c.condition(s.Value)
	if c.fn.decl.Kind != syntax.KernelFunc {
		c.errorf(s, codeKernelOnly, "ReduceAndReturn belongs into a Kernel, not into %s", c.whereName())
		return
	}
	c.fn.Reduces = true
}

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
		if x.typ == GraphType && p.Type != GraphType && p.Type != Invalid {
			c.errorf(a, codeGraphParam, "%s is no graph", name)
			continue
		}
		c.convertible(a, &x, p.Type, name)
	}
}

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
	c.fn.iterates--
}

// checkIterate checks an Iterate against what its kernel turned out to do.
func (c *checker) checkIterate(s *syntax.IterateStmt, f *FuncInfo, shared bool) {
	name := f.Object.Name
	switch {
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
	case s.Initial == nil && !shared && s.Cond == syntax.NoCond && f.UsesWL:
		c.errorf(s, codeIterate, "the worklist of this Iterate is empty, so %s would never run", name).Hint = "add Initial [ ... ]"
	}
}

func condWord(t syntax.TermCond) string {
	return [...]string{"", "While", "Until"}[min(t, syntax.Until)]
}

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
	for _, e := range w.Items {
		if x := c.rvalue(e); x.typ != Invalid && !IsInteger(x.typ) {
			c.errorf(e, codePropType, "an item of a worklist is a node or an int, not %s", describe(x.typ))
		}
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
	for _, f := range c.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc && !invoked[f] {
			c.warnf(f.Decl.Name, codeUnused, "nothing invokes the Kernel %s", f.Object.Name)
		}
	}
}
