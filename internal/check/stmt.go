package check

// This file checks statements and the flow of control between them.

import (
	"irgl/internal/builtin"
	"irgl/syntax"
)

// A frame is a loop or switch around a statement.
type frame struct {
	kind frameKind
	sw   *switchState
	// in is the ForAll, Atomic, Iterate or Pipe whose body this is; nil for C's
	// loops.
	in syntax.Stmt
}

type frameKind uint8

const (
	loopFrame frameKind = iota
	switchFrame
	forAllFrame // a parallel ForAll, which jumps cannot leave
	atomicFrame // the body of an Atomic, which has one way out
)

// A switchState is what a switch's labels are checked against.
type switchState struct {
	typ    Type
	values map[int64]syntax.Node
	def    syntax.Node
}

// A label is a target of goto, with the ForAll, Atomic, Iterate or Pipe it is
// in.
type label struct {
	in  syntax.Stmt
	obj *Object
}

// body checks a function's body.
func (c *checker) body(f *FuncInfo) {
	if f == nil || f.Decl.Body == nil {
		return
	}
	d := f.Decl
	fn := &function{
		FuncInfo: f, decl: d, labels: map[string]*label{}, marks: map[*Object]useMode{}, depths: map[*Object]int{},
		warned: map[*Object]bool{}, calls: map[*FuncInfo]bool{},
	}
	c.fn, c.bodyOf[f] = fn, fn
	defer func() { c.fn = nil }()
	f.OuterFA = d.Kind == syntax.KernelFunc && hasForAll(d.Body)
	pop := c.push()
	defer pop()
	i := 0
	for _, p := range d.Params {
		if p == nil || i >= len(f.Params) {
			continue
		}
		o := f.Params[i]
		i++
		if o.Kind == ParamObj && p.Name != nil {
			c.declare(p.Name, o)
		} else if p.Name == nil {
			c.errorf(p, codeBadType, "a parameter of a function with a body needs a name")
		}
	}
	c.findLabels(d.Body, nil)
	fn.top = d.Body
	c.stmts(d.Body.Stmts)
	c.checkLeaves()
	if t := f.Type.Result; t != Void && t != Invalid && !ends(d.Body) && nameOf(d.Name) != "main" {
		name := nameOf(d.Name)
		if c.o.Name != nil {
			name = c.o.Name(name)
		}
		c.warnf(d.Name, codeNoReturn, "%s can end without returning a value", name)
	}
}

