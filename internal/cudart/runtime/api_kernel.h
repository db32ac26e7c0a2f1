// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the runtime's interface, and the launches that the compiler driver writes.
#ifndef IRGL_RUNTIME_API_KERNEL_H
#define IRGL_RUNTIME_API_KERNEL_H

#include "api_device.h"
#include "behind.h"
#include "graphs.h"
#include "registry.h"
#include "state.h"

namespace irgl {

// unlaunchable returns what is wrong with a grid and a block whatever the kernel, or nullptr.
inline const char *unlaunchable(const dim3 &g, const dim3 &b) {
  if (g.x == 0 || g.y == 0 || g.z == 0)
    return "the grid has no blocks";
  if (b.x == 0 || b.y == 0 || b.z == 0)
    return "the blocks have no threads";
  if (g.x > irgl_max_grid_x || g.y > irgl_max_grid_yz || g.z > irgl_max_grid_yz)
    return "a grid has at most 2147483647 blocks in x, 65535 in y and z";
  if (b.x > irgl_max_block_xy || b.y > irgl_max_block_xy || b.z > irgl_max_block_z)
    return "a block has at most 1024 threads in x and y, 64 in z";
  return b.x * b.y * b.z > irgl_max_threads ? "a block has at most 1024 threads" : nullptr;
}

// prepare finds the kernel of a launch, and checks the launch.
inline cudaError_t prepare(Backend &b, int device, const void *stub, Launch *launch, std::shared_ptr<Function> *of) {
  Launch &l = *launch;
  if (cudaError_t e = function(b, device, stub, of, &l.kernel))
    return e;
  const Function *f = of->get();
  if (const char *why = unlaunchable(l.grid, l.block))
    return refused(cudaErrorInvalidConfiguration, "a grid of %u, %u, %u blocks of %u, %u, %u threads: %s",
                   l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, why);
  if (l.block.x * l.block.y * l.block.z > static_cast<unsigned>(f->info.max_threads))
    return refused(cudaErrorLaunchOutOfResources, "blocks of %u threads: the kernel allows at most %d",
                   l.block.x * l.block.y * l.block.z, f->info.max_threads);
  if (passed(l.kernel) > 0 && l.args == nullptr)
    return refused(cudaErrorInvalidValue, "the kernel has parameters, and there are no arguments");
  const size_t fixed = f->raised ? 0 : static_cast<size_t>(f->info.shared);
  if (l.shared > static_cast<size_t>(f->max_dynamic) || l.shared + fixed > static_cast<size_t>(f->max_dynamic))
    return refused(cudaErrorInvalidValue,
                   "%zu bytes of dynamic and %zu of static shared memory: %zu are allowed; cudaFuncSetAttribute with "
                   "cudaFuncAttributeMaxDynamicSharedMemorySize allows more",
                   l.shared, static_cast<size_t>(f->info.shared), static_cast<size_t>(f->max_dynamic));
  return cudaSuccess;
}

inline cudaError_t launch_kernel(const void *stub, Launch l);

// launching returns the operation of a graph that is a launch, with copies of the arguments.
inline Operation launching(const void *stub, const Launch &l) {
  struct Copies {
    std::vector<std::max_align_t> block;
    std::vector<void *> args;
  };
  const auto copies = std::make_shared<Copies>();
  copies->block.resize(l.kernel->bytes / sizeof(std::max_align_t) + 1);
  for (uint32_t i = 0; i < passed(l.kernel); i++) {
    const irgl_parameter &p = l.kernel->parameters[i];
    copies->args.push_back(reinterpret_cast<char *>(copies->block.data()) + p.offset);
    memcpy(copies->args.back(), l.args[i], p.size);
  }
  copies->args.push_back(nullptr);
  return [stub, l, copies](cudaStream_t s) {
    Launch again = l;
    again.stream = s;
    again.args = copies->args.data();
    return launch_kernel(stub, again);
  };
}

inline cudaError_t launch_kernel(const void *stub, Launch l) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    std::shared_ptr<Function> f;
    if (cudaError_t e = prepare(b, device, stub, &l, &f))
      return e;
    cudaError_t e = cudaSuccess;
    if (graphs().captures.load(std::memory_order_relaxed) != 0 &&
        recorded(device, l.stream, cudaGraphNodeTypeKernel, &e,
                 [run = launching(stub, l)](Backend &, int, cudaStream_t s) { return run(s); }))
      return e;
    const auto run = [&](const Launch &as) -> cudaError_t {
      if ((as.kernel->flags & IRGL_LAUNCHES) != 0 && !f->by_library)
        if (const auto queue = launch_queue(device))
          return queue->run(f->handle, f->info, as);
      return b.launch(device, f->handle, f->info, as);
    };
    return l.kernel->behind == nullptr ? run(l) : launch_with_behind(b, device, *f, l, run);
  });
}

