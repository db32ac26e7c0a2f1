package analysis

import (
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// This file decides which host code a control kernel can execute. All threads
// of the grid execute it alike, each with its own copies of the locals; what it
// writes to device memory one thread writes. So it may be arithmetic, loops and
// branches on locals, properties and globals, calls of functions that are such
// code too, and invocations. What it may not do is listed in the reasons below.

// A hostCode is the state of judging one node of an outline tree.
type hostCode struct {
	f     *Func
	o     *Outline
	known map[*check.FuncInfo]*verdict
	// single is set for a function that one thread executes if it writes.
	single bool
}

// A verdict is what has been found out about a function of the file: why it
// cannot be called from a control kernel, or "".
type verdict struct {
	why     string
	inexact []*syntax.CallExpr
}

// node judges one node of the host code of h.o.
func (h *hostCode) node(n *Node, e *Effects) {
	switch s := n.Stmt.(type) {
	case *syntax.ForAllStmt:
		h.o.refuse(s, "it goes through %s, which one thread would do", line(s.Iter))
	case *syntax.ReturnStmt:
		if h.o.Stmt != nil {
			h.o.refuse(s, "return leaves it")
		}
	case *syntax.CBlock:
		h.o.refuse(s, "it contains C text that is passed on")
	}
	if n.Kind == Jump {
		h.leaving(n)
	}
	for _, c := range e.Calls {
		h.call(c)
	}
	for _, x := range n.Exprs {
		if s, ok := x.(*syntax.SliceExpr); ok {
			h.o.refuse(s, "a list takes its items from an array")
			continue
		}
		h.expr(x)
	}
	if !h.single {
		h.mixed(n, e)
	}
}

// leaving refuses a goto out of the node; break, continue and return are the
// matter of check and of [hostCode.node].
func (h *hostCode) leaving(n *Node) {
	if h.o.Stmt == nil {
		return
	}
	g, ok := n.Stmt.(*syntax.GotoStmt)
	for _, e := range n.Succs {
		if ok && !e.To.Within(h.o.Stmt) {
			h.o.refuse(g, "goto %s leaves it", g.Name.Name)
		}
	}
}

// mixed refuses a statement that sets a local from device memory which it also
// writes: one thread writes, but every thread has the local.
func (h *hostCode) mixed(n *Node, e *Effects) {
	var local, shared *check.Object
	reads := map[*check.Object]bool{}
	branch := len(n.Succs) > 1
	for _, r := range e.Refs {
		switch {
		case IsLocal(r.Object) && r.Mode&(Write|Escape) != 0:
			local = r.Object
		case isShared(r.Object):
			if r.Mode&Read != 0 {
				reads[r.Object] = true
			}
			if r.Mode&(Write|Escape) != 0 {
				shared = r.Object
			}
		}
	}
	switch {
	case shared == nil:
	case local != nil:
		h.o.refuse(n.Stmt, "one statement writes %s, for all threads, and the local %s, in each", shared.Name, local.Name)
	case branch:
		h.o.refuse(n.Stmt, "a condition writes %s", shared.Name)
	case len(e.Invokes) > 0 || n.Kind == Invoke:
		h.o.refuse(n.Stmt, "one statement writes %s and invokes a kernel", shared.Name)
	}
}

// expr refuses the values that a control kernel cannot have.
func (h *hostCode) expr(x syntax.Node) {
	if v, ok := x.(*syntax.VarDecl); ok {
		h.object(h.f.Info.Defs[v.Name], v.Name)
	}
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SizeofExpr, syntax.TypeExpr:
			return false
		case *syntax.CallExpr:
			for _, a := range n.Args {
				h.expr(a)
			}
			if m, ok := syntax.Unparen(n.Fun).(*syntax.MemberExpr); ok {
				h.expr(m.X)
			}
			return false
		case *syntax.BasicLit:
			if n.Kind == syntax.StringLit {
				h.o.refuse(n, "it uses a string")
			}
		case *syntax.UnaryExpr:
			if n.Op == "&" {
				h.o.refuse(n, "it takes an address")
			} else if n.Op == "*" {
				h.o.refuse(n, "it reads through a pointer")
			}
		case *syntax.CompoundLit:
			h.o.refuse(n, "it makes a %s", h.f.Info.Types[n])
			return false
		case *syntax.Ident:
			o := h.f.Info.Uses[n]
			if o == nil {
				o = h.f.Info.Defs[n]
			}
			h.object(o, n)
		}
		return true
	})
}

