package cpp

// A condValue is a value in a condition of #if: 64 bits, signed or not (C99,
// 6.10.1).
type condValue struct {
	v int64
	u bool
}

func condBool(b bool) condValue {
	if b {
		return condValue{v: 1}
	}
	return condValue{}
}

// A condExpr evaluates the tokens of a condition.
type condExpr struct {
	cpp   *preprocessor
	toks  []Token
	i     int
	depth int
	bad   bool
}

// condition evaluates the condition of #if or #elif.
func (c *preprocessor) condition(line []Token) bool {
	toks, ok := c.replaceDefined(line[2:])
	if ok {
		e := &condExpr{cpp: c, toks: c.expand(toks, 0)}
		var v condValue
		if v, ok = e.value(); ok {
			return v.v != 0
		}
	}
	c.errorf(line, CodeCondition, "malformed condition of #%s", line[1].Text)
	return false
}

// replaceDefined replaces defined NAME and defined(NAME) by 1 or 0.
func (c *preprocessor) replaceDefined(toks []Token) ([]Token, bool) {
	var out []Token
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.Text != "defined" || t.Kind != Ident {
			out = append(out, t)
			continue
		}
		i++
		bracket := i < len(toks) && toks[i].Text == "("
		if bracket {
			i++
		}
		if i >= len(toks) || !toks[i].IsName() {
			return nil, false
		}
		t.Kind, t.Text = Number, "0"
		if c.macros[toks[i].Text] != nil {
			t.Text = "1"
		}
		if bracket {
			if i++; i >= len(toks) || toks[i].Text != ")" {
				return nil, false
			}
		}
		out = append(out, t)
	}
	return out, true
}

// value evaluates all tokens; ok is false when they are not an expression.
func (e *condExpr) value() (v condValue, ok bool) {
	v = e.cond(true)
	return v, !e.bad && e.i == len(e.toks)
}

// op returns the operator that is next, or NoWord.
func (e *condExpr) op() Word {
	if e.i < len(e.toks) && e.toks[e.i].Kind == Punct {
		return e.toks[e.i].Word
	}
	return NoWord
}

// precedence returns how tightly a binary operator binds, 0 for a token that is none.
func precedence(op Word) int {
	switch op {
	case PipePipe:
		return 1
	case AmpAmp:
		return 2
	case Pipe:
		return 3
	case Caret:
		return 4
	case Amp:
		return 5
	case EqualEqual, NotEqual:
		return 6
	case Less, LessEqual, Greater, GreaterEqual:
		return 7
	case LessLess, GreaterGreater:
		return 8
	case Plus, Minus:
		return 9
	case Star, Slash, Percent:
		return 10
	}
	return 0
}

// cond evaluates a ? b : c. Where live is false, a division by zero is no
// error, as the value is not used.
func (e *condExpr) cond(live bool) condValue {
	if e.depth++; e.depth > maxCondDepth {
		e.bad = true
	}
	defer func() { e.depth-- }()
	if e.bad {
		return condValue{}
	}
	x := e.binary(1, live)
	if e.op() != Question {
		return x
	}
	e.i++
	a := e.cond(live && x.v != 0)
	if e.op() != Colon {
		e.bad = true
		return x
	}
	e.i++
	b := e.cond(live && x.v == 0)
	u := a.u || b.u
	if x.v == 0 {
		a = b
	}
	return condValue{a.v, u}
}

func (e *condExpr) binary(prec int, live bool) condValue {
	x := e.unary(live)
	for !e.bad {
		op := e.op()
		opPrec := precedence(op)
		if opPrec < prec {
			break
		}
		e.i++
		used := live && !(op == AmpAmp && x.v == 0) && !(op == PipePipe && x.v != 0)
		y := e.binary(opPrec+1, used)
		x = e.apply(op, x, y, used)
	}
	return x
}

func (e *condExpr) unary(live bool) condValue {
	if e.depth++; e.depth > maxCondDepth || e.i >= len(e.toks) {
		e.bad = true
	}
	defer func() { e.depth-- }()
	if e.bad {
		return condValue{}
	}
	t := &e.toks[e.i]
	e.i++
	switch t.Kind {
	case Number:
		v, err := ParseInt(t.Text)
		e.bad = e.bad || err != nil
		return condValue{int64(v.Value), v.Unsigned || v.Value > 1<<63-1}
	case Char:
		v, err := ParseChar(t.Text)
		e.bad = e.bad || err != nil
		return condValue{v: int64(v)}
	case Ident, Keyword:
		return condBool(t.Text == "true")
	}
	switch t.Word {
	case LParen:
		v := e.cond(live)
		e.bad = e.bad || e.op() != RParen
		e.i++
		return v
	case Plus:
		return e.unary(live)
	case Minus:
		v := e.unary(live)
		return condValue{-v.v, v.u}
	case Tilde:
		v := e.unary(live)
		return condValue{^v.v, v.u}
	case Not:
		return condBool(e.unary(live).v == 0)
	}
	e.bad = true
	return condValue{}
}

// apply returns x op y.
//
//irgl:flatswitch
func (e *condExpr) apply(op Word, x, y condValue, live bool) condValue {
	u := x.u || y.u
	less := x.v < y.v
	if u {
		less = uint64(x.v) < uint64(y.v)
	}
	shift := min(uint64(y.v), 64)
	switch op {
	case PipePipe:
		return condBool(x.v != 0 || y.v != 0)
	case AmpAmp:
		return condBool(x.v != 0 && y.v != 0)
	case Pipe:
		return condValue{x.v | y.v, u}
	case Caret:
		return condValue{x.v ^ y.v, u}
	case Amp:
		return condValue{x.v & y.v, u}
	case EqualEqual:
		return condBool(x.v == y.v)
	case NotEqual:
		return condBool(x.v != y.v)
	case Less:
		return condBool(less)
	case GreaterEqual:
		return condBool(!less)
	case Greater:
		return condBool(!less && x.v != y.v)
	case LessEqual:
		return condBool(less || x.v == y.v)
	case LessLess:
		return condValue{x.v << shift, x.u}
	case GreaterGreater:
		if x.u {
			return condValue{int64(uint64(x.v) >> shift), true}
		}
		return condValue{x.v >> shift, false}
	case Plus:
		return condValue{x.v + y.v, u}
	case Minus:
		return condValue{x.v - y.v, u}
	case Star:
		return condValue{x.v * y.v, u}
	}
	if y.v == 0 {
		e.bad = e.bad || live
		return condValue{u: u}
	}
	switch {
	case op == Slash && u:
		return condValue{int64(uint64(x.v) / uint64(y.v)), u}
	case op == Slash:
		return condValue{x.v / y.v, u}
	case u:
		return condValue{int64(uint64(x.v) % uint64(y.v)), u}
	}
	return condValue{x.v % y.v, u}
}
