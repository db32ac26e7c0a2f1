package analysis

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file answers questions about the region of a node of an outline tree.

// Func returns the Host function that the node is in.
func (o *Outline) Func() *check.FuncInfo { return o.f.Fn }

// Key returns the node of the tree that a node stands for: a statement, or the
// declaration of the function.
func (o *Outline) Key() syntax.Node {
	if o.Stmt == nil {
		return o.f.Fn.Decl
	}
	return o.Stmt
}

// Code returns the text of the region: the statement, or the body of the function.
func (o *Outline) Code() syntax.Node {
	if o.Stmt == nil {
		return o.f.Fn.Decl.Body
	}
	return o.Stmt
}

// Nodes returns the node and those below it, in the order of their numbers.
func (o *Outline) Nodes() []*Outline {
	out := []*Outline{o}
	for _, c := range o.Children {
		out = append(out, c.Nodes()...)
	}
	return out
}

// Rounds reports whether the node is an Iterate or a Pipe that loops.
func (o *Outline) Rounds() bool {
	switch s := o.Stmt.(type) {
	case *syntax.IterateStmt:
		return true
	case *syntax.PipeStmt:
		return !s.Once
	}
	return false
}

// Loops reports whether a node has rounds, its own, of a node below it or of a
// kernel that retries: without any there is nothing to gain.
func (o *Outline) Loops() bool {
	switch s := o.Stmt.(type) {
	case nil:
	case *syntax.PipeStmt:
		if !s.Once {
			return true
		}
	default:
		return true
	}
	return slices.ContainsFunc(o.Children, (*Outline).Loops) ||
		slices.ContainsFunc(o.Calls, func(c Invocation) bool { return c.Kernel != nil && (c.Kernel.Retries || c.Kernel.Respawns) })
}

// Alone reports whether an invocation of the region is the only one in a statement of
// its own, not in a condition.
func (o *Outline) Alone(c Invocation) bool {
	if c.Invoke == nil {
		return true
	}
	switch c.Node.Stmt.(type) {
	case *syntax.ExprStmt, *syntax.VarDecls:
	default:
		return false
	}
	n := 0
	for _, other := range o.Calls {
		if other.Node == c.Node {
			n++
		}
	}
	return n == 1 && c.Node.Kind == Plain && !c.Node.InInit()
}

// InInit reports whether a node is in the first part of a for.
func (n *Node) InInit() bool { return n.Scope != nil && n.Scope.Arm == Init }

// Carried returns the variables of the host's code that the rounds of a loop in the
// region change and that live beyond a round, and why some of them are more than a
// number, which other threads cannot take over.
func (o *Outline) Carried(s syntax.Stmt) (vars []*check.Object, why []Reason) {
	f, own := o.f, map[*check.Object]bool{}
	syntax.Inspect(s, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && f.Info.Defs[id] != nil {
			own[f.Info.Defs[id]] = true
		}
		return true
	})
	for i, n := range f.Graph.Nodes {
		if !n.Within(s) {
			continue
		}
		for _, ref := range f.Effects[i].Refs {
			v := ref.Object
			if v == nil || own[v] || !IsLocal(v) && !slices.Contains(o.HostOnly, v) || slices.Contains(vars, v) {
				continue
			}
			switch {
			case ref.Mode&(Write|Escape) == 0: // as it was
			case ref.Mode&Escape != 0 || v.Addressed || v.Volatile || !check.IsArithmetic(v.Type) && !IsHandle(v.Type):
				why = append(why, Reason{ref.Expr.Pos(), v.Name + ", which its rounds may change, is more than a number"})
			default:
				vars = append(vars, v)
			}
		}
	}
	return vars, why
}
