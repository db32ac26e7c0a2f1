package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"irgl/internal/compile"
	throughput "irgl/internal/opt"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/internal/suggest"
	"irgl/syntax"
)

// explainFlags choose among the remarks.
type explainFlags struct {
	compile compileFlags
	cxx     cxxFlags
	json    bool
	missed  bool
	library bool
	passes  []string
	out     string
}

func explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Say what the optimiser did with a program, and what it left and why",
		Long: `Compile an .irgl or .json file, a bundled program, or the device functions of a .cu
file in CUDA C++, or with --std=c99 in C with CUDA's qualifiers, and print what the
passes say about it, in the order of the text:

  FILE:LINE:COLUMN: remark: TEXT [PASS]            what was done
  FILE:LINE:COLUMN: remark: TEXT [PASS, missed]    what was left, and why

Of an IrGL program the first are about its Host functions: which loops run on the
device. Then each loop, call, branch, 64-bit division, and each access to memory
that stays generic, does not use the read-only path, or is not merged with a neighbour
in memory.`,
		Example: `  irgl explain kernels.cu --missed
  irgl explain bfs --pass=readonly,vectorise --json`,
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.main(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print an array of JSON objects")
	flags.BoolVar(&f.missed, "missed", false, "only what was left, and why")
	flags.BoolVar(&f.library, "library", false, "also about the text of the device library")
	flags.StringSliceVar(&f.passes, "pass", nil, "only what these passes say: `PASS`,...")
	flags.StringVarP(&f.out, "output", "o", "", "write to `FILE` (default: standard output)")
	f.compile.add(flags)
	f.compile.addAhead(flags)
	f.cxx.add(flags)
	_ = flags.MarkHidden("explain") // what it says is among the remarks
	cmd.ValidArgsFunction = completePrograms
	return cmd
}

func (f *explainFlags) main(cmd *cobra.Command, arg string) error {
	var o compile.Options
	err := f.compile.set(&o, cmd.ErrOrStderr())
	if err == nil {
		o.CXX, err = f.cxx.options()
	}
	if err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	known := append(throughput.Passes().Names(), opt.Passes().Names()...)
	for _, name := range f.passes {
		if !slices.Contains(known, name) {
			return usagef(cmd, "there is no pass %q (there are %s)%s", name, strings.Join(known, ", "), suggest.Hint(name, known))
		}
	}
	name, text, err := f.cxx.text(cmd, arg)
	if err != nil {
		return err
	}
	dialect := syntax.IrGL
	if filepath.Ext(name) == ".cu" || f.cxx.suffix != "" {
		dialect = syntax.CUDA
	}
	collectLess()
	remarks, err := compile.Remarks(source.NewFile(name, text), dialect, o, f.library)
	if err != nil {
		return err
	}
	remarks = slices.DeleteFunc(remarks, func(r compile.Remark) bool {
		return f.missed && !r.Missed || len(f.passes) > 0 && !slices.Contains(f.passes, r.Pass)
	})
	return writeTo(cmd.Context(), cmd, f.out, func(w io.Writer) error {
		if f.json {
			if remarks == nil {
				remarks = []compile.Remark{}
			}
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			e.SetEscapeHTML(false)
			return e.Encode(remarks)
		}
		for _, r := range remarks {
			if _, err := fmt.Fprintln(w, source.Visible(r.String())); err != nil {
				return err
			}
		}
		return nil
	})
}
