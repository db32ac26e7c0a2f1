package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// This file warns of host functions that read or write a variable of the device directly, as
// nvcc does: on the host the variable is what its address stands for, and has neither the
// value that the device sees nor an effect on it.
//
// Host code is not parsed as a whole: the tokens around a name say whether it is read or written. What they
// leave open (an argument of a function, which may be a reference; an operand of ?:) has no
// warning, and neither have a name that the function seems to declare, and the bodies of templates and of classes.

// A hostUse is what the tokens say about one name in a host function.
type hostUse int

const (
	unclear hostUse = iota
	isRead
	isWritten
)

// checkHostVariables warns of direct reads and writes of variables of the device in host functions.
func (c *checker) checkHostVariables() {
	vars := map[string]bool{}
	for _, v := range c.variables {
		if v.specs&(ast.Device|ast.Constant) != 0 && !v.specs.Has(ast.Managed) && !v.specs.Has(ast.Constexpr) && v.tmpl == nil {
			vars[v.name] = true
		}
	}
	if len(vars) == 0 || c.opts.Host {
		return
	}
	for _, b := range c.bodies {
		if b.fn == nil || b.decl.Body.Host == nil || b.decl.Specs&(ast.Device|ast.Constexpr) != 0 || c.opts.Embedded[b.decl.Pos().File] {
			continue
		}
		h := hostText{checker: c, b: b, toks: b.decl.Body.Tokens}
		h.uses(vars)
	}
}

// A hostText is the tokens of a host function's body.
type hostText struct {
	*checker
	b     hostBody
	toks  []cpp.Token
	match []int // for each bracket the other one, or -1
	open  []int // for each token the bracket around it, or -1
}

// uses warns of the uses of variables, each once for each of reads and writes.
func (h *hostText) uses(vars map[string]bool) {
	skip := map[string]bool{}
	for _, p := range h.b.decl.Type.Params {
		if p.Name != nil {
			skip[p.Name.Name] = true
		}
	}
	type use struct {
		v *variable
		u hostUse
	}
	seen := map[use]bool{}
	for i := 0; i < len(h.toks); i++ {
		t := &h.toks[i]
		if t.Kind != cpp.Ident && t.Word != cpp.LBracket && t.Word != cpp.KwDevice || t.Kind == cpp.Ident && (!vars[t.Text()] || skip[t.Text()]) {
			continue
		}
		h.brackets()
		if end := h.device(i); end > i {
			i = end
			continue
		}
		if t.Kind != cpp.Ident {
			continue
		}
		if h.declares(i) {
			skip[t.Text()] = true
			continue
		}
		if h.classify(i, types.Type{}) == unclear {
			continue
		}
		v := h.variable(i)
		if v == nil {
			continue
		}
		u := h.classify(i, v.typ)
		if u == unclear || seen[use{v, u}] {
			continue
		}
		seen[use{v, u}] = true
		h.warn(t, v, u)
	}
}

func (h *hostText) warn(t *cpp.Token, v *variable, u hostUse) {
	space, verb, hint := "__device__", "read", "copy it with cudaMemcpyFromSymbol"
	if v.specs.Has(ast.Constant) {
		space = "__constant__"
	}
	if u == isWritten {
		verb, hint = "written", "copy a value to it with cudaMemcpyToSymbol"
	}
	at := ast.Range(t.Pos(), t.End())
	if h.warned[at] {
		return
	}
	d := h.warnOnce(at, codeHostVariable, "a %s variable '%s' cannot be directly %s in a host function", space, v.name, verb)
	d.Hint = hint
	h.note(d, v.at, "'"+v.name+"' declared here")
}

// variable returns the variable of the device that the name at i means, nil for another entity.
func (h *hostText) variable(i int) *variable {
	b := h.b
	decls, _ := b.decl.Body.Host.At(b.decl.Body.First + i)
	h.ofHost++
	defer func() { h.ofHost-- }()
	var v *variable
	h.fails(func() {
		e := h.hostEnv(b.fn, b.decl, b.scope, b.order, decls)
		v, _ = e.lookup(h.toks[i].Text(), anything).obj.(*variable)
		if v != nil && (v.owner != nil || v.specs&(ast.Device|ast.Constant) == 0 || !h.variableType(v).IsValid() || v.typ.Element().IsConst()) {
			v = nil
		}
	})
	return v
}

// brackets matches the brackets of the text, once.
func (h *hostText) brackets() {
	if h.match != nil {
		return
	}
	h.match, h.open = cpp.MatchBrackets(h.toks), make([]int, len(h.toks))
	around := -1
	for i, m := range h.match {
		if m >= 0 && m < i && h.match[m] == i { // a closing one
			around = h.open[m]
		}
		h.open[i] = around
		if m > i {
			around = i
		}
	}
}

