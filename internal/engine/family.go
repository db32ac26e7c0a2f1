package engine

import (
	"context"
	"fmt"
	"slices"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/tune"
)

// Families returns the names of the bundled programs that solve the problems of
// those given, of programs or of problems, each once; other names stay as they are.
func Families(names []string) []string {
	var out []string
	for _, name := range names {
		family := programs.Family(name)
		if family == nil {
			family = []string{name}
		}
		for _, member := range family {
			if !slices.Contains(out, member) {
				out = append(out, member)
			}
		}
	}
	return out
}

// Fastest returns the name of the bundled program, of those that solve the same
// problem as p and take the given arguments, that is likely the fastest on g, on the
// device of o, and why. If the tuning file of o has times of several of them for this
// very graph and device, they decide; or else the class of the graph does. It is p
// itself where nothing is known.
func (p *Program) Fastest(ctx context.Context, g *graph.Graph, args Args, o Options) (name, from string, err error) {
	family, err := p.family(args)
	if err != nil {
		return "", "", err
	}
	const itself = "nothing is known of another program"
	if len(family) < 2 || g == nil {
		return p.name, itself, nil
	}
	kind, about, err := o.device()
	if err != nil {
		return "", "", err
	}
	tuned, ok, err := fastestTuned(ctx, family, g, about, o.Tuning)
	if err != nil {
		return "", "", err
	}
	if ok {
		return tuned.Program, fmt.Sprintf("tuned on %s, %s", tuned.Graph.Name, o.Tuning), nil
	}
	var names []string
	for _, q := range family {
		names = append(names, q.name)
	}
	features := tune.FeaturesOf(g)
	if name := tune.Fastest(names, features, kind); name != "" {
		return name, "default for a graph " + features.Class().String(), nil
	}
	return p.name, itself, nil
}

// Faster returns the name of a bundled program that solves the same problem as x's and
// is likely to take a tenth of its time on g, or less; "" for none.
func (x *Executable) Faster(g *graph.Graph) string {
	p := x.program
	if !p.Known() || g == nil || !tune.MayBeFar(p.name, x.device) {
		return "" // without a look at the graph
	}
	features := tune.FeaturesOf(g)
	if !tune.FarFromFastest(p.name, features, x.device) {
		return ""
	}
	return tune.Fastest(programs.Family(p.name), features, x.device)
}

// family returns the programs of p's family that have all the parameters in args.
func (p *Program) family(args Args) ([]*Program, error) {
	if !p.Known() {
		return nil, nil
	}
	var family []*Program
	for _, name := range programs.Family(p.name) {
		q, err := Bundled(name)
		if err != nil {
			return nil, err
		}
		takes := true
		for arg := range args {
			takes = takes && slices.ContainsFunc(q.Params(), func(param Param) bool { return param.Name == arg })
		}
		if takes {
			family = append(family, q)
		}
	}
	return family, nil
}

// device returns the kind of device that o.Device stands for, and its maker's name for it.
func (o Options) device() (kind, about string, err error) {
	kind, ordinal, err := ParseDevice(o.Device)
	if err != nil {
		return "", "", err
	}
	switch kind {
	case "auto", "cuda":
		list, err := cuda.List()
		if err == nil && ordinal < len(list) {
			return "cuda", list[ordinal].Name, nil
		}
		if kind == "cuda" {
			return kind, "", nil // opening it says what is wrong
		}
		return "cpu", "", nil
	case "simt":
		return kind, simt.Open(simt.Options{}).Info().Name, nil
	}
	return kind, "", nil
}

// fastestTuned returns the entry of the fastest program, if the tuning file has one
// for this graph of several on the device.
func fastestTuned(ctx context.Context, family []*Program, g *graph.Graph, about, path string) (best tune.Entry, ok bool, err error) {
	if path == "" || about == "" {
		return best, false, nil
	}
	file, err := tune.ReadFile(path)
	if err != nil {
		return best, false, err
	}
	found := 0
	inputs := map[check.Requires]tune.Input{} // the file has the graph as a program gets it
	for _, p := range family {
		hash := tune.ProgramHash(p.file.Content)
		if !file.Has(hash, about) {
			continue
		}
		in, ok := inputs[p.info.Requires]
		if !ok {
			prepared, err := run.Prepare(ctx, g, p.info.Requires)
			if err != nil {
				return best, false, err
			}
			in = tune.InputOf(prepared, 0)
			inputs[p.info.Requires] = in
		}
		e, _, ok := file.Lookup(hash, about, Version(), in)
		if !ok || e.Graph.ID != in.ID || found > 0 && e.Metric != best.Metric {
			continue
		}
		if found++; found == 1 || e.Time < best.Time {
			best = e
		}
	}
	return best, found > 1, nil
}
