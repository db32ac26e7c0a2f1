package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/cudabuild"
	"irgl/internal/nvccdiff"
)

func cudaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cuda",
		Short: "Build, run and check CUDA C++ programs without a toolkit",
		Long: `Build, run and check CUDA C++ programs, host and device code in one source. Device code is
compiled to PTX by irgl, host code by the machine's C++ compiler. A program runs on a GPU through its
driver, or with IRGL_DEVICE=simt on the emulator, for which it needs irgl at run time: the file that the
environment variable IRGL names, or irgl beside the program or in PATH. docs/cuda.md has the rest.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(cudaBuildCommand(), cudaRunCommand(), cudaCheckCommand(), cudaSurveyCommand(), cudaNvccDiffCommand())
	return cmd
}

const cudaFlagsHelp = `
The flags are nvcc's: -o, -c, -dc, -ptx, -E, -shared, -arch, -gencode, -I, -isystem, -include, -D, -U, -O,
-std, -g, -lineinfo, -use_fast_math, -l, -L, -Xcompiler, -Xlinker, -ccbin, -v, --dryrun, -keep and others;
those that concern tools that irgl does not have are accepted and have no effect. --textures=hardware has
textures and surfaces read by a texture unit's instructions, and not by loads.`

func cudaBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build FILE... [-o PROGRAM]",
		Short: "Compile and link CUDA C++ sources, as nvcc does",
		Long: `Compile and link CUDA C++ sources, in nvcc's place: make NVCC="irgl cuda build".
The host's compiler is that of -ccbin, of the environment variable CXX, g++ or clang++.
` + cudaFlagsHelp,
		Example: `  irgl cuda build saxpy.cu -o saxpy
  irgl cuda build -O3 -arch=sm_90 -Iinclude main.cu kernels.cu util.cpp -o app -lm`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, help, err := cudaFlags(cmd, args)
			if help || err != nil {
				return err
			}
			return cudaBuild(cmd, o)
		},
	}
}

// cudaFlags reads flags of nvcc's kind, unless they ask for help.
func cudaFlags(cmd *cobra.Command, args []string) (*cudabuild.Options, bool, error) {
	if slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "--help" }) {
		return nil, true, cmd.Help()
	}
	o, err := cudabuild.ParseFlags(cudabuild.CommandLine(args))
	if _, usage := errors.AsType[*cudabuild.UsageError](err); usage {
		return nil, false, &usageError{cmd.CommandPath(), err}
	}
	return o, false, err
}

func cudaBuild(cmd *cobra.Command, o *cudabuild.Options) error {
	for _, note := range o.NotesFor() {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: %s\n", note)
	}
	err := cudabuild.Build(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if tool, ok := errors.AsType[*cudabuild.ToolError](err); ok && tool.Said || errors.Is(err, cudabuild.ErrReported) {
		return errReported // it has said why
	}
	return err
}

func cudaRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run [--device cuda|simt] [--host auto|compiler|evaluate] [--report FORMAT[:FILE]] [--leak-check] [FLAGS] FILE.cu [ARGUMENTS]",
		Short: "Run a CUDA C++ program",
		Long: `Run a CUDA C++ program with the arguments behind its file. The exit status is
the program's. The program is built by the host's compiler; where there is none, irgl evaluates its host code,
which must be of C's kind then (docs/cuda.md), and says so on standard error. --host chooses. Flags in front of the file are those of irgl cuda build. --device says where kernels run:
cuda is a GPU, simt the emulator; without it the environment variable IRGL_DEVICE, or else a GPU.

--report makes a report of what the emulator finds, as text, json, sarif or junit, or several of them with commas between
them: --report=text,sarif:out.sarif. The environment variable IRGL_REPORT does the same for programs that irgl cuda build has
made (docs/testing-without-a-gpu.md). --leak-check also reports memory, streams and events that are not freed.
` + cudaFlagsHelp,
		Example: `  irgl cuda run --device simt vectorAdd.cu 1024
  irgl cuda run --host evaluate --device simt vectorAdd.cu
  irgl cuda run --device simt --report=sarif:out.sarif --leak-check vectorAdd.cu
  irgl cuda run -O3 -DN=64 matmul.cu`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			var f cudaRunFlags
			args, err := f.take(args)
			if err == nil {
				err = f.check()
			}
			if err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			n := slices.IndexFunc(args, func(a string) bool { return a == "-" || !strings.HasPrefix(a, "-") && filepath.Ext(a) == ".cu" })
			if n < 0 && slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }) {
				return usagef(cmd, "there is no .cu file among the arguments: %s", strings.Join(args, " "))
			}
			o, help, err := cudaFlags(cmd, args[:n+1])
			if help || err != nil {
				return err
			}
			if o.Mode != cudabuild.Program || o.Output != "" {
				return usagef(cmd, "-c, -ptx, -E, -shared and -o make files: use irgl cuda build")
			}
			return cudaRun(cmd, o, f, args[n+1:])
		},
	}
}

