// grid 3 1 block 64 1 n 32
__global__ void leaf0(unsigned *out, const unsigned *in, const unsigned *own, unsigned n, int a, float f, unsigned long l) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
}
__global__ void leaf1(unsigned *out, const unsigned *in, const unsigned *own, unsigned n, int a, float f, unsigned long l) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	unsigned h = mix(mix(*own, i * 4u), gridDim.x + (unsigned)a + (unsigned)f + (unsigned)l);
	record(out, mix(h, in[(i + (unsigned)a) % 32u]));
}
__global__ void between(unsigned *out, const unsigned *in, unsigned h) {
	h = mix(h, here());
	if (mix(h, 71u) % 5u == 0u) {
		unsigned m3 = h / 7u % 3u;
		unsigned *p4 = cell(h);
		leaf0<<<(m3 + 31u) / 32, 32, 0, (cudaStream_t)4>>>(out, in, p4, m3, (int)(h % 9u), (float)(h % 50u), (unsigned long)h);
	}
	if (mix(h, 0u) % 5u == 0u) {
		unsigned m5 = h / 7u % 3u + 1u;
		unsigned *p6 = cell(h);
		leaf1<<<(m5 + 7u) / 8, 8, 0, (cudaStream_t)4>>>(out, in, p6, m5, 5, 2.0f, 7ul);
	}
}
__global__ void root(unsigned *out, const unsigned *in, int n) {
	unsigned h = mix(in[linear() % 32u], here());
	between<<<1u + h % 2u, 33, 0, (cudaStream_t)4>>>(out, in, h);
}
// seed 13, block threshold -1 coarsen 0 pool 131072 flattened true: reports: schedule 0: uninitialised in kernel between_agg: thread 0 of block 7 reads byte 52 of local memory that it has not written in "ld.u32 %r411, [%rd2+4]" (PTX line 2534)
