package cpp

import (
	"slices"

	"irgl/internal/source"
)

// A macro is a definition: NAME body, or NAME(params) body.
type macro struct {
	name       string
	sym        *symbol
	def        source.Pos
	params     []string
	body       []Token
	use        []int16 // by body: the number of a parameter, noParam or vaOpt; nil where nothing is to be replaced or pasted
	expands    []bool  // by parameter: it is somewhere without # and ##, so its argument is expanded
	fn         bool
	variadic   bool // the last parameter takes all further arguments
	builtin    builtin
	predefined bool
	foreign    bool // it is not the compiler's: it stands for nothing in the text of headers that the compiler brings
	busy       bool // its expansion is being rescanned, where it stays as it is
}

// What a token of a macro's body is that is not a parameter.
const (
	noParam int16 = -1
	vaOpt   int16 = -2 // __VA_OPT__
)

// param returns the number of a parameter, or noParam.
func (m *macro) param(t *Token) int16 {
	if !m.fn || !t.IsName() {
		return noParam
	}
	if m.variadic && t.Text() == "__VA_OPT__" {
		return vaOpt
	}
	return int16(slices.Index(m.params, t.Text()))
}

// define executes #define.
func (p *preprocessor) define(line []Token) {
	if len(line) < 3 || !line[2].IsName() && !isAlternative(&line[2]) || line[2].Text() == "defined" {
		p.errorf(line, CodeMalformed, "expected a name after #define")
		return
	}
	name := &line[2]
	if name.Kind == Punct {
		p.diags.Errorf(name.Pos(), name.End(), CodeMalformed, "C++ operator '%s' cannot be used as a macro name", name.Text())
		return
	}
	m := p.newMacro()
	*m = macro{name: name.Text(), sym: p.names.own(name.Text()), def: name.Pos(), predefined: p.text == nil}
	m.foreign = !m.sym.shared && name.Text()[0] != '_' && !p.ownHeader(name.File())
	body := line[3:]
	if len(body) > 0 && body[0].Word == LParen && body[0].Glued() {
		m.fn = true
		n, ok := m.parseParams(body[1:])
		if !ok {
			p.errorf(line, CodeMalformed, "malformed parameters of the macro %s", m.name)
			return
		}
		body = body[1+n:]
	}
	m.body = p.keep(body)
	if !p.checkBody(m, line) {
		return
	}
	if old := m.sym.macro; old != nil && !old.same(m) {
		d := p.warnf(line[2:3], CodeRedefined, "'%s' macro redefined", m.name)
		if !old.predefined {
			d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: old.def, Message: "previous definition is here"})
		}
	}
	m.sym.macro = m
}

// newMacro returns room for a macro.
func (p *preprocessor) newMacro() *macro {
	if len(p.macroSlab) == 0 {
		p.macroRoom = min(max(8, 2*p.macroRoom), 256)
		p.macroSlab = make([]macro, p.macroRoom)
	}
	m := &p.macroSlab[0]
	p.macroSlab = p.macroSlab[1:]
	return m
}

// keep returns a copy of tokens that stays.
func (p *preprocessor) keep(toks []Token) []Token {
	n := len(toks)
	if n > len(p.tokenSlab) {
		p.tokenRoom = min(max(16, 2*p.tokenRoom), 1024)
		p.tokenSlab = make([]Token, max(n, p.tokenRoom))
	}
	out := p.tokenSlab[:n:n]
	p.tokenSlab = p.tokenSlab[n:]
	copy(out, toks)
	return out
}

func isAlternative(t *Token) bool { return t.Kind == Punct && isLetter(t.Text()[0]) }

// checkBody finds the parameters in a body, and reports what # and ## are applied to wrongly.
func (p *preprocessor) checkBody(m *macro, line []Token) bool {
	n := len(m.body)
	if n > 0 && (m.body[0].Word == HashHash || m.body[n-1].Word == HashHash) {
		p.errorf(line, CodePaste, "'##' cannot appear at the start or the end of the expansion of the macro %s", m.name)
		return false
	}
	if !m.fn && !slices.ContainsFunc(m.body, func(b Token) bool { return b.Word == HashHash }) {
		return true
	}
	m.use = make([]int16, n)
	m.expands = make([]bool, len(m.params))
	for i := range m.body {
		b := &m.body[i]
		k := m.param(b)
		m.use[i] = k
		switch {
		case m.fn && b.Word == Hash && (i+1 == n || m.param(&m.body[i+1]) < 0):
			p.errorf(line, CodePaste, "'#' is not followed by a parameter of the macro %s", m.name)
			return false
		case k == vaOpt && m.closing(i) < 0:
			p.diags.Errorf(b.Pos(), b.End(), CodeMalformed, "expected __VA_OPT__(...)")
			return false
		case k >= 0 && !(i > 0 && (m.body[i-1].Word == HashHash || m.body[i-1].Word == Hash) || i+1 < n && m.body[i+1].Word == HashHash):
			m.expands[k] = true
		}
	}
	return true
}

// closing returns the index of the bracket that closes the __VA_OPT__( at i, or -1.
func (m *macro) closing(i int) int {
	if i+1 < len(m.body) && m.body[i+1].Word != LParen {
		return -1
	}
	nest := 0
	for i++; i < len(m.body); i++ {
		switch m.body[i].Word {
		case LParen:
			nest++
		case RParen:
			nest--
		}
		if nest == 0 {
			break
		}
	}
	if i >= len(m.body) || m.body[i].Word != RParen {
		return -1
	}
	return i
}

// parseParams reads a, b, ...) and returns how many tokens that took.
func (m *macro) parseParams(toks []Token) (int, bool) {
	if len(toks) > 0 && toks[0].Word == RParen {
		return 1, true
	}
	for i := 0; i+1 < len(toks); i++ {
		name := toks[i].Text()
		switch {
		case toks[i].Word == Ellipsis:
			name, m.variadic = "__VA_ARGS__", true
		case !toks[i].IsName():
			return 0, false
		}
		if slices.Contains(m.params, name) || len(m.params) >= 1<<14 {
			return 0, false
		}
		m.params = append(m.params, name)
		if i++; toks[i].Word == Ellipsis && !m.variadic { // GNU: name...
			m.variadic = true
			i++
		}
		switch {
		case i == len(toks):
			return 0, false
		case toks[i].Word == RParen:
			return i + 1, true
		case toks[i].Word != Comma || m.variadic:
			return 0, false
		}
	}
	return 0, false
}

// same reports whether two definitions are the same.
func (m *macro) same(n *macro) bool {
	return m.fn == n.fn && m.variadic == n.variadic && m.builtin == n.builtin && slices.Equal(m.params, n.params) &&
		slices.EqualFunc(m.body, n.body, func(a, b Token) bool {
			return a.Text() == b.Text() && a.Kind == b.Kind && (a.From() == m.body[0].From() || a.Glued() == b.Glued())
		})
}
