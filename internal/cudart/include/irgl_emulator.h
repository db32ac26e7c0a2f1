// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two runtimes over the emulator have in common: that of compiled host code, whose device
// is a server's, and that of evaluated host code. Package hosteval has the lists and numbers from here.
#ifndef IRGL_EMULATOR_H
#define IRGL_EMULATOR_H

#include "driver_types.h"

// The faults of kernels by their codes, and the errors that they are. Others are
// cudaErrorLaunchFailure.
#define IRGL_FAULTS(X)                                                                             \
  X("out-of-bounds", cudaErrorIllegalAddress)                                                      \
  X("misaligned", cudaErrorMisalignedAddress)                                                      \
  X("assert", cudaErrorAssert)                                                                     \
  X("trap", cudaErrorIllegalInstruction)                                                           \
  X("timeout", cudaErrorLaunchTimeout)                                                             \
  X("deadlock", cudaErrorLaunchTimeout)

// The errors that leave a device unusable until it is reset.
#define IRGL_STICKY_ERRORS(X)                                                                      \
  X(cudaErrorIllegalAddress)                                                                       \
  X(cudaErrorLaunchTimeout)                                                                        \
  X(cudaErrorAssert)                                                                               \
  X(cudaErrorHardwareStackError)                                                                   \
  X(cudaErrorIllegalInstruction)                                                                   \
  X(cudaErrorMisalignedAddress)                                                                    \
  X(cudaErrorInvalidAddressSpace)                                                                  \
  X(cudaErrorInvalidPc)                                                                            \
  X(cudaErrorLaunchFailure)                                                                        \
  X(cudaErrorECCUncorrectable)

// The options in IRGL_SIMT, with the least and the greatest value.
#define IRGL_SIMT_OPTIONS(X)                                                                       \
  X("devices", 1, 16)                                                                              \
  X("seed", 0, 9223372036854775807)                                                                \
  X("check", 0, 1)                                                                                 \
  X("multiprocessors", 1, 1024)                                                                    \
  X("memory", 1, 4398046511104)                                                                    \
  X("instructions", 1, 9223372036854775807)                                                        \
  X("leaks", 0, 1)

// The limits of a device, in the order of cudaLimit, that no call has set.
#define IRGL_DEVICE_LIMITS(X)                                                                      \
  X(cudaLimitStackSize, 1024)                                                                      \
  X(cudaLimitPrintfFifoSize, 1048576)                                                              \
  X(cudaLimitMallocHeapSize, 8388608)                                                              \
  X(cudaLimitDevRuntimeSyncDepth, 2)                                                               \
  X(cudaLimitDevRuntimePendingLaunchCount, 65536)                                                  \
  X(cudaLimitMaxL2FetchGranularity, 64)                                                            \
  X(cudaLimitPersistingL2CacheSize, 0)

// The limits of a launch, on GPUs too.
#define IRGL_LAUNCH_LIMITS(X)                                                                      \
  X(irgl_max_threads, 1024)                                                                        \
  X(irgl_max_block_xy, 1024)                                                                       \
  X(irgl_max_block_z, 64)                                                                          \
  X(irgl_max_grid_x, 2147483647)                                                                   \
  X(irgl_max_grid_yz, 65535)                                                                       \
  X(irgl_default_shared, 49152)                                                                    \
  X(irgl_opt_in_shared, 232448)

#define IRGL_X(name, value) name = value,
enum irgl_launch_limit : unsigned { IRGL_LAUNCH_LIMITS(IRGL_X) };
#undef IRGL_X

// irgl_emulator_properties sets the properties that the device does not tell itself.
inline void irgl_emulator_properties(cudaDeviceProp *p) {
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->memPitch = 0x7fffffff;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = irgl_max_block_xy;
  p->maxThreadsDim[2] = irgl_max_block_z;
  p->maxGridSize[0] = irgl_max_grid_x;
  p->maxGridSize[1] = p->maxGridSize[2] = irgl_max_grid_yz;
  p->clockRate = p->memoryClockRate = 1000000;
  p->totalConstMem = 64 << 10;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  p->deviceOverlap = 1;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->asyncEngineCount = 1;
  p->memoryBusWidth = 256;
  p->l2CacheSize = 4 << 20;
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->sharedMemPerMultiprocessor = 228 << 10;
  p->sharedMemPerBlockOptin = irgl_opt_in_shared;
  p->reservedSharedMemPerBlock = 1 << 10;
  p->singleToDoublePrecisionPerfRatio = 2;
  p->concurrentManagedAccess = p->computePreemptionSupported = 1;
  p->maxBlocksPerMultiProcessor = 32;
  p->memoryPoolsSupported = 1;
}

#endif
