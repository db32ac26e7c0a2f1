// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and the capture of streams of the runtime's interface.
#ifndef IRGL_RUNTIME_API_GRAPH_H
#define IRGL_RUNTIME_API_GRAPH_H

#include "api_kernel.h"
#include "api_memory.h"
#include "graphs.h"

namespace irgl {

inline cudaGraph_t handle(const Graph *g) { return reinterpret_cast<cudaGraph_t>(const_cast<Graph *>(g)); }
inline cudaGraphNode_t handle(const GraphNode *n) { return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode *>(n)); }
inline GraphNode *node_of(cudaGraphNode_t n) { return reinterpret_cast<GraphNode *>(n); }

// find_graph and find_executable return what a handle is of, or null. The graphs are locked.
inline std::shared_ptr<Graph> find_graph(cudaGraph_t h) {
  const auto i = graphs().all.find(h);
  return i == graphs().all.end() ? nullptr : i->second;
}
inline std::shared_ptr<ExecutableGraph> find_executable(cudaGraphExec_t h) {
  const auto i = graphs().executable.find(h);
  return i == graphs().executable.end() ? nullptr : i->second;
}

inline cudaGraph_t keep(std::unique_ptr<Graph> g) {
  const cudaGraph_t h = handle(g.get());
  graphs().all[h] = std::move(g);
  return h;
}

// begin_capture begins a capture of a stream.
inline cudaError_t begin_capture(Backend &b, cudaStream_t s, cudaStreamCaptureMode mode) {
  Graphs &g = graphs();
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return cudaErrorInvalidValue;
  if (legacy(s))
    return cudaErrorStreamCaptureUnsupported;
  unsigned flags = 0;
  int priority = 0;
  if (cudaError_t e = b.stream_about(s, &flags, &priority))
    return e;
  std::lock_guard<std::mutex> hold(g.mu);
  if (g.streams.count(s) != 0)
    return cudaErrorIllegalState;
  auto c = std::make_shared<Capture>();
  c->origin = s;
  c->mode = mode;
  c->thread = std::this_thread::get_id();
  c->blocking = (flags & cudaStreamNonBlocking) == 0;
  c->last[s] = {};
  g.streams[s] = c;
  g.begun = true;
  g.captures++;
  return cudaSuccess;
}

// joined reports whether the origin of a capture depends on all that its other streams have done.
inline bool joined(const Capture &c) {
  std::set<const GraphNode *> reached;
  std::vector<GraphNode *> open = c.last.at(c.origin);
  while (!open.empty()) {
    GraphNode *n = open.back();
    open.pop_back();
    if (reached.insert(n).second)
      open.insert(open.end(), n->before.begin(), n->before.end());
  }
  for (const auto &s : c.last)
    for (const GraphNode *n : s.second)
      if (reached.count(n) == 0)
        return false;
  return true;
}

inline cudaError_t end_capture(cudaStream_t s, cudaGraph_t *graph) {
  Graphs &g = graphs();
  std::lock_guard<std::mutex> hold(g.mu);
  const auto i = g.streams.find(s);
  if (graph == nullptr)
    return cudaErrorInvalidValue;
  *graph = nullptr;
  if (i == g.streams.end())
    return cudaErrorIllegalState;
  const std::shared_ptr<Capture> c = i->second;
  if (c->origin != s) {
    c->invalid = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  for (auto j = g.streams.begin(); j != g.streams.end();)
    j = j->second == c ? g.streams.erase(j) : std::next(j);
  g.captures--;
  if (c->invalid)
    return cudaErrorStreamCaptureInvalidated;
  if (!joined(*c))
    return cudaErrorStreamCaptureUnjoined;
  *graph = keep(std::move(c->graph));
  return cudaSuccess;
}

// add_node adds a node whose dependencies are nodes of the graph.
inline cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                            cudaGraphNodeType type, Operation run) {
  std::lock_guard<std::mutex> hold(graphs().mu);
  const auto g = find_graph(graph);
  if (node == nullptr || g == nullptr || (count > 0 && before == nullptr))
    return cudaErrorInvalidValue;
  std::vector<GraphNode *> list;
  for (size_t i = 0; i < count; i++) {
    GraphNode *n = node_of(before[i]);
    if (!g->has(n) || std::find(list.begin(), list.end(), n) != list.end())
      return cudaErrorInvalidValue;
    list.push_back(n);
  }
  *node = handle(g->add(type, std::move(run), list));
  return cudaSuccess;
}

// in_device makes an operation one of a device.
template <class F> Operation in_device(int device, F run) {
  return [device, run](cudaStream_t s) {
    const int now = thread().device;
    thread().device = device;
    const cudaError_t e = run(s);
    thread().device = now;
    return e;
  };
}

