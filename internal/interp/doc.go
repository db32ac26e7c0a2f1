// Package interp runs a checked IrGL program directly: it is the language's
// reference semantics, the oracle that compiled code is compared with, and the
// engine of last resort.
//
// [New] takes the Info of an .irgl file that checked without errors and gives an
// [Engine], whose Run takes a prepared graph and arguments and gives the output
// properties and globals. Each run compiles the program to closures over its
// own memory, so that runs may go on at the same time:
//
//	e, err := interp.New(info, interp.Options{})
//	res, err := e.Run(ctx, run.Input{Graph: g, Args: []run.Value{run.IntValue(0)}})
//
//	n.level + 1        func() int64 { return int64(int32(load() + 1)) }
//
// One thread runs the iterations of a ForAll in order, or, with Options.Seed,
// in a random order that the seed determines: iterations are unordered, so a
// correct program gives the same verified answer with every seed. What one
// iteration writes, later ones read: programs that race may give other answers
// than on a device, and those are allowed answers too. An Atomic never finds its
// lock taken by another iteration; to wait for one that is taken is an error.
//
// The values are those of the target machine: integers wrap, shifts by the
// width or more give 0 or the sign, division by zero gives all ones, floats
// round after each operation and saturate when they become integers.
//
// Nothing that a program does ends in a Go panic or touches memory that is not
// its own. A node, edge or array index out of range, a null or stray pointer, a
// variable read before it has a value end the run with an error at the place of
// the expression:
//
//	a.irgl:9:12: error: the graph has no node -1: its nodes are 0 to 33 [R0102]
//
// Refused by New, with a diagnostic, are jumps into a block from outside and
// case labels below the first level of their switch.
//
// The package shares no code with the compiler or with generated Go: an oracle
// that did would share their mistakes.
package interp
