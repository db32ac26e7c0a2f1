package syntax

import (
	"slices"
	"strings"

	"irgl/internal/cpp"
)

// attrNames are the qualifiers in the order in which they are printed.
var attrNames = []struct {
	attr Attrs
	name string
}{
	{Output, "Output"}, {ExternC, `extern "C"`}, {Extern, "extern"}, {Static, "static"}, {Global, "__global__"}, {Device, "__device__"},
	{HostAttr, "__host__"}, {Shared, "__shared__"}, {Constant, "__constant__"}, {Managed, "__managed__"},
	{ForceInline, "__forceinline__"}, {NoInline, "__noinline__"}, {Inline, "inline"},
}

func (p *printer) attrs(a Attrs) {
	if a.Has(ExternC | Extern) {
		a &^= Extern // extern "C" says both
	}
	for _, n := range attrNames {
		if a.Has(n.attr) {
			p.str(n.name + " ")
		}
	}
}

// decl prints one declaration without the end of its line.
//
//irgl:allnodes Decl
func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *GraphDecl:
		p.graph(d)
	case *MeshDecl:
		p.mesh(d)
	case *NamesDecl:
		p.foreign(d)
	case *CBlock:
		p.cBlock(d)
	case *DefineDecl:
		p.str("#define " + d.Name.Name + " ")
		p.flat = true
		p.expr(d.Value, precComma)
		p.flat = false
	case *VarDecls:
		p.fileVars(d)
	case *TypeDecl:
		p.typeDecl(d)
	case *FuncDecl:
		p.funcDecl(d)
	}
}

// fileVars prints variables at file level. extern "C" before a single
// declaration makes it extern, so that a definition stands in braces.
func (p *printer) fileVars(d *VarDecls) {
	if !d.Attrs.Has(ExternC) || d.Attrs.Has(Extern) {
		p.varDecls(d)
		p.str(";")
		return
	}
	p.str(`extern "C" { `)
	p.varDecls(&VarDecls{Attrs: d.Attrs &^ ExternC, Align: d.Align, Vars: d.Vars})
	p.str("; }")
}

func (p *printer) typeDecl(d *TypeDecl) {
	if d.Name != nil {
		p.str("typedef ")
		p.typed(d.Type, d.Name.Name)
	} else {
		p.typeName(d.Type)
	}
	p.str(";")
}

// graph prints the members in the order of their positions, or Requires,
// properties and Racy for a graph that was not parsed.
func (p *printer) graph(g *GraphDecl) {
	p.str("Graph " + g.Name.Name + " {")
	p.members(g.Requires, g.Props, g.Racy, Span{g.Name.End(), g.End()})
}

func (p *printer) mesh(m *MeshDecl) {
	p.str("Mesh " + m.Name.Name + " {")
	p.members(m.Requires, m.Props, m.Racy, Span{m.Name.End(), m.End()})
}

// A member is one line of a Graph or a Mesh.
type member struct {
	span  Span
	print func()
}

// members prints what a Graph or a Mesh requires, its properties and declared
// races in braces, in the order of their positions.
func (p *printer) members(requires []*Ident, props []*PropDecl, racy []*RacyDecl, span Span) {
	var list []member
	if len(requires) > 0 {
		span := Span{requires[0].From, requires[len(requires)-1].To}
		list = append(list, member{span, func() {
			p.str("Requires ")
			for i, r := range requires {
				if i > 0 {
					p.str(", ")
				}
				p.str(r.Name)
			}
			p.str(";")
		}})
	}
	for _, prop := range props {
		list = append(list, member{prop.Span, func() { p.prop(prop) }})
	}
	for _, r := range racy {
		list = append(list, member{r.Span, func() { p.racy(r) }})
	}
	slices.SortStableFunc(list, func(a, b member) int { return int(a.span.From.Offset) - int(b.span.From.Offset) })
	p.braces(span.From, span.To, len(list), func(i int) Span { return list[i].span }, func(i int) { list[i].print() })
}

// names prints a list of names in parentheses after a word, nothing for an
// empty one.
func (p *printer) names(word string, list []*Ident) {
	for i, n := range list {
		if i == 0 {
			p.str(" " + word + " (")
		} else {
			p.str(", ")
		}
		p.str(n.Name)
	}
	if len(list) > 0 {
		p.str(")")
	}
}

