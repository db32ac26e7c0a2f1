// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in device code. A kernel that launches others puts them into the queue of its module
// (internal/dynpar/queue.cu). When its grid has ended, the host launches what is in the queue, and
// what those grids launch, until nothing is left; only then the launch returns. So a grid is
// complete when its children are.
//
// The launches of one block into one stream are a chain: the next begins when the one before it is
// complete, with its own children. Chains are independent, and run in several streams. The host
// waits behind each grid that may launch; the others of a chain follow each other on the device.
#ifndef IRGL_RUNTIME_LAUNCHES_H
#define IRGL_RUNTIME_LAUNCHES_H

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "state.h"

namespace irgl {

// These three are structs of queue.cu.
struct LaunchSlot {
  uint64_t grid, block, stream;
  uint32_t kernel, size[6], shared, pad[2];
};
static_assert(sizeof(LaunchSlot) == 64, "irgl_launch_slot");
struct LaunchError {
  uint64_t grid, thread;
  uint32_t code, pad;
};
struct LaunchHeader {
  uint32_t count, errors, streams, capacity, stride, depth, deepest, device;
  uint64_t slots;
  LaunchError list[64];
};
static_assert(sizeof(LaunchHeader) == 40 + 64 * 24, "irgl_launch_queue");

// kPending is how many launches of a grid and the grids beside it may wait, unless
// cudaDeviceSetLimit says so: CUDA's 2048 are less. kDeepest is CUDA's limit of nesting.
static constexpr size_t kPending = 1 << 16, kMostPending = 1 << 22;
static constexpr uint32_t kDeepest = 24;

// The streams of device code that CUDA has names for, and those of this file.
static constexpr uint64_t kTail = 3, kForget = 4;

class LaunchQueue {
public:
  LaunchQueue(Backend &b, int device, Handle module, const irgl_image *image)
      : backend_(b), device_(device), module_(module), image_(image), functions_(image->launched_count) {
    for (size_t i = 0; i < image->launched_count; i++)
      largest_ = std::max(largest_, image->launched[i].bytes);
  }

  // run launches a kernel that may launch others, and returns when all are complete.
  cudaError_t run(Handle f, const FunctionInfo &info, const Launch &l) {
    std::lock_guard<std::mutex> hold(mu_);
    if (cudaError_t e = prepare())
      return e;
    if (cudaError_t e = backend_.launch(device_, f, info, l))
      return e;
    if (cudaError_t e = backend_.stream_sync(device_, l.stream))
      return e;
    failed_ = 0;
    first_ = refused_ = cudaSuccess;
    const cudaError_t e = drain();
    if (e == cudaSuccess && failed_ > 0)
      message("kernel %s: %llu launch%s in device code failed: %s (%s)", l.kernel->name,
              static_cast<unsigned long long>(failed_), failed_ > 1 ? "es" : "", cudaGetErrorName(first_),
              cudaGetErrorString(first_));
    return e != cudaSuccess ? e : refused_;
  }

private:
  using Chain = std::vector<size_t>; // slots, by their offsets
  // A Frame is what grids of one depth have launched.
  struct Frame {
    std::string slots;
    std::vector<Chain> chains;
    std::vector<size_t> next;  // by chain
    std::vector<size_t> tails; // launched when the rest is complete
    uint32_t depth = 0;        // of the grids of the chains
    size_t open = 0;           // chains that are not at their ends
    void add(Chain c) {
      chains.push_back(std::move(c));
      next.push_back(0);
      open++;
    }
    bool done() const { return open == 0; }
    const LaunchSlot &at(size_t offset) const { return *reinterpret_cast<const LaunchSlot *>(&slots[offset]); }
  };

  // drain launches what the queue has, and what that launches.
  cudaError_t drain() {
    std::vector<Frame> stack(1);
    if (cudaError_t e = read(0, &stack[0]))
      return e;
    while (!stack.empty()) {
      Frame &f = stack.back();
      if (f.done()) {
        if (f.tails.empty())
          stack.pop_back();
        else
          begin_tails(&f);
        continue;
      }
      bool launching = false;
      if (cudaError_t e = wave(&f, &launching))
        return e;
      Frame more;
      if (launching)
        if (cudaError_t e = read(f.depth, &more))
          return e;
      if (more.done() && more.tails.empty())
        continue;
      if (f.done() && f.tails.empty()) // a kernel that launches itself as its tail takes no room here
        f = std::move(more);
      else
        stack.push_back(std::move(more));
    }
    return cudaSuccess;
  }

  // begin_tails makes chains of the tail launches: those of one grid follow each other, at its depth.
  void begin_tails(Frame *f) {
    std::map<uint64_t, Chain> by_grid;
    for (const size_t at : f->tails)
      by_grid[f->at(at).grid].push_back(at);
    f->tails.clear();
    f->chains.clear();
    f->next.clear();
    f->depth--;
    for (auto &c : by_grid)
      f->add(std::move(c.second));
  }