// kernel_operation checks the parameters of a kernel's node, and copies the arguments.
inline cudaError_t kernel_operation(Backend &b, int device, const cudaKernelNodeParams *p, Operation *run) {
  if (p == nullptr || p->func == nullptr)
    return cudaErrorInvalidValue;
  if (p->extra != nullptr)
    return cudaErrorNotSupported;
  Launch l;
  l.grid = p->gridDim;
  l.block = p->blockDim;
  l.shared = p->sharedMemBytes;
  l.args = p->kernelParams;
  std::shared_ptr<Function> f;
  if (cudaError_t e = prepare(b, device, p->func, &l, &f))
    return e;
  *run = in_device(device, launching(p->func, l));
  return cudaSuccess;
}

// set sets memory to elements of a graph's node.
inline cudaError_t set(const cudaMemsetParams &p, cudaStream_t s) {
  const size_t width = p.width * p.elementSize, pitch = p.height > 1 ? p.pitch : width;
  const char *bytes = reinterpret_cast<const char *>(&p.value);
  if (std::all_of(bytes, bytes + p.elementSize, [bytes](char c) { return c == *bytes; }))
    return fill(p.dst, pitch, static_cast<unsigned char>(*bytes), width, p.height, s);
  std::vector<char> row(width);
  for (size_t i = 0; i < width; i++)
    row[i] = bytes[i % p.elementSize];
  for (size_t y = 0; y < p.height; y++)
    if (cudaError_t e = copy_1d(static_cast<char *>(p.dst) + y * pitch, row.data(), width, cudaMemcpyHostToDevice, s, false))
      return e;
  return cudaSuccess;
}

inline cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  std::lock_guard<std::mutex> hold(graphs().mu);
  const auto g = find_graph(graph);
  if (exec == nullptr || g == nullptr ||
      (flags & ~0ull & ~(cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority)) != 0)
    return cudaErrorInvalidValue;
  auto x = std::make_shared<ExecutableGraph>();
  x->graph = g->clone();
  x->order = x->graph->sorted();
  if (x->order.size() != g->nodes.size())
    return refused(cudaErrorInvalidValue, "the dependencies of a graph have a cycle");
  for (size_t i = 0; i < g->nodes.size(); i++)
    x->of[g->nodes[i].get()] = x->graph->nodes[i].get();
  *exec = reinterpret_cast<cudaGraphExec_t>(x.get());
  graphs().executable[*exec] = x;
  return cudaSuccess;
}

inline cudaError_t run(const std::vector<GraphNode *> &order, cudaStream_t s) {
  for (const GraphNode *n : order)
    if (n->run != nullptr)
      if (cudaError_t e = n->run(s))
        return e;
  return cudaSuccess;
}

// update makes the operations of an executable graph those of a graph of the same shape.
inline cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  std::lock_guard<std::mutex> hold(graphs().mu);
  const auto x = find_executable(exec);
  const auto g = find_graph(graph);
  if (x == nullptr || g == nullptr || info == nullptr)
    return cudaErrorInvalidValue;
  *info = cudaGraphExecUpdateResultInfo{cudaGraphExecUpdateSuccess, nullptr, nullptr};
  const auto &old = x->graph->nodes, &now = g->nodes;
  if (old.size() != now.size())
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < now.size() && info->result == cudaGraphExecUpdateSuccess; i++) {
    std::vector<size_t> a, b;
    for (const GraphNode *n : old[i]->before)
      a.push_back(x->graph->place(n));
    for (const GraphNode *n : now[i]->before)
      b.push_back(g->place(n));
    info->errorNode = handle(now[i].get());
    if (old[i]->type != now[i]->type)
      info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    else if (a != b)
      info->result = cudaGraphExecUpdateErrorTopologyChanged;
  }
  if (info->result != cudaGraphExecUpdateSuccess)
    return cudaErrorGraphExecUpdateFailure;
  info->errorNode = nullptr;
  for (size_t i = 0; i < now.size(); i++) {
    old[i]->run = now[i]->run;
    x->of[now[i].get()] = old[i].get();
  }
  return cudaSuccess;
}