// cBlock prints the statement in IrGL, and its text in CUDA.
func (p *printer) cBlock(b *CBlock) {
	if p.dialect == CUDA {
		p.str(b.Text)
		return
	}
	p.str("CBlock " + cpp.Quote(b.Text))
	p.names("Reads", b.Reads)
	p.names("Writes", b.Writes)
	p.str(";")
}

func (p *printer) prop(d *PropDecl) {
	if d.Output {
		p.str("Output ")
	}
	p.str(d.Of.String() + " ")
	p.typed(d.Type, d.Name.Name)
	if d.Init != nil {
		p.str(" = ")
		p.expr(d.Init, precAssign)
	}
	p.str(";")
}

func (p *printer) racy(d *RacyDecl) {
	p.str("Racy " + d.Name.Name + " " + cpp.Quote(d.Reason) + ";")
}

// bounds prints a word such as __launch_bounds__, its values and a blank, if there
// are any.
func (p *printer) bounds(word string, list []Expr) {
	if len(list) > 0 {
		p.str(word + "(")
		p.exprList(list)
		p.str(") ")
	}
}

// foreign prints the names of the C text, which a CUDA text knows already.
func (p *printer) foreign(d *NamesDecl) {
	for i, n := range d.Names {
		if p.dialect == CUDA {
			break
		}
		if i == 0 {
			p.str("Names ")
		} else {
			p.str(", ")
		}
		p.str(n.Name)
	}
	if p.dialect != CUDA {
		p.str(";")
	}
}

func (p *printer) funcDecl(f *FuncDecl) {
	switch f.Kind {
	case KernelFunc:
		p.str("Kernel ")
		p.bounds("__launch_bounds__", f.Bounds)
		p.str(f.Name.Name)
		p.params(f.Params)
	case HostFunc:
		p.str("Host " + f.Name.Name)
		p.params(f.Params)
	default:
		p.attrs(f.Attrs)
		bounds := ""
		if len(f.Bounds) > 0 || len(f.Cluster) > 0 {
			bounds = p.render(func() {
				p.bounds("__cluster_dims__", f.Cluster)
				p.bounds("__launch_bounds__", f.Bounds)
			})
		}
		result := f.Result
		if result == nil {
			result = &BasicType{Name: "void"}
		}
		p.str(bounds)
		p.typed(result, f.Name.Name+p.render(func() { p.params(f.Params) }))
	}
	if f.Body == nil {
		p.str(";")
		return
	}
	p.str(" ")
	p.block(f.Body)
}

func (p *printer) params(params []*Param) {
	p.str("(")
	for i, param := range params {
		if i > 0 {
			p.str(", ")
		}
		p.param(param)
	}
	p.str(")")
}

func (p *printer) param(param *Param) {
	name := ""
	if param.Name != nil {
		name = param.Name.Name
	}
	if param.Type == nil {
		p.str(name)
	} else {
		p.typed(param.Type, name)
	}
	if param.Default != nil {
		p.str(" = ")
		p.expr(param.Default, precAssign)
	}
}

// varDecls prints the variables of one declaration. Those with another base
// type than the first, which only the compiler makes, get a declaration of
// their own.
func (p *printer) varDecls(d *VarDecls) {
	p.declHead(d)
	for i, v := range d.Vars {
		switch {
		case i == 0:
			p.typed(v.Type, fieldName(v))
		case Equal(baseType(v.Type), baseType(d.Vars[0].Type)):
			p.str(", " + p.declaratorText(v.Type, fieldName(v)))
		default:
			p.str("; ")
			p.declHead(d)
			p.typed(v.Type, fieldName(v))
		}
		p.bits(v.Type)
		if v.Init != nil {
			p.str(" = ")
			p.expr(v.Init, precAssign)
		}
	}
}

func (p *printer) declHead(d *VarDecls) {
	p.attrs(d.Attrs)
	p.align(d.Align)
}

func (p *printer) align(x Expr) {
	if x != nil {
		p.str("__align__(")
		p.expr(x, precAssign)
		p.str(") ")
	}
}

// baseType returns the type inside all pointers, arrays and functions.
func baseType(t TypeExpr) TypeExpr {
	for {
		switch x := t.(type) {
		case *PointerType:
			t = x.Elem
		case *ArrayType:
			t = x.Elem
		case *FuncType:
			t = x.Result
		case *BitsType:
			t = x.Elem
		default:
			return t
		}
	}
}

