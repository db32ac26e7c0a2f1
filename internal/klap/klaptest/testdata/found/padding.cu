// grid 2 1 block 64 1 n 126
// A struct with padding goes by value to a function that is inlined: bytes of the copy may not have been written.
__global__ void k1(unsigned *__restrict__ out, unsigned id, int left, struct padded p0, struct nested p1, struct nested p2) {
	unsigned h = mix(mix(id, 2u), here());
	if (left > 0 && h % 51u == 26u) {
		struct nested v2 = nested0; v2.p.a = 1; v2.p.l = (long)h; v2.p.s = 2; v2.b[0] = (unsigned char)h; v2.b[1] = 3; v2.b[2] = (unsigned char)(h >> 7);
		k1<<<1, blockDim.x, 0, (cudaStream_t)4>>>(out, id, left - 1, p0, p2, v2);
	}
}
__global__ void root(unsigned *out, const unsigned *in, int n) {
	int left = 2;
	unsigned id = blockIdx.y * gridDim.x + blockIdx.x;
	unsigned i = id * size() + linear();
	unsigned h = mix(in[i % (unsigned)n], here());
	dim3 b7 = {1u + h % 9u, 1u + h % 3u, 1u};
	stream q8;
	cudaStreamCreateWithFlags(&q8, 1u);
	struct padded v9 = padded0; v9.a = (signed char)h; v9.l = (long)h << 20; v9.s = (short)(h >> 9);
	struct nested v10 = nested0; v10.p.a = 1; v10.p.l = (long)h; v10.p.s = 2; v10.b[0] = (unsigned char)h; v10.b[1] = 3; v10.b[2] = (unsigned char)(h >> 7);
	struct nested v11 = nested0; v11.p.a = 1; v11.p.l = (long)h; v11.p.s = 2; v11.b[0] = (unsigned char)h; v11.b[1] = 3; v11.b[2] = (unsigned char)(h >> 7);
	k1<<<1, b7, 0, (cudaStream_t)q8>>>(out, mix(h, 45u), left / 2, v9, v10, v11);
}
