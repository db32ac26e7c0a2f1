// Package source holds what every stage of the compiler shares about text:
// files, positions in them, and the diagnostics that users see.
//
// A [Pos] is a file and a byte offset; line and column are computed only when
// a diagnostic is printed. A [Diagnostic] has a severity, a stable [Code], one
// main range, a message, an optional hint and notes at other positions. A
// [List] collects diagnostics, so that one run reports many errors:
//
//	bfs.irgl:7:11: error: n has no property "lvel" [C0123]
//	    7 |       if (e.dst.lvel == INF) {
//	      |           ^~~~~~~~~~
//	  hint: graph declares: level
//
// Every error about a program's text, whatever stage finds it, is a
// Diagnostic: no stage invents an error type of its own. Errors without a
// position in a source text (a missing file, a device out of memory) are
// ordinary Go errors.
//
// The package refuses nothing and knows no language.
package source
