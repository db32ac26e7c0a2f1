// Package ptxtest makes random PTX programs that have one answer on every device: the differential test of the
// emulator against GPUs, of whole kernels rather than of single instructions.
//
// [Generate] takes a seed and gives a [Program], always the same one: a kernel of straight-line code, calls, branches,
// switches and counted loops, uniform and divergent, over registers of 16, 32 and 64 bits and predicates that all
// instructions share, so that a half-precision sum becomes the operand of a byte permutation, a shuffle and a
// product of matrices:
//
//	vote.sync.ballot.b32 %m2, %p3, %m1;
//	@!%p3 bra $else7;
//	dp4a.s32.u32 %r4, %r1, %r9, %r4;
//	fma.rn.relu.bf16x2 %r2, %r4, %r7, %r2;
//	redux.sync.xor.b32 %r5, %r2, %m2;
//	...
//
// Every program is defined: registers and memory are written before they are read, addresses are in bounds and
// aligned, member masks name exactly the lanes that arrive, since each divergent branch begins with a vote on its condition, barriers
// are where all threads of a block come, and threads exchange values in shared memory between two barriers only. What PTX leaves open is not seen: payloads
// of NaNs that the manual does not fix are replaced by one NaN, approximate functions are left out, and products of matrices of floating-point
// numbers are of small integers, whose sums are exact in any order.
// Nor do programs have what NVIDIA's assembler is known to compile wrongly, which the list of instructions names: a difference is to be looked into.
//
// At its end each thread stores all registers, its shared, local and global memory, and a digest of values that were overwritten on
// the way. [Run] runs programs, as many as a module has, and gives what they have stored; [Compare] names the
// first value that differs; [Reduce] cuts a program down to the statements that matter. The package's tests compare emulators, with
// other schedules and without checks, and plant mistakes that must be seen; package simt's compare its vector code with Go's loops. On a
// machine with a GPU,
//
//	IRGL_PTXTEST="cuda 0 10000" go test ./internal/device/ptxtest -run TestGPU -v
//
// compares ten thousand programs on it with the emulator, in as many processes as there are CPUs, and shows what differs as a
// small program with the thread and the value.
package ptxtest
