package gogen

import (
	"fmt"

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
	id, ok := syntax.Unparen(x).(*syntax.Ident)
	if !ok {
		return rowKey{array, nil}
	}
	o := f.info.Uses[id]
	if o == nil || o.Global || o.Addressed || o.Kind != check.VarObj && o.Kind != check.ParamObj {
		return rowKey{array, nil}
	}
	return rowKey{array, o}
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
	for n := range syntax.Preorder(loop) {
		x, ok := n.(*syntax.IndexExpr)
		if !ok || !isRow(f.info.Types[x.X]) {
			continue
		}
		m, ok := syntax.Unparen(x.X).(*syntax.MemberExpr)
		if !ok {
			continue
		}
		array := "row"
		if f.info.Types[x.X] == check.InEdges {
			array = "inRow"
		}
		k := f.rowOf(array, m.X)
		if tried[k] {
			continue
		}
		tried[k] = true
		if k.node == nil || inside[k.node] || f.names[k.node] == "" || f.framed[k.node] || f.rows[k] != "" ||
			!f.bounds.nodeBefore(loop, k.node) || changes(f.info, k.node, loop) {
			continue
		}
		name := f.unique(k.node.Name + "Edges")
		f.used[k.node] = true
		f.define(name, "rt.Row", fmt.Sprintf("rt.RowOf(%s, %s)", f.array(array), f.names[k.node]))
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
