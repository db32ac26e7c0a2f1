// Package klaptest makes random programs that launch kernels in kernels, and compares each with
// what package klap makes of it, on the emulator.
//
// [Generate] returns the program of a seed: kernels that launch each other and themselves up to a
// depth, from threads that diverge, in loops and in functions, into all kinds of streams, with
// configurations and arguments of all types, some of which no device accepts. What threads
// compute is a hash of all that they can see, added to a table by atomic operations, so that each
// schedule must give the same table:
//
//	__global__ void k1(unsigned *out, unsigned id, int left, struct padded p0) {
//		unsigned h = mix(mix(id, 1u), here());
//		...
//		if (left > 0 && h % 29u == 3u) {
//			k2<<<h % 4u, 33, 0, (cudaStream_t)4>>>(out, mix(h, 7u), left - 1, (short)h);
//		}
//		record(out, h);
//	}
//
// [Check] runs it as it is and transformed, in several schedules, with all checks of the emulator, and
// reads the transformed text back. A [Finding] is a difference; [Reduce] makes its program smaller. A [Runner] is a
// device that runs a program and what its device code launches, as the runtime does.
//
// Faults that are found are kept in testdata/found as programs, and are checked with all [Variants].
// Faults that are planted in transformed text (faults_test.go) must be found.
package klaptest
