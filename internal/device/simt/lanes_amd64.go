package simt

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// blend copies the lanes of m from s to d.
//
//go:noescape
func blend(d, s *[32]uint64, m uint32)