// typeName prints a type without a declared name.
func (p *printer) typeName(t TypeExpr) { p.typed(t, "") }

// typed prints the declaration of name with type t.
func (p *printer) typed(t TypeExpr, name string) {
	p.specifier(baseType(t))
	if d := p.declaratorText(t, name); d != "" {
		p.str(" " + d)
	}
}

// declaratorText returns name inside the pointers, arrays and functions of t:
// a type is built from the inside out, its text from the outside in.
func (p *printer) declaratorText(t TypeExpr, name string) string {
	for {
		switch x := t.(type) {
		case *PointerType:
			quals := ""
			for _, q := range []struct {
				on   bool
				name string
			}{{x.Const, "const"}, {x.Volatile, "volatile"}, {x.Restrict, "__restrict__"}} {
				if q.on {
					quals += " " + q.name
				}
			}
			quals = strings.TrimPrefix(quals, " ")
			if quals != "" && name != "" {
				quals += " "
			}
			name = "*" + quals + name
			switch x.Elem.(type) {
			case *ArrayType, *FuncType:
				name = "(" + name + ")"
			}
			t = x.Elem
		case *ArrayType:
			name += "[" + p.render(func() {
				if x.Len != nil {
					p.expr(x.Len, precAssign)
				}
			}) + "]"
			t = x.Elem
		case *FuncType:
			name += p.render(func() { p.params(x.Params) })
			t = x.Result
		case *BitsType:
			t = x.Elem
		default:
			return name
		}
	}
}

// specifier prints a type that is not a pointer, array or function.
func (p *printer) specifier(t TypeExpr) {
	switch t := t.(type) {
	case *BasicType:
		p.str(t.Name)
	case *NamedType:
		p.str(t.Name)
	case *QualType:
		if t.Const {
			p.str("const ")
		}
		if t.Volatile {
			p.str("volatile ")
		}
		p.specifier(t.Elem)
	case *TagType:
		p.tagType(t)
	case nil:
		p.str("void")
	default:
		p.typeName(t) // a qualified pointer, which only the compiler makes
	}
}

func (p *printer) tagType(t *TagType) {
	p.str(tagWords[t.Kind])
	if t.Align != nil {
		p.str(" ")
		p.align(t.Align)
		p.trimSpace()
	}
	if t.Tag != nil {
		p.str(" " + t.Tag.Name)
	}
	if !t.Defined {
		return
	}
	p.str(" {")
	open := t.Pos()
	if t.Tag != nil {
		open = t.Tag.End()
	}
	if t.Kind == EnumTag {
		last := len(t.Enums) - 1
		p.braces(open, t.End(), len(t.Enums), func(i int) Span { return t.Enums[i].Span }, func(i int) {
			p.enumConst(t.Enums[i])
			if i < last {
				p.str(",")
			}
		})
		return
	}
	groups := fieldGroups(t.Fields)
	p.braces(open, t.End(), len(groups), func(i int) Span {
		g := groups[i]
		return Span{g[0].From, g[len(g)-1].To}
	}, func(i int) {
		p.varDecls(&VarDecls{Vars: groups[i]})
		p.str(";")
	})
}

func (p *printer) enumConst(c *EnumConst) {
	p.str(c.Name.Name)
	if c.Value != nil {
		p.str(" = ")
		p.expr(c.Value, precAssign)
	}
}

// fieldGroups puts the fields of one struct type that is defined in place
// together, and every other field by itself.
func fieldGroups(fields []*VarDecl) [][]*VarDecl {
	var groups [][]*VarDecl
	for i, f := range fields {
		if i > 0 {
			tag, ok := baseType(f.Type).(*TagType)
			if ok && tag.Defined && baseType(fields[i-1].Type) == TypeExpr(tag) {
				groups[len(groups)-1] = append(groups[len(groups)-1], f)
				continue
			}
		}
		groups = append(groups, []*VarDecl{f})
	}
	return groups
}

// isLong reports whether a declaration takes several lines, so that blank
// lines set it off.
func isLong(d Decl) bool {
	switch d := d.(type) {
	case *GraphDecl:
		return true
	case *FuncDecl:
		return d.Body != nil
	case *TypeDecl:
		tag, ok := baseType(d.Type).(*TagType)
		return ok && tag.Defined
	}
	return false
}
