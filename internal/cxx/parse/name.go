package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// A mode says where a name is.
type mode uint8

const (
	inExpr     mode = 1 << iota // an expression
	inType                      // where a type is needed
	inDecl                      // a declarator's name
	inMember                    // after . or ->
	generous                    // a name that is not known and followed by < is a template
	mayDeclare                  // a declaration's specifier or an expression: a name may follow
	dependent                   // qualified by a template's parameter: not a template unless the keyword says so
)

// A ref is what a name refers to; its kind is 0 for one that is not known or depends on a
// template's parameter.
type ref struct {
	kind  kind
	scope *scope
}

func (r ref) isType() bool  { return r.kind&isType != 0 && r.kind&isValue == 0 }
func (r ref) isValue() bool { return r.kind&isValue != 0 }

// resolve returns what an unqualified identifier refers to.
func (p *parser) resolve(t *cpp.Token) ref { return p.refTo(p.identOf(t.Text(), t.Name)) }

func (p *parser) refTo(id *ident) ref {
	if y := p.lookup(id); y != nil {
		return ref{y.kind, y.scope}
	}
	return ref{}
}

// ident moves past an identifier.
func (p *parser) ident() *ast.Ident {
	if p.k != cpp.Ident {
		p.fail(CodeName, "expected identifier")
		return &ast.Ident{}
	}
	t := p.tok()
	id := p.slabs.words.New()
	id.Span, id.Name, id.Number = ast.Range(t.Pos(), t.End()), t.Text(), t.Name
	p.next()
	return id
}

// plain returns the current identifier as a name and moves past it.
func (p *parser) plain() *ast.Name {
	x := p.slabs.plain.New()
	p.fill(&x.name, &x.seg)
	return &x.name
}

// fill makes a name of the current identifier and moves past it.
func (p *parser) fill(n *ast.Name, seg *ast.Segment) {
	t := p.tok()
	at := ast.Range(t.Pos(), t.End())
	seg.Span, seg.Ident = at, t.Text()
	n.Span, n.Last, n.Number = at, seg, t.Name
	p.next()
}

