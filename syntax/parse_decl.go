package syntax

import (
	"irgl/internal/cpp"
	"irgl/internal/source"
)

// fileDecls parses all declarations of the file.
func (p *parser) fileDecls() []Decl {
	var out []Decl
	for p.tok.Kind != cpp.EOF {
		start := p.i
		if !p.try(func() { p.fileDecl(&out) }) {
			p.syncDecl(start)
		}
		if p.i == start && p.tok.Kind != cpp.EOF {
			p.next()
		}
	}
	return out
}

// fileDecl parses one declaration at file level and appends it to out.
func (p *parser) fileDecl(out *[]Decl) {
	switch {
	case p.got(";"):
	case p.is("}") || p.is(")") || p.is("]"):
		p.errorTok(CodeUnopened, "`%s` closes nothing", p.tok.Text())
		p.next()
	case p.tok.Kind == tokDefine:
		*out = append(*out, p.define())
	case p.tok.Kind == cpp.Unroll:
		p.warnTok(cpp.CodePragma, "no for loop follows this #pragma unroll; it is ignored")
		p.next()
	case p.isIrGLDecl():
		*out = append(*out, p.irglDecl())
	case p.isAttribute(0):
		p.attributed("a function", func() (made []Node) {
			n := len(*out)
			p.fileDecl(out)
			for _, d := range (*out)[n:] {
				made = append(made, d)
			}
			return made
		})
	case p.is("extern") && p.peek(1).Kind == cpp.String:
		p.linkage(out)
	case p.tok.Kind == cpp.Keyword && (isStmtWord(p.tok.Text())):
		p.errorHint(CodeMisplaced, "put it into a function", "a statement must be in a function")
		p.fail()
	case p.tok.Kind == cpp.Keyword && isCxxWord(p.tok.Text()):
		p.cxxDecl(out)
	case p.isAsm():
		p.refuseAsm()
	default:
		p.plainDecl(out)
	}
}

// cxxDecl reports a declaration of C++ and skips it, or its head only where
// the rest may be C.
func (p *parser) cxxDecl(out *[]Decl) {
	word := p.tok.Text()
	hints := map[string]string{"template": "write a function for each type that is needed", "class": "write struct, and functions",
		"namespace": "give the names a prefix", "using": "write typedef"}
	p.errorHint(CodeCxx, hints[word], "`%s` is C++; this compiler takes C99 with CUDA's qualifiers", word)
	p.next()
	switch word {
	case "namespace":
		if p.tok.Kind == cpp.Ident {
			p.next()
		}
		if p.is("{") {
			p.block(out)
			return
		}
	case "class", "using":
		if p.tok.Kind == cpp.Ident {
			p.declareIn(0, p.tok.Text(), true)
		}
	case "template":
		for p.tok.Kind != cpp.EOF && !p.is("{") && !p.is(";") && !p.is("}") {
			if p.tok.Kind == cpp.Ident && p.peekIs(1, "(") {
				p.declare(&Ident{Name: p.tok.Text()}, false)
			}
			p.next()
		}
	}
	p.fail()
}

// block parses the declarations in the braces of extern "C" or a namespace.
func (p *parser) block(out *[]Decl) {
	p.enter()
	defer p.leave()
	open := p.tok
	p.next()
	for p.tok.Kind != cpp.EOF && !p.is("}") {
		start := p.i
		if !p.try(func() { p.fileDecl(out) }) {
			p.syncDecl(start)
		}
		if p.i == start && p.tok.Kind != cpp.EOF {
			p.next()
		}
	}
	p.closeBrace(open)
}

// closeBrace consumes the } that closes open.
func (p *parser) closeBrace(open *cpp.Token) {
	if p.got("}") {
		return
	}
	d := p.errorTok(CodeUnclosed, "expected `}` before %s", describe(p.tok))
	d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: open.Pos(), End: open.End(), Message: "to close this `{`"})
	p.lastErr = p.i
}

// linkage parses extern "C", before one declaration or a block of them.
func (p *parser) linkage(out *[]Decl) {
	p.enter()
	defer p.leave()
	p.next()
	if p.tok.Text() != `"C"` {
		p.errorTok(CodeCxx, "the linkage %s is not supported", p.tok.Text()).Hint = `write extern "C"`
	}
	p.next()
	save := p.externC
	defer func() { p.externC = save }()
	p.externC = true
	if p.is("{") {
		p.block(out)
		return
	}
	n := len(*out)
	p.fileDecl(out)
	for _, d := range (*out)[n:] {
		if v, ok := d.(*VarDecls); ok {
			v.Attrs |= Extern
		}
	}
}

// plainDecl parses a C declaration at file level.
func (p *parser) plainDecl(out *[]Decl) {
	from := p.tok.Pos()
	var output Attrs
	if p.dialect == IrGL && p.isWord("Output") && !p.isTypeName(p.tok) {
		p.next()
		output = Output
	}
	s := p.declSpecs(true)
	s.from = from
	s.attrs |= output
	if p.externC {
		s.attrs |= ExternC
	}
	if s.base == nil {
		p.noType(&s)
	}
	if p.is(";") {
		*out = append(*out, p.tagOnly(s)...)
		return
	}
	p.declarators(s, true, func(d Decl) { *out = append(*out, d) })
}

