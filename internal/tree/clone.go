package tree

import (
	"reflect"

	"irgl/syntax"
)

// Clone returns a deep copy of n. The copy has the positions of the original, and
// each node one place in it, but for the body of a type that several declarators
// share.
func Clone[T syntax.Node](n T) T { return CloneWith(n, nil) }

// CloneWith is Clone for trees with side tables: copied, if not nil, is called with
// each node and its copy, parents before their children.
func CloneWith[T syntax.Node](n T, copied func(old, new syntax.Node)) T {
	attributes := map[syntax.Node][]*syntax.Attribute{}
	f, ok := syntax.Node(n).(*syntax.File)
	if ok && len(f.Attributes) > 0 {
		others := copied
		copied = func(old, new syntax.Node) {
			if list := f.Attributes[old]; list != nil {
				attributes[new] = list
			}
			if others != nil {
				others(old, new)
			}
		}
	}
	c := cloner{copied: copied}
	out := c.Node(n).(T)
	if len(attributes) > 0 {
		syntax.Node(out).(*syntax.File).Attributes = attributes
	}
	return out
}

// Clones returns deep copies of a list of statements.
func Clones(list []syntax.Stmt) []syntax.Stmt {
	out := make([]syntax.Stmt, len(list))
	for i, s := range list {
		out[i] = Clone(s)
	}
	return out
}

// A cloner replaces the children of a copy by copies.
type cloner struct {
	copied func(old, new syntax.Node)
	// tags has the copies of struct, union and enum types with a body: the
	// declarators of struct { int x; } a, b; share one, which is their one type.
	tags map[*syntax.TagType]syntax.Node
}

func (c *cloner) Expr(place *syntax.Expr)     { *place = c.Node(*place).(syntax.Expr) }
func (c *cloner) Stmt(place *syntax.Stmt)     { *place = c.Node(*place).(syntax.Stmt) }
func (c *cloner) Type(place *syntax.TypeExpr) { *place = c.Node(*place).(syntax.TypeExpr) }

func (c *cloner) Stmts(list *[]syntax.Stmt) {
	for i := range *list {
		c.Stmt(&(*list)[i])
	}
}

// Node returns a copy of n.
func (c *cloner) Node(n syntax.Node) syntax.Node {
	t, body := n.(*syntax.TagType)
	body = body && t.Defined
	if body && c.tags[t] != nil {
		return c.tags[t]
	}
	out := shallow(n)
	if body {
		if c.tags == nil {
			c.tags = map[*syntax.TagType]syntax.Node{}
		}
		c.tags[t] = out
	}
	if c.copied != nil {
		c.copied(n, out)
	}
	syntax.Visit(out, c)
	return out
}

// shallow returns a copy of one node, with lists of its own but the same children.
func shallow(n syntax.Node) syntax.Node {
	old := reflect.ValueOf(n).Elem()
	out := reflect.New(old.Type())
	out.Elem().Set(old)
	for i := range old.NumField() {
		if f := out.Elem().Field(i); f.Kind() == reflect.Slice && !f.IsNil() {
			list := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
			reflect.Copy(list, f)
			f.Set(list)
		}
	}
	return out.Interface().(syntax.Node)
}
