// Package ptxgen turns SSA into a PTX module: it selects instructions, takes
// the functions out of SSA form, lays out blocks and names registers.
// [Generate] is the only entry; it does not change the module it is given.
//
//	b1: ; b0                               $L_1:
//	  v5 = sext i64 v3                       mul.wide.s32 %rd2, %r1, 4;
//	  v6 = const i64 4                       add.s64 %rd3, %rd1, %rd2;
//	  v7 = mul i64 v5, v6            =>      ld.global.u32 %r3, [%rd3+16];
//	  v8 = ptradd ptr.global v1, v7
//	  v9 = const i64 16
//	  v10 = ptradd ptr.global v8, v9
//	  v11 = load i32 v10 align 4
//
// How values live in registers:
//
//	i1            %p   a predicate; in memory and in parameters a byte, 0 or 1
//	i8, i16, i32  %r   32 bits; the bits above an i8's or i16's width are not
//	                   defined, and an operation that depends on them (division,
//	                   comparison, right shift, widening) extends first
//	i64, pointers %rd  an address in a state space counts from its window
//	f32, f64      %f %fd
//
// Selection visits each block backwards, so that an operation folded into its
// user (a constant, an address offset, an extension before a multiplication)
// and a value without uses emit no instruction. Phis become copies at the
// ends of the predecessors, on a split edge where that edge is critical;
// copies whose two registers do not interfere are coalesced.
//
// Several operations for which the machine has a single instruction are
// combined: products in sums (mad, mul.wide), rotations and funnel shifts
// (shf), the halves of 64 bits (mov.b64 of two registers), reciprocals.
//
// Floating point is IEEE with every operation rounded: add.rn, so that ptxas does not
// contract, unless [Options.FuseMulAdd] is set. Integer
// division is the plain instruction: the result of a division by zero is unspecified in
// PTX, and NVIDIA's devices give all ones, as package ssa requires.
//
// Not accepted, with an error that names the function and the value: an access
// less aligned than its size, a store to constant memory, an atomic operation
// on 8 or 16 bits, a special register that PTX does not have, a global with an
// initialiser in shared memory.
package ptxgen
