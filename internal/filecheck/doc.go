// Package filecheck compares a text with directives that say what is essential
// in it, after LLVM's tool FileCheck. Tests use it for texts too long to review as
// a whole: a listing of a program's PTX, say, of which three lines matter.
//
//	COUNT 1: .entry BFS
//	CHECK: .visible .entry BFS
//	CHECK-NOT: bar.sync
//	CHECK: ld.global.nc.u32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
//	CHECK-NEXT: setp.{{eq|ne}}.s32
//
// A directive holds of a line of the text if its pattern occurs in the line.
// A pattern is literal but for regular expressions between {{ and }}; a run of
// blanks stands for any run of blanks.
//
//	CHECK: P       some line after the one matched last has P
//	CHECK-NEXT: P  the next line has P
//	CHECK-NOT: P   no line up to the next match, or to the end, has P; a CHECK-NEXT cannot follow
//	COUNT N: P     N lines of the whole text have P
//
// Lines of the directives without one of these words are comments.
package filecheck
