// Package devlib holds the library that lowered programs use, written in the
// compiler's own CUDA dialect and embedded in the binary: worklists,
// reductions, thread numbering, the barrier of the grid, the phases of Exclusive
// and the exchange of lists in control kernels (device.cu), what the threads of a
// warp or a block do together (coop.cu; which function is the form of which for
// whom is said by annotations that [Method] looks up), worklists of nodes whose
// items bring the bounds of their edges (bounds.cu), rounds of one block or
// cluster alone (scope.cu), first items loaded early (ahead.cu), and pipes, element access, launch sizes and
// the counts of a mesh for host functions (host.cu).
//
// The sources are parsed by package syntax like any program. [Library.Select]
// returns the declarations that a set of names needs, in order, so that a
// lowered program carries only what it uses:
//
//	lib, err := devlib.Load(devlib.Options{})
//	decls := lib.Select("irgl_push", "irgl_pipe_swap")
//
// gives struct irgl_worklist, struct irgl_pipe, the two functions and whatever
// they call. All names start with irgl_, so that they do not meet a program's.
// The mathematical library (math/*.cu) is apart: it has the functions of
// <math.h> that are more than an instruction, for device code that calls expf
// or pow. [SelectMath] parses only the declarations that a call needs. Its
// polynomials are of least maximal error, found by Remez's exchange in 40
// digits and rounded (math/fit.py makes them); docs/math.md has the errors that
// were measured.
//
// Options chooses the type of row offsets: 32-bit where the graph's edges fit,
// 64-bit where not.
package devlib