void launch(const void *stub, void **args) {
  auto &stack = thread().configured;
  if (stack.empty()) {
    record(cudaErrorMissingConfiguration); // the stub was called as a function
    return;
  }
  const Configuration c = stack.back();
  stack.pop_back();
  Launch l;
  l.grid = c.grid;
  l.block = c.block;
  l.shared = c.shared;
  l.stream = c.stream;
  l.args = args;
  thread().reason.clear();
  thread().launching = true;
  const cudaError_t e = launch_kernel(stub, l);
  thread().launching = false;
  if (e != cudaSuccess) {
    Process &p = process();
    std::lock_guard<std::recursive_mutex> hold_registry(p.registry);
    const auto k = p.kernels.find(stub);
    const std::string what = "the launch of " + (k == p.kernels.end() ? "?" : cxx_name(k->second.about->name)) + " at " +
                             c.file + ":" + std::to_string(c.line) + " failed with " + cudaGetErrorName(e),
                      why = thread().reason.empty() ? "" : " (" + thread().reason + ")";
    if (getenv("IRGL_LOG") != nullptr)
      message("%s", what.c_str());
    std::lock_guard<std::mutex> hold(p.unasked_mu);
    // A grid without blocks has nothing to do: programs rely on that for empty inputs.
    const bool empty = l.grid.x == 0 || l.grid.y == 0 || l.grid.z == 0;
    if (p.unasked.empty() && !sticky(e) && !empty) {
      p.unasked_file = c.file;
      p.unasked_line = c.line;
      p.unasked = what + why + ", and no call asked for the error";
    }
  }
}

void *managed_address(void *initial, size_t size, const char *name) {
  void *at = initial;
  const cudaError_t last = thread().last;
  on_current([&](Backend &b, int device) -> cudaError_t {
    std::lock_guard<std::recursive_mutex> hold(process().registry);
    return managed_memory(b, device, initial, size, name, &at);
  });
  thread().last = last; // the program has made no call
  return at;
}

const void *named_symbol(const char *literal, size_t size) { return named_symbol_in(process(), literal, size); }

cudaError_t best_block(int *grid, int *block, const void *stub, int limit, size_t (*shared)(void *, int), void *data) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    if (grid == nullptr || block == nullptr)
      return cudaErrorInvalidValue;
    std::shared_ptr<Function> f;
    const irgl_kernel *about = nullptr;
    if (cudaError_t e = function(b, device, stub, &f, &about))
      return e;
    cudaDeviceProp p;
    if (cudaError_t e = properties(b, device, &p))
      return e;
    int most = std::min(p.maxThreadsPerBlock, f->info.max_threads);
    if (limit > 0)
      most = std::min(most, limit);
    int best = 0;
    for (int threads = (most + p.warpSize - 1) / p.warpSize * p.warpSize; threads > 0; threads -= p.warpSize) {
      const int n = std::min(threads, most);
      int blocks = 0;
      if (b.occupancy(device, f->handle, n, shared(data, n), &blocks) != cudaSuccess)
        continue;
      if (blocks * n > best) {
        best = blocks * n;
        *block = n;
        *grid = blocks * p.multiProcessorCount;
      }
      if (best == p.maxThreadsPerMultiProcessor)
        break;
    }
    return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

} // namespace irgl

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, const char *file,
                                     int line) {
  irgl::thread().configured.push_back(irgl::Configuration{grid, block, shared, stream, file, line});
  return 0;
}

