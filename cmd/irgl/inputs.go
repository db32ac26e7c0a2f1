package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/engine"
	"irgl/mesh"
)

// inputFlags name the graphs and meshes that a command iterates over, and the
// arguments programs get.
type inputFlags struct {
	files, gens, meshes []string
	graph               graphFlags
	source              string
	set                 []string
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.files, "graph", nil, "read a graph in `FILE`; may be given several times")
	flags.StringArrayVar(&f.gens, "gen", nil, "generate a graph, or a mesh of points:N, by `SPEC`; may be given several times")
	flags.StringArrayVar(&f.meshes, "mesh", nil, "read a mesh in `FILE`; may be given several times")
	flags.StringVar(&f.graph.format, "format", "", "take graphs' files for this `FORMAT`: "+formatNames())
	flags.BoolVar(&f.graph.symmetrize, "symmetrize", false, "add the reverse of every edge; drop self-loops and duplicates, keeping the smallest weight")
	flags.StringVar(&f.graph.weights, "weights", "", "give the edges random weights 1..W, the same in both directions: `W[:SEED]`")
	flags.StringVar(&f.source, "source", "", "the `NODE` for all parameters that are nodes (default: the graph's first)")
	flags.StringArrayVar(&f.set, "set", nil, "give the parameter NAME a value in every program that has it: `NAME=VALUE`; may be given several times")
}

func (f *inputFlags) check(cmd *cobra.Command) error {
	if len(f.files)+len(f.gens)+len(f.meshes) == 0 {
		return usagef(cmd, "give a graph by --graph FILE or --gen SPEC")
	}
	for _, s := range f.set {
		if !strings.Contains(s, "=") {
			return usagef(cmd, "--set %s: want NAME=VALUE", s)
		}
	}
	return nil
}

// each loads one input after the other and calls use with it and its name.
func (f *inputFlags) each(cmd *cobra.Command, use func(in engine.Input, name string) error) error {
	for _, spec := range f.gens {
		load := f.graphs(cmd, "", spec)
		if strings.HasPrefix(spec, "points:") {
			load = func() (engine.Input, error) {
				n, seed, err := parsePoints(spec)
				if err != nil {
					return engine.Input{}, &usageError{cmd.CommandPath(), err}
				}
				m, err := mesh.Generate(cmd.Context(), n, seed)
				return engine.Input{Mesh: m}, err
			}
		}
		if err := useInput(load, spec, use); err != nil {
			return err
		}
	}
	for _, path := range f.files {
		if err := useInput(f.graphs(cmd, path, ""), path, use); err != nil {
			return err
		}
	}
	for _, path := range f.meshes {
		load := func() (engine.Input, error) {
			m, err := openMesh(cmd, path)
			return engine.Input{Mesh: m}, err
		}
		if err := useInput(load, path, use); err != nil {
			return err
		}
	}
	return nil
}

// graphs returns what loads a graph from a file or by a generator.
func (f *inputFlags) graphs(cmd *cobra.Command, file, gen string) func() (engine.Input, error) {
	one := f.graph
	one.file, one.gen = file, gen
	return func() (engine.Input, error) {
		g, err := one.load(cmd)
		return engine.Input{Graph: g}, err
	}
}

func useInput(load func() (engine.Input, error), name string, use func(engine.Input, string) error) error {
	in, err := load()
	if err != nil {
		return err
	}
	return use(in, name)
}

// arguments returns a program's arguments: those that --set gives, nodes by
// --source, and what has a default is left out.
func (f *inputFlags) arguments(p *engine.Program, in engine.Input) (engine.Args, error) {
	args := engine.Args{}
	for _, param := range p.Params() {
		v := &paramFlag{param: param}
		text := ""
		if param.Type == "node" {
			text = f.source
		}
		for _, s := range f.set {
			if name, value, _ := strings.Cut(s, "="); name == param.Name {
				text = value
			}
		}
		switch {
		case text != "":
			if err := v.Set(text); err != nil {
				return nil, fmt.Errorf("%s=%s: %w", param.Name, text, err)
			}
			args[param.Name] = v.value
		case param.Type == "node" && in.Graph != nil && in.Graph.NumNodes() > 0:
			args[param.Name] = in.Graph.ExternalID(0)
		case param.Default == "":
			return nil, fmt.Errorf("%s needs --set %s=VALUE (%s)", p.Name(), param.Name, param.Type)
		}
	}
	return args, nil
}
