package analysis

import (
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// A Mode says what is done with a place. Several can hold at once.
type Mode uint8

// The modes.
const (
	Read Mode = 1 << iota
	Write
	// Declare begins the life of a variable without a value.
	Declare
	// Escape takes the address: reads and writes may follow from anywhere.
	Escape
	// AtomicOp is a read and write in one step by a function such as atomicMin.
	AtomicOp
)

// A Ref is one access of a variable or property.
type Ref struct {
	Object *check.Object // nil for what a pointer points to
	Expr   syntax.Node   // the place, or the call that leads to the access
	Mode   Mode
	// Part marks an access of an element or a member only, Maybe one that an
	// operator such as && or ?: may leave out.
	Part, Maybe bool
}

// A Call is one call in a node.
type Call struct {
	Expr    *syntax.CallExpr
	Func    *check.FuncInfo // a function of the file, or nil
	Builtin *check.Builtin  // or nil
	Method  string          // pop, push, add_point, nodes, ...; or ""
	Maybe   bool            // an operator such as && may leave it out
}

// Effects are what a node does, in the order of evaluation.
type Effects struct {
	Refs    []Ref
	Calls   []Call
	Invokes []*syntax.InvokeExpr
}

// IsLocal reports whether o is a variable or parameter of a function.
func IsLocal(o *check.Object) bool {
	return o != nil && (o.Kind == check.VarObj && !o.Global || o.Kind == check.ParamObj)
}

// isShared reports whether o is memory that all threads see.
func isShared(o *check.Object) bool {
	return o != nil && (o.Kind == check.PropObj || o.Kind == check.VarObj && o.Global)
}

// An effecter collects the effects of one node.
type effecter struct {
	info  *check.Info
	out   *Effects
	maybe int
}

// effectsOf returns the effects of n.
func effectsOf(info *check.Info, n *Node) *Effects {
	x := &effecter{info: info, out: &Effects{}}
	if n.Kind == Atomic {
		x.place(n.Stmt.(*syntax.AtomicStmt).Lock, Read|Write|AtomicOp, false)
		return x.out
	}
	for _, e := range n.Exprs {
		switch e := e.(type) {
		case *syntax.VarDecl:
			x.varDecl(e)
		case *syntax.SliceExpr:
			x.slice(e)
		case syntax.Expr:
			x.value(e)
		}
	}
	switch s := n.Stmt.(type) {
	case *syntax.ForAllStmt:
		if n.Kind == ForAll {
			x.ref(info.Defs[s.Var], s.Var, Write, false)
		}
	case *syntax.CBlock:
		x.declared(s.Reads, Read)
		x.declared(s.Writes, Write)
	}
	return x.out
}

// declared records what C text says that it reads or writes. What it does with a pointer it may
// do with what that points to.
func (x *effecter) declared(names []*syntax.Ident, m Mode) {
	for _, id := range names {
		o := x.info.Uses[id]
		x.ref(o, id, m, true)
		if o == nil {
			continue
		}
		if _, pointer := o.Type.(*check.Pointer); pointer {
			x.ref(nil, id, m, true)
		}
	}
}

// ref records an access.
func (x *effecter) ref(o *check.Object, e syntax.Node, m Mode, part bool) {
	if o != nil && !IsLocal(o) && !isShared(o) {
		return
	}
	x.out.Refs = append(x.out.Refs, Ref{Object: o, Expr: e, Mode: m, Part: part, Maybe: x.maybe > 0})
}

func (x *effecter) varDecl(v *syntax.VarDecl) {
	o := x.info.Defs[v.Name]
	if v.Init == nil {
		x.ref(o, v.Name, Declare, false)
		return
	}
	x.value(v.Init)
	x.ref(o, v.Name, Write, false)
}

func (x *effecter) slice(s *syntax.SliceExpr) {
	for _, e := range []syntax.Expr{s.Low, s.High, s.Step} {
		if e != nil {
			x.value(e)
		}
	}
	if _, ok := x.info.Types[s.X].(*check.Array); ok {
		x.place(s.X, Read, true)
		return
	}
	x.value(s.X)
	x.ref(nil, s, Read, true)
}

// optional evaluates e, which an operator may leave out.
func (x *effecter) optional(e syntax.Expr) {
	x.maybe++
	x.value(e)
	x.maybe--
}

// value evaluates e for its value; a case a kind.
//
//irgl:flatswitch
//irgl:allnodes Expr except BasicLit SizeofExpr
func (x *effecter) value(e syntax.Expr) {
	switch e := e.(type) {
	case nil:
	case *syntax.ParenExpr:
		x.value(e.X)
	case *syntax.Ident, *syntax.MemberExpr, *syntax.IndexExpr:
		mode := Read
		if _, array := x.info.Types[e].(*check.Array); array {
			mode |= Escape // it decays to a pointer
		}
		x.place(e, mode, false)
	case *syntax.UnaryExpr:
		switch e.Op {
		case "&":
			x.place(e.X, Escape, false)
		case "*":
			x.place(e, Read, false)
		case "++", "--":
			x.place(e.X, Read|Write, false)
		default:
			x.value(e.X)
		}
	case *syntax.PostfixExpr:
		x.place(e.X, Read|Write, false)
	case *syntax.BinaryExpr:
		x.value(e.X)
		if e.Op == "&&" || e.Op == "||" {
			x.optional(e.Y)
		} else {
			x.value(e.Y)
		}
	case *syntax.AssignExpr:
		x.assign(e)
	case *syntax.CondExpr:
		x.value(e.Cond)
		x.optional(e.Then)
		x.optional(e.Else)
	case *syntax.CallExpr:
		x.call(e)
	case *syntax.LaunchExpr:
		for _, a := range e.Args {
			x.value(a)
		}
	case *syntax.InvokeExpr:
		for _, a := range e.Args {
			x.value(a)
		}
		x.out.Invokes = append(x.out.Invokes, e)
	case *syntax.SliceExpr:
		x.slice(e)
	case *syntax.CastExpr:
		x.value(e.X)
	case *syntax.InitList:
		for _, el := range e.Elems {
			x.value(el.Value)
		}
	case *syntax.CompoundLit:
		x.value(e.Init)
	}
}

func (x *effecter) assign(e *syntax.AssignExpr) {
	x.value(e.R)
	mode := Write
	if e.Op != "=" {
		mode |= Read
	}
	if o := x.info.Declares[e]; o != nil {
		x.ref(o, e.L, Write, false)
		return
	}
	x.place(e.L, mode, false)
}

// place records an access of the memory that e names, and evaluates what e
// needs to find it. part says that only a part of it is accessed.
func (x *effecter) place(e syntax.Expr, m Mode, part bool) {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.Ident:
		o := x.info.Uses[e]
		if o == nil {
			o = x.info.Defs[e]
		}
		if o != nil {
			x.ref(o, e, m, part)
		}
	case *syntax.MemberExpr:
		switch {
		case x.prop(e) != nil:
			x.value(e.X)
			x.ref(x.prop(e), e, m, part)
		case e.Arrow:
			x.value(e.X)
			x.ref(nil, e, m, true)
		default:
			if _, ok := x.info.Types[e.X].(*check.Struct); ok {
				x.place(e.X, m, true)
			} else {
				x.value(e.X) // a handle, the graph or the worklist
			}
		}
	case *syntax.IndexExpr:
		x.value(e.Index)
		switch x.info.Types[e.X].(type) {
		case *check.Array:
			x.place(e.X, m, true)
		case *check.Pointer:
			x.value(e.X)
			x.ref(nil, e, m, true)
		default:
			x.value(e.X) // n.edges[i]
		}
	case *syntax.UnaryExpr:
		if e.Op != "*" {
			x.value(e)
			return
		}
		x.value(e.X)
		x.ref(nil, e, m, true)
	default:
		x.value(e)
	}
}