extern "C" {

cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
  irgl::Launch l;
  l.grid = grid;
  l.block = block;
  l.shared = shared;
  l.stream = stream;
  l.args = args;
  return irgl::launch_kernel(f, l);
}

cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
  irgl::Launch l;
  l.grid = grid;
  l.block = block;
  l.shared = shared;
  l.stream = stream;
  l.cooperative = true;
  l.args = args;
  return irgl::launch_kernel(f, l);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **args) {
  if (config == nullptr || (config->numAttrs > 0 && config->attrs == nullptr))
    return irgl::record(cudaErrorInvalidValue);
  irgl::Launch l;
  l.grid = config->gridDim;
  l.block = config->blockDim;
  l.shared = config->dynamicSmemBytes;
  l.stream = config->stream;
  l.args = args;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute &a = config->attrs[i];
    if (a.id == cudaLaunchAttributeCooperative)
      l.cooperative = a.val.cooperative != 0;
    else if (a.id == cudaLaunchAttributeClusterDimension)
      l.cluster = dim3(a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z);
    else if (a.id != cudaLaunchAttributeIgnore && a.id != cudaLaunchAttributePriority &&
             a.id != cudaLaunchAttributeProgrammaticStreamSerialization)
      return irgl::record(cudaErrorNotSupported);
  }
  return irgl::launch_kernel(f, l);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, const void *stub) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    std::shared_ptr<irgl::Function> f;
    const irgl_kernel *about = nullptr;
    if (a == nullptr)
      return cudaErrorInvalidValue;
    if (cudaError_t e = irgl::function(b, device, stub, &f, &about))
      return e;
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = static_cast<size_t>(f->info.shared);
    a->constSizeBytes = static_cast<size_t>(f->info.constant);
    a->localSizeBytes = static_cast<size_t>(f->info.local);
    a->maxThreadsPerBlock = f->info.max_threads;
    a->numRegs = f->info.registers;
    a->ptxVersion = f->info.ptx_version;
    a->binaryVersion = f->info.binary_version;
    a->maxDynamicSharedSizeBytes = f->raised ? f->max_dynamic : std::max(0, f->max_dynamic - f->info.shared);
    a->preferredShmemCarveout = -1;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *stub, cudaFuncAttribute attribute, int value) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    std::shared_ptr<irgl::Function> f;
    const irgl_kernel *about = nullptr;
    if (cudaError_t e = irgl::function(b, device, stub, &f, &about))
      return e;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
      return attribute >= cudaFuncAttributePreferredSharedMemoryCarveout &&
                     attribute <= cudaFuncAttributeNonPortableClusterSizeAllowed
                 ? b.set_attribute(device, f->handle, attribute, value)
                 : cudaErrorInvalidValue;
    cudaDeviceProp p;
    if (cudaError_t e = irgl::properties(b, device, &p))
      return e;
    if (value < 0 || static_cast<size_t>(value) + static_cast<size_t>(f->info.shared) > p.sharedMemPerBlockOptin)
      return irgl::refused(cudaErrorInvalidValue, "%d bytes of dynamic and %d of static shared memory: a block has at most %zu", value,
                     f->info.shared, p.sharedMemPerBlockOptin);
    const cudaError_t e = b.set_attribute(device, f->handle, attribute, value);
    if (e == cudaSuccess) {
      f->max_dynamic = value;
      f->raised = true;
    }
    return e;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *stub, cudaFuncCache) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    std::shared_ptr<irgl::Function> f;
    const irgl_kernel *about = nullptr;
    return irgl::function(b, device, stub, &f, &about);
  });
}
cudaError_t cudaFuncSetSharedMemConfig(const void *stub, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(stub, cudaFuncCachePreferNone);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub, int threads,
                                                                   size_t shared, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    std::shared_ptr<irgl::Function> f;
    const irgl_kernel *about = nullptr;
    if (blocks == nullptr || threads <= 0 || flags > 1)
      return cudaErrorInvalidValue;
    if (cudaError_t e = irgl::function(b, device, stub, &f, &about))
      return e;
    if (threads > f->info.max_threads) {
      *blocks = 0;
      return cudaSuccess;
    }
    return b.occupancy(device, f->handle, threads, shared, blocks);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *f, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}
}

#endif
