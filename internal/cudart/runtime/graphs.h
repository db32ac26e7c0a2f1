// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: lists of operations with dependencies, that programs add or that captures of streams
// record. A launch puts the operations into a stream in topological order.
#ifndef IRGL_RUNTIME_GRAPHS_H
#define IRGL_RUNTIME_GRAPHS_H

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "state.h"

namespace irgl {

// An Operation queues the work of a node in a stream.
using Operation = std::function<cudaError_t(cudaStream_t)>;

struct GraphNode {
  cudaGraphNodeType type;
  Operation run;                   // null: nothing
  std::vector<GraphNode *> before; // what it depends on
};

class Graph {
public:
  GraphNode *add(cudaGraphNodeType type, Operation run, const std::vector<GraphNode *> &before) {
    nodes.push_back(std::make_unique<GraphNode>(GraphNode{type, std::move(run), before}));
    return nodes.back().get();
  }
  bool has(const GraphNode *n) const { return place(n) < nodes.size(); }
  size_t place(const GraphNode *n) const {
    const auto i = std::find_if(nodes.begin(), nodes.end(), [n](const auto &x) { return x.get() == n; });
    return static_cast<size_t>(i - nodes.begin());
  }
  std::unique_ptr<Graph> clone() const {
    auto g = std::make_unique<Graph>();
    std::map<const GraphNode *, GraphNode *> of;
    for (const auto &n : nodes) {
      g->nodes.push_back(std::make_unique<GraphNode>(*n));
      of[n.get()] = g->nodes.back().get();
    }
    for (const auto &n : g->nodes)
      for (GraphNode *&b : n->before)
        b = of[b];
    return g;
  }
  // sorted returns the nodes after those that they depend on, otherwise as they were added. Nodes
  // of a cycle are not in it.
  std::vector<GraphNode *> sorted() const {
    std::vector<GraphNode *> order;
    std::set<const GraphNode *> done;
    for (bool more = true; more;) {
      more = false;
      for (const auto &n : nodes) {
        if (done.count(n.get()) != 0 ||
            !std::all_of(n->before.begin(), n->before.end(), [&](GraphNode *b) { return done.count(b) != 0; }))
          continue;
        done.insert(n.get());
        order.push_back(n.get());
        more = true;
      }
    }
    return order;
  }