// device returns the end of what runs on the device and begins at i: an extended lambda, or a
// member function of a local class. It returns i where nothing of the kind begins.
func (h *hostText) device(i int) int {
	lambda := h.toks[i].Word == cpp.LBracket && cpp.ExtendedLambda(h.toks, i, func(i int) int { return h.match[i] })
	if !lambda && h.toks[i].Word != cpp.KwDevice && h.toks[i].Text() != "__device__" {
		return i
	}
	for k := i; k < len(h.toks); k++ {
		switch w := h.toks[k].Word; {
		case w == cpp.LBrace && h.match[k] > k:
			return h.match[k]
		case w == cpp.Semi:
			return k
		case (w == cpp.LParen || w == cpp.LBracket) && h.match[k] > k:
			k = h.match[k]
		}
	}
	return len(h.toks)
}

// word returns the word of the token i, and none past the ends.
func (h *hostText) word(i int) cpp.Word {
	if i < 0 || i >= len(h.toks) {
		return cpp.NoWord
	}
	return h.toks[i].Word
}

// endsOperand reports whether an operand may end at i, so that what follows is a binary operator.
func (h *hostText) endsOperand(i int) bool {
	if i < 0 {
		return false
	}
	switch t := &h.toks[i]; t.Kind {
	case cpp.Ident, cpp.Number, cpp.Char, cpp.String:
		return true
	default:
		return t.Word == cpp.RParen || t.Word == cpp.RBracket || t.Word == cpp.KwThis || t.Word == cpp.KwTrue || t.Word == cpp.KwFalse
	}
}

// beginsStatement reports whether a statement, or what a parenthesis holds, begins at i.
func (h *hostText) beginsStatement(i int) bool {
	switch h.word(i) {
	case cpp.Semi, cpp.LBrace, cpp.RBrace, cpp.Comma, cpp.KwConst, cpp.LParen, cpp.ColonColon:
		return true
	}
	return i < 0
}

// declares reports whether the name at i may be what is declared there: a variable, parameter or
// capture of the function. Where it may be, the function's uses of the name are left alone.
func (h *hostText) declares(i int) bool {
	prev := i - 1
	switch w := h.word(prev); {
	case prev < 0:
		return false
	case h.toks[prev].Kind == cpp.Ident, w >= cpp.KwVoid && w <= cpp.KwTypename:
		return true
	case w == cpp.Star, w == cpp.Amp, w == cpp.AmpAmp:
		before := h.word(prev - 1)
		if before >= cpp.KwVoid && before <= cpp.KwTypename || before == cpp.Greater || before == cpp.Star && h.word(prev) == cpp.Star {
			return true
		}
		return prev > 0 && h.toks[prev-1].Kind == cpp.Ident && h.beginsStatement(prev-2)
	case w == cpp.Greater:
		return true
	case w == cpp.Comma:
		open := h.open[i]
		return h.word(open) == cpp.LBrace || open < 0 || h.word(open) == cpp.LBracket || h.word(open) == cpp.LParen && h.word(open-1) == cpp.KwFor
	case w == cpp.LBracket:
		return !h.endsOperand(prev - 1)
	}
	return false
}

// chain returns the token behind the name at i with its subscripts and members, and the type of what
// they name: an invalid one where that is not known. Without a type all chains are possible.
func (h *hostText) chain(i int, t types.Type) (end int, _ types.Type, read bool) {
	known := t.IsValid()
	for k := i + 1; ; {
		switch h.word(k) {
		case cpp.LBracket:
			if h.match[k] < 0 {
				return k, types.Type{}, false
			}
			k = h.match[k] + 1
			switch {
			case t.IsPointer():
				return k, t, true
			case t.IsArray():
				t = t.Elem
			default:
				t = types.Type{}
			}
		case cpp.Arrow:
			return k, t, t.IsPointer()
		case cpp.Dot:
			field := types.Type{}
			if t.IsClass() {
				for _, f := range t.Class.Fields {
					if f.Name == h.toks[k+1].Text() {
						field = f.Type
					}
				}
			}
			t = field
			k += 2
		default:
			return k, t, !known
		}
	}
}

