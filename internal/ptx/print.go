package ptx

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Print returns the canonical text of m: [Parse] reads it back to an equal
// module, and printing that gives the same bytes.
func Print(m *Module) string {
	p := &printer{}
	statements := 0
	for _, d := range m.Decls {
		if fn, ok := d.(*Func); ok {
			statements += len(fn.Body)
		}
	}
	p.b.Grow(256 + 32*statements) // a text of many lines does not move as it grows
	p.printf(".version %s\n.target %s\n.address_size %d\n", m.Version, m.Target, m.AddressSize)
	for _, f := range m.Files {
		p.printf(".file %d %s\n", f.Index, quote(f.Name))
	}
	for i, d := range m.Decls {
		if fn, ok := d.(*Func); ok {
			p.nl()
			p.function(fn)
			continue
		}
		if i == 0 {
			p.nl()
		} else if _, ok := m.Decls[i-1].(*Func); ok {
			p.nl()
		}
		p.variable(d.(*Var))
		p.printf(";\n")
	}
	p.debugStrings(m.Strings)
	return p.b.String()
}

// String returns the instruction as [Print] writes it, without the semicolon.
func (in *Inst) String() string {
	p := &printer{}
	p.inst(in)
	return p.b.String()
}

// String returns the operand as [Print] writes it.
func (o Operand) String() string {
	p := &printer{}
	p.operand(o)
	return p.b.String()
}

// String returns the declaration as [Print] writes it, without the semicolon.
func (v *Var) String() string {
	p := &printer{}
	p.variable(v)
	return p.b.String()
}

type printer struct {
	b     strings.Builder
	depth int // of nested scopes
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }
func (p *printer) str(s string)                      { p.b.WriteString(s) }
func (p *printer) nl()                               { p.b.WriteByte('\n') }

func (p *printer) indent() {
	for range p.depth {
		p.b.WriteByte('\t')
	}
}

func (p *printer) function(f *Func) {
	if f.Linkage != "" {
		p.printf(".%s ", f.Linkage)
	}
	if f.Entry {
		p.str(".entry ")
	} else {
		p.str(".func ")
	}
	if len(f.Results) > 0 {
		p.str("(")
		p.inlineVars(f.Results)
		p.str(") ")
	}
	p.str(f.Name)
	if len(f.Params) == 0 {
		p.str("()")
	} else {
		p.str("(")
		for i, v := range f.Params {
			if i > 0 {
				p.str(",")
			}
			p.str("\n\t")
			p.variable(v)
		}
		p.str("\n)")
	}
	for _, d := range f.Directives {
		p.printf("\n.%s", d.Name)
		for i, a := range d.Args {
			if i > 0 {
				p.str(",")
			}
			p.printf(" %d", a)
		}
	}
	if f.Proto {
		p.str(";\n")
		return
	}
	p.str("\n{\n")
	p.depth = 1
	inDecls := false
	for _, s := range f.Body {
		_, isVar := s.(*Var)
		if inDecls && !isVar {
			p.nl()
		}
		inDecls = isVar
		p.stmt(s)
	}
	p.depth = 0
	p.str("}\n")
}

func (p *printer) inlineVars(list []*Var) {
	for i, v := range list {
		if i > 0 {
			p.str(", ")
		}
		p.variable(v)
	}
}

func (p *printer) variable(v *Var) {
	if v.Linkage != "" {
		p.printf(".%s ", v.Linkage)
	}
	p.printf(".%s ", v.Space)
	if v.Managed {
		p.str(".attribute(.managed) ")
	}
	if v.Align != 0 {
		p.printf(".align %d ", v.Align)
	}
	p.printf(".%s ", v.Type)
	if v.Ptr {
		p.str(".ptr ")
		if v.PtrSpace != "" {
			p.printf(".%s ", v.PtrSpace)
		}
		if v.PtrAlign != 0 {
			p.printf(".align %d ", v.PtrAlign)
		}
	}
	p.str(v.Name)
	if v.Range != 0 {
		p.printf("<%d>", v.Range)
	}
	if v.Array {
		for _, d := range v.Dims {
			if d < 0 {
				p.str("[]")
			} else {
				p.printf("[%d]", d)
			}
		}
	}
	if len(v.Init) == 0 {
		return
	}
	p.str(" = ")
	if !v.Array {
		p.initial(v.Init[0])
		return
	}
	p.str("{")
	for i, o := range v.Init {
		if i > 0 {
			p.str(", ")
		}
		p.initial(o)
	}
	p.str("}")
}

