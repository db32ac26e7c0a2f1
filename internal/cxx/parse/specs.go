package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// A context says where the specifiers of a declaration are.
type context uint8

const (
	atNamespace context = iota
	inClass
	inBlock
	inParam
	typeOnly // of the name of a type
)

// specs are the specifiers of a declaration.
type specs struct {
	from  source.Pos
	flags ast.Specs
	attrs *ast.Attributes
	typ   ast.TypeExpr // nil where there is none, as of a constructor
	ref   ref          // of a named type
	tag   ast.Decl     // a class or enumeration that is declared here
	whole bool         // a semicolon is missing behind tag's definition: what follows is another declaration
}

var specFlags = map[cpp.Word]ast.Specs{
	cpp.KwTypedef: ast.Typedef, cpp.KwStatic: ast.Static, cpp.KwExtern: ast.Extern, cpp.KwInline: ast.Inline,
	cpp.KwConstexpr: ast.Constexpr, cpp.KwConsteval: ast.Constexpr, cpp.KwConstinit: 0, cpp.KwExplicit: ast.Explicit,
	cpp.KwVirtual: ast.Virtual, cpp.KwFriend: ast.Friend, cpp.KwMutable: ast.Mutable, cpp.KwThreadLocal: ast.ThreadLocal,
	cpp.KwRegister: ast.Register, cpp.KwForceinline: ast.ForceInline, cpp.KwNoinline: ast.NoInline, cpp.KwGlobal: ast.Global,
	cpp.KwDevice: ast.Device, cpp.KwHost: ast.Host, cpp.KwShared: ast.Shared, cpp.KwConstant: ast.Constant,
	cpp.KwManaged: ast.Managed, cpp.KwGridConstant: ast.GridConstant, cpp.KwNoreturn: ast.NoReturn, cpp.KwExtension: 0, cpp.KwNvPure: 0,
	cpp.KwRestrict: 0,
}

// flagTable is specFlags by word; flagWords are those in it.
var flagTable, flagWords = func() (t [numWords]ast.Specs, in [numWords]bool) {
	for w, f := range specFlags {
		t[w], in[w] = f, true
	}
	return
}()

// declSpecs reads the specifiers of a declaration.
func (p *parser) declSpecs(c context) specs {
	s := specs{from: p.pos()}
	var b basics
	var cv ast.CV
	var from source.Pos // of the type's words
	var at ast.Span
	for !p.failed {
		w := p.w
		switch {
		case w == cpp.NoWord:
			if p.k != cpp.Ident || s.typ != nil || b.any || !p.namedType(&s, c) {
				return p.endSpecs(s, &b, cv, at)
			}
			continue
		case is(w, basicWord):
			if s.typ != nil {
				p.fail(CodeSpecifiers, "cannot combine with previous type specifier")
				return s
			}
			if !b.any {
				from = p.pos()
			}
			b.add(w)
			p.next()
			at = p.since(from)
		case w == cpp.KwConst:
			cv |= ast.Const
			p.next()
		case w == cpp.KwVolatile:
			cv |= ast.Volatile
			p.next()
		case flagWords[w]:
			s.flags |= flagTable[w]
			p.next()
			if w == cpp.KwExplicit && p.w == cpp.LParen { // C++20's explicit(c)
				p.skipParens()
			}
		case is(w, startsSpec) && !is(w, startsType) || w == cpp.LBracket && p.word(1) == cpp.LBracket:
			if !p.attribute(&s.attrs, &s.flags) {
				return p.endSpecs(s, &b, cv, at)
			}
		default:
			if s.typ != nil || b.any || !p.typeSpecifier(&s, c) {
				return p.endSpecs(s, &b, cv, at)
			}
			if p.w != cpp.Semi && s.tag != nil && (c == atNamespace || c == inClass || c == inBlock) && p.beginsAnother() {
				s.whole = true
				return p.endSpecs(s, &b, cv, at)
			}
		}
	}
	return s
}

