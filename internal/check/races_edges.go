package check

import (
	"slices"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// This file finds the data race that comes after the one on globals: a property of
// the node at an edge's far end that several iterations read, change and write, as in
// e.dst.count += 1. Edges of several nodes lead to one.
//
// The edge must be the variable of a loop. The near end is the iteration's own node,
// and the edges of a single node mostly have far ends that differ, so there must be a
// ForAll around a loop over the edges of a node.
//
// There is no warning behind a condition that can choose one iteration for each
// far end: it looks at the result of an atomic function, or compares a property of
// the far end with the iteration's own node, which has claimed it.

// A farFinder knows what can be seen of the local variables of one kernel.
type farFinder struct {
	c *checker
	// outer is the number of parallel ForAlls around each loop that was entered.
	outer map[*syntax.ForAllStmt]int
	// values are the expressions that each local variable is given.
	values map[*Object][]syntax.Expr
	// known holds the answers about variables; a variable that is given its own value
	// counts as false meanwhile.
	known map[question]bool
}

// A question is whether something holds for all values of a variable.
type question struct {
	of   *Object
	what string
}

func (c *checker) newFarFinder(body syntax.Node) *farFinder {
	f := &farFinder{c: c, outer: map[*syntax.ForAllStmt]int{}, values: map[*Object][]syntax.Expr{}, known: map[question]bool{}}
	add := func(id *syntax.Ident, value syntax.Expr) {
		if o := f.local(id); o != nil {
			f.values[o] = append(f.values[o], value)
		}
	}
	for n := range syntax.Preorder(body) {
		switch n := n.(type) {
		case *syntax.VarDecl:
			if n.Init != nil && n.Name != nil {
				add(n.Name, n.Init)
			}
		case *syntax.AssignExpr:
			if id, ok := syntax.Unparen(n.L).(*syntax.Ident); ok {
				add(id, n.R)
			}
		}
	}
	return f
}

// local returns the local variable that id declares or names; nil for none.
func (f *farFinder) local(id *syntax.Ident) *Object {
	o := f.c.info.Uses[id]
	if o == nil {
		o = f.c.info.Defs[id]
	}
	if o == nil || o.Kind != VarObj || o.Global {
		return nil
	}
	return o
}

// all reports whether the variable has values, and p, called what, holds for each.
func (f *farFinder) all(o *Object, what string, p func(syntax.Expr) bool) bool {
	if o == nil || len(f.values[o]) == 0 {
		return false
	}
	q := question{o, what}
	if answer, ok := f.known[q]; ok {
		return answer
	}
	f.known[q] = false
	f.known[q] = !slices.ContainsFunc(f.values[o], func(v syntax.Expr) bool { return !p(v) })
	return f.known[q]
}

// property returns the property of a far end that e names, as a whole or by an element
// with a constant index; nil for other places.
func (f *farFinder) property(e syntax.Expr) *Object {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.MemberExpr:
		if o := f.c.info.Uses[e.Name]; o != nil && o.Kind == PropObj && f.farEnd(e.X) {
			return o
		}
	case *syntax.IndexExpr:
		if f.c.info.Consts[e.Index] != nil {
			return f.property(e.X)
		}
	}
	return nil
}

// farEnd reports whether e is the far end of an edge that iterations of a ForAll
// visit, or a variable that holds one.
func (f *farFinder) farEnd(e syntax.Expr) bool {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.Ident:
		return f.all(f.local(e), "farEnd", f.farEnd)
	case *syntax.MemberExpr:
		edge, ok := syntax.Unparen(e.X).(*syntax.Ident)
		o := f.local(edge)
		if !ok || o == nil {
			return false
		}
		loop, ok := o.Decl.(*syntax.ForAllStmt)
		if !ok {
			return false
		}
		switch name := nameOf(e.Name); f.c.info.Types[loop.Iter] {
		case Edges:
			return name == "dst" && f.outer[loop] > 0
		case InEdges:
			return name == "src" && f.outer[loop] > 0
		case AllEdges:
			return (name == "dst" || name == "src") && (f.outer[loop] > 0 || !loop.Serial)
		}
	}
	return false
}

// chooses reports whether a condition can choose one iteration for each far end,
// whatever its outcome.
func (f *farFinder) chooses(cond syntax.Expr) bool {
	for n := range syntax.Preorder(cond) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				b := LookupBuiltin(id.Name)
				if b == nil || b.obj != f.c.info.Uses[id] || b.Effects&builtin.Atomic != 0 {
					return true // the program's own functions may call atomic ones
				}
			}
		case *syntax.Ident:
			if f.all(f.local(n), "chooses", f.chooses) {
				return true
			}
		case *syntax.BinaryExpr:
			equality := n.Op == "==" || n.Op == "!="
			if equality && (f.property(n.X) != nil && f.names(n.Y) || f.property(n.Y) != nil && f.names(n.X)) {
				return true
			}
		}
	}
	return false
}

// names reports whether e is the iteration's own node or the like, or its number.
func (f *farFinder) names(e syntax.Expr) bool {
	if id, ok := syntax.Unparen(e).(*syntax.Ident); ok && f.all(f.local(id), "names", f.names) {
		return true
	}
	return f.c.names(e)
}
