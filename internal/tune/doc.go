// Package tune chooses the throughput switches of a program for a graph: by the
// graph's features, from a file of earlier measurements, or by measuring.
//
// [FeaturesOf] computes features of a graph that are cheap to obtain:
//
//	1048576 nodes, 8174741 edges, degree 7.80 to 23199, 50.7 % of the edges at the 1 % largest nodes, 2 levels, directed
//
// [Default] takes a program and features, and returns the switches of the first
// matching row of a table, without those that do not change the program:
//
//	outline=auto coop=block np=tb,wp,fg
//
// [Search] measures candidates, exhaustively if they are few, and otherwise in
// stages: first choices known to be good elsewhere, then one switch at a time. A
// [Measurer] runs and verifies them; package engine has the implementation that
// runs programs. A candidate that fails or whose answer is wrong is excluded, and
// reported with the reason.
//
// A [File] holds the results of searches, as JSON. [ReadFile] rejects any other
// file, with its name and the error, and does not change it; [File.Write] replaces
// the file atomically. [File.Lookup] returns the entry of a program, a device and a
// graph, or of the most similar graph within a maximum distance.
//
// [SearchLaunches] does the same for what becomes of the launches in device code of a CUDA program
// ([LaunchChoice]), one switch at a time.
//
// Nothing is timed on the emulator: [Cost] is a weighted sum of its counters.
package tune
