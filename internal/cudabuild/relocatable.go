package cudabuild

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/cxx/hir"
	"irgl/internal/dynpar"
	"irgl/internal/ptx"
)

// partSection is the section of an object that has device code to be linked. It has records:
// a line, irgl-part ID SIZE SOURCE, and the PTX of that size; behind it may be a line, irgl-library SIZE,
// and the PTX whose launches are by CUDA's device runtime. An object that device code was linked into
// has one of lines irgl-linked ID. The linker of programs leaves the section out.
const partSection = ".irgl_rdc"

// partSymbol is the symbol of the registered part of an object: the linked code names those
// that it has, so that the linker takes them out of archives.
const partSymbol = "irgl_part_"

// relocate makes d, which describes u, device code that is linked with that of other objects.
// Names that the host has and no other unit sees get the unit's ID, for they may be in several.
func (d *Device) relocate(u *compile.Unit) {
	sum := sha256.Sum256([]byte(u.Source.Name + "\x00" + d.PTX))
	d.ID = hex.EncodeToString(sum[:8])
	d.Names = map[string]string{}
	shared := map[string]bool{}
	for s := range u.CXX.Symbols {
		shared[s.Name] = s.Linkage != hir.Internal
	}
	for _, decl := range u.PTX.Decls {
		name, linkage := ptx.Symbol(decl)
		if linkage == "visible" && !shared[name] {
			d.Names[name] = name + "$" + d.ID
		}
		d.Queue = d.Queue || name == dynpar.Queue
	}
	for i := range d.Kernels {
		d.Kernels[i].Launches = d.Kernels[i].Launches || ptx.CallsOut(u.PTX, d.Kernels[i].Symbol)
	}
	ptx.Rename(u.PTX, d.Names)
	d.PTX = ptx.Print(u.PTX)
}

// part returns the directives for what the runtime registers, and the linker of device code reads.
func (d *Device) part(source, base string) string {
	var b strings.Builder
	queue := 0
	if d.Queue {
		queue = 1
	}
	symbol := partSymbol + d.ID
	fmt.Fprintf(&b, "\t.globl\t%[1]s\n\t.hidden\t%[1]s\n%[1]s:\n\t.quad\t.Lirgl_image, .Lirgl_id\n\t.long\t%[2]d, 0\n", symbol, queue)
	b.WriteString(register(symbol, "irgl_register_part"))
	fmt.Fprintf(&b, "\t.section\t%s,\"e\"\n\t.ascii\t%s\n\t.incbin\t%s\n", partSection,
		asmString(fmt.Sprintf("irgl-part %s %d %s\n", d.ID, len(d.PTX), source)), asmString(base+".ptx"))
	if d.ByLibrary != "" {
		fmt.Fprintf(&b, "\t.ascii\t%s\n\t.incbin\t%s\n", asmString(fmt.Sprintf("irgl-library %d\n", len(d.ByLibrary))), asmString(base+".library.ptx"))
	}
	return b.String()
}
