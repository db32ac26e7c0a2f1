// Programs with each node of the abstract syntax and each function of the
// header; the argument says which.
#include <functional>
#include <iostream>
#include <string_view>

#include "irgl.hpp"
#include "units.hpp"

using namespace irgl;

struct pair_t {};
template <>
struct irgl::type_name<pair_t> {
  static std::string text() { return "struct pair"; }
};

// What does not compile: an index of the wrong type, a loop without a body, a
// kernel that is not called, a value that is assigned to.
template <class P, class I>
using indexed = decltype(std::declval<const P&>()[std::declval<const I&>()]);
template <class, class P, class I>
inline constexpr bool may_index = false;
template <class P, class I>
inline constexpr bool may_index<std::void_t<indexed<P, I>>, P, I> = true;
static_assert(may_index<void, NodeProperty<int>, Node> && may_index<void, NodeProperty<int>, Var<node>>);
static_assert(!may_index<void, NodeProperty<int>, Int> && !may_index<void, NodeProperty<int>, Edge>);
static_assert(!may_index<void, EdgeProperty<int>, InEdge> && !may_index<void, EdgeProperty<int>, Node>);
template <class R>
using for_all = decltype(ForAll(std::declval<R>()));
template <class, class R>
inline constexpr bool without_body = false;
template <class R>
inline constexpr bool without_body<std::void_t<for_all<R>>, R> = true;
static_assert(!without_body<void, Range<node>>);
static_assert(!std::is_assignable_v<Int&, int> && !std::is_assignable_v<Int&, Int> && std::is_assignable_v<Var<int>&, Int>);
static_assert(std::is_same_v<decltype(std::declval<Int>() + std::declval<Long>()), Long>);
static_assert(std::is_same_v<decltype(std::declval<Node>() + 1), Int>);
static_assert(std::is_same_v<decltype(std::declval<Edge>() * 2), Long>);
static_assert(std::is_same_v<decltype(std::declval<Int>() < 1.5), Bool>);

