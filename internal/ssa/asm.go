package ssa

import "strings"

// Inline PTX is one of five operations, which differ in their effects alone, so that a
// pass that asks for an operation's effects needs to know nothing of inline PTX. Its type
// is that of the first output, Void if there is none; [OpAsmResult] has the others. Its
// arguments are the values of the operands that are read, outputs first.

// An Asm is inline PTX: the operands' constraints and the template, in which %0 is the
// first operand, %% a percent sign and %= a number that no other copy has.
type Asm struct {
	Operands string // "=r,+l,f": "=" is written, "+" read and written; see AsmType
	Template string
}

func (Asm) sym() {}

// String returns the operands and the template, as "=r,r: neg.s32 %0, %1;".
func (a Asm) String() string { return a.Operands + ": " + a.Template }

// parseAsm is the inverse of String.
func parseAsm(s string) (Asm, bool) {
	operands, template, ok := strings.Cut(s, ": ")
	a := Asm{operands, template}
	return a, ok && a.valid()
}

// AsmType returns the type of an operand with the constraint letter, Void for other
// letters.
func AsmType(letter byte) Type {
	switch letter {
	case 'h':
		return I16
	case 'r':
		return I32
	case 'l':
		return I64
	case 'f':
		return F32
	case 'd':
		return F64
	}
	return Void
}

// valid reports whether the operands are constraints, outputs first.
func (a Asm) valid() bool {
	input := false
	for o := range a.operands {
		output := o[0] == '=' || o[0] == '+'
		if AsmType(o[len(o)-1]) == Void || output && (input || len(o) != 2) || !output && len(o) != 1 {
			return false
		}
		input = !output
	}
	return true
}

// operands yields the constraints. One that is missing is " ".
func (a Asm) operands(yield func(string) bool) {
	if a.Operands == "" {
		return
	}
	for o := range strings.SplitSeq(a.Operands, ",") {
		if o == "" {
			o = " "
		}
		if !yield(o) {
			return
		}
	}
}

// Results returns the types of the outputs, and Inputs those of the arguments.
func (a Asm) Results() (types []Type) {
	for o := range a.operands {
		if len(o) == 2 {
			types = append(types, AsmType(o[1]))
		}
	}
	return types
}

// Inputs returns the types of the arguments: of the outputs that are read, then of the
// inputs.
func (a Asm) Inputs() (types []Type) {
	for o := range a.operands {
		if o[0] != '=' {
			types = append(types, AsmType(o[len(o)-1]))
		}
	}
	return types
}

// Tied returns for each output the index of the argument that is its value before, or -1.
func (a Asm) Tied() (index []int) {
	n := 0
	for o := range a.operands {
		switch o[0] {
		case '=':
			index = append(index, -1)
		case '+':
			index = append(index, n)
			n++
		}
	}
	return index
}

// Asm returns the inline PTX of v; ok is false if v is another operation.
func (v *Value) Asm() (a Asm, ok bool) {
	a, ok = v.Sym.(Asm)
	return a, ok
}

// asmType checks the result and the arguments against the operands. Operands that are
// not valid fit here: the Sym is refused.
func asmType(v *Value) bool {
	a, ok := v.Asm()
	if !ok || !a.valid() {
		return true
	}
	first, inputs := Void, a.Inputs()
	if r := a.Results(); len(r) > 0 {
		first = r[0]
	}
	if v.Type != first || len(v.Args) != len(inputs) {
		return false
	}
	for i, t := range inputs {
		if v.Args[i].Type != t {
			return false
		}
	}
	return true
}

// asmResultType requires another output than the first of inline PTX.
func asmResultType(v *Value) bool {
	a, ok := v.Args[0].Asm()
	r := a.Results()
	return ok && v.Int > 0 && v.Int < int64(len(r)) && v.Type == r[v.Int] && v.Block == v.Args[0].Block
}