// cudaRun runs a program: built in a folder of its own, or with its host code evaluated.
func cudaRun(cmd *cobra.Command, o *cudabuild.Options, f cudaRunFlags, args []string) error {
	if err := replaceReports(f.report); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "irgl-source-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o, err = o.WithStdin(dir); err != nil {
		return err
	}
	evaluate, err := f.evaluates(o)
	switch {
	case err != nil:
		return err
	case evaluate:
		return cudaEvaluate(cmd, o, f, args)
	}
	if f.report != "" || f.leaks {
		o.Host = slices.Insert(o.Host, 0, "-g1") // for the lines of host code
	}
	return cudaBuildAndRun(cmd, o, f, args)
}

func cudaBuildAndRun(cmd *cobra.Command, o *cudabuild.Options, f cudaRunFlags, args []string) error {
	dir, err := os.MkdirTemp("", "irgl-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o.Output = filepath.Join(dir, strings.TrimSuffix(filepath.Base(o.Inputs[0]), ".cu"))
	if err := cudaBuild(cmd, o); err != nil || o.DryRun {
		return err
	}
	program := exec.CommandContext(cmd.Context(), o.Output, args...)
	program.Stdin = cmd.InOrStdin()
	program.Stdout, program.Stderr = programStreams(cmd)
	program.Env = f.environment()
	if self, err := os.Executable(); err == nil && os.Getenv("IRGL") == "" {
		program.Env = append(program.Env, "IRGL="+self)
	}
	ended, err := f.watch(program)
	if err != nil {
		return err
	}
	err = program.Run()
	ended()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && cmd.Context().Err() == nil {
		return &exitStatus{exit}
	}
	return errors.Join(context.Cause(cmd.Context()), err)
}

// An exitStatus ends irgl with the status of a program that it has run.
type exitStatus struct{ *exec.ExitError }

func (e *exitStatus) status() int {
	if n := e.ExitCode(); n >= 0 {
		return n
	}
	if s, ok := e.signal(); ok {
		return 128 + int(s)
	}
	return statusError
}

// signal returns the signal that ended the program, if one did.
func (e *exitStatus) signal() (syscall.Signal, bool) {
	w, ok := e.Sys().(syscall.WaitStatus)
	return w.Signal(), ok && w.Signaled()
}

// explain says that a signal ended the program, as a shell does for a program of its own. Of an
// interrupt and of a closed pipe shells say nothing.
func (e *exitStatus) explain(w io.Writer) {
	s, ok := e.signal()
	if !ok || s == syscall.SIGINT || s == syscall.SIGPIPE {
		return
	}
	fmt.Fprintf(w, "irgl: a signal ended the program: %v\n", s)
	if s == syscall.SIGSEGV {
		fmt.Fprintln(w, "  hint: host code cannot read or write memory of cudaMalloc by its address: cudaMemcpy copies it; --host evaluate names the line, if host code is of C's kind")
	}
}

func cudaCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Report the errors in the device code of CUDA C++ sources",
		Long: `Report the errors in the device code of CUDA C++ sources, without a compiler for host code. Of template
kernels it compiles explicit instantiations, and the instances that launches in the source name or whose arguments
it can deduce; irgl cuda build compiles all that the program uses.
` + cudaFlagsHelp,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, help, err := cudaFlags(cmd, args)
			if help || err != nil {
				return err
			}
			err = cudabuild.Check(cmd.Context(), o, cmd.ErrOrStderr())
			if errors.Is(err, cudabuild.ErrReported) {
				return errReported
			}
			return err
		},
	}
}

