// Both PageRanks of GAPBS; a time is that of one round of twenty.
#include <algorithm>
#include <iostream>
#include <vector>

#include "benchmark.h"
#include "builder.h"
#include "command_line.h"
#include "graph.h"
#include "pvector.h"
#define main gapbs_main
namespace gauss_seidel {
#include "pr.cc"
}
namespace spmv {
#include "pr_spmv.cc"
}
#undef main
#include "gapbs.h"

int main(int argc, char **argv) {
  auto a = driver::args(argc, argv);
  auto gr = driver::open_gr(a.file);
  Graph g = driver::make<Graph, NodeID>(gr, true);
  omp_set_num_threads(a.threads);
  const int rounds = 20;
  auto measure = [&](const char *code, auto run) {
    pvector<float> rank;
    auto ms = driver::repeat_quietly(a, [&] { rank = run(); });
    for (auto &t : ms) t /= rounds;
    double sum = 0, max = 0;
    for (float r : rank) {
      sum += r;
      max = std::max(max, (double)r);
    }
    driver::report(code, ms, {{"share", max / sum}});
  };
  measure("gapbs-gs", [&] { return gauss_seidel::PageRankPullGS(g, rounds, 0); });
  measure("gapbs-spmv", [&] { return spmv::PageRankPull(g, rounds, 0); });
}
