// Package paper measures what the IrGL paper measures, on the present device: how
// busy launches keep it (Figure 1), iteration outlining (Table 1), schedulers of
// inner loops (Table 2), the graph traversal of Listing 5 (Table 4), all programs
// without switches, with the default ones and tuned (Figure 7), what each of the
// optimisations is worth (Figure 8), and all their combinations (Figure 9).
//
// [Run] takes a list of inputs, each with a small twin of the same kind:
//
//	paper.Run(ctx, paper.Options{Device: "cuda", Inputs: paper.Inputs("cuda"), Repeats: 10})
//
// Every program runs on every input with every choice of switches that one of the
// tables needs, once each however many need it, what matters most first. Times are
// medians by the device's clock, of whole programs: the graph and the memory of
// worklists are on the device before. What is counted (launches, barriers, atomics,
// transactions) is that of the twin on the emulator. Where the device is the emulator, a
// cost takes the place of times (package tune), and there are no twins.
//
// The first answer of each choice is verified, or is the same as one that is, while
// the device goes on. A digest of each timed run's is compared with it where there is but
// one answer; where there are several, one of the timed runs is verified too.
//
// A journal gets each measurement at once: a run that was killed goes on with it
// (Resume), and a report can be made of it without a device (Replay). A [Checker]
// verifies the default and the fastest choices on inputs of any kind.
//
// What failed is in the tables as such, and so is what a budget left out; no mean is
// of anything but what was measured. A [Report] writes itself as Markdown, CSV and
// SVG, and the same measurements as the same bytes.
package paper
