// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backend of the emulator: irgl serve in a child process. Launches, fills and copies between
// what devices address are quiet: they are sent together with the next call that waits.
#ifndef IRGL_RUNTIME_SERVE_H
#define IRGL_RUNTIME_SERVE_H

#include <signal.h>
#ifdef __linux__
#include <ucontext.h>
#endif

#include <algorithm>
#include <set>

#include "irgl_emulator.h"

#include "backend.h"
#include "connection.h"
#include "places.h"
#include "state.h"

struct CUstream_st {
  uint64_t handle;
  int device;
  unsigned flags;
  int priority;
};

struct CUevent_st {
  uint64_t handle;
  int device;
  unsigned flags;
  bool recorded;
};

namespace irgl {

class Serve : public Backend {
public:
  static cudaError_t start(Backend **b, std::string *why) {
    std::unique_ptr<Serve> s(new Serve);
    std::string program;
    if (!find(&program, why) || !s->read_options(why) || !s->link_.open(program, why))
      return cudaErrorInitializationError;
    if (!s->greet(program, why))
      return cudaErrorInitializationError;
    if (s->notes_)
      s->watch_host();
    *b = s.release();
    return cudaSuccess;
  }

  const char *name() const override { return "simt"; }
  cudaError_t count(int *n) override {
    *n = devices_;
    return cudaSuccess;
  }
  cudaError_t driver_version(int *version) override {
    *version = CUDART_VERSION;
    return cudaSuccess;
  }

  cudaError_t open(int device) override {
    const uint64_t h = ++last_handle_;
    Request r("open", queue());
    r.number("as", h).text("kind", "simt").number("number", static_cast<uint64_t>(device)).number("system", 1);
    r.number("devices", static_cast<uint64_t>(devices_));
    for (const auto &o : options_)
      r.number(o.first.c_str(), o.second);
    if (!check_)
      r.boolean("unchecked", true);
    if (minor_ >= 2)
      r.text("program", own_path().c_str()).number("process", static_cast<uint64_t>(getpid()));
    Value v;
    if (cudaError_t e = call(device, r, &v))
      return e;
    Device &d = device_[static_cast<size_t>(device)];
    d.handle = h;
    d.told = 0;
    d.info = v["info"];
    return cudaSuccess;
  }

  cudaError_t reset(int device) override {
    const cudaError_t e = sync(device); // what was printed and found is told
    {
      std::lock_guard<std::mutex> hold(mu_);
      forget(streams_, device);
      forget(events_, device);
      for (auto i = hosts_.begin(); i != hosts_.end();)
        i = i->second.device == device ? hosts_.erase(i) : std::next(i);
    }
    Request r("close", queue());
    r.number("handle", handle(device));
    Value v;
    call(device, r, &v);
    device_[static_cast<size_t>(device)].handle = 0;
    return e;
  }

  int finish() override {
    for (int i = 0; i < devices_; i++)
      if (handle(i) != 0 && !link_.dead())
        sync(i);
    finish_reports();
    link_.end();
    fflush(stdout);
    return failed_ ? 1 : 0;
  }

  void note(const char *rule, const char *text, const char *file, int line) override {
    if (!notes_ || minor_ < 2 || link_.dead())
      return;
    Request r("note", queue(), true);
    r.text("rule", rule).text("text", text);
    if (file != nullptr)
      r.text("file", file).number("line", static_cast<uint64_t>(line));
    else
      r.text("stack", stack().c_str());
    link_.quiet(r);
  }

  cudaError_t properties(int device, cudaDeviceProp *p) override {
    const Value &i = device_[static_cast<size_t>(device)].handle != 0 ? device_[static_cast<size_t>(device)].info : info_;
    snprintf(p->name, sizeof p->name, "%s", i["name"].bytes.c_str());
    memcpy(p->uuid.bytes, "irgl-emulator-00", 16);
    p->uuid.bytes[15] = static_cast<char>(p->uuid.bytes[15] + device);
    p->totalGlobalMem = i["memory"].number;
    p->sharedMemPerBlock = i["shared"].number;
    p->warpSize = i["warp"].integer();
    p->maxThreadsPerBlock = i["maxthreads"].integer();
    p->major = i["major"].integer();
    p->minor = i["minor"].integer();
    p->multiProcessorCount = i["multiprocessors"].integer();
    p->maxThreadsPerMultiProcessor = i["threadspersm"].integer();
    p->cooperativeLaunch = i["cooperative"].truth() ? 1 : 0;
    p->clusterLaunch = i["clusters"].truth() ? 1 : 0;
    p->hostRegisterSupported = 1;
    irgl_emulator_properties(p);
    return cudaSuccess;
  }

