package lower

import (
	"slices"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Iteration outlining (IrGL paper, section 4.1) moves loops of Host functions to
// the device. This file finds what the control kernels of the nodes that are planned
// to move need; control.go makes them.

// A region is a node that has a control kernel.
type region struct {
	*analysis.Outline
	planned plan.Node
	pipe    bool // kernels of it use worklists
	aggr    bool // and reductions

	// locals are declared at the top of the control kernel: in are copied from
	// the host, out to it.
	locals, in, out []*check.Object

	before map[syntax.Stmt]bool         // a barrier precedes the statement, or the rounds of an Iterate
	round  map[syntax.Stmt]bool         // a barrier precedes each round of an Iterate
	met    map[syntax.Stmt]bool         // and before its condition, each time
	split  map[syntax.Node]bool         // and between the arguments of an invocation and its kernel
	single map[syntax.Stmt]bool         // one thread executes the statement
	scopes map[syntax.Stmt]*scope       // loops whose rounds one block may execute alone
	fired  map[*syntax.CallExpr]variant // calls that stand for launches, in a control kernel that launches
	checks map[syntax.Stmt]room         // after it the thread sees whether there was room, or the run is to end
}

// room says what a statement can run out of, and whether it is one after which a
// run that is given up ends.
type room struct{ list, mesh, stop bool }

// outline finds the regions that are planned, and which kernels they and the host
// call.
func (l *lowerer) outline() {
	if len(l.plan.Nodes) > 0 {
		for _, root := range l.facts.Outlines() {
			l.regionsIn(root, nil)
		}
	}
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.HostFunc && f.Decl.Body != nil {
			l.callers(f.Decl, nil)
		}
	}
}

// regionsIn makes the regions of a node of an outline tree and of those below it; in is
// the one around it, or nil.
func (l *lowerer) regionsIn(o *analysis.Outline, in *region) {
	n := l.plan.Nodes[o.Key()]
	if n.Outline && in == nil {
		in = &region{Outline: o, planned: n}
		l.fill(in)
		l.regions[o.Key()] = in
		l.ordered = append(l.ordered, in)
	}
	if n.Items > 0 && in != nil {
		l.scopeIn(in, o, n)
	}
	for _, c := range o.Children {
		l.regionsIn(c, in)
	}
}

// callers notes the kernels that the host invokes in code, and those that are
// called in the regions of it.
func (l *lowerer) callers(code syntax.Node, in *region) {
	note := func(n syntax.Node, kernel *syntax.Ident, aggr syntax.Aggr) {
		v := variant{l.info.Uses[kernel].Func, aggr}
		switch {
		case in == nil:
			l.launched[v] = true
		case in.planned.Launches:
			l.fired[v] = true
		case in.split[n]:
			l.splits[v] = true
		default:
			l.called[v] = true
		}
	}
	syntax.Inspect(code, func(n syntax.Node) bool {
		if r := l.regions[n]; r != nil && in == nil {
			l.callers(n, r)
			return false
		}
		switch n := n.(type) {
		case *syntax.IterateStmt:
			note(n, n.Kernel, n.Aggr)
		case *syntax.InvokeExpr:
			note(n, n.Kernel, n.Aggr)
		case *syntax.CallExpr:
			if id, ok := n.Fun.(*syntax.Ident); ok && in != nil {
				if g := l.info.Uses[id]; g != nil && g.Func != nil {
					analysis.Reach(g.Func, l.inKernel)
				}
			}
		}
		return true
	})
}

// fill completes a region that has been chosen.
func (l *lowerer) fill(r *region) {
	r.before, r.met, r.single = map[syntax.Stmt]bool{}, map[syntax.Stmt]bool{}, map[syntax.Stmt]bool{}
	r.round, r.scopes = map[syntax.Stmt]bool{}, map[syntax.Stmt]*scope{}
	r.split, r.checks = map[syntax.Node]bool{}, map[syntax.Stmt]room{}
	for _, n := range r.Barriers {
		switch {
		case n.Kind == analysis.Loop || n.Kind == analysis.Iterate:
			r.met[n.Stmt] = true
		case n.Kind == analysis.Invoke && r.touches(n.Stmt):
			r.round[n.Stmt] = true
		default:
			r.before[n.Stmt] = true
		}
	}
	for _, c := range r.Calls {
		k := c.Kernel
		r.pipe, r.aggr = r.pipe || k.UsesWL, r.aggr || c.Aggr != syntax.NoAggr
		if slices.Contains(r.Split, c.Node) {
			r.split[invokes(c)] = true
		}
		// An invocation in a condition lets the loop around it go on.
		if r.Alone(c) {
			was := r.checks[c.Node.Stmt]
			r.checks[c.Node.Stmt] = room{was.list || k.UsesWL, was.mesh || len(k.Adds) > 0, true}
		}
	}
	if r.planned.Launches { // one thread executes the code, and what it launches ends before it goes on
		clear(r.before)
		clear(r.met)
		clear(r.round)
		clear(r.split)
		clear(r.checks)
	}
	r.in, r.out = slices.Concat(r.CopyIn, r.HostOnly), slices.Clone(r.CopyOut)
	for _, a := range r.Accesses {
		if a.Mode&^analysis.Read == 0 {
			continue
		}
		if !slices.Contains(r.HostOnly, a.Object) {
			r.single[a.Node.Stmt] = true
		} else if !slices.Contains(r.out, a.Object) {
			r.out = append(r.out, a.Object)
		}
	}
	own := map[*check.Object]bool{}
	syntax.Inspect(r.Code(), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.VarDecl:
			own[l.info.Defs[n.Name]] = true
		case *syntax.AssignExpr:
			own[l.info.Declares[n]] = true
		case *syntax.PipeStmt:
			r.pipe = true
		}
		return true
	})
	r.locals = slices.Clone(r.in)
	for _, o := range slices.Concat(r.CopyOut, r.Private) {
		if !slices.Contains(r.locals, o) && !own[o] {
			r.locals = append(r.locals, o)
		}
	}
}

// byGrid reports whether all threads of a grid execute the code of the region: r may be nil.
func (r *region) byGrid() bool { return r != nil && !r.planned.Launches }

// touches reports whether host code in the rounds of an Iterate accesses device
// memory, but for the arguments: otherwise the barrier behind a round is enough
// for the next one.
func (r *region) touches(s syntax.Stmt) bool {
	return slices.ContainsFunc(r.Accesses, func(a analysis.Access) bool {
		own := a.Node.Stmt == s && a.Node.Kind == analysis.Invoke
		return a.Node.Within(s) && !own && !slices.Contains(r.HostOnly, a.Object)
	})
}

// invokes returns the node of the tree that an invocation is.
func invokes(c analysis.Invocation) syntax.Node {
	if c.Invoke != nil {
		return c.Invoke
	}
	return c.Node.Stmt
}
