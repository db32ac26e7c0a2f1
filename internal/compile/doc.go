// Package compile is the table of stages that turns a program's text into PTX,
// and the options of all of them in one struct.
//
// [Compile] takes a source file and runs the stages in order up to the one
// asked for; the [Unit] it returns holds what each stage made:
//
//	parse     text            -> Tree, the syntax tree
//	check     Tree            -> Info, names and types
//	lower     Tree, Info      -> CUDA, a CUDA tree          (.irgl only)
//	recheck   CUDA            -> CUDAInfo                   (.irgl only)
//	ssagen    CUDA, CUDAInfo  -> SSA, device functions
//	opt       SSA             -> SSA, after the scalar passes
//	ptxgen    SSA             -> PTX
//
// A .cu file enters at parse and is its own CUDA tree. In C++ (Options.CXX) parse makes the
// tree of package cxx, and check analyses it, lowers it to the CUDA tree and checks that. A program with C text
// (CBlock, Names) goes as far as recheck, which is all that its .cu text needs; in front
// of ssagen the text is parsed and checked, and refused if it is not C99. Throughput passes and launch
// transformations have their places before and after lower; the tables of later
// stages do not change for them.
//
// [Unit.Emit] prints any of them: the tree (ast), the CUDA program (cu), the
// SSA module (ssa), the PTX text (ptx). The same text and options give the
// same bytes. An error in the program's text is a list of diagnostics
// (source.Diagnostics finds it in the error); any other error is a fault of
// the compiler and says so.
package compile
