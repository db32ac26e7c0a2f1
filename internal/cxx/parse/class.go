package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// A classContext is the class whose members are being read.
type classContext struct{ name string }

// classSpecifier reads a class, struct or union: named, declared or defined.
func (p *parser) classSpecifier(s *specs, c context) ast.TypeExpr {
	from := p.pos()
	n := p.slabs.classes.New()
	k := &n.decl
	k.Kind, k.Pack = classKind(p.w), p.pack
	p.next()
	var flags ast.Specs
	p.attributes(&k.Attrs, &flags)
	var r ref
	if p.k == cpp.Ident && p.ahead(1).Kind == cpp.Ident && p.ahead(1).Text() != "final" && isMacroName(p.tok().Text()) &&
		(p.word(2) == cpp.LBrace || p.word(2) == cpp.Colon) {
		p.next() // class EXPORT name {
	}
	outer := p.holder()
	if p.k == cpp.Ident || p.w == cpp.ColonColon {
		k.Name, r = p.name(inType | inDecl)
	}
	p.attributes(&k.Attrs, &flags)
	if p.k == cpp.Ident && p.tok().Text() == "final" && (p.word(1) == cpp.LBrace || p.word(1) == cpp.Colon) {
		k.Final = true
		p.next()
	}
	defined := p.w == cpp.LBrace || p.w == cpp.Colon && c != inParam && c != typeOnly && p.hasBody()
	own := k.Name != nil && len(k.Name.Quals) == 0 && !k.Name.Global && !k.Name.Last.HasArgs
	p.lasts = p.lasts || defined || !own || !p.isKnownType(k.Name)
	switch {
	case !defined && k.Name == nil:
		if !p.failed {
			p.fail(CodeName, "declaration of anonymous "+k.Kind.String()+" must be a definition")
		}
	case !defined && own && (p.w == cpp.Semi && s.flags&ast.Friend == 0 || p.lookup(p.lastIdent(k.Name)) == nil):
		if p.w != cpp.Semi {
			for outer.kind == classScope {
				outer = outer.parent
			}
		}
		if y := outer.own(p.lastIdent(k.Name)); y == nil || y.kind&isType == 0 {
			p.declareIdent(outer, p.lastIdent(k.Name), isType|p.inTemplate(), &scope{kind: classScope, parent: p.scope})
		}
	}
	if defined && !p.failed {
		p.classBody(k, r, own)
	}
	k.Span = p.since(from)
	s.tag = k
	s.ref = r
	if own {
		s.ref = p.refTo(p.lastIdent(k.Name))
	}
	s.ref.kind = isType
	n.typ = ast.ClassType{Span: k.Span, Decl: k}
	return &n.typ
}

// isKnownType reports whether a name is that of a type that has been declared.
func (p *parser) isKnownType(n *ast.Name) bool {
	y := p.lookup(p.lastIdent(n))
	return y != nil && y.kind&isType != 0
}

func classKind(w cpp.Word) ast.ClassKind {
	switch w {
	case cpp.KwClass:
		return ast.Class
	case cpp.KwUnion:
		return ast.Union
	}
	return ast.Struct
}

// hasBody reports whether the colon at the cursor begins the bases of a class.
func (p *parser) hasBody() bool {
	for i := p.i; i < len(p.toks); i++ {
		switch p.toks[i].Word {
		case cpp.LBrace:
			return true
		case cpp.Semi, cpp.RBrace, cpp.Equal:
			return false
		}
	}
	return false
}

