// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in device code. A kernel that launches others puts them into the queue of its device
// (internal/dynpar/queue.cu). When its grid has ended, the host launches what is in the queue, and
// what those grids launch, until nothing is left; only then the launch returns. So a grid is
// complete when its children are.
//
// The launches of one block into one stream are a chain: the next begins when the one before it is
// complete, with its own children. Chains are independent, and run in several streams. The host
// waits behind each grid that may launch; the others of a chain follow each other on the device.
#ifndef IRGL_RUNTIME_LAUNCHES_H
#define IRGL_RUNTIME_LAUNCHES_H

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "library.h"
#include "state.h"

namespace irgl {

// This is a struct of common.cu; library.h has the others.
struct LaunchSlot {
  uint64_t grid, block, stream;
  uint32_t module, kernel, size[6], shared, site;
};
static_assert(sizeof(LaunchSlot) == 64, "irgl_launch_slot");

// A queue has room for kPending launches, or fewer if those have so many arguments that it took more
// than kBytes, and for what cudaDeviceSetLimit says. It grows when a grid has filled half of it. kDeepest is CUDA's limit of nesting.
static constexpr size_t kMostPending = 1 << 22, kBytes = 64 << 20, kMostBytes = size_t{1} << 30;
static constexpr uint32_t kDeepest = 24;

// The streams of device code that CUDA has names for, and those of this file.
static constexpr uint64_t kTail = 3, kForget = 4;

// function returns the kernel of a stub in a device, loaded; registry.h has it.
inline cudaError_t function(Backend &b, int device, const void *stub, std::shared_ptr<Function> *f, const irgl_kernel **about);

class LaunchQueue {
public:
  LaunchQueue(Backend &b, int device) : backend_(b), device_(device) {}

  // add tells of an image with launches that has been loaded into the device.
  void add(const irgl_image *image, Handle module) {
    std::lock_guard<std::mutex> hold(modules_mu_);
    modules_.emplace_back(new Module{image, module, false, std::vector<Child>(image->launched_count)});
    for (size_t i = 0; i < image->launched_count; i++)
      largest_ = std::max<size_t>(largest_, image->launched[i].bytes);
  }

  // run launches a kernel that may launch others, and returns when all are complete.
  cudaError_t run(Handle f, const FunctionInfo &info, const Launch &l) {
    std::lock_guard<std::mutex> hold(mu_);
    if (cudaError_t e = prepare())
      return e;
    if (cudaError_t e = set_depth(0))
      return e;
    if (cudaError_t e = backend_.launch(device_, f, info, l))
      return e;
    if (cudaError_t e = backend_.stream_sync(device_, l.stream))
      return e;
    failures_ = Failures();
    refused_ = cudaSuccess;
    const cudaError_t e = drain();
    if (e == cudaSuccess)
      failures_.report("kernel " + cxx_name(l.kernel->name) + ": ");
    return e != cudaSuccess ? e : refused_;
  }

private:
  // A Child is a kernel that an image launches.
  struct Child {
    const irgl_kernel *about = nullptr; // null before it is first launched
    std::shared_ptr<Function> function;
    Function own; // of a kernel that the host has no stub of
  };
  struct Module {
    const irgl_image *image;
    Handle handle;
    bool told; // irgl_launches is set
    std::vector<Child> children;
  };
  using Chain = std::vector<size_t>; // slots, by their offsets
  // A Frame is what grids of one depth have launched.
  struct Frame {
    std::string slots;
    uint64_t from = 0; // where they were in the device
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
    std::vector<size_t> ends(f->chains.size());
    for (size_t i = 0; i < f->chains.size(); i++) {
      const Chain &c = f->chains[i];
      size_t &n = ends[i] = f->next[i];
      while (n < c.size()) {
        Child *child = nullptr;
        if (cudaError_t e = resolve(f->at(c[n++]), &child))
          return e;
        if ((child->about->flags & IRGL_LAUNCHES) != 0) {
          *launching = true;
          break;
        }
      }
    }
    if (*launching) {
      if (cudaError_t e = prepare()) // kernels of images that have just been loaded
        return e;
      if (cudaError_t e = set_depth(f->depth))
        return e;
    }
    size_t used = 0;
    for (size_t i = 0; i < f->chains.size(); i++) {
      if (f->next[i] == f->chains[i].size())
        continue;
      const size_t lane = used++ % kStreams;
      if (cudaError_t e = stream(lane))
        return e;
      for (size_t &n = f->next[i]; n < ends[i]; n++)
        if (cudaError_t e = launch(f->at(f->chains[i][n]), f->from + f->chains[i][n], streams_[lane]))
          return e;
      if (ends[i] == f->chains[i].size())
        f->open--;
    }
    for (size_t i = 0; i < std::min(used, kStreams); i++)
      if (cudaError_t e = backend_.stream_sync(device_, streams_[i]))
        return e;
    return cudaSuccess;
  }

