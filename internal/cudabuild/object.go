package cudabuild

import (
	"fmt"
	"strings"
)

// A Device is what the device compiler makes of one source.
type Device struct {
	PTX       string
	Kernels   []string // PTX names, which are the symbols of the stubs
	Variables []Variable
}

// A Variable is a variable of the device that the host can name.
type Variable struct {
	Symbol string
	Size   int64
	Kind   VariableKind
}

// A VariableKind is the memory that a variable of the device is in.
type VariableKind uint8

// The kinds, with the numbers that irgl_registration.h has.
const (
	DeviceVariable VariableKind = iota
	ConstantVariable
	ManagedVariable
)

// tables returns assembler directives that describe a module, as irgl_registration.h
// has it, and that put a pointer to the description into the section irgl_modules.
// ptx is the path of the module's PTX; defined are the symbols of the host's code.
func tables(source, ptx string, d *Device, defined []string) string {
	known := make(map[string]bool, len(defined))
	for _, s := range defined {
		known[s] = true
	}
	var names, kernels, variables strings.Builder
	counts := [2]int{}
	entry := func(out *strings.Builder, which int, prefix, symbol, rest string) {
		label := fmt.Sprintf(".Lirgl_%s%d", prefix, counts[which])
		counts[which]++
		fmt.Fprintf(&names, "%s:\n\t.string \"%s\"\n", label, symbol)
		fmt.Fprintf(out, "\t.quad\t%s\n\t.quad\t%s\n%s", symbol, label, rest)
	}
	for _, k := range d.Kernels {
		if known[k] {
			entry(&kernels, 0, "k", k, "")
		}
	}
	for _, v := range d.Variables {
		if known[v.Symbol] {
			entry(&variables, 1, "v", v.Symbol, fmt.Sprintf("\t.quad\t%d\n\t.long\t%d\n\t.long\t0\n", v.Size, v.Kind))
		}
	}
	var b strings.Builder
	b.WriteString("\t.section\t.rodata\n.Lirgl_image:\n\t.incbin\t" + asmString(ptx) + "\n\t.byte\t0\n")
	b.WriteString(".Lirgl_source:\n\t.string " + asmString(source) + "\n" + names.String())
	b.WriteString("\t.section\t.data.rel,\"aw\"\n\t.balign\t8\n.Lirgl_kernels:\n" + kernels.String())
	b.WriteString(".Lirgl_variables:\n" + variables.String())
	b.WriteString(".Lirgl_module:\n\t.long\t1\n\t.long\t0\n\t.quad\t.Lirgl_source\n\t.quad\t.Lirgl_image\n")
	fmt.Fprintf(&b, "\t.quad\t%d\n\t.quad\t.Lirgl_kernels\n\t.quad\t%d\n\t.quad\t.Lirgl_variables\n\t.quad\t%d\n\t.quad\t0\n", len(d.PTX), counts[0], counts[1])
	b.WriteString("\t.section\tirgl_modules,\"aw\"\n\t.balign\t8\n\t.quad\t.Lirgl_module\n")
	return b.String()
}

// asmString returns text as an assembler's string: bytes that are not plain in octal.
func asmString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