  std::vector<std::unique_ptr<GraphNode>> nodes;
};

// An ExecutableGraph is a copy of a graph, in the order of its launches. Its nodes are named by those of the
// graph that it was made of.
struct ExecutableGraph {
  std::unique_ptr<Graph> graph;
  std::vector<GraphNode *> order;
  std::map<const GraphNode *, GraphNode *> of;
};

// A Capture records what is put into streams: the one that it was begun in, and those that wait
// for events of it.
struct Capture {
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool blocking; // its stream synchronises with the legacy one
  bool invalid = false;
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::map<cudaStream_t, std::vector<GraphNode *>> last; // of each stream: what the next operation depends on
};

struct CapturedEvent {
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> last;
};

struct Graphs {
  std::mutex mu;
  std::atomic<int> captures{0};   // that have begun and not ended
  std::atomic<bool> begun{false}; // a capture, ever
  std::map<cudaStream_t, std::shared_ptr<Capture>> streams;
  std::map<cudaEvent_t, CapturedEvent> events; // recorded while their streams were captured
  std::map<cudaGraph_t, std::shared_ptr<Graph>> all;
  std::map<cudaGraphExec_t, std::shared_ptr<ExecutableGraph>> executable;
};

// graphs returns the one Graphs, which is never destroyed, as the Process.
inline Graphs &graphs() {
  static Graphs &g = *new Graphs;
  return g;
}

inline bool legacy(cudaStream_t s) { return s == nullptr || s == cudaStreamLegacy; }

// capture_of returns the capture that an operation in a stream belongs to: null if there is none, or
// if an error says why the operation is refused. The graphs are locked.
inline std::shared_ptr<Capture> capture_of(cudaStream_t s, cudaError_t *e) {
  Graphs &g = graphs();
  *e = cudaSuccess;
  const auto i = g.streams.find(s);
  if (i != g.streams.end()) {
    if (!i->second->invalid)
      return i->second;
    *e = cudaErrorStreamCaptureInvalidated;
    return nullptr;
  }
  for (const auto &c : g.streams)
    if (legacy(s) && c.second->blocking && c.second->mode != cudaStreamCaptureModeRelaxed) {
      c.second->invalid = true;
      *e = cudaErrorStreamCaptureImplicit;
    }
  return nullptr;
}

// recorded reports whether an operation in a stream is recorded by a capture, or refused for one, instead of
// queued. e is its result then.
template <class F> bool recorded(int device, cudaStream_t s, cudaGraphNodeType type, cudaError_t *e, F run) {
  Graphs &g = graphs();
  if (g.captures.load(std::memory_order_relaxed) == 0)
    return false;
  std::lock_guard<std::mutex> hold(g.mu);
  const auto c = capture_of(s, e);
  if (c == nullptr)
    return *e != cudaSuccess;
  auto &last = c->last[s];
  Operation again = [device, run](cudaStream_t to) {
    return on_device(device, [&](Backend &b) { return run(b, device, to); });
  };
  last = {c->graph->add(type, std::move(again), last)};
  return true;
}

// refused_in_capture returns the error of a call that a stream cannot have while it is captured,
// which ends the capture.
inline cudaError_t refused_in_capture(cudaStream_t s) {
  Graphs &g = graphs();
  if (g.captures.load(std::memory_order_relaxed) == 0)
    return cudaSuccess;
  std::lock_guard<std::mutex> hold(g.mu);
  cudaError_t e = cudaSuccess;
  if (const auto c = capture_of(s, &e)) {
    c->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return e;
}

// refused_for_captures is the result of waiting for a device, which ends the captures that are not relaxed.
inline cudaError_t refused_for_captures() {
  Graphs &g = graphs();
  if (g.captures.load(std::memory_order_relaxed) == 0)
    return cudaSuccess;
  std::lock_guard<std::mutex> hold(g.mu);
  cudaError_t e = cudaSuccess;
  for (const auto &c : g.streams)
    if (c.second->mode != cudaStreamCaptureModeRelaxed) {
      c.second->invalid = true;
      e = cudaErrorStreamCaptureUnsupported;
    }
  return e;
}

// recorded_event is recorded, for an event that is recorded.
inline bool recorded_event(cudaEvent_t event, cudaStream_t s, cudaError_t *e) {
  Graphs &g = graphs();
  if (!g.begun)
    return false;
  std::lock_guard<std::mutex> hold(g.mu);
  g.events.erase(event);
  if (g.captures.load(std::memory_order_relaxed) == 0)
    return false;
  const auto c = capture_of(s, e);
  if (c != nullptr)
    g.events[event] = CapturedEvent{c, c->last[s]};
  return c != nullptr || *e != cudaSuccess;
}

// recorded_wait is recorded, for a wait: a stream that waits for an event of a capture is captured, too.
inline bool recorded_wait(cudaStream_t s, cudaEvent_t event, cudaError_t *e) {
  Graphs &g = graphs();
  if (g.captures.load(std::memory_order_relaxed) == 0)
    return false;
  std::lock_guard<std::mutex> hold(g.mu);
  const auto i = g.events.find(event);
  const auto c = capture_of(s, e);
  if (*e != cudaSuccess)
    return true;
  if (i == g.events.end() || g.streams.count(i->second.capture->origin) == 0) {
    if (c == nullptr)
      return false;
    c->invalid = true;
    *e = cudaErrorStreamCaptureIsolation;
    return true;
  }
  const CapturedEvent &from = i->second;
  if (c != nullptr && c != from.capture) {
    c->invalid = from.capture->invalid = true;
    *e = cudaErrorStreamCaptureMerge;
    return true;
  }
  if (legacy(s)) {
    from.capture->invalid = true;
    *e = cudaErrorStreamCaptureImplicit;
    return true;
  }
  g.streams[s] = from.capture;
  auto &last = from.capture->last[s];
  for (GraphNode *n : from.last)
    if (std::find(last.begin(), last.end(), n) == last.end())
      last.push_back(n);
  return true;
}

// captured_event reports whether an event was last recorded in a stream that is or was captured: it cannot be
// waited for or asked.
inline bool captured_event(cudaEvent_t event) {
  Graphs &g = graphs();
  if (!g.begun)
    return false;
  std::lock_guard<std::mutex> hold(g.mu);
  return g.events.count(event) != 0;
}

inline void forget_event(cudaEvent_t event) {
  Graphs &g = graphs();
  if (!g.begun)
    return;
  std::lock_guard<std::mutex> hold(g.mu);
  g.events.erase(event);
}

} // namespace irgl

#endif
