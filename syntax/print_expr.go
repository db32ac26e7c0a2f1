package syntax

// exprPrec returns the precedence of x's outermost operator; anything that
// needs no brackets anywhere is precPrimary.
func exprPrec(x Expr) int {
	switch x := x.(type) {
	case *BinaryExpr:
		return binaryPrec(string(x.Op))
	case *AssignExpr:
		return precAssign
	case *CondExpr:
		return precCond
	case *UnaryExpr, *CastExpr, *SizeofExpr:
		return precUnary
	case *PostfixExpr, *CallExpr, *LaunchExpr, *IndexExpr, *SliceExpr, *MemberExpr, *CompoundLit:
		return precPostfix
	case *BasicLit:
		if x.Text != "" && x.Text[0] == '-' {
			return precUnary // made by the compiler: a negative number
		}
	}
	return precPrimary
}

// expr prints x, in brackets if its precedence is lower than prec. Brackets of
// the source are ParenExprs, so this adds them to the compiler's trees only.
//
//irgl:allnodes Expr
func (p *printer) expr(x Expr, prec int) {
	if exprPrec(x) < prec {
		p.str("(")
		defer p.str(")")
	}
	switch x := x.(type) {
	case *Ident:
		p.str(x.Name)
	case *BasicLit:
		p.str(x.Text)
	case *ParenExpr:
		p.str("(")
		p.expr(x.X, precComma)
		p.str(")")
	case *UnaryExpr:
		p.str(string(x.Op))
		if c := firstChar(x.X); c == x.Op[0] && (c == '+' || c == '-' || c == '&') {
			p.str(" ")
		}
		p.expr(x.X, precUnary)
	case *PostfixExpr:
		p.expr(x.X, precPostfix)
		p.str(string(x.Op))
	case *BinaryExpr:
		p.binary(x)
	case *AssignExpr:
		p.expr(x.L, precBinary)
		p.str(" " + string(x.Op) + " ")
		p.expr(x.R, precAssign)
	case *CondExpr:
		p.expr(x.Cond, precBinary)
		p.str(" ? ")
		p.expr(x.Then, precComma)
		p.str(" : ")
		p.expr(x.Else, precAssign)
	case *CallExpr:
		p.expr(x.Fun, precPostfix)
		p.args(x.Args)
	case *LaunchExpr:
		p.launch(x)
	case *InvokeExpr:
		p.invoke(x)
	case *IndexExpr:
		p.expr(x.X, precPostfix)
		p.str("[")
		p.expr(x.Index, precComma)
		p.str("]")
	case *SliceExpr:
		p.slice(x)
	case *MemberExpr:
		p.expr(x.X, precPostfix)
		if lit, ok := x.X.(*BasicLit); ok && (lit.Kind == IntLit || lit.Kind == FloatLit) {
			p.str(" ") // 0.x would be read as a number
		}
		if x.Arrow {
			p.str("->")
		} else {
			p.str(".")
		}
		p.str(x.Name.Name)
	case *CastExpr:
		p.str("(")
		p.typeName(x.Type)
		p.str(")")
		p.expr(x.X, precUnary)
	case *SizeofExpr:
		p.sizeof(x)
	case *InitList:
		p.initList(x)
	case *CompoundLit:
		p.str("(")
		p.typeName(x.Type)
		p.str(")")
		p.initList(x.Init)
	}
}

// binary prints a chain of operators that associate to the left without
// recursion, as such chains can be long.
func (p *printer) binary(x *BinaryExpr) {
	prec := binaryPrec(string(x.Op))
	chain := []*BinaryExpr{x}
	for {
		l, ok := chain[len(chain)-1].X.(*BinaryExpr)
		if !ok || binaryPrec(string(l.Op)) < prec {
			break
		}
		prec = binaryPrec(string(l.Op))
		chain = append(chain, l)
	}
	p.expr(chain[len(chain)-1].X, prec)
	for i := len(chain) - 1; i >= 0; i-- {
		b := chain[i]
		if b.Op == "," {
			p.str(", ")
		} else {
			p.str(" " + string(b.Op) + " ")
		}
		p.expr(b.Y, binaryPrec(string(b.Op))+1)
	}
}

// firstChar returns the first character of x as an operand of a prefix
// operator, if it is an operator or a sign.
func firstChar(x Expr) byte {
	switch x := x.(type) {
	case *UnaryExpr:
		return x.Op[0]
	case *BasicLit:
		if x.Text != "" {
			return x.Text[0]
		}
	}
	return 0
}

func (p *printer) args(args []Expr) {
	p.str("(")
	p.exprList(args)
	p.str(")")
}

func (p *printer) exprList(list []Expr) {
	for i, x := range list {
		if i > 0 {
			p.str(", ")
		}
		p.expr(x, precAssign)
	}
}

func (p *printer) launch(x *LaunchExpr) {
	p.expr(x.Fun, precPostfix)
	p.str("<<<")
	config := []Expr{x.Grid, x.Block}
	if x.Shared != nil || x.Stream != nil {
		shared := x.Shared
		if shared == nil {
			shared = &BasicLit{Kind: IntLit, Text: "0"}
		}
		config = append(config, shared)
	}
	if x.Stream != nil {
		config = append(config, x.Stream)
	}
	p.exprList(config)
	p.str(">>>")
	p.args(x.Args)
}

func (p *printer) invoke(x *InvokeExpr) {
	if x.Aggr != NoAggr {
		p.str(x.Aggr.String() + "(")
		defer p.str(")")
	}
	p.str("Invoke " + x.Kernel.Name)
	p.args(x.Args)
}

func (p *printer) sizeof(x *SizeofExpr) {
	p.str("sizeof")
	if x.Type != nil {
		p.str("(")
		p.typeName(x.Type)
		p.str(")")
		return
	}
	if _, ok := x.X.(*ParenExpr); ok {
		p.expr(x.X, precUnary)
		return
	}
	p.str(" ")
	p.expr(x.X, precUnary)
}

func (p *printer) initList(l *InitList) {
	p.str("{")
	for i, e := range l.Elems {
		if i > 0 {
			p.str(", ")
		}
		p.initElem(e)
	}
	p.str("}")
}

func (p *printer) initElem(e *InitElem) {
	switch {
	case e.Field != nil:
		p.str("." + e.Field.Name + " = ")
	case e.Index != nil:
		p.str("[")
		p.expr(e.Index, precAssign)
		p.str("] = ")
	}
	p.expr(e.Value, precAssign)
}

// slice prints X[low : high : step].
func (p *printer) slice(x *SliceExpr) {
	p.expr(x.X, precPostfix)
	p.str("[")
	if x.Low != nil {
		p.expr(x.Low, precAssign)
		p.str(" ")
	}
	p.str(": ")
	p.expr(x.High, precAssign)
	if x.Step != nil {
		p.str(" : ")
		p.expr(x.Step, precAssign)
	}
	p.str("]")
}