  // resolve returns the kernel of a launch, loaded: that of its stub, which another image may have,
  // or, of an instance that device code alone launches, that of the image.
  cudaError_t resolve(const LaunchSlot &s, Child **child) {
    Module *m = nullptr;
    {
      std::lock_guard<std::mutex> hold(modules_mu_);
      if (s.module < modules_.size() && s.kernel < modules_[s.module]->children.size())
        m = modules_[s.module].get();
    }
    if (m == nullptr) {
      message("the queue of launches in device code has been overwritten");
      return cudaErrorLaunchFailure;
    }
    Child &c = m->children[s.kernel];
    *child = &c;
    if (c.about != nullptr)
      return cudaSuccess;
    const irgl_kernel &k = m->image->launched[s.kernel];
    if (k.stub != nullptr)
      return function(backend_, device_, k.stub, &c.function, &c.about);
    if (cudaError_t e = backend_.function(device_, m->handle, k.name, &c.own.handle, &c.own.info))
      return e;
    c.function = std::shared_ptr<Function>(std::shared_ptr<Function>(), &c.own); // of this child
    c.about = &k;
    return cudaSuccess;
  }

  // launch launches one child. What is wrong with it alone is the result of the whole.
  cudaError_t launch(const LaunchSlot &s, uint64_t slot, cudaStream_t stream) {
    Child *child = nullptr;
    if (cudaError_t e = resolve(s, &child))
      return e;
    const irgl_kernel &k = *child->about;
    const Function &f = *child->function;
    Launch l;
    l.grid = dim3(s.size[0], s.size[1], s.size[2]);
    l.block = dim3(s.size[3], s.size[4], s.size[5]);
    l.shared = s.shared;
    l.stream = stream;
    l.kernel = &k;
    l.child = true;
    l.parent = s.grid;
    l.slot = s.stream == kTail ? 0 : slot;
    args_.resize(k.count);
    char *block = reinterpret_cast<char *>(const_cast<LaunchSlot *>(&s) + 1);
    for (uint32_t i = 0; i < k.count; i++)
      args_[i] = block + k.parameters[i].offset;
    l.args = args_.data();
    const size_t fixed = f.raised ? 0 : static_cast<size_t>(f.info.shared);
    const bool fits = l.block.x * l.block.y * l.block.z <= static_cast<unsigned>(f.info.max_threads) &&
                      l.shared + fixed <= static_cast<size_t>(f.max_dynamic);
    const cudaError_t e = fits ? backend_.launch(device_, f.handle, f.info, l) : cudaErrorLaunchOutOfResources;
    if (e == cudaSuccess || sticky(e))
      return e;
    if (refused_ == cudaSuccess)
      message("the launch in device code %s: %s", launched_as(image(s.module), s.kernel, s.site, s.size, s.shared).c_str(), cudaGetErrorString(e));
    refused_ = e;
    return cudaSuccess;
  }

