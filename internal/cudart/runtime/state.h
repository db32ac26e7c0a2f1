// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime keeps for the process: the backend, the registered images and what of them is
// loaded, the memory that was allocated, and each thread's device and last error.
#ifndef IRGL_RUNTIME_STATE_H
#define IRGL_RUNTIME_STATE_H

#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend.h"

namespace irgl {

// A Block is memory that the program has, of the device or mapped for it.
struct Block {
  enum Kind { Device, Host, Managed, Registered, Symbol } kind;
  size_t size;
  int device;
  unsigned flags;
  void *mapped; // where devices address it
  bool variable = false; // of the program: a managed one, which lives as long as the process
  // mapped_for_devices reports whether the host and devices address it alike.
  bool shared() const { return kind == Host || kind == Managed; }
  bool of_device() const { return kind == Device || kind == Symbol; }
};

// Memory is the blocks by address.
class Memory {
public:
  void add(void *p, const Block &b) {
    std::lock_guard<std::mutex> hold(mu_);
    blocks_[reinterpret_cast<uintptr_t>(p)] = b;
  }
  // find returns the block that holds size bytes at p.
  bool find(const void *p, size_t size, Block *b, void **base = nullptr) {
    std::lock_guard<std::mutex> hold(mu_);
    const uintptr_t at = reinterpret_cast<uintptr_t>(p);
    auto i = blocks_.upper_bound(at);
    if (i == blocks_.begin())
      return false;
    --i;
    const uintptr_t from = at - i->first;
    if (from > i->second.size || size > i->second.size - from || (from == i->second.size && from != 0 && size == 0))
      return false;
    *b = i->second;
    if (base != nullptr)
      *base = reinterpret_cast<void *>(i->first);
    return true;
  }
  // take removes the block that begins at p, if it is of the kind.
  bool take(const void *p, Block *b, bool (*is)(const Block &)) {
    std::lock_guard<std::mutex> hold(mu_);
    const auto i = blocks_.find(reinterpret_cast<uintptr_t>(p));
    if (i == blocks_.end() || !is(i->second))
      return false;
    *b = i->second;
    blocks_.erase(i);
    return true;
  }
  bool overlaps(const void *p, size_t size) {
    std::lock_guard<std::mutex> hold(mu_);
    const uintptr_t at = reinterpret_cast<uintptr_t>(p);
    auto i = blocks_.lower_bound(at + size);
    if (i == blocks_.begin())
      return false;
    --i;
    return i->first + i->second.size > at;
  }
  void forget(int device) {
    std::lock_guard<std::mutex> hold(mu_);
    for (auto i = blocks_.begin(); i != blocks_.end();)
      i = i->second.device == device ? blocks_.erase(i) : std::next(i);
  }

private:
  std::mutex mu_;
  std::map<uintptr_t, Block> blocks_;
};

// A Function is a kernel in a device.
struct Function {
  bool loaded = false;
  Handle handle = 0;
  FunctionInfo info;
  // Bytes of shared memory that a launch may ask for: dynamic ones if a call has raised it, and
  // the static ones with them otherwise.
  int max_dynamic = 48 << 10;
  bool raised = false;
  bool by_library = false; // it launches by CUDA's device runtime
  // The kernel behind it (behind.h), and how many of its blocks the device holds; 0 before that is known.
  Handle behind = 0;
  FunctionInfo behind_info;
  std::atomic<unsigned> behind_blocks{0};
};

struct Kernel {
  const irgl_kernel *about;
  irgl_image *image;
  std::vector<std::shared_ptr<Function>> functions; // by device; a launch holds its own
};

struct Variable {
  const irgl_variable *about;
  irgl_image *image;
};

// A LoadedImage is an image in a device.
struct LoadedImage {
  bool tried = false;
  cudaError_t error = cudaSuccess;
  Handle module = 0;
  bool by_library = false; // device code launches by CUDA's device runtime
};

struct ImageState {
  std::vector<LoadedImage> loaded; // by device
  const irgl_part *part = nullptr; // of an image whose device code is linked
};

// A LinkedImage is device code that was linked of several parts.
struct LinkedImage {
  const irgl_linked *about;
  std::vector<LoadedImage> loaded; // by device
};

class LaunchQueue;     // launches.h
class LibraryLaunches; // library.h

struct DeviceState {
  std::atomic<bool> opened{false};
  std::atomic<int> error{0}; // that leaves the device unusable, until it is reset
  std::map<int, size_t> limits;
  std::set<int> peers; // whose memory it can address
  unsigned resets = 0; // by cudaDeviceReset
  // Launches in device code, of the images that are loaded; the registry's lock.
  std::shared_ptr<LaunchQueue> launches;
  std::shared_ptr<LibraryLaunches> by_library;
};

struct Process {
  std::mutex mu; // of choosing the backend and opening devices
  Backend *backend = nullptr;
  cudaError_t unusable = cudaSuccess; // why there is no backend
  std::atomic<bool> forked{false};    // a child of fork has neither the driver's context nor the emulator
  std::atomic<int> devices{0};        // set behind the backend and the list of devices, which do not change then
  std::vector<std::unique_ptr<DeviceState>> device;
  bool exit_hooked = false;
  std::atomic<unsigned> allocations{0};
  std::atomic<uint64_t> drained{0}; // launches in device code that the host has run
  std::string unlinked;             // why the driver has not linked CUDA's device runtime; the registry's lock
  // The first launch that failed before the error that no call has asked for yet.
  std::mutex unasked_mu;
  std::string unasked;
  const char *unasked_file = nullptr; // where it is
  int unasked_line = 0;
  std::atomic<unsigned> made{0}; // streams and events of the program