// stmts checks statements in the current scope.
func (c *checker) stmts(list []syntax.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

// block checks a block in a scope of its own.
func (c *checker) block(b *syntax.Block) {
	if b == nil {
		return
	}
	defer c.push()()
	c.stmts(b.Stmts)
}

// scoped checks a statement that is the body of another.
func (c *checker) scoped(s syntax.Stmt) {
	if s == nil {
		return
	}
	defer c.push()()
	if b, ok := s.(*syntax.Block); ok {
		if b != nil {
			c.stmts(b.Stmts)
		}
		return
	}
	c.stmt(s)
}

// stmt checks one statement; a case a kind.
//
//irgl:flatswitch
//irgl:allnodes Stmt except EmptyStmt LabelStmt
func (c *checker) stmt(s syntax.Stmt) {
	if s == nil || isNil(s) || !c.enter(s) {
		return
	}
	defer c.leave()
	switch s := s.(type) {
	case *syntax.Block:
		c.block(s)
	case *syntax.VarDecls:
		c.varDecls(s)
	case *syntax.TypeDecl:
		c.typeDecl(s)
	case *syntax.ExprStmt:
		c.exprStmt(s.X)
	case *syntax.IfStmt:
		c.condition(s.Cond)
		c.scoped(s.Then)
		c.scoped(s.Else)
	case *syntax.ForStmt:
		c.forStmt(s)
	case *syntax.WhileStmt:
		if !s.Do {
			c.condition(s.Cond)
		}
		c.loop(s.Body)
		if s.Do {
			c.condition(s.Cond)
		}
	case *syntax.SwitchStmt:
		c.switchStmt(s)
	case *syntax.CaseStmt:
		c.caseStmt(s)
	case *syntax.ReturnStmt:
		c.returnStmt(s)
	case *syntax.BreakStmt:
		c.jump(s, "break")
	case *syntax.ContinueStmt:
		c.jump(s, "continue")
	case *syntax.GotoStmt:
		c.gotoStmt(s)
	case *syntax.ForAllStmt:
		c.forAll(s)
	case *syntax.ReduceStmt:
		c.reduce(s)
	case *syntax.AtomicStmt:
		c.atomic(s)
	case *syntax.ExclusiveStmt:
		c.exclusive(s)
	case *syntax.BarrierStmt:
		c.barrier(s)
	case *syntax.CBlock:
		c.cBlock(s)
	case *syntax.AsmStmt:
		c.asm(s)
	case *syntax.RetryStmt:
		c.retry(s)
	case *syntax.IterateStmt:
		c.iterate(s)
	case *syntax.PipeStmt:
		c.pipe(s)
	}
}

// exprStmt checks an expression whose value is not used.
func (c *checker) exprStmt(e syntax.Expr) {
	switch x := e.(type) {
	case nil:
	case *syntax.AssignExpr:
		if x != nil && c.enter(x) {
			c.info.Types[x] = c.assign(x, true).typ
			c.leave()
		}
	case *syntax.InvokeExpr:
		if x != nil {
			c.place(x)
			c.unusedReduce(x)
		}
	default:
		c.rvalue(e)
	}
}

// forStmt checks C's for, whose first part has a scope around the body.
func (c *checker) forStmt(s *syntax.ForStmt) {
	defer c.push()()
	c.stmt(s.Init)
	if s.Cond != nil {
		c.condition(s.Cond)
	}
	c.loop(s.Body)
	if s.Post != nil {
		c.exprStmt(s.Post)
	}
}

// loop checks the body of a loop.
func (c *checker) loop(body syntax.Stmt) {
	c.fn.frames = append(c.fn.frames, frame{kind: loopFrame})
	c.scoped(body)
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
}

// switchStmt checks a switch; its labels find it through the frames.
func (c *checker) switchStmt(s *syntax.SwitchStmt) {
	x := c.rvalue(s.X)
	if x.typ != Invalid && !IsInteger(x.typ) {
		c.errorf(s.X, codeSwitch, "a switch needs an integer, not %s", describe(x.typ))
		x.typ = Invalid
	}
	sw := &switchState{typ: Promote(x.typ), values: map[int64]syntax.Node{}}
	c.fn.frames = append(c.fn.frames, frame{kind: switchFrame, sw: sw})
	c.block(s.Body)
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
}

// caseStmt checks a case or default label against its switch. The value is
// converted to the switch's type before it is compared with others.
func (c *checker) caseStmt(s *syntax.CaseStmt) {
	var sw *switchState
	for i := len(c.fn.frames) - 1; i >= 0 && sw == nil && c.fn.frames[i].kind < forAllFrame; i-- {
		sw = c.fn.frames[i].sw
	}
	if sw == nil {
		c.errorf(s, codeCase, "a case label belongs into a switch")
		if s.Value != nil {
			c.rvalue(s.Value)
		}
		return
	}
	if s.Value == nil {
		if sw.def != nil {
			c.errorf(s, codeCase, "the switch has a default already")
		}
		sw.def = s
		return
	}
	x := c.rvalue(s.Value)
	if x.typ == Invalid || sw.typ == Invalid {
		return
	}
	if x.cv == nil || !IsInteger(x.typ) {
		c.errorf(s.Value, codeNotConst, "the value of a case must be an integer constant")
		return
	}
	v := wrapInt(x.cv.Int, sw.typ)
	if sw.values[v] != nil {
		c.errorf(s.Value, codeCase, "the switch has a case %d already", v)
	}
	sw.values[v] = s
}

// returnStmt checks return. Inside a ForAll it would end a thread and with it
// other iterations, so it is refused there.
func (c *checker) returnStmt(s *syntax.ReturnStmt) {
	f := c.fn
	if f.forAlls > 0 {
		c.errorf(s, codeForAllJump, "return inside a ForAll, whose iterations run in parallel").Hint = "write continue to end the iteration"
	} else if f.locked() {
		c.atomicJump(s, "return")
	}
	c.leavesKernel(s, "return")
	result := f.Type.Result
	if s.X == nil {
		if result != Void && result != Invalid {
			c.errorf(s, codeReturn, "%s must return a value of type %s", nameOf(f.decl.Name), result)
		}
		return
	}
	x := c.rvalue(s.X)
	if x.typ == Invalid || result == Invalid {
		return
	}
	if result == Void {
		d := c.errorf(s.X, codeReturn, "%s returns no value", nameOf(f.decl.Name))
		switch f.decl.Kind {
		case syntax.KernelFunc:
			d.Hint = "write ReduceAndReturn(...) for the value of a Kernel"
		case syntax.HostFunc:
			d.Hint = "results of a Host function are Output properties and globals"
		}
		return
	}
	c.convertible(s.X, &x, result, "the result of "+nameOf(f.decl.Name))
}

// jump checks break and continue.
func (c *checker) jump(s syntax.Stmt, word string) {
	frames := c.fn.frames
	for i := len(frames) - 1; i >= 0; i-- {
		switch k := frames[i].kind; {
		case k == switchFrame && word == "continue":
			continue
		case k == atomicFrame:
			c.atomicJump(s, word)
		case k == forAllFrame && word == "break":
			c.errorf(s, codeForAllJump, "break out of a ForAll, whose iterations run in parallel").Hint = "write for in place of ForAll, or continue"
		}
		return
	}
	c.errorf(s, codeBreak, "%s is not in a loop", word)
}

// innermost returns the innermost ForAll, Atomic, Iterate or Pipe around the
// statement, or nil.
func (f *function) innermost() syntax.Stmt {
	for i := len(f.frames) - 1; i >= 0; i-- {
		if f.frames[i].in != nil {
			return f.frames[i].in
		}
	}
	return nil
}

// gotoStmt checks a goto against the labels that findLabels collected.
func (c *checker) gotoStmt(s *syntax.GotoStmt) {
	if s.Name == nil {
		return
	}
	l := c.fn.labels[s.Name.Name]
	if l == nil {
		var all []string
		for n := range c.fn.labels {
			all = append(all, n)
		}
		c.errorf(s.Name, codeLabel, "there is no label %s in %s", s.Name.Name, nameOf(c.fn.decl.Name)).Hint = nearest(s.Name.Name, all)
		return
	}
	c.info.Uses[s.Name] = l.obj
	from := c.fn.innermost()
	_, out := from.(*syntax.AtomicStmt)
	_, into := l.in.(*syntax.AtomicStmt)
	switch {
	case l.in == from:
	case out:
		c.atomicJump(s, "goto "+s.Name.Name)
	case into:
		c.errorf(s, codeAtomicJump, "goto %s jumps into an Atomic, without its lock", s.Name.Name)
	default:
		c.errorf(s, codeForAllJump, "goto %s jumps into or out of a ForAll, Iterate or Pipe", s.Name.Name)
	}
}

// children calls f for the statements directly inside s, and for those of its blocks.
func children(s syntax.Stmt, f func(syntax.Stmt)) {
	if !isNil(s) {
		syntax.Visit(s, inner(f))
	}
}

// An inner visits the statements inside a statement.
type inner func(syntax.Stmt)

func (f inner) Expr(*syntax.Expr)       {}
func (f inner) Type(*syntax.TypeExpr)   {}
func (f inner) Stmt(place *syntax.Stmt) { f(*place) }
func (f inner) Stmts(list *[]syntax.Stmt) {
	for _, s := range *list {
		if s != nil {
			f(s)
		}
	}
}

func (f inner) Node(n syntax.Node) syntax.Node {
	switch n := n.(type) {
	case *syntax.Block:
		syntax.Visit(n, f)
	case syntax.Stmt:
		f(n)
	}
	return n
}

// hasForAll reports whether s contains a parallel ForAll.
func hasForAll(s syntax.Stmt) bool {
	if f, ok := s.(*syntax.ForAllStmt); ok && f != nil && !f.Serial {
		return true
	}
	found := false
	children(s, func(s syntax.Stmt) { found = found || s != nil && hasForAll(s) })
	return found
}

// findLabels collects the labels of a body, which gotos may name before them.
func (c *checker) findLabels(s syntax.Stmt, in syntax.Stmt) {
	switch s := s.(type) {
	case nil:
		return
	case *syntax.ForAllStmt, *syntax.IterateStmt, *syntax.PipeStmt:
		in = s
	case *syntax.AtomicStmt:
		if s.Body != nil {
			for _, b := range s.Body.Stmts {
				c.findLabels(b, s)
			}
		}
		if s.Else != nil { // runs without the lock: a part of what is around
			c.findLabels(s.Else, in)
		}
		return
	case *syntax.LabelStmt:
		if s.Name == nil {
			return
		}
		o := &Object{Kind: LabelObj, Name: s.Name.Name, Type: Void, Decl: s}
		if prev := c.fn.labels[s.Name.Name]; prev != nil {
			c.errorf(s, codeLabel, "the label %s is defined twice", s.Name.Name)
			return
		}
		c.info.Defs[s.Name] = o
		c.fn.labels[s.Name.Name] = &label{in, o}
	}
	children(s, func(s syntax.Stmt) { c.findLabels(s, in) })
}

// ends reports whether control cannot get past s.
//
//irgl:allnodes Loop except ForAllStmt PipeStmt IterateStmt
func ends(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.Block:
		if s == nil {
			return false
		}
		for i := len(s.Stmts) - 1; i >= 0; i-- {
			if _, empty := s.Stmts[i].(*syntax.EmptyStmt); !empty {
				return s.Stmts[i] != nil && ends(s.Stmts[i])
			}
		}
	case *syntax.ReturnStmt, *syntax.GotoStmt, *syntax.ReduceStmt:
		return true
	case *syntax.IfStmt:
		return s.Then != nil && s.Else != nil && ends(s.Then) && ends(s.Else)
	case *syntax.ForStmt:
		return s.Cond == nil && !breaks(s.Body)
	case *syntax.WhileStmt:
		return isTrue(s.Cond) && !breaks(s.Body) || s.Do && s.Body != nil && ends(s.Body) && !breaks(s.Body)
	case *syntax.SwitchStmt:
		return s.Body != nil && hasDefault(s.Body) && ends(s.Body) && !breaks(s.Body)
	case *syntax.ExprStmt:
		if call, ok := s.X.(*syntax.CallExpr); ok && call != nil {
			id, _ := call.Fun.(*syntax.Ident)
			return id != nil && isNoReturn(id.Name)
		}
	}
	return false
}

// isNoReturn reports whether name is a builtin that ends the run.
func isNoReturn(name string) bool {
	row := builtin.Lookup(name)
	return row != nil && row.Effects&builtin.NoReturn != 0
}

// isTrue reports whether a loop's condition is written as always true.
func isTrue(e syntax.Expr) bool {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.BasicLit:
		return e.Kind == syntax.IntLit && e.Text != "0"
	case *syntax.Ident:
		return e.Name == "true"
	}
	return false
}

// hasDefault reports whether a switch has a default label.
func hasDefault(b *syntax.Block) bool {
	for _, s := range b.Stmts {
		if k, ok := s.(*syntax.CaseStmt); ok && k.Value == nil {
			return true
		}
	}
	return false
}

// breaks reports whether s has a break that leaves the loop or switch that s
// is the body of.
func breaks(s syntax.Stmt) bool {
	found := false
	var visit func(s syntax.Stmt)
	visit = func(s syntax.Stmt) {
		switch s.(type) {
		case nil, syntax.Loop, *syntax.SwitchStmt:
			return
		case *syntax.BreakStmt:
			found = true
		}
		children(s, visit)
	}
	if b, ok := s.(*syntax.Block); ok {
		children(b, visit)
	} else {
		visit(s)
	}
	return found
}
