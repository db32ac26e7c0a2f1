package syntax

import (
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// specs are the specifiers that a declaration begins with.
type specs struct {
	from    source.Pos
	attrs   Attrs
	typedef bool
	cexpr   bool     // constexpr
	base    TypeExpr // nil when no type was given
	bounds  []Expr
	cluster []Expr
	align   Expr
}

// attrWords are the qualifiers that become a declaration's Attrs.
var attrWords = map[string]Attrs{
	"static": Static, "extern": Extern, "inline": Inline, "__inline__": Inline, "__inline": Inline,
	"__forceinline__": ForceInline, "__noinline__": NoInline, "__global__": Global, "__device__": Device,
	"__host__": HostAttr, "__shared__": Shared, "__constant__": Constant, "__managed__": Managed,
}

// specParser collects specifiers until there are no more.
type specParser struct {
	specs
	words           []string // type keywords
	wordPos         source.Pos
	isConst, isVola bool
}

// declSpecs parses the specifiers of a declaration. With unknown set, an
// unknown name that can only be meant as a type is reported and taken as one.
func (p *parser) declSpecs(unknown bool) specs {
	s := &specParser{}
	s.from = p.tok.Pos()
	for p.spec(s, unknown) {
	}
	if len(s.words) > 0 {
		s.base = p.basicType(s)
	}
	if (s.isConst || s.isVola) && s.base != nil {
		if q, ok := s.base.(*QualType); ok {
			q.Const, q.Volatile = q.Const || s.isConst, q.Volatile || s.isVola
		} else {
			s.base = &QualType{p.span(s.from), s.isConst, s.isVola, s.base}
		}
	}
	return s.specs
}

// spec parses one specifier and reports whether there was one.
func (p *parser) spec(s *specParser, unknown bool) bool {
	word := p.tok.Text()
	if p.tok.Kind == cpp.Ident {
		return p.namedSpec(s, unknown)
	}
	if p.tok.Kind != cpp.Keyword {
		return false
	}
	if attr, ok := attrWords[word]; ok {
		s.attrs |= attr
		p.next()
		return true
	}
	switch word {
	case "typedef":
		s.typedef = true
	case "const", "__const__":
		s.isConst = true
	case "constexpr":
		s.isConst, s.cexpr = true, true
	case "volatile", "__volatile__":
		s.isVola = true
	case "register", "__grid_constant__", "__extension__":
	case "auto":
		p.refuse("`auto`", "write the type")
	case "struct", "union", "enum":
		p.tagSpec(s)
		return true
	case "__launch_bounds__":
		s.bounds = p.launchBounds()
		return true
	case "__cluster_dims__":
		s.cluster = p.clusterDims()
		return true
	case "__align__", "__attribute__", "alignas", "_Alignas":
		if a := p.attribute(); a != nil {
			s.align = a
		}
		return true
	case "restrict", "__restrict__", "__restrict":
		p.errorTok(CodeSpecifiers, "`%s` cannot stand here", word)
		p.fail()
	default:
		if !isTypeWord(word) || s.base != nil {
			return false
		}
		s.words = append(s.words, word)
		s.wordPos = p.tok.End()
	}
	p.next()
	return true
}

// namedSpec takes a name as the type, if no type was seen yet.
func (p *parser) namedSpec(s *specParser, unknown bool) bool {
	if s.base != nil || len(s.words) > 0 {
		return false
	}
	if !p.isTypeName(p.tok) {
		next := p.peek(1)
		isType := next.Kind == cpp.Ident && !next.StartsLine() || p.peekIs(1, "*") && (p.peek(2).Kind == cpp.Ident || p.peekIs(2, "*"))
		if p.peekIs(1, "::") {
			p.next()
			p.refuse("a name with `::`", "write the plain name")
		}
		if !unknown || !isType {
			return false
		}
		p.unknownType()
	}
	s.base = &NamedType{Span{p.tok.Pos(), p.tok.End()}, p.tok.Text()}
	p.next()
	if p.is("<") {
		p.refuse("a template's arguments", "write the type that is needed")
	}
	return true
}

// unknownType reports the current name, once a file, and makes it a type.
func (p *parser) unknownType() {
	p.errorTok(CodeUnknownType, "unknown type %s", p.tok.Text())
	p.declareIn(0, p.tok.Text(), true)
}

// tagSpec parses a struct, union or enum as the type.
func (p *parser) tagSpec(s *specParser) {
	if s.base != nil || len(s.words) > 0 {
		p.errorTok(CodeSpecifiers, "`%s` cannot follow another type", p.tok.Text())
		p.fail()
	}
	s.base = p.tagType()
}

// baseOnly parses the type that T in T(x) is: one keyword or name.
func (p *parser) baseOnly() TypeExpr {
	s := &specParser{}
	s.from, s.wordPos = p.tok.Pos(), p.tok.End()
	var typ TypeExpr
	if p.tok.Kind == cpp.Keyword {
		s.words = []string{p.tok.Text()}
		typ = p.basicType(s)
	} else {
		typ = &NamedType{Span{p.tok.Pos(), p.tok.End()}, p.tok.Text()}
	}
	p.next()
	return typ
}

// basicTypes maps the type keywords, sorted as basicType counts them, to the
// canonical spelling.
var basicTypes = map[string]string{
	"void": "void", "bool": "bool", "char": "char", "signed char": "signed char", "unsigned char": "unsigned char",
	"short": "short", "signed short": "short", "unsigned short": "unsigned short", "": "int", "signed": "int", "unsigned": "unsigned int",
	"long": "long", "signed long": "long", "unsigned long": "unsigned long", "long long": "long long", "signed long long": "long long",
	"unsigned long long": "unsigned long long", "float": "float", "double": "double",
}

// basicType returns the type that a list of type keywords stands for.
func (p *parser) basicType(s *specParser) TypeExpr {
	span := Span{s.from, s.wordPos}
	var sign, kind []string
	ints := 0
	for _, w := range s.words {
		switch w {
		case "signed", "__signed__":
			sign = append(sign, "signed")
		case "unsigned":
			sign = append(sign, "unsigned")
		case "int":
			ints++
		case "_Bool":
			kind = append(kind, "bool")
		case "__int64":
			kind = append(kind, "long", "long")
		default:
			kind = append(kind, w)
		}
	}
	key := strings.TrimSpace(strings.Join(sign, " ") + " " + strings.Join(kind, " "))
	name, ok := basicTypes[key]
	plainInt := len(kind) == 0 || kind[0] == "short" || kind[0] == "long"
	if key == "double long" || key == "long double" {
		p.errorAt(span.From, span.To, CodeUnsupported, "long double is not supported").Hint = "use double"
		return &BasicType{span, "double"}
	}
	if !ok || ints > 1 || ints == 1 && !plainInt {
		p.errorAt(span.From, span.To, CodeSpecifiers, "`%s` is no type", strings.Join(s.words, " "))
		name = "int"
	}
	return &BasicType{span, name}
}

// attribute parses __align__(n), alignas(n) or __attribute__((...)). It
// returns the alignment, if it is one, and warns of other attributes.
func (p *parser) attribute() Expr {
	if !p.is("__attribute__") {
		p.next()
		p.expect("(", "before an alignment")
		if p.startsType(p.tok) {
			p.errorTok(CodeUnsupported, "an alignment is given as a number here")
			p.fail()
		}
		x := p.assign()
		p.expect(")", "after an alignment")
		return x
	}
	p.next()
	p.expect("(", "after __attribute__")
	p.expect("(", "after __attribute__(")
	var align Expr
	for !p.is(")") {
		name := p.tok.Text()
		if p.tok.Kind != cpp.Ident && p.tok.Kind != cpp.Keyword {
			p.errorTok(CodeExpected, "expected an attribute's name, found %s", describe(p.tok))
			p.fail()
		}
		known := name == "aligned" || name == "__aligned__"
		if !known {
			p.warnTok(CodeAttribute, "the attribute %s is ignored", name)
		}
		p.next()
		if p.is("(") {
			if args := p.args(); known && len(args) == 1 {
				align = args[0]
			}
		}
		if !p.is(")") {
			p.expect(",", "between attributes")
		}
	}
	p.next()
	p.expect(")", "after __attribute__((...)")
	return align
}

// tagType parses a struct, union or enum.
func (p *parser) tagType() TypeExpr {
	p.enter()
	defer p.leave()
	t := &TagType{}
	from := p.tok.Pos()
	switch p.tok.Text() {
	case "union":
		t.Kind = UnionTag
	case "enum":
		t.Kind = EnumTag
	}
	p.next()
	for p.is("__align__") || p.is("__attribute__") || p.is("alignas") {
		if a := p.attribute(); a != nil {
			t.Align = a
		}
	}
	if t.Kind == EnumTag && p.is("class") {
		p.refuse("enum class", "write enum")
	}
	if p.tok.Kind == cpp.Ident {
		t.Tag = p.ident("a tag")
		if _, declared := p.lookup(t.Tag.Name); !declared || p.is("{") {
			p.declare(t.Tag, true)
		}
	}
	if p.is(":") {
		p.refuse("a base class or underlying type", "make the base a field")
	}
	switch {
	case p.is("{"):
		t.Defined = true
		if t.Kind == EnumTag {
			p.enumBody(t)
		} else {
			p.structBody(t)
		}
	case t.Tag == nil:
		p.errorTok(CodeExpected, "expected a tag or `{` after %s, found %s", tagWords[t.Kind], describe(p.tok))
		p.fail()
	}
	for p.is("__attribute__") {
		if a := p.attribute(); a != nil {
			t.Align = a
		}
	}
	t.Span = p.span(from)
	return t
}

var tagWords = [...]string{"struct", "union", "enum"}

// enumBody parses {A, B = 2}.
func (p *parser) enumBody(t *TagType) {
	p.next()
	for !p.is("}") {
		from := p.tok.Pos()
		c := &EnumConst{Name: p.ident("an enumerator")}
		p.declare(c.Name, false)
		if p.got("=") {
			c.Value = p.assign()
		}
		c.Span = p.span(from)
		t.Enums = append(t.Enums, c)
		if !p.is("}") {
			p.expect(",", "or `}` after an enumerator")
		}
	}
	p.next()
}

// structBody parses the fields of a struct or union.
func (p *parser) structBody(t *TagType) {
	open := p.tok
	p.next()
	for !p.is("}") && p.tok.Kind != cpp.EOF && !p.startsFunction() {
		start := p.i
		ok := p.try(func() { t.Fields = append(t.Fields, p.fields()...) })
		if !ok {
			p.syncStmt(start)
			if p.is("{") {
				p.skipBraces()
				p.got(";")
			}
		}
		if p.i == start {
			p.next()
		}
	}
	p.closeBrace(open)
}

// fields parses one line of fields.
func (p *parser) fields() []*VarDecl {
	if p.is("~") || p.tok.Kind == cpp.Ident && p.peekIs(1, "(") {
		p.refuse("a constructor or destructor", "write a function")
	}
	if (p.is("public") || p.is("private") || p.is("protected")) && p.peekIs(1, ":") {
		p.errorHint(CodeCxx, "leave it out", "`%s:` is C++", p.tok.Text())
		p.next()
		p.next()
		return nil
	}
	if p.is("template") || p.is("using") || p.is("operator") {
		p.refuse("`"+p.tok.Text()+"`", "")
	}
	s := p.declSpecs(true)
	if s.base == nil {
		p.errorTok(CodeDecl, "expected a field, found %s", describe(p.tok))
		p.fail()
	}
	anonymous := p.isAnonymous(s)
	if p.is(";") && !anonymous {
		p.errorTok(CodeUnsupported, "a field without a name is not C99").Hint = "give it a name"
		p.fail()
	}
	var out []*VarDecl
	for {
		from := p.tok.Pos()
		if len(out) == 0 {
			from = s.from
		}
		v := p.field(s, anonymous)
		if p.is("=") || p.is("{") {
			p.refuse("a field with a default value", "set it where the struct is made")
		}
		v.Span = p.span(from)
		out = append(out, v)
		if !p.got(",") {
			break
		}
	}
	if !p.got(";") {
		p.missing(";", "after a field")
		p.fail()
	}
	return out
}

// launchBounds parses __launch_bounds__(threads, blocks).
func (p *parser) launchBounds() []Expr {
	p.next()
	bounds := p.args()
	if len(bounds) == 0 || len(bounds) > 2 {
		p.errorTok(CodeExpected, "__launch_bounds__ takes the number of threads, and perhaps of blocks")
	}
	return bounds
}

// clusterDims parses __cluster_dims__(x, y, z).
func (p *parser) clusterDims() []Expr {
	p.next()
	dims := p.args()
	if len(dims) == 0 || len(dims) > 3 {
		p.errorTok(CodeExpected, "__cluster_dims__ takes the blocks of a cluster along x, and perhaps y and z")
	}
	return dims
}
