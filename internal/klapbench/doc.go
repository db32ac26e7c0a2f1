// Package klapbench repeats the measurements of KLAP's paper (section IV, Figures 8 to 11) and of
// its successors on the present device, with the sixteen benchmarks of package klap/suite.
//
// [Run] builds each benchmark in many forms ([Choice]): launches in kernels as they are, none at
// all, aggregated, promoted, done by threads and coarsened:
//
//	rep, err := klapbench.Run(ctx, klapbench.Options{Device: "cuda", Benchmarks: suite.All(), Repeat: 5})
//
// A program is a process that prints its time, its launches and what its check has found. A failed
// check, another exit status than 0 and a run beyond the limit are failures, never times. The programs of a
// group, one benchmark with one data set in one stage, run by turns, so that each ratio is of one run; the
// value is the median over the turns. The stages come in the order of what they tell (plan.go).
//
// The baseline is the fastest of the plain forms: launches into the default stream of each thread, into a stream
// of their own, and fire and forget, with room for as many waiting launches as the program says, or for 2048.
//
// Launches and instructions are those that the emulator counts for the same programs and data. On the emulator
// itself instructions are the metric, and nothing is timed.
//
// A journal receives each run at once: a measurement that was ended goes on from it (Resume), and a report
// is made of it without a device (Replay). A [Report] has tables and charts, with the papers' own figures beside,
// and [Report.Targets] says what has been reached.
package klapbench
