package cpp

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// A macro is a definition: NAME body, or NAME(params) body.
type macro struct {
	name     string
	isFunc   bool
	params   []string
	variadic bool // the last parameter is __VA_ARGS__
	body     []Token
	builtin  bool
	busy     bool // its expansion is being rescanned, where it stays as it is
}

// param returns the number of a parameter, or -1.
func (m *macro) param(t *Token) int {
	if !m.isFunc || !t.IsName() {
		return -1
	}
	return slices.Index(m.params, t.Text)
}

// define executes #define.
func (c *preprocessor) define(line []Token) {
	if len(line) < 3 || !line[2].IsName() || line[2].Text == "defined" {
		c.errorf(line, CodeMalformed, "expected a name after #define")
		return
	}
	m := &macro{name: line[2].Text, body: line[3:]}
	if len(line) > 3 && line[3].Text == "(" && line[3].Glued() {
		m.isFunc = true
		n, ok := m.parseParams(line[4:])
		if !ok {
			c.errorf(line, CodeMalformed, "malformed parameters of the macro %s", m.name)
			return
		}
		m.body = line[4+n:]
	}
	if n := len(m.body); n > 0 && (m.body[0].Text == "##" || m.body[n-1].Text == "##") {
		c.errorf(line, CodePaste, "## is at the beginning or the end of the macro %s", m.name)
		return
	}
	for i := range m.body {
		if b := &m.body[i]; m.isFunc && b.Text == "#" && b.Kind == Punct && (i+1 == len(m.body) || m.param(&m.body[i+1]) < 0) {
			c.errorf(line, CodePaste, "# must be followed by a parameter of the macro %s", m.name)
			return
		}
	}
	if old := c.macros[m.name]; old != nil && !old.same(m) {
		d := c.diags.Warnf(line[0].Pos(), line[2].End(), CodeRedefined, "the macro %s is defined again, differently", m.name)
		if !old.builtin && len(old.body) > 0 {
			d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: old.body[0].Pos(), Message: "it was first defined here"})
		}
	}
	c.macros[m.name] = m
}

// parseParams reads a, b, ...) and returns how many tokens that took.
func (m *macro) parseParams(toks []Token) (int, bool) {
	if len(toks) > 0 && toks[0].Text == ")" {
		return 1, true
	}
	for i := 0; i+1 < len(toks); i += 2 {
		name := toks[i].Text
		switch {
		case name == "...":
			name, m.variadic = "__VA_ARGS__", true
		case !toks[i].IsName():
			return 0, false
		}
		if slices.Contains(m.params, name) {
			return 0, false
		}
		m.params = append(m.params, name)
		switch {
		case toks[i+1].Text == ")":
			return i + 2, true
		case toks[i+1].Text != "," || m.variadic:
			return 0, false
		}
	}
	return 0, false
}

// same reports whether two definitions are the same.
func (m *macro) same(n *macro) bool {
	return m.isFunc == n.isFunc && m.variadic == n.variadic && slices.Equal(m.params, n.params) &&
		slices.EqualFunc(m.body, n.body, func(a, b Token) bool { return a.Text == b.Text && a.Kind == b.Kind })
}

// A frame is a list of tokens that is being scanned for macros: the text, or
// the expansion of a macro.
type frame struct {
	toks []Token
	i    int
	m    *macro // busy until the frame is done; nil for the text
}

// An expander scans nested frames.
type expander struct {
	c      *preprocessor
	depth  int
	frames []frame
}

// peek returns the next token without consuming it, nil at the end. Frames
// that are done are left.
func (e *expander) peek() *Token {
	for len(e.frames) > 0 {
		f := &e.frames[len(e.frames)-1]
		if f.i < len(f.toks) {
			return &f.toks[f.i]
		}
		if f.m != nil {
			f.m.busy = false
		}
		e.frames = e.frames[:len(e.frames)-1]
	}
	return nil
}

func (e *expander) next() *Token {
	t := e.peek()
	if t != nil {
		e.frames[len(e.frames)-1].i++
	}
	return t
}

// expand returns toks with all macros replaced. depth counts the macro calls
// whose arguments toks are.
func (c *preprocessor) expand(toks []Token, depth int) []Token {
	e := &expander{c: c, depth: depth, frames: []frame{{toks: toks}}}
	out := make([]Token, 0, len(toks))
	for {
		next := e.next()
		if next == nil {
			return out
		}
		t := *next
		m := c.macros[t.Text]
		if m == nil || !t.IsName() || t.Flags&NoExpand != 0 || c.stopped {
			out = append(out, t)
			continue
		}
		if m.busy {
			t.Flags |= NoExpand
			out = append(out, t)
			continue
		}
		if body, ok := e.replace(m, t); ok {
			m.busy = true
			e.frames = append(e.frames, frame{toks: body, m: m})
			continue
		}
		out = append(out, t)
	}
}

// replace returns the expansion of a macro whose name, t, was just consumed,
// and consumes its arguments. It returns false when there is nothing to do.
func (e *expander) replace(m *macro, t Token) ([]Token, bool) {
	c := e.c
	var raw [][]Token
	if m.isFunc {
		if open := e.peek(); open == nil || open.Text != "(" || open.Kind != Punct {
			return nil, false
		}
		var ok bool
		if raw, ok = e.arguments(m, t); !ok {
			return nil, false
		}
	}
	if e.depth > maxMacroDepth {
		c.stop(t)
		return nil, false
	}
	var body []Token
	switch {
	case m.builtin && m.name == "_Pragma":
		body = c.pragmaOperator(t, c.expand(raw[0], e.depth+1))
	case m.name == "__LINE__":
		body = []Token{{Kind: Number, Text: strconv.Itoa(t.Pos().Line())}}
	case m.name == "__FILE__":
		body = []Token{{Kind: String, Text: Quote(t.File.Name)}}
	default:
		body = e.substitute(m, t, raw)
	}
	c.produced += len(body) + 1
	if c.produced > maxExpansion {
		c.stop(t)
		return nil, false
	}
	for i := range body {
		b := &body[i]
		b.File, b.From, b.To = t.File, t.From, t.To
		if b.StartsLine() {
			b.Flags = b.Flags&^AfterNewline | AfterSpace
		}
		if i == 0 {
			b.Flags = b.Flags&NoExpand | t.Flags&^NoExpand
		}
	}
	return body, true
}