// classify says what happens to the variable of a type that the name at i means: with an invalid type,
// what may happen to a variable of some type.
func (h *hostText) classify(i int, t types.Type) hostUse {
	switch h.word(i - 1) {
	case cpp.Dot, cpp.Arrow, cpp.ColonColon, cpp.KwSizeof:
		return unclear
	}
	k, v, read := h.chain(i, t)
	if t.IsValid() && !read && !v.IsScalar() {
		return unclear
	}
	if t.IsValid() && read {
		return isRead
	}
	if h.word(i-1) == cpp.Amp && !h.endsOperand(i-2) {
		return unclear
	}
	if isAssignment(h.word(k)) || h.word(k) == cpp.PlusPlus || h.word(k) == cpp.MinusMinus ||
		h.word(i-1) == cpp.PlusPlus || h.word(i-1) == cpp.MinusMinus {
		return isWritten
	}
	if h.readBehind(i, k) || h.readInFront(i, k) {
		return isRead
	}
	if !t.IsValid() && k != i+1 { // by the pointer's type
		return isRead
	}
	return unclear
}

func isAssignment(w cpp.Word) bool {
	switch w {
	case cpp.Equal, cpp.PlusEqual, cpp.MinusEqual, cpp.StarEqual, cpp.SlashEqual, cpp.PercentEqual, cpp.AmpEqual, cpp.PipeEqual,
		cpp.CaretEqual, cpp.LessLessEqual, cpp.GreaterGreaterEqual:
		return true
	}
	return false
}

// readBehind reports whether the operator at k, behind a variable that begins at i, reads it.
func (h *hostText) readBehind(i, k int) bool {
	switch h.word(k) {
	case cpp.Plus, cpp.Minus, cpp.Star, cpp.Slash, cpp.Percent, cpp.Less, cpp.LessEqual, cpp.GreaterEqual, cpp.EqualEqual, cpp.NotEqual,
		cpp.Amp, cpp.Pipe, cpp.Caret, cpp.AmpAmp, cpp.PipePipe, cpp.LessLess, cpp.GreaterGreater, cpp.Question:
		return true
	case cpp.Greater:
		return h.word(i-1) != cpp.Less && h.word(i-1) != cpp.Comma
	case cpp.RBracket:
		return h.word(i-1) == cpp.LBracket
	}
	return false
}

// readInFront reports whether what is in front of a variable from i up to k reads it.
func (h *hostText) readInFront(i, k int) bool {
	switch h.word(i - 1) {
	case cpp.Plus, cpp.Minus, cpp.Star, cpp.Slash, cpp.Percent, cpp.LessEqual, cpp.GreaterEqual, cpp.EqualEqual, cpp.NotEqual, cpp.Not, cpp.Tilde,
		cpp.Amp, cpp.Pipe, cpp.Caret, cpp.AmpAmp, cpp.PipePipe, cpp.LessLess, cpp.GreaterGreater:
		return true
	case cpp.Equal:
		reference := i > 2 && h.toks[i-2].Kind == cpp.Ident && (h.word(i-3) == cpp.Amp || h.word(i-3) == cpp.AmpAmp)
		return !reference && (h.word(k) == cpp.Semi || h.word(k) == cpp.Comma || h.word(k) == cpp.RParen)
	case cpp.KwReturn:
		f := h.b.fn
		return (f.typ.Node == nil || f.typ.IsFunc() && !f.typ.Elem.IsRef()) && h.word(k) == cpp.Semi
	case cpp.Less:
		return h.word(k) != cpp.Greater && h.word(k) != cpp.Comma
	case cpp.RParen:
		open := h.match[i-1]
		return open >= 0 && open+2 == i-1 && isArithmeticWord(h.word(open+1))
	case cpp.LParen, cpp.Comma:
		if open := h.open[i]; h.word(open) == cpp.LParen && (h.word(k) == cpp.RParen || h.word(k) == cpp.Comma) {
			return h.argumentRead(open, h.word(i-1) == cpp.LParen && h.word(k) == cpp.RParen)
		}
	default:
		return isAssignment(h.word(i - 1))
	}
	return false
}

// argumentRead reports whether what is in the parenthesis at open is read: a condition, the operand of a
// conversion to a number, an argument of C's formatted output. single says that nothing else is in it.
func (h *hostText) argumentRead(open int, single bool) bool {
	if open == 0 {
		return false
	}
	switch h.toks[open-1].Text() {
	case "printf", "fprintf", "sprintf", "snprintf":
		return true
	case "if", "while", "switch":
		return single
	case ">":
		return single && open > 3 && h.word(open-4) == cpp.KwStaticCast && isArithmeticWord(h.word(open-2))
	}
	return single && isArithmeticWord(h.word(open-1))
}

func isArithmeticWord(w cpp.Word) bool { return w >= cpp.KwBool && w <= cpp.KwInt64 }
