package cudabuild

import (
	"fmt"
	"runtime"
	"strings"

	"irgl/internal/cxx/hostcode"
	"irgl/internal/klap"
)

// A Device is what the device compiler makes of one source.
type Device struct {
	PTX       string
	Kernels   []Kernel
	Launched  []Kernel // by device code, by number
	Variables []Variable
	Sites     []string     // of launches in device code, "file:line", by number
	ByLibrary string       // the PTX whose launches are by CUDA's device runtime; "" for none
	Includes  []string     // the files that the source includes, for the device
	Klap      *klap.Report // what became of launches in device code; nil without a transformation
	Textures  TextureFlags // how it reads textures

	// Of device code that is linked with that of other objects:
	ID    string            // of the object; "" for code that is complete
	Names map[string]string // of symbols in the PTX, where they differ
	Queue bool              // there is a variable for launches in device code
}

// TextureFlags are the kinds of objects that code reads textures and surfaces by.
type TextureFlags uint8

// The flags, with the numbers that irgl_registration.h has.
const (
	HardwareTextures TextureFlags = 1 << iota
	SoftwareTextures
)

// A Kernel is an entry of the PTX.
type Kernel struct {
	Symbol string // its name, which is the symbol of the stub
	Params []Param
	Bytes  int64 // of the parameter block
	// Launches says that the kernel may launch others, Elsewhere that another file defines it.
	Launches, Elsewhere bool
	// Behind is the entry that the runtime launches behind each launch (klap.Report); "" for none.
	Behind string
}

// A Param is a parameter's place in the parameter block.
type Param struct{ Offset, Size int64 }

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
// has it, and that register it before the constructors of the program's objects.
// base is the path of the module's PTX without .ptx, archive that of CUDA's device runtime, "" for
// none; defined are the symbols of the host's code.
func tables(source, base, archive string, d *Device, defined []string) string {
	known := make(map[string]bool, len(defined))
	for _, s := range defined {
		known[s] = true
	}
	var names, params, kernels, launched, variables strings.Builder
	name := func(symbol string) string {
		if own := d.Names[symbol]; own != "" {
			symbol = own
		}
		label := fmt.Sprintf(".Lirgl_name%d", strings.Count(names.String(), "\n")/2)
		fmt.Fprintf(&names, "%s:\n\t.string %s\n", label, asmString(symbol))
		return label
	}
	kernelCount, variableCount := 0, 0
	// An irgl_kernel; its stub is null where the host has none.
	kernel := func(table *strings.Builder, k Kernel) {
		stub, flags := "0", 0
		if known[k.Symbol] || k.Elsewhere { // the linker finds it
			stub = k.Symbol
		}
		if k.Launches {
			flags = 1
		}
		label := strings.Count(params.String(), ":")
		fmt.Fprintf(&params, ".Lirgl_params%d:\n", label)
		for _, p := range k.Params {
			fmt.Fprintf(&params, "\t.long\t%d, %d\n", p.Offset, p.Size)
		}
		behind := "0"
		if k.Behind != "" {
			behind = name(k.Behind)
		}
		fmt.Fprintf(table, "\t.quad\t%s, %s, .Lirgl_params%d\n\t.long\t%d, %d, %d, 0\n\t.quad\t%s\n", stub, name(k.Symbol), label, len(k.Params), k.Bytes, flags, behind)
	}
	for _, k := range d.Kernels {
		if known[k.Symbol] {
			kernel(&kernels, k)
			kernelCount++
		}
	}
	for _, k := range d.Launched {
		kernel(&launched, k)
	}
	for _, v := range d.Variables {
		if host := v.host(); known[host] {
			fmt.Fprintf(&variables, "\t.quad\t%s, %s, %d\n\t.long\t%d, 0\n", host, name(v.Symbol), v.Size, v.Kind)
			variableCount++
		}
	}
	var b, sites strings.Builder
	b.WriteString("\t.section\t.rodata\n\t.balign\t8\n" + params.String())
	for i, s := range d.Sites {
		fmt.Fprintf(&b, ".Lirgl_site%d:\n\t.string %s\n", i, asmString(s))
		fmt.Fprintf(&sites, "\t.quad\t.Lirgl_site%d\n", i)
	}
	library := "0, 0, 0"
	if d.ID != "" {
		b.WriteString(".Lirgl_id:\n\t.string " + asmString(d.ID) + "\n")
	} else {
		b.WriteString(".Lirgl_ptx:\n\t.incbin\t" + asmString(base+".ptx") + "\n\t.byte\t0\n")
		library = byLibrary(&b, base+".library.ptx", len(d.ByLibrary), archive)
	}
	b.WriteString(".Lirgl_source:\n\t.string " + asmString(source) + "\n" + names.String())
	b.WriteString("\t.section\t.data.rel,\"aw\"\n\t.balign\t8\n.Lirgl_kernels:\n" + kernels.String())
	b.WriteString(".Lirgl_launched:\n" + launched.String())
	b.WriteString(".Lirgl_variables:\n" + variables.String())
	b.WriteString(".Lirgl_sites:\n" + sites.String())
	text, size := ".Lirgl_ptx", len(d.PTX)
	if d.ID != "" {
		text, size = "0", 0
	}
	fmt.Fprintf(&b, ".Lirgl_image:\n\t.long\t4, %d\n\t.quad\t.Lirgl_source, %s\n", d.Textures, text)
	fmt.Fprintf(&b, "\t.quad\t%d, .Lirgl_kernels, %d, .Lirgl_variables, %d, .Lirgl_launched, %d, 0\n", size, kernelCount, variableCount, len(d.Launched))
	fmt.Fprintf(&b, "\t.quad\t.Lirgl_sites, %d, %s\n", len(d.Sites), library)
	if d.ID == "" {
		b.WriteString(register(".Lirgl_image", "irgl_register"))
		return b.String()
	}
	b.WriteString(d.part(source, base))
	return b.String()
}

