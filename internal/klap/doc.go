// Package klap transforms launches in device code (dynamic parallelism): kernel launch
// aggregation, of "KLAP: Kernel Launch Aggregation and Promotion for Optimizing Dynamic
// Parallelism" (El Hajj et al., MICRO 2016, section II and Figure 12).
//
// [Transform] runs passes over the CUDA tree, that of C++ too, in front of package dynpar. The
// launches of the threads of a warp, a block, a group of blocks or the grid become one launch of an
// aggregated kernel:
//
//	__global__ void parent(int *p, int n) {
//		struct __klap_child __klap_0;
//		__klap_0.pred = 0;
//		{
//			int i = blockIdx.x * blockDim.x + threadIdx.x;
//			if (i >= n) goto __klap_end;
//			__klap_set_child(&__klap_0, i % 4, 32, 0, i, n); // child<<<i % 4, 32>>>(p, i)
//		}
//	__klap_end:
//		__klap_end_parent(__klap_thread(), __klap_threads(), &__klap_0, p);
//	}
//
// A launch is asynchronous and nothing waits for it, so that it may as well happen at the kernel's
// end, which all threads reach: divergent control flow becomes data flow. There the group scans the
// sizes of its launches, writes configurations and arguments to a chunk of a pool in device memory,
// and one thread launches child_agg. If the child's threads do not meet, its lanes do the threads that launches ask for (flatten.go). Else each block of that finds its launch by a division, if all have the same number of
// blocks, and else by a p-ary search of the scan that begins where the launch is likely to be: one warp does it, and copies the
// arguments to shared memory for the others. The block executes the body of child with the indices that it had there. Arguments that all
// threads of a group pass alike are parameters of child_agg.
//
// A chunk lives until the last block has read its arguments. If the pool is exhausted, or if a launch
// has a configuration that cannot be part of an aggregated one, threads launch as the program has it.
//
// Launches of kernels by themselves are promoted (section III): promote.go has that.
//
// In front of that, threads do launches of few threads themselves (threshold.go), and blocks of children do several
// blocks (coarsen.go), as in "A Compiler Framework for Optimizing Dynamic Parallelism on GPUs" (Olabi et al., CGO 2022).
//
// Which launches can be deferred and joined is a matter of streams, loops and of what the child does
// (sites.go, legal.go); [Report] has the reason for each launch that stays. The library text is
// klap.cu. The host's code stays as it is.
package klap
