package tree

import (
	"fmt"
	"slices"

	"irgl/syntax"
)

// Clone returns a deep copy of n. The copy has the positions of the original, and
// each node one place in it, but for the body of a type that several declarators
// share.
func Clone[T syntax.Node](n T) T { return CloneWith(n, nil) }

// CloneWith is Clone for trees with side tables: copied, if not nil, is called with
// each node and its copy, parents before their children.
func CloneWith[T syntax.Node](n T, copied func(old, new syntax.Node)) T {
	c := cloner{copied: copied}
	c.visitor = visitor{
		expr: func(p *syntax.Expr) { *p = c.clone(*p).(syntax.Expr) },
		stmt: func(p *syntax.Stmt) { *p = c.clone(*p).(syntax.Stmt) },
		typ:  func(p *syntax.TypeExpr) { *p = c.clone(*p).(syntax.TypeExpr) },
		list: func(p *[]syntax.Stmt) {
			for i, s := range *p {
				(*p)[i] = c.clone(s).(syntax.Stmt)
			}
		},
		node: c.clone,
	}
	return c.clone(n).(T)
}

// Clones returns deep copies of a list of statements.
func Clones(list []syntax.Stmt) []syntax.Stmt {
	out := make([]syntax.Stmt, len(list))
	for i, s := range list {
		out[i] = Clone(s)
	}
	return out
}

type cloner struct {
	visitor
	copied func(old, new syntax.Node)
	// tags has the copies of struct, union and enum types with a body: the
	// declarators of struct { int x; } a, b; share one, which is their one type.
	tags map[*syntax.TagType]syntax.Node
}

func (c *cloner) clone(n syntax.Node) syntax.Node {
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
	c.children(out)
	return out
}

func copyOf[T any](n *T) *T {
	c := *n
	return &c
}

// shallow returns a copy of one node, with lists of its own but the same children.
func shallow(n syntax.Node) syntax.Node {
	switch n := n.(type) {
	case syntax.Expr:
		return shallowExpr(n)
	case syntax.TypeExpr:
		return shallowType(n)
	case syntax.Decl:
		return shallowDecl(n)
	case syntax.Stmt:
		return shallowStmt(n)
	case *syntax.File:
		c := copyOf(n)
		c.Decls = slices.Clone(n.Decls)
		return c
	case *syntax.PropDecl:
		return copyOf(n)
	case *syntax.RacyDecl:
		return copyOf(n)
	case *syntax.Param:
		return copyOf(n)
	case *syntax.VarDecl:
		return copyOf(n)
	case *syntax.EnumConst:
		return copyOf(n)
	case *syntax.InitElem:
		return copyOf(n)
	case *syntax.ExtraCond:
		return copyOf(n)
	case *syntax.WorklistInit:
		c := copyOf(n)
		c.Items = slices.Clone(n.Items)
		return c
	}
	panic(unknown(n))
}

func unknown(n syntax.Node) string { return fmt.Sprintf("tree: unknown node %T", n) }

//irgl:allnodes Decl
func shallowDecl(n syntax.Decl) syntax.Node {
	switch n := n.(type) {
	case *syntax.GraphDecl:
		c := copyOf(n)
		c.Requires, c.Props, c.Racy = slices.Clone(n.Requires), slices.Clone(n.Props), slices.Clone(n.Racy)
		return c
	case *syntax.MeshDecl:
		c := copyOf(n)
		c.Requires, c.Props, c.Racy = slices.Clone(n.Requires), slices.Clone(n.Props), slices.Clone(n.Racy)
		return c
	case *syntax.NamesDecl:
		c := copyOf(n)
		c.Names = slices.Clone(n.Names)
		return c
	case *syntax.CBlock:
		c := copyOf(n)
		c.Reads, c.Writes = slices.Clone(n.Reads), slices.Clone(n.Writes)
		return c
	case *syntax.DefineDecl:
		return copyOf(n)
	case *syntax.TypeDecl:
		return copyOf(n)
	case *syntax.VarDecls:
		c := copyOf(n)
		c.Vars = slices.Clone(n.Vars)
		return c
	case *syntax.FuncDecl:
		c := copyOf(n)
		c.Params, c.Bounds, c.Cluster = slices.Clone(n.Params), slices.Clone(n.Bounds), slices.Clone(n.Cluster)
		return c
	}
	panic(unknown(n))
}

