// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all devices of the emulator have in common as cudaGetDeviceProperties tells it: for
// compiled host code, whose device is a server's, and for evaluated host code.
#ifndef IRGL_EMULATOR_H
#define IRGL_EMULATOR_H

#include "driver_types.h"

// irgl_emulator_properties sets the properties that the device does not tell itself.
inline void irgl_emulator_properties(cudaDeviceProp *p) {
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->memPitch = 0x7fffffff;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
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
  p->sharedMemPerBlockOptin = 227 << 10;
  p->reservedSharedMemPerBlock = 1 << 10;
  p->singleToDoublePrecisionPerfRatio = 2;
  p->concurrentManagedAccess = p->computePreemptionSupported = 1;
  p->maxBlocksPerMultiProcessor = 32;
  p->memoryPoolsSupported = 1;
}

#endif
