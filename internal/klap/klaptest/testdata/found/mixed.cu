// grid 2 1 block 40 1 n 80
// Launches in a loop, and two that follow each other in a stream: over several blocks the first ones have no order.
__global__ void step(unsigned *c, unsigned v) { if (linear() == 0u && blockIdx.x == 0u) *c = *c * 3u + v; }
__global__ void last(unsigned *out, const unsigned *c, unsigned h) { if (linear() == 0u) record(out, mix(h, *c)); }
__global__ void leaf(unsigned *out, unsigned h) { record(out, mix(h, here())); }
__global__ void root(unsigned *out, const unsigned *in, int n) {
	unsigned h = mix(in[blockIdx.x * size() + linear()], here());
	for (unsigned i = 0u; i < h % 3u; i++) leaf<<<1, 1u + i, 0, (cudaStream_t)4>>>(out, mix(h, i));
	if (h % 4u == 0u) {
		unsigned *c = cell(h);
		step<<<1, 32, 0, (cudaStream_t)2>>>(c, 5u);
		last<<<1, 1, 0, (cudaStream_t)2>>>(out, c, h);
	}
}
