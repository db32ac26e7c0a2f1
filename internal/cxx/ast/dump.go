package ast

import (
	"io"
	"strings"
)

// Dump writes a tree, a declaration or statement a line, its parts indented below it.
// Types are as in C++ but read from left to right, expressions are in prefix notation. Bodies
// of functions are read for it if bodies is true.
//
//	func k __global__ void(int* p)
//	  (= ([] p 0) (+ a 1))
func Dump(w io.Writer, u *Unit, bodies bool) {
	d := &dumper{bodies: bodies, written: map[Decl]bool{}}
	for _, x := range u.Decls {
		d.decl(x)
	}
	io.WriteString(w, d.b.String())
}

// A dumper writes lines.
type dumper struct {
	b       strings.Builder
	depth   int
	bodies  bool
	lambdas []*LambdaExpr // of the line being written
	written map[Decl]bool // classes and enumerations of declarators
}

// line writes one line of the words that are not empty, and then the lambdas in it.
func (d *dumper) line(words ...string) {
	for range d.depth {
		d.b.WriteString("  ")
	}
	first := true
	for _, s := range words {
		if s == "" {
			continue
		}
		if !first {
			d.b.WriteByte(' ')
		}
		first = false
		d.b.WriteString(s)
	}
	d.b.WriteByte('\n')
	lambdas := d.lambdas
	d.lambdas = nil
	for _, l := range lambdas {
		if l.Body != nil {
			d.in(func() { d.line("lambda body"); d.body(l.Body) })
		}
	}
}

// in writes with f, indented.
func (d *dumper) in(f func()) {
	d.depth++
	f()
	d.depth--
}

func (d *dumper) decls(list []Decl) {
	d.in(func() {
		for _, x := range list {
			d.decl(x)
		}
	})
}

// decl writes a declaration.
func (d *dumper) decl(x Decl) {
	switch x := x.(type) {
	case nil:
		d.line("nil")
	case *NamespaceDecl:
		d.line(flag(x.Inline, "inline"), "namespace", idents(x.Names, "::"))
		d.decls(x.Decls)
	case *NamespaceAlias:
		d.line("namespace", x.Name.Name, "=", x.To.String())
	case *UsingDirective:
		d.line("using namespace", x.Name.String())
	case *UsingDecl:
		d.line("using", flag(x.Typename, "typename"), x.Name.String()+flag(x.Pack, "..."))
	case *AliasDecl:
		d.line("alias", x.Name.Name, "=", d.typ(x.Type))
		d.inner(x.Type)
	case *LinkageDecl:
		d.line("extern", `"`+x.Lang+`"`)
		d.decls(x.Decls)
	case *StaticAssertDecl:
		d.line("static_assert", d.expr(x.Cond), quoted(x.Message))
	case *ClassDecl:
		d.class(x)
	case *AccessDecl:
		d.line(x.Access.String() + ":")
	case *EnumDecl:
		d.enum(x)
	case *FuncDecl:
		d.function(x)
	case *VarDecl:
		d.line("var", d.variable(x))
		d.inner(x.Type)
	case *TemplateDecl:
		d.line("template", d.params(x.Params))
		d.decls([]Decl{x.Decl})
	case *InstantiationDecl:
		d.line(flag(x.Extern, "extern"), "instantiate")
		d.decls([]Decl{x.Decl})
	case *FriendDecl:
		d.line("friend", d.typ(x.Type))
		if x.Decl != nil {
			d.decls([]Decl{x.Decl})
		}
	case *DeductionGuide:
		d.line("guide", x.Name.String(), d.parameters(x.Params, false), "->", d.typ(x.Type))
	case *OpaqueDecl:
		d.line("opaque", strings.Join(x.Names, " "))
		for _, e := range x.Diags {
			d.in(func() { d.line("because", e.Message) })
		}
	case *EmptyDecl:
		d.line("empty")
	case *AsmDecl:
		d.line("asm")
	}
}

// inner writes the class or enumeration that a declaration's type defines.
func (d *dumper) inner(t TypeExpr) {
	switch t := t.(type) {
	case *ClassType:
		d.once(t.Decl, t.Decl.Defined)
	case *EnumType:
		d.once(t.Decl, t.Decl.Defined)
	case *QualType:
		d.inner(t.Elem)
	case *PointerType:
		d.inner(t.Elem)
	case *ArrayType:
		d.inner(t.Elem)
	}
}

// once writes a definition that several declarators share.
func (d *dumper) once(x Decl, defined bool) {
	if defined && !d.written[x] {
		if d.written != nil {
			d.written[x] = true
		}
		d.decls([]Decl{x})
	}
}

func (d *dumper) class(x *ClassDecl) {
	pack := ""
	if x.Pack > 0 {
		pack = "pack=" + decimal(x.Pack)
	}
	d.line(x.Kind.String(), x.Name.String(), d.attrs(x.Attrs), pack, flag(x.Final, "final"), flag(!x.Defined, "(declared)"))
	d.in(func() {
		for _, b := range x.Bases {
			d.line("base", b.Access.String(), flag(b.Virtual, "virtual"), d.typ(b.Type)+flag(b.Pack, "..."))
		}
		for _, m := range x.Members {
			d.decl(m)
		}
	})
}

func (d *dumper) enum(x *EnumDecl) {
	base := ""
	if x.Base != nil {
		base = ": " + d.typ(x.Base)
	}
	d.line("enum", flag(x.Scoped, "class"), x.Name.String(), base, flag(!x.Defined, "(declared)"))
	d.in(func() {
		for _, c := range x.Consts {
			if c.Value != nil {
				d.line(c.Name.Name, "=", d.expr(c.Value))
			} else {
				d.line(c.Name.Name)
			}
		}
	})
}

