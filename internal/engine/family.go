package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/programs"
	"irgl/internal/suggest"
	"irgl/internal/tune"
)

// Problems returns the names of the problems that the bundled programs solve, sorted.
func Problems() []string { return programs.Problems() }

// Solvers returns the names of the bundled programs that solve a problem, the plain
// one, which has the problem's name, first. It is nil for what is not the name of a
// problem.
func Solvers(problem string) []string {
	if !slices.Contains(programs.Problems(), problem) {
		return nil
	}
	names := programs.Family(problem)
	if i := slices.Index(names, problem); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, problem)
	}
	return names
}

// Choose returns the bundled program that is likely the fastest of those that solve a
// problem and take the given arguments, on g, on the device of o, and why. If the
// tuning file of o has times of several of them for this very graph and device, they
// decide; or else the class of the graph does. It is the plain program where nothing
// is known.
func Choose(ctx context.Context, problem string, g *graph.Graph, args Args, o Options) (p *Program, from string, err error) {
	family, err := takers(Solvers(problem), args)
	if err != nil {
		return nil, "", err
	}
	if len(family) == 0 {
		return nil, "", fmt.Errorf("there is no problem %q (there are %s)%s", problem, strings.Join(Problems(), ", "), suggest.Hint(problem, Problems()))
	}
	if len(family) < 2 {
		return family[0], "the only program with these arguments", nil
	}
	const plain = "the plain program: nothing was measured of others"
	if g == nil {
		return family[0], plain, nil
	}
	if err := g.Validate(ctx); err != nil {
		return nil, "", err
	}
	kind, about, err := o.device()
	if err != nil {
		return nil, "", err
	}
	tuned, ok, err := fastestTuned(ctx, family, g, about, o)
	if err != nil {
		return nil, "", err
	}
	name := ""
	if ok {
		name, from = tuned.Program, fmt.Sprintf("tuned on %s, %s", tuned.Graph.Name, o.Tuning)
	} else {
		var names []string
		for _, q := range family {
			names = append(names, q.name)
		}
		features := tune.FeaturesOf(g)
		name, from = tune.Fastest(names, features, kind, o.Runs), "default for a graph "+features.Class().String()
	}
	for _, q := range family {
		if q.name == name {
			return q, from, nil
		}
	}
	return family[0], plain, nil
}

// takers returns the programs of those names that have all the parameters in args; if
// there is none, all of them, for the first to say what is wrong.
func takers(names []string, args Args) ([]*Program, error) {
	var all, some []*Program
	for _, name := range names {
		q, err := Bundled(name)
		if err != nil {
			return nil, err
		}
		takes := true
		for arg := range args {
			takes = takes && slices.ContainsFunc(q.Params(), func(param Param) bool { return param.Name == arg })
		}
		all = append(all, q)
		if takes {
			some = append(some, q)
		}
	}
	if some == nil {
		return all[:min(1, len(all))], nil
	}
	return some, nil
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
		dev := simt.Open(simt.Options{})
		return kind, dev.Info().Name, dev.Close()
	}
	return kind, "", nil
}

// fastestTuned returns the entry of the fastest program, if the tuning file has one
// for this graph of several on the device.
func fastestTuned(ctx context.Context, family []*Program, g *graph.Graph, about string, o Options) (best tune.Entry, ok bool, err error) {
	path := o.Tuning
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
		if !file.HasSize(hash, about, g.NumNodes()) { // to prepare the graph takes time
			continue
		}
		in, ok := inputs[p.info.Requires]
		if !ok {
			prepared, err := prepareOnHost(ctx, g, p.info.Requires, o.Weights)
			if err != nil {
				return best, false, err
			}
			in = inputOf(prepared, p.info.Requires)
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
