// Launches in device code: arguments of several sizes, streams, errors, kernels that launch
// themselves and each other.
struct mixed { char c; double d; float3 f; };
__global__ void other(int *p, int n);
__global__ void child(char c, mixed m, short s, int *p) { p[threadIdx.x] = m.c + c + s; }
__global__ void again(int *p, int n) {
	if (n > 0) other<<<dim3(n, 2, 3), 32, 16>>>(p, n - 1);
}
__global__ void other(int *p, int n) {
	if (n > 0) again<<<1, 32>>>(p, n - 1);
	child<<<1, 32, 0, cudaStreamTailLaunch>>>('a', mixed{'b', 2.5, {1, 2, 3}}, 3, p);
}
__global__ void none() {}
__global__ void parent(int *p) {
	cudaStream_t s;
	p[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	none<<<1, 1, 0, s>>>();
	p[1] = cudaStreamDestroy(s);
	again<<<1, 32, 0, cudaStreamFireAndForget>>>(p, 3);
	p[2] = cudaPeekAtLastError();
	p[3] = cudaGetLastError();
	cudaGetDevice(p + 4);
}
