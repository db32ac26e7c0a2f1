// Package cxx is the front end of CUDA C++: it turns a .cu file in C++17 into a tree of
// the CUDA dialect, which is C, for the stages that all programs share.
//
//	cpp.Preprocess   text        -> tokens, with the prelude and what the file includes
//	parse.Parse      tokens      -> ast, without types; bodies are read late
//	sema.Check       ast         -> hir: names, overloads, templates, what kernels reach
//	lower.Lower      hir         -> syntax.File in the CUDA dialect
//
// [Parse] makes a [Unit] with the syntax tree, [Unit.Check] its semantic tree, and
// [Unit.Lower] the CUDA tree. Errors are diagnostics at the places of
// the C++ source, and so are the spans of the CUDA tree's nodes.
//
// Code that runs on the host is not analysed, but for the launches in it, which name the
// instances of kernel templates, the lambdas that are their arguments, and the local
// declarations that these see. The host's half of a program is package hostcode's.
package cxx
