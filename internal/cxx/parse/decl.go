package parse

import (
	"strconv"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// declarations reads declarations of a namespace up to the token end. Those that cannot be
// parsed become OpaqueDecls.
func (p *parser) declarations(list []ast.Decl, end int) []ast.Decl {
	for p.i < end {
		start, n := p.i, len(list)
		scope, depth, linkage := p.scope, p.depth, p.linkageC
		if p.w == cpp.RBrace {
			p.fail(CodeBrace, "extraneous closing brace ('}')")
			p.report()
			p.seek(start + 1)
			continue
		}
		list = p.declaration(list, atNamespace)
		if !p.failed && p.i == start {
			p.fail(CodeName, "expected unqualified-id")
		}
		if p.failed {
			p.scope, p.depth, p.linkageC = scope, depth, linkage
			list = p.recoverDecl(list[:n], start, end)
		}
	}
	return list
}

// recoverDecl ends a failed declaration that began at the token start: it reports the error if the
// declaration is the device's, appends an OpaqueDecl, and moves the cursor after it.
func (p *parser) recoverDecl(list []ast.Decl, start, end int) []ast.Decl {
	to := p.skipDecl(start, end)
	if next := p.macroCall(start, end); next > 0 {
		to = min(to, next)
	}
	p.noGT, p.tent = false, 0
	d := p.err
	o := p.opaque(start, to, d)
	if p.isDevice(start, to) || p.opts.ReportHost || p.inBody || d != nil && (d.Code == CodeBrace || d.Code == CodeDepth) {
		p.report()
	}
	p.drop()
	for _, name := range o.Names {
		if y := p.holder().own(p.intern(name)); y == nil && p.scope.kind != classScope {
			p.declare(p.holder(), name, 0, nil)
		}
	}
	p.seek(to)
	return append(list, o)
}

// macroCall returns the token after a use of a macro that is not defined, as NAME(...) on a line
// of its own, which begins at the token start; 0 for none.
func (p *parser) macroCall(start, end int) int {
	if p.toks[start].Kind != cpp.Ident || p.toks[start+1].Word != cpp.LParen || p.partner(start+1) < 0 {
		return 0
	}
	next := p.partner(start+1) + 1
	t := &p.toks[min(next, len(p.toks)-1)]
	if next < end && t.StartsLine() && (t.Kind == cpp.Ident || is(t.Word, startsSpec) || t.Word == cpp.KwTemplate || t.Word == cpp.KwUsing || t.Word == cpp.KwNamespace) {
		return next
	}
	return 0
}

// declaration reads one declaration of a namespace or class, which may declare several names.
func (p *parser) declaration(list []ast.Decl, c context) []ast.Decl {
	from := p.pos()
	switch p.k {
	case cpp.Unroll: // of no loop
		p.unroll()
		return list
	case cpp.Pack:
		p.packPragma()
		return list
	}
	switch p.w {
	case cpp.Semi:
		p.next()
		return append(list, &ast.EmptyDecl{Span: p.since(from)})
	case cpp.KwNamespace:
		return append(list, p.namespace())
	case cpp.KwInline:
		if p.word(1) == cpp.KwNamespace {
			p.next()
			d := p.namespace()
			if n, ok := d.(*ast.NamespaceDecl); ok {
				n.Inline, n.Span = true, ast.Range(from, n.End())
				if len(n.Names) == 1 {
					p.inlineNamespace(n.Names[0].Name)
				}
			}
			return append(list, d)
		}
	case cpp.KwUsing:
		return append(list, p.using()...)
	case cpp.KwTemplate:
		return append(list, p.template(c, from))
	case cpp.KwExtern:
		if p.ahead(1).Kind == cpp.String {
			return append(list, p.linkage())
		}
		if p.word(1) == cpp.KwTemplate {
			p.next()
			d := p.template(c, from)
			if x, ok := d.(*ast.InstantiationDecl); ok {
				x.Extern = true
			}
			return append(list, d)
		}
	case cpp.KwExtension:
		for p.w == cpp.KwExtension {
			p.next()
		}
		if p.enter() {
			list = p.declaration(list, c)
			p.depth--
		}
		return list
	case cpp.KwStaticAssert:
		return append(list, p.staticAssert())
	case cpp.KwAsm:
		p.skipAsm()
		return append(list, &ast.AsmDecl{Span: p.since(from)})
	case cpp.KwConcept, cpp.KwRequires:
		p.concept()
		p.unsupported("concepts are a C++20 feature, which is not supported")
		return list
	case cpp.NoWord:
		if p.k == cpp.Ident && p.tok().Text() == "concept" && p.ahead(1).Kind == cpp.Ident && p.word(2) == cpp.Equal {
			p.concept()
			p.unsupported("concepts are a C++20 feature, which is not supported")
			return list
		}
	case cpp.KwExport:
		p.unsupported("modules are not supported")
		return list
	}
	return p.simple(list, c)
}

// packPragma executes #pragma pack.
func (p *parser) packPragma() {
	words := strings.Split(p.tok().Text(), ",")
	p.next()
	if p.tent > 0 {
		return
	}
	set := true
	switch words[0] {
	case "push":
		p.packs = append(p.packs, p.pack)
		words, set = words[1:], len(words) > 1
	case "pop":
		if n := len(p.packs); n > 0 {
			p.pack = p.packs[n-1]
			p.packs = p.packs[:n-1]
		}
		words, set = words[1:], len(words) > 1
	}
	if !set {
		return
	}
	if n, err := strconv.Atoi(words[len(words)-1]); err == nil {
		p.pack = n
	} else if words[len(words)-1] == "" {
		p.pack = 0
	}
}

// skipAsm moves past asm ... ;
func (p *parser) skipAsm() {
	p.next()
	for p.w == cpp.KwVolatile || p.w == cpp.KwInline || p.w == cpp.KwGoto {
		p.next()
	}
	if p.w != cpp.LParen {
		p.expected("'(' after 'asm'")
		return
	}
	p.skipParens()
	p.expectSemi("asm")
}

// namespace reads a namespace or an alias of one.
func (p *parser) namespace() ast.Decl {
	from := p.pos()
	p.next()
	d := &ast.NamespaceDecl{}
	var attrs *ast.Attributes
	var flags ast.Specs
	p.attributes(&attrs, &flags)
	inner := p.holder()
	saved := p.scope
	for p.k == cpp.Ident {
		id := p.ident()
		if p.w == cpp.Equal && len(d.Names) == 0 {
			p.next()
			a := &ast.NamespaceAlias{Name: id}
			n, r := p.name(inType)
			a.To = n
			p.declare(p.holder(), id.Name, isNamespace, r.scope)
			p.expectSemi("namespace name")
			a.Span = p.since(from)
			return a
		}
		d.Names = append(d.Names, id)
		inner = p.namespaceScope(inner, id.Name)
		p.attributes(&attrs, &flags)
		if p.w != cpp.ColonColon {
			break
		}
		p.next()
		if p.accept(cpp.KwInline) {
			continue
		}
	}
	if len(d.Names) == 0 {
		anonymous := &scope{kind: namespaceScope, parent: inner}
		inner.usings = append(inner.usings, anonymous)
		inner = anonymous
	}
	if p.w != cpp.LBrace {
		p.expected("'{'")
		return d
	}
	open := p.i
	end := p.partner(open)
	if end < 0 {
		p.unclosedBrace(open)
		p.report()
		p.seek(open)
		end = len(p.toks) - 1
	}
	p.next()
	p.scope = inner
	if p.enter() {
		d.Decls = p.declarations(nil, end)
		p.depth--
	}
	p.scope = saved
	if p.failed {
		return d
	}
	p.seek(end)
	if p.w == cpp.RBrace {
		p.next()
	}
	d.Span = p.since(from)
	return d
}

// namespaceScope returns the scope of a namespace, which may have been opened before.
func (p *parser) namespaceScope(in *scope, name string) *scope {
	if id := p.known(name); id != nil {
		if y := in.own(id); y != nil && y.kind&isNamespace != 0 && y.scope != nil {
			return y.scope
		}
	}
	inner := &scope{kind: namespaceScope, parent: in}
	p.declare(in, name, isNamespace, inner)
	return inner
}

// inlineNamespace makes the names of an inline namespace visible in the one around it.
func (p *parser) inlineNamespace(name string) {
	in := p.holder()
	y := in.own(p.intern(name))
	if y == nil || y.scope == nil || p.tent > 0 {
		return
	}
	for _, u := range in.usings {
		if u == y.scope {
			return
		}
	}
	in.usings = append(in.usings, y.scope)
}

// linkage reads extern "C" { ... } and extern "C" declaration.
func (p *parser) linkage() ast.Decl {
	from := p.pos()
	p.next()
	text := p.tok().Text()
	d := &ast.LinkageDecl{Lang: text[1:max(1, len(text)-1)]}
	p.next()
	saved := p.linkageC
	p.linkageC = d.Lang == "C"
	defer func() { p.linkageC = saved }()
	if p.w != cpp.LBrace {
		if p.enter() {
			d.Decls = p.declaration(nil, atNamespace)
			p.depth--
		}
		d.Span = p.since(from)
		return d
	}
	open := p.i
	end := p.partner(open)
	if end < 0 {
		p.unclosedBrace(open)
		p.report()
		p.seek(open)
		end = len(p.toks) - 1
	}
	p.next()
	if !p.enter() {
		return d
	}
	d.Decls = p.declarations(nil, end)
	p.depth--
	p.seek(end)
	if p.w == cpp.RBrace {
		p.next()
	}
	d.Span = p.since(from)
	return d
}

// using reads a using directive, a using declaration or an alias.
func (p *parser) using() []ast.Decl {
	from := p.pos()
	p.next()
	if p.accept(cpp.KwNamespace) {
		n, r := p.name(inType)
		if r.scope != nil && r.kind&isNamespace != 0 && p.tent == 0 && r.scope != p.scope {
			p.scope.usings = append(p.scope.usings, r.scope)
		}
		p.expectSemi("using directive")
		return []ast.Decl{&ast.UsingDirective{Span: p.since(from), Name: n}}
	}
	if p.k == cpp.Ident && (p.word(1) == cpp.Equal || p.word(1) == cpp.KwAttribute || p.word(1) == cpp.LBracket) {
		a := &ast.AliasDecl{Name: p.ident()}
		var attrs *ast.Attributes
		var flags ast.Specs
		p.attributes(&attrs, &flags)
		p.expect(cpp.Equal)
		a.Type = p.typeID()
		p.declare(p.holder(), a.Name.Name, isType|p.inTemplate(), p.typeRef.scope)
		p.expectSemi("alias declaration")
		a.Span = p.since(from)
		return []ast.Decl{a}
	}
	var list []ast.Decl
	for !p.failed {
		list = append(list, p.usingName(from))
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.expectSemi("using declaration")
	return list
}

// usingName reads one name of a using declaration and makes it known in the present scope.
func (p *parser) usingName(from source.Pos) ast.Decl {
	d := &ast.UsingDecl{}
	d.Typename = p.accept(cpp.KwTypename)
	n, r := p.name(inExpr | inDecl | generous)
	d.Name = n
	if len(n.Quals) > 0 && n.Last.Kind == ast.Identifier {
		r = ref{}
		if y := p.qualifiedSym(n); y != nil {
			r = ref{y.kind, y.scope}
		}
		if d.Typename {
			r.kind |= isType
		}
		if r.kind != 0 {
			p.declare(p.holder(), n.Last.Ident, r.kind, r.scope)
		}
	}
	d.Pack = p.accept(cpp.Ellipsis)
	d.Span = p.since(from)
	return d
}

// qualifiedSym returns the declaration of a qualified name.
func (p *parser) qualifiedSym(n *ast.Name) *sym {
	var y *sym
	in := p.global
	for i, q := range append(n.Quals[:len(n.Quals):len(n.Quals)], n.Last) {
		if i == 0 && !n.Global {
			y = p.lookup(p.intern(q.Ident))
		} else if id := p.known(q.Ident); id != nil && in != nil {
			y = p.find(in, id)
		} else {
			return nil
		}
		if y == nil {
			return nil
		}
		in = y.scope
	}
	return y
}

// staticAssert reads static_assert(condition, "message");
func (p *parser) staticAssert() ast.Decl {
	from := p.pos()
	d := &ast.StaticAssertDecl{}
	p.next()
	open := p.i
	p.expect(cpp.LParen)
	d.Cond = p.inParens(p.assignment)
	if p.accept(cpp.Comma) {
		for p.k == cpp.String {
			if t := p.tok().Text(); len(t) >= 2 && t[0] == '"' {
				d.Message += t[1 : len(t)-1]
			}
			p.next()
		}
	}
	p.closing(cpp.RParen, open)
	p.expectSemi("static_assert")
	d.Span = p.since(from)
	return d
}

// simple reads a declaration of variables, functions, types or members.
func (p *parser) simple(list []ast.Decl, c context) []ast.Decl {
	s := p.declSpecs(c)
	if p.failed {
		return list
	}
	if p.linkageC {
		s.flags |= ast.ExternC
	}
	switch {
	case p.w == cpp.Semi:
		p.next()
		return p.lone(list, &s)
	case s.whole:
		p.missingSemi(tagKind(s.tag))
		return p.lone(list, &s)
	}
	for !p.failed {
		d, next := p.oneDeclarator(&s, c)
		if d == nil {
			return list
		}
		if s.flags&ast.Friend != 0 {
			d = &ast.FriendDecl{Span: p.since(s.from), Decl: d}
		}
		if v, ok := d.(*ast.VarDecl); !ok || v.Specs&(ast.Static|ast.Extern|ast.Typedef) != 0 || len(v.Bindings) > 0 {
			p.lasts = true
		}
		if list == nil {
			room := 1
			if next {
				room = 4
			}
			list = p.slabs.lists.New(room)
		}
		list = append(list, d)
		if !next {
			return list
		}
	}
	return list
}

// tagKind returns the keyword of a class or an enumeration.
func tagKind(d ast.Decl) string {
	if k, ok := d.(*ast.ClassDecl); ok {
		return k.Kind.String()
	}
	return "enum"
}

// lone returns the declarations of one without declarators, whose semicolon was read.
func (p *parser) lone(list []ast.Decl, s *specs) []ast.Decl {
	p.lasts = true
	at := p.since(s.from)
	switch {
	case s.flags&ast.Friend != 0 && s.typ != nil:
		if k, ok := s.tag.(*ast.ClassDecl); ok {
			return append(list, &ast.FriendDecl{Span: at, Decl: k, Type: s.typ})
		}
		return append(list, &ast.FriendDecl{Span: at, Type: s.typ})
	case s.tag != nil:
		if k, ok := s.tag.(*ast.ClassDecl); ok {
			k.Attrs = mergeAttrs(k.Attrs, s.attrs)
		}
		return append(list, s.tag)
	case s.typ == nil && s.flags == 0:
		return append(list, &ast.EmptyDecl{Span: at})
	}
	p.seek(p.i - 1)
	p.fail(CodeName, "declaration does not declare anything")
	return list
}

// oneDeclarator reads one declarator with its initialiser or body; next reports whether another one
// follows a comma.
func (p *parser) oneDeclarator(s *specs, c context) (d ast.Decl, next bool) {
	from := p.pos()
	outer := p.scope
	defer func() { p.scope = outer }()
	if s.typ == nil && p.w == cpp.KwOperator || s.typ != nil {
		from = s.from
	}
	x := &declarator{inBlock: c == inBlock, field: c == inClass}
	if s.typ == nil && c != inBlock && p.isGuideHere() {
		return p.guide(s), false
	}
	kind := p.declaratorName(s, x, c)
	if p.failed {
		return nil, false
	}
	x.typ = p.declarator(x, s.typ, named)
	if p.failed {
		return nil, false
	}
	if kind == ast.Plain && x.name != nil {
		kind = functionKind(x.name, s)
	}
	if s.typ == nil && kind == ast.Plain {
		at := p.since(from)
		if x.name != nil {
			at = x.name.Span
		}
		if x.name != nil && x.name.Plain() != "" && p.k == cpp.Ident {
			p.failSpan(at, CodeType, "unknown type name '"+x.name.Plain()+"'")
		} else {
			p.failSpan(at, CodeNoType, "a type specifier is required for all declarations")
		}
		return nil, false
	}
	p.attributes(&x.attrs, &x.flags)
	s2 := *s
	s2.flags |= x.flags
	attrs := mergeAttrs(s.attrs, x.attrs)
	f, isFunction := x.typ.(*ast.FuncType)
	if isFunction && s.flags&ast.Typedef == 0 && x.name != nil && x.bindings == nil {
		return p.functionDecl(&s2, x, f, kind, attrs, c, outer)
	}
	return p.variable(&s2, x, attrs, c)
}

// declaratorName tells constructors and destructors, whose declarators have no type.
func (p *parser) declaratorName(s *specs, x *declarator, c context) ast.FuncKind {
	if s.typ != nil {
		return ast.Plain
	}
	if c == inClass && p.class != nil && p.k == cpp.Ident && p.tok().Text() == p.class.name {
		return ast.Constructor
	}
	return ast.Plain
}

// functionKind tells by its name what a function is.
func functionKind(n *ast.Name, s *specs) ast.FuncKind {
	switch n.Last.Kind {
	case ast.ConversionName:
		return ast.Conversion
	case ast.DestructorName:
		return ast.Destructor
	}
	if q := len(n.Quals); s.typ == nil && q > 0 && n.Last.Kind == ast.Identifier && n.Quals[q-1].Ident == n.Last.Ident {
		return ast.Constructor
	}
	return ast.Plain
}

// isGuideHere reports whether a deduction guide's name is at the cursor.
func (p *parser) isGuideHere() bool {
	return p.k == cpp.Ident && p.word(1) == cpp.LParen && p.isGuide() && p.resolve(p.tok()).isType()
}

// guide reads a deduction guide.
func (p *parser) guide(s *specs) ast.Decl {
	g := &ast.DeductionGuide{Specs: s.flags & ast.Explicit, Name: p.plain()}
	var d declarator
	f, _ := p.function(&d, nil).(*ast.FuncType)
	g.Params, g.Type = f.Params, f.Result
	p.expectSemi("deduction guide")
	g.Span = p.since(s.from)
	return g
}

// variable reads what follows a declarator that is not a function's.
func (p *parser) variable(s *specs, x *declarator, attrs *ast.Attributes, c context) (ast.Decl, bool) {
	if s.flags&ast.Typedef != 0 {
		if x.name == nil {
			p.fail(CodeName, "typedef name must be an identifier")
			return nil, false
		}
		a := &ast.AliasDecl{Name: &ast.Ident{Span: x.name.Span, Name: x.name.Last.Ident}, Type: x.typ}
		var inner *scope
		if x.typ == s.typ {
			inner = s.ref.scope
		}
		p.declareName(x.name, isType, inner)
		next := p.endDeclarator("typedef")
		a.Span = p.since(s.from)
		return a, next
	}
	v := p.slabs.vars.New()
	v.Specs, v.Attrs, v.Name, v.Type, v.Bindings = s.flags, attrs, x.name, x.typ, x.bindings
	if x.pack && !p.failed {
		p.fail(CodeName, "only parameters can be packs")
	}
	p.declareName(x.name, isValue, nil)
	for _, b := range x.bindings {
		p.declare(p.holder(), b.Name, isValue, nil)
	}
	if c == inClass && p.accept(cpp.Colon) {
		v.Width = p.conditional()
		if p.w == cpp.KwAttribute {
			var own *ast.Attributes
			p.attributes(&own, &v.Specs)
			v.Attrs = mergeAttrs(v.Attrs, own)
		}
	}
	v.Init = p.initializer()
	next := p.endDeclarator("declaration")
	v.Span = p.since(s.from)
	return v, next
}

// endDeclarator moves past a comma, which it reports, or a semicolon.
func (p *parser) endDeclarator(what string) bool {
	if p.accept(cpp.Comma) {
		return true
	}
	if p.w == cpp.Semi {
		p.next()
		return false
	}
	if !p.failed {
		if what == "typedef" {
			what = "declaration"
		}
		if !p.expectSemi(what) {
			p.unended = p.err
		}
	}
	return false
}

// initializer reads a variable's initialiser, if there is one.
func (p *parser) initializer() *ast.Init {
	from := p.pos()
	switch p.w {
	case cpp.Equal:
		p.next()
		in := p.slabs.inits.New()
		if p.w == cpp.LBrace {
			in.Kind = ast.CopyListInit
		}
		in.Args = append(p.slabs.args.New(1), p.initClause())
		in.Span = p.since(from)
		return in
	case cpp.LBrace:
		in := &ast.Init{Kind: ast.ListInit, Args: []ast.Expr{p.initList()}}
		in.Span = p.since(from)
		return in
	case cpp.LParen:
		open := p.i
		in := &ast.Init{Kind: ast.DirectInit}
		p.next()
		in.Args = p.exprList(cpp.RParen)
		p.closing(cpp.RParen, open)
		in.Span = p.since(from)
		return in
	}
	return nil
}

// functionDecl reads what follows a function's declarator: a body, = default, = delete, = 0, or nothing.
func (p *parser) functionDecl(s *specs, x *declarator, f *ast.FuncType, kind ast.FuncKind, attrs *ast.Attributes, c context, outer *scope) (ast.Decl, bool) {
	d := p.slabs.funcs.New()
	*d = ast.FuncDecl{Specs: s.flags, Attrs: attrs, Name: x.name, Type: f, Kind: kind, Override: x.override, Final: x.final}
	if kind != ast.Plain && !f.Trailing {
		f.Result = nil
	}
	if s.flags&ast.Friend == 0 && kind != ast.Constructor {
		inner := p.scope
		p.scope = outer
		p.declareName(x.name, isValue|isFunc, nil)
		p.scope = inner
	}
	next := false
	switch p.w {
	case cpp.Equal:
		p.next()
		switch {
		case p.w == cpp.KwDefault:
			d.Defaulted = true
			p.next()
		case p.w == cpp.KwDelete:
			d.Deleted = true
			p.next()
		case p.k == cpp.Number && p.tok().Text() == "0":
			d.Pure = true
			p.next()
		default:
			p.fail(CodeExpression, "initializer on function does not look like a pure-specifier")
		}
		next = p.endDeclarator("function declaration")
	case cpp.LBrace, cpp.Colon, cpp.KwTry:
		if p.w == cpp.Colon && kind != ast.Constructor {
			p.expected("function body after function declarator")
			return nil, false
		}
		d.Body = p.body(f, kind)
	default:
		if p.w != cpp.Semi && p.w != cpp.Comma && !p.failed {
			p.expected("function body after function declarator")
			return nil, false
		}
		next = p.endDeclarator("function declaration")
	}
	d.Span = p.since(s.from)
	return d, next
}
