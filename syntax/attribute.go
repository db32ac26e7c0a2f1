package syntax

import (
	"strconv"
	"strings"

	"irgl/internal/cpp"
)

// An Attribute is a remark in C++'s notation about the statement, or the Host
// function, that it is in front of. Several may be:
//
//	[[np(gr 4096, wp)]] [[batch(4)]] ForAll (e In n.edges) { ... }
//
// The tree has them beside its nodes ([File.Attributes]): a statement is the same
// with and without. Package plan says which attributes there are and what they mean.
type Attribute struct {
	Span
	Name *Ident
	Args []*AttributeArg // nil for none
}

// An AttributeArg is one argument of an attribute: a name, a name with a number, or
// a number.
type AttributeArg struct {
	Span
	Word   string // "" for none
	Number int    // -1 for none
}

func (n *Attribute) visit(p places) { one(p, &n.Name); each(p, n.Args) }
func (*AttributeArg) visit(places)  {}

// String returns the attribute as the text has it, in its brackets.
func (a *Attribute) String() string {
	var b strings.Builder
	b.WriteString("[[" + a.Name.Name)
	for i, arg := range a.Args {
		b.WriteString([...]string{"(", ", "}[min(i, 1)] + arg.String())
	}
	if len(a.Args) > 0 {
		b.WriteString(")")
	}
	b.WriteString("]]")
	return b.String()
}

// String returns the argument as the text has it.
func (a *AttributeArg) String() string {
	switch {
	case a.Number < 0:
		return a.Word
	case a.Word == "":
		return strconv.Itoa(a.Number)
	}
	return a.Word + " " + strconv.Itoa(a.Number)
}

// isAttribute reports whether attributes begin at the token n after the current one.
// In C++ two brackets begin nothing else.
func (p *parser) isAttribute(n int) bool {
	return p.dialect == IrGL && p.peekIs(n, "[") && p.peekIs(n+1, "[") && p.peek(n+1).Glued()
}

// attributes parses the attributes in front of a statement or a function; nil for none.
func (p *parser) attributes() []*Attribute {
	var out []*Attribute
	for p.isAttribute(0) {
		p.next()
		p.next()
		for {
			out = append(out, p.attribute1())
			if !p.got(",") {
				break
			}
		}
		p.expect("]", "after an attribute")
		p.expect("]", "after an attribute")
	}
	return out
}

func (p *parser) attribute1() *Attribute {
	from := p.tok.Pos()
	a := &Attribute{Name: p.ident("an attribute's name")}
	if p.got("(") {
		for more := !p.is(")"); more; {
			a.Args = append(a.Args, p.attributeArg())
			if more = !p.is(")"); more {
				p.expect(",", "or `)` after an argument")
			}
		}
		p.next()
	}
	a.Span = p.span(from)
	return a
}

func (p *parser) attributeArg() *AttributeArg {
	from := p.tok.Pos()
	arg := &AttributeArg{Number: -1}
	if p.tok.Kind != cpp.Number {
		arg.Word = p.ident("a name or a number").Name
	}
	if p.tok.Kind == cpp.Number {
		n, err := strconv.ParseInt(p.tok.Text(), 10, 32)
		if err != nil {
			p.errorHint(CodeNumber, "write a decimal integer up to 2147483647", "%s is no number of an attribute", describe(p.tok))
			p.fail()
		}
		arg.Number = int(n)
		p.next()
	}
	arg.Span = p.span(from)
	return arg
}

// attributed parses what stands behind attributes, which parse gives, and notes that
// they are about it.
func (p *parser) attributed(what string, parse func() []Node) {
	list := p.attributes()
	if p.is("}") || p.tok.Kind == cpp.EOF || p.startsFunction() && what == "a statement" {
		p.errorTok(CodeExpected, "expected %s after an attribute, found %s", what, describe(p.tok))
		p.fail()
	}
	errors := p.errors
	out := parse()
	one := len(out) == 1
	if one && what == "a function" {
		_, one = out[0].(*FuncDecl)
	}
	switch {
	case len(list) == 0 || p.errors > errors:
	case !one:
		p.lastErr = -1
		p.errorAt(list[0].Pos(), list[0].End(), CodeExpected, "expected %s after the attribute %s", what, list[0])
	default:
		if p.attrs == nil {
			p.attrs = map[Node][]*Attribute{}
		}
		p.attrs[out[0]] = list
	}
}

// afterAttributes returns how many tokens ahead what attributes are about begins.
func (p *parser) afterAttributes() int {
	n := 0
	for p.isAttribute(n) {
		for n += 2; !p.peekIs(n, "]") || !p.peekIs(n+1, "]"); n++ {
			if t := p.peek(n); t.Kind == cpp.EOF || t.StartsLine() {
				return 0
			}
		}
		n += 2
	}
	return n
}

// attributesOf prints the attributes of a node in front of it.
func (p *printer) attributesOf(n Node) {
	list := p.attributes[n]
	for _, a := range list {
		p.str(a.String())
		p.mark(a.End())
		p.str(" ")
	}
	if s, ok := n.(*ForStmt); ok && s.Unroll != 0 && len(list) > 0 { // a directive has its own line
		p.trimSpace()
		p.begin(s.Pragma.From, false)
	}
}

// Text returns n, a node of the file, as [String] does, with the attributes of what is in it.
func (f *File) Text(n Node) string {
	p := &printer{lineStart: true, attributes: f.Attributes}
	p.node(n)
	return p.buf.String()
}

// equalAttributes compares the attributes of two trees that are the same otherwise.
func equalAttributes(a, b *File) bool {
	if a == nil || b == nil || len(a.Attributes)+len(b.Attributes) == 0 {
		return true // neither has any
	}
	nodes := func(f *File) (out [][]*Attribute) {
		for n := range Preorder(f) {
			out = append(out, f.Attributes[n])
		}
		return out
	}
	x, y := nodes(a), nodes(b)
	for i := range x {
		if len(x[i]) != len(y[i]) {
			return false
		}
		for k := range x[i] {
			if x[i][k].String() != y[i][k].String() {
				return false
			}
		}
	}
	return true
}
