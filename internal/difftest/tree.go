package difftest

import "strings"

// An exp is an expression: its text with a $ for each operand. Any operand may
// be replaced by another expression of its type and the program stays defined;
// the reducer lives on that.
type exp struct {
	t    *ctype
	text string
	args []*exp
}

func (e *exp) write(b *strings.Builder) {
	rest := e.text
	for _, a := range e.args {
		head, tail, ok := strings.Cut(rest, "$")
		if !ok {
			break // an operand that this form does not use
		}
		b.WriteString(head)
		a.write(b)
		rest = tail
	}
	b.WriteString(rest)
}

func (e *exp) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

// A stmt is a statement or declaration: its text with a $ for each expression
// and an @ for each block.
type stmt struct {
	text   string
	args   []*exp
	blocks []*block
	keep   bool // without it the program is not defined
}

// A block is a list of statements.
type block struct{ list []*stmt }

func (b *block) add(text string, args ...*exp) *stmt {
	s := &stmt{text: text, args: args}
	b.list = append(b.list, s)
	return s
}

func (b *block) write(out *strings.Builder, indent int) {
	for _, s := range b.list {
		s.write(out, indent)
	}
}

func (s *stmt) write(out *strings.Builder, indent int) {
	tabs := strings.Repeat("\t", indent)
	out.WriteString(tabs)
	args, blocks := s.args, s.blocks
	for _, c := range s.text {
		switch c {
		case '$':
			args[0].write(out)
			args = args[1:]
		case '@':
			out.WriteByte('\n')
			blocks[0].write(out, indent+1)
			blocks = blocks[1:]
			out.WriteString(tabs)
		case '\n':
			out.WriteByte('\n')
			out.WriteString(tabs)
		default:
			out.WriteRune(c)
		}
	}
	out.WriteByte('\n')
}
