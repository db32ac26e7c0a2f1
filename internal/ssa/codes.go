package ssa

import "irgl/internal/source"

// The codes of the errors that [Parse] finds.
const (
	CodeSyntax    source.Code = "I0001" // v1 = add i32 v0 v0
	CodeUnknown   source.Code = "I0002" // v1 = plus i32 v0, v0
	CodeDuplicate source.Code = "I0003" // v1 = param i32 0, twice
	CodeUndefined source.Code = "I0004" // a use of v9, which no line defines
	CodeNumber    source.Code = "I0005" // v1 = const i32 99999999999999999999
	CodeEdges     source.Code = "I0006" // b1: <- b0, where b0 does not end in b1
	CodeTooMany   source.Code = "I0007" // more errors than are worth reporting
)

// The codes of the invariants that [Verify] checks; the comment states each.
const (
	CodeName       source.Code = "I0101" // names can be printed, and are one thing's in the module
	CodeGlobal     source.Code = "I0102" // a global has a space, a size, an alignment, no more bytes than its size
	CodeParam      source.Code = "I0103" // a parameter has a type, its size and alignment
	CodeBlock      source.Code = "I0104" // a block is in its function once, under its own number
	CodeEntry      source.Code = "I0105" // the entry has no predecessors
	CodeTerminator source.Code = "I0106" // successors and control are what the kind of block needs
	CodeEdge       source.Code = "I0107" // edges are known at both ends, as often at one as at the other
	CodePhi        source.Code = "I0108" // phis come first, with an argument a predecessor
	CodeValue      source.Code = "I0109" // a value is in its block once, under its own number; so are arguments
	CodeArgs       source.Code = "I0110" // the number of arguments is the operation's
	CodeType       source.Code = "I0111" // types of arguments and result are the operation's
	CodeField      source.Code = "I0112" // Int, Float, Sym and Mem hold what the operation needs, else nothing
	CodeDominance  source.Code = "I0113" // a definition dominates its uses
	CodeAlloca     source.Code = "I0114" // allocas are in the entry
	CodeReference  source.Code = "I0115" // globals, functions and parameters exist and have the type used
	CodeFunc       source.Code = "I0116" // a kernel returns nothing; launch bounds are not negative
)
