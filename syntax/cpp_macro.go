package syntax

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
	body     []token
	builtin  bool
	busy     bool // its expansion is being rescanned, where it stays as it is
}

// param returns the number of a parameter, or -1.
func (m *macro) param(t *token) int {
	if !m.isFunc || !isName(t) {
		return -1
	}
	return slices.Index(m.params, t.text)
}

// define executes #define.
func (c *cpp) define(line []token) {
	if len(line) < 3 || !isName(&line[2]) || line[2].text == "defined" {
		c.errorf(line, CodeMalformed, "expected a name after #define")
		return
	}
	m := &macro{name: line[2].text, body: line[3:]}
	if len(line) > 3 && line[3].text == "(" && line[3].glued() {
		m.isFunc = true
		n, ok := m.parseParams(line[4:])
		if !ok {
			c.errorf(line, CodeMalformed, "malformed parameters of the macro %s", m.name)
			return
		}
		m.body = line[4+n:]
	}
	if n := len(m.body); n > 0 && (m.body[0].text == "##" || m.body[n-1].text == "##") {
		c.errorf(line, CodePaste, "## is at the beginning or the end of the macro %s", m.name)
		return
	}
	for i := range m.body {
		if b := &m.body[i]; m.isFunc && b.text == "#" && b.kind == tokPunct && (i+1 == len(m.body) || m.param(&m.body[i+1]) < 0) {
			c.errorf(line, CodePaste, "# must be followed by a parameter of the macro %s", m.name)
			return
		}
	}
	if old := c.macros[m.name]; old != nil && !old.same(m) {
		d := c.diags.Warnf(line[0].pos(), line[2].end(), CodeRedefined, "the macro %s is defined again, differently", m.name)
		if !old.builtin && len(old.body) > 0 {
			d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: old.body[0].pos(), Message: "it was first defined here"})
		}
	}
	c.macros[m.name] = m
}

// parseParams reads a, b, ...) and returns how many tokens that took.
func (m *macro) parseParams(toks []token) (int, bool) {
	if len(toks) > 0 && toks[0].text == ")" {
		return 1, true
	}
	for i := 0; i+1 < len(toks); i += 2 {
		name := toks[i].text
		switch {
		case name == "...":
			name, m.variadic = "__VA_ARGS__", true
		case !isName(&toks[i]):
			return 0, false
		}
		if slices.Contains(m.params, name) {
			return 0, false
		}
		m.params = append(m.params, name)
		switch {
		case toks[i+1].text == ")":
			return i + 2, true
		case toks[i+1].text != "," || m.variadic:
			return 0, false
		}
	}
	return 0, false
}

// same reports whether two definitions are the same.
func (m *macro) same(n *macro) bool {
	return m.isFunc == n.isFunc && m.variadic == n.variadic && slices.Equal(m.params, n.params) &&
		slices.EqualFunc(m.body, n.body, func(a, b token) bool { return a.text == b.text && a.kind == b.kind })
}

// A frame is a list of tokens that is being scanned for macros: the text, or
// the expansion of a macro.
type frame struct {
	toks []token
	i    int
	m    *macro // busy until the frame is done; nil for the text
}

// An expander scans nested frames.
type expander struct {
	c      *cpp
	depth  int
	frames []frame
}