// beginsAnother reports whether what follows the definition of a class or an enumeration is another
// declaration: specifiers at the beginning of a line.
func (p *parser) beginsAnother() bool {
	if p.failed || p.toks[p.i-1].Word != cpp.RBrace || !p.tok().StartsLine() {
		return false
	}
	switch p.w {
	case cpp.KwStruct, cpp.KwClass, cpp.KwUnion, cpp.KwEnum, cpp.KwTemplate, cpp.KwUsing, cpp.KwNamespace, cpp.KwTypename:
		return true
	}
	return is(p.w, basicWord) || flagWords[p.w]
}

// endSpecs puts the type together.
func (p *parser) endSpecs(s specs, b *basics, cv ast.CV, at ast.Span) specs {
	if b.any {
		s.typ = p.basicType(b, at)
		s.ref = ref{kind: isType}
	}
	if cv != 0 {
		if s.typ == nil && !p.failed {
			return s
		}
		s.typ = p.qualify(s.typ, cv, p.since(s.from))
	}
	return s
}

// typeSpecifier reads a type that begins with a keyword or ::; it returns false for none.
func (p *parser) typeSpecifier(s *specs, c context) bool {
	from := p.pos()
	switch p.w {
	case cpp.KwStruct, cpp.KwClass, cpp.KwUnion:
		s.typ = p.classSpecifier(s, c)
	case cpp.KwEnum:
		s.typ = p.enumSpecifier(s, c)
	case cpp.KwAuto:
		p.next()
		s.typ = &ast.AutoType{Span: p.since(from)}
		s.ref = ref{kind: isType}
	case cpp.KwDecltype:
		at := p.cursor
		t := p.decltype()
		if p.w == cpp.ColonColon && !p.failed {
			p.cursor = at
			n, _ := p.name(inType)
			t = &ast.NamedType{Span: p.since(from), Name: n}
		}
		s.typ = t
		s.ref = ref{kind: isType}
	case cpp.KwTypeof:
		s.typ = p.typeof()
		s.ref = ref{kind: isType}
	case cpp.KwTypename:
		p.next()
		n, r := p.name(inType)
		s.typ = &ast.NamedType{Span: p.since(from), Name: n, Typename: true}
		s.ref = ref{isType, r.scope}
	case cpp.KwUnderlyingType:
		trait := p.tok().Text()
		p.next()
		s.typ = &ast.TraitType{Trait: trait, Args: p.traitTypes(), Span: p.since(from)}
		s.ref = ref{kind: isType}
	case cpp.KwAtomic:
		p.fail(CodeUnsupported, "_Atomic is not supported in CUDA C++")
	case cpp.ColonColon:
		return p.namedType(s, c)
	default:
		return false
	}
	return true
}

// namedType reads the name of a type as a specifier, if the name at the cursor is one.
func (p *parser) namedType(s *specs, c context) bool {
	t := p.tok()
	if p.k == cpp.Ident {
		w := p.word(1)
		if w != cpp.ColonColon && w != cpp.Less {
			return p.plainType(s, c, t, w)
		}
	}
	m := p.try()
	n, r := p.name(inType)
	ok := !p.failed && p.isTypeName(n, r, c)
	if !ok {
		if p.failed && c >= inParam || p.failed && !r.isValue() && c == inBlock {
			p.undo(m)
			if p.tent > 0 {
				p.fail(CodeType, "")
			} else { // the error is the one to report
				p.name(inType)
			}
			return true
		}
		p.undo(m)
		return false
	}
	p.commit(m)
	s.typ = &ast.NamedType{Span: n.Span, Name: n}
	s.ref = r
	return true
}

