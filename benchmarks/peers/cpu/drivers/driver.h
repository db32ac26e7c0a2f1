// What the drivers of all peers share: Galois' .gr files, the timing, and the report.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace driver {

// The arguments of every driver: FILE.gr THREADS RUNS SECONDS DELTA CLOCK. The clock is wall
// or processor, the time of all threads.
struct Args {
  const char *file;
  int threads, runs;
  double seconds;
  int delta;
  clockid_t clock;
};

inline Args args(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: %s FILE.gr THREADS RUNS SECONDS DELTA CLOCK\n", argv[0]);
    exit(2);
  }
  clockid_t clock = std::string(argv[6]) == "processor" ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  return {argv[1], atoi(argv[2]), atoi(argv[3]), atof(argv[4]), atoi(argv[5]), clock};
}

// A graph in version 1 of Galois' format, mapped: node v's arcs are end[v-1] up to end[v].
struct Gr {
  uint64_t n = 0, m = 0;
  const uint64_t *end = nullptr;
  const uint32_t *dst = nullptr;
  const int32_t *weight = nullptr; // null without weights

  uint64_t begin(uint64_t v) const { return v ? end[v - 1] : 0; }
};

inline Gr open_gr(const char *path) {
  int fd = open(path, O_RDONLY);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) {
    perror(path);
    exit(2);
  }
  void *p = mmap(nullptr, st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  if (p == MAP_FAILED || st.st_size < 32 || *(uint64_t *)p != 1) {
    fprintf(stderr, "%s: not a .gr file of version 1\n", path);
    exit(2);
  }
  const uint64_t *head = (const uint64_t *)p;
  Gr g;
  g.n = head[2];
  g.m = head[3];
  g.end = head + 4;
  g.dst = (const uint32_t *)(g.end + g.n);
  if (head[1] == 4) g.weight = (const int32_t *)(g.dst + g.m + (g.m & 1));
  return g;
}

inline double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

// Runs f a.runs times, or as often as a.seconds allow, but at least three times or, if
// one run takes longer than all may, once. Returns milliseconds of a.clock.
template <class F> std::vector<double> repeat(const Args &a, F f) {
  std::vector<double> ms;
  double start = now(CLOCK_MONOTONIC);
  for (int i = 0; i < a.runs; i++) {
    double began = now(CLOCK_MONOTONIC), t = now(a.clock);
    f();
    ms.push_back((now(a.clock) - t) * 1e3);
    double end = now(CLOCK_MONOTONIC), used = end - start;
    if (used > a.seconds || (i >= 2 && used + end - began > a.seconds)) break;
  }
  return ms;
}

// The same of an f that prints to standard output what nobody wants to read.
template <class F> std::vector<double> repeat_quietly(const Args &a, F f) {
  fflush(stdout);
  int keep = dup(1), null = open("/dev/null", O_WRONLY);
  dup2(null, 1);
  auto ms = repeat(a, f);
  fflush(stdout);
  dup2(keep, 1);
  close(keep);
  close(null);
  return ms;
}

inline double median(std::vector<double> t) {
  std::sort(t.begin(), t.end());
  size_t n = t.size();
  return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

using Answer = std::vector<std::pair<const char *, double>>;

// Prints a line of JSON: the code, the median of ms, and what the answers of codes are
// compared by.
inline void report(const char *code, const std::vector<double> &ms, const Answer &answer) {
  printf("{\"code\":\"%s\",\"ms\":%.6g,\"answer\":{", code, median(ms));
  for (size_t i = 0; i < answer.size(); i++) printf("%s\"%s\":%.17g", i ? "," : "", answer[i].first, answer[i].second);
  printf("}}\n");
}

// The answer of a search from node 0 that left each node's parent, itself for the source
// and a negative number for those not reached: levels, by walking up.
template <class P> Answer levels(uint64_t n, const P &parent) {
  std::vector<int64_t> level(n, -1), path;
  level[0] = 0;
  double set = 0, sum = 0, max = 0;
  for (uint64_t v = 0; v < n; v++) {
    if ((int64_t)(int32_t)parent[v] < 0) continue;
    path.clear();
    uint64_t u = v;
    for (; level[u] < 0; u = parent[u]) path.push_back(u);
    int64_t l = level[u];
    for (auto it = path.rbegin(); it != path.rend(); ++it) level[*it] = ++l;
    set++;
    sum += level[v];
    max = std::max(max, (double)level[v]);
  }
  return {{"set", set}, {"max", max}, {"sum", sum}};
}

} // namespace driver
