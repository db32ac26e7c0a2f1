// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that a kernel's grid leaves to a kernel behind it (internal/klap/behind.go). The kernel has
// one parameter more than the program passes, the record of its stream, and so has the one behind it: the
// number of the launch, and below it the slot. 0 is no record: the grid launches by itself.
#ifndef IRGL_RUNTIME_BEHIND_H
#define IRGL_RUNTIME_BEHIND_H

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "api_device.h"
#include "state.h"

namespace irgl {

// passed returns how many of a kernel's parameters the program passes.
inline uint32_t passed(const irgl_kernel *k) { return k->behind == nullptr ? k->count : k->count - 1; }

// Records are those of the streams that have launched kernels which leave something.
class Records {
public:
  static constexpr unsigned kSlots = 1024;  // internal/klap/behind.go has it, too
  static constexpr unsigned kThreads = 256; // of a block of a kernel behind another: flatThreads of internal/klap

  // launch launches a kernel by run, and the one behind it. No other thread puts anything that uses the record
  // between them.
  template <class Run> cudaError_t launch(Backend &b, int device, Function &f, const Launch &l, const Run &run) {
    std::lock_guard<std::mutex> hold(mu_);
    uint64_t record = next(device, l.stream);
    std::vector<void *> args(l.args, l.args + passed(l.kernel));
    args.push_back(&record);
    Launch with = l;
    with.args = args.data();
    if (record != 0 && f.behind_blocks == 0)
      if (cudaError_t e = resident(b, device, f))
        return e;
    if (cudaError_t e = run(with))
      return e;
    if (record == 0)
      return cudaSuccess;
    static const irgl_parameter parameter = {0, sizeof record};
    const irgl_kernel about = {nullptr, l.kernel->behind, &parameter, 1, sizeof record, 0, nullptr};
    void *arg = &record;
    Launch behind;
    behind.grid = dim3(f.behind_blocks);
    behind.block = dim3(kThreads);
    behind.stream = l.stream;
    behind.args = &arg;
    behind.kernel = &about;
    return b.launch(device, f.behind, f.behind_info, behind);
  }

  // forget has a stream that is destroyed keep its slot: its kernels may still run, and a new stream may have its name.
  void forget(int device, cudaStream_t s) {
    std::lock_guard<std::mutex> hold(mu_);
    slots_.erase(Key(device, s, std::thread::id()));
  }

private:
  using Key = std::tuple<int, cudaStream_t, std::thread::id>;

  uint64_t next(int device, cudaStream_t s) {
    // The default stream of a thread is another one in each.
    const Key key(device, s, s == cudaStreamPerThread ? std::this_thread::get_id() : std::thread::id());
    const auto i = slots_.find(key);
    if (i != slots_.end())
      return ++number_ * kSlots + i->second;
    if (used_ == kSlots)
      return 0;
    slots_.emplace(key, used_);
    return ++number_ * kSlots + used_++;
  }

  // resident says how many blocks of the kernel behind a function a device holds.
  static cudaError_t resident(Backend &b, int device, Function &f) {
    cudaDeviceProp p;
    int blocks = 0;
    if (cudaError_t e = properties(b, device, &p))
      return e;
    if (cudaError_t e = b.occupancy(device, f.behind, kThreads, 0, &blocks))
      return e;
    f.behind_blocks = static_cast<unsigned>(std::max(1, blocks * p.multiProcessorCount));
    return cudaSuccess;
  }

  std::mutex mu_;
  std::map<Key, unsigned> slots_;
  unsigned used_ = 0;
  uint64_t number_ = 0;
};

inline Records &records() {
  static Records &r = *new Records;
  return r;
}

} // namespace irgl

#endif