// stop reports, once, that macros expand to too much, and ends expansion.
func (c *preprocessor) stop(t Token) {
	if !c.stopped {
		c.diags.Errorf(t.Pos(), t.End(), CodeExpansion, "macros expand to too many tokens here, or nest too deeply")
	}
	c.stopped = true
}

// arguments consumes (a, b) after the name t of m.
func (e *expander) arguments(m *macro, t Token) ([][]Token, bool) {
	e.next()
	args := [][]Token{nil}
	for nest := 0; ; {
		next := e.next()
		if next == nil {
			e.c.diags.Errorf(t.Pos(), t.End(), CodeMacroArgs, "the arguments of the macro %s have no end", m.name)
			return nil, false
		}
		switch next.Text {
		case "(":
			nest++
		case ")":
			nest--
		}
		last := len(args) - 1
		switch {
		case nest < 0:
			return e.checkArgs(m, t, args)
		case next.Text == "," && nest == 0 && !(m.variadic && last == len(m.params)-1):
			args = append(args, nil)
		default:
			args[last] = append(args[last], *next)
			if e.c.produced++; e.c.produced > maxExpansion {
				e.c.stop(t)
				return nil, false
			}
		}
	}
}

// checkArgs compares the number of arguments with the parameters.
func (e *expander) checkArgs(m *macro, t Token, args [][]Token) ([][]Token, bool) {
	if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		return nil, true
	}
	if m.variadic && len(args) == len(m.params)-1 {
		args = append(args, nil)
	}
	if len(args) != len(m.params) {
		e.c.diags.Errorf(t.Pos(), t.End(), CodeMacroArgs, "the macro %s takes %d arguments, not %d", m.name, len(m.params), len(args))
		return nil, false
	}
	return args, true
}

// substitute returns the body of m with its parameters replaced by arguments:
// unexpanded where # or ## is applied to them, expanded elsewhere.
func (e *expander) substitute(m *macro, t Token, raw [][]Token) []Token {
	expanded := make([][]Token, len(raw))
	var out []Token
	paste, left := false, false // a ## is pending; it has a left operand
	for i := 0; i < len(m.body); i++ {
		b := m.body[i]
		if b.Text == "##" && b.Kind == Punct {
			paste = true
			continue
		}
		var piece []Token
		n := m.param(&b)
		switch {
		case m.isFunc && b.Text == "#" && b.Kind == Punct:
			i++ // define has checked that a parameter follows
			piece = []Token{e.c.stringify(t, raw[m.param(&m.body[i])])}
		case n >= 0 && (paste || i+1 < len(m.body) && m.body[i+1].Text == "##"):
			piece = slices.Clone(raw[n])
		case n >= 0:
			if expanded[n] == nil {
				expanded[n] = e.c.expand(raw[n], e.depth+1)
			}
			piece = slices.Clone(expanded[n])
		case b.Text == "," && m.variadic && i+2 < len(m.body) && m.body[i+1].Text == "##" && m.param(&m.body[i+2]) == len(m.params)-1:
			// GNU's , ## __VA_ARGS__: the comma is dropped when there are none.
			i += 2
			if rest := raw[len(raw)-1]; len(rest) > 0 {
				piece = append([]Token{b}, e.c.expand(rest, e.depth+1)...)
			}
		default:
			piece = []Token{b}
		}
		if len(piece) > 0 {
			piece[0].Flags = b.Flags | piece[0].Flags&NoExpand
		}
		if paste && left && len(piece) > 0 {
			out[len(out)-1] = e.c.paste(t, out[len(out)-1], piece[0])
			piece = piece[1:]
		} else if !paste {
			left = false
		}
		left = left || len(piece) > 0
		paste = false
		if out = append(out, piece...); len(out) > maxExpansion {
			e.c.stop(t)
			return nil
		}
	}
	return out
}

// stringify returns the string that # makes of an argument.
func (c *preprocessor) stringify(t Token, arg []Token) Token {
	var b strings.Builder
	for i := range arg {
		a := &arg[i]
		if i > 0 && !a.Glued() {
			b.WriteByte(' ')
		}
		if a.Kind == String || a.Kind == Char {
			b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.Text))
		} else if a.Kind != Bad {
			b.WriteString(a.Text)
		}
		if b.Len() > maxTokenText {
			c.stop(t)
			break
		}
	}
	return Token{Kind: String, Text: `"` + b.String() + `"`}
}

// paste returns the token that a ## b is.
func (c *preprocessor) paste(t, a, b Token) Token {
	text := a.Text + b.Text
	if len(text) > maxTokenText {
		c.stop(t)
		return a
	}
	toks, comments := Scan(source.NewFile("", []byte(text)), c.opts.Dialect)
	if len(toks) != 2 || len(comments) > 0 || toks[0].Kind == Bad {
		c.diags.Errorf(t.Pos(), t.End(), CodePaste, "`%s` ## `%s` is not a token", a.Text, b.Text)
		return a
	}
	toks[0].Flags = a.Flags
	return toks[0]
}
