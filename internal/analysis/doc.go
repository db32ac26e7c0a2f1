// Package analysis finds out what the throughput passes need to know of the
// functions of a checked IrGL program (IrGL paper, section 4). It changes
// nothing; its results are keyed by nodes of the tree.
//
// [New] takes a function with a body, of a program that checks without errors,
// and gives a [Func]: the control flow [Graph] with a node a statement, its
// dominators, postdominators and control dependence, and the [Effects] of each
// node. Built on it, each with a text form for goldens:
//
//   - [Func.FocalPoints] (4.2.2): where all threads of a block meet, under a
//     hypothesis of which branches are [Uniform].
//   - [Func.Sites] (4.2.1): pushes, retries, reductions and additions to the
//     mesh, with the levels at which each can be aggregated, and where.
//   - [Func.Counters]: atomics on counters that all threads share, and which of
//     them can be shared or wait for the thread's end.
//   - [Func.Nests] (4.3): which inner ForAlls other threads can execute, with
//     their closures and with what comes before and after them.
//   - [Func.Batches]: the loads of a loop over edges that can be issued for
//     several iterations at once.
//   - [Func.Outline] (4.1): which Pipes, Iterates and loops of a Host function
//     can move to the device, with what has to be copied and where barriers go.
//
// The focal points of Listing 3's kernel before its inner loop is made uniform,
// as [Focal.Print] writes them (Figure 6a); (u) is a uniform branch, * a focal
// point, and the set is what every thread at the node has met:
//
//	Start * {Start}
//	0: ForAll (n In graph.nodes) (u) * {0, 1, Start}
//	1: ForAll (e In n.edges) * {0, 1, Start}
//	2: if (e.dst.level == INF) {0, 1, 2, Start}
//	3: WL.push(e.dst) {0, 1, 2, 3, Start}
//	4: endif {0, 1, 2, 4, Start}
//	Exit * {0, 1, Exit, Start}
//
// [NewProgram] has what is known of a program as a whole: what is on which side, and
// the outline trees of its Host functions with their numbers.
//
// What cannot be done has a [Reason] with its place in the text. All answers are
// on the safe side: a refusal may be wrong, a permission may not. Functions of
// .cu files can be analysed as far as C goes. Read cfg.go first, then focal.go,
// coop.go, counter.go, nest.go, batch.go and outline.go, each of which begins with its rules.
package analysis
