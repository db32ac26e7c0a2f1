package syntax

import (
	"bytes"
	"io"

	"irgl/internal/source"
)

// Print writes n in its canonical form: one blank line between declarations
// of several lines, tabs, one statement a line. A file's comments are kept:
// one on a line of its own stays there, the others go to the end of the
// printed line that they stand in or after. What is printed is printed again
// as it is. Text of the CUDA dialect is what nvcc takes.
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
// written between lines, as print_line.go says.
type printer struct {
	buf       bytes.Buffer
	indent    int
	lineStart bool
	flat      bool // nothing ends the line, as in a #define

	file     *source.File // that the comments stand in; nil for none
	comments []*Comment   // not yet written
	line     int          // of the source where what was written last ends, 0 if unknown
	tight    bool         // no blank line before what is next on a line of its own
	apart    bool         // a blank line before what is next on a line of its own

	dialect    Dialect // of the file that is printed
	attributes map[Node][]*Attribute
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
	case *AsmOperand:
		p.asmOperand(n)
	case *WorklistInit:
		p.initial(n)
		p.trimSpace()
	case *Comment:
		p.str(n.Text)
	case *Attribute:
		p.str(n.String())
	case *AttributeArg:
		p.str(n.String())
	}
}

// fileNode prints a file's declarations and comments.
func (p *printer) fileNode(f *File) {
	p.comments, p.dialect, p.attributes = f.Comments, f.Dialect, f.Attributes
	if len(p.comments) > 0 {
		p.file = p.comments[0].From.File
	}
	for i, d := range f.Decls {
		p.apart = i > 0 && (isLong(d) || isLong(f.Decls[i-1]))
		p.item(p.spanOf(d), func() {
			p.attributesOf(d)
			p.decl(d)
		})
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