  // Memory.
  cudaError_t alloc(int device, size_t size, const char *name, void **p) override {
    Request r("alloc", queue());
    r.number("device", handle(device)).text("name", name).number("size", size);
    if (minor_ >= 1)
      r.boolean("unwritten", true);
    placed(r);
    Value v;
    const cudaError_t e = call(device, r, &v);
    *p = reinterpret_cast<void *>(v["ptr"].number);
    return e;
  }
  cudaError_t free(int device, void *p) override {
    Request r("free", queue());
    r.number("device", handle(device)).number("ptr", address(p));
    Value v;
    return call(device, r, &v);
  }
  cudaError_t alloc_async(int device, size_t size, const char *name, cudaStream_t, void **p) override {
    return alloc(device, size, name, p);
  }
  cudaError_t free_async(int device, void *p, cudaStream_t) override { return free(device, p); }

  cudaError_t alloc_host(int device, size_t size, unsigned, const char *name, void **p) override {
    const uint64_t h = ++last_handle_;
    Request r("host", queue());
    r.number("as", h).number("device", handle(device)).text("name", name).number("size", size);
    placed(r);
    Value v;
    if (cudaError_t e = call(device, r, &v))
      return e;
    *p = link_.arena() + v["at"].number;
    std::lock_guard<std::mutex> hold(mu_);
    hosts_[*p] = Host{h, device};
    return cudaSuccess;
  }
  cudaError_t free_host(int device, void *p) override {
    Request r("hostfree", queue());
    {
      std::lock_guard<std::mutex> hold(mu_);
      const auto i = hosts_.find(p);
      if (i == hosts_.end())
        return cudaErrorInvalidValue;
      r.number("host", i->second.handle);
      hosts_.erase(i);
    }
    Value v;
    return call(device, r, &v);
  }
  cudaError_t alloc_managed(int device, size_t size, const char *name, void **p) override {
    return alloc_host(device, size, 0, name, p);
  }
  cudaError_t free_managed(int device, void *p) override { return free_host(device, p); }
  cudaError_t register_host(int, void *, size_t, unsigned, void **mapped) override {
    *mapped = nullptr; // another process cannot address it: copies work, kernels do not
    return cudaSuccess;
  }
  cudaError_t unregister_host(int, void *) override { return cudaSuccess; }
  cudaError_t memory(int device, size_t *free, size_t *total) override {
    Request r("memory", queue());
    r.number("device", handle(device));
    Value v;
    const cudaError_t e = call(device, r, &v);
    *free = v["free"].number;
    *total = v["total"].number;
    return e;
  }

  cudaError_t copy(int device, const Copy &c, cudaStream_t s, bool wait) override {
    uint64_t h = 0;
    if (cudaError_t e = order(device, s, &h))
      return e;
    const bool to = c.kind == cudaMemcpyHostToDevice || c.kind == cudaMemcpyDeviceToDevice || c.dst_mapped;
    const bool from = c.kind == cudaMemcpyDeviceToHost || c.kind == cudaMemcpyDeviceToDevice || c.src_mapped;
    for (size_t z = 0; z < c.depth; z++) {
      for (size_t y = 0; y < c.height; y++) {
        char *dst = c.dst + z * c.dst_slice + y * c.dst_pitch;
        const char *src = c.src + z * c.src_slice + y * c.src_pitch;
        cudaError_t e = cudaSuccess;
        if (to && from) {
          if ((e = known("a copy to", dst, c.width)) || (e = known("a copy from", src, c.width)))
            return e;
          Request r("copy", queue(), true);
          r.number("stream", h).number("dst", address(dst)).number("src", address(src)).number("size", c.width);
          called(r);
          e = quiet(device, r);
        } else if (to) {
          if (!(e = known("a copy to", dst, c.width)))
            e = copy_in(device, h, dst, src, c.width, wait);
        } else {
          if (!(e = known("a copy from", src, c.width)))
            e = copy_out(device, h, dst, src, c.width);
        }
        if (e != cudaSuccess)
          return e;
      }
    }
    // Memory that the program reads or writes next has been copied, and copies to a device have been
    // done when the server goes on; copies within devices are in order, where one order has all work.
    const bool orders = to && from && (devices_ > 1 || unordered_ > 0);
    if (wait && (orders || c.dst_mapped || c.src_mapped))
      return sync_handle(device, "stream", h);
    return cudaSuccess;
  }

