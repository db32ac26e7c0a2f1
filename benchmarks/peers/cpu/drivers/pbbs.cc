// PBBS: SOURCE is the file of one of its implementations, NAME what it is called here, and
// PROBLEM one of the numbers below. The number of threads is PARLAY_NUM_THREADS.
#include "driver.h"
#include "parlay/parallel.h"
#include "parlay/primitives.h"
#include "common/graph.h"
#define PROBLEM_BFS 1
#define PROBLEM_MIS 2
#define PROBLEM_MST 3
#include SOURCE

int main(int argc, char **argv) {
  auto a = driver::args(argc, argv);
  auto gr = driver::open_gr(a.file);
#if PROBLEM == PROBLEM_MST
  auto from = parlay::sequence<int>::uninitialized(gr.m);
  parlay::parallel_for(0, gr.n, [&](size_t v) {
    for (size_t i = gr.begin(v); i < gr.end[v]; i++) from[i] = v;
  });
  auto ids = parlay::pack_index<unsigned>(parlay::delayed_tabulate(gr.m, [&](size_t i) -> bool { return (unsigned)from[i] < gr.dst[i]; }));
  auto edges = parlay::map(ids, [&](unsigned i) { return wghEdge<int, float>(from[i], gr.dst[i], gr.weight[i]); });
  wghEdgeArray<int, float> E(std::move(edges), gr.n);
  parlay::sequence<unsigned> forest;
  auto ms = driver::repeat_quietly(a, [&] { forest = mst(E); });
  double weight = 0;
  for (auto i : forest) weight += E.E[i].weight;
  driver::report(NAME, ms, {{"weight", weight}, {"edges", (double)forest.size()}});
#else
  auto row = parlay::tabulate(gr.n + 1, [&](size_t v) -> unsigned { return gr.begin(v); });
  Graph g(row, parlay::tabulate(gr.m, [&](size_t i) -> vertexId { return gr.dst[i]; }), gr.n);
#if PROBLEM == PROBLEM_MIS
  parlay::sequence<char> flag;
  auto ms = driver::repeat_quietly(a, [&] { flag = maximalIndependentSet(g); });
  double size = 0, wrong = 0;
  for (size_t v = 0; v < gr.n; v++) {
    bool in = flag[v] == 1, near = false;
    for (size_t i = gr.begin(v); i < gr.end[v]; i++) near |= gr.dst[i] != v && flag[gr.dst[i]] == 1;
    size += in;
    wrong += in == near;
  }
  driver::report(NAME, ms, {{"wrong", wrong}});
#else
  parlay::sequence<vertexId> parent;
  auto ms = driver::repeat_quietly(a, [&] { parent = BFS(0, g, false); });
  driver::report(NAME, ms, driver::levels(gr.n, parent));
#endif
#endif
}
