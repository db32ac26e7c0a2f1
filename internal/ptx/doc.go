// Package ptx represents NVIDIA PTX assembly as a tree that prints, parses and
// verifies. It knows nothing of the compiler's SSA form: ptxgen builds these
// trees, the driver and the emulator take their text.
//
// A [Module] is the text's header and its declarations in order; a [Func]'s
// body is a list of statements: register and variable declarations, labels,
// instructions. An [Inst] keeps the opcode and its dotted modifiers as the
// text has them, so that any PTX can be carried; [Verify] checks those the
// package's instruction table knows, and refuses the others by name.
//
//	.version 7.0
//	.target sm_75
//	.address_size 64
//
//	.visible .entry scale(
//		.param .u64 scale_param_0,
//		.param .u32 scale_param_1
//	)
//	{
//		.reg .pred %p<2>;
//		.reg .b32 %r<4>;
//		.reg .b64 %rd<5>;
//
//		ld.param.u64 %rd1, [scale_param_0];
//		mov.u32 %r1, %tid.x;
//		setp.ge.u32 %p1, %r1, 64;
//		@%p1 bra $L_end;
//		mul.wide.u32 %rd2, %r1, 4;
//		add.s64 %rd3, %rd1, %rd2;
//		ld.global.u32 %r2, [%rd3+16];
//	$L_end:
//		ret;
//	}
//
// Print gives one canonical text; Parse reads it back to an equal module, and
// reads what other compilers print (nvcc's output for C99-tier kernels).
// [Link] makes one module of several that use each other's functions and variables.
// Malformed text gives source diagnostics with codes P0001 and up.
package ptx
