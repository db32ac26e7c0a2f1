// Level-synchronous breadth-first search in C and OpenMP: the measure for irgl's
// CPU path. Always top-down, as the IrGL program is, so that both look at the
// same arcs. Like the program it lets threads race for a node (both would write
// the same level) instead of using an atomic operation, which is faster.
//
// Every thread collects the nodes it finds in a buffer of its own, and one
// shared addition a buffer claims the place in the next frontier. One parallel
// region spans all levels; a level with little work is done by one thread, as
// handing it out would take longer.
//
//   gcc -O3 -march=native -fopenmp bfs.c -o bfs
//   OMP_NUM_THREADS=2 ./bfs FILE.gr SOURCE RUNS
//
// FILE is in Galois' binary format, version 1. Prints threads, the median
// milliseconds of RUNS runs (setting the levels to infinity included), the nodes
// reached, the deepest level and the sum of levels.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INF 2147483647
#define BUFFER 4096 // items of a thread's buffer: 16 KB, half a level 1 cache
#define SMALL 256   // frontiers up to this size may be done by one thread
#define LITTLE 768  // if they have no more arcs than this

typedef struct {
  uint32_t n;
  uint64_t m, *row;
  uint32_t *dst;
} graph;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void *get(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
  if (!p) die("memory");
  return p;
}

static graph load(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f) die(name);
  uint64_t head[4];
  if (fread(head, 8, 4, f) != 4 || head[0] != 1) die("header");
  graph g = {.n = (uint32_t)head[2], .m = head[3]};
  g.row = get((g.n + 1) * 8ull);
  g.dst = get(g.m * 4);
  g.row[0] = 0;
  if (fread(g.row + 1, 8, g.n, f) != g.n || fread(g.dst, 4, g.m, f) != g.m) die("short file");
  fclose(f);
  return g;
}

// flush moves a thread's buffer to the next frontier.
static inline void flush(uint32_t *next, uint64_t *tail, const uint32_t *buf, uint32_t *count) {
  uint64_t at = __atomic_fetch_add(tail, *count, __ATOMIC_RELAXED);
  memcpy(next + at, buf, *count * 4ull);
  *count = 0;
}

// expand visits the arcs of front[lo..hi).
static inline void expand(const graph *g, int32_t *restrict level, int32_t depth, const uint32_t *front, int64_t lo,
                          int64_t hi, uint32_t *next, uint64_t *tail, uint32_t *buf, uint32_t *count) {
  const uint64_t *row = g->row;
  const uint32_t *dst = g->dst;
  uint32_t k = *count;
  for (int64_t i = lo; i < hi; i++) {
    uint32_t u = front[i];
    for (uint64_t e = row[u], end = row[u + 1]; e < end; e++) {
      uint32_t v = dst[e];
      if (level[v] == INF) {
        level[v] = depth;
        if (k == BUFFER) flush(next, tail, buf, &k);
        buf[k++] = v;
      }
    }
  }
  *count = k;
}

// little says whether a frontier is too small to hand out.
static int little(const graph *g, const uint32_t *front, uint64_t size) {
  if (size > SMALL) return 0;
  uint64_t arcs = 0;
  for (uint64_t i = 0; i < size; i++) arcs += g->row[front[i] + 1] - g->row[front[i]];
  return arcs <= LITTLE;
}

static void bfs(const graph *g, uint32_t src, int32_t *level, uint32_t *a, uint32_t *b) {
  uint64_t size = 1, tail = 0;
  uint32_t *front = a, *next = b;
  int32_t depth = 1;
#pragma omp parallel
  {
    uint32_t buf[BUFFER], count = 0;
#pragma omp for
    for (uint32_t v = 0; v < g->n; v++) level[v] = INF;
#pragma omp single
    {
      level[src] = 0;
      front[0] = src;
    }
    while (size > 0) {
      if (omp_get_num_threads() > 1 && !little(g, front, size)) {
#pragma omp for schedule(dynamic, 64) nowait
        for (uint64_t i = 0; i < size; i++)
          expand(g, level, depth, front, (int64_t)i, (int64_t)i + 1, next, &tail, buf, &count);
        if (count) flush(next, &tail, buf, &count);
#pragma omp barrier
      } else {
#pragma omp master
        {
          expand(g, level, depth, front, 0, (int64_t)size, next, &tail, buf, &count);
          if (count) flush(next, &tail, buf, &count);
        }
      }
#pragma omp barrier
#pragma omp master
      {
        uint32_t *t = front;
        front = next;
        next = t;
        size = tail;
        tail = 0;
        depth++;
      }
#pragma omp barrier
    }
  }
}

static int ascending(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: bfs FILE.gr SOURCE RUNS\n");
    return 2;
  }
  graph g = load(argv[1]);
  uint32_t src = (uint32_t)strtoul(argv[2], 0, 10);
  int runs = atoi(argv[3]);
  if (src >= g.n || runs < 1) {
    fprintf(stderr, "bfs: bad source or number of runs\n");
    return 2;
  }
  // Two threads can push a node twice; no more than the threads' number of times.
  size_t room = ((size_t)g.n * (size_t)omp_get_max_threads() + BUFFER) * 4;
  int32_t *level = get(g.n * 4ull);
  uint32_t *a = get(room), *b = get(room);
  double *ms = get((size_t)runs * sizeof *ms);
  for (int i = 0; i < runs; i++) {
    double t = omp_get_wtime();
    bfs(&g, src, level, a, b);
    ms[i] = (omp_get_wtime() - t) * 1e3;
  }
  qsort(ms, (size_t)runs, sizeof *ms, ascending);
  uint64_t reached = 0, sum = 0;
  int32_t deepest = 0;
  for (uint32_t v = 0; v < g.n; v++) {
    if (level[v] == INF) continue;
    reached++;
    sum += (uint64_t)level[v];
    if (level[v] > deepest) deepest = level[v];
  }
  printf("threads %d median_ms %.3f reached %llu deepest %d sum %llu\n", omp_get_max_threads(), ms[runs / 2],
         (unsigned long long)reached, deepest, (unsigned long long)sum);
  return 0;
}
