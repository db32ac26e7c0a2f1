package cpp

import (
	"strings"

	"irgl/internal/source"
)

// noteDefinition adds the place of a macro's definition to a diagnostic.
func (p *preprocessor) noteDefinition(d *source.Diagnostic, m *macro) {
	if !m.predefined {
		d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: m.def, Message: "macro '" + m.name + "' defined here"})
	}
}

// checkArgs compares the number of arguments with the parameters.
func (p *preprocessor) checkArgs(m *macro, t *Token, a *arguments) bool {
	n := len(a.ends)
	if len(m.params) == 0 && n == 1 && a.ends[0] == 0 {
		a.ends = a.ends[:0]
		n = 0
	}
	switch {
	case m.variadic && n == len(m.params)-1:
		a.ends = append(a.ends, len(a.toks))
		a.omitted = true
		n++
	case m.variadic && n == 1:
		a.omitted = len(a.toks) == 0
	}
	a.expanded = a.expandedRoom[:0]
	for range n {
		a.expanded = append(a.expanded, nil)
	}
	if n == len(m.params) {
		return true
	}
	what := "too many"
	if n < len(m.params) {
		what = "too few"
	}
	d := p.diags.Errorf(t.Pos(), t.End(), CodeMacroArgs, "%s arguments provided to function-like macro invocation: %s takes %d, not %d", what, m.name, len(m.params), n)
	p.noteDefinition(d, m)
	return false
}

// A substitution replaces the parameters in a macro's body by arguments.
type substitution struct {
	p    *preprocessor
	m    *macro
	t    Token // the macro's name in the text
	args arguments
	str  [1]Token // what # made last
}

// expanded returns an argument with its macros expanded.
func (s *substitution) expanded(n int) []Token {
	list := s.args.expanded[n]
	if list == nil {
		list = s.p.expandList(s.args.raw(n), s.p.buffer(), false)
		for i := range list {
			list[i].Flags |= fromArgument
		}
		s.args.expanded[n] = list
	}
	return list
}

// run appends body[from:to] to out with its parameters replaced by arguments:
// as they were written where # or ## is applied to them, expanded elsewhere.
func (s *substitution) run(out []Token, from, to int) []Token {
	m := s.m
	for n, needed := range m.expands {
		if needed && s.args.expanded[n] == nil {
			s.expanded(n)
		}
	}
	paste, left := false, false // a ## is pending; it has a left operand
	for i := from; i < to; i++ {
		b := &m.body[i]
		if b.Word == HashHash {
			paste = true
			continue
		}
		var piece []Token
		n := m.use[i]
		beforePaste := i+1 < to && m.body[i+1].Word == HashHash
		switch {
		case m.fn && b.Word == Hash:
			i++ // define has checked that a parameter follows
			s.str[0] = s.stringify(s.args.raw(int(m.use[i])))
			piece = s.str[:]
		case n == vaOpt:
			end := m.closing(i)
			if len(s.expanded(len(m.params)-1)) > 0 {
				piece = s.run(s.p.buffer(), i+2, end)
				defer s.p.release(piece)
			}
			i = end
		case n >= 0 && (paste || beforePaste):
			piece = s.args.raw(int(n))
		case n >= 0:
			piece = s.expanded(int(n))
		case b.Word == Comma && m.variadic && beforePaste && i+2 < to && int(m.use[i+2]) == len(m.params)-1:
			// GNU's , ## __VA_ARGS__: the comma is dropped when they are omitted.
			i += 2
			if !s.args.omitted {
				out = append(out, *b)
				piece = s.args.raw(len(m.params) - 1)
				b = &m.body[i]
			}
		default:
			piece = m.body[i : i+1]
		}
		switch {
		case len(piece) == 0:
			left = left && paste
		case paste && left:
			out = s.paste(out, piece)
			left = true
		default:
			at := len(out)
			out = append(out, piece...)
			out[at].Flags = b.Flags | out[at].Flags&(NoExpand|fromArgument)
			left = true
		}
		paste = false
		if len(out) > maxExpansion {
			s.p.stop(&s.t)
			return out
		}
	}
	return out
}

// stringify returns the string that # makes of an argument.
func (s *substitution) stringify(arg []Token) Token {
	var b strings.Builder
	b.WriteByte('"')
	for i := range arg {
		a := &arg[i]
		if i > 0 && !a.Glued() {
			b.WriteByte(' ')
		}
		switch {
		case a.Kind == String || a.Kind == Char:
			escapeLiteral(&b, a.Text())
		case a.Kind != Bad:
			b.WriteString(a.Text())
		case a.Macro() == 0 && a.File() != nil: // what is no token may be text of another language
			text := unspliced(a.File().Content[a.From():a.To()])
			beforeQuote := text == `\` && i+1 < len(arg) && arg[i+1].Glued() && arg[i+1].escapes() // or it would be another escape
			if beforeQuote || strings.HasPrefix(a.Text(), string(CodeQuote)) {
				escapeLiteral(&b, text)
			} else {
				b.WriteString(text)
			}
		}
		if b.Len() > maxTokenText {
			s.p.stop(&s.t)
			break
		}
	}
	text := b.String()
	plain := strings.TrimRight(text, `\`)
	if (len(text)-len(plain))%2 != 0 { // a lone backslash would escape the quote
		text = text[:len(text)-1]
	}
	return made(String, NoWord, text+`"`)
}

// escapes reports whether the token has a backslash in front of it in a string that # makes.
func (t *Token) escapes() bool {
	if t.Kind != Bad {
		return t.Kind == String || t.Kind == Char
	}
	return strings.HasPrefix(t.Text(), string(CodeQuote)) || t.File() != nil && t.File().Content[t.From()] == '\\'
}

// unspliced returns text without its line splices.
func unspliced(text []byte) string {
	return strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(string(text))
}

// escapeLiteral writes a literal as it is inside of a string.
func escapeLiteral(b *strings.Builder, text string) {
	for i := range len(text) {
		switch c := text[i]; c {
		case '\\', '"':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n': // of a raw string
			b.WriteString(`\n`)
		default:
			b.WriteByte(c)
		}
	}
}

// paste appends piece to out, of which the last token and the first of piece become one.
func (s *substitution) paste(out, piece []Token) []Token {
	a := &out[len(out)-1]
	text := a.Text() + piece[0].Text()
	if len(text) > maxTokenText {
		s.p.stop(&s.t)
		return out
	}
	var t Token
	of := s.p.newOrigin()
	*of = origin{text: text, placed: true}
	scan := scanner{src: text, origin: of, dialect: s.p.dialect, names: s.p.names, flags: AfterNewline}
	if scan.scan(&t) == endOfText || scan.off != len(text) || t.Kind == Bad || a.Kind == Bad {
		if a.Kind != Bad && piece[0].Kind != Bad {
			d := s.p.diags.Errorf(s.t.Pos(), s.t.End(), CodePaste, "pasting formed '%s', an invalid preprocessing token", text)
			s.p.noteDefinition(d, s.m)
		}
		return append(out, piece[1:]...)
	}
	t.Flags = a.Flags &^ (NoExpand | fromArgument)
	*a = t
	return append(out, piece[1:]...)
}
