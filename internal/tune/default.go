package tune

import (
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/opt"
	"irgl/internal/source"
	"irgl/syntax"
)

// A Class is a class of graphs, determined by their [Features]: the same
// switches are expected to be fast for all graphs of a class.
type Class uint8

// The classes, in the order in which they are tested.
const (
	NoGraph Class = iota // no nodes: the program has a mesh, or no input
	Hubs                 // some nodes have a large share of the edges
	Long                 // high diameter: many iterations with little work each
	Wide                 // high diameter, but large: each iteration has enough work for the whole device
	Even                 // similar degrees, few iterations
)

func (c Class) String() string {
	return [...]string{"without a graph", "with hubs", "of high diameter", "of high diameter and large", "of even degrees"}[c]
}

// The thresholds of the classes. A search visits 4096 nodes of a grid in 64
// levels, of a three-dimensional grid in 15, of a random graph of degree 4 in 7.
const (
	hubSkew   = 16 // times the mean degree
	hubDegree = 128
	longFrom  = 14 // levels
	wideFrom  = 1 << 22
)

// Class returns the class of a graph.
func (f Features) Class() Class {
	switch {
	case f.Nodes == 0:
		return NoGraph
	case f.MaxDegree >= hubDegree && f.Skew() >= hubSkew:
		return Hubs
	case f.Levels >= longFrom && f.Nodes >= wideFrom:
		return Wide
	case f.Levels >= longFrom:
		return Long
	}
	return Even
}

// A row of the table of defaults: the first matching row applies.
type row struct {
	class    Class
	programs string // their names; "*" for all
	switches string
}

// defaults were measured on an NVIDIA H200 (docs/performance.md): rmat:20:8 for
// Hubs, grid:1024:1024 for Long, road:4900:4900 for Wide, uniform:8388608:4 for
// Even, 500000 points for NoGraph. The row of a class for all programs has the
// switches that were fast for most of them: grid-wide cooperation for the largest
// adjacency lists if there are hubs, and one small block per multiprocessor for a
// loop whose iterations have little work. pr_pull, which is bound by memory latency,
// gets as many threads as its registers permit.
var defaults = []row{
	{Hubs, "bfs", "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true"},
	{Hubs, "bfs_do", "outline=auto batch=4 coop=warp np=gr,wp,serial np-gr=1024"},
	{Hubs, "sssp", "outline=auto batch=4 coop=warp np=gr,wp,serial np-gr=1024"},
	{Hubs, "sssp_ds", "outline=auto batch=8 coop=warp np=gr,fg np-gr=1024 deal=true"},
	{Hubs, "cc_af", "outline=auto batch=4 coop=block"},
	{Hubs, "mst", "coop=block"},
	{Hubs, "pr_pull", "outline=auto outline-blocks=6 coop=block np=wp,fg"},
	{Hubs, "mis", "outline=auto np=gr,wp,serial"},
	{Hubs, "*", "outline=auto batch=4 coop=block np=gr,fg deal=true"},
	{Long, "bfs", "outline=auto outline-threads=256 outline-blocks=1 batch=4 bounds=true ahead=true"},
	{Long, "sssp_ds", "outline=auto outline-threads=256 outline-blocks=1 batch=4 coop=warp bounds=true ahead=true"},
	{Long, "mis", "outline=auto batch=8"},
	{Long, "cc", "coop=block"},
	{Long, "cc_af pr_dd", "outline=auto batch=4 coop=block"},
	{Long, "pr_pull", "outline=1 outline-blocks=6 coop=block"},
	{Long, "pr", "outline=auto batch=4"},
	{Long, "sssp_bf bfs_st tri", "outline=auto"},
	{Long, "mst", "coop=block block=512"},
	{Long, "*", "outline=auto outline-threads=256 outline-blocks=1 batch=4 coop=warp"},
	{Wide, "bfs", "outline=auto outline-threads=128 outline-blocks=1 batch=4 coop=warp bounds=true ahead=true"},
	{Wide, "sssp_ds", "outline=auto outline-threads=256 outline-blocks=1 batch=4 coop=warp bounds=true ahead=true"},
	{Wide, "cc", "outline=auto outline-threads=1024 outline-blocks=4 batch=4 coop=warp"},
	{Wide, "pr_pull", "outline=1 outline-blocks=6 coop=block"},
	{Wide, "mis", "batch=4 coop=block"},
	{Wide, "mst", "coop=block block=1024"},
	{Wide, "bfs_do", "outline=auto outline-threads=256 outline-blocks=1 batch=4 coop=warp"},
	{Wide, "*", "outline=auto batch=4 coop=warp"},
	{Even, "bfs_do", "outline=auto batch=4 coop=warp"},
	{Even, "sssp_ds", "outline=auto batch=2 coop=warp np=gr,fg deal=true"},
	{Even, "pr_pull", "outline=auto coop=warp"},
	{Even, "mst", "coop=block block=1024"},
	{Even, "mis", "outline=auto batch=8 coop=warp"},
	{Even, "tri", "np=tb,fg block=128"},
	{Even, "*", "outline=auto batch=4 coop=block"},
	{NoGraph, "*", "outline=auto coop=warp"},
}

// A Choice is a set of switches and its origin.
type Choice struct {
	Options lower.Options
	From    string // "default for a graph with hubs"
}

// Default returns the default switches for the bundled program of that name, "" for a
// program that is not bundled, on a graph with those features, on a device of that kind:
// cuda, or simt, which gets those of cuda. Other devices have no switches.
//
// The result may include switches that have no effect on the program: they are harmless,
// and filtering them takes longer than compiling.
func Default(name string, f Features, kind string) Choice {
	c := Choice{From: "default for a graph " + f.Class().String()}
	switch {
	case f.Class() == NoGraph:
		c.From = "default for a program without a graph"
	case name == "":
		c.From = "default for any program on a graph " + f.Class().String()
	}
	if kind != "cuda" && kind != "simt" {
		return Choice{From: "no switches on " + kind}
	}
	for _, r := range defaults {
		if r.class != f.Class() || r.programs != "*" && !slices.Contains(strings.Fields(r.programs), name) {
			continue
		}
		// A test checks that each row can be parsed.
		c.Options, _ = lower.ParseOptions(r.switches)
		break
	}
	return c
}

// Known returns the switches that the table of defaults has for a program of that
// name on any graph: the starting points of a search.
func Known(name string) []compile.Switches {
	var out []compile.Switches
	for _, r := range defaults {
		if s := compile.MustSwitches(r.switches); (r.programs == "*" || slices.Contains(strings.Fields(r.programs), name)) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Prune returns o without the switches that do not change the program.
func Prune(info *check.Info, o lower.Options) (lower.Options, error) {
	text, err := loweredText(info, o)
	if err != nil {
		return o, err
	}
	fields := strings.Fields(o.String())
	for i := len(fields) - 1; i >= 0; i-- {
		less, err := lower.ParseOptions(strings.Join(slices.Delete(slices.Clone(fields), i, i+1), " "))
		if err != nil {
			return o, err
		}
		if same, err := loweredText(info, less); err == nil && same == text {
			o, fields = less, slices.Delete(fields, i, i+1)
		}
	}
	return o, nil
}

// loweredText returns the CUDA text of a program after lowering. Options that
// give the same text are equivalent for every device.
func loweredText(info *check.Info, o lower.Options) (string, error) {
	var diags source.List
	tree, err := opt.Lower(info, &diags, o)
	if err == nil {
		err = diags.Err()
	}
	if err != nil {
		return "", err
	}
	return syntax.String(tree), nil
}
