// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that a kernel's grid leaves to a kernel behind it (internal/klap/behind.go): both have, as
// their last parameter, the number of the launch, which the program does not pass.
#ifndef IRGL_RUNTIME_BEHIND_H
#define IRGL_RUNTIME_BEHIND_H

#include <algorithm>
#include <atomic>
#include <vector>

#include "api_device.h"
#include "state.h"

namespace irgl {

static constexpr int kBehindThreads = 256; // of a block of a kernel behind another: flatThreads of internal/klap

// passed returns how many of a kernel's parameters the program passes.
inline uint32_t passed(const irgl_kernel *k) { return k->behind == nullptr ? k->count : k->count - 1; }

// resident returns how many blocks of the kernel behind a function a device holds.
inline cudaError_t resident(Backend &b, int device, Function &f, unsigned *n) {
  if (f.behind_blocks == 0) {
    cudaDeviceProp p;
    int blocks = 0;
    if (cudaError_t e = properties(b, device, &p))
      return e;
    if (cudaError_t e = b.occupancy(device, f.behind, kBehindThreads, 0, &blocks))
      return e;
    f.behind_blocks = static_cast<unsigned>(std::max(1, blocks * p.multiProcessorCount));
  }
  *n = f.behind_blocks;
  return cudaSuccess;
}

// launch_with_behind launches a kernel by run, and the one behind it.
template <class Run> cudaError_t launch_with_behind(Backend &b, int device, Function &f, const Launch &l, const Run &run) {
  static std::atomic<uint64_t> launches{0};
  static const irgl_parameter parameter = {0, sizeof(uint64_t)};
  const irgl_kernel about = {nullptr, l.kernel->behind, &parameter, 1, sizeof(uint64_t), 0, nullptr};
  uint64_t number = ++launches;
  std::vector<void *> args(l.args, l.args + passed(l.kernel));
  args.push_back(&number);
  Launch with = l, behind;
  with.args = args.data();
  unsigned blocks = 0;
  if (cudaError_t e = resident(b, device, f, &blocks))
    return e;
  const cudaError_t launched = run(with);
  if (sticky(launched))
    return launched; // after another error the grid may have run, and left something
  behind.grid = dim3(blocks);
  behind.block = dim3(kBehindThreads);
  behind.stream = l.stream;
  behind.args = &args.back();
  behind.kernel = &about;
  const cudaError_t e = b.launch(device, f.behind, f.behind_info, behind);
  return launched != cudaSuccess ? launched : e;
}

} // namespace irgl

#endif
