package cpp

import "slices"

// A frame is a list of tokens that is being scanned for macros: the expansion of a macro, or an argument.
type frame struct {
	toks []Token
	i    int
	m    *macro // busy until the frame is done; nil for an argument
}

// An expander scans the frames from base on. When they are at their end, it reads on in the text, if that is not nil.
type expander struct {
	p     *preprocessor
	base  int
	text  *scanner
	cond  bool  // the tokens are a condition: defined X and __has_include(x) are replaced
	space Flags // in front of macros that expanded to nothing
}

// expandName expands the macro that a name of the text has, and appends what it gives to the output.
func (p *preprocessor) expandName(s *scanner, name Token) {
	p.limit = p.produced + maxExpansion
	e := expander{p: p, base: len(p.frames), text: s}
	p.out = e.token(name, p.out)
	p.out = e.rest(p.out)
}

// expandList appends the tokens of a closed list to out with all macros replaced.
func (p *preprocessor) expandList(toks, out []Token, cond bool) []Token {
	e := expander{p: p, base: len(p.frames), cond: cond}
	p.frames = append(p.frames, frame{toks: toks})
	return e.rest(out)
}

// expandLine returns tokens of a directive's line with all macros replaced.
func (p *preprocessor) expandLine(toks []Token) []Token {
	p.limit = p.produced + maxExpansion
	return p.expandList(toks, nil, false)
}

// rest appends what the frames give to out, until they are at their end.
func (e *expander) rest(out []Token) []Token {
	for {
		t := e.peek()
		if t == nil {
			return out
		}
		e.p.frames[len(e.p.frames)-1].i++
		if !t.IsName() {
			out = append(out, *t)
			if e.space != 0 {
				e.addSpace(&out[len(out)-1])
			}
			continue
		}
		out = e.token(*t, out)
	}
}

// addSpace gives the blank in front of macros that expanded to nothing to the token behind them.
func (e *expander) addSpace(t *Token) {
	t.Flags |= e.space
	e.space = 0
}

// peek returns the next token of the frames, or nil at their end. Frames that are done are left.
func (e *expander) peek() *Token {
	p := e.p
	for len(p.frames) > e.base {
		f := &p.frames[len(p.frames)-1]
		if f.i < len(f.toks) {
			return &f.toks[f.i]
		}
		e.leave()
	}
	return nil
}

// leave leaves the innermost frame.
func (e *expander) leave() {
	p := e.p
	f := &p.frames[len(p.frames)-1]
	if f.m != nil {
		if f.m.busy {
			f.m.busy = false
		}
		p.release(f.toks)
	}
	f.toks = nil
	p.frames = p.frames[:len(p.frames)-1]
}

// next consumes the next token of the frames or of the text. It returns false at the end, and for a directive
// that cannot be inside a macro's arguments.
func (e *expander) next(t *Token) bool {
	if next := e.peek(); next != nil {
		*t = *next
		e.p.frames[len(e.p.frames)-1].i++
		return true
	}
	for e.text != nil {
		switch e.text.scan(t) {
		case endOfText:
			return false
		case aDirective:
			e.p.embedded(e.text, *t)
		default:
			return true
		}
	}
	return false
}

// embedded executes a directive inside of a macro's arguments.
func (p *preprocessor) embedded(s *scanner, hash Token) {
	p.inArguments++
	p.directive(s, hash)
	p.inArguments--
}

// paren reports whether the next token is a (.
func (e *expander) paren() bool {
	if t := e.peek(); t != nil {
		return t.Word == LParen
	}
	return e.text != nil && e.text.nextIsParen()
}

// nextIsParen reports whether the next token of the text is a (.
func (s *scanner) nextIsParen() bool {
	for i := s.off; i < len(s.src); {
		switch s.src[i] {
		case '(':
			return true
		case ' ', '\t', '\r', '\f', '\v':
			i++
		case '\n':
			if s.line {
				return false
			}
			i++
		case '/':
			end, ok := commentEnd(s.src, i)
			if !ok {
				return false
			}
			i = end
		case '\\':
			n := spliceLen(s.src[i:])
			if n == 0 {
				return false
			}
			i += n
		default:
			return false
		}
	}
	return false
}

// token appends the name t to out, or begins its macro's expansion.
func (e *expander) token(t Token, out []Token) []Token {
	p := e.p
	var m *macro
	if t.Flags&NoExpand == 0 && !p.stopped {
		if t.Name > 0 {
			m = p.names.list[t.Name].macro
		} else {
			m = p.names.lookup(t.Text()).macro
		}
	}
	switch {
	case e.cond && t.Text() == "defined":
		if !e.defined(&t) {
			return append(out, t.bad(CodeCondition, "macro name missing"))
		}
	case m == nil:
	case m.busy, m.foreign && !e.cond && p.ownHeader(t.File()):
		t.Flags |= NoExpand
	case e.replace(m, &t):
		return out
	}
	out = append(out, t)
	if e.space != 0 {
		e.addSpace(&out[len(out)-1])
	}
	return out
}

