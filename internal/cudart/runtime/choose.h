// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which backend a program runs on: IRGL_DEVICE=cuda or simt; without it the GPU's driver.
#ifndef IRGL_RUNTIME_CHOOSE_H
#define IRGL_RUNTIME_CHOOSE_H

#include <cxxabi.h>
#include <pthread.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "driver.h"
#include "library.h"
#include "serve.h"
#include "state.h"

namespace irgl {

void message(const char *format, ...) {
  std::string line = "irgl: ";
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  const int n = vsnprintf(nullptr, 0, format, list);
  va_end(list);
  if (n > 0) {
    const size_t at = line.size();
    line.resize(at + static_cast<size_t>(n) + 1);
    vsnprintf(&line[at], static_cast<size_t>(n) + 1, format, again);
    line.back() = '\n';
  }
  va_end(again);
  fflush(stdout); // what the program has printed comes before it
  fwrite(line.data(), 1, line.size(), stderr);
}

cudaError_t refused(cudaError_t e, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  thread().reason = text;
  if (getenv("IRGL_LOG") != nullptr)
    message("%s: %s", cudaGetErrorName(e), text);
  if (Backend *b = thread().launching ? nullptr : process().backend)
    b->note("call-failed", (std::string(cudaGetErrorName(e)) + ": " + text).c_str(), nullptr, 0);
  return e;
}

std::string cxx_name(const char *symbol) {
  if (const char *file = strrchr(symbol, '$')) // of a file of linked ones
    if (strlen(file) == 17 && strspn(file + 1, "0123456789abcdef") == 16)
      return cxx_name(std::string(symbol, file).c_str());
  int status = 0;
  char *name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string text = name != nullptr ? name : symbol;
  free(name);
  if (name == nullptr) // forms of kernels have suffixes
    for (const char *suffix : {"_agg", "_coarse"}) {
      const size_t n = strlen(suffix);
      if (text.size() > n && text.compare(text.size() - n, n, suffix) == 0) {
        const std::string of = text.substr(0, text.size() - n), known = cxx_name(of.c_str());
        return known == of ? text : known + (n == 4 ? " (aggregated)" : " (coarsened)");
      }
    }
  if (name != nullptr && text.compare(0, 5, "void ") == 0) // the result of a template's instance
    text.erase(0, 5);
  return text;
}

// kManyDrained is how many launches in device code the host runs before a program is told of the library,
// which takes less time from a few hundred on.
static constexpr uint64_t kManyDrained = 10000;

// report_launches prints what launches in device code have left to say.
inline void report_launches(Process &p) {
  for (const auto &d : p.device)
    if (d->by_library != nullptr)
      d->by_library->report();
  if (p.drained < kManyDrained || !p.backend->links() || !machine_library().wanted)
    return;
  const std::string why = !p.unlinked.empty() ? p.unlinked : machine_library().found() ? "" : "the Python package nvidia-cuda-runtime has it, or IRGL_CUDADEVRT names it";
  if (!why.empty())
    message("note: the host has run %llu launches of device code; with libcudadevrt.a the driver does, several times faster: %s (IRGL_CUDADEVRT=none leaves out this note)",
            static_cast<unsigned long long>(p.drained.load()), why.c_str());
}

// end_of_process runs after the program's own static objects are destroyed.
inline void end_of_process(int status) {
  Process &p = process();
  if (p.backend == nullptr || p.forked)
    return;
  const bool unasked = strcmp(p.backend->name(), "simt") == 0 && !p.unasked.empty();
  if (unasked) {
    message("%s", p.unasked.c_str());
    p.backend->note("launch-failed", p.unasked.c_str(), p.unasked_file, p.unasked_line);
  }
  report_launches(p);
  const int ours = std::max(p.backend->finish(), unasked ? 1 : 0);
  if (status == 0 && ours != 0) {
    fflush(nullptr);
    _exit(ours);
  }
}

#ifdef __GLIBC__
inline void exit_hook(int status, void *) { end_of_process(status); }
#else
inline void exit_hook() { end_of_process(0); }
#endif

// hook_exit registers end_of_process, before the constructors of the program's objects: so it
// runs after their destructors.
inline void hook_exit() {
  Process &p = process();
  if (p.exit_hooked)
    return;
  p.exit_hooked = true;
#ifdef __GLIBC__
  on_exit(exit_hook, nullptr);
#else
  atexit(exit_hook);
#endif
}

inline cudaError_t choose(Process &p) {
  if (p.forked)
    return cudaErrorInitializationError;
  if (p.backend != nullptr || p.unusable != cudaSuccess)
    return p.unusable;
  pthread_atfork(nullptr, nullptr, [] { process().forked = true; });
  hook_exit();
  const char *want = getenv("IRGL_DEVICE");
  std::string why;
  Backend *b = nullptr;
  cudaError_t e = cudaSuccess;
  if (want == nullptr || *want == '\0' || strcmp(want, "cuda") == 0) {
    e = Driver::start(&b, &why);
    if (e != cudaSuccess)
      message("%s; IRGL_DEVICE=simt runs the program on the emulator", why.c_str());
  } else if (strcmp(want, "simt") == 0) {
    e = Serve::start(&b, &why);
    if (e != cudaSuccess)
      message("%s", why.c_str());
  } else {
    e = cudaErrorInitializationError;
    message("IRGL_DEVICE is %s: it is cuda or simt", want);
  }
  int n = 0;
  if (e == cudaSuccess && (e = b->count(&n)) == cudaSuccess && n == 0)
    e = cudaErrorNoDevice;
  if (e != cudaSuccess) {
    p.unusable = e;
    return e;
  }
  p.backend = b;
  for (int i = 0; i < n; i++)
    p.device.emplace_back(new DeviceState);
  p.devices.store(n, std::memory_order_release);
  return cudaSuccess;
}

} // namespace irgl

#endif
