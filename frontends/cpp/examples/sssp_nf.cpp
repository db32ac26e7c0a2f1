// Single-source shortest paths by near and far nodes (IrGL paper, Listing 4): the
// program sssp_nf of irgl in C++.
//
//   g++ -std=c++17 -I.. sssp_nf.cpp -o sssp_nf && ./sssp_nf > sssp_nf.json
//   irgl run sssp_nf.json --gen rmat:10:8 --source 0
#include "irgl.hpp"

using namespace irgl;

static void sssp_nf() {
  Graph graph("graph", {Requires::nonnegative});
  NodeProperty<dist_t> dist(graph, "dist", DIST_MAX, Output);
  NodeProperty<dist_t> done(graph, "done", DIST_MAX);
  Note("the distance with which the node's edges were relaxed");
  NodeProperty<int> far(graph, "far", 0);
  Note("1 while the node is in the list of far nodes");
  dist.racy("a distance read too early is too large, and whoever lowers it lists the node again");
  done.racy("who finds it as low as its own distance has nothing to relax: another has done so, or is about to");
  far.racy("it changes atomically: who finds it 0 lists the node");

  Global<long> weights("weights", 0);
  Note("their sum");
  Global<dist_t> lowest("lowest", 0);
  Note("the smallest distance of a far node");

  Kernel weigh("weigh", graph, [&] {
    ForAll(graph.nodes(), [&](Node n) {
      Var<long> sum("sum", 0);
      For(n.edges(), [&](Edge e) { sum += e.weight(); });
      atomicAdd(weights, sum);
    });
  });

  Comment(
      "fell gives n the distance with which its edges are about to be relaxed, if that is\n"
      "smaller, and returns the one before. A core that overlooks another's relaxes them once\n"
      "more, which is rare and costs less than an atomic operation a node.");
  Function<dist_t> fell("fell", [&] {
    Param<node> n("n");
    Param<dist_t> here("here");
    If(WARP_SIZE == 1, [&] {
      Var<dist_t> before("before", done[n]);
      If(here < before, [&] { done[n] = here; });
      Return(before);
    });
    Return(atomicMin(done[n], here));
  });

  Comment("relax runs until no node below bound is left; the far ones go to the next\nkernel.");
  Kernel relax("relax", graph, [&] {
    Param<long> bound("bound");
    ForAll("wlidx", WL, [&](Int wlidx) {
      auto n = Let("n", WL.pop(wlidx));
      Var<dist_t> here("here", dist[n]);
      If(here >= bound, [&] {
        If(atomicExch(far[n], 1) == 0, [&] { WL.push(n); });
      }).ElseIf(here < fell(n, here), [&] {  // nobody else has done it
        ForAll(n.edges(), [&](Edge e) {
          Var<dist_t> d("d", here + e.weight());
          If(d < dist[e.dst()] && d < atomicMin(dist[e.dst()], d), [&] {
            If(d < bound, [&] {
              Respawn(e.dst());
            }).ElseIf(atomicExch(far[e.dst()], 1) == 0, [&] {
              WL.push(e.dst());
            });
          });
        });
      });
    });
  });

  Comment("remove_dups drops the far nodes that became near later: relax has had them.");
  Kernel remove_dups("remove_dups", graph, [&] {
    Param<long> bound("bound");
    ForAll("wlidx", WL, [&](Int wlidx) {
      auto n = Let("n", WL.pop(wlidx));
      far[n] = 0;
      If(dist[n] >= bound, [&] {
        atomicMin(lowest, dist[n]);
        WL.push(n);
      });
    });
  });

  Comment("delta 0 means a width that suits the graph: wide where weights are large and\nnodes have few edges.");
  Host host("sssp_nf", [&] {
    Param<node> src("src");
    Param<int> delta("delta", 0);
    Var<long> width("width", delta);
    If(width <= 0, [&] {
      Invoke(weigh(graph));
      Var<double> edges("edges", max(graph.nedges(), 1));
      width = 1 + cast<long>(32 * (weights / edges) / (edges / graph.nnodes()));
    });
    dist[src] = 0;
    Var<long> bound("bound", width);
    Pipe(Initial(src), [&] {
      lowest = DIST_MAX;
      Invoke(relax(graph, bound));
      Invoke(remove_dups(graph, bound));
      bound = lowest + width;  // bands without nodes are skipped
    });
  });
}

int main(int argc, char** argv) { return emit(argc, argv, sssp_nf); }
