// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in device code by CUDA's device runtime. An image with such launches has a second text,
// which calls the functions of libcudadevrt.a; the driver links both. The archive is the program's own
// (irgl cuda build --cudadevrt), or one of the machine's: IRGL_CUDADEVRT names it ("none" is none), else it is looked
// for in the toolkit and in the Python package nvidia-cuda-runtime. Without it the host drains a queue
// (launches.h).
#ifndef IRGL_RUNTIME_LIBRARY_H
#define IRGL_RUNTIME_LIBRARY_H

#include <glob.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "state.h"

namespace irgl {

// These are structs of internal/dynpar/common.cu.
struct LaunchError {
  uint64_t grid, thread;
  uint32_t code, module, kernel, site, size[6], shared, others;
};
struct LaunchHeader {
  uint32_t count, errors, streams, capacity, stride, depth, deepest, device;
  uint64_t slots;
  LaunchError list[64];
};
static_assert(sizeof(LaunchError) == 64 && sizeof(LaunchHeader) == 40 + 64 * 64, "irgl_launch_queue");
struct LaunchModule {
  uint64_t queue;
  uint32_t number, pad;
};
static_assert(sizeof(LaunchModule) == 16, "irgl_launch_module");

// kPending is how many launches the queue of a device has room for unless cudaDeviceSetLimit says more: programs
// of toolkits before 12 set less than they need, as those had room beyond the limit.
static constexpr size_t kPending = 1 << 16;

// pending returns how many launches may wait in a device as the program has set it, or 0. A limit counts in
// whole blocks: programs set the number of items, and all threads of the last block launch.
inline size_t pending(int device) {
  const auto &limits = device_state(device).limits;
  const auto i = limits.find(cudaLimitDevRuntimePendingLaunchCount);
  return i == limits.end() ? 0 : (i->second + 1023) / 1024 * 1024;
}

// set_pending tells the driver how many launches may wait, if the program has said so. More than are needed
// make each slower: the driver goes through its buffer in turn, and a large one is not in the cache.
inline cudaError_t set_pending(Backend &b, int device) {
  const size_t n = pending(device);
  return n == 0 ? cudaSuccess : b.set_limit(device, cudaLimitDevRuntimePendingLaunchCount, n);
}

// queue_variable returns the name of the variable irgl_launches of an image in its PTX.
inline std::string queue_variable(const irgl_image *image) {
  const irgl_part *part = static_cast<const ImageState *>(image->state)->part;
  return part == nullptr ? "irgl_launches" : std::string("irgl_launches$") + part->id;
}

// without_parameters takes the parameters off a kernel's name, which may have a form behind it: (aggregated). What else is in round
// brackets is of the name: (anonymous namespace)::child.
inline std::string without_parameters(std::string name) {
  std::string form;
  for (const char *what : {" (aggregated)", " (coarsened)"}) {
    const size_t n = strlen(what);
    if (name.size() > n && name.compare(name.size() - n, n, what) == 0) {
      name.resize(name.size() - n);
      form = what + form;
    }
  }
  size_t at = name.size();
  for (size_t depth = 0; at > 0 && (depth > 0 || name[at - 1] == ')');) {
    at--;
    depth += name[at] == ')';
    depth -= name[at] == '(';
    if (depth == 0)
      break;
  }
  name.resize(at);
  return name + form;
}

// launched_as describes a launch in device code as the program has it, with its place.
inline std::string launched_as(const irgl_image *image, uint32_t kernel, uint32_t site, const uint32_t *size, size_t shared) {
  const std::string name = without_parameters(kernel < image->launched_count ? cxx_name(image->launched[kernel].name) : "?");
  char text[160];
  snprintf(text, sizeof text, "<<<(%u, %u, %u), (%u, %u, %u), %zu>>>", size[0], size[1], size[2], size[3], size[4], size[5], shared);
  const std::string at = site < image->site_count ? std::string(" at ") + image->sites[site] : "";
  return name + (text + at);
}

// A Failures counts launches in device code that failed, and describes the first.
class Failures {
public:
  uint64_t count = 0;
  cudaError_t first = cudaSuccess;
  std::string what;

