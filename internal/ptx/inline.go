package ptx

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// An Inline is the parsed and verified template of inline PTX.
type Inline struct {
	Body []Stmt
	// Reads says that it reads memory, Memory that it writes it or orders accesses to it.
	Reads, Memory bool
	// Sync says that threads communicate or wait for each other in it, or that it may
	// end the thread.
	Sync bool
	// Need is the oldest version and target that have its instructions.
	Need Need
	// Carry says that it writes or reads the carry, which may come from another template.
	Carry bool
	// Scoped says that it declares names outside of braces.
	Scoped bool
}

// InlineOperand returns the name that the parsed body has for operand i.
func InlineOperand(i int) string { return "%$" + strconv.Itoa(i) }

// ParseInline parses a template of inline PTX, in which %0 is the first operand, %% a
// percent sign and %= the number n, and verifies its instructions for operands in
// registers of the given types. Registers that the template declares are renamed, so that
// they hide no other. The error holds diagnostics ([source.Diagnostics]) whose lines are
// those of the template.
func ParseInline(template string, operands []Type, n int) (*Inline, error) {
	file := source.NewFile("asm", []byte(expandInline(template, n)+"\n}"))
	p := &parser{file: file, diags: &source.List{}, regs: []map[string]bool{{}}}
	p.scan = scanner{file: file, src: file.Content, diags: p.diags}
	p.next()
	in := &Inline{}
	p.inline(in)
	if err := p.diags.Err(); err != nil {
		return nil, err
	}
	v := &verifier{diags: p.diags, top: newScope(nil)}
	s := newScope(v.top)
	for i, t := range operands {
		v.variable(s, &Var{Space: Reg, Type: t, Name: InlineOperand(i)})
	}
	v.block(newScope(s), in.Body)
	if err := p.diags.Err(); err != nil {
		return nil, err
	}
	in.classify(in.Body)
	in.Need = v.need
	in.Scoped = slices.ContainsFunc(in.Body, func(s Stmt) bool {
		_, inst := s.(*Inst)
		_, scope := s.(*Scope)
		return !inst && !scope
	})
	return in, nil
}

// inline parses the body up to the closing brace at the end of the text.
func (p *parser) inline(in *Inline) {
	defer func() {
		switch e := recover(); e.(type) {
		case nil, bailout, syntaxError:
		default:
			panic(e)
		}
	}()
	in.Body = p.block()
	if p.tok.kind != tokEOF {
		p.fail("the end of the template")
	}
}

// expandInline gives operands and registers their names in the parsed body.
func expandInline(template string, n int) string {
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		c := template[i]
		if c != '%' {
			b.WriteByte(c)
			continue
		}
		rest := template[i+1:]
		switch {
		case strings.HasPrefix(rest, "="):
			b.WriteString(strconv.Itoa(n))
			i++
			continue
		case strings.HasPrefix(rest, "%"):
			rest = rest[1:]
			i++
		}
		end := 0
		for end < len(rest) && isIdent(rest[end]) {
			end++
		}
		b.WriteByte('%')
		if end > 0 && !isSpecial("%"+rest[:end]) {
			b.WriteByte('$')
		}
	}
	return b.String()
}

// isSpecial reports whether name, perhaps without a component such as .x, is a special register.
func isSpecial(name string) bool { return SpecialType(name) != "" || SpecialType(name+".x") != "" }

// classify finds what the statements do besides computing values.
func (in *Inline) classify(body []Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *Scope:
			in.classify(s.Body)
		case *Inst:
			in.effects(s)
		}
	}
}

func (in *Inline) effects(i *Inst) {
	in.Carry = in.Carry || slices.Contains(i.Mods, "cc") || i.Op == "addc" || i.Op == "subc" || i.Op == "madc"
	switch i.Op {
	case "ld", "ldu":
		// A load that another thread's store may overtake orders accesses.
		in.Reads = true
		in.Memory = in.Memory || slices.Contains(i.Mods, "volatile") || slices.Contains(i.Mods, "acquire") || slices.Contains(i.Mods, "relaxed")
	case "tex", "tld4", "suld":
		in.Reads = true
	case "txq", "suq": // what an object is stays
	case "membar", "fence":
		in.Memory = true
	case "bar", "barrier", "shfl", "vote", "match", "redux", "activemask", "call", "ret", "exit", "trap", "brkpt":
		in.Sync = true
	default:
		memory := func(o Operand) bool { return o.Kind == KindMem }
		in.Memory = in.Memory || slices.ContainsFunc(i.Args, memory)
		in.Sync = in.Sync || slices.Contains(i.Mods, "sync")
	}
}
