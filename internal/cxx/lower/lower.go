package lower

import (
	"strconv"
	"strings"

	"irgl/internal/builtin"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Lower returns the CUDA tree of a program, under the name of its file. What it cannot
// express is reported to diags.
func Lower(p *hir.Program, name string, diags *source.List) *syntax.File {
	l := &lowerer{
		prog: p, diags: diags,
		out:     &syntax.File{Name: name, Dialect: syntax.CUDA},
		classes: map[*types.Class]*class{}, tags: map[string]int{},
		globals: map[*hir.Var]string{}, symbols: map[string]bool{},
		state: map[*hir.Func]emission{}, known: map[*hir.Func]bool{},
		externs: map[string]types.Type{}, standIns: map[*hir.Func]bool{}, wides: map[string]string{},
	}
	for _, f := range p.Funcs {
		l.known[f] = true
		l.symbols[f.Symbol] = true
	}
	l.findLocals()
	for _, c := range p.Classes {
		l.class(c)
	}
	for _, v := range p.Vars {
		l.global(v)
	}
	for _, f := range p.Funcs {
		l.function(f)
	}
	return l.out
}

// An emission is how far a function has come.
type emission uint8

const (
	pending  emission = iota
	lowering          // its body is being lowered
	declared          // and a prototype is in front of it
	emitted
)

// A lowerer lowers one program.
type lowerer struct {
	prog      *hir.Program
	diags     *source.List
	out       *syntax.File
	classes   map[*types.Class]*class
	declaring int                 // declarations of classes that are being made
	pointers  int                 // pointers around the type that is being written
	pointedTo []*types.Class      // to be declared after these
	tags      map[string]int      // how many classes have had a tag
	globals   map[*hir.Var]string // the names of variables of the file that are emitted
	local     map[*hir.Var]bool   // __shared__ variables that functions declare
	symbols   map[string]bool     // names of functions and variables of the file
	state     map[*hir.Func]emission
	known     map[*hir.Func]bool    // the program's functions
	externs   map[string]types.Type // the types of extern __shared__ variables, by name
	wides     map[string]string     // the variables of wide string literals, by size and bytes
	standIns  map[*hir.Func]bool    // the variables that stand for kernels on the host
	fn        *fn                   // being lowered; nil outside of functions
}

func (l *lowerer) errorf(n node, code source.Code, format string, args ...any) *source.Diagnostic {
	return l.diags.Errorf(n.Pos(), n.End(), code, format, args...)
}

// A node is anything that has a place in the text.
type node interface {
	Pos() source.Pos
	End() source.Pos
}

// at returns the span of a node of the C++ program.
func at(n node) syntax.Span { return syntax.Span{From: n.Pos(), To: n.End()} }

// add appends a declaration to the program.
func (l *lowerer) add(d syntax.Decl) { l.out.Decls = append(l.out.Decls, d) }

// findLocals collects the __shared__ variables that statements declare: they stay in
// their functions.
func (l *lowerer) findLocals() {
	l.local = map[*hir.Var]bool{}
	for _, f := range l.prog.Funcs {
		if f.Body == nil {
			continue
		}
		hir.Walk(f.Body, func(n any) {
			if d, ok := n.(*hir.VarStmt); ok {
				for _, v := range d.Vars {
					if v.Space == hir.Shared || v.Space == hir.SharedX {
						l.local[v] = true
					}
				}
			}
		})
	}
}

// global emits a variable of the file, a static member or a static local, and returns
// its name.
func (l *lowerer) global(v *hir.Var) string {
	if name, ok := l.globals[v]; ok {
		return name
	}
	if v.Builtin != "" || l.local[v] {
		return v.Builtin
	}
	name := v.Symbol
	if name == "" {
		name = v.Name
	}
	if reserved(name) {
		name += "_"
	}
	l.globals[v], l.symbols[name] = name, true
	sp := at(v)
	d := &syntax.VarDecls{Span: sp, Attrs: attrsOf(v)}
	t := v.Type
	if v.Align > t.Align() {
		d.Align = tree.Number(sp, v.Align)
	}
	vd := &syntax.VarDecl{Span: sp, Type: l.object(sp, t), Name: tree.Ident(sp, name)}
	switch {
	case v.Space == hir.Shared || v.Space == hir.SharedX:
	case v.Value != nil:
		vd.Init = l.static(v, v.Value, t)
	case v.Const != nil:
		vd.Init = l.static(v, v.Const, t)
	case v.Init != nil:
		l.missing(v, "the dynamic initialisation of '"+v.Name+"'")
	}
	d.Vars = []*syntax.VarDecl{vd}
	l.add(d)
	return name
}

// attrsOf returns the qualifiers of a variable of the file.
func attrsOf(v *hir.Var) syntax.Attrs {
	var a syntax.Attrs
	switch v.Space {
	case hir.Constant:
		a = syntax.Constant
	case hir.Shared:
		return syntax.Shared
	case hir.SharedX:
		return syntax.Shared | syntax.Extern
	case hir.Managed:
		a = syntax.Managed
	default:
		a = syntax.Device
	}
	if v.Extern {
		return a | syntax.Extern
	}
	if strings.HasPrefix(v.Symbol, "_ZL") || strings.HasPrefix(v.Symbol, "_ZZ") || v.Space == hir.Local {
		a |= syntax.Static
	}
	return a
}

// reserved reports whether a name means something else in the CUDA dialect.
func reserved(name string) bool {
	return !syntax.IsName(name) || builtin.Lookup(name) != nil || strings.HasPrefix(name, "irgl_")
}

// Identifier returns a C++ name as an identifier of C: what is not a letter or digit
// becomes one underscore.
func Identifier(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
	}
	s := b.String()
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return s
}

// numbered returns name, or with a number behind it if it is the n-th of it.
func numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	return name + "_" + strconv.Itoa(n)
}
