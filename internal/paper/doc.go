// Package paper repeats the measurements of the IrGL paper on the present device:
// device utilisation by launches (Figure 1), iteration outlining (Table 1),
// schedulers of inner loops (Table 2), the graph traversal of Listing 5 (Table
// 4), all programs without switches, with the default ones and tuned (Figure 7),
// the gain of each optimisation (Figure 8), and all their combinations (Figure
// 9).
//
// [Run] takes a list of inputs, each with a small input of the same kind, its twin:
//
//	paper.Run(ctx, paper.Options{Device: "cuda", Inputs: paper.Inputs("cuda"), Repeats: 10})
//
// Every program runs on every input with every choice of switches that one of the tables
// needs, once, the most important first. Times are medians of whole programs by the
// device's clock: the graph and the worklists are allocated on the device before.
// Counters (launches, barriers, atomics, transactions) are those of the twin on the
// emulator. If the device is the emulator, a cost replaces times (package tune), and
// there are no twins.
//
// The first answer of each choice is verified, or equals a verified one, while the device
// continues. If there is only one correct answer, a digest of each timed run's is
// compared with it; if there are several, one of the timed runs is verified, too.
//
// A journal receives each measurement at once: a run that was killed can be
// resumed from it (Resume), and a report can be made from it without a device
// (Replay). A [Checker] verifies the default and the fastest choices on inputs of
// any kind.
//
// Failures are shown in the tables, and so is what a budget omitted; means include
// measurements only. A [Report] writes its tables as Markdown, CSV and SVG,
// deterministically. [Report.Block] has its measurements as a file keeps them (package
// measured), and [FromBlock] makes the report of these.
package paper
