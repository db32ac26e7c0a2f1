package syntax

import (
	"bytes"
	"io"
	"strings"

	"irgl/internal/source"
)

// Print writes n in its canonical form: one blank line between declarations
// of several lines, tabs, one statement a line. A file's comments are kept:
// one on a line of its own stays there, the others go to the end of the
// statement or declaration that they stand in. Text of the CUDA dialect is
// what nvcc takes.
func Print(w io.Writer, n Node) error {
	_, err := io.WriteString(w, String(n))
	return err
}

// String returns what [Print] writes.
func String(n Node) string {
	p := &printer{lineStart: true}
	p.node(n)
	return p.buf.String()
}

// A printer writes lines. Text is indented when a line begins; comments are
// written between the items that lines consist of.
type printer struct {
	buf       bytes.Buffer
	indent    int
	lineStart bool
	comments  []*Comment // not yet written
	// line is the source line of what was written last, 0 if unknown; limit
	// is where the item after the current one begins.
	line  int
	limit source.Pos

	dialect Dialect // of the file that is printed
}

// node prints any node.
func (p *printer) node(n Node) {
	switch n := n.(type) {
	case *File:
		p.fileNode(n)
	case *VarDecls:
		p.decl(n)
	case *TypeDecl:
		p.decl(n)
	case Decl:
		p.decl(n)
	case Stmt:
		p.stmt(n)
	case Expr:
		p.expr(n, precComma)
	case TypeExpr:
		p.typeName(n)
	case *Param:
		p.param(n)
	case *PropDecl:
		p.prop(n)
	case *RacyDecl:
		p.racy(n)
	case *VarDecl:
		p.varDecls(&VarDecls{Vars: []*VarDecl{n}})
	case *EnumConst:
		p.enumConst(n)
	case *InitElem:
		p.initElem(n)
	case *WorklistInit:
		p.initial(n)
		p.trimSpace()
	case *Comment:
		p.str(n.Text)
	}
}

// fileNode prints a file's declarations and comments.
func (p *printer) fileNode(f *File) {
	p.comments, p.dialect = f.Comments, f.Dialect
	for i, d := range f.Decls {
		if i > 0 && (isLong(d) || isLong(f.Decls[i-1])) {
			p.blank()
		}
		limit := f.End()
		if i+1 < len(f.Decls) {
			limit = f.Decls[i+1].Pos()
		}
		p.item(spanOf(d), limit, func() { p.decl(d) })
		p.endLine()
	}
	for len(p.comments) > 0 {
		p.comment()
	}
	p.endLine()
}

// str writes text within a line.
func (p *printer) str(text string) {
	if text == "" {
		return
	}
	if p.lineStart {
		p.lineStart = false
		for range p.indent {
			p.buf.WriteByte('\t')
		}
	}
	p.buf.WriteString(text)
}

// endLine ends the current line, if anything is on it.
func (p *printer) endLine() {
	if !p.lineStart {
		p.buf.WriteByte('\n')
		p.lineStart = true
	}
}

// blank leaves one blank line before the next one, not at the beginning.
func (p *printer) blank() {
	p.endLine()
	if b := p.buf.Bytes(); len(b) > 1 && b[len(b)-2] != '\n' {
		p.buf.WriteByte('\n')
	}
}

// trimSpace takes back a blank at the end.
func (p *printer) trimSpace() {
	if b := p.buf.Bytes(); len(b) > 0 && b[len(b)-1] == ' ' {
		p.buf.Truncate(len(b) - 1)
	}
}

// outdent writes the indentation of a label: one level less.
func (p *printer) outdent() {
	if p.lineStart && p.indent > 0 {
		p.indent--
		p.lineStart = false
		for range p.indent {
			p.buf.WriteByte('\t')
		}
		p.indent++
	}
}

// render returns what f prints, as text.
func (p *printer) render(f func()) string {
	saveBuf, saveStart := p.buf, p.lineStart
	p.buf, p.lineStart = bytes.Buffer{}, false
	f()
	text := p.buf.String()
	p.buf, p.lineStart = saveBuf, saveStart
	return text
}

// gap keeps one blank line where the source has any between what was printed
// last and pos.
func (p *printer) gap(pos source.Pos) {
	if !pos.IsValid() {
		return
	}
	if n := pos.Line(); p.line > 0 && n > p.line+1 {
		p.blank()
	}
}

// comment writes the next comment on lines of its own.
func (p *printer) comment() {
	c := p.comments[0]
	p.comments = p.comments[1:]
	p.endLine()
	p.gap(c.From)
	p.str(c.Text)
	p.endLine()
	p.line = max(p.line, c.To.Line())
}

// item prints something that has lines of its own, with the comments before
// it, in it, and after it on its line up to limit.
func (p *printer) item(span Span, limit source.Pos, print func()) {
	p.endLine()
	if span.From.IsValid() {
		for len(p.comments) > 0 && before(p.comments[0], span.From) {
			p.comment()
		}
		p.gap(span.From)
		p.line = span.From.Line()
	}
	save := p.limit
	p.limit = limit
	print()
	p.limit = save
	if span.To.IsValid() {
		p.line = max(p.line, span.To.Line())
		p.trailing(span.To, limit)
	}
}

// trailing writes the comments before end, and those after it on the same
// line and before limit, at the end of the current line.
func (p *printer) trailing(end, limit source.Pos) {
	// After a // comment the others go on lines of their own, as comments
	// before the next item.
	for len(p.comments) > 0 && !p.lineStart {
		c := p.comments[0]
		if !before(c, end) && !(before(c, limit) && c.From.Line() == p.line) {
			return
		}
		p.comments = p.comments[1:]
		p.str(" " + c.Text)
		if strings.HasPrefix(c.Text, "//") {
			p.endLine()
		}
		p.line = max(p.line, c.To.Line())
	}
}

// braces prints n items on lines of their own after a {, and the }. The { is
// at open in the source or a little after it, the } ends at end.
func (p *printer) braces(open, end source.Pos, n int, span func(int) Span, print func(int)) {
	closing := end
	if end.IsValid() && end.Offset > 0 {
		closing.Offset--
	}
	first := closing
	if n > 0 {
		first = span(0).From
	}
	save := p.limit
	p.indent++
	p.open(open, first)
	for i := range n {
		limit := closing
		if i+1 < n {
			limit = span(i + 1).From
		}
		p.item(span(i), limit, func() { print(i) })
		p.endLine()
	}
	for len(p.comments) > 0 && end.IsValid() && before(p.comments[0], closing) {
		p.comment()
	}
	p.indent--
	p.limit = save
	if n == 0 && !p.lineStart && bytes.HasSuffix(p.buf.Bytes(), []byte("{")) {
		p.str("}")
	} else {
		p.endLine()
		p.str("}")
	}
	if end.IsValid() {
		p.line = end.Line()
	}
}

// open writes the comments on the line of a { after it. Comments before it,
// in the head of the statement, come there too.
func (p *printer) open(pos, first source.Pos) {
	if !pos.IsValid() {
		p.line = 0
		return
	}
	p.line = pos.Line()
	p.trailing(pos, first)
	// The first item follows directly: no blank line after a {.
	if len(p.comments) > 0 && before(p.comments[0], first) {
		first = p.comments[0].From
	}
	if first.IsValid() {
		p.line = max(p.line, first.Line())
	}
}
