package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// A declaratorKind says whether a declarator has a name.
type declaratorKind uint8

const (
	named declaratorKind = iota
	abstract
	either // of a parameter
)

// A declarator is what is declared of a type: the name, and attributes after it.
type declarator struct {
	name     *ast.Name
	param    *ast.Ident // the name of a parameter
	ref      ref
	typ      ast.TypeExpr
	bindings []*ast.Ident
	attrs    *ast.Attributes
	flags    ast.Specs
	pack     bool
	inBlock  bool // T x(...) may be an initialiser
	field    bool // a bit-field needs no name
	member   bool // the scope of a class has been entered
	override bool
	final    bool
}

// declarator reads a declarator of the type t and returns the complete type. The scope of a
// qualified name stays entered.
func (p *parser) declarator(d *declarator, t ast.TypeExpr, k declaratorKind) ast.TypeExpr {
	t = p.pointers(d, t)
	if p.failed {
		return t
	}
	if p.w == cpp.LParen && p.isNested(k) {
		return p.nested(d, t, k)
	}
	switch {
	case k == abstract:
	case k == either && p.k != cpp.Ident:
	case p.w == cpp.LBracket && k == named && p.ahead(1).Kind == cpp.Ident && isAuto(t):
		p.bindings(d)
		return t
	case p.w == cpp.Colon && d.field:
		return t
	case k == either:
		d.param = p.ident()
	case p.k == cpp.Ident && p.ahead(1).Kind == cpp.Ident && p.word(2) == cpp.LParen && p.lookup(p.identOf(p.tok().Text(), p.tok().Name)) == nil && !p.isOnDevice():
		p.next() // a macro of a header that was not read, as in void CALLBACK f()
		d.name, d.ref = p.name(inDecl)
	default:
		d.name, d.ref = p.name(inDecl)
		if !p.failed && d.ref.scope != nil && len(d.name.Quals)+btoi(d.name.Global) > 0 && !d.member {
			p.enterMember(d.ref.scope)
			d.member = true
		}
	}
	p.declAttributes(d)
	return p.suffixes(d, t, k)
}

// isOnDevice reports whether the rest of the present declaration is the device's.
func (p *parser) isOnDevice() bool {
	if p.inBody {
		return true
	}
	// Names that look like macros ask one after the other: what the first has found holds for those
	// behind it.
	if h := p.hostRest; h.from <= p.i && p.i < h.to {
		return false
	}
	end := p.skipDecl(p.i, len(p.toks)-1)
	if p.isDevice(p.i, end) {
		return true
	}
	to := p.i
	for to < end && p.toks[to].Word != cpp.LBrace {
		to++
	}
	p.hostRest = tokens{p.i, to}
	return false
}

// declAttributes reads attributes, and an assembler's name, which changes nothing.
func (p *parser) declAttributes(d *declarator) {
	for !p.failed {
		switch {
		case p.w == cpp.KwAsm:
			p.next()
			if p.w == cpp.LParen {
				p.skipParens()
			}
		case p.w == cpp.KwAttribute || p.w == cpp.KwAlignas || p.w == cpp.KwAlign || p.w == cpp.KwLaunchBounds ||
			p.w == cpp.LBracket && p.word(1) == cpp.LBracket:
			p.attribute(&d.attrs, &d.flags)
		default:
			return
		}
	}
}

// isAuto reports whether t is auto, perhaps qualified or a reference.
func isAuto(t ast.TypeExpr) bool {
	switch t := t.(type) {
	case *ast.AutoType:
		return true
	case *ast.QualType:
		return isAuto(t.Elem)
	case *ast.RefType:
		return isAuto(t.Elem)
	}
	return false
}

