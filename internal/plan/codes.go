package plan

import "irgl/internal/source"

// The codes of the diagnostics about attributes, each with its smallest program.
const (
	// CodeUnknown: an attribute that there is not.
	//
	//	Kernel K() { [[bach(4)]] ForAll (i In WL) { } }
	CodeUnknown source.Code = "A0001"

	// CodeArgs: wrong arguments of an attribute, or the same attribute twice.
	//
	//	Kernel K() { [[batch]] ForAll (i In WL) { } }
	CodeArgs source.Code = "A0002"

	// CodeSuits: an attribute of a statement that it does not suit.
	//
	//	Kernel K() { ForAll (i In WL) { [[batch(4)]] WL.push(1); } }
	CodeSuits source.Code = "A0003"

	// CodeRefused: a decision of the program that is not legal, with the reason.
	//
	//	Kernel K() { ForAll (i In WL) { [[reserve(warp)]] WL.push(1); } } Host m() { Iterate K() Initial [1]; }
	CodeRefused source.Code = "A0004"
)
