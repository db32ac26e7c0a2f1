// Package run is the vocabulary of one run of an IrGL program, shared by the
// engines that execute programs (interp, generated Go, host with a device) and
// by their callers, which verify answers.
//
// An [Input] is a prepared graph and one argument per parameter of the entry
// function; a [Result] is the output properties and globals and what the run
// counted. A property's values are a [Column]: a typed slice with one value a
// node or an edge.
//
//	in := run.Input{Graph: g, Args: []run.Value{run.IntValue(5)}}
//	res, err := engine.Run(ctx, in)
//	level := res.Column("level").Int(v)
//
// A run that is asked to ([Input].Collect) records what each kernel took and did,
// and when: an engine has a [Recorder] for that, and [Stats.WriteTrace] writes it
// for the viewers of Chrome's trace format.
//
// [Prepare] makes a graph fit a program's Requires line, or says why it
// cannot; [ViewsOf] makes its transpose and the sources of its edges for a program
// that looks at them. Nodes in inputs and results are the graph's internal numbers, from
// 0; callers translate the numbers of the graph's file.
package run
