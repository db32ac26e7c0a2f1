package tree

import "irgl/syntax"

// A visitor is called with the places of a node that hold other nodes. It may
// store another node of the place's kind there.
type visitor struct {
	expr func(*syntax.Expr)            // a place for any expression, which has one
	stmt func(*syntax.Stmt)            // a place for one statement, which has one
	list func(*[]syntax.Stmt)          // a list of statements
	typ  func(*syntax.TypeExpr)        // a place for any type, which has one
	node func(syntax.Node) syntax.Node // a place for one kind of node; the result has the same
}

// fixed visits a place for one kind of node.
func fixed[T any, P interface {
	*T
	syntax.Node
}](v *visitor, place *P) {
	if *place != nil {
		*place = v.node(*place).(P)
	}
}

// each visits the elements of a list of one kind of node.
func each[T any, P interface {
	*T
	syntax.Node
}](v *visitor, list []P) {
	for i := range list {
		fixed(v, &list[i])
	}
}

func (v *visitor) exprs(list []syntax.Expr) {
	for i := range list {
		v.opt(&list[i])
	}
}

func (v *visitor) opt(place *syntax.Expr) {
	if *place != nil {
		v.expr(place)
	}
}

func (v *visitor) one(place *syntax.Stmt) {
	if *place != nil {
		v.stmt(place)
	}
}

func (v *visitor) of(place *syntax.TypeExpr) {
	if *place != nil {
		v.typ(place)
	}
}

// children visits the places of n, in the order of syntax.Inspect.
func (v *visitor) children(n syntax.Node) {
	switch n := n.(type) {
	case syntax.Expr:
		v.inExpr(n)
	case syntax.TypeExpr:
		v.inType(n)
	case syntax.Decl: // before Stmt: VarDecls and TypeDecl are both
		v.inDecl(n)
	case syntax.Stmt:
		v.inStmt(n)
	case *syntax.File:
		for i, d := range n.Decls {
			n.Decls[i] = v.node(d).(syntax.Decl)
		}
	case *syntax.PropDecl:
		v.of(&n.Type)
		fixed(v, &n.Name)
		v.opt(&n.Init)
	case *syntax.RacyDecl:
		fixed(v, &n.Name)
	case *syntax.Param:
		v.of(&n.Type)
		fixed(v, &n.Name)
		v.opt(&n.Default)
	case *syntax.VarDecl:
		v.of(&n.Type)
		fixed(v, &n.Name)
		v.opt(&n.Init)
	case *syntax.EnumConst:
		fixed(v, &n.Name)
		v.opt(&n.Value)
	case *syntax.InitElem:
		fixed(v, &n.Field)
		v.opt(&n.Index)
		v.opt(&n.Value)
	case *syntax.WorklistInit:
		v.exprs(n.Items)
		v.opt(&n.Size)
	case *syntax.ExtraCond:
		v.opt(&n.Cond)
	}
}

//irgl:allnodes Decl
func (v *visitor) inDecl(n syntax.Decl) {
	switch n := n.(type) {
	case *syntax.GraphDecl:
		fixed(v, &n.Name)
		each(v, n.Requires)
		each(v, n.Props)
		each(v, n.Racy)
	case *syntax.MeshDecl:
		fixed(v, &n.Name)
		each(v, n.Requires)
		each(v, n.Props)
		each(v, n.Racy)
	case *syntax.NamesDecl:
		each(v, n.Names)
	case *syntax.CBlock:
		each(v, n.Reads)
		each(v, n.Writes)
	case *syntax.DefineDecl:
		fixed(v, &n.Name)
		v.opt(&n.Value)
	case *syntax.VarDecls:
		v.opt(&n.Align)
		each(v, n.Vars)
	case *syntax.TypeDecl:
		fixed(v, &n.Name)
		v.of(&n.Type)
	case *syntax.FuncDecl:
		v.of(&n.Result)
		fixed(v, &n.Name)
		each(v, n.Params)
		v.exprs(n.Bounds)
		v.exprs(n.Cluster)
		fixed(v, &n.Body)
	}
}

func (v *visitor) inType(n syntax.TypeExpr) {
	switch n := n.(type) {
	case *syntax.TagType:
		v.opt(&n.Align)
		fixed(v, &n.Tag)
		each(v, n.Fields)
		each(v, n.Enums)
	case *syntax.PointerType:
		v.of(&n.Elem)
	case *syntax.ArrayType:
		v.of(&n.Elem)
		v.opt(&n.Len)
	case *syntax.FuncType:
		v.of(&n.Result)
		each(v, n.Params)
	case *syntax.QualType:
		v.of(&n.Elem)
	}
}

