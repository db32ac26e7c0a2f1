package syntax

import (
	"strings"

	"irgl/internal/source"
)

// Where comments go. The printed text is a sequence of lines, each a statement
// or a part of one, and a comment has one of two places in it:
//
//   - at the end of a line, when it begins on the source line where what the
//     printed line holds ends, or before that;
//   - otherwise on lines of its own before the next line.
//
// The places of all comments before a line are chosen when the line begins, by
// the position of its first token. So no comment is ever within a line, the
// lines do not depend on the comments, and reading the printed text gives each
// comment the place that it has: a second print is the same.
//
// A blank line is kept, as one, before what stands on lines of its own: the
// items of a list and comments. There is none before the first of them after a
// brace or the head of a statement, and none before a closing brace, else or
// while; there always is one beside a long declaration. So this, too, depends
// on the lines alone and on what the source has between two of them.

// known reports whether a position is in the text that has the comments: what
// is included has others, and what the compiler made may have none.
func (p *printer) known(pos source.Pos) bool {
	return pos.IsValid() && (p.file == nil || p.file == pos.File)
}

// item prints something that has lines of its own.
func (p *printer) item(span Span, print func()) {
	p.begin(span.From, true)
	print()
	p.mark(span.To)
}

// begin starts the line whose first token stands at pos in the source, after
// the comments before it. An item keeps a blank line of the source.
func (p *printer) begin(pos source.Pos, item bool) {
	if p.flat {
		p.str(" ")
		return
	}
	known := p.known(pos)
	for len(p.comments) > 0 {
		c := p.comments[0]
		if known && !c.From.Before(pos) || !known && c.From.Line() > p.line {
			break
		}
		p.comment()
	}
	p.endLine()
	if item {
		p.separate(pos, known)
	}
	if known {
		p.line = pos.Line()
	}
}

// mark says that the current line extends to pos in the source.
func (p *printer) mark(pos source.Pos) {
	if p.known(pos) {
		p.line = max(p.line, pos.Line())
	}
}

// comment writes the next comment at the end of the current line or on lines
// of its own.
func (p *printer) comment() {
	c := p.comments[0]
	p.comments = p.comments[1:]
	if !p.lineStart && c.From.Line() <= p.line {
		p.str(" " + c.Text)
		if strings.HasPrefix(c.Text, "//") {
			p.endLine()
		}
	} else {
		p.endLine()
		p.separate(c.From, true)
		p.str(c.Text)
		p.endLine()
	}
	p.mark(c.To)
}

// separate writes the blank line, if there is to be any, before something at
// pos in the source.
func (p *printer) separate(pos source.Pos, known bool) {
	if p.apart || known && !p.tight && p.line > 0 && pos.Line() > p.line+1 {
		p.blank()
	}
	p.apart, p.tight = false, false
}

// braces prints n items on lines of their own after a {, and the }. The { is
// at open in the source or a little after it, the } ends at end.
func (p *printer) braces(open, end source.Pos, n int, span func(int) Span, print func(int)) {
	closing := end
	if end.IsValid() && end.Offset > 0 {
		closing.Offset--
	}
	if p.mark(open); !open.IsValid() {
		p.line = 0 // the items of what the compiler made follow each other
	}
	if n > 0 || !p.flat && p.commentsIn(open, closing) {
		p.indent++
		p.tight = true
		for i := range n {
			p.item(span(i), func() { print(i) })
		}
		p.begin(closing, false)
		p.tight = false
		p.indent--
	}
	p.str("}")
	p.mark(end)
}

// commentsIn reports whether comments begin between two positions.
func (p *printer) commentsIn(from, to source.Pos) bool {
	for _, c := range p.comments {
		if !c.From.Before(to) {
			return false
		}
		if !c.From.Before(from) {
			return true
		}
	}
	return false
}
