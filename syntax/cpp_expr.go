package syntax

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
	cpp   *cpp
	toks  []token
	i     int
	depth int
	bad   bool
}

// condition evaluates the condition of #if or #elif.
func (c *cpp) condition(line []token) bool {
	toks, ok := c.replaceDefined(line[2:])
	if ok {
		e := &condExpr{cpp: c, toks: c.expand(toks, 0)}
		var v condValue
		if v, ok = e.value(); ok {
			return v.v != 0
		}
	}
	c.errorf(line, CodeCondition, "malformed condition of #%s", line[1].text)
	return false
}

// replaceDefined replaces defined NAME and defined(NAME) by 1 or 0.
func (c *cpp) replaceDefined(toks []token) ([]token, bool) {
	var out []token
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.text != "defined" || t.kind != tokIdent {
			out = append(out, t)
			continue
		}
		i++
		bracket := i < len(toks) && toks[i].text == "("
		if bracket {
			i++
		}
		if i >= len(toks) || !isName(&toks[i]) {
			return nil, false
		}
		t.kind, t.text = tokNumber, "0"
		if c.macros[toks[i].text] != nil {
			t.text = "1"
		}
		if bracket {
			if i++; i >= len(toks) || toks[i].text != ")" {
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

func (e *condExpr) text() string {
	if e.i < len(e.toks) && isFixed(&e.toks[e.i]) {
		return e.toks[e.i].text
	}
	return ""
}

// cond evaluates a ? b : c. Where live is false, a division by zero is no
// error, as the value is not used.
func (e *condExpr) cond(live bool) condValue {
	if e.depth++; e.depth > maxDepth {
		e.bad = true
	}
	defer func() { e.depth-- }()
	if e.bad {
		return condValue{}
	}
	x := e.binary(precBinary, live)
	if e.text() != "?" {
		return x
	}
	e.i++
	a := e.cond(live && x.v != 0)
	if e.text() != ":" {
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
		op := e.text()
		opPrec := binaryPrec(op)
		if op == "" || op == "," || opPrec < prec {
			break
		}
		e.i++
		used := live && !(op == "&&" && x.v == 0) && !(op == "||" && x.v != 0)
		y := e.binary(opPrec+1, used)
		x = e.apply(op, x, y, used)
	}
	return x
}

func (e *condExpr) unary(live bool) condValue {
	if e.depth++; e.depth > maxDepth || e.i >= len(e.toks) {
		e.bad = true
	}
	defer func() { e.depth-- }()
	if e.bad {
		return condValue{}
	}
	t := &e.toks[e.i]
	e.i++
	switch t.kind {
	case tokNumber:
		v, err := ParseInt(t.text)
		e.bad = e.bad || err != nil
		return condValue{int64(v.Value), v.Unsigned || v.Value > 1<<63-1}
	case tokChar:
		v, err := ParseChar(t.text)
		e.bad = e.bad || err != nil
		return condValue{v: int64(v)}
	case tokIdent, tokKey:
		return condBool(t.text == "true")
	}
	switch t.text {
	case "(":
		v := e.cond(live)
		e.bad = e.bad || e.text() != ")"
		e.i++
		return v
	case "+":
		return e.unary(live)
	case "-":
		v := e.unary(live)
		return condValue{-v.v, v.u}
	case "~":
		v := e.unary(live)
		return condValue{^v.v, v.u}
	case "!":
		return condBool(e.unary(live).v == 0)
	}
	e.bad = true
	return condValue{}
}

// apply returns x op y.
//
//irgl:flatswitch
func (e *condExpr) apply(op string, x, y condValue, live bool) condValue {
	u := x.u || y.u
	less := x.v < y.v
	if u {
		less = uint64(x.v) < uint64(y.v)
	}
	shift := min(uint64(y.v), 64)
	switch op {
	case "||":
		return condBool(x.v != 0 || y.v != 0)
	case "&&":
		return condBool(x.v != 0 && y.v != 0)
	case "|":
		return condValue{x.v | y.v, u}
	case "^":
		return condValue{x.v ^ y.v, u}
	case "&":
		return condValue{x.v & y.v, u}
	case "==":
		return condBool(x.v == y.v)
	case "!=":
		return condBool(x.v != y.v)
	case "<":
		return condBool(less)
	case ">=":
		return condBool(!less)
	case ">":
		return condBool(!less && x.v != y.v)
	case "<=":
		return condBool(less || x.v == y.v)
	case "<<":
		return condValue{x.v << shift, x.u}
	case ">>":
		if x.u {
			return condValue{int64(uint64(x.v) >> shift), true}
		}
		return condValue{x.v >> shift, false}
	case "+":
		return condValue{x.v + y.v, u}
	case "-":
		return condValue{x.v - y.v, u}
	case "*":
		return condValue{x.v * y.v, u}
	}
	if y.v == 0 {
		e.bad = e.bad || live
		return condValue{u: u}
	}
	switch {
	case op == "/" && u:
		return condValue{int64(uint64(x.v) / uint64(y.v)), u}
	case op == "/":
		return condValue{x.v / y.v, u}
	case u:
		return condValue{int64(uint64(x.v) % uint64(y.v)), u}
	}
	return condValue{x.v % y.v, u}
}