// peek returns the next token without consuming it, nil at the end. Frames
// that are done are left.
func (e *expander) peek() *token {
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

func (e *expander) next() *token {
	t := e.peek()
	if t != nil {
		e.frames[len(e.frames)-1].i++
	}
	return t
}

// expand returns toks with all macros replaced. depth counts the macro calls
// whose arguments toks are.
func (c *cpp) expand(toks []token, depth int) []token {
	e := &expander{c: c, depth: depth, frames: []frame{{toks: toks}}}
	out := make([]token, 0, len(toks))
	for {
		next := e.next()
		if next == nil {
			return out
		}
		t := *next
		m := c.macros[t.text]
		if m == nil || !isName(&t) || t.flags&noExpand != 0 || c.stopped {
			out = append(out, t)
			continue
		}
		if m.busy {
			t.flags |= noExpand
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
func (e *expander) replace(m *macro, t token) ([]token, bool) {
	c := e.c
	var raw [][]token
	if m.isFunc {
		if open := e.peek(); open == nil || open.text != "(" || open.kind != tokPunct {
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
	var body []token
	switch {
	case m.builtin && m.name == "_Pragma":
		body = c.pragmaOperator(t, c.expand(raw[0], e.depth+1))
	case m.name == "__LINE__":
		body = []token{{kind: tokNumber, text: strconv.Itoa(t.pos().Line())}}
	case m.name == "__FILE__":
		body = []token{{kind: tokString, text: quoteC(t.file.Name)}}
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
		b.file, b.from, b.to = t.file, t.from, t.to
		if b.startsLine() {
			b.flags = b.flags&^afterNewline | afterSpace
		}
		if i == 0 {
			b.flags = b.flags&noExpand | t.flags&^noExpand
		}
	}
	return body, true
}

// stop reports, once, that macros expand to too much, and ends expansion.
func (c *cpp) stop(t token) {
	if !c.stopped {
		c.diags.Errorf(t.pos(), t.end(), CodeExpansion, "macros expand to too many tokens here, or nest too deeply")
	}
	c.stopped = true
}

// arguments consumes (a, b) after the name t of m.
func (e *expander) arguments(m *macro, t token) ([][]token, bool) {
	e.next()
	args := [][]token{nil}
	for nest := 0; ; {
		next := e.next()
		if next == nil {
			e.c.diags.Errorf(t.pos(), t.end(), CodeMacroArgs, "the arguments of the macro %s have no end", m.name)
			return nil, false
		}
		switch next.text {
		case "(":
			nest++
		case ")":
			nest--
		}
		last := len(args) - 1
		switch {
		case nest < 0:
			return e.checkArgs(m, t, args)
		case next.text == "," && nest == 0 && !(m.variadic && last == len(m.params)-1):
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
func (e *expander) checkArgs(m *macro, t token, args [][]token) ([][]token, bool) {
	if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		return nil, true
	}
	if m.variadic && len(args) == len(m.params)-1 {
		args = append(args, nil)
	}
	if len(args) != len(m.params) {
		e.c.diags.Errorf(t.pos(), t.end(), CodeMacroArgs, "the macro %s takes %d arguments, not %d", m.name, len(m.params), len(args))
		return nil, false
	}
	return args, true
}

// substitute returns the body of m with its parameters replaced by arguments:
// unexpanded where # or ## is applied to them, expanded elsewhere.
func (e *expander) substitute(m *macro, t token, raw [][]token) []token {
	expanded := make([][]token, len(raw))
	var out []token
	paste, left := false, false // a ## is pending; it has a left operand
	for i := 0; i < len(m.body); i++ {
		b := m.body[i]
		if b.text == "##" && b.kind == tokPunct {
			paste = true
			continue
		}
		var piece []token
		n := m.param(&b)
		switch {
		case m.isFunc && b.text == "#" && b.kind == tokPunct:
			i++ // define has checked that a parameter follows
			piece = []token{e.c.stringify(t, raw[m.param(&m.body[i])])}
		case n >= 0 && (paste || i+1 < len(m.body) && m.body[i+1].text == "##"):
			piece = slices.Clone(raw[n])
		case n >= 0:
			if expanded[n] == nil {
				expanded[n] = e.c.expand(raw[n], e.depth+1)
			}
			piece = slices.Clone(expanded[n])
		case b.text == "," && m.variadic && i+2 < len(m.body) && m.body[i+1].text == "##" && m.param(&m.body[i+2]) == len(m.params)-1:
			// GNU's , ## __VA_ARGS__: the comma is dropped when there are none.
			i += 2
			if rest := raw[len(raw)-1]; len(rest) > 0 {
				piece = append([]token{b}, e.c.expand(rest, e.depth+1)...)
			}
		default:
			piece = []token{b}
		}
		if len(piece) > 0 {
			piece[0].flags = b.flags | piece[0].flags&noExpand
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
func (c *cpp) stringify(t token, arg []token) token {
	var b strings.Builder
	for i := range arg {
		a := &arg[i]
		if i > 0 && !a.glued() {
			b.WriteByte(' ')
		}
		if a.kind == tokString || a.kind == tokChar {
			b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.text))
		} else if a.kind != tokBad {
			b.WriteString(a.text)
		}
		if b.Len() > maxTokenText {
			c.stop(t)
			break
		}
	}
	return token{kind: tokString, text: `"` + b.String() + `"`}
}

// paste returns the token that a ## b is.
func (c *cpp) paste(t, a, b token) token {
	text := a.text + b.text
	if len(text) > maxTokenText {
		c.stop(t)
		return a
	}
	toks, comments := scan(source.NewFile("", []byte(text)))
	if len(toks) != 2 || len(comments) > 0 || toks[0].kind == tokBad {
		c.diags.Errorf(t.pos(), t.end(), CodePaste, "`%s` ## `%s` is not a token", a.text, b.text)
		return a
	}
	toks[0].flags = a.flags
	return toks[0]
}
