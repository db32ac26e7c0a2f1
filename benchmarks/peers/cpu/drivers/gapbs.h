// A graph of GAPBS from a .gr file. Included behind GAPBS' own headers.
#pragma once
#include <omp.h>

#include "driver.h"

namespace driver {

inline void set(int32_t &d, uint32_t v, const int32_t *, uint64_t) { d = v; }
template <class W> void set(W &d, uint32_t v, const int32_t *weight, uint64_t i) {
  d.v = v;
  d.w = weight ? weight[i] : 1;
}

// D is NodeID or NodeWeight; with_in adds the arcs turned round, for a directed graph of
// which a program looks at these.
template <class G, class D> G make(const Gr &g, bool with_in) {
  D **row = new D *[g.n + 1], *arc = new D[g.m];
#pragma omp parallel for
  for (uint64_t i = 0; i < g.m; i++) set(arc[i], g.dst[i], g.weight, i);
#pragma omp parallel for
  for (uint64_t v = 0; v <= g.n; v++) row[v] = arc + g.begin(v);
  if (!with_in) return G(g.n, row, arc);
  D **in_row = new D *[g.n + 1], *in_arc = new D[g.m];
  std::vector<uint64_t> at(g.n + 1, 0);
  for (uint64_t i = 0; i < g.m; i++) at[g.dst[i] + 1]++;
  for (uint64_t v = 0; v < g.n; v++) at[v + 1] += at[v];
  for (uint64_t v = 0; v <= g.n; v++) in_row[v] = in_arc + at[v];
  for (uint64_t v = 0; v < g.n; v++)
    for (uint64_t i = g.begin(v); i < g.end[v]; i++) set(in_arc[at[g.dst[i]]++], v, g.weight, i);
  return G(g.n, row, arc, in_row, in_arc);
}

} // namespace driver
