// Package tune chooses the throughput switches of a program for a graph: by the
// graph's features, from a file of what was measured before, or by measuring.
//
// [FeaturesOf] takes a graph and gives cheap facts about it:
//
//	1048576 nodes, 8174741 edges, degree 7.80 to 23199, 50.7 % of the edges at the 1 % largest nodes, 2 levels, directed
//
// [Default] takes a program and features, and gives the switches of the first row
// of a table that fits both, without those that change nothing in the program:
//
//	outline=auto coop=block np=tb,wp,fg
//
// [Search] measures candidates, exhaustively where they are few, and otherwise in
// stages: what is known to be good elsewhere, then one switch at a time. It asks a
// [Measurer] for times and right answers; package irgl has the one that runs
// programs. A candidate whose answer is wrong or that fails takes no part, and is
// in the report with the reason.
//
// A [File] holds what searches found, as JSON. [ReadFile] refuses a file that is no
// such thing, with its name and what is wrong, and leaves it alone; [File.Write]
// replaces the file at once or not at all. [File.Lookup] gives the entry of a
// program, a device and a graph, or of the graph most like it within a distance.
//
// On the emulator nothing is timed: [Cost] is one number from what it counts.
package tune
