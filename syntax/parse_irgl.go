package syntax

import (
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// The declarations of IrGL; its statements are in irgl_stmt.go.

// irglDecl parses a Graph, a Mesh, Names, a CBlock, a Kernel or a Host function.
func (p *parser) irglDecl() Decl {
	from := p.tok.Pos()
	switch p.tok.Text() {
	case "Graph":
		return p.graphDecl()
	case "Mesh":
		return p.meshDecl()
	case "CBlock":
		return p.cBlock()
	case "Names":
		p.next()
		d := &NamesDecl{}
		d.Names = p.nameList("a name that the C text has")
		for _, n := range d.Names {
			p.declare(n, false)
		}
		p.endDecl("Names")
		d.Span = p.span(from)
		return d
	}
	f := &FuncDecl{Kind: KernelFunc}
	what := "a kernel's name"
	if p.isWord("Host") {
		f.Kind, what = HostFunc, "a host function's name"
	}
	p.next()
	if f.Kind == KernelFunc && p.is("__launch_bounds__") {
		f.Bounds = p.launchBounds()
	}
	f.Name = p.ident(what)
	p.declare(f.Name, false)
	p.pushScope()
	defer p.popScope()
	f.Params = p.irglParams(f.Kind)
	f.Body = p.body()
	f.Span = p.span(from)
	return f
}

// irglParams parses the parameters of a Kernel or a Host function; when they
// are malformed the rest of them is skipped, so that the body is still read.
func (p *parser) irglParams(kind FuncKind) []*Param {
	params := []*Param{}
	p.header("the name", func() {
		if p.is("void") && p.peekIs(1, ")") {
			p.next()
		}
		for !p.is(")") {
			params = append(params, p.irglParam(kind))
			if !p.is(")") {
				p.expect(",", "or `)` after a parameter")
			}
		}
	})
	for _, param := range params {
		p.declare(param.Name, false)
	}
	return params
}

func (p *parser) irglParam(kind FuncKind) *Param {
	from := p.tok.Pos()
	param := &Param{}
	if kind == KernelFunc && p.tok.Kind == cpp.Ident && (p.peekIs(1, ",") || p.peekIs(1, ")")) {
		param.Name = p.ident("a parameter")
		param.Span = p.span(from)
		return param
	}
	s := p.declSpecs(true)
	if s.base == nil {
		d := p.errorTok(CodeParam, "expected a parameter, found %s", describe(p.tok))
		if kind == HostFunc && p.tok.Kind == cpp.Ident {
			d.Hint = "a host function's parameter needs a type"
		}
		p.fail()
	}
	p.noFunctionSpecs(s, "parameter")
	d := p.declarator(true)
	param.Type, param.Name = d.apply(p, s, s.base), d.name
	if p.got("=") {
		param.Default = p.assign()
		if kind == KernelFunc {
			p.cxxDefault(param.Default)
		}
	}
	param.Span = p.span(from)
	return param
}

// graphDecl parses Graph name { ... }.
func (p *parser) graphDecl() Decl {
	from := p.tok.Pos()
	p.next()
	g := &GraphDecl{Name: p.ident("the graph's name")}
	p.declare(g.Name, false)
	p.members("graph", func() { p.member(&g.Requires, &g.Props, &g.Racy, false) })
	g.Span = p.span(from)
	return g
}

// meshDecl parses Mesh name { ... }.
func (p *parser) meshDecl() Decl {
	from := p.tok.Pos()
	p.next()
	m := &MeshDecl{Name: p.ident("the mesh's name")}
	p.declare(m.Name, false)
	p.members("mesh", func() { p.member(&m.Requires, &m.Props, &m.Racy, true) })
	m.Span = p.span(from)
	return m
}

// nameList parses names with commas between them.
func (p *parser) nameList(what string) []*Ident {
	list := []*Ident{p.ident(what)}
	for p.got(",") {
		list = append(list, p.ident(what))
	}
	return list
}

// members parses the lines of a Graph or a Mesh in their braces.
func (p *parser) members(what string, line func()) {
	open := p.tok
	if !p.got("{") {
		p.missing("{", "after the "+what+"'s name")
		p.fail()
	}
	for p.tok.Kind != cpp.EOF && !p.is("}") && !p.startsFunction() {
		start := p.i
		if !p.try(line) {
			p.syncStmt(start)
		}
		if p.i == start {
			p.next()
		}
	}
	p.closeBrace(open)
}

// member parses one line of a Graph or a Mesh.
func (p *parser) member(requires *[]*Ident, props *[]*PropDecl, racy *[]*RacyDecl, mesh bool) {
	from := p.tok.Pos()
	switch {
	case p.got(";"):
	case p.gotWord("Requires"):
		*requires = append(*requires, p.nameList("a requirement, such as weights")...)
		p.endDecl("Requires")
	case p.gotWord("Racy"):
		r := &RacyDecl{Name: p.ident("a property's name")}
		if p.tok.Kind != cpp.String {
			p.errorTok(CodeExpected, "expected the reason in quotes, found %s", describe(p.tok)).Hint = `as in: Racy dist "every writer stores the same value";`
			p.fail()
		}
		reason, err := ParseString(p.literal().(*BasicLit).Text)
		if err == nil {
			r.Reason = reason
		}
		p.endDecl("Racy")
		r.Span = p.span(from)
		*racy = append(*racy, r)
	default:
		*props = append(*props, p.property(from, mesh)...)
	}
}

// property parses Node int a = 1; and Output Edge float b;
func (p *parser) property(from source.Pos, mesh bool) []*PropDecl {
	output := p.gotWord("Output")
	of, other, all := NodeDomain, EdgeDomain, "Node, Edge, Requires or Racy"
	if mesh {
		of, other, all = PointDomain, ElementDomain, "Point, Element, Requires or Racy"
	}
	switch {
	case p.isWord(of.String()):
	case p.isWord(other.String()):
		of = other
	default:
		d := p.errorTok(CodeGraph, "expected %s, found %s", all, describe(p.tok))
		if p.startsType(p.tok) {
			d.Hint = of.String() + " " + p.tok.Text() + " ... declares one value per " + strings.ToLower(of.String())
		}
		p.fail()
	}
	p.next()
	s := p.declSpecs(true)
	if s.base == nil {
		p.errorTok(CodeDecl, "expected a property's type, found %s", describe(p.tok))
		p.fail()
	}
	p.noFunctionSpecs(s, "property")
	var props []*PropDecl
	for {
		d := p.declarator(true)
		prop := &PropDecl{Output: output, Of: of, Type: d.apply(p, s, s.base), Name: d.name}
		if p.got("=") {
			prop.Init = p.initializer()
		}
		prop.Span = p.span(from)
		props = append(props, prop)
		if !p.is(",") {
			break
		}
		p.next()
		from = p.tok.Pos()
	}
	p.endDecl("a property")
	props[len(props)-1].To = p.prevEnd
	return props
}

// define parses #define NAME value, as directives prepared it.
func (p *parser) define() Decl {
	from := p.tok.Pos()
	p.next()
	d := &DefineDecl{Name: p.ident("a name after #define")}
	p.declare(d.Name, false)
	d.Value = p.expr()
	if p.tok.Kind != tokLineEnd {
		p.errorTok(cpp.CodeMalformed, "expected the end of the line after #define, found %s", describe(p.tok))
		p.fail()
	}
	d.Span = p.span(from)
	p.next()
	return d
}

// cBlock parses CBlock "text" Reads (a, b) Writes (c).
func (p *parser) cBlock() *CBlock {
	from := p.tok.Pos()
	p.next()
	b := &CBlock{}
	if text, err := ParseString(p.literal().(*BasicLit).Text); err == nil {
		b.Text = text
	}
	for _, part := range []struct {
		word string
		list *[]*Ident
	}{{"Reads", &b.Reads}, {"Writes", &b.Writes}} {
		if p.gotWord(part.word) {
			p.expect("(", "after "+part.word)
			if !p.is(")") {
				*part.list = p.nameList("the name of a property or variable")
			}
			p.expect(")", "after the names")
		}
	}
	p.endStmt("CBlock")
	b.Span = p.span(from)
	return b
}
