package syntax

import "iter"

// Inspect calls f for n and, when f returns true, for its children in the
// order of the text; after the children it calls f(nil).
func Inspect(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	children(n, func(c Node) { Inspect(c, f) })
	f(nil)
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

// each calls visit for the elements of a list.
func each[T Node](list []T, visit func(Node)) {
	for _, n := range list {
		visit(n)
	}
}

// opt calls visit for nodes that are not nil.
func opt(visit func(Node), list ...Node) {
	for _, n := range list {
		if n != nil {
			visit(n)
		}
	}
}

// ident returns id as a Node, nil for nil.
func ident(id *Ident) Node {
	if id == nil {
		return nil
	}
	return id
}

// children calls visit for each direct child of n.
//
//irgl:allnodes Part except Comment
func children(n Node, visit func(Node)) {
	switch n := n.(type) {
	case Expr:
		exprChildren(n, visit)
	case TypeExpr:
		typeChildren(n, visit)
	case Decl: // before Stmt: VarDecls and TypeDecl are both
		declChildren(n, visit)
	case Stmt:
		stmtChildren(n, visit)
	case *File:
		each(n.Decls, visit)
	case *PropDecl:
		opt(visit, n.Type, ident(n.Name), n.Init)
	case *RacyDecl:
		visit(n.Name)
	case *Param:
		opt(visit, n.Type, ident(n.Name), n.Default)
	case *VarDecl:
		opt(visit, n.Type, ident(n.Name), n.Init)
	case *EnumConst:
		opt(visit, n.Name, n.Value)
	case *InitElem:
		opt(visit, ident(n.Field), n.Index, n.Value)
	case *WorklistInit:
		each(n.Items, visit)
		opt(visit, n.Size)
	case *ExtraCond:
		visit(n.Cond)
	}
}

//irgl:allnodes Decl
func declChildren(n Decl, visit func(Node)) {
	switch n := n.(type) {
	case *GraphDecl:
		visit(n.Name)
		each(n.Requires, visit)
		each(n.Props, visit)
		each(n.Racy, visit)
	case *MeshDecl:
		visit(n.Name)
		each(n.Requires, visit)
		each(n.Props, visit)
		each(n.Racy, visit)
	case *NamesDecl:
		each(n.Names, visit)
	case *CBlock:
		each(n.Reads, visit)
		each(n.Writes, visit)
	case *DefineDecl:
		opt(visit, n.Name, n.Value)
	case *VarDecls:
		opt(visit, n.Align)
		each(n.Vars, visit)
	case *TypeDecl:
		opt(visit, ident(n.Name), n.Type)
	case *FuncDecl:
		opt(visit, n.Result, n.Name)
		each(n.Params, visit)
		each(n.Bounds, visit)
		each(n.Cluster, visit)
		if n.Body != nil {
			visit(n.Body)
		}
	}
}

//irgl:allnodes TypeExpr except BasicType NamedType
func typeChildren(n TypeExpr, visit func(Node)) {
	switch n := n.(type) {
	case *TagType:
		opt(visit, n.Align, ident(n.Tag))
		each(n.Fields, visit)
		each(n.Enums, visit)
	case *PointerType:
		opt(visit, n.Elem)
	case *ArrayType:
		opt(visit, n.Elem, n.Len)
	case *FuncType:
		opt(visit, n.Result)
		each(n.Params, visit)
	case *QualType:
		opt(visit, n.Elem)
	}
}

//irgl:allnodes Stmt except VarDecls TypeDecl EmptyStmt BreakStmt ContinueStmt BarrierStmt CBlock
func stmtChildren(n Stmt, visit func(Node)) {
	switch n := n.(type) {
	case *Block:
		each(n.Stmts, visit)
	case *ExprStmt:
		visit(n.X)
	case *IfStmt:
		opt(visit, n.Cond, n.Then, n.Else)
	case *ForStmt:
		opt(visit, n.Init, n.Cond, n.Post, n.Body)
	case *WhileStmt:
		if n.Do {
			opt(visit, n.Body, n.Cond)
		} else {
			opt(visit, n.Cond, n.Body)
		}
	case *SwitchStmt:
		opt(visit, n.X, n.Body)
	case *CaseStmt:
		opt(visit, n.Value)
	case *ReturnStmt:
		opt(visit, n.X)
	case *LabelStmt:
		visit(n.Name)
	case *GotoStmt:
		visit(n.Name)
	case *ForAllStmt:
		opt(visit, n.Var, n.Iter, n.Body)
	case *ReduceStmt:
		visit(n.Value)
	case *IterateStmt:
		visit(n.Kernel)
		each(n.Args, visit)
		worklistParts(n.Initial, n.Extra, n.Body, visit)
	case *PipeStmt:
		worklistParts(n.Initial, nil, n.Body, visit)
	case *AtomicStmt:
		visit(n.Lock)
		visit(n.Body)
		if n.Else != nil {
			visit(n.Else)
		}
	case *ExclusiveStmt:
		visit(n.Object)
		each(n.Locks, visit)
		visit(n.Body)
		if n.Else != nil {
			visit(n.Else)
		}
	case *RetryStmt:
		visit(n.Item)
	}
}

// worklistParts visits what follows the head of an Iterate or a Pipe.
func worklistParts(w *WorklistInit, x *ExtraCond, b *Block, visit func(Node)) {
	if w != nil {
		visit(w)
	}
	if x != nil {
		visit(x)
	}
	if b != nil {
		visit(b)
	}
}

//irgl:allnodes Expr except Ident BasicLit
func exprChildren(n Expr, visit func(Node)) {
	switch n := n.(type) {
	case *ParenExpr:
		visit(n.X)
	case *UnaryExpr:
		visit(n.X)
	case *PostfixExpr:
		visit(n.X)
	case *BinaryExpr:
		opt(visit, n.X, n.Y)
	case *AssignExpr:
		opt(visit, n.L, n.R)
	case *CondExpr:
		opt(visit, n.Cond, n.Then, n.Else)
	case *CallExpr:
		visit(n.Fun)
		each(n.Args, visit)
	case *LaunchExpr:
		opt(visit, n.Fun, n.Grid, n.Block, n.Shared, n.Stream)
		each(n.Args, visit)
	case *InvokeExpr:
		visit(n.Kernel)
		each(n.Args, visit)
	case *IndexExpr:
		opt(visit, n.X, n.Index)
	case *SliceExpr:
		opt(visit, n.X, n.Low, n.High, n.Step)
	case *MemberExpr:
		opt(visit, n.X, n.Name)
	case *CastExpr:
		opt(visit, n.Type, n.X)
	case *SizeofExpr:
		opt(visit, n.X, n.Type)
	case *InitList:
		each(n.Elems, visit)
	case *CompoundLit:
		opt(visit, n.Type, n.Init)
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