  cudaError_t copy_peer(int device, void *dst, int from, const void *src, size_t size, cudaStream_t s,
                        bool wait) override {
    uint64_t h = 0;
    if (cudaError_t e = order(device, s, &h))
      return e;
    Request r("copypeer", queue());
    r.number("stream", h).number("dst", address(dst)).number("from", handle(from)).number("src", address(src));
    r.number("size", size);
    Value v;
    const cudaError_t e = call(device, r, &v);
    return e != cudaSuccess || !wait ? e : sync_handle(device, "stream", h);
  }

  cudaError_t fill(int device, void *p, size_t pitch, int value, size_t width, size_t height,
                   cudaStream_t s) override {
    uint64_t h = 0;
    if (cudaError_t e = order(device, s, &h))
      return e;
    for (size_t y = 0; y < height; y++) {
      char *row = static_cast<char *>(p) + y * pitch;
      if (cudaError_t e = known("cudaMemset at", row, width))
        return e;
      Request r("fill", queue(), true);
      r.number("stream", h).number("dst", address(row)).number("value", static_cast<unsigned char>(value));
      r.number("size", width);
      called(r);
      if (cudaError_t e = quiet(device, r))
        return e;
    }
    return cudaSuccess;
  }

  // Code.
  cudaError_t load(int device, const char *name, const char *ptx, size_t size, Handle *module) override {
    *module = ++last_handle_;
    Request r("load", queue());
    r.number("as", *module).number("device", handle(device)).text("name", name);
    Value v;
    if (size <= 512 << 10) {
      r.text("text", ptx, size);
      return call(device, r, &v);
    }
    const uint64_t room = ++last_handle_;
    Request ask("room", queue());
    ask.number("as", room).number("size", size);
    if (cudaError_t e = call(device, ask, &v))
      return e;
    memcpy(link_.arena() + v["at"].number, ptx, size);
    r.number("at", v["at"].number).number("size", size);
    const cudaError_t e = call(device, r, &v);
    Request end("close", queue(), true);
    end.number("handle", room);
    quiet(device, end);
    return e;
  }
  cudaError_t function(int device, Handle module, const char *name, Handle *f, FunctionInfo *info) override {
    *f = ++last_handle_;
    Request r("kernel", queue());
    r.number("as", *f).number("module", module).text("name", name);
    Value v;
    if (cudaError_t e = call(device, r, &v))
      return e == cudaErrorInvalidValue ? cudaErrorSymbolNotFound : e;
    const Value &i = v["info"];
    info->registers = i["registers"].integer();
    info->shared = i["shared"].integer();
    info->local = i["local"].integer();
    info->max_threads = i["maxthreads"].integer();
    info->ptx_version = info->binary_version = 90;
    return cudaSuccess;
  }
  cudaError_t global(int device, Handle module, const char *name, void **p, size_t *size) override {
    Request r("global", queue());
    r.number("module", module).text("name", name);
    Value v;
    const cudaError_t e = call(device, r, &v);
    *p = reinterpret_cast<void *>(v["ptr"].number);
    *size = v["size"].number;
    return e == cudaErrorInvalidValue ? cudaErrorSymbolNotFound : e;
  }

