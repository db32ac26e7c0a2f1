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
// nothing is known.
func Fastest(family []string, f Features, kind string) string {
	for _, name := range strings.Fields(standingOf(f, kind).first) {
		if slices.Contains(family, name) {
			return name
		}
	}
	return ""
}