  // wave launches of each chain what need not wait for the host: up to a grid that may launch.
  cudaError_t wave(Frame *f, bool *launching) {
    for (size_t i = 0; i < f->chains.size() && !*launching; i++)
      for (size_t j = f->next[i]; j < f->chains[i].size() && !*launching; j++)
        *launching = about(f->at(f->chains[i][j])).flags & IRGL_LAUNCHES;
    if (*launching)
      if (cudaError_t e = set_depth(f->depth))
        return e;
    size_t used = 0;
    for (size_t i = 0; i < f->chains.size(); i++) {
      const Chain &c = f->chains[i];
      size_t &n = f->next[i];
      if (n == c.size())
        continue;
      const size_t lane = used++ % kStreams;
      if (cudaError_t e = stream(lane))
        return e;
      while (n < c.size()) {
        const LaunchSlot &s = f->at(c[n++]);
        if (cudaError_t e = launch(s, streams_[lane]))
          return e;
        if (about(s).flags & IRGL_LAUNCHES)
          break;
      }
      if (n == c.size())
        f->open--;
    }
    for (size_t i = 0; i < std::min(used, kStreams); i++)
      if (cudaError_t e = backend_.stream_sync(device_, streams_[i]))
        return e;
    return cudaSuccess;
  }

  const irgl_kernel &about(const LaunchSlot &s) const { return image_->launched[s.kernel]; }

  // launch launches one child. What is wrong with it alone is the result of the whole.
  cudaError_t launch(const LaunchSlot &s, cudaStream_t stream) {
    const irgl_kernel &k = about(s);
    Function &f = functions_[s.kernel];
    if (!f.loaded) {
      if (cudaError_t e = backend_.function(device_, module_, k.name, &f.handle, &f.info))
        return e;
      f.loaded = true;
    }
    Launch l;
    l.grid = dim3(s.size[0], s.size[1], s.size[2]);
    l.block = dim3(s.size[3], s.size[4], s.size[5]);
    l.shared = s.shared;
    l.stream = stream;
    l.kernel = &k;
    args_.resize(k.count);
    char *block = reinterpret_cast<char *>(const_cast<LaunchSlot *>(&s) + 1);
    for (uint32_t i = 0; i < k.count; i++)
      args_[i] = block + k.parameters[i].offset;
    l.args = args_.data();
    const cudaError_t e = fits(f, k, l) ? backend_.launch(device_, f.handle, f.info, l) : cudaErrorLaunchOutOfResources;
    if (e == cudaSuccess || sticky(e))
      return e;
    if (refused_ == cudaSuccess)
      message("kernel %s, launched in device code with blocks of %u by %u by %u threads and %zu bytes of shared memory: %s", k.name,
              l.block.x, l.block.y, l.block.z, l.shared, cudaGetErrorString(e));
    refused_ = e;
    return cudaSuccess;
  }

  // fits reports whether a block of the launch can run.
  bool fits(const Function &f, const irgl_kernel &k, const Launch &l) const {
    if (l.block.x * l.block.y * l.block.z > static_cast<unsigned>(f.info.max_threads))
      return false;
    size_t most = 48 << 10;
    size_t fixed = static_cast<size_t>(f.info.shared);
    if (k.stub != nullptr) { // the host may have raised it
      Process &p = process();
      std::lock_guard<std::recursive_mutex> hold(p.registry);
      const auto i = p.kernels.find(k.stub);
      const size_t d = static_cast<size_t>(device_);
      if (i != p.kernels.end() && d < i->second.functions.size() && i->second.functions[d] && i->second.functions[d]->raised) {
        most = static_cast<size_t>(i->second.functions[d]->max_dynamic);
        fixed = 0;
      }
    }
    return l.shared + fixed <= most;
  }

  // read takes what grids of a depth have launched out of the queue.
  cudaError_t read(uint32_t depth, Frame *f) {
    LaunchHeader h;
    constexpr size_t front = offsetof(LaunchHeader, list);
    if (cudaError_t e = copy_out(&h, at_, front))
      return e;
    if (h.errors > 0)
      if (cudaError_t e = failures(h.errors))
        return e;
    const size_t n = std::min<size_t>(h.count, capacity_);
    if (h.count > 0 || h.errors > 0 || h.streams > 0)
      if (cudaError_t e = reset(h.errors > 0))
        return e;
    f->depth = depth + 1;
    if (n == 0)
      return cudaSuccess;
    f->slots.resize(n * stride());
    if (cudaError_t e = copy_out(&f->slots[0], slots(), f->slots.size()))
      return e;
    std::map<std::tuple<uint64_t, uint64_t, uint64_t>, Chain> chains;
    for (size_t i = 0; i < n; i++) {
      const size_t at = i * stride();
      const LaunchSlot &s = f->at(at);
      if (s.kernel >= functions_.size()) {
        message("%s: the queue of launches has been overwritten", image_->name);
        return cudaErrorLaunchFailure;
      }
      if (s.stream == kTail)
        f->tails.push_back(at);
      else if (s.stream == kForget)
        f->add(Chain{at});
      else
        chains[std::make_tuple(s.grid, s.block, s.stream < kTail ? 0 : s.stream)].push_back(at);
    }
    for (auto &c : chains)
      f->add(std::move(c.second));
    return cudaSuccess;
  }