  // add adds those that a header has, which no thread has asked for; images has those of the device by number.
  template <class Images> void add(const LaunchHeader &h, const Images &image) {
    count += h.errors;
    for (const LaunchError &e : h.list) {
      if (first != cudaSuccess || h.errors == 0 || e.code == 0 || e.code == UINT32_MAX)
        continue;
      first = static_cast<cudaError_t>(e.code);
      if (const irgl_image *m = image(e.module))
        what = launched_as(m, e.kernel, e.site, e.size, e.shared);
    }
    if (first == cudaSuccess && count > 0)
      first = static_cast<cudaError_t>(h.list[0].others);
  }

  // report prints them; who has launched them, if it is known, begins the line.
  void report(const std::string &who) const {
    if (count == 0)
      return;
    const char *hint = first != cudaErrorLaunchPendingCountExceeded ? "" : "; cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, n) makes room";
    message("%s%llu launch%s in device code failed: %s (%s)%s%s%s", who.c_str(), static_cast<unsigned long long>(count), count > 1 ? "es" : "",
            cudaGetErrorName(first), cudaGetErrorString(first), what.empty() ? "" : count > 1 ? ": first " : ": ", what.c_str(), hint);
  }
};

// A LibraryLaunches is what the runtime has of a device whose code launches by the library: a record
// of failed launches, in memory of the host that the device writes.
class LibraryLaunches {
public:
  LibraryLaunches(Backend &b, int device) : backend_(b), device_(device) {
    const size_t page = 4096, size = (sizeof(LaunchHeader) + page - 1) / page * page;
    void *p = nullptr;
    if (posix_memalign(&p, page, size) != 0)
      return;
    memset(p, 0, size);
    header_ = static_cast<LaunchHeader *>(p); // never freed: it outlives the driver
    if (backend_.register_host(device_, p, size, 0, &mapped_) != cudaSuccess)
      mapped_ = nullptr; // failures go unseen, as in other compilers' programs
  }

  // add tells an image that has been loaded where to record failures.
  cudaError_t add(const irgl_image *image, Handle module) {
    void *at = nullptr;
    size_t n = 0;
    if (cudaError_t e = backend_.global(device_, module, queue_variable(image).c_str(), &at, &n))
      return e;
    std::lock_guard<std::mutex> hold(mu_);
    const LaunchModule about = {reinterpret_cast<uint64_t>(mapped_), static_cast<uint32_t>(images_.size()), 0};
    images_.push_back(image);
    const char *src = reinterpret_cast<const char *>(&about);
    const size_t size = sizeof about;
    return backend_.copy(device_, Copy{static_cast<char *>(at), src, size, size, size, size, size, 1, 1, cudaMemcpyHostToDevice, false, false}, nullptr, true);
  }