// name reads a name with what qualifies it.
func (p *parser) name(m mode) (*ast.Name, ref) {
	if p.k == cpp.Ident {
		if w := p.word(1); w != cpp.ColonColon && w != cpp.Less && m&inMember == 0 {
			r := p.resolve(p.tok())
			return p.plain(), r
		}
	}
	from := p.pos()
	n := p.slabs.paths.New()
	var r ref
	var in *scope
	qualified := false
	switch {
	case p.w == cpp.ColonColon:
		p.next()
		n.Global, in, qualified = true, p.global, true
	case p.w == cpp.KwDecltype:
		n.Decltype = p.decltype()
		p.expect(cpp.ColonColon)
		qualified = true
	}
	for !p.failed {
		var seg *ast.Segment
		seg, r = p.segment(m, in, qualified)
		if p.w == cpp.ColonColon && p.word(1) != cpp.Star && seg.Kind == ast.Identifier {
			p.next()
			n.Quals = append(n.Quals, seg)
			in, qualified = r.scope, true
			m &^= inMember
			if r.kind&isParam != 0 {
				m |= dependent
			}
			continue
		}
		n.Last = seg
		break
	}
	if n.Last == nil {
		n.Last = &ast.Segment{}
	}
	n.Span = p.since(from)
	if m&inDecl != 0 && in != nil && len(n.Quals)+btoi(n.Global) > 0 {
		r.scope = in // the scope that the declarator's name is a member of
	}
	return n, r
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// segment reads one part of a name, which is looked up in the scope in if it is qualified.
func (p *parser) segment(m mode, in *scope, qualified bool) (*ast.Segment, ref) {
	seg := p.slabs.segments.New()
	from := p.pos()
	if qualified || m&inMember != 0 {
		seg.Template = p.accept(cpp.KwTemplate)
	}
	var r ref
	switch {
	case p.k == cpp.Ident:
		t := p.tok()
		seg.Ident = t.Text()
		var y *sym
		switch id := p.identOf(t.Text(), t.Name); {
		case !qualified && m&inMember == 0:
			y = p.lookup(id)
		case in != nil:
			y = p.find(in, id)
		}
		if y != nil {
			r = ref{y.kind, y.scope}
		}
		p.next()
		if p.w == cpp.Less && p.hasArgs(m, y, seg) {
			seg.HasArgs = true
			if seg.Args == nil {
				seg.Args = p.templateArgs()
			}
		}
	case p.w == cpp.Tilde && (qualified || m&(inMember|inDecl) != 0):
		p.next()
		seg.Kind = ast.DestructorName
		switch {
		case p.w == cpp.KwDecltype:
			seg.Type = p.decltype()
		case p.k == cpp.Ident:
			seg.Ident = p.tok().Text()
			y := p.lookup(p.intern(seg.Ident))
			p.next()
			if p.w == cpp.Less && (y == nil || y.kind&isTemplate != 0) {
				seg.HasArgs = true
				seg.Args = p.templateArgs()
			}
		default:
			p.fail(CodeName, "expected a class name after '~' to name a destructor")
		}
		r.kind = isValue | isFunc
	case p.w == cpp.KwOperator:
		p.operator(seg, in)
		r.kind = isValue | isFunc
	default:
		if m&inType != 0 {
			p.fail(CodeType, "expected a type")
		} else {
			p.fail(CodeName, "expected unqualified-id")
		}
	}
	seg.Span = p.since(from)
	return seg, r
}

// hasArgs reports whether the < at the cursor begins the template arguments of a name whose
// declaration is y, or nil. Arguments that were read to tell are in seg.Args.
func (p *parser) hasArgs(m mode, y *sym, seg *ast.Segment) bool {
	switch {
	case seg.Template:
		return true
	case y != nil && y.kind&isTemplate != 0:
		return true
	case y != nil && y.kind&isValue != 0:
		return false
	case m&(inType|inDecl|generous) != 0:
		return true
	case y != nil:
		return false
	}
	if m&inMember != 0 {
		if id := p.known(seg.Ident); id != nil && id.kinds != 0 && id.kinds&isTemplate == 0 {
			return false
		}
	}
	return p.tryArgs(m, seg)
}

// tryArgs reads the template arguments of a name that is not known, if they look like that.
func (p *parser) tryArgs(m mode, seg *ast.Segment) bool {
	if p.noTmpl[p.i] {
		return false
	}
	at := p.i
	mk := p.try()
	args := p.templateArgs()
	if !p.failed && !p.afterArgs(m, args) {
		p.fail(CodeTemplate, "")
	}
	if p.commit(mk) {
		seg.Args = args
		return true
	}
	p.refuse(at)
	return false
}

// refuse notes that the token < at begins no template arguments: no text is tried twice.
func (p *parser) refuse(at int) {
	if p.noTmpl == nil {
		p.noTmpl = map[int]bool{}
	}
	p.noTmpl[at] = true
}

// afterArgs reports whether the current token may follow the template arguments of a name
// that is not known.
func (p *parser) afterArgs(m mode, args []*ast.TemplateArg) bool {
	if certain(args) {
		return true
	}
	if m&dependent != 0 {
		return false
	}
	switch p.w {
	case cpp.ColonColon, cpp.LBrace, cpp.TripleLess, cpp.RParen, cpp.Comma, cpp.Semi, cpp.Greater, cpp.GreaterGreater, cpp.RBrace,
		cpp.RBracket, cpp.Ellipsis, cpp.TripleGreater:
		return true
	case cpp.LParen:
		for _, a := range args {
			if a.Type == nil && !simple(a.Expr) {
				return false
			}
		}
		return true
	}
	return p.k == cpp.EOF || m&mayDeclare != 0 && (p.k == cpp.Ident || is(p.w, startsSpec) || p.w == cpp.Star || p.w == cpp.Amp || p.w == cpp.AmpAmp)
}

// certain reports whether one of the arguments can only be a type: then they are a template's.
func certain(args []*ast.TemplateArg) bool {
	for _, a := range args {
		if a.Type == nil {
			continue
		}
		n, ok := a.Type.(*ast.NamedType)
		if a.Expr == nil || ok && n.Name.Last.HasArgs && certain(n.Name.Last.Args) {
			return true
		}
	}
	return false
}

// simple reports whether a template argument is one that a comparison would not have as
// its operand.
func simple(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		switch precedence[x.Op] {
		case 9, 10, 11:
			return simple(x.X) && simple(x.Y)
		}
		return false
	case *ast.CondExpr:
		return false
	}
	return true
}