  // failures counts the errors that device code has not asked for.
  cudaError_t failures(uint32_t met) {
    LaunchHeader h;
    if (cudaError_t e = copy_out(&h, at_, sizeof h))
      return e;
    const uint32_t kept = std::min<uint32_t>(met, sizeof h.list / sizeof *h.list);
    for (uint32_t i = 0; i < kept; i++) {
      if (h.list[i].code == 0)
        continue;
      if (failed_++ == 0)
        first_ = static_cast<cudaError_t>(h.list[i].code);
    }
    failed_ += met - kept;
    if (first_ == cudaSuccess && failed_ > 0)
      first_ = cudaErrorLaunchPendingCountExceeded;
    return cudaSuccess;
  }

  // prepare makes the queue, of the size that the limit says, empty and at depth 0.
  cudaError_t prepare() {
    auto &limits = device_state(device_).limits;
    const auto i = limits.find(cudaLimitDevRuntimePendingLaunchCount);
    size_t want = i == limits.end() ? std::min(kPending, (size_t{64} << 20) / stride()) : i->second;
    want = std::max<size_t>(1, std::min(want, kMostPending));
    if (at_ != nullptr && want == capacity_)
      return set_depth(0);
    if (at_ != nullptr) {
      Block b;
      process().memory.take(at_, &b, [](const Block &) { return true; });
      if (cudaError_t e = backend_.free(device_, at_))
        return e;
      at_ = nullptr;
    }
    capacity_ = want;
    const size_t size = kFront + capacity_ * stride();
    if (cudaError_t e = backend_.alloc(device_, size, "the queue of launches in device code", &at_)) {
      at_ = nullptr;
      return e;
    }
    process().memory.add(at_, Block{Block::Symbol, size, device_, 0, at_});
    void *pointer = nullptr;
    size_t n = 0;
    if (cudaError_t e = backend_.global(device_, module_, "irgl_launches", &pointer, &n))
      return e;
    process().memory.add(pointer, Block{Block::Symbol, n, device_, 0, pointer});
    depth_ = 0;
    if (cudaError_t e = reset(true))
      return e;
    return copy_in(pointer, &at_, sizeof at_);
  }

  cudaError_t set_depth(uint32_t depth) {
    if (depth == depth_)
      return cudaSuccess;
    depth_ = depth;
    return reset(false);
  }

  // reset empties the queue; errors says that its list of errors is cleared, too.
  cudaError_t reset(bool errors) {
    LaunchHeader h = {};
    h.capacity = static_cast<uint32_t>(capacity_);
    h.stride = static_cast<uint32_t>(stride());
    h.depth = depth_;
    h.deepest = kDeepest;
    h.device = static_cast<uint32_t>(device_);
    h.slots = reinterpret_cast<uint64_t>(slots());
    return copy_in(at_, &h, errors ? sizeof h : offsetof(LaunchHeader, list));
  }

  // Arguments are behind a slot, and aligned as parameters may be.
  static constexpr size_t kAlign = 64, kFront = (sizeof(LaunchHeader) + kAlign - 1) / kAlign * kAlign;
  size_t stride() const { return (sizeof(LaunchSlot) + largest_ + kAlign - 1) / kAlign * kAlign; }
  char *slots() const { return static_cast<char *>(at_) + kFront; }

  cudaError_t stream(size_t lane) {
    while (streams_.size() <= lane) {
      cudaStream_t s = nullptr;
      if (cudaError_t e = backend_.stream_create(device_, cudaStreamNonBlocking, 0, &s))
        return e;
      streams_.push_back(s);
    }
    return cudaSuccess;
  }

  // Copies go by a stream of the queue, so that they wait for no other work.
  cudaError_t copy_in(void *dst, const void *src, size_t n) {
    return copy(static_cast<char *>(dst), static_cast<const char *>(src), n, cudaMemcpyHostToDevice);
  }
  cudaError_t copy_out(void *dst, const void *src, size_t n) {
    return copy(static_cast<char *>(dst), static_cast<const char *>(src), n, cudaMemcpyDeviceToHost);
  }
  cudaError_t copy(char *dst, const char *src, size_t n, cudaMemcpyKind kind) {
    if (cudaError_t e = stream(0))
      return e;
    return backend_.copy(device_, Copy{dst, src, n, n, n, n, n, 1, 1, kind, false, false}, streams_[0], true);
  }

  static constexpr size_t kStreams = 16;

  Backend &backend_;
  const int device_;
  const Handle module_;
  const irgl_image *const image_;
  std::vector<Function> functions_; // by number
  uint32_t largest_ = 0;            // bytes of arguments
  std::mutex mu_;                   // of all that follows, while a kernel and its children run
  std::vector<cudaStream_t> streams_;
  std::vector<void *> args_;
  void *at_ = nullptr; // in the device: a LaunchHeader, and slots
  size_t capacity_ = 0;
  uint32_t depth_ = 0; // that the device has
  uint64_t failed_ = 0;
  cudaError_t first_ = cudaSuccess;   // of those that failed on the device
  cudaError_t refused_ = cudaSuccess; // by the backend
};

} // namespace irgl

#endif