// noType reports a declaration without a type.
func (p *parser) noType(s *specs) {
	if p.tok.Kind == cpp.Ident && p.peekIs(1, "(") {
		p.errorTok(CodeDecl, "the declaration of %s has no type", p.tok.Text()).Hint = "a function without a result has the type void"
		s.base = &BasicType{Span{s.from, s.from}, "int"}
		return
	}
	d := p.errorTok(CodeDecl, "expected a declaration, found %s", describe(p.tok))
	if word := p.tok.Text(); (word == "Host" || word == "Kernel") && p.tok.Kind == cpp.Ident && p.dialect == IrGL {
		d.Hint = "a " + word + " has no result type: write " + word + " NAME(...)"
	}
	p.fail()
}

// tagOnly makes the declaration of specifiers without a declarator.
func (p *parser) tagOnly(s specs) []Decl {
	span := p.span(s.from)
	semi := p.tok
	p.next()
	t, ok := s.base.(*TagType)
	if !ok || s.typedef {
		p.lastErr = -1
		p.errorAt(semi.Pos(), semi.End(), CodeExpected, "expected a name before `;`")
		return nil
	}
	if s.align != nil && t.Align == nil {
		t.Align = s.align
	}
	span.To = p.prevEnd
	return []Decl{&TypeDecl{span, nil, t}}
}

// declarators parses the declarators after specifiers, up to the end of the
// declaration, and gives each declaration to add.
func (p *parser) declarators(s specs, fileLevel bool, add func(Decl)) {
	vars := &VarDecls{Attrs: s.attrs, Align: s.align}
	shared := s.base
	for n := 0; ; n++ {
		from := p.tok.Pos()
		if n == 0 {
			from = s.from
		}
		d := p.declarator(true)
		switch {
		case s.typedef:
			p.declare(d.name, true)
			typ := d.apply(p, s, shared)
			add(&TypeDecl{p.span(s.from), d.name, typ})
			shared = p.sharedBase(shared, d)
		case d.isFunc():
			if !fileLevel {
				p.errorAt(d.posOf(from), p.prevEnd, CodeUnsupported, "a function cannot be declared inside another")
				p.fail()
			}
			fn := p.function(s, d)
			add(fn)
			if fn.Body != nil {
				return
			}
			shared = p.sharedBase(shared, d)
		default:
			vars.Vars = append(vars.Vars, p.variable(s, d, from))
		}
		if !p.got(",") {
			break
		}
	}
	p.endDecl("a declaration")
	if len(vars.Vars) > 0 {
		vars.Span = p.span(s.from)
		add(vars)
	}
}

// sharedBase returns the base type for the declarators after the first of a
// typedef or prototype, each a declaration of its own: a body that was
// written once must not be repeated.
func (p *parser) sharedBase(base TypeExpr, d *declarator) TypeExpr {
	tag, ok := base.(*TagType)
	if !ok || !tag.Defined || !p.is(",") {
		return base
	}
	switch {
	case tag.Tag != nil:
		return &TagType{Span: tag.Span, Kind: tag.Kind, Tag: tag.Tag}
	case len(d.mods) == 0 && d.name != nil:
		return &NamedType{tag.Span, d.name.Name}
	}
	p.errorTok(CodeUnsupported, "several names for a type without a tag").Hint = "give the type a tag"
	return base
}

// variable parses the rest of one variable.
func (p *parser) variable(s specs, d *declarator, from source.Pos) *VarDecl {
	v := &VarDecl{Type: d.apply(p, s, s.base), Name: d.name}
	p.declare(d.name, false)
	for p.is("__attribute__") {
		p.warnTok(CodeAttribute, "an attribute after the name is ignored").Hint = "write it before the type"
		p.attribute()
	}
	switch {
	case p.got("="):
		v.Init = p.initializer()
	case d.direct:
		typ := v.Type
		if q, ok := typ.(*QualType); ok {
			typ = q.Elem
		}
		v.Init = p.construct(typ)
		if cast, ok := v.Init.(*CastExpr); ok {
			if _, named := typ.(*NamedType); !named {
				v.Init = cast.X
			}
		}
	case p.is("{") && p.dialect == CUDA:
		p.refuse("an initialiser without `=`", "write = {...}")
	}
	v.Span = p.span(from)
	return v
}

// endDecl consumes the end of a declaration: a semicolon, or in IrGL the end
// of the line.
func (p *parser) endDecl(what string) {
	if p.got(";") || p.dialect == IrGL && (p.tok.StartsLine() || p.is("}")) {
		return
	}
	p.missing(";", "after "+what)
	if !p.tok.StartsLine() {
		p.fail()
	}
	// The line before lacks it; this one is read as usual.
}

// function parses the rest of a C function.
func (p *parser) function(s specs, d *declarator) *FuncDecl {
	last := d.mods[len(d.mods)-1]
	result := declarator{mods: d.mods[:len(d.mods)-1]}
	f := &FuncDecl{Attrs: s.attrs, Name: d.name, Params: last.params, Bounds: s.bounds, Cluster: s.cluster}
	f.Result = result.apply(p, s, s.base)
	if f.Attrs.Has(ExternC) {
		f.Attrs &^= Extern
	}
	p.declare(d.name, false)
	if s.cexpr {
		p.errorAt(s.from, p.prevEnd, CodeCxx, "a constexpr function is C++; this compiler takes C99 with CUDA's qualifiers").Hint = "leave constexpr out"
	}
	for p.is("__attribute__") {
		p.attribute()
	}
	if p.is("noexcept") || p.is("throw") || p.is("->") || p.is("const") {
		p.refuse("`"+p.tok.Text()+"` after parameters", "leave it out")
	}
	if p.is("{") {
		p.pushScope()
		for _, param := range f.Params {
			p.declare(param.Name, false)
		}
		f.Body = p.body()
		p.popScope()
	}
	f.Span = p.span(s.from)
	return f
}
