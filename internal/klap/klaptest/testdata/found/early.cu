// grid 2 1 block 58 1 n 100
// Threads return in front of a barrier: the end of the kernel is no place where all meet.
__global__ void leaf(unsigned *out, unsigned h) { record(out, mix(h, here())); }
__global__ void root(unsigned *out, const unsigned *in, int n) {
	unsigned i = blockIdx.x * size() + linear();
	if (i >= (unsigned)n) return;
	unsigned h = mix(in[i], here());
	if (h % 2u) leaf<<<1, 33, 0, (cudaStream_t)4>>>(out, h);
	__shared__ unsigned s[1];
	if (linear() == 0u) s[0] = 0u;
	__syncthreads();
	atomicAdd(&s[0], h);
	__syncthreads();
	record(out, s[0]);
}
