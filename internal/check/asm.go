package check

// This file checks inline PTX: the constraints of its operands, and what its template
// refers to. The instructions are checked when SSA is made (package ssagen).

import (
	"strconv"
	"strings"

	"irgl/syntax"
)

// An Asm is what check found out about a statement of inline PTX.
type Asm struct {
	// Text is the template with operands as %0, %1 and so on, in the order of Operands;
	// constants are replaced by their values. %% and %= are as in the source.
	Text     string
	Operands []AsmOperand // in registers: outputs first
	Memory   bool         // it is said to access memory
	Volatile bool         // its effect is more than its outputs; so of any without outputs
}

// An AsmOperand is an operand of inline PTX that is in a register.
type AsmOperand struct {
	X           syntax.Expr
	Type        Type // the type that the value has in the register
	Letter      byte // of the constraint: h, r, l, f or d
	Read, Write bool
}

// asmSize returns the bytes of the register that a constraint asks for, 0 if it is none.
func asmSize(letter byte) int64 {
	switch letter {
	case 'h':
		return 2
	case 'r', 'f':
		return 4
	case 'l', 'd':
		return 8
	}
	return 0
}

const asmHint = `operands are "h", "r" and "l" for integers of 16, 32 and 64 bits, "f" and "d" for floats; "=" writes, "+" reads and writes, "n" is a constant`

// asm checks a statement of inline PTX.
func (c *checker) asm(s *syntax.AsmStmt) {
	if c.fn != nil && !c.fn.Device {
		c.errorf(s, codeAsm, "inline PTX exists in device code only").Hint = "mark the function __device__"
	}
	a := &Asm{Volatile: s.Volatile || len(s.Outputs) == 0}
	var refs asmRefs
	for i, list := range [2][]*syntax.AsmOperand{s.Outputs, s.Inputs} {
		for _, o := range list {
			if o != nil {
				refs.add(o.Name, c.asmOperand(a, o, i == 0))
			}
		}
	}
	for _, word := range s.Clobbers {
		switch word {
		case "memory":
			a.Memory = true
		case "cc":
		default:
			c.errorf(s, codeAsm, "the clobber %q has no meaning in PTX", word).Hint = `"memory" is the only one: PTX declares the registers that it uses`
		}
	}
	if dup := refs.duplicate(); dup != "" {
		c.errorf(s, codeAsm, "two operands are called %s", dup)
	}
	var wrong string
	if a.Text, wrong = refs.expand(s.Template); wrong != "" {
		c.errorf(s, codeAsm, "%s", wrong).Hint = "operands are %0, %1, or %[name], in order, outputs first; a percent sign is %%"
	}
	c.info.Asms[s] = a
}

// asmOperand checks one operand and returns the text that replaces it in the template.
func (c *checker) asmOperand(a *Asm, o *syntax.AsmOperand, output bool) string {
	letters := strings.TrimLeft(o.Constraint, "=+&")
	marks := o.Constraint[:len(o.Constraint)-len(letters)]
	op := AsmOperand{X: o.X, Read: !output || strings.Contains(marks, "+"), Write: output}
	var x operand
	if output {
		x = c.place(o.X)
	} else {
		x = c.rvalue(o.X)
	}
	switch {
	case output && strings.Trim(marks, "&") != "=" && strings.Trim(marks, "&") != "+", !output && marks != "":
		what := "an input needs a constraint without = and +"
		if output {
			what = "an output needs a constraint with = or +"
		}
		c.errorf(o, codeAsm, "%s, not %q", what, o.Constraint).Hint = asmHint
		return "0"
	case letters == "n" && !output:
		if x.typ != Invalid && (x.cv == nil || !IsInteger(x.typ)) {
			c.errorf(o.X, codeNotConst, `an operand "n" must be an integer constant`)
			return "0"
		}
		if x.cv != nil {
			return strconv.FormatInt(x.cv.Int, 10)
		}
		return "0"
	case len(letters) != 1 || asmSize(letters[0]) == 0:
		c.errorf(o, codeAsm, "%q is not a constraint of PTX", o.Constraint).Hint = asmHint
		return "0"
	}
	op.Letter = letters[0]
	if output {
		if !c.modifiable(o.X, x, "written by inline PTX") {
			return "0"
		}
		mode := useWrite
		if op.Read {
			mode |= useRead
		}
		c.write(o.X, x, mode)
	}
	if x.typ == Invalid {
		return "0"
	}
	op.Type = Decay(x.typ)
	if !output {
		op.Type = Promote(op.Type)
		if op.Letter == 'h' { // 16 bits are not promoted
			op.Type = Decay(x.typ)
		}
	}
	if !asmFits(op.Type, op.Letter) {
		c.errorf(o.X, codeAsm, "%s does not fit the constraint %q", describe(op.Type), o.Constraint).Hint = asmHint
		return "0"
	}
	a.Operands = append(a.Operands, op)
	return "%" + strconv.Itoa(len(a.Operands)-1)
}

// asmFits reports whether a value of type t is in the register that the letter of a
// constraint asks for.
func asmFits(t Type, letter byte) bool {
	_, pointer := t.(*Pointer)
	size := t == String || pointer || IsArithmetic(t) && t.Size() == asmSize(letter)
	switch letter {
	case 'f', 'd':
		return size && IsFloat(t)
	case 'l':
		return size && !IsFloat(t)
	}
	return size && IsInteger(t)
}

// asmRefs are the names of the operands and the texts that replace them.
type asmRefs struct{ names, texts []string }

func (r *asmRefs) add(name, text string) {
	r.names, r.texts = append(r.names, name), append(r.texts, text)
}

// duplicate returns a name that two operands have, or "".
func (r *asmRefs) duplicate() string {
	seen := map[string]bool{"": false}
	for _, n := range r.names {
		if seen[n] {
			return n
		}
		seen[n] = n != ""
	}
	return ""
}

// expand replaces the references to operands in a template; wrong says what it has that
// refers to nothing.
func (r *asmRefs) expand(template string) (text, wrong string) {
	var b strings.Builder
	for i := 0; i < len(template); {
		if template[i] != '%' {
			b.WriteByte(template[i])
			i++
			continue
		}
		rest := template[i+1:]
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		switch {
		case strings.HasPrefix(rest, "%"), strings.HasPrefix(rest, "="):
			b.WriteString(template[i : i+2])
			i += 2
		case strings.HasPrefix(rest, "["):
			name, _, closed := strings.Cut(rest[1:], "]")
			at := -1
			for k, have := range r.names {
				if closed && have == name && name != "" {
					at = k
				}
			}
			if at < 0 {
				return b.String(), "no operand is called " + strconv.Quote(name)
			}
			b.WriteString(r.texts[at])
			i += len(name) + 3
		case n > 0 && n < 4:
			at, _ := strconv.Atoi(rest[:n])
			if at >= len(r.texts) {
				return b.String(), "there is no operand %" + rest[:n]
			}
			b.WriteString(r.texts[at])
			i += 1 + n
		default: // nvcc takes %laneid for %%laneid
			b.WriteString("%%")
			i++
		}
	}
	return b.String(), ""
}