  // report prints the failures that no thread has asked for, once. No grid runs.
  void report() {
    std::lock_guard<std::mutex> hold(mu_);
    if (header_ == nullptr || header_->errors == 0)
      return;
    Failures f;
    f.add(*header_, [this](uint32_t n) { return n < images_.size() ? images_[n] : nullptr; });
    memset(static_cast<void *>(header_), 0, sizeof *header_);
    f.report("");
  }

private:
  Backend &backend_;
  const int device_;
  std::mutex mu_;
  std::vector<const irgl_image *> images_; // by number
  LaunchHeader *header_ = nullptr;
  void *mapped_ = nullptr; // where the device has it
};

// A DeviceLibrary is where libcudadevrt.a is: a file, or bytes of the program.
struct DeviceLibrary {
  std::string path;
  const irgl_archive *archive = nullptr;
  bool wanted = true; // IRGL_CUDADEVRT is not "none"
  bool found() const { return archive != nullptr || !path.empty(); }
};

inline bool readable(const std::string &path) { return access(path.c_str(), R_OK) == 0; }

// matching returns the last file that a pattern of sh matches, or "".
inline std::string matching(const std::string &pattern) {
  glob_t g;
  std::string out;
  if (glob(pattern.c_str(), 0, nullptr, &g) == 0 && g.gl_pathc > 0)
    out = g.gl_pathv[g.gl_pathc - 1];
  globfree(&g);
  return out;
}

// places returns where the library may be, as patterns: in the toolkit, and in the packages of the Python
// that is active, that is first in PATH, or that the user or the system has.
inline std::vector<std::string> places() {
  std::vector<std::string> out, prefixes;
  const auto variable = [](const char *name) { const char *v = getenv(name); return std::string(v != nullptr ? v : ""); };
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (!variable(name).empty())
      out.push_back(variable(name));
  out.push_back("/usr/local/cuda");
  for (std::string &dir : out)
    dir += "/lib64/libcudadevrt.a";
  out.push_back("/usr/lib/*-linux-gnu/libcudadevrt.a"); // a distribution's toolkit
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (!variable(name).empty())
      prefixes.push_back(variable(name));
  const std::string path = variable("PATH") + ":";
  for (size_t at = 0, end; (end = path.find(':', at)) != std::string::npos; at = end + 1) {
    const std::string dir = path.substr(at, end - at);
    if (readable(dir + "/python3"))
      prefixes.push_back(dir + "/..");
  }
  if (!variable("HOME").empty())
    prefixes.push_back(variable("HOME") + "/.local");
  prefixes.push_back("/usr/local");
  prefixes.push_back("/usr");
  for (const std::string &prefix : prefixes)
    for (const char *packages : {"/lib/python3*/site-packages", "/lib/python3*/dist-packages", "/lib/python3/dist-packages"})
      for (const char *dir : {"/nvidia/cu1[3-9]/lib", "/nvidia/cuda_runtime/lib"})
        out.push_back(prefix + packages + dir + "/libcudadevrt.a");
  return out;
}

// machine_library returns the library that the machine has, looked for once.
inline const DeviceLibrary &machine_library() {
  static const DeviceLibrary found = [] {
    DeviceLibrary l;
    const char *named = getenv("IRGL_CUDADEVRT");
    if (named != nullptr && *named != '\0') {
      l.wanted = strcmp(named, "none") != 0;
      if (l.wanted && readable(named))
        l.path = named;
      else if (l.wanted)
        message("IRGL_CUDADEVRT is %s, which cannot be read: the host runs what device code launches", named);
      return l;
    }
    for (const std::string &pattern : places()) {
      l.path = matching(pattern);
      if (l.found())
        break;
    }
    return l;
  }();
  return found;
}

// device_library returns the library for an image: that of IRGL_CUDADEVRT, that of the program, or
// one of the machine.
inline DeviceLibrary device_library(const irgl_by_library &code) {
  const char *named = getenv("IRGL_CUDADEVRT");
  if (code.archive == nullptr || (named != nullptr && *named != '\0'))
    return machine_library();
  DeviceLibrary l;
  l.archive = code.archive;
  return l;
}

// load_code loads the device code of an image or of linked ones: that by the library, if the backend can
// link and the library is found, else that of the queue. by says which it is.
inline cudaError_t load_code(Backend &b, int device, const char *name, const char *ptx, size_t size, const irgl_by_library &code, Handle *module, bool *by) {
  *by = false;
  if (code.ptx != nullptr && b.links()) {
    const DeviceLibrary library = device_library(code);
    std::string why = library.wanted ? "libcudadevrt.a is not found; the Python package nvidia-cuda-runtime has it, or set IRGL_CUDADEVRT to its path" : "IRGL_CUDADEVRT is none";
    if (library.found()) {
      set_pending(b, device); // where that fails the driver's own limit serves most programs
      *by = b.link(device, name, code.ptx, code.size, library.path, library.archive, module, &why) == cudaSuccess;
      if (*by)
        return cudaSuccess;
      int version = 0;
      if (b.driver_version(&version) == cudaSuccess) {
        const std::string fits = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
        why += "; the driver is of CUDA " + fits + ", and takes no newer library";
      }
      process().unlinked = why;
    }
    if (getenv("IRGL_LOG") != nullptr)
      message("%s: the host runs what device code launches: %s", name, why.c_str());
  }
  while (size > 0 && ptx[size - 1] == '\0')
    size--;
  return b.load(device, name, ptx, size, module);
}

} // namespace irgl

#endif
