package hir

import (
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/cxx/types"
)

// Print returns a program as text: its classes with their layouts, its variables, and its
// functions with their trees, a node a line.
func Print(p *Program) string {
	var w printer
	for _, c := range p.Classes {
		w.class(c)
	}
	for _, v := range p.Vars {
		w.global(v)
	}
	for _, f := range p.Funcs {
		w.function(f)
	}
	return w.b.String()
}

// A printer writes trees.
type printer struct {
	b     strings.Builder
	depth int
}

// line writes one line at the present depth.
func (w *printer) line(format string, args ...any) {
	for range w.depth {
		w.b.WriteString("  ")
	}
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// in writes what f does one level deeper.
func (w *printer) in(f func()) {
	w.depth++
	f()
	w.depth--
}

func (w *printer) class(c *types.Class) {
	keyword := "struct"
	if c.Union {
		keyword = "union"
	}
	w.line("%s %s  size %d align %d", keyword, c, c.Size, c.Align)
	w.in(func() {
		for _, b := range c.Bases {
			w.line("%d  base %s", b.Offset, b.Class)
		}
		for _, f := range c.Fields {
			if f.Width >= 0 {
				w.line("%d.%d  %s : %d", f.Offset, f.Bit, f.Type.Declare(f.Name), f.Width)
			} else {
				w.line("%d  %s", f.Offset, f.Type.Declare(f.Name))
			}
		}
	})
}

var spaceNames = [...]string{"", "__device__ ", "__constant__ ", "__shared__ ", "extern __shared__ ", "__managed__ "}

// declaration returns a variable with what is said of it but its initialiser.
func declaration(v *Var) string {
	s := spaceNames[v.Space]
	if v.Static && v.Space == Local {
		s = "static "
	}
	if v.GridConstant {
		s += "__grid_constant__ "
	}
	s += v.Type.Declare(v.Name)
	if v.Restrict {
		s += " restrict"
	}
	if v.Align > 0 {
		s += fmt.Sprintf(" align %d", v.Align)
	}
	if v.Symbol != "" && v.Symbol != v.Name {
		s += "  " + v.Symbol
	}
	if v.Destroy != nil {
		s += "  destroy " + v.Destroy.Name
	}
	return s
}

// global writes a variable that is no function's.
func (w *printer) global(v *Var) {
	s := declaration(v)
	if v.Value != nil {
		s += " = " + v.Value.Text()
	} else if v.Const != nil {
		s += " = " + v.Const.Text()
	}
	w.line("%s", s)
}

func (w *printer) function(f *Func) {
	kind := "device"
	if f.Kind == Kernel {
		kind = "kernel"
	}
	var params []string
	if f.This != nil {
		params = append(params, f.This.Type.Declare("this"))
	}
	for _, p := range f.Params {
		params = append(params, declaration(p))
	}
	if f.Variadic {
		params = append(params, "...")
	}
	result := "void"
	if f.Result.IsValid() {
		result = f.Result.String()
	}
	s := fmt.Sprintf("%s %s(%s) -> %s", kind, f.Name, strings.Join(params, ", "), result)
	if f.Symbol != "" && f.Symbol != f.Name {
		s += "  " + f.Symbol
	}
	w.line("%s%s", s, funcFlags(f))
	if f.Body != nil {
		w.in(func() { w.stmts(f.Body.Stmts) })
	}
}

// funcFlags returns the attributes of a function.
func funcFlags(f *Func) string {
	s := ""
	for _, x := range [...]struct {
		on   bool
		name string
	}{{f.ForceInline, "forceinline"}, {f.NoInline, "noinline"}, {f.NoReturn, "noreturn"}, {f.Trivial, "trivial"}} {
		if x.on {
			s += " " + x.name
		}
	}
	if f.Builtin != "" {
		s += " builtin " + f.Builtin
	}
	if f.Bounds != nil {
		s += fmt.Sprintf(" bounds %v", f.Bounds)
	}
	if f.Cluster != nil {
		s += fmt.Sprintf(" cluster %v", f.Cluster)
	}
	return s
}

func (w *printer) stmts(list []Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// node writes a line and its expressions one level deeper.
func (w *printer) node(name string, parts ...Expr) {
	w.line("%s", name)
	w.in(func() {
		for _, e := range parts {
			if e != nil {
				w.expr(e)
			}
		}
	})
}

// part writes a line and a statement one level deeper.
func (w *printer) part(name string, s Stmt) {
	if s == nil {
		return
	}
	w.line("%s", name)
	w.in(func() { w.stmt(s) })
}

func (w *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case nil:
	case *Block:
		w.line("Block")
		w.in(func() { w.stmts(s.Stmts) })
	case *VarStmt:
		for _, v := range s.Vars {
			w.variable("Var ", v)
		}
	case *ExprStmt:
		w.node("ExprStmt", s.X)
	case *Init:
		w.node("Init", s.X, s.Y)
	case *If:
		w.node("If", s.Cond)
		w.part("Then", s.Then)
		w.part("Else", s.Else)
	case *Loop:
		w.loop(s)
	case *Switch:
		w.node("Switch", s.X)
		w.in(func() { w.stmt(s.Body) })
	case *Case:
		w.line("%s", caseText(s))
	case *Return:
		w.node("Return", s.X)
	case *Break:
		w.line("Break")
	case *Continue:
		w.line("Continue")
	case *Label:
		w.line("Label %s", s.Name)
	case *Goto:
		w.line("Goto %s", s.Name)
	case *Asm:
		w.asm(s)
	default:
		w.line("%T", s)
	}
}

func caseText(s *Case) string {
	switch {
	case s.Default:
		return "Default"
	case s.From != s.To:
		return fmt.Sprintf("Case %d ... %d", s.From, s.To)
	}
	return fmt.Sprintf("Case %d", s.From)
}

// variable writes a variable of a function with its initialiser.
func (w *printer) variable(what string, v *Var) {
	k := v.Value
	if k == nil {
		k = v.Const
	}
	if v.Init == nil && k != nil {
		w.line("%s%s = %s", what, declaration(v), k.Text())
		return
	}
	w.node(what+declaration(v), v.Init)
}

func (w *printer) loop(s *Loop) {
	name := "Loop"
	if s.Do {
		name = "Do"
	}
	if s.Unroll != 0 {
		name += " unroll " + strconv.Itoa(s.Unroll)
	}
	w.line("%s", name)
	w.in(func() {
		if s.CondVar != nil {
			w.variable("CondVar ", s.CondVar)
		}
		if s.Cond != nil {
			w.node("Cond", s.Cond)
		}
		if s.Post != nil {
			w.node("Post", s.Post)
		}
		w.part("Body", s.Body)
	})
}

func (w *printer) asm(s *Asm) {
	flags := ""
	if s.Volatile {
		flags += " volatile"
	}
	if s.Memory {
		flags += " memory"
	}
	w.line("Asm%s %q", flags, s.Template)
	w.in(func() {
		for _, o := range s.Outputs {
			w.node(strings.TrimSpace("Output "+strconv.Quote(o.Constraint)+" "+o.Name), o.X)
		}
		for _, o := range s.Inputs {
			w.node(strings.TrimSpace("Input "+strconv.Quote(o.Constraint)+" "+o.Name), o.X)
		}
	})
}
