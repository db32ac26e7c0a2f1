// The other of the two translation units.
#include "units.hpp"

#include "irgl.hpp"

using namespace irgl;

void small() {
  Graph graph("graph");
  NodeProperty<int> value(graph, "value", 1, Output);
  Kernel twice("twice", graph, [&] { ForAll(graph.nodes(), [&](Node n) { value[n] *= 2; }); });
  Host entry("entry", [&] { Invoke(twice(graph)); });
}

const std::string& there() {
  static const std::string text = Program(small, Position{"small", 1}).json();
  return text;
}