func cudaSurveyCommand() *cobra.Command {
	var o cudabuild.SurveyOptions
	cmd := &cobra.Command{
		Use:   "survey FOLDER...",
		Short: "Say how many files and kernels of folders compile, and why others do not",
		Long: `Compile the device code of the translation units below folders, each folder a suite, and print how many
of the files that define kernels are accepted, how many of the kernels, and the first errors of the others.
Translation units are .cu files, other sources that define kernels, and headers that no source includes.
A file is accepted if every kernel that it defines is in the PTX of a unit that includes it, template
kernels by the instances that host code uses, and ptxas takes the PTX, if there is a ptxas (the environment variable
PTXAS, or PATH). Kernels that the preprocessor removes and templates without a use are not counted.
Headers are also looked for in include, inc, common, src and others of the source's folder and those above it;
flags -I and -D of a Makefile there are taken.`,
		Example: `  irgl cuda survey cuda-samples/Samples rodinia/cuda --files`,
		Args:    argRange(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cudabuild.Survey(cmd.Context(), args, o, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	surveyFlags(flags, &o)
	flags.BoolVar(&o.NoHost, "no-host", false, "do not ask the host's compiler for the instances of template kernels")
	flags.BoolVar(&o.Files, "files", false, "list all files with what became of them")
	return cmd
}

// cudaNvccDiffCommand is for the compiler's own tests against nvcc, and not in the help.
func cudaNvccDiffCommand() *cobra.Command {
	var o nvccdiff.Options
	var sample int
	cmd := &cobra.Command{
		Use:    "nvccdiff FOLDER...",
		Hidden: true,
		Short:  "Compare the device code of files with nvcc's, on the emulator",
		Long: `Compile the .cu files that define kernels below folders with nvcc, too, run each kernel's PTX of both compilers on
the emulator with the same random arguments, and compare what is left in memory: integers bit for bit, floating-point
numbers within 4 units in the last place. Some runs have NaN, infinities, subnormals or the extremes of integers. Headers and macros are found as irgl cuda survey finds them.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.NVCC == "" {
				return &usageError{cmd.CommandPath(), errors.New("name nvcc by --nvcc or the environment variable NVCC")}
			}
			dir, err := os.MkdirTemp("", "irgl-nvccdiff-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			o.Dir = dir
			return nvccdiff.Folders(cmd.Context(), args, sample, o, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	surveyFlags(flags, &o.Survey)
	flags.StringVar(&o.NVCC, "nvcc", os.Getenv("NVCC"), "the `PATH` of nvcc")
	flags.StringArrayVar(&o.Args, "nvcc-arg", nil, "give nvcc an argument more")
	flags.BoolVar(&o.FastMath, "use_fast_math", false, "compile with -use_fast_math")
	flags.Uint64Var(&o.Seed, "seed", 1, "draw arguments, and the sample, from `SEED`")
	flags.IntVar(&sample, "sample", 0, "only `N` files, drawn from all")
	return cmd
}

// surveyFlags are those that say which files are compiled, and with which headers.
func surveyFlags(flags *pflag.FlagSet, o *cudabuild.SurveyOptions) {
	flags.StringArrayVarP(&o.Includes, "include", "I", nil, "look for headers in `FOLDER`, of the source's folder and those above it unless it is absolute")
	flags.StringArrayVarP(&o.Defines, "define", "D", nil, "define a macro: `NAME` or NAME=VALUE")
	flags.StringVar(&o.Match, "match", "", "only files whose paths contain `TEXT`")
	flags.StringVar(&o.Target, "target", "sm_90", "make PTX for `ARCH`")
}
