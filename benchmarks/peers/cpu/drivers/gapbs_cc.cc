#define main gapbs_main
#include "cc.cc"
#undef main
#include "gapbs.h"

int main(int argc, char **argv) {
  auto a = driver::args(argc, argv);
  auto gr = driver::open_gr(a.file);
  Graph g = driver::make<Graph, NodeID>(gr, false);
  omp_set_num_threads(a.threads);
  pvector<NodeID> comp;
  auto ms = driver::repeat(a, [&] { comp = Afforest(g); });
  std::vector<bool> seen(gr.n);
  double components = 0;
  for (uint64_t v = 0; v < gr.n; v++) {
    if (!seen[comp[v]]) components++;
    seen[comp[v]] = true;
  }
  driver::report("gapbs", ms, {{"components", components}});
}
