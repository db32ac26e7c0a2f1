package tune

import (
	"slices"
	"strings"
)

// A standing is a ranking of the programs that solve the same problem, for a class
// of graphs and a kind of device.
type standing struct {
	kind  string
	class Class
	first string // the fastest program of each problem
}

// standings were measured together with the defaults; those of the CPU on two cores
// with smaller graphs of the same classes. If no program of a problem is named, the
// first of its family is as fast as any.
var standings = []standing{
	{"cuda", Hubs, "bfs_do sssp_ds cc_af pr_pull tri_or mst"},
	{"cuda", Long, "bfs sssp_ds cc_af pr_pull tri mst"},
	{"cuda", Wide, "bfs sssp_ds cc pr_pull tri mst"},
	{"cuda", Even, "bfs_do sssp_ds cc_af pr_pull tri mst"},
	{"cpu", Hubs, "bfs_st sssp_bf cc_af pr_row tri_or mst_lock"},
	{"cpu", Long, "bfs_st sssp_nf cc_af pr_row tri mst"},
	{"cpu", Wide, "bfs_st sssp_nf cc_af pr_row tri mst"},
	{"cpu", Even, "bfs_st sssp_nf cc_af pr_row tri mst"},
}

// A turning is a program that looks at the edges that lead to nodes, and the number of
// runs from which it is faster on the CPU, although a graph must first be transposed, or
// found to be symmetric.
type turning struct {
	class     Class
	symmetric bool
	program   string
	runs      int
}

// turnings were measured by the processor time of whole processes of one thread, on rmat:18:8 and
// uniform:1048576:4.
var turnings = []turning{
	{Hubs, true, "bfs_do", 2},
	{Hubs, false, "bfs_do", 12},
	{Even, true, "bfs_do", 1},
	{Even, false, "bfs_do", 4},
}

// rowsOf returns the rows for a kind of device. The emulator has those of cuda.
func rowsOf(kind string) []standing {
	if kind == "simt" {
		kind = "cuda"
	}
	var rows []standing
	for _, s := range standings {
		if s.kind == kind {
			rows = append(rows, s)
		}
	}
	return rows
}

func standingOf(f Features, kind string) standing {
	for _, s := range rowsOf(kind) {
		if s.class == f.Class() {
			return s
		}
	}
	return standing{}
}

// Fastest returns the program of a family that is expected to be the fastest on a
// graph with those features, on a device of that kind: cuda, simt or cpu. It is "" if
// nothing is known. A graph is prepared once for so many runs; 0 is for one.
func Fastest(family []string, f Features, kind string, runs int) string {
	if kind == "cpu" {
		for _, t := range turnings {
			if t.class == f.Class() && t.symmetric == f.Symmetric && max(1, runs) >= t.runs && slices.Contains(family, t.program) {
				return t.program
			}
		}
	}
	for _, name := range strings.Fields(standingOf(f, kind).first) {
		if slices.Contains(family, name) {
			return name
		}
	}
	return ""
}
