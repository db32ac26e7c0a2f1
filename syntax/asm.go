package syntax

import "irgl/internal/cpp"

// Inline PTX: the statement, its parser and its printer.

// An AsmStmt is inline PTX. Operands are numbered in order, outputs first; the
// template refers to them as %0 or %[name], and has %% for a percent sign and %= for a
// number that differs between the copies of the statement.
//
//	asm volatile ("add.u32 %0, %1, %[two];" : "=r"(x) : "r"(y), [two] "n"(2) : "memory");
type AsmStmt struct {
	Span
	Volatile bool
	Template string // the string's bytes, without quotes and escapes
	Outputs  []*AsmOperand
	Inputs   []*AsmOperand
	Clobbers []string
}

// An AsmOperand is an operand of an AsmStmt: what it is in PTX and the expression that
// it is computed from or stored to.
//
//	[sum] "+r"(x)
type AsmOperand struct {
	Span
	Name       string // "" for none
	Constraint string
	X          Expr
}

func (*AsmStmt) stmt() {}

func (n *AsmStmt) visit(p places)    { each(p, n.Outputs); each(p, n.Inputs) }
func (n *AsmOperand) visit(p places) { p.expr(&n.X) }

// isAsm reports whether the token is a word for inline PTX.
func (p *parser) isAsm() bool { return p.is("asm") || p.is("__asm__") || p.is("__asm") }

// asmStmt parses asm [volatile] ( template [: outputs [: inputs [: clobbers]]] ) ;
func (p *parser) asmStmt() Stmt {
	from := p.tok.Pos()
	if p.dialect != CUDA {
		p.refuseAsm()
	}
	p.next()
	s := &AsmStmt{}
	for p.got("volatile") || p.got("__volatile__") || p.gotWord("__volatile") {
		s.Volatile = true
	}
	p.expect("(", "after asm")
	s.Template = p.asmString("the template of asm")
	// Two colons with nothing in between may be one token.
	section := 0
	for section < 3 && (p.is(":") || p.is("::")) {
		section++
		if p.got("::") {
			section++
		} else {
			p.next()
		}
		switch section {
		case 1:
			s.Outputs = p.asmOperands()
		case 2:
			s.Inputs = p.asmOperands()
		case 3:
			for p.tok.Kind == cpp.String {
				s.Clobbers = append(s.Clobbers, p.asmString("a clobber"))
				if !p.got(",") {
					break
				}
			}
		}
	}
	p.expect(")", "after the operands of asm")
	p.endStmt("asm")
	s.Span = p.span(from)
	return s
}

// asmString parses a string and returns its bytes.
func (p *parser) asmString(what string) string {
	if p.tok.Kind != cpp.String {
		p.errorTok(CodeAsm, "expected a string, %s, found %s", what, p.tok.Describe())
		p.fail()
	}
	text, _ := ParseString(p.literal().(*BasicLit).Text) // an error is reported
	return text
}

// asmOperands parses a list of operands, which may be empty.
func (p *parser) asmOperands() (list []*AsmOperand) {
	for p.is("[") || p.tok.Kind == cpp.String {
		from := p.tok.Pos()
		o := &AsmOperand{}
		if p.got("[") {
			o.Name = p.ident("the name of an operand").Name
			p.expect("]", "after the name of an operand")
		}
		o.Constraint = p.asmString("the constraint of an operand")
		p.expect("(", "after a constraint")
		o.X = p.expr()
		p.expect(")", "after an operand")
		o.Span = p.span(from)
		list = append(list, o)
		if !p.got(",") {
			break
		}
	}
	return list
}

func (p *parser) refuseAsm() {
	hint := "use CUDA's intrinsics, such as __popc and __shfl_sync"
	if p.dialect == CUDA {
		hint = "write it as a statement in a function"
	}
	p.errorHint(CodeAsm, hint, "inline assembly cannot be used here")
	p.fail()
}

func (p *printer) asmStmt(s *AsmStmt) {
	p.str("asm ")
	if s.Volatile {
		p.str("volatile ")
	}
	p.str("(" + cpp.Quote(s.Template))
	last := 0
	switch {
	case len(s.Clobbers) > 0:
		last = 3
	case len(s.Inputs) > 0:
		last = 2
	case len(s.Outputs) > 0:
		last = 1
	}
	for section := 1; section <= last; section++ {
		p.str(" :")
		switch section {
		case 1:
			p.asmOperands(s.Outputs)
		case 2:
			p.asmOperands(s.Inputs)
		case 3:
			for i, c := range s.Clobbers {
				p.separator(i)
				p.str(cpp.Quote(c))
			}
		}
	}
	p.str(");")
}

func (p *printer) asmOperands(list []*AsmOperand) {
	for i, o := range list {
		p.separator(i)
		p.asmOperand(o)
	}
}

func (p *printer) asmOperand(o *AsmOperand) {
	if o.Name != "" {
		p.str("[" + o.Name + "] ")
	}
	p.str(cpp.Quote(o.Constraint) + "(")
	p.expr(o.X, precComma)
	p.str(")")
}

// separator writes what precedes element i of a list behind a colon.
func (p *printer) separator(i int) {
	if i > 0 {
		p.str(",")
	}
	p.str(" ")
}
