// Launches of kernels with arguments of several sizes.
struct mixed { char c; double d; float3 f; };
__global__ void none() {}
__global__ void child(char c, mixed m, short s, const int *p) {}
__global__ void parent(int *p) {
	child<<<dim3(2, 3, 4), dim3(5, 6), 7, cudaStreamTailLaunch>>>(1, mixed{2, 2.5, {3, 4, 5}}, 6, p);
	none<<<8, 9>>>();
	p[0] = cudaPeekAtLastError();
	p[1] = cudaGetLastError();
	p[2] = cudaGetLastError();
	child<<<1, 2000>>>(1, mixed{}, 2, p);
	p[3] = cudaGetLastError();
}
