// Package opt is the list of passes over a program's tree, from the checked IrGL
// tree to the CUDA tree that is compiled: lowering and the throughput
// optimisations (IrGL paper, section 4), each a row.
//
// [Passes] is the list in the order of the run, with the constraints on that order and
// their reasons; [Run] runs it. The rows in front of the row lower plan: they leave the
// IrGL program as it is and write their decisions into a plan (package plan), which
// prints as attributes of the statements. An attribute that is in the program is checked
// like a decision of a row (those of kernels by the row given), and an error says why it
// is not legal; rows then leave its statement alone. The row
// lower, which is required, removes the IrGL nodes, in the forms that are planned. The
// rows behind it rewrite CUDA text into CUDA text; the last one, library, which is
// required too, adds the declarations of the device library that the program names.
//
// Each row runs when its switch is on ([lower.Options]), can be switched off and printed
// after, is verified when checking is on, counts what it does, and remarks on what it did
// and on what it leaves and why. [Explain] says what becomes of the loops of Host functions,
// [ExplainKernels] of the places in kernels.
//
// A switch may be limited to a kernel or to loops of it: a row that decides about a place
// asks for the switches there (parts.go). [Parts] lists those of a program.
//
//	text, report, err := opt.Run(info, &diags, opt.Options{Lower: o, Tree: tree.Options{PrintAfter: []string{"ticket"}, Out: os.Stderr}})
//
// Each row is tested from text to text (testdata/*.txtar). One that plans asks package
// analysis; one behind lower recognises what it rewrites by the text alone: by the
// functions and types of the device library (their names are reserved), and by the
// binding of names:
//
//	ForAll (e In n.edges) { ... }    becomes, by the row np-wp,      [[np(wp)]] ForAll (e In n.edges) { ... }
//	row = graph.row[n];              becomes, by the row ldg,        row = __ldg(&graph.row[n]);
//
// Which decisions are made in front of lowering, and why, is in docs/rationale.md
// ("Which throughput optimisations are passes over trees?").
//
// The package refuses attributes that are not legal, and nodes that are to be outlined
// and cannot be. A program stays correct, only slower, under every choice of rows.
package opt
