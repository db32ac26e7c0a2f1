package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// This file reads of the bodies of host functions what device code needs: the declarations
// that a launch or a lambda of the device sees, and the lambda. Nothing is said about what
// cannot be parsed, which is the host compiler's to report.

// A hostBody is the body of a function, between the braces open and end.
type hostBody struct {
	bodyReader
	open, end int
}

// Pass implements [ast.BodyReader].
func (b *hostBody) Pass(body *ast.Body, use func(t *ast.BodyTree, passes bool)) { b.p.pass(body, use) }

// Launches implements [ast.HostReader].
func (b *hostBody) Launches() []*ast.LaunchExpr {
	return b.p.launches(b.open, b.end, b.f, b.scope, b.class)
}

// At implements [ast.HostReader].
func (b *hostBody) At(token int) ([]ast.Decl, *ast.LambdaExpr) {
	return b.p.hostAt(b.open, b.end, token, b.f, b.scope, b.class)
}

// hostAt returns the declarations of a body, between the braces open and end, that are in
// scope at the token at, and the lambda that begins there, if one does.
func (p *parser) hostAt(open, end, at int, f *ast.FuncType, outer *scope, class *classContext) ([]ast.Decl, *ast.LambdaExpr) {
	saved := p.save()
	defer p.restore(saved)
	p.openBody(open+1, f, outer, class)
	p.tent = 1
	var decls []ast.Decl
	for p.i < min(end, at) {
		start := p.i
		stop := p.skipStmt(start, end)
		if p.w == cpp.LBrace && p.partner(start) > start {
			stop = p.partner(start) + 1
			if at < stop {
				p.enterBlock(start + 1)
				continue
			}
		}
		if p.hostHeader(at, stop, &decls) {
			continue
		}
		d := p.hostDecl(start)
		if at >= stop {
			decls = append(decls, d...)
		} else if open := p.braceAround(start, at); open > 0 { // of a lambda of the host
			p.enterBlock(open + 1)
			continue
		}
		p.seek(max(stop, start+1))
	}
	if p.toks[at].Word != cpp.LBracket {
		return decls, nil
	}
	p.seek(at)
	l, ok := p.lambda().(*ast.LambdaExpr)
	if !ok || p.failed || l.Body == nil {
		return decls, nil
	}
	return decls, l
}

// enterBlock goes on at a token in a scope of its own.
func (p *parser) enterBlock(i int) {
	p.push(blockScope).retained = true
	p.seek(i)
}

// hostHeader handles a word that begins a statement with another in it: it reads what its
// parenthesis declares, if the token at is in the statement, and moves past the header.
func (p *parser) hostHeader(at, stop int, decls *[]ast.Decl) bool {
	start := p.i
	switch p.w {
	case cpp.KwElse, cpp.KwDo, cpp.KwTry:
		p.next()
		return true
	case cpp.KwCase, cpp.KwDefault:
		for p.i < stop && p.w != cpp.Colon {
			p.next()
		}
		p.next()
		return true
	case cpp.KwIf, cpp.KwFor, cpp.KwWhile, cpp.KwSwitch, cpp.KwCatch:
	default:
		return false
	}
	open := start + 1
	if p.toks[open].Word == cpp.KwConstexpr {
		open++
	}
	if p.toks[open].Word != cpp.LParen || p.partner(open) < 0 {
		return false
	}
	after := p.partner(open) + 1
	if at >= stop && p.toks[after].Word != cpp.LBrace {
		p.seek(max(stop, after))
		return true
	}
	p.enterBlock(open + 1)
	if at >= after {
		*decls = append(*decls, p.hostDecl(open+1)...)
	}
	p.seek(after)
	return true
}

// hostDecl reads the declaration at a token; nil for what is none. Of one with an error the names of
// variables remain, without their types: they hide others.
func (p *parser) hostDecl(i int) []ast.Decl {
	p.seek(i)
	if !p.isDecl() && p.w != cpp.KwUsing {
		return nil
	}
	depth, scope := p.depth, p.scope
	var d []ast.Decl
	if p.w == cpp.KwUsing {
		d = p.declaration(nil, inBlock)
	} else {
		d = p.simple(nil, inBlock)
	}
	if p.failed {
		p.failed, p.err, p.depth, p.scope, p.noGT = false, nil, depth, scope, false
		d = hidingNames(d)
	}
	return d
}

// hidingNames returns the variables of declarations, without types and initialisers.
func hidingNames(decls []ast.Decl) (out []ast.Decl) {
	for _, d := range decls {
		if v, ok := d.(*ast.VarDecl); ok && v.Name != nil {
			v.Type, v.Init = nil, nil
			out = append(out, v)
		}
	}
	return out
}

// braceAround returns the innermost brace behind from that is around the token at; 0 for none.
func (p *parser) braceAround(from, at int) int {
	found := 0
	for i := from; i < at; i++ {
		if m := p.partner(i); m > i && m < at {
			i = m
		} else if m > at && p.toks[i].Word == cpp.LBrace {
			found = i
		}
	}
	return found
}

// extendedLambdas returns the tokens that begin the lambdas of device code, in order.
func (p *parser) extendedLambdas() []int {
	var out []int
	for i := range p.toks {
		if p.toks[i].Word == cpp.LBracket && cpp.ExtendedLambda(p.toks, i, func(i int) int { return p.partner(i) }) {
			out = append(out, i)
		}
	}
	return out
}
