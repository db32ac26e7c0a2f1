package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// asm reads asm volatile ("text" : outputs : inputs : clobbers);
func (p *parser) asm() ast.Stmt {
	x := &ast.AsmStmt{}
	from := p.pos()
	p.next()
	for p.w == cpp.KwVolatile || p.w == cpp.KwInline || p.w == cpp.KwGoto {
		x.Volatile = x.Volatile || p.w == cpp.KwVolatile
		p.next()
	}
	open := p.i
	if p.w != cpp.LParen {
		p.expected("'(' after 'asm'")
		return x
	}
	p.next()
	if p.k != cpp.String {
		p.fail(CodeAsm, "expected string literal in 'asm'")
		return x
	}
	x.Template = p.stringLiteral()
	colons := 0
	// :: may be one token: two empty sections.
	for !p.failed && (p.w == cpp.Colon || p.w == cpp.ColonColon) {
		if p.w == cpp.ColonColon {
			colons++
		}
		colons++
		p.next()
		switch colons {
		case 1:
			x.Outputs = p.operands()
		case 2:
			x.Inputs = p.operands()
		case 3:
			for p.k == cpp.String {
				x.Clobbers = append(x.Clobbers, p.stringLiteral())
				if !p.accept(cpp.Comma) {
					break
				}
			}
		default:
			p.fail(CodeAsm, "too many ':' in 'asm'")
		}
	}
	p.closing(cpp.RParen, open)
	p.expectSemi("asm statement")
	x.Span = p.since(from)
	return x
}

// operands reads [name] "constraint" (x), ...
func (p *parser) operands() []*ast.AsmOperand {
	var list []*ast.AsmOperand
	for p.k == cpp.String || p.w == cpp.LBracket {
		o := &ast.AsmOperand{}
		from := p.pos()
		if p.accept(cpp.LBracket) {
			o.Name = p.ident()
			p.expect(cpp.RBracket)
		}
		if p.k != cpp.String {
			p.fail(CodeAsm, "expected string literal in 'asm'")
			return list
		}
		o.Constraint = p.stringLiteral()
		open := p.i
		p.expect(cpp.LParen)
		o.X = p.inParens(p.expr)
		p.closing(cpp.RParen, open)
		o.Span = p.since(from)
		list = append(list, o)
		if !p.accept(cpp.Comma) && p.k != cpp.String { // nvcc accepts operands without commas
			break
		}
	}
	return list
}