  // The registry. Loading holds the lock, so that an image is loaded once.
  std::recursive_mutex registry;
  std::vector<irgl_image *> images;
  std::atomic<unsigned> image_flags{0}; // of all
  std::vector<LinkedImage> linked;
  std::unordered_map<const void *, Kernel> kernels;     // by stub
  std::unordered_map<const void *, Variable> variables; // by shadow
  std::unordered_map<const void *, void *> managed;     // variables' memory, by their initial value
  Memory memory;
};

// process returns the one Process, which is never destroyed: objects of the program whose
// destructors free memory may outlive any other.
inline Process &process() {
  static Process &p = *new Process;
  return p;
}

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  const char *file; // of the launch
  int line;
};

struct Thread {
  int device = 0;
  cudaError_t last = cudaSuccess;
  std::string reason; // of the last error that refused returned
  std::vector<Configuration> configured;
  bool launching = false; // by <<<>>>, which tells what was refused itself
};

inline Thread &thread() {
  static thread_local Thread t;
  return t;
}

// choose opens the backend; choose.h has it.
cudaError_t choose(Process &p);

// ready opens the backend and a device. Each call of the program's comes here: without a lock or a system
// call when the device is open.
inline cudaError_t ready(int device) {
  Process &p = process();
  if (p.forked.load(std::memory_order_relaxed))
    return cudaErrorInitializationError;
  if (device >= 0 && device < p.devices.load(std::memory_order_acquire) &&
      p.device[static_cast<size_t>(device)]->opened.load(std::memory_order_acquire))
    return cudaSuccess;
  std::lock_guard<std::mutex> hold(p.mu);
  if (cudaError_t e = choose(p))
    return e;
  if (device < 0 || device >= p.devices)
    return cudaErrorInvalidDevice;
  DeviceState &d = *p.device[static_cast<size_t>(device)];
  if (d.opened)
    return cudaSuccess;
  const cudaError_t e = p.backend->open(device);
  d.opened = e == cudaSuccess;
  return e;
}

inline DeviceState &device_state(int device) { return *process().device[static_cast<size_t>(device)]; }

// record notes the error of a call for cudaGetLastError. cudaErrorNotReady is an answer, not an error.
inline cudaError_t record(cudaError_t e) {
  if (e != cudaSuccess && e != cudaErrorNotReady)
    thread().last = e;
  return e;
}

// guarded turns exceptions into errors: none leaves the runtime.
template <class F> cudaError_t guarded(F f) {
  try {
    return record(f());
  } catch (const std::bad_alloc &) {
    return record(cudaErrorMemoryAllocation);
  } catch (const std::exception &e) {
    message("internal error: %s", e.what());
    return record(cudaErrorUnknown);
  }
}

// on_device calls f with the backend and a device that is open. An error that leaves the device
// unusable is the result of all calls that follow.
template <class F> cudaError_t on_device(int device, F f) {
  return guarded([&]() -> cudaError_t {
    if (cudaError_t e = ready(device))
      return e;
    DeviceState &d = device_state(device);
    if (const int broken = d.error.load(std::memory_order_relaxed))
      return static_cast<cudaError_t>(broken);
    const cudaError_t e = f(*process().backend);
    if (sticky(e))
      d.error = e;
    return e;
  });
}

// on_current is on_device with the thread's device.
template <class F> cudaError_t on_current(F f) {
  const int device = thread().device;
  return on_device(device, [&](Backend &b) { return f(b, device); });
}

} // namespace irgl

#endif
