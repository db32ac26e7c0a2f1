package gogen

import (
	"fmt"
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// A rowKey is a variable that holds a node, and the array with the bounds of its
// edges: row or inRow.
type rowKey struct {
	array string
	node  *check.Object
}

// rowOf returns the key for a node expression; its node is nil unless x is a local
// variable.
func (f *fn) rowOf(array string, x syntax.Expr) rowKey {
	o := f.variable(x)
	if o == nil {
		return rowKey{array, nil}
	}
	return rowKey{array, f.origin(o)}
}

// degree translates the number of a node's edges.
func (f *fn) degree(array string, x syntax.Expr) val {
	if r := f.rows[f.rowOf(array, x)]; r != "" {
		return val{s: r + ".Count()", prec: precOperand, t: check.Int}
	}
	return val{s: fmt.Sprintf("rt.Degree(%s, %s)", f.array(array), f.nodeOf(x)), prec: precOperand, t: check.Int}
}

// edges translates the range of a node's edges.
func (f *fn) edges(array string, x syntax.Expr, t check.Type) val {
	if r := f.rows[f.rowOf(array, x)]; r != "" {
		return val{s: r + ".Range()", prec: precOperand, t: t}
	}
	return val{s: fmt.Sprintf("rt.EdgesOf(%s, %s)", f.array(array), f.nodeOf(x)), prec: precOperand, t: t}
}

// holdRows reads, before a loop, the bounds of the edges that the loop takes by
// their numbers, n.edges[i], where n is the same in all iterations: checking i then
// costs no load. It returns what ends the holding, behind the loop.
func (f *fn) holdRows(loop syntax.Node) func() {
	var keys []rowKey
	inside, tried := map[*check.Object]bool{}, map[rowKey]bool{}
	for n := range syntax.Preorder(loop) {
		switch n := n.(type) {
		case *syntax.Ident:
			inside[f.info.Defs[n]] = true
		case *syntax.AssignExpr:
			inside[f.info.Declares[n]] = true
		}
	}
	for _, use := range f.rowUses(loop) {
		k := rowKey{use.array, f.origin(use.node)}
		if tried[k] {
			continue
		}
		tried[k] = true
		if inside[use.node] || f.names[k.node] == "" || f.framed[k.node] || f.rows[k] != "" ||
			!f.bounds.nodeBefore(loop, use.node) || changes(f.info, use.node, loop) {
			continue
		}
		name := f.unique(k.node.Name + "Edges")
		f.used[k.node] = true
		f.define(name, "rt.Row", fmt.Sprintf("rt.RowOf(%s, %s)", f.array(k.array), f.names[k.node]))
		f.emit("_ = %s", name)
		f.rows[k] = name
		keys = append(keys, k)
	}
	return func() {
		for _, k := range keys {
			delete(f.rows, k)
		}
	}
}

// rowUses returns the local variables that hold the nodes of n.edges[i] below x, also in
// functions that are inlined there.
func (f *fn) rowUses(x syntax.Node) []rowKey {
	var uses []rowKey
	add := func(array string, x syntax.Expr) {
		if o := f.variable(x); o != nil {
			uses = append(uses, rowKey{array, o})
		}
	}
	for n := range syntax.Preorder(x) {
		switch n := n.(type) {
		case *syntax.IndexExpr:
			m, ok := syntax.Unparen(n.X).(*syntax.MemberExpr)
			switch t := f.info.Types[n.X]; {
			case ok && t == check.Edges:
				add("row", m.X)
			case ok && t == check.InEdges:
				add("inRow", m.X)
			}
		case *syntax.CallExpr:
			id, _ := syntax.Unparen(n.Fun).(*syntax.Ident)
			if id == nil || f.info.Uses[id] == nil || f.info.Uses[id].Kind != check.FuncObj || !f.inlines(f.info.Uses[id]) {
				continue
			}
			o := f.info.Uses[id].Func
			for _, use := range f.rowUses(o.Decl.Body) {
				if i := slices.Index(o.Params, use.node); i >= 0 && !changes(f.info, use.node, o.Decl.Body) {
					add(use.array, n.Args[i])
				}
			}
		}
	}
	return uses
}
