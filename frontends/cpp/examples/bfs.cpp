// Breadth-first search, level by level: the program bfs of irgl in C++.
//
//   g++ -std=c++17 -I.. bfs.cpp -o bfs && ./bfs > bfs.json
//   irgl run bfs.json --gen rmat:10:8 --source 0
#include "irgl.hpp"

using namespace irgl;

static void bfs() {
  Graph graph("graph");
  NodeProperty<int> level(graph, "level", INF, Output);
  level.racy("a stale read only leads to the atomic function, which decides");

  Comment("BFS takes the frontier from the worklist, and pushes the next one.");
  Kernel BFS("BFS", graph, [&] {
    Param<int> LEVEL("LEVEL");
    ForAll("wlidx", WL, [&](Int wlidx) {
      auto n = Let("n", WL.pop(wlidx));
      ForAll(n.edges(), [&](Edge e) {
        If(level[e.dst()] == INF && atomicCAS(level[e.dst()], INF, LEVEL) == INF, [&] {
          WL.push(e.dst());
        });
      });
    });
  });

  Host host("bfs", [&] {
    Param<node> src("src");
    level[src] = 0;
    auto LEVEL = Let("LEVEL", 1);
    Iterate(BFS(graph, LEVEL), Initial(src), [&] { LEVEL++; });
  });
}

int main(int argc, char** argv) { return emit(argc, argv, bfs); }
