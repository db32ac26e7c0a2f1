package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"

	"github.com/spf13/cobra"

	"irgl/internal/bench"
)

func benchCompileCommand() *cobra.Command {
	o := bench.FilesOptions{Std: "c++17", Target: "sm_90", Repeat: 3, Seed: 1}
	var nvcc, match string
	cmd := &cobra.Command{
		Use:   "compile FOLDER",
		Short: "Compare compile times with nvcc on the .cu files of a folder",
		Long: `Compile the .cu files in FOLDER and below that both irgl and nvcc take, each from its
text to PTX by a process of its own, by turns, and print the ratios of the processor times: their
median, what nine files of ten reach, and the smallest, files with cub or thrust apart. Of several
runs the smallest time counts. Files that one of the two refuses are left out and counted.`,
		Example: `  irgl bench compile --nvcc nvcc programs
  irgl bench compile --nvcc nvcc --sample 150 --seed 7 -I include programs`,
		Args: argRange(1, 1),
	}
	flags := cmd.Flags()
	flags.StringVar(&nvcc, "nvcc", os.Getenv("NVCC"), "compare with this nvcc (default: $NVCC): `PATH`")
	flags.StringVar(&match, "match", "", "only files whose paths match `REGEXP`")
	flags.StringVar(&o.Std, "std", o.Std, "the standard of C++: `STD`, such as c++17")
	flags.StringVar(&o.Target, "target", o.Target, "make PTX for `ARCH`")
	flags.StringArrayVarP(&o.Include, "include", "I", nil, "look for included files in `FOLDER`; may be given several times")
	flags.IntVar(&o.Repeat, "repeat", o.Repeat, "compilations of each file by each compiler; the smallest time counts")
	flags.IntVar(&o.Sample, "sample", 0, "measure `N` files, chosen at random (default: all)")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "of the choice of --sample: `NUMBER`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case nvcc == "":
			return usagef(cmd, "two compilers are compared: --nvcc, or $NVCC, is needed")
		case o.Repeat < 1 || o.Sample < 0:
			return usagef(cmd, "--repeat is at least 1, --sample at least 0")
		}
		if err := checkTarget(o.Target); err != nil {
			return &usageError{cmd.CommandPath(), err}
		}
		if match != "" {
			var err error
			if o.Match, err = regexp.Compile(match); err != nil {
				return usagef(cmd, "--match: %v", err)
			}
		}
		path, err := exec.LookPath(nvcc)
		if err != nil {
			return fmt.Errorf("--nvcc: %w", err)
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		o.Folder = args[0]
		o.Tools = bench.Tools{NVCC: path, Self: []string{self}}
		o.Progress = func(done, all int, name string) { line(cmd, fmt.Sprintf("%d of %d: %s", done+1, all, name)) }
		rep, ended := bench.CompileFiles(cmd.Context(), o)
		endLine(cmd)
		if rep == nil {
			return ended
		}
		return errors.Join(rep.WriteMarkdown(cmd.OutOrStdout()), interrupted(cmd, ended))
	}
	return cmd
}
