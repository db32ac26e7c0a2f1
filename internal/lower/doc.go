// Package lower turns a checked IrGL program into a CUDA program: kernels,
// device functions and host functions of one self-contained .cu text (report
// "Lowering IrGL to CUDA", sections 3 and 4).
//
// [Lower] takes the side tables of an .irgl file and gives a tree in the CUDA
// dialect without any IrGL node. The outermost ForAll becomes a grid-stride
// loop, inner ones serial loops; properties become arrays of a struct
// irgl_graph; WL becomes the in and out worklists of a pipe context; an
// invocation becomes a host function that launches the kernel and swaps the
// lists; Iterate and Pipe become host loops:
//
//	ForAll (i In WL) { n = WL.pop(i); ... }    for (int i = irgl_thread(); i < irgl_size(in); i += irgl_threads()) {
//	                                             int n = irgl_pop(in, i); ... }
//	e.dst.level = LEVEL;                       graph.level[e_dst] = LEVEL;
//	WL.push(e.dst.id);                         irgl_push(out, e_dst);
//	Atomic (n.lock) { n.a = 1; }               int *lock = &graph.lock[n]; ... atomicCAS(lock, 0, 1) ...
//	Respawn e.dst;                             irgl_push(retry, e_dst);
//	Iterate BFS(graph, LEVEL) Initial [src]    irgl_pipe_open(&irgl_wl, ...);
//	  { LEVEL++; }                             while (irgl_wl.size > 0) { irgl_invoke_BFS(graph, &irgl_wl, LEVEL); LEVEL++; }
//
// That is the form in which loops stay on the host. Those that are planned to move to
// the device (plan.Node) become control kernels, which are launched once and call the
// kernels as functions (IrGL paper, section 4.1; outline.go, control.go):
//
//	Iterate BFS(graph, LEVEL) Initial [src]    extern "C" __global__ void irgl_control_1(...) { ...
//	  { LEVEL++; }                               while (irgl_wl.size > 0) { irgl_call_BFS(graph, &irgl_wl, LEVEL); ... LEVEL++; } }
//
// One block or cluster executes such a loop alone while its list is short, if that is
// planned (scope.go). The rows outline and scope of package opt decide both.
//
// Several ForAlls in one kernel are loops one after the other: a thread does not
// wait for the others between them, unless the program says so. A ForAll whose
// iterations meet at barriers runs in groups of one iteration a thread, with
// the statements between two barriers in a block of their own (group.go);
// Exclusive becomes three phases with barriers between (exclusive.go):
//
//	SyncRunningThreads();                      irgl_grid_barrier();
//	LocalBarrier();                            __syncthreads();
//	Exclusive (mesh, size, list) { ... }       ... irgl_claim(locks, list[at]) ... irgl_grid_barrier(); ... irgl_prefer ...
//	                                           irgl_grid_barrier(); ... irgl_owns ... if (won) { ... }
//
// A kernel that has such a barrier of the grid is launched cooperatively, with
// no more blocks than the device holds at once (launch.go).
//
// A Mesh is in struct irgl_graph too; kernels add to it through functions that
// count, and each invocation sees the counts at its start (mesh.go). C text of
// the program and its names are passed on to the .cu text unchanged, and for PTX parsed
// (foreign.go). __shared__ arrays of operators have a row a thread (cache.go).
//
// Names stay as they are unless C++ or a
// header has them (names.go). What CUDA has in fewer forms than IrGL, such as
// atomics on long, is cast to those it has (builtin.go).
//
// The device library's functions that the program needs come with it (package
// devlib). Host access to a property, a device variable or the graph's arrays
// uses functions that keep host and device copies coherent. ForAll runs
// serially on the host.
//
// A kernel that retries items has a third list; its invocation runs it until
// that is empty, with fewer threads when conflicts keep items from getting done
// (text.go). The loop of a lock is one in which the lanes of a warp do not keep
// each other from giving it back (atomic.go).
//
// What is planned about kernels (package plan; the rows in front of lowering decide) has
// its forms here; throughput.go prepares them:
//
//	[[batch]]              several iterations of a loop over edges begun at once (batch.go, lockstep.go)
//	[[reserve]] [[queue]]  pushes that warps or blocks do together (coop.go)
//	[[gather]] [[lanes]]   counters that they add to together (counter.go)
//	[[np]] [[deal]]        inner ForAlls executed by other threads: nested parallelism (nested.go, sched.go, hubs.go)
//
// What cannot be lowered, such as a whole array of kernels in host code, is
// refused with a diagnostic, codes L0001 and up. The plan must be legal. The result must
// check without an error; package compile verifies that.
package lower
