package cpp

import (
	"errors"
	"strings"
	"unicode/utf8"
)

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
	p      *preprocessor
	toks   []Token
	i      int
	depth  int
	strict bool   // a name is no value
	reason string // why the tokens are no expression; "" while they are
}

// condition evaluates the condition of #if or #elif.
func (p *preprocessor) condition(line []Token) bool {
	p.limit = p.produced + maxExpansion
	toks := p.expandList(line[2:], p.buffer(), true)
	defer p.release(toks)
	e := &condExpr{p: p, toks: toks}
	v, ok := e.value()
	if !ok {
		p.errorf(line, CodeCondition, "malformed condition of #%s: %s", line[1].Text(), e.reason)
	}
	return ok && v.v != 0
}

// defined replaces the defined of a condition, t, and the name or (name) behind it, by 1 or 0.
func (e *expander) defined(t *Token) bool {
	var name, closing Token
	if !e.next(&name) {
		return false
	}
	bracket := name.Word == LParen
	if bracket && !e.next(&name) || !name.IsName() {
		return false
	}
	if bracket && (!e.next(&closing) || closing.Word != RParen) {
		return false
	}
	t.Kind, t.Word = Number, NoWord
	value := "0"
	if e.p.names.lookup(name.Text()).macro != nil {
		value = "1"
	}
	t.Respell(value)
	return true
}

// fail notes why the tokens are no expression.
func (e *condExpr) fail(reason string) condValue {
	if e.reason == "" {
		e.reason = reason
	}
	return condValue{}
}

// value evaluates all tokens; ok is false when they are not an expression.
func (e *condExpr) value() (v condValue, ok bool) {
	v = e.comma(true)
	if e.i < len(e.toks) {
		switch t := &e.toks[e.i]; {
		case t.Word == LParen && e.i > 0 && e.toks[e.i-1].Kind == Ident:
			e.fail("function-like macro '" + e.toks[e.i-1].Text() + "' is not defined")
		default:
			e.fail("token is not a valid binary operator in a preprocessor subexpression")
		}
	}
	return v, e.reason == ""
}

// op returns the operator that is next, or NoWord.
func (e *condExpr) op() Word {
	if e.i < len(e.toks) && e.toks[e.i].Kind == Punct {
		return e.toks[e.i].Word
	}
	return NoWord
}

// precedence returns how tightly a binary operator binds, 0 for other tokens.
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

// enter counts one level of nesting, which the caller takes back.
func (e *condExpr) enter() bool {
	if e.depth++; e.depth > maxCondDepth {
		e.fail("it is nested too deeply")
	}
	return e.reason == ""
}

// comma evaluates a, b.
func (e *condExpr) comma(live bool) condValue {
	v := e.cond(live)
	for e.op() == Comma && e.reason == "" {
		e.i++
		v = e.cond(live)
	}
	return v
}

// cond evaluates a ? b : c. Where live is false, a division by zero is no
// error, as the value is not used.
func (e *condExpr) cond(live bool) condValue {
	defer func() { e.depth-- }()
	if !e.enter() {
		return condValue{}
	}
	x := e.binary(1, live)
	if e.op() != Question {
		return x
	}
	e.i++
	a := e.cond(live && x.v != 0)
	if e.op() != Colon {
		return e.fail("expected ':'")
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
	for e.reason == "" {
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
	defer func() { e.depth-- }()
	if !e.enter() {
		return condValue{}
	}
	if e.i >= len(e.toks) {
		return e.fail("expected value in expression")
	}
	t := &e.toks[e.i]
	e.i++
	switch t.Kind {
	case Number:
		return e.number(t)
	case Char:
		v, err := charValue(t.Text())
		if err != nil {
			e.fail(err.Error())
		}
		return v
	case Bad:
		_, message := t.Malformed()
		return e.fail(message)
	case Ident, Keyword:
		if e.strict {
			e.fail("'" + t.Text() + "' is not an integer")
		}
		return condBool(t.Text() == "true")
	}
	switch t.Word {
	case LParen:
		v := e.comma(live)
		if e.reason == "" && e.op() != RParen {
			return e.fail("expected ')' in preprocessor expression")
		}
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
	return e.fail("invalid token at start of a preprocessor expression")
}

func (e *condExpr) number(t *Token) condValue {
	if IsFloat(t.Text()) {
		return e.fail("floating point literal in preprocessor expression")
	}
	v, err := ParseInt(t.Text())
	if err != nil {
		return e.fail(err.Error())
	}
	return condValue{int64(v.Value), v.Unsigned || v.Value > 1<<63-1}
}

// charValue returns the value of a character constant. One of several characters has their bytes, as in g++.
func charValue(text string) (condValue, error) {
	prefix, body, _ := strings.Cut(text, "'")
	i := strings.LastIndexByte(body, '\'')
	if i < 0 {
		return condValue{}, errors.New("malformed character constant")
	}
	s, err := unescape("'" + body[:i] + "'")
	switch {
	case err != nil:
		return condValue{}, err
	case s == "":
		return condValue{}, errors.New("empty character constant")
	case prefix != "":
		r, _ := utf8.DecodeRuneInString(s)
		return condValue{int64(r), prefix != "L"}, nil
	case len(s) == 1:
		return condValue{v: int64(int8(s[0]))}, nil
	}
	var v int32
	for i := range len(s) {
		v = v<<8 | int32(s[i])
	}
	return condValue{v: int64(v)}, nil
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
		if live {
			e.fail("division by zero in preprocessor expression")
		}
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