  cudaError_t launch(int device, Handle f, const FunctionInfo &, const Launch &l) override {
    uint64_t h = 0;
    if (cudaError_t e = order(device, l.stream, &h))
      return e;
    if (l.cluster.x != 0)
      return cudaErrorNotSupported; // only as the kernel's own
    if (l.cooperative) {
      const int threads = static_cast<int>(l.block.x * l.block.y * l.block.z);
      const uint64_t blocks = uint64_t{l.grid.x} * l.grid.y * l.grid.z;
      int most = 0;
      if (cudaError_t e = occupancy(device, f, threads, l.shared, &most))
        return e;
      const Value &i = device_[static_cast<size_t>(device)].info;
      if (blocks > static_cast<uint64_t>(most) * i["multiprocessors"].number)
        return refused(cudaErrorCooperativeLaunchTooLarge, "a cooperative launch of %llu blocks: %llu can be resident",
                       static_cast<unsigned long long>(blocks),
                       static_cast<unsigned long long>(static_cast<uint64_t>(most) * i["multiprocessors"].number));
    }
    thread_local std::string block;
    block.assign(l.kernel->bytes, '\0');
    for (uint32_t i = 0; i < l.kernel->count; i++)
      memcpy(&block[l.kernel->parameters[i].offset], l.args[i], l.kernel->parameters[i].size);
    Request r("launch", queue(), true);
    r.number("stream", h).number("kernel", f).triple("grid", l.grid.x, l.grid.y, l.grid.z);
    r.triple("block", l.block.x, l.block.y, l.block.z);
    if (l.shared != 0)
      r.number("shared", l.shared);
    if (l.cooperative)
      r.boolean("cooperative", true);
    if (l.child && minor_ >= 1)
      r.boolean("child", true).number("parent", l.parent).number("slot", l.slot);
    r.data("params", block.data(), block.size());
    called(r);
    return quiet(device, r);
  }
  cudaError_t set_attribute(int, Handle, cudaFuncAttribute, int) override { return cudaSuccess; }
  cudaError_t occupancy(int device, Handle f, int threads, size_t shared, int *blocks) override {
    Request r("occupancy", queue());
    r.number("kernel", f).number("threads", static_cast<uint64_t>(threads)).number("shared", shared);
    Value v;
    const cudaError_t e = call(device, r, &v);
    *blocks = v["blocks"].integer();
    return e;
  }

  // Streams and events.
  cudaError_t stream_create(int device, unsigned flags, int priority, cudaStream_t *s) override {
    const uint64_t h = ++last_handle_;
    Request r("stream", queue(), true);
    r.number("as", h).number("device", handle(device)).boolean("blocking", (flags & cudaStreamNonBlocking) == 0);
    r.boolean("high", priority < 0);
    made(r);
    if (cudaError_t e = quiet(device, r))
      return e;
    *s = new CUstream_st{h, device, flags, priority};
    if ((flags & cudaStreamNonBlocking) != 0)
      unordered_++;
    std::lock_guard<std::mutex> hold(mu_);
    streams_.insert(*s);
    return cudaSuccess;
  }
  cudaError_t stream_destroy(int device, cudaStream_t s) override {
    {
      std::lock_guard<std::mutex> hold(mu_);
      if (streams_.erase(s) == 0)
        return refused(cudaErrorInvalidResourceHandle, "%p is no stream, or is destroyed", static_cast<void *>(s));
    }
    Request r("close", queue());
    r.number("handle", s->handle);
    if ((s->flags & cudaStreamNonBlocking) != 0)
      unordered_--;
    delete s;
    Value v;
    return call(device, r, &v);
  }
  cudaError_t stream_sync(int device, cudaStream_t s) override {
    uint64_t h = 0;
    if (cudaError_t e = order(device, s, &h))
      return e;
    return sync_handle(device, "stream", h);
  }
  cudaError_t stream_query(int device, cudaStream_t s) override {
    uint64_t h = 0;
    if (cudaError_t e = order(device, s, &h))
      return e;
    return query_handle(device, "stream", h);
  }
  cudaError_t stream_wait(int device, cudaStream_t s, cudaEvent_t e) override {
    uint64_t h = 0;
    if (cudaError_t err = order(device, s, &h))
      return err;
    if (!live(e))
      return no_event(e);
    Request r("waitevent", queue(), true);
    r.number("stream", h).number("event", e->handle);
    return quiet(device, r);
  }
  cudaError_t stream_about(cudaStream_t s, unsigned *flags, int *priority) override {
    *flags = 0;
    *priority = 0;
    if (is_default(s))
      return cudaSuccess;
    std::lock_guard<std::mutex> hold(mu_);
    if (streams_.count(s) == 0)
      return cudaErrorInvalidResourceHandle;
    *flags = s->flags;
    *priority = s->priority;
    return cudaSuccess;
  }
  cudaError_t host_function(int device, cudaStream_t s, cudaHostFn_t f, void *data) override {
    if (cudaError_t e = stream_sync(device, s))
      return e;
    f(data);
    return cudaSuccess;
  }
  cudaError_t event_create(int device, unsigned flags, cudaEvent_t *e) override {
    const uint64_t h = ++last_handle_;
    Request r("event", queue(), true);
    r.number("as", h).number("device", handle(device));
    made(r);
    if (cudaError_t err = quiet(device, r))
      return err;
    *e = new CUevent_st{h, device, flags, false};
    std::lock_guard<std::mutex> hold(mu_);
    events_.insert(*e);
    return cudaSuccess;
  }
  cudaError_t event_destroy(int device, cudaEvent_t e) override {
    {
      std::lock_guard<std::mutex> hold(mu_);
      if (events_.erase(e) == 0)
        return no_event(e);
    }
    Request r("close", queue(), true);
    r.number("handle", e->handle);
    delete e;
    return quiet(device, r);
  }
  cudaError_t event_record(int device, cudaEvent_t e, cudaStream_t s) override {
    uint64_t h = 0;
    if (cudaError_t err = order(device, s, &h))
      return err;
    if (!live(e))
      return no_event(e);
    if (e->device != (s_device(s) < 0 ? device : s_device(s)))
      return cudaErrorInvalidResourceHandle;
    e->recorded = true;
    Request r("record", queue(), true);
    r.number("stream", h).number("event", e->handle);
    return quiet(device, r);
  }
  cudaError_t event_sync(int device, cudaEvent_t e) override {
    return live(e) ? sync_handle(device, "event", e->handle) : no_event(e);
  }
  cudaError_t event_query(int device, cudaEvent_t e) override {
    return live(e) ? query_handle(device, "event", e->handle) : no_event(e);
  }
  cudaError_t event_elapsed(int device, float *ms, cudaEvent_t start, cudaEvent_t end) override {
    for (cudaEvent_t e : {start, end})
      if (!live(e) || !e->recorded || (e->flags & cudaEventDisableTiming) != 0)
        return cudaErrorInvalidResourceHandle;
    if (cudaError_t e = event_query(device, start))
      return e;
    if (cudaError_t e = event_query(device, end))
      return e;
    Request r("since", queue());
    r.number("event", end->handle).number("start", start->handle);
    Value v;
    const cudaError_t e = call(device, r, &v);
    *ms = static_cast<float>(v["ms"].real);
    return e;
  }
  cudaError_t sync(int device) override { return sync_handle(device, "device", handle(device)); }

