// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the program is: its stack for reports of the emulator, as addresses in files. irgl serve finds the functions
// and, if there is debug information, the lines.
#ifndef IRGL_RUNTIME_PLACES_H
#define IRGL_RUNTIME_PLACES_H

#include <string>
#include <unordered_map>

#if defined __linux__ && __has_include(<execinfo.h>)
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>
#define IRGL_HAS_STACK 1
#endif

namespace irgl {

// own_path returns the path of the program's file, "" where it is not known.
inline std::string own_path() {
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  return n > 0 && n < static_cast<ssize_t>(sizeof self) ? std::string(self, static_cast<size_t>(n)) : "";
}

#ifdef IRGL_HAS_STACK
// frame returns where an address is, "" where that is not known.
inline std::string frame(void *at) {
  Dl_info about;
  if (dladdr(at, &about) == 0 || about.dli_fname == nullptr)
    return "";
  const auto *header = static_cast<const ElfW(Ehdr) *>(about.dli_fbase);
  uintptr_t offset = reinterpret_cast<uintptr_t>(at);
  if (header->e_type != ET_EXEC)
    offset -= reinterpret_cast<uintptr_t>(about.dli_fbase);
  char text[24];
  snprintf(text, sizeof text, "+%llx\n", static_cast<unsigned long long>(offset));
  return (about.dli_fname[0] == '/' ? std::string(about.dli_fname) : own_path()) + text;
}
#endif

// stack returns the return addresses of the thread's calls, the innermost first: "file+offset" a line. In a handler of a
// signal it begins with the instruction that has raised it, whose address counts as one behind.
inline std::string stack(void *raised = nullptr) {
  std::string out;
#ifdef IRGL_HAS_STACK
  void *at[48];
  const int n = backtrace(at, 48);
  int first = 1;
  if (raised != nullptr) {
    while (first < n && at[first] != raised)
      first++;
    if (first == n)
      at[--first] = raised;
    at[first] = static_cast<char *>(raised) + 1;
  }
  static thread_local std::unordered_map<void *, std::string> known; // files stay where they are as long as they are called
  for (int i = first; i < n; i++) {
    const auto k = known.find(at[i]);
    out += k != known.end() ? k->second : known[at[i]] = frame(at[i]);
  }
#endif
  return out;
}

// A Calling says which call of the program makes a stream or an event.
class Calling {
public:
  explicit Calling(const char *call) : before_(current()) { current() = call; }
  ~Calling() { current() = before_; }
  Calling(const Calling &) = delete;
  Calling &operator=(const Calling &) = delete;
  // current is the thread's, null in calls of the runtime's own.
  static const char *&current() {
    static thread_local const char *call = nullptr;
    return call;
  }

private:
  const char *before_;
};

} // namespace irgl

#endif
