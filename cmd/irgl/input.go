package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/graph"
	"irgl/internal/atomicfile"
	"irgl/internal/engine"
	"irgl/internal/infile"
	"irgl/internal/programs"
)

// graphFlags say which graph a command works on.
type graphFlags struct {
	file, gen, format string
	symmetrize        bool
	weights           string
}

func (f *graphFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "graph", "", "read the graph in `FILE` (its format is found by content; .gz and .zst are unpacked)")
	flags.StringVar(&f.gen, "gen", "", "generate a graph by `SPEC`: rmat:SCALE:FACTOR, uniform:N:DEGREE, grid:W:H, road:W:H, path:N, ... with options such as :seed=1:wmax=100:sym ('irgl graph gen --help' lists all)")
	flags.StringVar(&f.format, "format", "", "take the file for this `FORMAT`: "+formatNames())
	f.addTransforms(flags)
}

func (f *graphFlags) addTransforms(flags *pflag.FlagSet) {
	flags.BoolVar(&f.symmetrize, "symmetrize", false, "add the reverse of every edge; drop self-loops and duplicates, keeping the smallest weight")
	flags.StringVar(&f.weights, "weights", "", "give the edges random weights 1..W, the same in both directions: `W[:SEED]`")
}

func formatNames() string {
	var names []string
	for _, f := range graph.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// load reads or generates the graph, and transforms it as the flags say.
func (f *graphFlags) load(cmd *cobra.Command) (*graph.Graph, error) {
	if (f.file == "") == (f.gen == "") {
		return nil, usagef(cmd, "give the graph by either --graph FILE or --gen SPEC")
	}
	ctx := cmd.Context()
	var g *graph.Graph
	var err error
	if f.gen != "" {
		if _, err := graph.ParseSpec(f.gen); err != nil {
			return nil, &usageError{cmd.CommandPath(), err}
		}
		p := spin(cmd, "generating "+f.gen)
		g, err = graph.Generate(ctx, f.gen)
		p.done()
	} else {
		g, err = openGraph(cmd, f.file, f.format)
	}
	if err != nil {
		return nil, err
	}
	return f.transform(cmd, g)
}

// openGraph reads a graph with a progress bar.
func openGraph(cmd *cobra.Command, path, format string) (*graph.Graph, error) {
	p := bar(cmd, "reading "+filepath.Base(path))
	defer p.done()
	opts := []graph.Option{graph.WithProgress(p.set)}
	if format != "" {
		f, err := graph.ParseFormat(format)
		if err != nil {
			return nil, &usageError{cmd.CommandPath(), err}
		}
		opts = append(opts, graph.WithFormat(f))
	}
	g, err := graph.Open(cmd.Context(), path, opts...)
	if err != nil {
		return nil, err
	}
	for _, text := range g.Info.Notes {
		note(cmd, "%s: %s", path, text)
	}
	return g, nil
}

// note prints something worth knowing that is no error.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: "+format+"\n", args...)
}

func (f *graphFlags) transform(cmd *cobra.Command, g *graph.Graph) (*graph.Graph, error) {
	ctx := cmd.Context()
	if f.weights != "" {
		w, seed, err := parseWeights(f.weights)
		if err != nil {
			return nil, &usageError{cmd.CommandPath(), err}
		}
		if g, err = g.RandomWeights(ctx, w, seed); err != nil {
			return nil, err
		}
	}
	if f.symmetrize {
		p := spin(cmd, "symmetrizing")
		defer p.done()
		return g.Symmetrize(ctx)
	}
	return g, nil
}

func parseWeights(text string) (largest int, seed uint64, err error) {
	number, rest, seeded := strings.Cut(text, ":")
	seed = graph.DefaultSeed
	largest, err = strconv.Atoi(number)
	if err == nil && seeded {
		seed, err = strconv.ParseUint(rest, 10, 64)
	}
	if err != nil || largest < 1 || largest > 1<<31-1 {
		return 0, 0, fmt.Errorf("--weights %s: want the largest weight, from 1 to 2147483647, and perhaps :SEED", text)
	}
	return largest, seed, nil
}

// loadProgram returns the program of a file, of standard input ("-"), or a
// bundled one.
func loadProgram(cmd *cobra.Command, name string) (*engine.Program, error) {
	if name != "-" && !isFile(name) {
		return engine.Bundled(name)
	}
	name, text, err := programText(cmd, name)
	if err != nil {
		return nil, err
	}
	return engine.Parse(name, text)
}

// isFile reports whether a PROGRAM argument names a file.
func isFile(name string) bool {
	return strings.ContainsAny(name, `./\`)
}

// programText returns the name and text of a file or bundled program; "-" is
// standard input, which is IrGL.
func programText(cmd *cobra.Command, name string) (string, []byte, error) {
	switch {
	case name == "-":
		text, err := infile.ReadText(cmd.Context(), cmd.InOrStdin())
		return "standard-input.irgl", text, err
	case isFile(name):
		text, err := infile.ReadFile(cmd.Context(), name)
		return name, text, err
	}
	if text, ok := programs.Text(name); ok { // not checked yet, which costs time
		return name + ".irgl", text, nil
	}
	_, err := engine.Bundled(name)
	return "", nil, err
}

// writeTo calls write with the file at path, or with standard output when path
// is "" or "-". The file appears complete or not at all.
func writeTo(ctx context.Context, cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "-" {
		if err := checkStdout(cmd); err != nil {
			return err
		}
	}
	if path == "" || path == "-" {
		return write(cmd.OutOrStdout())
	}
	return atomicfile.Write(ctx, path, write)
}

// checkStdout returns an error if what is written to standard output would be lost. Only
// for - it is an error: what a command prints without being asked to is often thrown away
// on purpose.
func checkStdout(cmd *cobra.Command) error {
	if out, ok := cmd.OutOrStdout().(*checkedWriter); ok && out.w == io.Writer(os.Stdout) && maybeClosed(os.Stdout) {
		return errors.New("-: standard output is closed, or thrown away: name a file")
	}
	return nil
}
