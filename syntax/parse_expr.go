package syntax

import (
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// binaryPrec returns the precedence of a binary operator, 0 for a token that is not a binary operator;
// see the printer for the others.
func binaryPrec(op string) int {
	switch op {
	case ",":
		return precComma
	case "||":
		return precBinary
	case "&&":
		return 5
	case "|":
		return 6
	case "^":
		return 7
	case "&":
		return 8
	case "==", "!=":
		return 9
	case "<", ">", "<=", ">=":
		return 10
	case "<<", ">>":
		return 11
	case "+", "-":
		return 12
	case "*", "/", "%":
		return 13
	}
	return 0
}

const (
	precComma   = 1
	precAssign  = 2
	precCond    = 3
	precBinary  = 4 // ||, the loosest operator that operator-precedence parsing sees
	precUnary   = 14
	precPostfix = 15
	precPrimary = 16
)

func isAssignOp(s string) bool {
	switch s {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=":
		return true
	}
	return false
}

// expr parses an expression, the comma operator included.
func (p *parser) expr() Expr {
	x := p.assign()
	for n := 0; p.is(","); n++ {
		if n > maxChain {
			p.tooDeep()
		}
		p.next()
		y := p.assign()
		x = &BinaryExpr{p.span(x.Pos()), x, ",", y}
	}
	return x
}

// assign parses an expression without a comma operator.
func (p *parser) assign() Expr {
	p.enter()
	defer p.leave()
	x := p.binary(precBinary)
	switch {
	case p.is("?"):
		p.next()
		then := p.expr()
		p.expect(":", "between the alternatives of `?`")
		other := p.assign()
		return &CondExpr{p.span(x.Pos()), x, then, other}
	case p.tok.Kind == cpp.Punct && isAssignOp(p.tok.Text()):
		op := Op(p.tok.Text())
		p.next()
		r := p.assign()
		return &AssignExpr{p.span(x.Pos()), x, op, r}
	}
	return x
}

// binary parses operators of at least the given precedence.
func (p *parser) binary(prec int) Expr {
	x := p.unary()
	for n := 0; p.tok.Kind == cpp.Punct; n++ {
		op := p.tok.Text()
		opPrec := binaryPrec(op)
		if opPrec < prec || p.closesLaunch() {
			break
		}
		if n > maxChain {
			p.tooDeep()
		}
		if op == "<" && p.startsTemplateArgs() {
			p.refuse("a template's arguments", "write a function for the type that is needed")
		}
		p.next()
		y := p.binary(opPrec + 1)
		x = &BinaryExpr{p.span(x.Pos()), x, Op(op), y}
	}
	return x
}

// closesLaunch reports whether the current token begins a >>>.
func (p *parser) closesLaunch() bool {
	return p.is(">>") && p.peekIs(1, ">") && p.peek(1).Glued()
}

// startsTemplateArgs reports whether a < is followed by a type.
func (p *parser) startsTemplateArgs() bool {
	return p.startsType(p.peek(1)) && !p.peekIs(2, "(")
}

// refuse reports a construct of C++ and fails.
func (p *parser) refuse(what, hint string) {
	p.errorHint(CodeCxx, hint, "%s is C++; this compiler takes C99 with CUDA's qualifiers", what)
	p.fail()
}

func isPrefixOp(s string) bool {
	switch s {
	case "+", "-", "!", "~", "*", "&", "++", "--":
		return true
	}
	return false
}

func (p *parser) unary() Expr {
	p.enter()
	defer p.leave()
	from := p.tok.Pos()
	switch {
	case p.tok.Kind == cpp.Punct && isPrefixOp(p.tok.Text()):
		op := Op(p.tok.Text())
		p.next()
		x := p.unary()
		return &UnaryExpr{p.span(from), op, x}
	case p.is("sizeof"):
		return p.sizeof()
	case p.is("(") && p.startsType(p.peek(1)):
		p.next()
		typ := p.typeName()
		p.expect(")", "after a type's name")
		if p.is("{") {
			init := p.initList()
			return p.postfix(&CompoundLit{p.span(from), typ, init})
		}
		x := p.unary()
		return &CastExpr{p.span(from), typ, x}
	}
	return p.postfix(p.primary())
}

func (p *parser) sizeof() Expr {
	from := p.tok.Pos()
	p.next()
	if p.is("(") && p.startsType(p.peek(1)) {
		open := p.tok.Pos()
		p.next()
		typ := p.typeName()
		p.expect(")", "after a type's name")
		if !p.is("{") {
			return &SizeofExpr{p.span(from), nil, typ}
		}
		init := p.initList()
		x := p.postfix(&CompoundLit{p.span(open), typ, init})
		return &SizeofExpr{p.span(from), x, nil}
	}
	x := p.unary()
	return &SizeofExpr{p.span(from), x, nil}
}

// postfix parses what may follow a primary expression x.
func (p *parser) postfix(x Expr) Expr {
	from := x.Pos()
	for n := 0; p.tok.Kind == cpp.Punct; n++ {
		if n > maxChain {
			p.tooDeep()
		}
		switch p.tok.Text() {
		case "(":
			x = &CallExpr{Fun: operand(x), Args: p.args()}
			x.(*CallExpr).Span = p.span(from)
		case "[":
			if p.tok.StartsLine() && p.isAttribute(0) {
				return x // of the next statement
			}
			x = p.index(from, operand(x))
		case ".", "->":
			arrow := p.is("->")
			p.next()
			name := p.ident("a member's name")
			x = &MemberExpr{p.span(from), operand(x), arrow, name}
		case "++", "--":
			if p.dialect == IrGL && p.tok.StartsLine() {
				return x // it belongs to the next statement
			}
			op := Op(p.tok.Text())
			p.next()
			x = &PostfixExpr{p.span(from), operand(x), op}
		case "<<":
			if !p.peekIs(1, "<") || !p.peek(1).Glued() {
				return x
			}
			x = p.launch(x)
		case "::":
			p.refuse("a name with `::`", "write the plain name")
		default:
			return x
		}
	}
	p.checkJuxtaposed(x)
	return x
}

// operand returns what a postfix operator applies to. C's spelling of the cast
// int(x) binds less tightly than its C++ spelling, so it needs brackets there.
func operand(x Expr) Expr {
	if c, ok := x.(*CastExpr); ok {
		return &ParenExpr{c.Span, c}
	}
	return x
}

// checkJuxtaposed reports (foo) x and foo x, where foo was meant as a type.
func (p *parser) checkJuxtaposed(x Expr) {
	paren, ok := x.(*ParenExpr)
	if !ok || p.tok.StartsLine() || p.tok.Kind != cpp.Ident && p.tok.Kind != cpp.Number {
		return
	}
	if id, ok := paren.X.(*Ident); ok {
		p.errorAt(id.Pos(), id.End(), CodeUnknownType, "unknown type %s", id.Name)
		p.fail()
	}
}

// args parses (a, b, c).
func (p *parser) args() []Expr {
	p.expect("(", "before arguments")
	args := []Expr{}
	for !p.is(")") {
		args = append(args, p.assign())
		if !p.is(")") {
			p.expect(",", "or `)` after an argument")
			if p.is(")") {
				p.errorTok(CodeExpr, "expected an argument after `,`")
				p.fail()
			}
		}
	}
	p.next()
	return args
}

// index parses the [i] after x, or in IrGL the [low : high : step].
func (p *parser) index(from source.Pos, x Expr) Expr {
	p.next()
	var i Expr
	if p.dialect != IrGL || !p.is(":") {
		i = p.expr()
	}
	if p.dialect != IrGL || !p.is(":") {
		p.expect("]", "after an index")
		return &IndexExpr{p.span(from), x, i}
	}
	p.next()
	s := &SliceExpr{X: x, Low: i, High: p.assign()}
	if p.got(":") {
		s.Step = p.assign()
	}
	p.expect("]", "after a slice")
	s.Span = p.span(from)
	return s
}

// launch parses the <<<...>>>(...) after fun.
func (p *parser) launch(fun Expr) Expr {
	if p.dialect == IrGL {
		p.errorHint(CodeDialect, "write Invoke K(args)", "IrGL has no <<<>>> launches")
		p.fail()
	}
	p.next()
	p.next()
	first := p.tok
	var config []Expr
	for {
		config = append(config, p.assign())
		if p.closesLaunch() {
			break
		}
		p.expect(",", "or `>>>` in a launch")
	}
	x := &LaunchExpr{Fun: fun}
	switch {
	case len(config) < 2 || len(config) > 4:
		p.errorAt(first.Pos(), p.prevEnd, CodeLaunch, "a launch has two to four values in <<<>>>: grid, block, shared memory, stream; this one has %d", len(config))
		p.fail()
	case len(config) == 4:
		x.Stream = config[3]
		fallthrough
	case len(config) == 3:
		x.Shared = config[2]
	}
	x.Grid, x.Block = config[0], config[1]
	p.next()
	p.next()
	x.Args = p.args()
	x.Span = p.span(fun.Pos())
	return x
}

// primary parses a name, a literal, an invocation or a bracketed expression.
func (p *parser) primary() Expr {
	from := p.tok.Pos()
	switch p.tok.Kind {
	case cpp.Ident:
		if p.dialect == IrGL {
			if x := p.invocation(); x != nil {
				return x
			}
		}
		if p.isTypeName(p.tok) && p.peekIs(1, "(") {
			return p.construct(p.baseOnly())
		}
		return p.ident("a name")
	case cpp.Number, cpp.Char, cpp.String:
		return p.literal()
	case cpp.Keyword:
		return p.keywordExpr()
	}
	switch {
	case p.is("("):
		p.next()
		if p.is("{") {
			p.errorTok(CodeUnsupported, "a block is no expression in C99")
			p.skipBraces()
			p.got(")")
			p.fail()
		}
		x := p.expr()
		p.expect(")", "after an expression")
		return &ParenExpr{p.span(from), x}
	case p.is("[") && p.dialect == CUDA:
		p.refuseLambda()
	case p.is("::"):
		p.refuse("a name with `::`", "write the plain name")
	}
	p.errorTok(CodeExpr, "expected an expression, found %s", describe(p.tok))
	p.fail()
	return nil
}

// refuseLambda reports a lambda and skips it.
func (p *parser) refuseLambda() {
	p.try(func() { p.refuse("a lambda", "write a function") })
	p.next()
	p.syncParen()
	if p.got("(") {
		p.syncParen()
	}
	if p.is("{") {
		p.skipBraces()
	}
	p.lastErr = p.i
	p.fail()
}

// construct parses the (x) of T(x). More than one argument is a call of T,
// as in dim3(4, 4).
func (p *parser) construct(typ TypeExpr) Expr {
	args := p.args()
	span := p.span(typ.Pos())
	if named, ok := typ.(*NamedType); ok && len(args) != 1 {
		return &CallExpr{span, &Ident{named.Span, named.Name}, args}
	}
	if len(args) != 1 {
		p.errorAt(span.From, span.To, CodeExpected, "a conversion takes one value, this one has %d", len(args))
		p.fail()
	}
	x := args[0]
	if exprPrec(x) < precUnary {
		x = &ParenExpr{Span{x.Pos(), x.End()}, x}
	}
	return &CastExpr{span, typ, x}
}

// keywordExpr parses an expression that begins with a keyword.
func (p *parser) keywordExpr() Expr {
	word := p.tok.Text()
	switch {
	case word == "true" || word == "false" || word == "nullptr":
		id := &Ident{Span{p.tok.Pos(), p.tok.End()}, word}
		p.next()
		return id
	case isTypeWord(word) && p.peekIs(1, "("):
		return p.construct(p.baseOnly())
	case p.isAsm():
		p.refuseAsm()
	case strings.HasSuffix(word, "_cast"):
		p.refuse(word, "write (T)x")
	case word == "new" || word == "delete":
		p.refuse(word, "call malloc and free, or cudaMalloc and cudaFree")
	case isCxxWord(word):
		p.refuse("`"+word+"`", "")
	}
	p.errorTok(CodeExpr, "expected an expression, found %s", describe(p.tok))
	p.fail()
	return nil
}

// literal parses a number, a character or adjacent strings, and checks them.
func (p *parser) literal() Expr {
	t := p.tok
	lit := &BasicLit{Text: t.Text()}
	var err error
	code := CodeNumber
	switch {
	case t.Kind == cpp.Char:
		lit.Kind, code = CharLit, CodeEscape
		_, err = ParseChar(t.Text())
	case t.Kind == cpp.String:
		lit.Kind, code = StringLit, CodeEscape
		_, err = ParseString(t.Text())
	case cpp.IsFloat(t.Text()):
		lit.Kind = FloatLit
		_, _, err = ParseFloat(t.Text())
	default:
		_, err = ParseInt(t.Text())
	}
	if err != nil {
		p.errorTok(code, "%s", err)
	}
	p.next()
	if t.Kind == cpp.String && p.tok.Kind == cpp.String {
		lit.Text = p.moreStrings(lit.Text)
	}
	lit.Span = p.span(t.Pos())
	return lit
}

// moreStrings joins the strings that follow one with text to it.
func (p *parser) moreStrings(text string) string {
	var b strings.Builder
	b.WriteString(text[:len(text)-1])
	for prev := text; p.tok.Kind == cpp.String; p.next() {
		if _, err := ParseString(p.tok.Text()); err != nil {
			p.errorTok(CodeEscape, "%s", err)
		}
		if body := cpp.FollowBody(prev, p.tok.Text()); body != "" {
			b.WriteString(body)
			prev = "\"" + body + "\""
		}
	}
	return b.String() + "\""
}

// invocation parses Invoke K(args) and Any(Invoke K(args)); it returns nil,
// and consumes nothing, when there is none.
func (p *parser) invocation() Expr {
	from := p.tok.Pos()
	if p.isInvoke(0) {
		p.next()
		x := &InvokeExpr{Kernel: p.ident("a kernel's name")}
		x.Args = p.args()
		x.Span = p.span(from)
		return x
	}
	aggr := aggrs[p.tok.Text()]
	if aggr == NoAggr || !p.peekIs(1, "(") || !p.isInvoke(2) {
		return nil
	}
	p.next()
	p.next()
	x := p.invocation().(*InvokeExpr)
	p.expect(")", "after the invocation")
	x.Aggr, x.Span = aggr, p.span(from)
	return x
}

var aggrs = map[string]Aggr{"Any": Any, "All": All}

// isInvoke reports whether the token n after the current one begins an Invoke.
func (p *parser) isInvoke(n int) bool {
	t := p.peek(n)
	return t.Kind == cpp.Ident && t.Text() == "Invoke" && p.peek(n+1).Kind == cpp.Ident
}

// initList parses {a, .b = c, [2] = d}.
func (p *parser) initList() *InitList {
	p.enter()
	defer p.leave()
	list := &InitList{}
	from := p.tok.Pos()
	p.expect("{", "before an initialiser")
	for !p.is("}") {
		e := &InitElem{}
		start := p.tok.Pos()
		switch {
		case p.is("."):
			p.next()
			e.Field = p.ident("a field's name")
			p.expect("=", "after a designator")
		case p.is("["):
			p.next()
			e.Index = p.assign()
			p.expect("]", "after an index")
			p.expect("=", "after a designator")
		}
		e.Value = p.initializer()
		e.Span = p.span(start)
		list.Elems = append(list.Elems, e)
		if !p.is("}") {
			p.expect(",", "or `}` in an initialiser")
		}
	}
	p.next()
	list.Span = p.span(from)
	return list
}

// initializer parses the value of a variable: an expression or a list.
func (p *parser) initializer() Expr {
	if p.is("{") {
		return p.initList()
	}
	return p.assign()
}
