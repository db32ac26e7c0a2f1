// Programs that are refused while they are built: the name of each, and what its
// Error says, as in golden/errors.txt.
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "irgl.hpp"

using namespace irgl;

static void refuse(const char* name, const std::function<void()>& build) {
  try {
    const Program p(build);
    std::cout << name << ": accepted\n" << p.json();
  } catch (const Error& err) {
    std::cout << name << ": " << err.what() << "\n";
  }
}

// What a body is given in a program with a graph and a property.
struct Parts {
  Graph graph{"graph"};
  NodeProperty<int> level{graph, "level", 0};
  Global<int> total{"total", 0};
};

static void in_kernel(const char* name, const std::function<void(Parts&, Node)>& body) {
  refuse(name, [&] {
    Parts p;
    Kernel K("K", p.graph, [&] { ForAll(p.graph.nodes(), [&](Node n) { body(p, n); }); });
    Host entry("entry", [&] { Invoke(K(p.graph)); });
  });
}

static void names() {
  refuse("global twice", [] {
    Global<int> a("a");
    Global<long> b("a");
  });
  refuse("kernel and graph", [] {
    Graph g("g");
    Kernel K("g", g, [] {});
  });
  refuse("property twice", [] {
    Graph g("g");
    NodeProperty<int> a(g, "a");
    NodeProperty<int> b(g, "a");
  });
  refuse("no name", [] { Graph g("a b"); });
  refuse("name not UTF-8", [] { Graph g("\xff"); });
  in_kernel("local twice", [](Parts&, Node) {
    Var<int> a("a");
    auto b = Let("a", 1);
  });
  in_kernel("local as outer", [](Parts&, Node) {
    Var<int> a("a");
    Block([] { Var<int> b("a"); });
  });
  in_kernel("local as global", [](Parts&, Node) { Var<int> a("total"); });
  in_kernel("loop as outer", [](Parts&, Node n) { For("n", n.edges(), [](Edge) {}); });
  refuse("global after local", [] {
    Kernel K("K", [] { auto later = Let("later", 1); });
    Global<int> g("later");
  });
}

static void scopes() {
  in_kernel("after its block", [](Parts&, Node) {
    std::optional<Int> leaked;
    Block([&] {
      Var<int> a("a", 1);
      leaked.emplace(a + 1);
    });
    Var<int> b("b", *leaked);
  });
  std::optional<Int> other;
  std::shared_ptr<Parts> parts;
  const Program kept([&] {
    parts = std::make_shared<Parts>();
    Constant<int> c("c", 1);
    other.emplace(c);
  });
  refuse("constant of another program", [&] { Global<int> g("g", *other); });
  refuse("property of another program", [&] {
    Graph g("g");
    Kernel K("K", g, [&] { ForAll(g.nodes(), [&](Node n) { parts->level[n] = 1; }); });
  });
  refuse("global of another program", [&] { Kernel K("K", [&] { ++parts->total; }); });
  refuse("graph of another program", [&] { NodeProperty<int> p(parts->graph, "p"); });
  refuse("statement in the file", [] { Break(); });
  in_kernel("global in a kernel", [](Parts&, Node) { Global<int> g("g"); });
  in_kernel("kernel in a kernel", [](Parts&, Node) { Kernel L("L", [] {}); });
  in_kernel("parameter in a block", [](Parts&, Node) { Param<int> p("p"); });
  refuse("parameter after a statement", [] {
    Kernel K("K", [] {
      Var<int> a("a");
      Param<int> p("p");
    });
  });
  try {
    Graph g("g");
  } catch (const std::logic_error& err) {
    std::cout << "no program: " << err.what() << "\n";
  }
}

static void unfinished() {
  refuse("kernel without body", [] { Kernel K("K"); });
  refuse("body twice", [] {
    Function<void> f("f");
    f.define([] {});
    f.define([] {});
  });
  in_kernel("loop without body", [](Parts&, Node n) { ForAll(n.edges(), std::function<void(Edge)>()); });
  in_kernel("branch without body", [](Parts&, Node) { If(true, std::function<void()>()); });
  refuse("program without body", [] { const Program p{std::function<void()>()}; });
  refuse("too few arguments", [] {
    Graph g("g");
    Kernel K("K", g, [] { Param<int> x("x"); });
    Host entry("entry", [&] { Invoke(K(g)); });
  });
  refuse("too many arguments", [] {
    Function<int> f("f");
    Host entry("entry", [&] { f(1, 2); });
    f.define([] { Return(1); });
  });
  in_kernel("Else after another statement", [](Parts& p, Node n) {
    auto branch = If(n > 1, [] {});
    ++p.total;
    branch.Else([] {});
  });
  in_kernel("Else after a call", [](Parts& p, Node n) {
    auto branch = If(n > 1, [] {});
    atomicAdd(p.total, 1);
    branch.Else([] {});
  });
  in_kernel("ElseIf after a call", [](Parts& p, Node n) {
    auto branch = If(n > 1, [] {});
    atomicAdd(p.total, 1);
    branch.ElseIf(atomicAdd(p.total, 2) == 1, [] {});
  });
  in_kernel("two Elses", [](Parts& p, Node) {
    auto lock = Atomic(p.total, [] {});
    lock.Else([] {});
    lock.Else([] {});
  });
  in_kernel("nothing to win", [](Parts& p, Node) { Exclusive(p.graph, {}, [] {}); });
  refuse("Initial twice", [] {
    Kernel K("K", [] {});
    Host entry("entry", [&] { Iterate(K(), Initial(1), Initial(2)); });
  });
  refuse("attribute of nothing", [] { Kernel K("K", [] { Attribute("deal"); }); });
  refuse("note of nothing", [] { Note("x"); });
  in_kernel("note of two lines", [](Parts&, Node) { Note("x\ny"); });
}

static void effects() {
  in_kernel("value used twice", [](Parts& p, Node) {
    auto old = atomicAdd(p.total, 1);
    p.total = old * old;
  });
  in_kernel("value used again", [](Parts& p, Node n) {
    auto old = atomicAdd(p.total, 1) + 2;
    If(old > 1, [] {});
    p.level[n] = old;
  });
  in_kernel("value used late", [](Parts& p, Node n) {
    auto old = atomicAdd(p.total, 1);
    p.level[n] = 2;
    p.level[n] = old;
  });
  in_kernel("value used behind another call", [](Parts& p, Node n) {
    auto old = atomicAdd(p.total, 1);
    atomicMin(p.level[n], 3);
    p.level[n] = old;
  });
  in_kernel("value not used", [](Parts& p, Node) { static_cast<void>(atomicAdd(p.total, 1) + 2); });
  refuse("CFor of blocks", [] {
    Kernel K("K", [] { CFor<int>("i", 0, [](auto& i) { return i < 3; }, [](auto&) { Break(); }, [](auto&) {}); });
  });
}

static void texts() {
  in_kernel("format not UTF-8", [](Parts&, Node) { Printf("\xc3("); });
  refuse("comment not UTF-8", [] { Comment("\xed\xa0\x80"); });
  refuse("reason not UTF-8", [] {
    Graph g("g");
    g.racy("a", "\xc0\xaf");
  });
  refuse("text not UTF-8", [] { CBlock("\xf4\x90\x80\x80"); });
  refuse("expression not UTF-8", [] { Global<int> g("g", c_expr<int>("\x80")); });
  refuse("attribute not UTF-8", [] { Attribute("\xe0\x80\x80"); });
  refuse("passed on, no name", [] { CBlock("x", Reads("a b"), Writes()); });
}

int main() {
  names();
  scopes();
  unfinished();
  effects();
  texts();
  return 0;
}
