package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"irgl/internal/bench"
	"irgl/internal/measured"
)

// compareFlags are the flags of irgl bench compare.
type compareFlags struct {
	vars    []string
	figures []string
	title   string
	ratio   string
	repeat  int
	format  string
}

func benchCompareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare NAME=COMMAND...",
		Short: "Run commands by turns, and compare the figures that they print",
		Long: `Run commands by turns and print the medians of figures, as a page of Markdown, or as the
file of measurements that 'irgl bench report' makes this page of (--format csv).

A command is words separated by spaces; it is run without a shell. --for gives a variable
several values: {VAR} in the commands is each of them in turn, and each combination
of the values of several variables is a row. A figure is elapsed or processor, the time of the
process in ms, or the path of a number in the JSON that the command prints; over an array
it is the sum. A command that fails ends the measurement, with exit status 1.`,
		Example: `  irgl bench compare --for graph=rmat:16:8,grid:512:512 --figure time_ms.device \
    plain='irgl run bfs --gen {graph} --source 0 --tune=off --json' tuned='irgl run bfs --gen {graph} --source 0 --json'
  irgl bench compare --repeat 15 --ratio new/old old='old/irgl build bfs -o /dev/null' new='irgl build bfs -o /dev/null'
  irgl bench compare --repeat 1 --for graph=rmat:10:8 --for program=bfs,bfs_st --figure launches --figure kernels.counters.transactions \
    count='irgl run {program} --gen {graph} --source 0 --device simt --tune=off --stats --json'`,
		Args: argRange(1, 100),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.vars, "for", nil, "run the commands for each value of a variable: `VAR=VALUE,...`; may be given several times")
	flags.StringArrayVar(&f.figures, "figure", []string{bench.FigureElapsed}, "compare this `FIGURE`: elapsed, processor, or a path such as time_ms.device; may be given several times")
	flags.StringVar(&f.ratio, "ratio", "", "add the quotient of two commands, `A/B`")
	flags.IntVar(&f.repeat, "repeat", 5, "runs of each command; the median counts")
	flags.StringVar(&f.title, "title", "Comparison", "the title of the table: `TEXT`")
	flags.StringVar(&f.format, "format", "md", "what to print: `FORMAT` md, csv")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.main(cmd, args) }
	return cmd
}

func (f *compareFlags) main(cmd *cobra.Command, args []string) error {
	o := bench.CompareOptions{Title: f.title, Figures: f.figures, Repeat: f.repeat}
	var names []string
	for _, text := range args {
		name, command, ok := strings.Cut(text, "=")
		words := strings.Fields(command)
		if !ok || name == "" || len(words) == 0 || slices.Contains(names, name) {
			return usagef(cmd, "%q: a command is NAME=COMMAND, with a name of its own", text)
		}
		names = append(names, name)
		o.Commands = append(o.Commands, bench.Command{Name: name, Words: words})
	}
	for _, text := range f.vars {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" || values == "" {
			return usagef(cmd, "--for %s: a variable is VAR=VALUE,...", text)
		}
		if !slices.ContainsFunc(args, func(s string) bool { return strings.Contains(s, "{"+name+"}") }) {
			return usagef(cmd, "--for %s: no command has {%s}", text, name)
		}
		o.Vars = append(o.Vars, bench.Var{Name: name, Values: strings.Split(values, ",")})
	}
	switch a, b, ok := strings.Cut(f.ratio, "/"); {
	case f.repeat < 1:
		return usagef(cmd, "--repeat is at least 1")
	case f.format != "md" && f.format != "csv":
		return usagef(cmd, "there is no format %q (there are md, csv)", f.format)
	case f.ratio != "" && (!ok || !slices.Contains(names, a) || !slices.Contains(names, b) || a == b || len(f.figures) > 1):
		return usagef(cmd, "--ratio %s: A/B, the names of two of the commands, with one figure", f.ratio)
	case f.ratio != "":
		o.Ratio = a + " / " + b
	}
	o.Progress = func(done, all int, name string) { line(cmd, fmt.Sprintf("%d of %d: %s", done+1, all, name)) }
	block, err := bench.Compare(cmd.Context(), o)
	endLine(cmd)
	if err != nil {
		return err
	}
	at := origin(cmd)
	block.AddOrigin(at.Command, "", at.Host, at.Tree)
	if f.format == "csv" {
		return measured.Write(cmd.OutOrStdout(), []*measured.Block{block})
	}
	return measured.Markdown(cmd.OutOrStdout(), "", []*measured.Block{block}, forms)
}