// replace pushes the expansion of a macro whose name, t, was just consumed, and consumes its arguments. It
// returns false when there is nothing to do.
func (e *expander) replace(m *macro, t *Token) bool {
	p := e.p
	if m.fn && !e.paren() {
		return false
	}
	if p.macroDepth >= maxMacroDepth {
		p.stop(t)
		return false
	}
	p.macroDepth++
	body, ok := e.expansion(m, t)
	p.macroDepth--
	if !ok {
		return false
	}
	if p.produced += len(body) + 1; p.produced > p.limit || p.produced > maxProduced {
		p.stop(t)
		p.release(body)
		return false
	}
	if len(body) == 0 {
		e.space |= t.Flags & (AfterSpace | AfterNewline)
		p.release(body)
		return true
	}
	p.locate(m, t, body)
	if !m.sym.shared { // predefined macros do not name themselves
		m.busy = true
	}
	p.frames = append(p.frames, frame{toks: body, m: m})
	return true
}

// expansion returns what a macro gives, and consumes its arguments. It returns false where they are wrong.
func (e *expander) expansion(m *macro, t *Token) ([]Token, bool) {
	p := e.p
	if m.use == nil && !m.fn && m.builtin == notBuiltin {
		return append(p.buffer(), m.body...), true
	}
	sub := p.call()
	sub.m, sub.t = m, *t
	if m.fn && !e.arguments(m, t, &sub.args) {
		sub.args.release(p)
		return nil, false
	}
	body := p.buffer()
	if m.builtin != notBuiltin {
		body = p.expandBuiltin(e, m, t, &sub.args, body)
	} else {
		body = sub.run(body, 0, len(m.body))
	}
	sub.args.release(p)
	return body, true
}

// call returns room for a call of a macro, of which one is open at each depth.
func (p *preprocessor) call() *substitution {
	for len(p.calls) < p.macroDepth {
		p.calls = append(p.calls, &substitution{p: p})
	}
	s := p.calls[p.macroDepth-1]
	s.args = arguments{}
	return s
}

// fromArgument marks the tokens of arguments in a macro's expansion until they are placed.
const fromArgument Flags = 1 << 7

// locate gives the tokens of an expansion their places: that of the macro's name, t. In C++ those of an argument
// keep their own.
func (p *preprocessor) locate(m *macro, t *Token, body []Token) {
	n := int32(len(p.result.Expansions))
	if int(n) == cap(p.result.Expansions) {
		p.result.Expansions = slices.Grow(p.result.Expansions, max(64, 3*int(n)))
	}
	p.result.Expansions = append(p.result.Expansions, Expansion{Name: m.name, Def: m.def, Use: t.Pos(), Outer: t.Macro()})
	var of, here *origin
	for i := range body {
		b := &body[i]
		if b.Flags&fromArgument == 0 || p.dialect == C {
			if b.origin != of {
				of, here = b.origin, p.newOrigin()
				*here = origin{file: t.File(), text: of.text, placed: true, from: t.From(), to: t.To(), macro: n}
			}
			b.origin = here
		}
		b.Flags &^= fromArgument
		if b.StartsLine() {
			b.Flags = b.Flags&^AfterNewline | AfterSpace
		}
	}
	body[0].Flags = body[0].Flags&NoExpand | t.Flags&^NoExpand
}

// newOrigin returns room for the origin of tokens that a macro makes.
func (p *preprocessor) newOrigin() *origin {
	if len(p.origins) == 0 {
		p.origins = make([]origin, 64)
	}
	o := &p.origins[0]
	p.origins = p.origins[1:]
	return o
}

// stop reports, once, that macros expand to too much, and ends expansion.
func (p *preprocessor) stop(t *Token) {
	if !p.stopped {
		p.diags.Errorf(t.Pos(), t.End(), CodeExpansion, "macros expand to too many tokens here, or nest too deeply")
	}
	p.stopped = true
}

// arguments are those of one call of a macro.
type arguments struct {
	toks     []Token   // of all arguments
	ends     []int     // by argument: its end in toks
	expanded [][]Token // by argument: with its macros expanded; nil where it is not yet
	omitted  bool      // there is no argument for a variadic parameter, not even an empty one

	// Room for those of most calls.
	endsRoom     [6]int
	expandedRoom [6][]Token
}

// raw returns an argument as it was written.
func (a *arguments) raw(n int) []Token {
	from := 0
	if n > 0 {
		from = a.ends[n-1]
	}
	return a.toks[from:a.ends[n]]
}

func (a *arguments) release(p *preprocessor) {
	p.release(a.toks)
	for _, list := range a.expanded {
		p.release(list)
	}
}

// arguments consumes (a, b) after the name t of m.
func (e *expander) arguments(m *macro, t *Token, a *arguments) bool {
	p := e.p
	var next Token
	e.next(&next)
	a.toks = p.buffer()
	a.ends = a.endsRoom[:0]
	for nest := 0; ; {
		if !e.next(&next) {
			d := p.diags.Errorf(t.Pos(), t.End(), CodeMacroArgs, "unterminated function-like macro invocation")
			p.noteDefinition(d, m)
			return false
		}
		switch next.Word {
		case LParen:
			nest++
		case RParen:
			if nest--; nest < 0 {
				a.ends = append(a.ends, len(a.toks))
				return p.checkArgs(m, t, a)
			}
		case Comma:
			if nest == 0 && !(m.variadic && len(a.ends) == len(m.params)-1) {
				a.ends = append(a.ends, len(a.toks))
				continue
			}
		}
		next.Flags |= fromArgument
		a.toks = append(a.toks, next)
		if p.produced++; p.produced > p.limit {
			p.stop(t)
			return false
		}
	}
}
