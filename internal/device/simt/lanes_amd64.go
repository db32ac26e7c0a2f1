package simt

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT

func init() {
	if hasVectors {
		blend, spread, distinct, load32, load64 = blendVector, spreadVector, distinctVector, load32Vector, load64Vector
		loadRow32, storeRow32 = loadRow32Vector, storeRow32Vector
	}
}

//go:noescape
func blendVector(d, s *[32]uint64, m uint32)

//go:noescape
func spreadVector(off, regs *[32]uint64, m uint32, rest, base, limit, step uint64) (bits uint64, over, row bool)

//go:noescape
func distinctVector(off *[32]uint64, base uint64) int

//go:noescape
func load32Vector(d, off *[32]uint64, data []byte)

//go:noescape
func load64Vector(d, off *[32]uint64, data []byte)

//go:noescape
func loadRow32Vector(d *[32]uint64, data []byte)

//go:noescape
func storeRow32Vector(data []byte, s *[32]uint64) (same uint32)