//irgl:flatswitch
//irgl:allnodes Stmt except VarDecls TypeDecl EmptyStmt BreakStmt ContinueStmt BarrierStmt CBlock
func (v *visitor) inStmt(n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.Block:
		v.list(&n.Stmts)
	case *syntax.ExprStmt:
		v.opt(&n.X)
	case *syntax.IfStmt:
		v.opt(&n.Cond)
		v.one(&n.Then)
		v.one(&n.Else)
	case *syntax.ForStmt:
		if n.Init != nil { // a declaration or an expression statement stays one
			n.Init = v.node(n.Init).(syntax.Stmt)
		}
		v.opt(&n.Cond)
		v.opt(&n.Post)
		v.one(&n.Body)
	case *syntax.WhileStmt:
		if n.Do {
			v.one(&n.Body)
		}
		v.opt(&n.Cond)
		if !n.Do {
			v.one(&n.Body)
		}
	case *syntax.SwitchStmt:
		v.opt(&n.X)
		fixed(v, &n.Body)
	case *syntax.CaseStmt:
		v.opt(&n.Value)
	case *syntax.ReturnStmt:
		v.opt(&n.X)
	case *syntax.LabelStmt:
		fixed(v, &n.Name)
	case *syntax.GotoStmt:
		fixed(v, &n.Name)
	case *syntax.ForAllStmt:
		fixed(v, &n.Var)
		v.opt(&n.Iter)
		fixed(v, &n.Body)
	case *syntax.ReduceStmt:
		v.opt(&n.Value)
	case *syntax.IterateStmt:
		fixed(v, &n.Kernel)
		v.exprs(n.Args)
		fixed(v, &n.Initial)
		fixed(v, &n.Extra)
		fixed(v, &n.Body)
	case *syntax.PipeStmt:
		fixed(v, &n.Initial)
		fixed(v, &n.Body)
	case *syntax.AtomicStmt:
		v.opt(&n.Lock)
		fixed(v, &n.Body)
		fixed(v, &n.Else)
	case *syntax.ExclusiveStmt:
		v.opt(&n.Object)
		each(v, n.Locks)
		fixed(v, &n.Body)
		fixed(v, &n.Else)
	case *syntax.RetryStmt:
		v.opt(&n.Item)
	}
}

//irgl:flatswitch
//irgl:allnodes Expr except Ident BasicLit
func (v *visitor) inExpr(n syntax.Expr) {
	switch n := n.(type) {
	case *syntax.ParenExpr:
		v.opt(&n.X)
	case *syntax.UnaryExpr:
		v.opt(&n.X)
	case *syntax.PostfixExpr:
		v.opt(&n.X)
	case *syntax.BinaryExpr:
		v.opt(&n.X)
		v.opt(&n.Y)
	case *syntax.AssignExpr:
		v.opt(&n.L)
		v.opt(&n.R)
	case *syntax.CondExpr:
		v.opt(&n.Cond)
		v.opt(&n.Then)
		v.opt(&n.Else)
	case *syntax.CallExpr:
		v.opt(&n.Fun)
		v.exprs(n.Args)
	case *syntax.LaunchExpr:
		v.opt(&n.Fun)
		v.opt(&n.Grid)
		v.opt(&n.Block)
		v.opt(&n.Shared)
		v.opt(&n.Stream)
		v.exprs(n.Args)
	case *syntax.InvokeExpr:
		fixed(v, &n.Kernel)
		v.exprs(n.Args)
	case *syntax.IndexExpr:
		v.opt(&n.X)
		v.opt(&n.Index)
	case *syntax.SliceExpr:
		v.opt(&n.X)
		v.opt(&n.Low)
		v.opt(&n.High)
		v.opt(&n.Step)
	case *syntax.MemberExpr:
		v.opt(&n.X)
		fixed(v, &n.Name)
	case *syntax.CastExpr:
		v.of(&n.Type)
		v.opt(&n.X)
	case *syntax.SizeofExpr:
		v.opt(&n.X)
		v.of(&n.Type)
	case *syntax.InitList:
		each(v, n.Elems)
	case *syntax.CompoundLit:
		v.of(&n.Type)
		fixed(v, &n.Init)
	}
}
