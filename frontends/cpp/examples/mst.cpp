// Minimum spanning forest by Boruvka's algorithm: the program mst of irgl in C++.
//
//   g++ -std=c++17 -I.. mst.cpp -o mst && ./mst > mst.json
//   irgl run mst.json --gen rmat:10:8
#include "irgl.hpp"

using namespace irgl;

static void mst() {
  Comment("Edges of one weight are ordered by a hash of their numbers, lest components\njoin to long chains; multiplication by UNHASH undoes it.");
  Constant<unsigned> HASH("HASH", 2654435769U);
  Constant<unsigned> UNHASH("UNHASH", 340573321U);
  Constant<int> PARTS("PARTS", 1024);

  Graph graph("graph", {Requires::weights, Requires::symmetric});
  EdgeProperty<bool> chosen(graph, "chosen", false, Output);
  Note("one of the two arcs of each edge of the forest");
  NodeProperty<node> comp(graph, "comp", id);
  Note("the root of the node's component");
  const auto none = c_expr<long>("LONG_MAX");
  NodeProperty<long> best(graph, "best", none);
  Note("of a root: the key of the lightest edge out of its component");
  best.racy("it only falls: a stale one makes an atomic minimum in vain");
  comp.racy("whichever ancestor is read, it is of the same tree");

  Global<long> weight("weight", 0, Output);
  Global<int> edges("edges", 0, Output);
  Comment("Partial sums of both: atomics on one address would serialise.");
  GlobalArray<long> weights("weights", PARTS);
  GlobalArray<int> numbers("numbers", PARTS);

  Comment("offer lets two components that an edge joins know of it.");
  Function<void> offer("offer", [&] {
    Param<edge> e("e");
    Param<node> a("a"), b("b");
    Var<long> key("key", (cast<long>(e.weight()) << 32) + cast<unsigned>(e) * HASH);
    If(key < best[a], [&] { atomicMin(best[a], key); });
    If(key < best[b], [&] { atomicMin(best[b], key); });
  });

  Comment("first is a round of find in which every node is a component. Of the two arcs\nof an edge, the one from the smaller node stands for both.");
  Kernel first("first", graph, [&] {
    ForAll(graph.edges(), [&](Edge e) {
      If(e.src() < e.dst(), [&] { offer(e, e.src(), e.dst()); });
    });
  });

  // The ends of an edge that leads out of a component: what second and find do
  // with each of their edges.
  const auto join = [&](Edge e) {
    Var<node> a("a", comp[e.src()]);
    Var<node> b("b", comp[e.dst()]);
    If(a != b, [&] {
      offer(e, a, b);
      WL.push(e);
    });
  };

  Comment("second is another one, and lists the edges that are left.");
  Kernel second("second", graph, [&] {
    ForAll(graph.edges(), [&](Edge e) {
      If(e.src() < e.dst(), [&] { join(e); });
    });
  });

  Kernel find("find", graph, [&] {
    ForAll("wlidx", WL, [&](Int wlidx) {
      Var<edge> e("e", WL.pop(wlidx));
      join(e);
    });
  });

  Comment("hook joins each component to the one that its edge leads to. Two that chose\nthe same edge would point at each other: the smaller root stays one.");
  Kernel hook("hook", graph, [&] {
    ForAll(graph.nodes(), [&](Node n) {
      Var<long> key("key", best[n]);
      If(key != none, [&] {
        Var<edge> e("e", cast<unsigned>(key) * UNHASH);
        Var<node> a("a", comp[e.src()]);
        Var<node> b("b", comp[e.dst()]);
        Var<node> other("other", choose(a == n, b, a));
        If(other != n && (best[other] != key || other < n), [&] {
          comp[n] = other;
          chosen[e] = true;
          atomicAdd(weights[n % PARTS], cast<long>(e.weight()));
          atomicAdd(numbers[n % PARTS], 1);
        });
      });
    });
  });

  Comment("compress lets every node name the root of its component again. On its way up\na node takes those along that point at it.");
  Kernel compress("compress", graph, [&] {
    ForAll(graph.nodes(), [&](Node n) {
      Var<node> up("up", comp[n]);
      While(up != comp[up], [&] {
        up = comp[up];
        comp[n] = up;
      });
      If(best[n] != none, [&] { best[n] = none; });
    });
  });

  Kernel add("add", graph, [&] {
    ForAll(range(PARTS), [&](Int i) {
      atomicAdd(weight, weights[i]);
      atomicAdd(edges, numbers[i]);
    });
  });

  Host host("mst", [&] {
    Pipe(Once, [&] {
      Invoke(first(graph));
      Invoke(hook(graph));
      Invoke(compress(graph));
      Invoke(second(graph));
      Pipe([&] {
        Invoke(hook(graph));
        Invoke(compress(graph));
        Invoke(find(graph));
      });
      Invoke(add(graph));
    });
  });
}

int main(int argc, char** argv) { return emit(argc, argv, mst); }