// plainType decides for an unqualified identifier, which the word w follows.
func (p *parser) plainType(s *specs, c context, t *cpp.Token, w cpp.Word) bool {
	r := p.resolve(t)
	switch {
	case c == inClass && w == cpp.LParen && p.isConstructor(t.Text()):
		return false
	case r.isType():
		if w == cpp.LParen && c == atNamespace && r.kind&isTemplate != 0 && p.isGuide() {
			return false
		}
	case r.kind&isType != 0 && (p.ahead(1).Kind == cpp.Ident || c >= inParam):
	case r.kind != 0:
		return false
	default: // not known
		next := p.ahead(1)
		switch {
		case c >= inParam:
		case next.Kind == cpp.Ident:
			if after := p.ahead(2); after.Kind == cpp.Ident && !after.StartsLine() && isMacroName(t.Text()) {
				return p.skipMacro(s, t)
			}
		case is(w, startsSpec) && w != cpp.KwConst && w != cpp.KwVolatile:
			if flagWords[w] && !isMacroName(t.Text()) {
				break
			}
			return p.skipMacro(s, t)
		case w == cpp.Star || w == cpp.Amp || w == cpp.AmpAmp || w == cpp.KwConst || w == cpp.KwVolatile || w == cpp.KwOperator:
		case w == cpp.LParen && p.word(2) == cpp.Star && c != inBlock: // T (*f)(...)
		default:
			return false
		}
	}
	x := p.slabs.types.New()
	x.typ.Name = &x.name
	p.fill(&x.name, &x.seg)
	x.typ.Span = x.name.Span
	s.typ = &x.typ
	s.ref = r
	return true
}

// isMacroName reports whether a text looks like a macro's name.
func isMacroName(text string) bool {
	for i := range len(text) {
		if 'a' <= text[i] && text[i] <= 'z' {
			return false
		}
	}
	return true
}

// skipMacro moves past a name that looks like a macro of a header that was not read, as in
// EXPORT void f(). In code of the device that is an error.
func (p *parser) skipMacro(s *specs, t *cpp.Token) bool {
	if !isMacroName(t.Text()) || p.isOnDevice() {
		p.fail(CodeType, "unknown type name '"+t.Text()+"'")
		return false
	}
	p.next()
	return true
}

// isTypeName reports whether a qualified name or template-id in a declaration's specifiers is
// a type's.
func (p *parser) isTypeName(n *ast.Name, r ref, c context) bool {
	last := n.Last
	if last.Kind != ast.Identifier {
		return false
	}
	if p.w == cpp.LParen && c <= inBlock && len(n.Quals) > 0 && n.Quals[len(n.Quals)-1].Ident == last.Ident && !last.HasArgs {
		return false // A::A(...), a constructor
	}
	if r.isType() {
		if c == inClass && p.w == cpp.LParen && p.class != nil && last.Ident == p.class.name && p.isConstructorAt(p.i) {
			return false
		}
		return true
	}
	if r.kind&isType != 0 && p.k == cpp.Ident {
		return true
	}
	if r.kind != 0 && r.kind != isParam {
		return r.kind == isTemplate
	}
	if c >= inParam {
		return true
	}
	switch p.w {
	case cpp.Star, cpp.Amp, cpp.AmpAmp, cpp.KwConst, cpp.KwVolatile, cpp.KwOperator, cpp.ColonColon:
		return true
	case cpp.LParen:
		return p.word(1) == cpp.Star && c != inBlock
	}
	return p.k == cpp.Ident || flagWords[p.w] || p.w == cpp.KwAttribute
}

// isConstructor reports whether the identifier at the cursor, which is followed by a
// parenthesis, is that of a constructor of the present class.
func (p *parser) isConstructor(text string) bool {
	return p.class != nil && p.class.name == text && p.isConstructorAt(p.i+1)
}

// isConstructorAt reports whether the parenthesis at token i begins parameters.
func (p *parser) isConstructorAt(i int) bool {
	switch p.toks[i+1].Word {
	case cpp.Star, cpp.Amp, cpp.LParen:
		return false
	}
	end := p.partner(i)
	if end < 0 {
		return true
	}
	switch p.toks[end+1].Word {
	case cpp.LParen, cpp.LBracket: // T (f)(int)
		return p.toks[i+1].Word == cpp.RParen
	}
	return true
}

// isGuide reports whether Name(...) at the cursor is followed by ->.
func (p *parser) isGuide() bool {
	end := p.partner(p.i + 1)
	return end > 0 && p.toks[end+1].Word == cpp.Arrow
}

// skipParens moves past a bracket and what is in it.
func (p *parser) skipParens() {
	end := p.partner(p.i)
	if end < 0 {
		t := p.tok().Text()
		p.fail(CodeExpected, "expected a closing bracket for this '"+t+"'")
		return
	}
	p.seek(int(end) + 1)
}