// classBody reads the bases and members of a class.
func (p *parser) classBody(k *ast.ClassDecl, r ref, own bool) {
	k.Defined = true
	class := p.scopes.New()
	class.kind = classScope
	id, name := p.noName, ""
	if k.Name != nil {
		id, name = p.lastIdent(k.Name), k.Name.Last.Ident
	}
	switch {
	case own:
		if y := p.holder().own(id); y != nil && y.kind&isType != 0 && y.scope != nil && y.scope.kind == classScope && len(y.scope.list) == 0 {
			class = y.scope
			y.kind |= p.inTemplate()
		} else {
			p.declareIdent(p.holder(), id, isType|p.inTemplate(), class)
		}
	case k.Name != nil && !k.Name.Last.HasArgs && len(k.Name.Quals) > 0:
		// struct A::B { ... }: r.scope is that of A, by the mode of declarators.
		if r.scope != nil && p.tent == 0 {
			if y := r.scope.own(id); y != nil && y.scope != nil && len(y.scope.list) == 0 {
				class = y.scope
			}
			saved := p.scope
			defer func() { p.scope = saved }()
			p.enterMember(r.scope)
		}
	}
	class.parent = p.scope
	if p.accept(cpp.Colon) {
		p.bases(k, class)
	}
	if p.w != cpp.LBrace {
		p.expected("'{' after base class list")
		return
	}
	open := p.i
	end := p.partner(open)
	if end < 0 {
		p.unclosedBrace(open)
		return
	}
	p.next()
	if name != "" {
		kind := isType
		if p.inTemplate() != 0 || k.Name.Last.HasArgs {
			kind |= isTemplate
		}
		p.declareIdent(class, id, kind, class)
	}
	savedScope, savedClass, savedBody, savedDepth, savedC := p.scope, p.class, p.inBody, p.depth, p.linkageC
	p.scope, p.class, p.linkageC = class, &classContext{name}, false
	if p.enter() {
		k.Members = p.members(end)
	}
	p.scope, p.class, p.inBody, p.depth, p.linkageC = savedScope, savedClass, savedBody, savedDepth, savedC
	if p.failed {
		return
	}
	p.seek(end + 1)
	var flags ast.Specs
	for p.w == cpp.KwAttribute || p.w == cpp.KwAlign && p.word(1) == cpp.LParen {
		if !p.attribute(&k.Attrs, &flags) {
			break
		}
	}
	if k.Name == nil && p.w == cpp.Semi { // anonymous: its members are the class's around it
		p.scope.bases = append(p.scope.bases, class)
	}
}

// unclosedBrace is the error of a brace that is never closed, or of what hides its partner.
func (p *parser) unclosedBrace(open int) {
	if p.unclosed { // the first is the one to report
		p.failAt(open, CodeBrace, "")
		p.err = nil
		return
	}
	p.unclosed = p.tent == 0
	for i := open + 1; i < len(p.toks); i++ { // a comment or literal without an end has the closing one
		if t := &p.toks[i]; t.Kind == cpp.Bad {
			if code, _ := t.Malformed(); code == cpp.CodeComment || code == cpp.CodeQuote {
				p.failAt(i, code, "") // the token has the message
				return
			}
		}
	}
	p.failAt(open, CodeBrace, "this '{' is never closed").Hint = "add the missing '}', or remove one '{'"
}

// bases reads the base classes.
func (p *parser) bases(k *ast.ClassDecl, class *scope) {
	for !p.failed {
		b := &ast.Base{}
		from := p.pos()
		var flags ast.Specs
		for {
			switch p.w {
			case cpp.KwPublic:
				b.Access = ast.Public
			case cpp.KwProtected:
				b.Access = ast.Protected
			case cpp.KwPrivate:
				b.Access = ast.Private
			case cpp.KwVirtual:
				b.Virtual = true
			case cpp.LBracket:
				var a *ast.Attributes
				if !p.attribute(&a, &flags) {
					return
				}
				continue
			default:
				goto name
			}
			p.next()
		}
	name:
		s := p.baseType()
		b.Type = s.typ
		b.Pack = p.accept(cpp.Ellipsis)
		b.Span = p.since(from)
		k.Bases = append(k.Bases, b)
		if s.ref.scope != nil && s.ref.scope != class {
			class.bases = append(class.bases, s.ref.scope)
		}
		if !p.accept(cpp.Comma) {
			return
		}
	}
}

// baseType reads the name of a base class.
func (p *parser) baseType() specs {
	var s specs
	if p.k != cpp.Ident && p.w != cpp.ColonColon && p.w != cpp.KwDecltype && p.w != cpp.KwTypename {
		p.fail(CodeName, "expected class name")
		return s
	}
	if p.w == cpp.KwDecltype || p.w == cpp.KwTypename {
		p.typeSpecifier(&s, typeOnly)
		return s
	}
	n, r := p.name(inType)
	s.typ, s.ref = &ast.NamedType{Span: n.Span, Name: n}, r
	return s
}

