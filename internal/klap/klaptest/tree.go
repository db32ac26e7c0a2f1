package klaptest

import "strings"

// A stmt is a statement or a declaration: its text, and for one with a block its statements, in front
// of the brace that closes it. A reducer may take away what is not kept.
type stmt struct {
	text string
	body *block // nil for none
	keep bool
}

// A block is a list of statements.
type block struct{ list []*stmt }

func (b *block) add(text string) *stmt {
	s := &stmt{text: text}
	b.list = append(b.list, s)
	return s
}

// open adds a statement with a block, which it returns.
func (b *block) open(head string) *block {
	s := b.add(head + " {")
	s.body = &block{}
	return s.body
}

func (b *block) write(out *strings.Builder, indent int) {
	tabs := strings.Repeat("\t", indent)
	for _, s := range b.list {
		out.WriteString(tabs + s.text + "\n")
		if s.body != nil {
			s.body.write(out, indent+1)
			out.WriteString(tabs + "}\n")
		}
	}
}
