// Package opt is the list of passes over a program's tree, from the checked IrGL
// tree to the CUDA tree that is compiled: lowering and the throughput
// optimisations (IrGL paper, section 4), each a row.
//
// [Passes] is the list in the order of the run, with the constraints on that
// order and their reasons; [Run] runs it. The row lower, which is required, removes
// the IrGL nodes; the row library, which is required too and the last, adds the
// declarations of the device library that the program names. The rows between them
// rewrite CUDA text into CUDA text. Each runs when its switch is on
// ([lower.Options]), can be switched off and printed after, is verified when
// checking is on, counts what it does, and remarks on what it leaves and why.
//
//	text, report, err := opt.Run(info, &diags, opt.Options{Lower: o, Tree: tree.Options{PrintAfter: []string{"ticket"}, Out: os.Stderr}})
//
// A row recognises what it rewrites by the text alone: by the functions and types
// of the device library (their names are reserved), and by the binding of names.
// So each row is tested from text to text (testdata/*.txtar), without lowering:
//
//	row = graph.row[n];    becomes, by the row ldg,    row = __ldg(&graph.row[n]);
//
// What is still decided and written inside package lower, and why, is in
// docs/rationale.md ("Which throughput optimisations are passes over trees?").
//
// The package refuses nothing that lower accepts: a program stays correct, only
// slower, under every choice of rows.
package opt