// operator reads what follows the keyword operator.
func (p *parser) operator(seg *ast.Segment, in *scope) {
	p.next()
	seg.Kind = ast.Operator
	switch w := p.w; {
	case w == cpp.LParen && p.word(1) == cpp.RParen:
		p.next()
		p.next()
		seg.Call = true
	case w == cpp.LBracket && p.word(1) == cpp.RBracket:
		p.next()
		p.next()
		seg.Index = true
	case w == cpp.KwNew || w == cpp.KwDelete:
		seg.Op = w
		p.next()
		if p.w == cpp.LBracket && p.word(1) == cpp.RBracket {
			p.next()
			p.next()
			seg.Array = true
		}
	case w == cpp.TripleLess: // operator<< <
		seg.Op = cpp.LessLess
		p.w, p.split = cpp.Less, 2
	case is(w, overloadable):
		if w == cpp.Amp && p.unit != nil {
			p.unit.OverloadsAmp = true
		}
		seg.Op = w
		p.next()
	case p.k == cpp.String:
		seg.Kind = ast.LiteralOperator
		text := p.tok().Text()
		p.next()
		if text == `""` {
			if seg.Ident = p.tok().Text(); p.tok().IsName() { // also a keyword, as if
				p.next()
			} else {
				p.fail(CodeName, "expected identifier")
			}
		} else if len(text) > 2 {
			seg.Ident = text[2:]
		}
	default:
		seg.Kind = ast.ConversionName
		saved := p.scope
		if in != nil {
			p.enterMember(in)
		}
		seg.Type = p.conversionType()
		p.scope = saved
		return
	}
	if p.w == cpp.Less && seg.Kind == ast.Operator {
		if p.tryArgs(inExpr, seg) {
			seg.HasArgs = true
		}
	}
}

// templateArgs reads <arguments>.
func (p *parser) templateArgs() []*ast.TemplateArg {
	open := p.i
	if p.tent > 0 && p.noTmpl[open] {
		p.fail(CodeTemplate, "")
		return nil
	}
	p.next()
	if !p.enter() {
		return nil
	}
	saved := p.noGT
	p.noGT = true
	args := []*ast.TemplateArg{}
	for !isGreater(p.w) && !p.failed {
		args = append(args, p.templateArg())
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.noGT = saved
	p.depth--
	if !p.greater() && !p.failed {
		d := p.expected("'>'")
		t := &p.toks[open]
		d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: t.Pos(), End: t.End(), Message: "to match this '<'"})
	}
	if p.failed && p.tent > 0 {
		p.refuse(open)
	}
	return args
}

// isGreater reports whether a word begins with >.
func isGreater(w cpp.Word) bool {
	switch w {
	case cpp.Greater, cpp.GreaterGreater, cpp.TripleGreater, cpp.GreaterEqual, cpp.GreaterGreaterEqual:
		return true
	}
	return false
}

// templateArg reads one argument of a template: a type where it may be one.
func (p *parser) templateArg() *ast.TemplateArg {
	a := &ast.TemplateArg{}
	from := p.pos()
	if p.mayBeType() {
		m := p.try()
		t := p.typeID()
		known := p.typeRef.isType()
		p.endOfArg(known)
		if !p.failed && !known && p.callArg(a, t, m.cursor) {
			t = nil
		}
		if p.commit(m) && t != nil {
			a.Type = t
			if n, ok := t.(*ast.NamedType); ok && !n.Typename && !known {
				a.Expr = &ast.NameExpr{Span: n.Span, Name: n.Name}
			}
		}
	}
	if a.Type == nil && a.Expr == nil {
		a.Expr = p.conditional()
	}
	a.Pack = p.accept(cpp.Ellipsis)
	a.Span = p.since(from)
	return a
}

// endOfArg fails where a template's argument does not end here; known says that it is a type.
func (p *parser) endOfArg(known bool) {
	switch p.w {
	case cpp.Comma, cpp.Ellipsis, cpp.Greater, cpp.GreaterGreater, cpp.TripleGreater:
	case cpp.GreaterEqual, cpp.GreaterGreaterEqual: // of a value, unless this is a type
		if !known {
			p.fail(CodeType, "")
		}
	default:
		p.fail(CodeType, "")
	}
}

// callArg reads the argument at from, which as a type is t, as the call f(x) or the element x[i] of a
// name that is not known. It returns false, and moves nothing, if it is neither.
func (p *parser) callArg(a *ast.TemplateArg, t ast.TypeExpr, from cursor) bool {
	switch t.(type) {
	case *ast.FuncType, *ast.ArrayType:
	default:
		return false
	}
	after := p.cursor
	p.cursor = from
	m := p.try()
	x := p.conditional()
	p.endOfArg(false)
	if !p.commit(m) {
		p.cursor = after
		return false
	}
	a.Expr = x
	return true
}

// mayBeType reports whether the current token may begin a type.
func (p *parser) mayBeType() bool {
	switch {
	case p.k == cpp.Ident:
		return !p.plainValue(p.tok()) || p.word(1) == cpp.ColonColon
	case p.w == cpp.ColonColon:
		return true
	}
	return is(p.w, startsType)
}