func (p *printer) initial(o Operand) {
	if o.Kind == KindSym && o.Not {
		p.printf("generic(%s)", o.Name)
		if o.Int != 0 {
			p.printf("+%d", o.Int)
		}
		return
	}
	p.operand(o)
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Label:
		p.printf("%s:\n", s.Name)
		return
	case *BranchTargets:
		p.printf("%s: .branchtargets %s;\n", s.Name, strings.Join(s.Labels, ", "))
		return
	case *CallPrototype:
		p.printf("%s: .callprototype ", s.Name)
		if len(s.Results) > 0 {
			p.str("(")
			p.inlineVars(s.Results)
			p.str(") ")
		}
		p.str("_ (")
		p.inlineVars(s.Params)
		p.str(");\n")
		return
	}
	p.indent()
	switch s := s.(type) {
	case *Var:
		p.variable(s)
		p.str(";\n")
	case *Loc:
		p.loc(s)
	case *Pragma:
		p.printf(".pragma %s;\n", quote(s.Text))
	case *Scope:
		p.str("{\n")
		p.depth++
		for _, t := range s.Body {
			p.stmt(t)
		}
		p.depth--
		p.indent()
		p.str("}\n")
	case *Inst:
		p.inst(s)
		p.str(";\n")
	}
}

func (p *printer) loc(l *Loc) {
	p.printf(".loc %d %d %d", l.File, l.Line, l.Column)
	if l.Function != "" {
		p.printf(", function_name %s", l.Function)
		if l.Offset != 0 {
			p.printf("+%d", l.Offset)
		}
	}
	if at := l.At; at != nil {
		p.printf(", inlined_at %d %d %d", at.File, at.Line, at.Column)
	}
	p.nl()
}

// debugStrings prints section .debug_str.
func (p *printer) debugStrings(list []DebugString) {
	if len(list) == 0 {
		return
	}
	p.str(".section .debug_str\n{\n")
	for _, s := range list {
		p.printf("%s:\n", s.Label)
		for _, b := range []byte(s.Text + "\x00") {
			p.printf(".b8 %d\n", b)
		}
	}
	p.str("}\n")
}

func (p *printer) inst(in *Inst) {
	if in.Guard != "" {
		p.str("@")
		if in.GuardNot {
			p.str("!")
		}
		p.str(in.Guard)
		p.str(" ")
	}
	p.str(in.Op)
	for _, m := range in.Mods {
		p.str(".")
		p.str(m)
	}
	for i, a := range in.Args {
		if i > 0 {
			p.str(",")
		}
		p.str(" ")
		p.operand(a)
	}
}

func (p *printer) operand(o Operand) {
	if o.Not && o.Kind == KindReg {
		p.str("!")
	}
	switch o.Kind {
	case KindReg:
		p.str(o.Name)
	case KindInt:
		p.str(strconv.FormatInt(o.Int, 10))
	case KindF32:
		p.printf("0f%08X", uint32(o.Bits))
	case KindF64:
		p.printf("0d%016X", o.Bits)
	case KindSym:
		p.symbol(o)
	case KindMem:
		p.str("[")
		if o.Name == "" {
			p.str(strconv.FormatInt(o.Int, 10))
		} else {
			p.symbol(o)
		}
		for _, more := range o.List {
			p.str(", ")
			p.operand(more)
		}
		p.str("]")
	case KindVector:
		p.list("{", ", ", "}", o.List)
	case KindPair:
		p.list("", "|", "", o.List)
	case KindList:
		p.list("(", ", ", ")", o.List)
	case KindNone:
		p.str("_")
	}
}

// symbol prints a name and its offset; nvcc, too, writes "+-4".
func (p *printer) symbol(o Operand) {
	p.str(o.Name)
	if o.Int != 0 {
		p.printf("+%d", o.Int)
	}
}

func (p *printer) list(open, sep, end string, list []Operand) {
	p.str(open)
	for i, o := range list {
		if i > 0 {
			p.str(sep)
		}
		p.operand(o)
	}
	p.str(end)
}

// quote writes a string literal. PTX strings have no escapes: a quote becomes an
// apostrophe, and what is not printed, such as a line end, a blank.
func quote(s string) string {
	plain := func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case !unicode.IsPrint(r):
			return ' '
		}
		return r
	}
	return `"` + strings.Map(plain, s) + `"`
}