  // Peers.
  cudaError_t can_peer(int device, int peer, int *can) override {
    *can = device != peer;
    return cudaSuccess;
  }
  cudaError_t enable_peer(int device, int peer) override {
    Request r("enablepeer", queue());
    r.number("device", handle(device)).number("other", handle(peer));
    Value v;
    return call(device, r, &v);
  }
  cudaError_t disable_peer(int, int) override { return cudaSuccess; }
  cudaError_t set_limit(int device, cudaLimit limit, size_t value) override {
    if (limit != cudaLimitMallocHeapSize || minor_ < 1)
      return cudaSuccess;
    Request r("limit", queue());
    r.number("device", handle(device)).number("heap", std::min<uint64_t>(value, INT64_MAX));
    Value v;
    return call(device, r, &v);
  }
  cudaError_t prefetch(int, const void *, size_t, int, cudaStream_t) override { return cudaSuccess; }

private:
  struct Device {
    uint64_t handle = 0;
    uint64_t told = 0; // reports that were printed
    Value info;
  };
  struct Host {
    uint64_t handle;
    int device;
  };

#include "serve_private.inc"

  Connection link_;
  int devices_ = 1;
  bool check_ = true, leaks_ = false;
  bool notes_ = false; // the emulator's reports want them
  std::vector<std::pair<std::string, uint64_t>> options_;
  Value info_;
  std::vector<Device> device_;
  std::atomic<uint64_t> last_handle_{0};
  uint64_t minor_ = 0;            // the version of the protocol is 1.minor_
  std::atomic<int> unordered_{0}; // streams that do not wait for the default stream
  std::atomic<bool> failed_{false}, said_dead_{false}, said_input_{false};
  std::mutex mu_; // of the sets
  std::set<cudaStream_t> streams_;
  std::set<cudaEvent_t> events_;
  std::map<void *, Host> hosts_;
  std::mutex room_mu_; // of the room for copies
  char *room_ = nullptr;
  uint64_t room_at_ = 0;
  std::mutex tell_mu_;
};

} // namespace irgl

#endif
