package syntax

// A BitsType is the type of a bit-field, which only fields have. A field without a name
// is padding.
//
//	unsigned low : 3;
type BitsType struct {
	Span
	Elem  TypeExpr
	Width Expr
}

func (*BitsType) typeExpr()        {}
func (n *BitsType) visit(p places) { p.typ(&n.Elem); p.expr(&n.Width) }

// field parses one field of a line, which begins at the declarator; anonymous says that
// the line has a struct or union of which the members are fields.
func (p *parser) field(s specs, anonymous bool) *VarDecl {
	v := &VarDecl{}
	switch {
	case anonymous:
		v.Type = s.base
		return v
	case p.is(":"):
		v.Type = s.base
	default:
		d := p.declarator(true)
		if d.isFunc() {
			p.refuse("a member function", "write a function that takes a pointer to the struct")
		}
		v.Type, v.Name = d.apply(p, s, s.base), d.name
	}
	if p.is(":") {
		if p.dialect != CUDA {
			p.errorTok(CodeUnsupported, "bit-fields are not supported").Hint = "shift and mask"
			p.fail()
		}
		p.next()
		from := v.Type.Pos()
		width := p.assign()
		v.Type = &BitsType{p.span(from), v.Type, width}
	}
	return v
}

// isAnonymous reports whether a line of fields ends behind a struct or union without a tag.
func (p *parser) isAnonymous(s specs) bool {
	tag, ok := s.base.(*TagType)
	return ok && p.dialect == CUDA && p.is(";") && tag.Defined && tag.Tag == nil && tag.Kind != EnumTag
}

// bits prints the width of a bit-field.
func (p *printer) bits(t TypeExpr) {
	if b, ok := t.(*BitsType); ok {
		p.str(" : ")
		p.expr(b.Width, precAssign)
	}
}

// fieldName returns the name of a variable or field, "" for none.
func fieldName(v *VarDecl) string {
	if v.Name == nil {
		return ""
	}
	return v.Name.Name
}
