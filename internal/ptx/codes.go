package ptx

import "irgl/internal/source"

// The codes of this package's diagnostics. Each is given with the smallest
// text that produces it; testdata/codes holds an archive for every one.
const (
	codeChar       source.Code = "P0001" // mov.u32 ?;            a character that PTX does not use
	codeComment    source.Code = "P0002" // /* open               a comment without end
	codeString     source.Code = "P0003" // .pragma "open         a string without end
	codeNumber     source.Code = "P0004" // mov.b32 %r1, 0f12;    a malformed number
	codeSyntax     source.Code = "P0005" // .entry k( { }         a token that does not fit
	codeHeader     source.Code = "P0006" // .entry k() { }        no .version, .target or .address_size
	codeDirective  source.Code = "P0007" // .tex .u64 t;          a directive that is not supported
	codeDepth      source.Code = "P0008" // {{{{ ... }}}}         blocks nested more than 100 deep
	codeInitialise source.Code = "P0009" // .shared .u32 x = 1;   an initial value where none may be

	codeRedeclared  source.Code = "P0101" // .reg .b32 %a; .reg .b32 %a;
	codeUndeclared  source.Code = "P0102" // mov.u32 %r9, 0;      with no %r9
	codeNoLabel     source.Code = "P0103" // bra $nowhere;
	codeUnknownOp   source.Code = "P0104" // frob.u32 %r1, %r2;
	codeModifier    source.Code = "P0105" // add.rn.u32 %r1, %r2, %r3;
	codeOperands    source.Code = "P0106" // add.u32 %r1, %r2;    wrong number or shape of operands
	codeType        source.Code = "P0107" // add.u32 %rd1, %r2, %r3; a register of another type class
	codeParamBounds source.Code = "P0108" // ld.param.u64 %rd1, [k_param_0]; of a .u32 parameter
	codeCall        source.Code = "P0109" // call f, (a); of an f with two parameters
	codeVar         source.Code = "P0110" // .shared .align 3 .u32 x; a declaration that cannot be
	codeTarget      source.Code = "P0112" // add.bf16 %rs1, %rs2, %rs3;   an instruction that the version or target of the module lacks
	codeGuard       source.Code = "P0111" // @%r1 ret;            a guard that is not a predicate
)
