// Package cudabuild makes programs of CUDA C++ sources: what nvcc's driver does, with
// the machine's C++ compiler for host code and ours for device code (gpucc, section 2).
//
//	a.cu ─► c++ -E ─► hostcode.Rewrite ─► c++ -S ─► assembler text ──────┐
//	  │                                             │ symbols of stubs   ├─► c++ -c ─► a.o
//	  └──────────────► cxx, check, ssagen, opt, ptxgen ─► PTX, tables ───┘
//	a.o, b.o, the runtime (package cudart) ─► c++ ─► program
//
// The assembler text of a file's host code says which kernels, and which instances of
// template kernels, the program uses: those are compiled for the device. Their PTX goes
// into the same object, with a table of the stubs and of the device's variables, in a
// section whose parts the linker joins: the runtime finds the modules of all objects
// without code that runs before main.
//
// Relocatable device code (-rdc=true) is in a section that the linker of programs leaves out.
// It is linked by [ptx.Link] before the program is, to one module in an object of its own; the
// tables of the objects refer to that by ids.
//
// [ParseFlags] takes the command lines that nvcc takes, so that the Makefiles of public
// suites work with "irgl cuda build" in nvcc's place; options that mean nothing here are
// accepted, and those that would be missed are errors. [Build] runs them.
package cudabuild