  // read takes what grids of a depth have launched out of the queue.
  cudaError_t read(uint32_t depth, Frame *f) {
    LaunchHeader h;
    constexpr size_t front = offsetof(LaunchHeader, list);
    if (cudaError_t e = copy_out(&h, at_, front))
      return e;
    if (h.errors > 0)
      if (cudaError_t e = failures())
        return e;
    const size_t n = std::min<size_t>(h.count, capacity_);
    process().drained += n;
    if (n > capacity_ / 2 && 2 * capacity_ * stride_ <= kMostBytes)
      grown_ = std::min(2 * capacity_, kMostPending);
    if (h.count > 0 || h.errors > 0 || h.streams > 0)
      if (cudaError_t e = reset(h.errors > 0))
        return e;
    f->depth = depth + 1;
    if (n == 0)
      return cudaSuccess;
    f->from = reinterpret_cast<uint64_t>(slots());
    f->slots.resize(n * stride_);
    if (cudaError_t e = copy_out(&f->slots[0], slots(), f->slots.size()))
      return e;
    std::map<std::tuple<uint64_t, uint64_t, uint64_t>, Chain> chains;
    for (size_t i = 0; i < n; i++) {
      const size_t at = i * stride_;
      const LaunchSlot &s = f->at(at);
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

  // failures adds the errors that device code has not asked for.
  cudaError_t failures() {
    LaunchHeader h;
    if (cudaError_t e = copy_out(&h, at_, sizeof h))
      return e;
    failures_.add(h, [this](uint32_t n) { return image(n); });
    return cudaSuccess;
  }

  // image returns the image with a number, or null.
  const irgl_image *image(uint32_t n) {
    std::lock_guard<std::mutex> hold(modules_mu_);
    return n < modules_.size() ? modules_[n]->image : nullptr;
  }

  // prepare makes the queue, which is empty, of the size that the limit and the kernels say, and
  // tells the images that are loaded of it.
  cudaError_t prepare() {
    std::vector<Module *> modules;
    size_t stride = 0;
    {
      std::lock_guard<std::mutex> hold(modules_mu_);
      for (const auto &m : modules_)
        modules.push_back(m.get());
      stride = (sizeof(LaunchSlot) + largest_ + kAlign - 1) / kAlign * kAlign;
    }
    if (cudaError_t e = resize(stride))
      return e;
    for (size_t i = 0; i < modules.size(); i++) {
      if (modules[i]->told)
        continue;
      void *at = nullptr;
      size_t n = 0;
      if (cudaError_t e = backend_.global(device_, modules[i]->handle, queue_variable(modules[i]->image).c_str(), &at, &n))
        return e;
      process().memory.add(at, Block{Block::Symbol, n, device_, 0, at});
      const LaunchModule about = {reinterpret_cast<uint64_t>(at_), static_cast<uint32_t>(i), 0};
      if (cudaError_t e = copy_in(at, &about, sizeof about))
        return e;
      modules[i]->told = true;
    }
    return cudaSuccess;
  }

  // resize allocates the queue, if it has another size.
  cudaError_t resize(size_t stride) {
    const size_t want = std::min(std::max({pending(device_), std::min(kPending, kBytes / stride), grown_}), kMostPending);
    if (at_ != nullptr && want == capacity_ && stride == stride_)
      return cudaSuccess;
    if (at_ != nullptr) {
      Block b;
      process().memory.take(at_, &b, [](const Block &) { return true; });
      if (cudaError_t e = backend_.free(device_, at_))
        return e;
      at_ = nullptr;
    }
    capacity_ = want;
    stride_ = stride;
    const size_t size = kFront + capacity_ * stride_;
    if (cudaError_t e = backend_.alloc(device_, size, "the queue of launches in device code", &at_)) {
      at_ = nullptr;
      return e;
    }
    process().memory.add(at_, Block{Block::Symbol, size, device_, 0, at_});
    std::lock_guard<std::mutex> hold(modules_mu_);
    for (const auto &m : modules_)
      m->told = false;
    return reset(true);
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
    h.stride = static_cast<uint32_t>(stride_);
    h.depth = depth_;
    h.deepest = kDeepest;
    h.device = static_cast<uint32_t>(device_);
    h.slots = reinterpret_cast<uint64_t>(slots());
    return copy_in(at_, &h, errors ? sizeof h : offsetof(LaunchHeader, list));
  }

  // Arguments are behind a slot, and aligned as parameters may be.
  static constexpr size_t kAlign = 64, kFront = (sizeof(LaunchHeader) + kAlign - 1) / kAlign * kAlign;
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
  std::mutex modules_mu_; // of the images; their entries stay where they are
  std::vector<std::unique_ptr<Module>> modules_;
  size_t largest_ = 0; // bytes of arguments
  std::mutex mu_;                   // of all that follows, while a kernel and its children run
  std::vector<cudaStream_t> streams_;
  std::vector<void *> args_;
  void *at_ = nullptr; // in the device: a LaunchHeader, and slots
  size_t capacity_ = 0, stride_ = 0;
  uint32_t depth_ = 0; // that the device has
  size_t grown_ = 0;   // slots that a grid was seen to need
  Failures failures_;  // on the device
  cudaError_t refused_ = cudaSuccess; // by the backend
};

} // namespace irgl

#endif