// prop returns the property that e names, or nil.
func (x *effecter) prop(e *syntax.MemberExpr) *check.Object {
	if o := x.info.Uses[e.Name]; o != nil && o.Kind == check.PropObj {
		return o
	}
	return nil
}

// call records a call, with what a function of the file reads and writes.
func (x *effecter) call(e *syntax.CallExpr) {
	c := Call{Expr: e, Maybe: x.maybe > 0}
	args := e.Args
	switch fun := syntax.Unparen(e.Fun).(type) {
	case *syntax.MemberExpr:
		c.Method = fun.Name.Name
		x.value(fun.X)
	case *syntax.Ident:
		if o := x.info.Uses[fun]; o != nil {
			if o.Kind == check.TypeObj { // int(x) is a cast
				for _, a := range args {
					x.value(a)
				}
				return
			}
			c.Func = o.Func
			if b := check.LookupBuiltin(o.Name); b != nil && b.Object() == o {
				c.Builtin = b
			}
		}
		if c.Func == nil && c.Builtin == nil {
			x.value(fun)
		}
	default:
		x.value(fun)
	}
	if c.Builtin != nil && c.Builtin.Rule == builtin.AtomicCall && len(args) > 0 {
		for _, a := range args[1:] {
			x.value(a)
		}
		x.atomicPlace(args[0])
		args = nil
	}
	for _, a := range args {
		x.value(a)
	}
	x.out.Calls = append(x.out.Calls, c)
	if c.Func != nil {
		for _, o := range c.Func.Reads {
			x.ref(o, e, Read, true)
		}
		for _, o := range c.Func.Writes {
			x.ref(o, e, Write, true)
		}
	}
}

// atomicPlace records what an atomic function with the first argument e changes.
func (x *effecter) atomicPlace(e syntax.Expr) {
	const mode = Read | Write | AtomicOp
	switch u := syntax.Unparen(e).(type) {
	case *syntax.UnaryExpr:
		if u.Op == "&" {
			x.place(u.X, mode, false)
			return
		}
	default:
		if _, array := x.info.Types[u].(*check.Array); array {
			x.place(u, mode, true)
			return
		}
	}
	x.value(e)
	x.ref(nil, e, mode, true)
}
