#define main gapbs_main
#include "sssp.cc"
#undef main
#include "gapbs.h"

int main(int argc, char **argv) {
  auto a = driver::args(argc, argv);
  auto gr = driver::open_gr(a.file);
  WGraph g = driver::make<WGraph, WNode>(gr, false);
  omp_set_num_threads(a.threads);
  pvector<WeightT> dist;
  auto ms = driver::repeat(a, [&] { dist = DeltaStep(g, 0, a.delta); });
  double set = 0, sum = 0, max = 0;
  for (uint64_t v = 0; v < gr.n; v++) {
    if (dist[v] == kDistInf) continue;
    set++;
    sum += dist[v];
    max = std::max(max, (double)dist[v]);
  }
  driver::report("gapbs", ms, {{"set", set}, {"max", max}, {"sum", sum}});
}
