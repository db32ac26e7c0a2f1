// Launches by CUDA's device runtime, which the driver links into the module: libcudadevrt.a has these
// functions since CUDA 12. The queue of common.cu only has the errors that no thread has asked for; it is
// null without our runtime.

extern __device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int shared);
extern __device__ int __cudaCDP2LaunchDeviceV2(void *parameters, cudaStream_t stream);
extern __device__ int __cudaCDP2LaunchDeviceV2_ptsz(void *parameters, cudaStream_t stream);
extern __device__ int __cudaCDP2GetLastError(void);
extern __device__ int __cudaCDP2PeekAtLastError(void);
extern __device__ int __cudaCDP2StreamCreateWithFlags(void **stream, unsigned int flags);
extern __device__ int __cudaCDP2StreamDestroy(void *stream);
extern __device__ int __cudaCDP2GetDevice(int *device);
extern __device__ int __cudaCDP2MemcpyAsync(void *to, const void *from, unsigned long n, int kind, void *stream);
extern __device__ int __cudaCDP2MemsetAsync(void *p, int value, unsigned long n, void *stream);

static __device__ int irgl_launch_error(int take, struct irgl_launch_state *state) {
	int found = irgl_launch_asked(take, state);
	int other = take ? __cudaCDP2GetLastError() : __cudaCDP2PeekAtLastError();
	return found != 0 ? found : other;
}

static __device__ int irgl_launch_stream(void **s) { return __cudaCDP2StreamCreateWithFlags(s, 1); }

static __device__ int irgl_launch_destroy(void *s) { return __cudaCDP2StreamDestroy(s); }

// Copies wait for the children in front of them in the stream.
static __device__ int irgl_launch_copy(void *to, const void *from, unsigned long n, int kind, void *stream) {
	return __cudaCDP2MemcpyAsync(to, from, n, kind, stream);
}

static __device__ int irgl_launch_fill(void *p, int value, unsigned long n, void *stream) {
	return __cudaCDP2MemsetAsync(p, value, n, stream);
}

static __device__ int irgl_launch_device(void) {
	int device = 0;
	__cudaCDP2GetDevice(&device);
	return device;
}

// irgl_launch_lost records a launch that has failed with an error, or with that of the library if it is 0, and returns the error. It
// takes the configuration by component: structs would keep a stack frame in every kernel that launches.
static __device__ __noinline__ int irgl_launch_lost(int code, unsigned int kernel, unsigned int site, unsigned int gx, unsigned int gy, unsigned int gz,
                                                    unsigned int bx, unsigned int by, unsigned int bz, unsigned long shared) {
	dim3 grid, block;
	grid.x = gx;
	grid.y = gy;
	grid.z = gz;
	block.x = bx;
	block.y = by;
	block.z = bz;
	int last = __cudaCDP2GetLastError();
	if (code == 0) {
		code = !irgl_launch_possible(grid, block, shared) ? 9 : last; // cudaErrorInvalidConfiguration
	}
	return irgl_launch_failed(code != 0 ? code : 69, kernel, site, grid, block, shared); // cudaErrorLaunchPendingCountExceeded
}

// irgl_launch returns where the arguments of a launch go; null on an error, as for a configuration that
// no device can run.
static __device__ void *irgl_launch(void *function, unsigned int kernel, unsigned int site, dim3 grid, dim3 block, unsigned long shared,
                                      struct irgl_launch_state *state) {
	void *p = __cudaCDP2GetParameterBufferV2(function, grid, block, shared);
	if (p == 0) {
		irgl_launch_note(state, irgl_launch_lost(0, kernel, site, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared));
	}
	return p;
}

// irgl_launch_commit launches what irgl_launch has prepared.
static __device__ void irgl_launch_commit(void *p, cudaStream_t stream, unsigned int kernel, unsigned int site, dim3 grid, dim3 block, unsigned long shared,
                                             struct irgl_launch_state *state) {
	int code;
	if (stream == (cudaStream_t)2 || IRGL_PER_THREAD && stream == 0) { // cudaStreamPerThread, which is the library's by its function
		code = __cudaCDP2LaunchDeviceV2_ptsz(p, 0);
	} else {
		code = __cudaCDP2LaunchDeviceV2(p, stream == (cudaStream_t)1 ? 0 : stream); // cudaStreamLegacy
	}
	if (code != 0) {
		irgl_launch_note(state, irgl_launch_lost(code, kernel, site, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared));
	}
}
