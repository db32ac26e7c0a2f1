package syntax

import "iter"

// A Visitor is called with the places in a node that hold other nodes. It may store
// another node of the place's type there. A place that holds none is skipped.
type Visitor interface {
	Expr(place *Expr)     // for any expression
	Stmt(place *Stmt)     // for any one statement
	Type(place *TypeExpr) // for any type
	// Stmts is called with a list of statements, which may be empty.
	Stmts(list *[]Stmt)
	// Node is called with a node whose place takes one kind of nodes, such as a name
	// or the block of a loop, and returns what to store there: n or one of its kind.
	Node(n Node) Node
}

// Visit calls v with the places directly in n, in the order of the text. All that
// walks, copies or rewrites trees uses it.
func Visit(n Node, v Visitor) { n.visit(places{v}) }

// places calls a visitor with the places of a node that are not empty.
type places struct{ v Visitor }

func (p places) expr(list ...*Expr) {
	for _, place := range list {
		if *place != nil {
			p.v.Expr(place)
		}
	}
}

func (p places) exprs(list []Expr) {
	for i := range list {
		p.expr(&list[i])
	}
}

func (p places) stmt(list ...*Stmt) {
	for _, place := range list {
		if *place != nil {
			p.v.Stmt(place)
		}
	}
}

func (p places) stmts(list *[]Stmt) { p.v.Stmts(list) }

func (p places) typ(place *TypeExpr) {
	if *place != nil {
		p.v.Type(place)
	}
}

// one visits a place for one kind of nodes. Visitors that store nothing may share a
// tree: the place is written only if the node changes.
func one[N interface {
	comparable
	Node
}](p places, place *N) {
	var none N
	if *place == none {
		return
	}
	if n := p.v.Node(*place); n != Node(*place) {
		*place = n.(N)
	}
}

// each visits the elements of a list of one kind of nodes.
func each[N interface {
	comparable
	Node
}](p places, list []N) {
	for i := range list {
		one(p, &list[i])
	}
}

// Inspect calls f for n and, when f returns true, for its children in the
// order of the text; after the children it calls f(nil).
func Inspect(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	if n != nil {
		Visit(n, inspector(f))
	}
	f(nil)
}

// An inspector is a Visitor that calls Inspect.
type inspector func(Node) bool

func (f inspector) Expr(place *Expr)     { Inspect(*place, f) }
func (f inspector) Stmt(place *Stmt)     { Inspect(*place, f) }
func (f inspector) Type(place *TypeExpr) { Inspect(*place, f) }

func (f inspector) Stmts(list *[]Stmt) {
	for _, s := range *list {
		if s != nil {
			Inspect(s, f)
		}
	}
}

func (f inspector) Node(n Node) Node {
	Inspect(n, f)
	return n
}

// Preorder returns an iterator over n and all nodes in it, parents first.
func Preorder(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		more := true
		Inspect(n, func(c Node) bool {
			if c != nil && more {
				more = yield(c)
			}
			return more && c != nil
		})
	}
}

// Unparen returns x without the parentheses around it.
func Unparen(x Expr) Expr {
	for {
		p, ok := x.(*ParenExpr)
		if !ok || p == nil {
			return x
		}
		x = p.X
	}
}