// bindings reads [a, b].
func (p *parser) bindings(d *declarator) {
	open := p.i
	p.next()
	for !p.failed {
		d.bindings = append(d.bindings, p.ident())
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.closing(cpp.RBracket, open)
}

// pointers reads * & && and C::*, with their qualifiers, and the ... of a pack.
func (p *parser) pointers(d *declarator, t ast.TypeExpr) ast.TypeExpr {
	for !p.failed {
		from := p.pos()
		var made ast.TypeExpr
		restrict := new(bool)
		switch {
		case p.w == cpp.Star:
			p.next()
			x := p.slabs.pointers.New()
			x.Elem, restrict, made = t, &x.Restrict, x
			x.Span = p.since(from)
		case p.w == cpp.Amp || p.w == cpp.AmpAmp:
			x := &ast.RefType{Elem: t, RValue: p.w == cpp.AmpAmp}
			p.next()
			restrict, made = &x.Restrict, x
			x.Span = p.since(from)
		case (p.k == cpp.Ident || p.w == cpp.ColonColon) && p.isMemberPointer():
			n, _ := p.name(inType)
			p.expect(cpp.ColonColon)
			p.expect(cpp.Star)
			made = &ast.MemberPointerType{Span: p.since(from), Class: n, Elem: t}
		case p.w == cpp.Ellipsis && !d.pack:
			d.pack = true
			p.next()
			return t
		default:
			return t
		}
		t = p.pointerQualifiers(made, restrict, d)
	}
	return t
}

// pointerQualifiers reads what may follow a *.
func (p *parser) pointerQualifiers(t ast.TypeExpr, restrict *bool, d *declarator) ast.TypeExpr {
	var cv ast.CV
	from := p.pos()
	for !p.failed {
		switch p.w {
		case cpp.KwConst:
			cv |= ast.Const
		case cpp.KwVolatile:
			cv |= ast.Volatile
		case cpp.KwRestrict:
			*restrict = true
		case cpp.KwAttribute, cpp.KwAlign, cpp.KwAlignas:
			p.attribute(&d.attrs, &d.flags)
			continue
		case cpp.KwDevice, cpp.KwHost, cpp.KwShared, cpp.KwConstant, cpp.KwForceinline, cpp.KwInline, cpp.KwGlobal, cpp.KwNoinline, cpp.KwManaged:
			d.flags |= flagTable[p.w]
		default:
			return p.qualify(t, cv, p.since(from))
		}
		p.next()
	}
	return t
}

// isMemberPointer reports whether the name at the cursor is followed by ::*.
func (p *parser) isMemberPointer() bool {
	if p.k == cpp.Ident {
		switch p.word(1) {
		case cpp.ColonColon:
			if p.word(2) == cpp.Star {
				return true
			}
		case cpp.Less:
		default:
			return false
		}
	}
	m := p.try()
	p.name(inType)
	ok := !p.failed && p.w == cpp.ColonColon && p.word(1) == cpp.Star
	p.undo(m)
	return ok
}

// isNested reports whether the parenthesis at the cursor is one around a declarator.
func (p *parser) isNested(k declaratorKind) bool {
	if k == named {
		return true
	}
	for n := 1; ; n++ {
		t := p.ahead(n)
		switch t.Word {
		case cpp.LParen:
			continue
		case cpp.Star, cpp.Amp, cpp.AmpAmp, cpp.Caret:
			return true
		case cpp.LBracket:
			return p.word(n+1) != cpp.LBracket
		case cpp.KwHost, cpp.KwDevice:
			return p.word(n+1) == cpp.Star
		}
		if t.Kind != cpp.Ident {
			return false
		}
		if w := p.word(n + 1); w == cpp.ColonColon || w == cpp.Less {
			m := p.try()
			p.seek(p.i + n)
			ok := p.isMemberPointer()
			p.undo(m)
			if ok || w == cpp.ColonColon && p.word(n+2) == cpp.Star {
				return true
			}
		}
		if k == abstract {
			return false
		}
		switch p.word(n + 1) {
		case cpp.RParen, cpp.LBracket:
			r := p.resolve(t)
			return !r.isType() && r.kind&isTemplate == 0
		}
		return false
	}
}

// nested reads a declarator in parentheses: first what follows them, which applies to t.
func (p *parser) nested(d *declarator, t ast.TypeExpr, k declaratorKind) ast.TypeExpr {
	open := p.i
	end := p.partner(open)
	if end < 0 {
		p.fail(CodeExpected, "expected ')'")
		return t
	}
	if !p.enter() {
		return t
	}
	scope := p.scope
	suffix := either
	if k == named && p.ahead(1).Kind == cpp.Ident && p.word(2) == cpp.RParen {
		suffix = named // T (x)(1) has an initialiser
	}
	p.seek(int(end) + 1)
	t = p.suffixes(d, t, suffix)
	after := p.cursor
	if p.failed {
		return t
	}
	p.scope = scope
	p.seek(open + 1)
	p.declAttributes(d)
	for p.w == cpp.KwHost || p.w == cpp.KwDevice {
		p.next()
	}
	t = p.declarator(d, t, k)
	if !p.closing(cpp.RParen, open) {
		return t
	}
	p.cursor = after
	p.depth--
	return t
}

// suffixes reads the arrays and the parameters after a declarator's name; they apply to t.
func (p *parser) suffixes(d *declarator, t ast.TypeExpr, k declaratorKind) ast.TypeExpr {
	switch {
	case p.w == cpp.LBracket && p.word(1) != cpp.LBracket:
		from, open := p.pos(), p.i
		a := p.slabs.arrays.New()
		p.next()
		if p.w == cpp.KwStatic || p.w == cpp.KwRestrict || p.w == cpp.KwConst {
			p.next()
		}
		if p.w != cpp.RBracket {
			a.Len = p.inParens(p.conditional)
		}
		p.closing(cpp.RBracket, open)
		a.Span = p.since(from)
		if !p.enter() {
			return t
		}
		a.Elem = p.suffixes(d, t, k)
		p.depth--
		return a
	case p.w == cpp.LParen && (k != named || p.isParams(d)):
		return p.function(d, t)
	}
	if k != either {
		p.declAttributes(d)
	}
	return t
}

// isParams reports whether the parenthesis after a declarator's name begins parameters, and
// not an initialiser.
func (p *parser) isParams(d *declarator) bool {
	if d.name != nil && d.name.Last.Kind != ast.Identifier {
		return true
	}
	t := p.ahead(1)
	switch {
	case t.Word == cpp.RParen:
		return true
	case t.Word == cpp.Ellipsis && p.word(2) == cpp.RParen:
		return true
	case t.Word == cpp.LBracket && p.word(2) == cpp.LBracket:
		return true
	case t.Kind == cpp.Number || t.Kind == cpp.String || t.Kind == cpp.Char:
		return false
	case t.Kind == cpp.Ident:
		if p.word(2) != cpp.ColonColon && p.word(2) != cpp.Less && p.plainValue(t) {
			return false
		}
	case t.Word == cpp.ColonColon:
	case !is(t.Word, startsSpec):
		return false
	case !d.inBlock && p.word(2) != cpp.LParen && p.word(2) != cpp.LBrace:
		return true
	}
	return p.tryParams(d)
}

// tryParams reads the parameters at the cursor for a decision.
func (p *parser) tryParams(d *declarator) bool {
	m := p.try()
	p.next()
	known := false // a parameter's type is known, or it has a declarator of its own
	for first := true; !p.failed; first = false {
		if p.accept(cpp.Ellipsis) {
			break
		}
		t := p.tok()
		keyword := is(p.w, startsSpec)
		x := p.param()
		if p.failed {
			break
		}
		known = known || keyword || x.Name != nil || p.typeRef.isType()
		switch x.Type.(type) {
		case *ast.NamedType:
		default:
			known = true
		}
		if first && !known && d.inBlock && t.Kind == cpp.Ident && x.Default == nil {
			p.fail(CodeType, "") // an unknown name in a block is an argument
		}
		if !p.accept(cpp.Comma) {
			break
		}
	}
	if !p.failed && p.w != cpp.RParen {
		p.fail(CodeType, "")
	}
	return p.undo(m)
}

// function reads the parameters at the cursor and what follows them.
func (p *parser) function(d *declarator, result ast.TypeExpr) ast.TypeExpr {
	f := p.slabs.sigs.New()
	f.Result = result
	from, open := p.pos(), p.i
	if !p.enter() {
		return f
	}
	p.next()
	s := p.push(blockScope)
	s.retained = true
	saved := p.noGT
	p.noGT = false
	if p.w == cpp.KwVoid && p.word(1) == cpp.RParen {
		p.next()
	}
	for p.w != cpp.RParen && !p.failed {
		if p.accept(cpp.Ellipsis) {
			f.Variadic = true
			break
		}
		x := p.param()
		if f.Params == nil {
			f.Params = p.slabs.sigParams.New(4)
		}
		f.Params = append(f.Params, x)
		if x.Name != nil {
			p.declareIdent(s, p.identOf(x.Name.Name, x.Name.Number), isValue, nil)
		}
		if p.accept(cpp.Ellipsis) {
			f.Variadic = true
			break
		}
		if !p.accept(cpp.Comma) {
			break
		}
		if p.w == cpp.RParen {
			p.fail(CodeType, "expected parameter declarator")
		}
	}
	p.closing(cpp.RParen, open)
	p.noGT = saved
	p.functionQualifiers(f, d)
	if p.w == cpp.Arrow && !p.failed {
		p.next()
		f.Result, f.Trailing = p.typeID(), true
		p.functionQualifiers(f, d)
	}
	p.pop(s)
	p.depth--
	f.Span = p.since(from)
	return f
}

// functionQualifiers reads what may follow parameters.
func (p *parser) functionQualifiers(f *ast.FuncType, d *declarator) {
	for !p.failed {
		switch p.w {
		case cpp.KwConst:
			f.CV |= ast.Const
		case cpp.KwVolatile:
			f.CV |= ast.Volatile
		case cpp.Amp:
			f.Ref = ast.LValueRef
		case cpp.AmpAmp:
			f.Ref = ast.RValueRef
		case cpp.KwNoexcept:
			p.noexcept(f)
			continue
		case cpp.KwThrow:
			p.dynamicSpec(f)
			continue
		case cpp.KwRestrict:
		case cpp.KwRequires:
			p.unsupported("constraints are a C++20 feature, which is not supported")
			return
		case cpp.KwDevice, cpp.KwHost, cpp.KwGlobal, cpp.KwForceinline, cpp.KwNoinline, cpp.KwInline:
			d.flags |= flagTable[p.w]
		case cpp.KwAsm, cpp.KwAttribute, cpp.KwLaunchBounds, cpp.KwClusterDims, cpp.KwMaxnreg, cpp.KwAlign, cpp.KwAlignas, cpp.LBracket:
			if p.w == cpp.LBracket && p.word(1) != cpp.LBracket {
				return
			}
			if p.w == cpp.KwAsm {
				p.declAttributes(d)
			} else {
				p.attribute(&d.attrs, &d.flags)
			}
			continue
		case cpp.NoWord:
			if p.k != cpp.Ident {
				return
			}
			switch p.tok().Text() {
			case "requires":
				p.unsupported("constraints are a C++20 feature, which is not supported")
				return
			case "override":
				d.override = true
			case "final":
				d.final = true
			default:
				return
			}
		default:
			return
		}
		p.next()
	}
}

// dynamicSpec reads throw(), which is noexcept, or throw with types, which says nothing.
func (p *parser) dynamicSpec(f *ast.FuncType) {
	from := p.pos()
	p.next()
	if p.w != cpp.LParen {
		return
	}
	empty := p.word(1) == cpp.RParen
	p.skipParens()
	if empty {
		f.Noexcept = &ast.Literal{Span: p.since(from), Kind: ast.BoolLit, Text: "true"}
	}
}

// noexcept reads noexcept and its condition.
func (p *parser) noexcept(f *ast.FuncType) {
	from := p.pos()
	p.next()
	if p.w == cpp.LParen {
		open := p.i
		p.next()
		f.Noexcept = p.inParens(p.conditional)
		p.closing(cpp.RParen, open)
		return
	}
	f.Noexcept = &ast.Literal{Span: p.since(from), Kind: ast.BoolLit, Text: "true"}
}

// unsupported is the error of a feature that the compiler does not have.
func (p *parser) unsupported(message string) { p.fail(CodeUnsupported, message) }

// param reads one parameter.
func (p *parser) param() *ast.Param {
	x := p.slabs.params.New()
	from := p.pos()
	if p.isConcept() {
		p.unsupported("concepts are a C++20 feature, which is not supported")
		return x
	}
	s := p.declSpecs(inParam)
	if s.typ == nil && !p.failed {
		p.fail(CodeType, "expected a type")
	}
	if p.failed {
		return x
	}
	var d declarator
	x.Type = p.declarator(&d, s.typ, either)
	p.attributes(&d.attrs, &d.flags)
	x.Specs, x.Pack = s.flags|d.flags, d.pack
	x.Attrs = mergeAttrs(s.attrs, d.attrs)
	x.Name = d.param
	if p.accept(cpp.Equal) {
		x.Default = p.initClause()
	}
	p.typeRef = s.ref
	x.Span = p.since(from)
	return x
}

// mergeAttrs returns the attributes of both.
func mergeAttrs(a, b *ast.Attributes) *ast.Attributes {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	m := *a
	if b.LaunchBounds != nil {
		m.LaunchBounds = b.LaunchBounds
	}
	if b.Cluster != nil {
		m.Cluster = b.Cluster
	}
	m.Align = append(m.Align[:len(m.Align):len(m.Align)], b.Align...)
	m.AlignTypes = append(m.AlignTypes[:len(m.AlignTypes):len(m.AlignTypes)], b.AlignTypes...)
	m.Packed = m.Packed || b.Packed
	m.NoUnique = m.NoUnique || b.NoUnique
	if b.Builtin != "" {
		m.Builtin = b.Builtin
	}
	if b.Deprecated != "" {
		m.Deprecated = b.Deprecated
	}
	m.Others = append(m.Others[:len(m.Others):len(m.Others)], b.Others...)
	return &m
}
