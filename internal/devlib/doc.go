// Package devlib holds the library that lowered programs use, written in the
// compiler's own CUDA dialect and embedded in the binary: worklists,
// reductions, thread numbering, the barrier of the grid and the phases of
// Exclusive for kernels (device.cu), what the threads of a warp or a block do
// together (coop.cu; which function is the form of which for whom is said by
// annotations that [Method] looks up), and pipes, element access, launch sizes and
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
// Options chooses the type of row offsets: 32-bit where the graph's edges fit,
// 64-bit where not.
package devlib
