// A stand-in for CUDA's device runtime: it records launches. The second of them fails.
struct __align__(64) record {
	unsigned char args[128]; // as aligned as the library's
	void *function;
	unsigned size[6], shared;
	unsigned long stream;
};
__device__ record launched[8];
__device__ int count, last;
extern "C" __device__ void *__cudaCDP2GetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned shared) {
	if (grid.x * grid.y * grid.z == 0 || block.x * block.y * block.z > 1024) {
		last = 9;
		return nullptr;
	}
	record &r = launched[count];
	r.function = function;
	r.size[0] = grid.x;
	r.size[1] = grid.y;
	r.size[2] = grid.z;
	r.size[3] = block.x;
	r.size[4] = block.y;
	r.size[5] = block.z;
	r.shared = shared;
	return r.args;
}
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void *args, cudaStream_t stream) {
	launched[count++].stream = (unsigned long)stream;
	return last = count == 2 ? 69 : 0;
}
extern "C" __device__ int __cudaCDP2GetLastError() { int e = last; last = 0; return e; }
extern "C" __device__ int __cudaCDP2PeekAtLastError() { return last; }