//irgl:allnodes TypeExpr
func shallowType(n syntax.TypeExpr) syntax.Node {
	switch n := n.(type) {
	case *syntax.BasicType:
		return copyOf(n)
	case *syntax.NamedType:
		return copyOf(n)
	case *syntax.TagType:
		c := copyOf(n)
		c.Fields, c.Enums = slices.Clone(n.Fields), slices.Clone(n.Enums)
		return c
	case *syntax.PointerType:
		return copyOf(n)
	case *syntax.ArrayType:
		return copyOf(n)
	case *syntax.FuncType:
		c := copyOf(n)
		c.Params = slices.Clone(n.Params)
		return c
	case *syntax.QualType:
		return copyOf(n)
	}
	panic(unknown(n))
}

//irgl:flatswitch
//irgl:allnodes Stmt except VarDecls TypeDecl CBlock
func shallowStmt(n syntax.Stmt) syntax.Node {
	switch n := n.(type) {
	case *syntax.Block:
		c := copyOf(n)
		c.Stmts = slices.Clone(n.Stmts)
		return c
	case *syntax.ExprStmt:
		return copyOf(n)
	case *syntax.EmptyStmt:
		return copyOf(n)
	case *syntax.IfStmt:
		return copyOf(n)
	case *syntax.ForStmt:
		return copyOf(n)
	case *syntax.WhileStmt:
		return copyOf(n)
	case *syntax.SwitchStmt:
		return copyOf(n)
	case *syntax.CaseStmt:
		return copyOf(n)
	case *syntax.ReturnStmt:
		return copyOf(n)
	case *syntax.BreakStmt:
		return copyOf(n)
	case *syntax.ContinueStmt:
		return copyOf(n)
	case *syntax.LabelStmt:
		return copyOf(n)
	case *syntax.GotoStmt:
		return copyOf(n)
	case *syntax.ForAllStmt:
		return copyOf(n)
	case *syntax.ReduceStmt:
		return copyOf(n)
	case *syntax.IterateStmt:
		c := copyOf(n)
		c.Args = slices.Clone(n.Args)
		return c
	case *syntax.PipeStmt:
		return copyOf(n)
	case *syntax.AtomicStmt:
		return copyOf(n)
	case *syntax.ExclusiveStmt:
		c := copyOf(n)
		c.Locks = slices.Clone(n.Locks)
		return c
	case *syntax.BarrierStmt:
		return copyOf(n)
	case *syntax.RetryStmt:
		return copyOf(n)
	}
	panic(unknown(n))
}

//irgl:flatswitch
//irgl:allnodes Expr
func shallowExpr(n syntax.Expr) syntax.Node {
	switch n := n.(type) {
	case *syntax.Ident:
		return copyOf(n)
	case *syntax.BasicLit:
		return copyOf(n)
	case *syntax.ParenExpr:
		return copyOf(n)
	case *syntax.UnaryExpr:
		return copyOf(n)
	case *syntax.PostfixExpr:
		return copyOf(n)
	case *syntax.BinaryExpr:
		return copyOf(n)
	case *syntax.AssignExpr:
		return copyOf(n)
	case *syntax.CondExpr:
		return copyOf(n)
	case *syntax.CallExpr:
		c := copyOf(n)
		c.Args = slices.Clone(n.Args)
		return c
	case *syntax.LaunchExpr:
		c := copyOf(n)
		c.Args = slices.Clone(n.Args)
		return c
	case *syntax.InvokeExpr:
		c := copyOf(n)
		c.Args = slices.Clone(n.Args)
		return c
	case *syntax.IndexExpr:
		return copyOf(n)
	case *syntax.SliceExpr:
		return copyOf(n)
	case *syntax.MemberExpr:
		return copyOf(n)
	case *syntax.CastExpr:
		return copyOf(n)
	case *syntax.SizeofExpr:
		return copyOf(n)
	case *syntax.InitList:
		c := copyOf(n)
		c.Elems = slices.Clone(n.Elems)
		return c
	case *syntax.CompoundLit:
		return copyOf(n)
	}
	panic(unknown(n))
}