// list copies nodes to an array of the caller, or says how many there are.
inline cudaError_t list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots) {
  std::lock_guard<std::mutex> hold(graphs().mu);
  const auto g = find_graph(graph);
  if (g == nullptr || count == nullptr)
    return cudaErrorInvalidValue;
  size_t n = 0;
  for (const auto &x : g->nodes) {
    if (roots && !x->before.empty())
      continue;
    if (nodes != nullptr && n < *count)
      nodes[n] = handle(x.get());
    n++;
  }
  if (nodes != nullptr)
    std::fill(nodes + std::min(n, *count), nodes + *count, nullptr);
  *count = nodes == nullptr ? n : std::min(n, *count);
  return cudaSuccess;
}

} // namespace irgl

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return irgl::on_current([&](irgl::Backend &b, int) { return irgl::begin_capture(b, stream, mode); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return irgl::guarded([&] { return irgl::end_capture(stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    if (status == nullptr)
      return cudaErrorInvalidValue;
    const auto i = irgl::graphs().streams.find(stream);
    *status = i == irgl::graphs().streams.end() ? cudaStreamCaptureStatusNone
              : i->second->invalid              ? cudaStreamCaptureStatusInvalidated
                                                : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  return irgl::guarded([&] {
    if (graph == nullptr || flags != 0)
      return cudaErrorInvalidValue;
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    *graph = irgl::keep(std::make_unique<irgl::Graph>());
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    return irgl::graphs().all.erase(graph) == 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    const auto g = irgl::find_graph(graph);
    if (clone == nullptr || g == nullptr)
      return cudaErrorInvalidValue;
    *clone = irgl::keep(g->clone());
    return cudaSuccess;
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return irgl::guarded([&] { return irgl::list(graph, nodes, count, false); });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return irgl::guarded([&] { return irgl::list(graph, nodes, count, true); });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    for (const auto &g : irgl::graphs().all)
      if (type != nullptr && g.second->has(irgl::node_of(node))) {
        *type = irgl::node_of(node)->type;
        return cudaSuccess;
      }
    return cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    const auto g = irgl::find_graph(graph);
    if (g == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
      if (!g->has(irgl::node_of(from[i])) || !g->has(irgl::node_of(to[i])) || from[i] == to[i])
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
      irgl::node_of(to[i])->before.push_back(irgl::node_of(from[i]));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count) {
  return irgl::guarded([&] { return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeEmpty, nullptr); });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const cudaKernelNodeParams *params) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    irgl::Operation run;
    if (cudaError_t e = irgl::kernel_operation(b, device, params, &run))
      return e;
    return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeKernel, run);
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const cudaMemcpy3DParms *params) {
  return irgl::on_current([&](irgl::Backend &, int device) -> cudaError_t {
    if (params == nullptr)
      return cudaErrorInvalidValue;
    return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeMemcpy,
                          irgl::in_device(device, [p = *params](cudaStream_t s) { return cudaMemcpy3DAsync(&p, s); }));
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                     void *dst, const void *src, size_t size, cudaMemcpyKind kind) {
  return irgl::on_current([&](irgl::Backend &, int device) -> cudaError_t {
    if (dst == nullptr || src == nullptr || size == 0)
      return cudaErrorInvalidValue;
    return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeMemcpy, irgl::in_device(device, [=](cudaStream_t s) {
                            return irgl::copy_1d(dst, src, size, kind, s, false);
                          }));
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const cudaMemsetParams *params) {
  return irgl::on_current([&](irgl::Backend &, int device) -> cudaError_t {
    if (params == nullptr || params->dst == nullptr || params->width == 0 || params->height == 0 ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
      return cudaErrorInvalidValue;
    return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeMemset,
                          irgl::in_device(device, [p = *params](cudaStream_t s) { return irgl::set(p, s); }));
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 const cudaHostNodeParams *params) {
  return irgl::on_current([&](irgl::Backend &, int device) -> cudaError_t {
    if (params == nullptr || params->fn == nullptr)
      return cudaErrorInvalidValue;
    return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeHost, irgl::in_device(device, [p = *params](cudaStream_t s) {
                            return cudaLaunchHostFunc(s, p.fn, p.userData);
                          }));
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                       cudaGraph_t child) {
  return irgl::guarded([&]() -> cudaError_t {
    std::shared_ptr<irgl::Graph> copy;
    {
      std::lock_guard<std::mutex> hold(irgl::graphs().mu);
      const auto g = irgl::find_graph(child);
      if (g == nullptr)
        return cudaErrorInvalidValue;
      copy = g->clone();
    }
    return irgl::add_node(node, graph, before, count, cudaGraphNodeTypeGraph,
                          [copy](cudaStream_t s) { return irgl::run(copy->sorted(), s); });
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return irgl::guarded([&] { return irgl::instantiate(exec, graph, flags); });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    return irgl::find_executable(exec) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return irgl::guarded([&] {
    std::shared_ptr<irgl::ExecutableGraph> x;
    {
      std::lock_guard<std::mutex> hold(irgl::graphs().mu);
      x = irgl::find_executable(exec);
    }
    // In a stream that is captured, its operations are recorded one by one.
    return x == nullptr ? cudaErrorInvalidValue : irgl::run(x->order, stream);
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return irgl::guarded([&] {
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    return irgl::graphs().executable.erase(exec) == 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams *params) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    irgl::Operation run;
    if (cudaError_t e = irgl::kernel_operation(b, device, params, &run))
      return e;
    std::lock_guard<std::mutex> hold(irgl::graphs().mu);
    const auto x = irgl::find_executable(exec);
    if (x == nullptr)
      return cudaErrorInvalidValue;
    const auto n = x->of.find(irgl::node_of(node));
    if (n == x->of.end() || n->second->type != cudaGraphNodeTypeKernel)
      return cudaErrorInvalidValue;
    n->second->run = run;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  return irgl::guarded([&] { return irgl::update(exec, graph, info); });
}
}

#endif
