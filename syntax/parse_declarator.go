package syntax

import (
	"irgl/internal/cpp"
	"irgl/internal/source"
)

// A modifier is one layer of a declarator: a pointer, an array or a function.
type modifier struct {
	kind   byte // '*', '[' or '('
	ptr    PointerType
	len    Expr
	params []*Param
}

// A declarator is a name and the layers around its base type, the innermost
// layer (the one next to the base type) first.
type declarator struct {
	name *Ident // nil for an abstract one
	mods []modifier
	// direct is set for a name in C++'s form of initialisation: dim3 g(4, 4);
	// the current token is then its open bracket.
	direct bool
}

// isFunc reports whether the declared name is a function.
func (d *declarator) isFunc() bool {
	return len(d.mods) > 0 && d.mods[len(d.mods)-1].kind == '('
}

// apply builds the declared type around base.
func (d *declarator) apply(p *parser, s specs, base TypeExpr) TypeExpr {
	span := p.span(s.from)
	for _, m := range d.mods {
		switch m.kind {
		case '*':
			t := m.ptr
			t.Span, t.Elem = span, base
			base = &t
		case '[':
			base = &ArrayType{span, base, m.len}
		default:
			base = &FuncType{span, base, m.params}
		}
	}
	return base
}

// declarator parses a declarator, which must have a name if named is set.
func (p *parser) declarator(named bool) *declarator {
	d := &declarator{}
	p.declaratorInto(d, named)
	return d
}

func (p *parser) declaratorInto(d *declarator, named bool) {
	p.enter()
	defer p.leave()
	var ptrs []modifier
	for {
		switch {
		case p.is("&") || p.is("&&"):
			p.errorHint(CodeCxx, "pass a pointer", "a reference is C++; this compiler takes C99 with CUDA's qualifiers")
			p.next()
			ptrs = append(ptrs, modifier{kind: '*'})
			continue
		case p.is("*"):
			if len(ptrs) > maxDepth {
				p.tooDeep()
			}
			ptrs = append(ptrs, modifier{kind: '*', ptr: p.pointer()})
			continue
		}
		break
	}
	var inner declarator
	switch {
	case p.tok.Kind == cpp.Ident:
		d.name = p.ident("a name")
	case p.is("(") && !p.peekIs(1, ")") && !p.startsType(p.peek(1)):
		p.next()
		p.declaratorInto(&inner, named)
		p.expect(")", "in a declarator")
		d.name = inner.name
	case named:
		p.ident("a name")
	}
	suffixes := p.suffixes(d)
	d.mods = append(d.mods, ptrs...)
	for i := len(suffixes) - 1; i >= 0; i-- {
		d.mods = append(d.mods, suffixes[i])
	}
	d.mods = append(d.mods, inner.mods...)
	if len(d.mods) > maxDepth {
		p.tooDeep()
	}
}

// pointer parses * and the qualifiers after it.
func (p *parser) pointer() (t PointerType) {
	p.next()
	for {
		switch p.tok.Text() {
		case "const", "__const__":
			t.Const = true
		case "volatile", "__volatile__":
			t.Volatile = true
		case "restrict", "__restrict__", "__restrict":
			t.Restrict = true
		default:
			return t
		}
		p.next()
	}
}

// suffixes parses the arrays and parameter lists after a declarator.
func (p *parser) suffixes(d *declarator) []modifier {
	var out []modifier
	for {
		switch {
		case p.is("["):
			if p.tok.StartsLine() && p.isAttribute(0) {
				return out // of the next statement
			}
			p.next()
			m := modifier{kind: '['}
			if !p.is("]") {
				m.len = p.assign()
			}
			p.expect("]", "after an array's length")
			out = append(out, m)
		case p.is("(") && p.startsParams():
			out = append(out, modifier{kind: '(', params: p.paramList()})
		case p.is("("):
			d.direct = true
			return out
		default:
			return out
		}
	}
}

// startsParams reports whether the current bracket opens parameters and not
// the arguments of C++'s T name(args).
func (p *parser) startsParams() bool {
	next := p.peek(1)
	if p.startsType(next) || p.peekIs(1, ")") || p.peekIs(1, "...") {
		return true
	}
	// An unknown type's name: (foo x), (foo *x).
	if next.Kind != cpp.Ident {
		return false
	}
	if _, declared := p.lookup(next.Text()); declared {
		return false
	}
	return p.peek(2).Kind == cpp.Ident || p.peekIs(2, "*") && (p.peek(3).Kind == cpp.Ident && (p.peekIs(4, ",") || p.peekIs(4, ")")))
}

// paramList parses (int a, float *b).
func (p *parser) paramList() []*Param {
	params := []*Param{}
	p.next()
	p.pushScope()
	if p.is("void") && p.peekIs(1, ")") {
		p.next()
	}
	for !p.is(")") {
		if p.is("...") {
			p.errorTok(CodeUnsupported, "functions with a variable number of arguments are not supported")
			p.fail()
		}
		params = append(params, p.param())
		if !p.is(")") {
			p.expect(",", "or `)` after a parameter")
		}
	}
	p.next()
	p.popScope()
	return params
}

// param parses one parameter of a C function.
func (p *parser) param() *Param {
	from := p.tok.Pos()
	s := p.declSpecs(true)
	if s.base == nil {
		p.errorTok(CodeParam, "expected a parameter, found %s", describe(p.tok))
		p.fail()
	}
	p.noFunctionSpecs(s, "parameter")
	d := p.declarator(false)
	if d.direct {
		p.errorTok(CodeParam, "malformed parameter")
		p.fail()
	}
	typ := d.apply(p, s, s.base)
	// A function as a parameter is a pointer to it.
	if f, ok := typ.(*FuncType); ok {
		typ = &PointerType{Span: f.Span, Elem: f}
	}
	p.declare(d.name, false)
	param := &Param{Type: typ, Name: d.name}
	if p.got("=") {
		param.Default = p.assign()
		p.cxxDefault(param.Default)
	}
	param.Span = p.span(from)
	return param
}

// cxxDefault refuses the default value of a C function's parameter.
func (p *parser) cxxDefault(x Expr) {
	p.errorAt(x.Pos(), x.End(), CodeCxx, "a default argument is C++; this compiler takes C99 with CUDA's qualifiers").Hint = "pass the value in each call"
}

// noFunctionSpecs reports storage classes where a type alone may stand.
func (p *parser) noFunctionSpecs(s specs, what string) {
	if s.attrs != 0 || s.typedef || s.bounds != nil || s.cluster != nil {
		p.errorAt(s.from, p.prevEnd, CodeSpecifiers, "a %s has no storage class or function qualifier", what)
	}
}

// typeName parses a type without a declared name, as in a cast.
func (p *parser) typeName() TypeExpr {
	s := p.declSpecs(false)
	if s.base == nil {
		p.errorTok(CodeExpr, "expected a type, found %s", describe(p.tok))
		p.fail()
	}
	p.noFunctionSpecs(s, "type's name")
	d := p.declarator(false)
	if d.name != nil || d.direct {
		p.errorAt(s.from, p.prevEnd, CodeExpected, "expected a type without a name")
		p.fail()
	}
	return d.apply(p, s, s.base)
}

// posOf returns the position of a declarator's name, or another.
func (d *declarator) posOf(other source.Pos) source.Pos {
	if d.name != nil {
		return d.name.Pos()
	}
	return other
}