// Every node of Listing 6, and what the header has beside it.
static void nodes() {
  Comment("What a program may have.\nFür alle: \"Zeichen\", \t Tabulatoren und \\");
  Nop();
  Foreign LIMIT("LIMIT");
  CBlock("#define LIMIT 3 \\\n\t+ 4", Reads(), Writes());
  Note("from a header");
  CBlock("struct pair {\n\tint a;\n\tdouble b;\n};");
  Constant<unsigned> SEED("SEED", 3000000000U);
  Constant<int> SIZE("SIZE", 8);
  Graph net("net", {Requires::weights, Requires::sorted});
  NodeProperty<int> mark(net, "mark", Output);
  Note("beside a property");
  NodeProperty<double> rank(net, "rank", INF);
  NodeProperty<int> locks(net, "locks");
  NodeProperty<float[4]> shades(net, "shades");
  Comment("before a property");
  EdgeProperty<bool> taken(net, "taken", false, Output);
  NodeProperty<int> sum(net, "sum", id + 2 * degree);
  mark.racy("it is \"harmless\"\nand \\ stays so");
  Mesh tri("tri", {Requires::delaunay});
  ElementProperty<int> bad(tri, "bad", 1, Output);
  PointProperty<double> height(tri, "height", -0.5);
  tri.racy("deleted", "only the winner deletes it");
  Global<int> lock("lock", 0);
  Global<long> total("total", std::numeric_limits<long>::min(), Output);
  net.racy(total, "a counter");
  Global<int[3]> table("table", {1, -2, 3});
  GlobalArray<int> todo("todo", 2 * SIZE);
  Global<pair_t> both("both");

  Function<int> depth("depth");
  depth.define([&] {
    Param<int> n("n");
    If(n <= 0, [&] { Return(0); });
    Return(depth(n / 2) + 1);
  });
  Function<void> swap("swap", [&] {
    Param<int*> a("a"), b("b");
    Var<int> old("old", *a);
    *a = b[0];
    b[0] = old;
  });

  Comment("A kernel.");
  Kernel walk("walk", LaunchBounds(256, 2), net, [&] {
    Param<int> round("round");
    Param<double> limit("limit");
    Attribute("deal");
    ForAll(WL, [&](Int i) {
      auto n = Let("n", WL.pop(i));
      auto near = Let("near", n.edges());
      Attribute("batch(4)");
      Comment("both");
      ForAll(near, [&](Edge e) {
        If(mark[e.dst()] == INF && !taken[e], [&] {
          mark[e.dst()] = round;
          taken[e] = true;
          WL.push(e.dst().id());
        }).ElseIf(atomicExch(mark[e.dst()], round) != round, [&] {
          Respawn(e.dst());
        }).Else([&] { Continue(); });
      });
      For(n.in_edges(), [&](InEdge e) {
        sum[n] += e.src().degree() * e.weight();
        Break();
      });
      For("k", range(1, LIMIT), [&](Int k) { shades[n][k % 4] = 1.5F * cast<float>(k); });
      CFor<int>("k", 0, [&](auto& k) { return k < round; }, [&](auto& k) { k += 2; }, [&](auto& k) {
        CFor<long>("j", {}, [&](auto& j) { return j < k; }, [&](auto& j) { ++j; --k; }, [&](auto&) {});
        total += k;
      }).unroll(4);
      Var<int> x = n.degree();
      Var<int> y = x;
      While(x > 0 || y > 0, [&] { x--; });
      DoWhile([&] { y -= 1; }, y >= 0);
      Block([&] {
        Var<node> m = cast<node>(x % net.nnodes());
        mark[m] = -(-x) - (y - 1) - 1;
      });
      Atomic(locks[n], [&] { total = total + 1; });
      Note("waits");
      Atomic(table[x + 1], [&] { total <<= 2; }).Else([&] { Retry(n); });
      Atomic(lock, [&] {}).Else([&] { Retry(x + 1, Merge); });
      mark[n] = choose((x & y) == 1 || (x & (y == 1)) != 0, 1, 2);
    });
    SyncRunningThreads();
    ForAll(range(LIMIT), [&](Int i) { Eval(atomicAdd(todo[i], 1)); });
    LocalBarrier();
  });

  Kernel refine("refine", LaunchBounds(128, 1), tri, net, [&] {
    ForAll(tri.elements(), [&](Element t) {
      Var<int[4]> cavity("cavity", {t, t.neighbors(0), -1, -1});
      Var<int> size("size", 2);
      Exclusive(tri, slice(cavity, size), [&] {
        Var<point> p = tri.add_point(t.points(0).x() + 1.0, t.points(1).y());
        height[p] = 0.1;
        tri.add_element(t.points(0), t.points(1), p);
        t.deleted() = true;
        t.neighbors(1) = tri.elements(0);
      }).Else([&] { bad[t] = 2; });
      CBlock("bad[t] = __popc(size);", Reads(size), Writes(bad, "mark"));
      Exclusive(tri.points(), {slice(cavity, 0, size, 2), slice(todo, 1, 3), slice(todo, LIMIT)}, [&] {});
    });
  });
  Kernel found("found", net, [&] {
    Param<int> k("k");
    ForAll("item", WL, [&](Int item) { ReduceAndReturn(WL.pop(item) == k && WL.size() > 1); });
  });
  Kernel odd("odd", net, [&] { ForAll(net.nodes(), [&](Node n) { ReduceAndReturn(n % 2 == 1); }); });
  Kernel once("once", LaunchBounds(64), [&] { total = 0; });

  Host report("report", [&] {
    Param<node> n("n");
    Printf("node %d: \"%g\"\n\x01%%", n.id(), rank[n]);
  });
  Host entry("entry", [&] {
    Param<node> src("src");
    Param<int> k("k", 3);
    swap(c_expr<int*>("0"), c_expr<int*>("NULL"));
    Var<int> left("left", depth(k));
    Var<bool> any("any", Any(odd(net)) || left < max(k, 4) || Any(odd(net)));
    All(odd(net));
    member<int>(both, "a") = table[0];
    Invoke(once());
    Iterate(walk(net, k, 0.5), Initial(src, slice(todo, k, 5, 2), 7).size(2 * k), And(left > 0), [&] {
      k++;
      report(src);
    });
    Iterate(Until(Any), found(net, k), Initial(slice(todo, k)), [&] {
      If(k == 9, [&] { Break(); });
    });
    Iterate(While(All), odd(net));
    Iterate(walk(net, k, 1e300), Initial(src), Or(net.nedges() > 1L << 40));
    Pipe(Initial(slice(todo, 3)).size(100), [&] {
      Invoke(walk(net, 2, 3.0F));
      Pipe(Once, [&] { Invoke(refine(tri, net)); });
    });
    Pipe(Once, Initial(src), [&] { Invoke(walk(net, 2, 3)); });
    ForAll(net.nodes(), [&](Node n) { Printf("%d\n", choose(n == src, pure<int>("abs", n - 3), 2)); });
    CBlock("switch (k) {\ncase 1:\n\tbreak;\n}");
    Assert(k > 0);
    call<int>("abs", k);
    Comment("at the end");
  });
}

// What irgl finds wrong with it has the lines of this file.
static void mistakes() {
  Graph graph("graph");
  NodeProperty<int> level(graph, "level", c_expr<int>("INFINITE"));  // a mistake
  Kernel K("K", graph, [&] {
    Param<int> round("round");
    ForAll(graph.nodes(), [&](Node n) {
      level[n] = c_expr<int>("rund");  // a mistake
      If(level[n] > 0, [&] {
        If(c_expr<bool>("n.levl") == 1, [&] {  // a mistake
          level[n] += round;
        });
        WL.push(pure<int>("hash", n));  // a mistake
      });
    });
  });
  Host entry("entry", [&] {
    Iterate(K(graph, c_expr<int>("depth")),  // a mistake
            Initial(0));
  });
}

// A small program, which another translation unit builds as well.
static const std::string& here() {
  static const std::string text = Program(small, Position{"small", 1}).json();
  return text;
}

int main(int argc, char** argv) {
  const std::string_view which = argc > 1 ? argv[1] : "";
  if (which == "units") return here() == there() ? 0 : 1;
  if (which == "mistakes") return emit(0, nullptr, mistakes);
  if (which == "nodes") return emit(0, nullptr, nodes);
  std::cerr << "no program " << which << "\n";
  return 2;
}
