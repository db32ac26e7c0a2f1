package analysis

import (
	"slices"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// A Uniform is a set of branches that all threads of a block which come to
// them decide the same way (IrGL paper, section 4.2.2).
type Uniform struct {
	branch []bool // by node number
	// moved holds the nodes that code generation takes out of the ifs around
	// them, and what they depend on then.
	moved map[int][]int32
}

// Has reports whether branch n is uniform. A node with one successor is.
func (u *Uniform) Has(n *Node) bool { return u.branch[n.ID] }

// Uniform returns the branches that are uniform by construction or as they are.
//
// By construction: the outermost ForAll of a kernel, and one whose iterations
// meet at barriers, which code generation makes uniform by rounding up the
// number of iterations; and the inner ForAlls in scheduled, which become
// scheduling loops (section 4.3). A scheduled ForAll is also taken out of the
// ifs around it: the threads for which they do not hold, and those whose
// iteration a continue has ended, bring no iterations of their own. A loop for
// which [Func.Nest] has reasons against that is passed over.
//
// As they are: branches on constants, parameters, the size of the worklist or
// the graph, memory that the kernel never writes, and locals that get only such
// values where control is uniform. What a ForAll declares is not among them,
// because a thread without an iteration has no value for it; the counter of a C
// loop is.
func (f *Func) Uniform(scheduled ...*syntax.ForAllStmt) *Uniform {
	f.findStatic()
	u := &Uniform{branch: slices.Clone(f.static), moved: map[int][]int32{}}
	for _, s := range scheduled {
		n := f.Graph.Heads[s]
		if nest := f.Nest(s); n == nil || nest == nil || !nest.OK() {
			continue
		}
		u.branch[n.ID] = true
		u.moved[n.ID] = f.outside(n)
	}
	for s := range f.Info.Groups {
		for _, b := range s.Body.Stmts {
			if n := f.Graph.Heads[b]; n != nil && (n.Kind == Barrier || n.Kind == Exclusive) {
				u.moved[n.ID] = f.outside(n)
			}
		}
	}
	return u
}

// outside returns what n depends on when it is taken out of the ifs around it:
// the heads of the loops around it.
func (f *Func) outside(n *Node) []int32 {
	out := []int32{0}
	for _, s := range n.Loops() {
		if h := f.Graph.Heads[s]; h != nil {
			out = append(out, int32(h.ID))
		}
	}
	return out
}

// outermost returns the outermost parallel ForAll around n, or nil.
func (f *Func) outermost(n *Node) *syntax.ForAllStmt {
	if f.Fn.Decl.Kind != syntax.KernelFunc {
		return nil
	}
	for _, s := range n.Loops() {
		if s, ok := s.(*syntax.ForAllStmt); ok && !s.Serial {
			return s
		}
	}
	return nil
}

// isOutermost reports whether s is a ForAll of a kernel with none around it.
func (f *Func) isOutermost(s *syntax.ForAllStmt) bool {
	n := f.Graph.Heads[s]
	return n != nil && !s.Serial && f.Fn.Decl.Kind == syntax.KernelFunc && f.outermost(n) == nil
}

// findStatic finds the branches and variables that are uniform as they are, by
// assuming that all are and taking back what is not.
func (f *Func) findStatic() {
	if f.static != nil {
		return
	}
	f.static = make([]bool, len(f.Graph.Nodes))
	f.known = map[*check.Object]bool{}
	for i := range f.static {
		f.static[i] = true
	}
	for _, p := range f.Fn.Params {
		f.known[p] = f.Fn.Decl.Kind != syntax.PlainFunc && !p.Addressed
	}
	for i, e := range f.Effects {
		for _, r := range e.Refs {
			if r.Object == nil || !IsLocal(r.Object) || r.Mode&(Write|Declare) == 0 {
				continue
			}
			if _, seen := f.known[r.Object]; !seen {
				f.known[r.Object] = f.mayBeUniform(f.Graph.Nodes[i], r.Object)
			}
		}
	}
	tainted := f.tainted(&Uniform{branch: f.static})
	for changed := true; changed; {
		changed = false
		branches := false
		for i, n := range f.Graph.Nodes {
			if f.static[i] && len(n.Succs) > 1 && !f.decidedAlike(n) {
				f.static[i], changed, branches = false, true, true
			}
			for _, r := range f.Effects[i].Refs {
				o := r.Object
				if o == nil || !f.known[o] || r.Mode&Write == 0 {
					continue
				}
				if len(tainted[i]) > 0 || r.Maybe || r.Part || !f.givesUniform(n, o) {
					f.known[o], changed = false, true
				}
			}
		}
		if branches {
			tainted = f.tainted(&Uniform{branch: f.static})
		}
	}
}

// mayBeUniform reports whether local o, first declared or set at n, can have a
// value that threads without an iteration of a ForAll share.
func (f *Func) mayBeUniform(n *Node, o *check.Object) bool {
	if o.Addressed || f.Fn.Decl.Kind == syntax.PlainFunc {
		return false
	}
	if f.outermost(n) == nil {
		return o.Decl != nil
	}
	if s, ok := o.Decl.(*syntax.ForAllStmt); ok {
		return s.Serial
	}
	return n.Scope != nil && n.Scope.Arm == Init // the counter of a for
}

// decidedAlike reports whether the condition of branch n is the same for all
// threads of a block.
func (f *Func) decidedAlike(n *Node) bool {
	switch s := n.Stmt.(type) {
	case *syntax.ForAllStmt:
		if f.Info.Types[s.Iter] == check.Ints {
			return f.isUniform(s.Iter) // of the outermost, too: the threads evaluate its bounds
		}
		return f.isOutermost(s) || f.isUniform(s.Iter)
	case *syntax.AtomicStmt, *syntax.ExclusiveStmt:
		return false
	case *syntax.IterateStmt, *syntax.PipeStmt:
		return true // host code: one thread
	}
	for _, e := range n.Exprs {
		if e, ok := e.(syntax.Expr); !ok || !f.isUniform(e) {
			return false
		}
	}
	return n.Kind == If || n.Kind == Switch || n.Kind == Loop
}

// givesUniform reports whether what node n stores in o is uniform. A ForAll
// inside the outermost one gives different threads different iterations.
func (f *Func) givesUniform(n *Node, o *check.Object) bool {
	switch s := n.Stmt.(type) {
	case *syntax.ForAllStmt:
		return s.Serial && f.isUniform(s.Iter)
	case *syntax.VarDecls:
		if f.outermost(n) != nil && !(n.Scope != nil && n.Scope.Arm == Init) {
			return false
		}
		for _, v := range s.Vars {
			if f.Info.Defs[v.Name] == o && v.Init != nil && !f.isUniform(v.Init) {
				return false
			}
		}
		return true
	}
	if f.outermost(n) != nil && n.Kind != Post && !(n.Scope != nil && n.Scope.Arm == Init) {
		return false
	}
	for _, e := range n.Exprs {
		if e, ok := e.(syntax.Expr); !ok || !f.isUniform(e) {
			return false
		}
	}
	return len(n.Exprs) > 0
}

// isUniform reports whether e has the same value in all threads of a block.
//
//irgl:allnodes Expr except LaunchExpr InvokeExpr SliceExpr InitList CompoundLit
func (f *Func) isUniform(e syntax.Expr) bool {
	if f.Info.Consts[e] != nil {
		return true
	}
	switch e := e.(type) {
	case *syntax.BasicLit, *syntax.SizeofExpr:
		return true
	case *syntax.Ident:
		return f.uniformObject(f.Info.Uses[e], e)
	case *syntax.ParenExpr:
		return f.isUniform(e.X)
	case *syntax.UnaryExpr:
		return e.Op != "&" && e.Op != "*" && f.isUniform(e.X)
	case *syntax.PostfixExpr:
		return f.isUniform(e.X)
	case *syntax.BinaryExpr:
		return f.isUniform(e.X) && f.isUniform(e.Y)
	case *syntax.AssignExpr:
		return f.isUniform(e.R) && (e.Op == "=" && isName(e.L) || f.isUniform(e.L))
	case *syntax.CondExpr:
		return f.isUniform(e.Cond) && f.isUniform(e.Then) && f.isUniform(e.Else)
	case *syntax.CastExpr:
		return f.isUniform(e.X)
	case *syntax.IndexExpr:
		if _, array := f.Info.Types[e.X].(*check.Array); !array && f.Info.Types[e.X] != check.Edges && f.Info.Types[e.X] != check.InEdges {
			return false
		}
		return f.isUniform(e.X) && f.isUniform(e.Index)
	case *syntax.MemberExpr:
		if e.Arrow || !f.isUniform(e.X) {
			return false
		}
		o := f.Info.Uses[e.Name]
		return o == nil || o.Kind != check.PropObj || f.uniformObject(o, e.Name)
	case *syntax.CallExpr:
		return f.uniformCall(e)
	}
	return false
}

// isName reports whether e is a plain name.
func isName(e syntax.Expr) bool {
	_, ok := syntax.Unparen(e).(*syntax.Ident)
	return ok
}

// uniformObject reports whether reading o by the name id gives all threads the
// same value. Memory that the kernel writes may change between two reads.
func (f *Func) uniformObject(o *check.Object, id *syntax.Ident) bool {
	if o == nil {
		o = f.Info.Defs[id]
	}
	switch {
	case o == nil:
		return false
	case IsLocal(o):
		return f.known[o]
	case isShared(o):
		return !o.Volatile && !slices.Contains(f.Fn.Writes, o)
	case o.Kind == check.BuiltinObj:
		b := check.LookupBuiltin(o.Name)
		return b == nil || b.Kind != builtin.Var // threadIdx and its like
	}
	return o.Kind == check.ConstObj || o.Kind == check.GraphObj || o.Kind == check.WorklistObj || o.Kind == check.ForeignObj
}

// uniformCall reports whether a call gives all threads the same value.
func (f *Func) uniformCall(e *syntax.CallExpr) bool {
	for _, a := range e.Args {
		if !f.isUniform(a) {
			return false
		}
	}
	switch fun := syntax.Unparen(e.Fun).(type) {
	case *syntax.MemberExpr:
		switch fun.Name.Name {
		case "nodes", "edges", "points", "elements", "pop":
			return f.isUniform(fun.X)
		}
	case *syntax.Ident:
		o := f.Info.Uses[fun]
		if o == nil {
			return false
		}
		if g := o.Func; g != nil {
			return len(g.Reads) == 0 && len(g.Writes) == 0 && len(g.Adds) == 0 && !g.Recursive && f.byValue(e)
		}
		b := check.LookupBuiltin(o.Name)
		return b != nil && b.Pure() && b.Object() == o && f.byValue(e)
	}
	return false
}

// byValue reports whether no argument of a call is a pointer.
func (f *Func) byValue(e *syntax.CallExpr) bool {
	for _, a := range e.Args {
		if !check.IsArithmetic(f.Info.Types[a]) {
			return false
		}
	}
	return true
}
