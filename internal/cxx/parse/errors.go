package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// fail notes the first error of a declaration or statement, at the current token, and
// moves the cursor to the end of the text. It returns the diagnostic for a hint or notes; while
// parsing is tentative that is one which nobody sees.
func (p *parser) fail(code source.Code, message string) *source.Diagnostic {
	if p.failed {
		return &source.Diagnostic{}
	}
	p.failed = true
	p.failedAt = p.i
	d := &source.Diagnostic{}
	if p.tent == 0 {
		t := p.tok()
		d.Code, d.Message, d.Pos, d.End = code, message, p.pos(), t.End()
		switch t.Kind {
		case cpp.Bad:
			d.Code, d.Message = t.Malformed()
		case cpp.EOF:
			if p.i > 0 {
				d.Pos = p.toks[p.i-1].End()
				d.End = d.Pos
			}
		}
		p.err = d
	}
	p.seek(len(p.toks) - 1)
	return d
}

// failAt is fail at the token i.
func (p *parser) failAt(i int, code source.Code, message string) *source.Diagnostic {
	if !p.failed {
		p.seek(i)
	}
	return p.fail(code, message)
}

// failAfter is fail at the end of the token before the current one, where something is missing.
func (p *parser) failAfter(code source.Code, message string) *source.Diagnostic {
	after := p.prevEnd()
	before := p.i > 0 && p.k != cpp.Bad && p.tok().StartsLine()
	d := p.fail(code, message)
	if before && d.Pos.IsValid() {
		d.Pos, d.End = after, after
	}
	return d
}

// expected is the error of a missing token or construct.
func (p *parser) expected(what string) *source.Diagnostic {
	if p.failed {
		return &source.Diagnostic{}
	}
	return p.failAfter(CodeExpected, "expected "+what)
}

// expect moves past w, which must be the current token.
func (p *parser) expect(w cpp.Word) bool {
	if p.w == w {
		p.next()
		return true
	}
	if !p.failed {
		p.expected("'" + w.String() + "'")
	}
	return false
}

// expectSemi moves past a semicolon after a construct that what names.
func (p *parser) expectSemi(what string) bool {
	if p.w == cpp.Semi {
		p.next()
		return true
	}
	if p.failed {
		return false
	}
	if p.inBody && p.tent == 0 && p.k != cpp.EOF && (p.w == cpp.RBrace || p.tok().StartsLine()) {
		p.missingSemi(what)
		return true
	}
	p.expected("';' after " + what)
	return false
}

// missingSemi reports a semicolon that is missing after a construct, and goes on as if it were there.
func (p *parser) missingSemi(what string) {
	at := p.cursor
	p.expected("';' after " + what)
	if p.tent == 0 {
		p.report()
		p.cursor = at
	}
}

// closing moves past the bracket that closes the one at token open.
func (p *parser) closing(w cpp.Word, open int) bool {
	if p.w == w {
		p.next()
		return true
	}
	if !p.failed {
		d := p.expected("'" + w.String() + "'")
		t := &p.toks[open]
		d.Notes = append(d.Notes, source.Diagnostic{
			Severity: source.Note, Pos: t.Pos(), End: t.End(), Message: "to match this '" + t.Text() + "'",
		})
	}
	return false
}

// report adds the pending error to the diagnostics and ends the failed state.
func (p *parser) report() {
	if p.err != nil && p.errors < maxErrors {
		p.errors++
		p.diags.Diags = append(p.diags.Diags, p.err)
	}
	p.failed, p.err = false, nil
}

// drop ends the failed state and returns the error.
func (p *parser) drop() *source.Diagnostic {
	d := p.err
	p.failed, p.err = false, nil
	return d
}

// isDevice reports whether the tokens of a declaration have a qualifier of CUDA that puts
// it on the device, outside of braces.
func (p *parser) isDevice(from, to int) bool {
	for i := from; i < to; i++ {
		switch p.toks[i].Word {
		case cpp.KwGlobal, cpp.KwDevice, cpp.KwConstant, cpp.KwManaged, cpp.KwShared:
			return true
		case cpp.LBrace:
			if p.partner(i) > 0 {
				i = p.partner(i)
			}
		}
	}
	return false
}

// skipDecl returns the token after the declaration that begins at from: after its semicolon or
// its braces, and not beyond end.
func (p *parser) skipDecl(from, end int) int {
	for i := from; i < end; i++ {
		t := &p.toks[i]
		switch t.Word {
		case cpp.Semi:
			return i + 1
		case cpp.RBrace:
			return max(i, from+1)
		case cpp.LBrace:
			if p.partner(i) < 0 {
				return p.skipOpen(i, end)
			}
			i = p.partner(i)
			switch p.toks[i+1].Word {
			case cpp.Semi:
				return i + 2
			case cpp.Comma, cpp.LBrace, cpp.KwCatch, cpp.Equal, cpp.Star, cpp.LParen, cpp.LBracket, cpp.RParen, cpp.RBracket, cpp.Dot:
			case cpp.NoWord:
				if p.toks[i+1].Kind != cpp.Ident || p.toks[i+1].StartsLine() {
					return i + 1
				}
			default:
				return i + 1
			}
		case cpp.KwGlobal, cpp.KwTemplate, cpp.KwNamespace:
			if i > from && t.StartsLine() && p.toks[i-1].Word != cpp.Greater && p.toks[i-1].Kind != cpp.Keyword && p.toks[i-1].Word != cpp.ColonColon {
				return i
			}
		}
	}
	return end
}

// skipOpen returns where parsing resumes after a brace that is never closed: at the next
// declaration that begins at the margin.
func (p *parser) skipOpen(brace, end int) int {
	for i := brace + 1; i < end; i++ {
		t := &p.toks[i]
		switch t.Word {
		case cpp.KwGlobal, cpp.KwTemplate, cpp.KwDevice, cpp.KwNamespace, cpp.KwStatic, cpp.KwExtern:
			if t.StartsLine() && (t.From() == 0 || t.File().Content[t.From()-1] == '\n') {
				return i
			}
		}
	}
	return end
}

// opaque returns what stands for a declaration that could not be parsed.
func (p *parser) opaque(from, to int, d *source.Diagnostic) *ast.OpaqueDecl {
	o := &ast.OpaqueDecl{Span: ast.Range(p.toks[from].Pos(), p.toks[max(from, to-1)].End())}
	if d != nil {
		o.Diags = []*source.Diagnostic{d}
	}
	for i := from; i < to && len(o.Names) < 8; i++ {
		t := &p.toks[i]
		if t.Kind == cpp.Ident {
			switch w := p.toks[i+1].Word; w {
			case cpp.LParen, cpp.LBrace, cpp.Semi, cpp.Equal, cpp.LBracket, cpp.Colon:
				o.Names = append(o.Names, t.Text())
				if w == cpp.Equal || w == cpp.Colon {
					i = to
				}
			}
			continue
		}
		if (t.Word == cpp.LParen || t.Word == cpp.LBrace) && p.partner(i) > 0 {
			i = p.partner(i)
		}
	}
	return o
}
