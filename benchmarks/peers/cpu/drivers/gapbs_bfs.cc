#define main gapbs_main
#include "bfs.cc"
#undef main
#include "gapbs.h"

int main(int argc, char **argv) {
  auto a = driver::args(argc, argv);
  auto gr = driver::open_gr(a.file);
  Graph g = driver::make<Graph, NodeID>(gr, true);
  omp_set_num_threads(a.threads);
  pvector<NodeID> parent;
  auto ms = driver::repeat(a, [&] { parent = DOBFS(g, 0); });
  driver::report("gapbs", ms, driver::levels(gr.n, parent));
}
