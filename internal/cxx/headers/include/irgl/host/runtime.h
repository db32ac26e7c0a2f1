// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the CUDA runtime is written in terms of the rest, for programs whose host code irgl
// evaluates. The functions are declared in cuda_runtime_api.h.
#pragma once

#include <irgl_emulator.h>

extern "C" {
cudaError_t __irgl_record(cudaError_t error);
cudaError_t __irgl_device(char *name, size_t *numbers);
cudaError_t __irgl_block(const void *p, int *kind);
cudaError_t __irgl_launch(const void *kernel, const dim3 *grid, const dim3 *block, size_t shared, cudaStream_t stream, void **args, int cooperative);
cudaError_t __irgl_kernel(const void *kernel, int *numbers);
cudaError_t __irgl_dynamic(const void *kernel, int bytes);
cudaError_t __irgl_occupancy(const void *kernel, int threads, size_t shared, int *blocks);

inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
	if (!p) return __irgl_record(cudaErrorInvalidValue);
	if (device != 0) return __irgl_record(cudaErrorInvalidDevice);
	size_t n[10];
	for (size_t i = 0; i < sizeof *p; i++) ((char *)p)[i] = 0;
	cudaError_t e = __irgl_device(p->name, n);
	if (e != cudaSuccess) return e;
	p->totalGlobalMem = n[0];
	p->sharedMemPerBlock = n[1];
	p->warpSize = (int)n[2];
	p->maxThreadsPerBlock = (int)n[3];
	p->major = (int)n[4];
	p->minor = (int)n[5];
	p->multiProcessorCount = (int)n[6];
	p->maxThreadsPerMultiProcessor = (int)n[7];
	p->cooperativeLaunch = (int)n[8];
	p->clusterLaunch = (int)n[9];
	irgl_emulator_properties(p);
	return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr a, int device) {
	cudaDeviceProp p;
	if (!v) return __irgl_record(cudaErrorInvalidValue);
	cudaError_t e = cudaGetDeviceProperties(&p, device);
	if (e != cudaSuccess) return e;
	switch (a) {
	case cudaDevAttrMaxThreadsPerBlock: *v = p.maxThreadsPerBlock; break;
	case cudaDevAttrMaxBlockDimX: *v = p.maxThreadsDim[0]; break;
	case cudaDevAttrMaxBlockDimY: *v = p.maxThreadsDim[1]; break;
	case cudaDevAttrMaxBlockDimZ: *v = p.maxThreadsDim[2]; break;
	case cudaDevAttrMaxGridDimX: *v = p.maxGridSize[0]; break;
	case cudaDevAttrMaxGridDimY: *v = p.maxGridSize[1]; break;
	case cudaDevAttrMaxGridDimZ: *v = p.maxGridSize[2]; break;
	case cudaDevAttrMaxSharedMemoryPerBlock: *v = (int)p.sharedMemPerBlock; break;
	case cudaDevAttrTotalConstantMemory: *v = (int)p.totalConstMem; break;
	case cudaDevAttrWarpSize: *v = p.warpSize; break;
	case cudaDevAttrMaxRegistersPerBlock: *v = p.regsPerBlock; break;
	case cudaDevAttrClockRate: *v = p.clockRate; break;
	case cudaDevAttrMultiProcessorCount: *v = p.multiProcessorCount; break;
	case cudaDevAttrMemoryClockRate: *v = p.memoryClockRate; break;
	case cudaDevAttrGlobalMemoryBusWidth: *v = p.memoryBusWidth; break;
	case cudaDevAttrL2CacheSize: *v = p.l2CacheSize; break;
	case cudaDevAttrMaxThreadsPerMultiProcessor: *v = p.maxThreadsPerMultiProcessor; break;
	case cudaDevAttrComputeCapabilityMajor: *v = p.major; break;
	case cudaDevAttrComputeCapabilityMinor: *v = p.minor; break;
	case cudaDevAttrManagedMemory: *v = p.managedMemory; break;
	case cudaDevAttrConcurrentManagedAccess: *v = p.concurrentManagedAccess; break;
	case cudaDevAttrUnifiedAddressing: *v = p.unifiedAddressing; break;
	case cudaDevAttrConcurrentKernels: *v = p.concurrentKernels; break;
	case cudaDevAttrCooperativeLaunch: *v = p.cooperativeLaunch; break;
	case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = (int)p.sharedMemPerMultiprocessor; break;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = (int)p.sharedMemPerBlockOptin; break;
	case cudaDevAttrMaxRegistersPerMultiprocessor: *v = p.regsPerMultiprocessor; break;
	case cudaDevAttrMaxBlocksPerMultiprocessor: *v = p.maxBlocksPerMultiProcessor; break;
	case cudaDevAttrMemoryPoolsSupported: *v = p.memoryPoolsSupported; break;
	default: *v = 0;
	}
	return cudaSuccess;
}

