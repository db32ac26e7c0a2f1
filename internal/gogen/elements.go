package gogen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// What is proven of the elements of arrays: of all elements of one array, local or
// global, or of a property. A pointer parameter stands for the elements of the arrays
// that calls pass. An array that is used in other ways, such as to compute an address,
// has elements of which nothing is proven.

// elem returns the type of the elements of an array or behind a pointer, nil for
// other types.
func elem(t check.Type) check.Type {
	switch t := t.(type) {
	case *check.Array:
		return t.Elem
	case *check.Pointer:
		return t.Elem
	}
	return nil
}

// array returns the variable or property whose elements x[i] are, or nil.
func (b *bounds) array(x syntax.Expr) *check.Object {
	x = syntax.Unparen(x)
	switch x.(type) {
	case *syntax.Ident, *syntax.MemberExpr:
		if o := b.storage(x); o != nil && elem(o.Type) != nil {
			return o
		}
	}
	return nil
}

// zeroOf returns the value of a property of a domain that starts as 0: where there is
// a node, an edge, a point or an element to look at, there is a first one.
func zeroOf(d syntax.Domain) value { return value{0, 0, inhabited(d)} }

// inhabited returns the domains that have a number 0 where there is something of d.
func inhabited(d syntax.Domain) domainSet {
	switch d {
	case syntax.EdgeDomain:
		return 1<<syntax.EdgeDomain | 1<<syntax.NodeDomain
	case syntax.ElementDomain:
		return 1<<syntax.ElementDomain | 1<<syntax.PointDomain
	}
	return 1 << d
}

// variable notes the value that a variable starts with. Elements of an array without
// one are 0, or what was stored in them before; nothing of a mesh is looked at when it has
// no points.
func (b *bounds) variable(o *check.Object, init syntax.Expr) {
	if o == nil {
		return
	}
	if _, ok := o.Type.(*check.Array); ok && init == nil {
		b.store(o, nil, zeroOf(syntax.ElementDomain))
		return
	}
	b.store(o, init, anything)
}

// sameElements notes that the pointer parameter to is the array from in a call: what
// is stored through one is in the other.
func (b *bounds) sameElements(to *check.Object, from syntax.Expr) {
	o := b.array(from)
	if o == nil || !sameType(elem(o.Type), elem(to.Type)) {
		b.store(to, nil, anything)
		if o != nil {
			b.store(o, nil, anything)
		}
		return
	}
	b.unit.flows = append(b.unit.flows, flow{to: to, with: o}, flow{to: o, with: to})
}

// sameType reports whether both are scalars that keep the same facts.
func sameType(s, t check.Type) bool {
	return isScalarInt(s) && isScalarInt(t) && s.Size() == t.Size() && check.IsUnsigned(s) == check.IsUnsigned(t)
}

// escapes notes the arrays of which body takes more than elements.
func (b *bounds) escapes(body syntax.Node) {
	known := map[syntax.Node]bool{}
	for n := range syntax.Preorder(body) {
		switch n := n.(type) {
		case *syntax.IndexExpr:
			known[syntax.Unparen(n.X)] = true
		case *syntax.SliceExpr: // a list: Exclusive and Initial only read it
			known[syntax.Unparen(n.X)] = true
		case *syntax.CallExpr:
			id, ok := syntax.Unparen(n.Fun).(*syntax.Ident)
			if !ok || b.info.Uses[id] == nil || b.info.Uses[id].Kind != check.FuncObj || b.info.Uses[id].Func == nil {
				break
			}
			for _, a := range n.Args { // sameElements
				known[syntax.Unparen(a)] = true
			}
		case *syntax.Ident:
			if o := b.info.Uses[n]; o != nil && o.Kind != check.PropObj && elem(o.Type) != nil && !known[n] {
				b.store(o, nil, anything)
			}
		case *syntax.MemberExpr:
			if o := b.array(n); o != nil && !known[n] {
				b.store(o, nil, anything)
			}
		}
	}
}
