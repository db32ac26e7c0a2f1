package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/bench"
	"irgl/internal/infile"
	"irgl/internal/journal"
	"irgl/internal/klapbench"
	"irgl/internal/measured"
	"irgl/internal/paper"
)

// forms are the writers of blocks of measurements that are not plain tables.
var forms = map[string]func(io.Writer, *measured.Block) error{
	paper.Form:        paper.WriteBlock,
	klapbench.Form:    klapbench.WriteBlock,
	bench.FormKernels: bench.WriteKernelsBlock,
	bench.FormPasses:  bench.WritePassesBlock,
}

func benchReportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report FILE",
		Short: "Write the page of a file of measurements",
		Long: `Write a file of measurements as a page of Markdown, to standard output. Nothing is
measured. 'irgl bench paper --out DIR' and 'irgl bench scalar --out DIR' write such a file,
DIR/measurements.csv, 'irgl bench compare' prints one, and docs/measurements/NAME.csv is that
of docs/measurements/NAME.md.

The file is CSV below a head of comments, with the command, the machine and the date of the
sources; several of both are separated by an empty line.`,
		Example: `  irgl bench report docs/measurements/cpu.csv
  irgl bench report paper/measurements.csv > paper.md`,
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := infile.ReadFile(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			blocks, err := measured.Parse(text)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			var page strings.Builder
			if err := measured.Markdown(&page, args[0], blocks, forms); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return writeTo(context.Background(), cmd, "", func(w io.Writer) error {
				_, err := io.WriteString(w, page.String())
				return err
			})
		},
	}
}

// pageOf returns two files of a folder: measurements, and the page that is made of them.
func pageOf(dir string, blocks []*measured.Block) []output {
	const name = "measurements.csv"
	return []output{
		{name, func(w io.Writer) error { return measured.Write(w, blocks) }},
		{"report.md", func(w io.Writer) error { return measured.Markdown(w, filepath.Join(dir, name), blocks, forms) }},
	}
}

// origin says where the measurements of a command come from.
func origin(cmd *cobra.Command) journal.Origin {
	o := journal.Origin{
		Command: invocation(cmd), Tree: "unknown",
		Host: fmt.Sprintf("%d processors, %s/%s, %s", runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version()),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		o.Tree = tree(info.Settings)
	}
	return o
}

// tree returns the date and the revision of the sources that a binary was built from.
func tree(settings []debug.BuildSetting) string {
	var day, revision, modified string
	for _, s := range settings {
		switch s.Key {
		case "vcs.time":
			day, _, _ = strings.Cut(s.Value, "T")
		case "vcs.revision":
			revision = " (" + s.Value[:min(12, len(s.Value))] + ")"
		case "vcs.modified":
			if s.Value == "true" {
				modified = ", modified"
			}
		}
	}
	if day == "" {
		return "unknown"
	}
	return day + revision + modified
}

// invocation returns a command line that does the same: the command, its flags as
// they were given, and its arguments.
func invocation(cmd *cobra.Command) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && f.Value.Type() == "stringArray" {
			for _, v := range list.GetSlice() {
				words = append(words, "--"+f.Name+"="+quoted(v))
			}
			return
		}
		words = append(words, "--"+f.Name+"="+quoted(strings.Trim(f.Value.String(), "[]")))
	})
	for _, arg := range cmd.Flags().Args() {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]{}`~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