inline cudaError_t cudaGetDevice(int *device) {
	if (!device) return __irgl_record(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}
inline cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *) { return cudaGetDevice(device); }
inline cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { *can = 0; return cudaSuccess; }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
	if (least) *least = 0;
	if (greatest) *greatest = -5;
	return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
inline cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
inline cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
inline cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

inline cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent x) {
	if (!p) return __irgl_record(cudaErrorInvalidValue);
	p->xsize = x.width;
	p->ysize = x.height;
	return cudaMallocPitch(&p->ptr, &p->pitch, x.width, x.height * x.depth);
}
inline cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent x, cudaStream_t stream) {
	for (size_t z = 0; z < x.depth; z++) {
		cudaError_t e = cudaMemset2DAsync((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, x.width, x.height, stream);
		if (e != cudaSuccess) return e;
	}
	return cudaSuccess;
}
inline cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent x) { return cudaMemset3DAsync(p, value, x, 0); }
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int) { return cudaSuccess; }
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned int) { return cudaSuccess; }
inline cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
	if (!a) return __irgl_record(cudaErrorInvalidValue);
	int kind = 0;
	cudaError_t e = __irgl_block(p, &kind);
	a->type = kind == 0 ? cudaMemoryTypeUnregistered : kind == 1 ? cudaMemoryTypeDevice : kind == 2 ? cudaMemoryTypeHost : cudaMemoryTypeManaged;
	a->device = kind ? 0 : cudaInvalidDeviceId;
	a->devicePointer = kind ? (void *)p : 0;
	a->hostPointer = kind == 1 ? 0 : (void *)p;
	return e;
}

inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void *data) {
	cudaError_t e = cudaStreamSynchronize(stream);
	if (e == cudaSuccess) f(data);
	return e;
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t f, void *data, unsigned int) {
	cudaError_t e = cudaStreamSynchronize(stream);
	f(stream, e, data);
	return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) { return cudaEventRecord(event, stream); }

inline cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return __irgl_launch(f, &grid, &block, shared, stream, args, 0);
}
inline cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return __irgl_launch(f, &grid, &block, shared, stream, args, 1);
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **args) {
	int cooperative = 0;
	for (unsigned int i = 0; i < c->numAttrs; i++)
		if (c->attrs[i].id == cudaLaunchAttributeCooperative) cooperative = c->attrs[i].val.cooperative;
	return __irgl_launch(f, &c->gridDim, &c->blockDim, c->dynamicSmemBytes, c->stream, args, cooperative);
}
inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *f) {
	if (!a) return __irgl_record(cudaErrorInvalidValue);
	int n[5];
	for (size_t i = 0; i < sizeof *a; i++) ((char *)a)[i] = 0;
	cudaError_t e = __irgl_kernel(f, n);
	if (e != cudaSuccess) return e;
	a->numRegs = n[0];
	a->sharedSizeBytes = (size_t)n[1];
	a->localSizeBytes = (size_t)n[2];
	a->maxThreadsPerBlock = n[3];
	a->maxDynamicSharedSizeBytes = n[4];
	a->ptxVersion = a->binaryVersion = 90;
	a->preferredShmemCarveout = -1;
	return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute attribute, int value) {
	int n[5];
	return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize ? __irgl_dynamic(f, value) : __irgl_kernel(f, n);
}
inline cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache) {
	int n[5];
	return __irgl_kernel(f, n);
}
inline cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig) {
	int n[5];
	return __irgl_kernel(f, n);
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *f, int threads, size_t shared) {
	return __irgl_occupancy(f, threads, shared, blocks);
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *f, int threads, size_t shared, unsigned int) {
	return __irgl_occupancy(f, threads, shared, blocks);
}
}

namespace irgl {
inline cudaError_t best_block(int *grid, int *block, const void *f, int limit, size_t (*shared)(void *, int), void *data) {
	cudaDeviceProp p;
	int kernel[5];
	cudaError_t e = cudaGetDeviceProperties(&p, 0);
	if (e == cudaSuccess) e = __irgl_kernel(f, kernel);
	if (e != cudaSuccess) return e;
	int most = kernel[3] < p.maxThreadsPerBlock ? kernel[3] : p.maxThreadsPerBlock, best = 0;
	if (limit > 0 && limit < most) most = limit;
	for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
		int n = threads < most ? threads : most, blocks = 0;
		if (__irgl_occupancy(f, n, shared(data, n), &blocks) != cudaSuccess) continue;
		if (blocks * n > best) {
			best = blocks * n;
			*block = n;
			*grid = blocks * p.multiProcessorCount;
		}
		if (best == p.maxThreadsPerMultiProcessor) break;
	}
	return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
}