// byLibrary writes the PTX whose launches are by CUDA's device runtime, of a size, and the library's
// archive, which all objects of a program share, and returns the operands that name them.
func byLibrary(b *strings.Builder, ptx string, size int, archive string) string {
	if size == 0 {
		return "0, 0, 0"
	}
	b.WriteString(".Lirgl_library_ptx:\n\t.incbin\t" + asmString(ptx) + "\n\t.byte\t0\n")
	if archive == "" {
		return fmt.Sprintf(".Lirgl_library_ptx, %d, 0", size)
	}
	b.WriteString("\t.section\t.rodata.irgl_cudadevrt,\"aG\",@progbits,irgl_cudadevrt,comdat\n\t.balign\t8\n" +
		"\t.weak\tirgl_cudadevrt\n\t.hidden\tirgl_cudadevrt\nirgl_cudadevrt:\n\t.quad\t1f - 0f\n0:\n\t.incbin\t" + asmString(archive) + "\n1:\n\t.section\t.rodata\n")
	return fmt.Sprintf(".Lirgl_library_ptx, %d, irgl_cudadevrt", size)
}

// register returns directives for a call of a function of the runtime with the address of what
// a label is at, before the constructors of the program's objects.
func register(label, function string) string {
	call := "\tleaq\t" + label + "(%rip), %rdi\n\tjmp\t" + function + "@PLT\n"
	if runtime.GOARCH == "arm64" {
		call = "\tadrp\tx0, " + label + "\n\tadd\tx0, x0, :lo12:" + label + "\n\tb\t" + function + "\n"
	}
	return "\t.text\n.Lirgl_register:\n" + call + "\t.section\t.init_array.00101,\"aw\"\n\t.balign\t8\n\t.quad\t.Lirgl_register\n"
}

// host returns the symbol by which the host's code has the variable: its own, or that
// of the initial value of a managed one (see [hostcode.Rewrite]).
func (v *Variable) host() string {
	if v.Kind != ManagedVariable {
		return v.Symbol
	}
	name := baseName(v.Symbol)
	if name == v.Symbol {
		return hostcode.Initial + name
	}
	old, long := fmt.Sprintf("%d%s", len(name), name), hostcode.Initial+name
	if i := strings.LastIndex(v.Symbol, old); i >= 0 {
		return v.Symbol[:i] + fmt.Sprintf("%d%s", len(long), long) + v.Symbol[i+len(old):]
	}
	return hostcode.Initial + name
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