func (d *dumper) function(x *FuncDecl) {
	kind := [...]string{"func", "constructor", "destructor", "conversion"}[x.Kind]
	d.line(kind, x.Name.String(), x.Specs.String(), d.attrs(x.Attrs), d.typ(x.Type), flag(x.Override, "override"), flag(x.Final, "final"),
		flag(x.Pure, "= 0"), flag(x.Defaulted, "= default"), flag(x.Deleted, "= delete"), flag(x.Body != nil && !d.bodies, "{}"))
	if x.Body != nil && d.bodies {
		d.body(x.Body)
	}
}

// body writes a function's body.
func (d *dumper) body(b *Body) {
	t := b.Tree()
	d.in(func() {
		for _, m := range t.Inits {
			d.line("init", m.Name.String(), d.initializer(m.Init)+flag(m.Pack, "..."))
		}
		for _, s := range t.Block.Stmts {
			d.stmt(s)
		}
	})
}

// variable returns a variable's line.
func (d *dumper) variable(x *VarDecl) string {
	var words []string
	add := func(s string) {
		if s != "" {
			words = append(words, s)
		}
	}
	if x.Bindings != nil {
		add("[" + idents(x.Bindings, ", ") + "]")
	} else {
		add(x.Name.String())
	}
	add(x.Specs.String())
	add(d.attrs(x.Attrs))
	add(d.typ(x.Type))
	if x.Width != nil {
		add(": " + d.expr(x.Width))
	}
	add(d.initializer(x.Init))
	return strings.Join(words, " ")
}

func (d *dumper) initializer(x *Init) string {
	if x == nil {
		return ""
	}
	switch x.Kind {
	case CopyInit, CopyListInit:
		return "= " + d.exprs(x.Args)
	case ListInit:
		return d.exprs(x.Args)
	}
	return "(" + d.exprs(x.Args) + ")"
}

// stmts writes a statement's part, indented; a block's braces are left out.
func (d *dumper) stmts(s Stmt) {
	d.in(func() {
		if b, ok := s.(*Block); ok {
			for _, x := range b.Stmts {
				d.stmt(x)
			}
			return
		}
		d.stmt(s)
	})
}

// labelled writes a word and what belongs to it.
func (d *dumper) labelled(word string, s Stmt) {
	if s != nil {
		d.line(word)
		d.stmts(s)
	}
}

// stmt writes a statement.
func (d *dumper) stmt(x Stmt) {
	switch x := x.(type) {
	case *Block:
		d.line("block")
		d.stmts(x)
	case *DeclStmt:
		for _, y := range x.Decls {
			d.decl(y)
		}
	case *ExprStmt:
		d.line(d.expr(x.X))
	case *EmptyStmt:
		d.line(";")
	case *IfStmt:
		d.line("if", flag(x.Constexpr, "constexpr"), d.condition(x.Cond))
		d.labelled("init", x.Init)
		d.stmts(x.Then)
		d.labelled("else", x.Else)
	case *ForStmt:
		d.line("for", d.condition(x.Cond), ";", d.expr(x.Post), d.unroll(x.Unroll))
		d.labelled("init", x.Init)
		d.stmts(x.Body)
	case *RangeForStmt:
		d.line("for", d.variable(x.Var), ":", d.expr(x.Range), d.unroll(x.Unroll))
		d.labelled("init", x.Init)
		d.stmts(x.Body)
	case *WhileStmt:
		d.line("while", d.condition(x.Cond), d.unroll(x.Unroll))
		d.stmts(x.Body)
	case *DoStmt:
		d.line("do while", d.expr(x.Cond), d.unroll(x.Unroll))
		d.stmts(x.Body)
	case *SwitchStmt:
		d.line("switch", d.condition(x.Cond))
		d.labelled("init", x.Init)
		d.stmts(x.Body)
	case *CaseStmt:
		switch {
		case x.Value == nil:
			d.line("default:")
		case x.To != nil:
			d.line("case", d.expr(x.Value), "...", d.expr(x.To)+":")
		default:
			d.line("case", d.expr(x.Value)+":")
		}
	case *ReturnStmt:
		d.line("return", d.expr(x.X))
	case *BreakStmt:
		d.line("break")
	case *ContinueStmt:
		d.line("continue")
	case *LabelStmt:
		d.line("label", x.Name.Name)
	case *GotoStmt:
		d.line("goto", x.Name.Name)
	case *TryStmt:
		d.line("try")
		d.stmts(x.Body)
	case *AsmStmt:
		d.asm(x)
	default:
		d.line("nil")
	}
}

func (d *dumper) condition(c Condition) string {
	if c.Var != nil {
		return "var " + d.variable(c.Var)
	}
	return d.expr(c.X)
}

func (d *dumper) unroll(u *Unroll) string {
	switch {
	case u == nil:
		return ""
	case u.Count == nil:
		return "unroll"
	}
	return "unroll(" + d.expr(u.Count) + ")"
}

func (d *dumper) asm(x *AsmStmt) {
	d.line("asm", flag(x.Volatile, "volatile"), x.Template.Text)
	operands := func(word string, list []*AsmOperand) {
		for _, o := range list {
			name := ""
			if o.Name != nil {
				name = "[" + o.Name.Name + "]"
			}
			d.line(word, name, o.Constraint.Text, d.expr(o.X))
		}
	}
	d.in(func() {
		operands("output", x.Outputs)
		operands("input", x.Inputs)
		for _, c := range x.Clobbers {
			d.line("clobber", c.Text)
		}
	})
}