// object refuses variables that are no numbers.
func (h *hostCode) object(o *check.Object, n syntax.Node) {
	if o == nil || o.Kind != check.VarObj && o.Kind != check.ParamObj && o.Kind != check.ForeignObj {
		return
	}
	if o.Kind == check.ForeignObj {
		h.o.refuse(n, "%s is defined by C text", o.Name)
		return
	}
	switch o.Type.(type) {
	case *check.Array:
		if !o.Global {
			h.o.refuse(n, "%s is an array of the host", o.Name)
		}
	case *check.Struct:
		h.o.refuse(n, "%s is a %s", o.Name, o.Type)
	case *check.Pointer:
		h.o.refuse(n, "%s is a pointer", o.Name)
	}
	if o.Volatile {
		h.o.refuse(n, "%s is volatile", o.Name)
	}
}

// call judges a call.
func (h *hostCode) call(c Call) {
	switch {
	case c.Builtin != nil:
		h.builtin(c)
	case c.Func != nil:
		v := h.known[c.Func]
		if v == nil {
			v = h.function(c.Func)
			h.known[c.Func] = v
		}
		if v.why != "" {
			h.o.refuse(c.Expr, "%s", v.why)
		}
		h.o.Inexact = append(h.o.Inexact, v.inexact...)
	case c.Method == "":
		h.o.refuse(c.Expr, "it calls through a pointer")
	}
}

// builtin judges a call of what the language has: mathematics may move, input,
// output and the end of the program may not.
func (h *hostCode) builtin(c Call) {
	b := c.Builtin
	switch {
	case b.Effects&(builtin.Output|builtin.MayExit) != 0:
		h.o.refuse(c.Expr, "%s is for the host", b.Name)
	case !b.Device:
		h.o.refuse(c.Expr, "%s exists on the host only", b.Name)
	case b.Inexact:
		h.o.Inexact = append(h.o.Inexact, c.Expr)
	}
}

// function judges a function of the file. A Host function can be called from a
// control kernel when it invokes nothing and its own code could be moved: it
// becomes a device function. One that invokes kernels cannot, since it may open
// worklists of its own and its invocations end in barriers that all threads must
// come to.
func (h *hostCode) function(g *check.FuncInfo) *verdict {
	name := g.Object.Name
	switch {
	case g.Recursive:
		return &verdict{why: name + " calls itself"}
	case g.Decl.Kind == syntax.PlainFunc && !g.Device:
		return &verdict{why: name + " exists on the host only"}
	case g.Decl.Body == nil:
		return &verdict{why: name + " has no body"}
	}
	f := New(h.f.Info, g)
	in := &hostCode{f: f, o: &Outline{f: f}, known: h.known, single: true}
	for i, n := range f.Graph.Nodes {
		if n.Kind == Invoke || n.Kind == Pipe || len(f.Effects[i].Invokes) > 0 {
			return &verdict{why: name + " invokes kernels, and a Host function that does so cannot be called on the device"}
		}
		if g.Decl.Kind == syntax.HostFunc {
			in.node(n, f.Effects[i])
			continue
		}
		for _, c := range f.Effects[i].Calls { // a plain function runs on the device as it is
			if c.Func != nil || c.Builtin != nil {
				in.call(c)
			}
		}
	}
	switch {
	case len(in.o.Refused) > 0:
		return &verdict{why: name + " cannot run on the device: " + in.o.Refused[0].Text}
	case len(g.Writes) > 0 && g.Type.Result != check.Void:
		return &verdict{why: name + " writes " + g.Writes[0].Name + " and gives a value, which one thread alone would have"}
	}
	return &verdict{inexact: in.o.Inexact}
}

// kernel notes what an invocation needs, and refuses kernels that cannot become
// device functions. Those that add to the mesh can.
func (h *hostCode) kernel(k Invocation) {
	g := k.Kernel
	if g == nil {
		return
	}
	o := h.o
	o.Retries = o.Retries || g.Retries || g.Respawns
	o.Adds = o.Adds || len(g.Adds) > 0
	o.Syncs = o.Syncs || g.Syncs
	if o.inChild(k.Node) {
		return // the child has said so
	}
	if g.Recursive {
		o.refuse(g.Decl.Name, "the kernel %s calls itself", g.Object.Name)
	}
}
