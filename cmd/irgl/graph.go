package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"irgl/graph"
	"irgl/internal/engine"
)

func graphCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Describe, generate and convert graphs",
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(graphInfoCommand(), graphGenCommand(), graphConvertCommand())
	return cmd
}

func graphInfoCommand() *cobra.Command {
	var f graphFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE | --gen SPEC",
		Short: "Print a graph's format, size, degrees, components and weights",
		Args:  argRange(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if f.file != "" {
					return usagef(cmd, "one graph at a time")
				}
				f.file = args[0]
			}
			g, err := f.load(cmd)
			if err != nil {
				return err
			}
			p := spin(cmd, "counting")
			s, err := g.Stats(cmd.Context())
			p.done()
			if err != nil {
				return err
			}
			info := newGraphInfo(g, s)
			if asJSON {
				return info.writeJSON(cmd.OutOrStdout())
			}
			return info.writeText(cmd.OutOrStdout())
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func graphGenCommand() *cobra.Command {
	f := new(graphFlags)
	return writesGraph(&cobra.Command{
		Use:   "gen SPEC -o FILE",
		Short: "Write a generated graph",
		Long: "Write a generated graph. SPEC is a kind with its numbers, and options, with colons between. The kinds and\nthe options are:\n\n" +
			indented(graph.SpecHelp()) +
			"\nThe same SPEC gives the same graph on every machine. 'irgl run --gen points:N[:seed=S]' generates a mesh.",
		Example: "  irgl graph gen rmat:20:8 -o rmat20.gr\n  irgl graph gen road:1000:1000:wmax=1000 --to dimacs -o road.gr.gz",
	}, f, &f.gen)
}

// indented indents the lines of a text that are not empty.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

func graphConvertCommand() *cobra.Command {
	f := new(graphFlags)
	cmd := writesGraph(&cobra.Command{Use: "convert FILE -o FILE", Short: "Write a graph in another format"}, f, &f.file)
	cmd.Flags().StringVar(&f.format, "from", "", "take the file for this `FORMAT`: "+formatNames())
	return cmd
}

// writesGraph makes a command write the graph that its argument, which goes to source,
// and its flags say.
func writesGraph(cmd *cobra.Command, f *graphFlags, source *string) *cobra.Command {
	var out, format string
	cmd.Args = argRange(1, 1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		*source = args[0]
		g, err := f.load(cmd)
		if err != nil {
			return err
		}
		return writeGraph(cmd, g, out, format)
	}
	addOutput(cmd, &out, &format)
	f.addTransforms(cmd.Flags())
	return cmd
}

func addOutput(cmd *cobra.Command, out, format *string) {
	cmd.Flags().StringVarP(out, "output", "o", "", "write to `FILE`; compressed when it ends in .gz or .zst")
	cmd.Flags().StringVar(format, "to", "", "the `FORMAT` to write: "+formatNames()+" (default: by the file's ending)")
}

// endings gives the format to write by a file's ending.
var endings = map[string]graph.Format{
	".gr": graph.Galois1, ".dimacs": graph.DIMACS, ".el": graph.EdgeList, ".wel": graph.EdgeList, ".txt": graph.EdgeList,
	".csv": graph.EdgeList, ".tsv": graph.EdgeList, ".mtx": graph.MatrixMarket, ".graph": graph.METIS, ".metis": graph.METIS,
}

func writeGraph(cmd *cobra.Command, g *graph.Graph, out, format string) error {
	if out == "" {
		return usagef(cmd, "name the file to write: -o FILE (- for standard output)")
	}
	var to graph.Format
	var err error
	if format != "" {
		if to, err = graph.ParseFormat(format); err != nil {
			return &usageError{cmd.CommandPath(), err}
		}
	} else {
		base := strings.TrimSuffix(strings.TrimSuffix(out, ".gz"), ".zst")
		var ok bool
		if to, ok = endings[filepath.Ext(base)]; !ok {
			return usagef(cmd, "the ending of %s names no format (%s do): give one with --to (%s)", out, strings.Join(slices.Sorted(maps.Keys(endings)), ", "), formatNames())
		}
	}
	for _, lost := range g.Losses(to) {
		note(cmd, "%s", lost)
	}
	p := spin(cmd, "writing "+filepath.Base(out))
	defer p.done()
	if out == "-" {
		if err := checkStdout(cmd); err != nil {
			return err
		}
		return graph.WriteTo(cmd.Context(), cmd.OutOrStdout(), g, to)
	}
	return graph.Write(cmd.Context(), out, g, to)
}

func devicesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List what programs can run on",
		Args:  argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			devices, why := engine.Devices()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(devices)
			}
			if why != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: no GPU: %v\n", why)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, d := range devices {
				fmt.Fprintf(w, "%s\t%s\t%s\n", d.Device, d.Name, d.Detail)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}