// members reads the members of a class up to the token end, its brace. A member that cannot be
// parsed is an OpaqueDecl.
func (p *parser) members(end int) []ast.Decl {
	var list []ast.Decl
	for p.i < end {
		start, n := p.i, len(list)
		scope, depth := p.scope, p.depth
		list = p.member(list)
		if p.tent > 0 && p.failed {
			return list
		}
		if !p.failed && p.i == start {
			p.fail(CodeName, "expected member name or ';' after declaration specifiers")
		}
		if p.failed {
			p.scope, p.depth = scope, depth
			list = p.recoverDecl(list[:n], start, end)
		}
	}
	return list
}

// member reads one declaration in a class.
func (p *parser) member(list []ast.Decl) []ast.Decl {
	from := p.pos()
	switch p.w {
	case cpp.KwPublic, cpp.KwProtected, cpp.KwPrivate:
		if p.word(1) == cpp.Colon || p.ahead(1).Kind == cpp.Ident && p.word(2) == cpp.Colon {
			a := &ast.AccessDecl{Access: map[cpp.Word]ast.Access{cpp.KwPublic: ast.Public, cpp.KwProtected: ast.Protected, cpp.KwPrivate: ast.Private}[p.w]}
			p.next()
			if p.k == cpp.Ident { // Qt's slots
				p.next()
			}
			p.next()
			a.Span = p.since(from)
			return append(list, a)
		}
		p.next()
		p.expected("':'")
		return list
	case cpp.KwNamespace:
		p.fail(CodeName, "namespaces cannot be declared in a class")
		return list
	}
	return p.declaration(list, inClass)
}

// enumSpecifier reads an enumeration.
func (p *parser) enumSpecifier(s *specs, c context) ast.TypeExpr {
	from := p.pos()
	p.lasts = true
	e := &ast.EnumDecl{}
	p.next()
	if p.w == cpp.KwClass || p.w == cpp.KwStruct {
		e.Scoped = true
		p.next()
	}
	var attrs *ast.Attributes
	var flags ast.Specs
	p.attributes(&attrs, &flags)
	var r ref
	if p.k == cpp.Ident || p.w == cpp.ColonColon {
		e.Name, r = p.name(inType | inDecl)
	}
	if p.w == cpp.Colon && c != inParam && (c != inClass || p.word(1) != cpp.NoWord || p.ahead(1).Kind == cpp.Ident) {
		p.next()
		b := p.declSpecs(typeOnly)
		e.Base = b.typ
		if b.typ == nil && !p.failed {
			p.fail(CodeType, "expected a type")
		}
	}
	inner := &scope{kind: enumScope}
	if e.Name != nil && len(e.Name.Quals) == 0 {
		if y := p.holder().own(p.lastIdent(e.Name)); y != nil && y.kind&isType != 0 && y.scope != nil {
			inner = y.scope
		} else if p.w == cpp.LBrace || p.w == cpp.Semi || p.lookup(p.lastIdent(e.Name)) == nil {
			p.declare(p.holder(), e.Name.Last.Ident, isType, inner)
		}
	}
	if p.w == cpp.LBrace {
		e.Defined = true
		saved := p.scope
		if r.scope != nil && e.Name != nil && len(e.Name.Quals) > 0 {
			p.enterMember(r.scope)
		}
		p.enumerators(e, inner)
		p.scope = saved
	} else if e.Name == nil && !p.failed {
		p.fail(CodeName, "expected identifier or '{'")
	}
	e.Span = p.since(from)
	s.tag = e
	s.ref = ref{isType, inner}
	return &ast.EnumType{Span: e.Span, Decl: e}
}

// enumerators reads { a, b = 1 }.
func (p *parser) enumerators(e *ast.EnumDecl, inner *scope) {
	open := p.i
	p.next()
	for p.w != cpp.RBrace && !p.failed {
		x := &ast.EnumConst{}
		from := p.pos()
		x.Name = p.ident()
		var attrs *ast.Attributes
		var flags ast.Specs
		p.attributes(&attrs, &flags)
		if p.accept(cpp.Equal) {
			x.Value = p.inParens(p.conditional)
		}
		x.Span = p.since(from)
		e.Consts = append(e.Consts, x)
		p.declare(inner, x.Name.Name, isValue, nil)
		if !e.Scoped {
			p.declare(p.holder(), x.Name.Name, isValue, nil)
		}
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.closing(cpp.RBrace, open)
}
