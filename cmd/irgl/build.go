package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/atomicfile"
	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/lower"
	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/syntax"
)

// compileFlags steer the compiler.
type compileFlags struct {
	target  string
	index64 bool
	dist64  bool
	scalar  scalarFlags
	check   bool
	lines   bool
	wrap    bool
	times   bool

	macros   macroFlags
	cxx      cxxFlags
	klap     klapFlags
	explain  bool
	switches map[string]*switchFlag // by the names of package lower
}

func (f *compileFlags) add(flags *pflag.FlagSet) {
	f.switches = map[string]*switchFlag{}
	grouped(flags, groupSwitches, func() {
		for _, w := range lower.Switches() {
			f.switches[w.Name] = &switchFlag{text: w.Unset, parts: w.Extent() != lower.OfProgram}
			flags.Var(f.switches[w.Name], w.Name, w.Usage)
			if w.Unset == "false" {
				flags.Lookup(w.Name).NoOptDefVal = "true"
			}
		}
		flags.StringVar(&f.target, "target", "", "make PTX for `ARCH` and later, such as sm_90 (default: the device's; sm_75 for build)")
	})
	f.scalar.add(flags)
	grouped(flags, groupDebug, func() {
		flags.BoolVar(&f.explain, "explain", false, "say on standard error which switches are used, what they made of loops, pushes, reductions and counters, and why not more")
		flags.BoolVar(&f.check, "check-passes", false, "verify the program after every pass")
		flags.BoolVar(&f.times, "time-passes", false, "say on standard error how long each stage and pass took")
		flags.BoolVarP(&f.lines, "line-info", "g", false, "tie the PTX to lines of the source, for profilers and compute-sanitizer")
	})
}

// partsHelp says how switches are limited to parts of a program.
const partsHelp = `Switches that concern kernels (--np and its sizes, --batch, --eager, --coop, --deal,
--backoff and its tail, --ldg) may be given several times: --np=wp is for the program,
--np=K2:wp,fg for the kernel K2, and --np=K2.1:tb for its first inner loop, as --explain
numbers them (but for the last four). The innermost wins, and attributes in the program
win over all.`

// A switchFlag is the value of a throughput switch. One that can be limited to a part of the
// program may be given several times: each value adds to those before.
type switchFlag struct {
	text         string
	parts, given bool
}

func (f *switchFlag) String() string { return f.text }

func (f *switchFlag) Set(text string) error {
	if f.parts && f.given {
		text = f.text + ";" + text
	}
	f.text, f.given = text, true
	return nil
}

// Type returns the kind of the value, which help leaves out.
func (f *switchFlag) Type() string { return "string" }

// addAhead adds the flags of commands that compile a program for a graph that they do
// not see: irgl run knows the widths from the graph. wrapv is about CUDA text, which
// irgl run does not take.
func (f *compileFlags) addAhead(flags *pflag.FlagSet) {
	grouped(flags, groupSwitches, func() {
		flags.BoolVar(&f.dist64, "dist64", false, "64-bit distances (dist_t), for graphs with paths of length 2^31 - 1 and more")
		flags.BoolVar(&f.index64, "index64", false, "64-bit row offsets, for graphs of 2^32 edges and more")
		flags.BoolVar(&f.wrap, "wrapv", false, "let signed integers of .cu text wrap, and quotients by 0 be all ones; without it both are undefined, as in C")
	})
}

// switched reports whether one of the throughput switches is on the command line.
func (f *compileFlags) switched(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc(lower.Switches(), func(w lower.Switch) bool { return flags.Changed(w.Name) })
}

// explained writes what --explain asks for about a program that is not CUDA.
func (f *compileFlags) explained(w io.Writer, name string, text []byte, o compile.Options) error {
	if !f.explain {
		return nil
	}
	if filepath.Ext(name) == ".cu" {
		return f.klap.explained(w, name, text, o)
	}
	u, err := compile.Compile(source.NewFile(name, text), syntax.IrGL, "check", o)
	if err != nil {
		return err
	}
	return u.Explain(w)
}

// set puts the flags into the compiler's options. Texts that --print-after
// asks for go to out.
func (f *compileFlags) set(o *compile.Options, out io.Writer) error {
	if err := f.scalar.set(&o.Opt, compile.PassNames(), out); err != nil {
		return err
	}
	if err := checkTarget(f.target); err != nil {
		return err
	}
	for _, w := range lower.Switches() {
		if err := o.Lower.Set(w.Name, f.switches[w.Name].text); err != nil {
			return fmt.Errorf("--%s %s: %w", w.Name, f.switches[w.Name], err)
		}
	}
	o.Lower.Index64 = f.index64
	o.Wide = f.dist64
	o.PTX.Target, o.PTX.Lines = f.target, f.lines
	if f.times {
		o.Times = out
	}
	o.Check, o.WrapSigned = f.check, f.wrap
	var err error
	if o.Klap, err = f.klap.options(); err != nil {
		return err
	}
	o.Klap.HostLaunch = false // what launches the kernels does not know of kernels behind them
	if o.Defines, err = f.macros.defines(); err != nil {
		return err
	}
	o.CXX, err = f.cxx.options()
	return err
}

// macroFlags define macros of CUDA text.
type macroFlags struct{ list []string }

func (f *macroFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.list, "define", "D", nil, "define a macro of .cu text: `NAME[=VALUE]`, 1 without a value; may be given several times")
}

// defines returns the macros, name to value. Of two definitions of a name the last one
// counts, as in other compilers.
func (f *macroFlags) defines() (map[string]string, error) {
	if len(f.list) == 0 {
		return nil, nil
	}
	macros := map[string]string{}
	for _, d := range f.list {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if !syntax.IsName(name) {
			return nil, fmt.Errorf("-D %s: want NAME or NAME=VALUE, and NAME of letters, digits and _, the first no digit", d)
		}
		if strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("-D %s: the value has more than one line", name)
		}
		macros[name] = value
	}
	return macros, nil
}

// checkTarget refuses an architecture that PTX cannot be made for.
func checkTarget(target string) error {
	if target == "" {
		return nil
	}
	if err := ptxgen.CheckTarget(target); err != nil {
		return fmt.Errorf("--target: %w", err)
	}
	return nil
}

func buildCommand() *cobra.Command {
	var f compileFlags
	var emit, out string
	var stats bool
	cmd := &cobra.Command{
		Use:   "build FILE --emit=ast|json|hir|cu|ssa|analysis|ptx|go [-o OUT]",
		Short: "Compile a program and print one of its forms",
		Long: `Compile an .irgl or .json file, a bundled program, or the device functions of a .cu
file in CUDA C++, or with --std=c99 in C with CUDA's qualifiers, and print one form of
it: the syntax tree (ast), the tree as JSON (json), the semantic tree of C++ (hir), CUDA text that nvcc takes (cu), the compiler's SSA form (ssa), which
irgl opt reads back, what the analyses find (analysis), PTX (ptx), or the Go code of the CPU (go).

` + partsHelp + `

` + analysesHelp("an IrGL program's tree, then of its SSA form"),
		Example: `  irgl build bfs --emit=cu -o bfs.cu
  irgl build kernels.cu --emit=ptx --target=sm_90
  irgl build bfs --emit=analysis=focal,loops,divergence`,
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var o compile.Options
			if err := f.set(&o, cmd.ErrOrStderr()); err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			collectLess()
			if err := atomicfile.KeepInput("-o", out, args[0]); err != nil {
				return err
			}
			if stats {
				o.Stats = cmd.ErrOrStderr()
			}
			if err := checkForm(emit, engine.Forms()); err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			name, text, err := f.cxx.text(cmd, args[0])
			if err != nil {
				return err
			}
			o.CUDA = f.cxx.suffix != ""
			cuda := o.CUDA || filepath.Ext(name) == ".cu"
			if cuda && f.switched(cmd.Flags()) {
				note(cmd, "%s is CUDA: throughput switches such as --np change programs in IrGL only", name)
			}
			if !cuda && o.Defines != nil {
				note(cmd, "%s is IrGL: -D defines macros of CUDA text only", name)
			}
			if err := f.explained(cmd.ErrOrStderr(), name, text, o); err != nil {
				return err
			}
			var b bytes.Buffer
			if err := engine.Emit(&b, name, text, emit, o); err != nil {
				return err
			}
			return writeTo(cmd.Context(), cmd, out, func(w io.Writer) error {
				_, err := w.Write(b.Bytes())
				return err
			})
		},
	}
	cmd.Flags().StringVar(&emit, "emit", "ptx", "the `FORM` to print: ast, json, hir, cu, ssa, analysis or analysis=NAME,..., ptx, go")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` (default: standard output)")
	cmd.Flags().BoolVar(&stats, "stats", false, "say on standard error what the passes counted and how long the functions became")
	f.add(cmd.Flags())
	f.addAhead(cmd.Flags())
	f.klap.add(cmd.Flags())
	f.macros.add(cmd.Flags())
	f.cxx.add(cmd.Flags())
	cmd.ValidArgsFunction = completePrograms
	return cmd
}

// collectLess lets the heap grow to 256 MiB before it is collected, and from then
// to five times what is in use, unless GOGC says otherwise: the compiler ends
// soon, and collecting would take a third of its time. Nearly all of the heap is in use
// until the end: collecting it earlier saves little memory.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(6400) // of the 4 MiB that Go begins with
	collected := new([1 << 4]int)
	runtime.AddCleanup(collected, func(percent int) { debug.SetGCPercent(percent) }, 400)
}

func checkCommand() *cobra.Command {
	var macros macroFlags
	var std cxxFlags
	var o compile.Options
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Report what is wrong with programs",
		Long:  "Parse and check .irgl and .cu files, and print errors and warnings with their lines.",
		Args:  argRange(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := checkTarget(o.PTX.Target)
			if err == nil {
				o.Defines, err = macros.defines()
			}
			if err == nil {
				o.CXX, err = std.options()
			}
			if o.CXX != nil {
				o.CXX.Unreached = true
			}
			if err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			return forEach(cmd, args, func(arg string) error {
				name, text, err := std.text(cmd, arg)
				if err != nil {
					return err
				}
				o.CUDA = std.suffix != ""
				if engine.Check(cmd.ErrOrStderr(), name, text, o) != nil {
					return errReported
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&o.PTX.Target, "target", "", "check .cu text for `ARCH`, whose __CUDA_ARCH__ it sees (default: sm_75)")
	macros.add(cmd.Flags())
	std.add(cmd.Flags())
	return cmd
}

// forEach calls f for every argument, reports errors as they come, and goes on
// after those that do not concern the command line.
func forEach(cmd *cobra.Command, args []string, f func(arg string) error) error {
	var failed error
	for _, arg := range args {
		err := f(arg)
		if _, usage := errors.AsType[*usageError](err); usage || cmd.Context().Err() != nil {
			return err
		}
		if err != nil {
			failed = errReported
		}
		if err != nil && !errors.Is(err, errReported) {
			engine.Explain(cmd.ErrOrStderr(), err)
		}
	}
	return failed
}

func fmtCommand() *cobra.Command {
	var write, list bool
	cmd := &cobra.Command{
		Use:   "fmt [-l] [-w] FILE...",
		Short: "Print programs in canonical form",
		Long: `Print .irgl files in canonical form; - is standard input. With -l, only the
names of files whose form differs are printed; with -w the files are rewritten.`,
		Args: argRange(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return forEach(cmd, args, func(arg string) error { return formatOne(cmd, arg, list, write) })
		},
	}
	cmd.Flags().BoolVarP(&list, "list", "l", false, "print the names of files whose form differs")
	cmd.Flags().BoolVarP(&write, "write", "w", false, "rewrite the files")
	return cmd
}

func formatOne(cmd *cobra.Command, arg string, list, write bool) error {
	name, text, err := programText(cmd, arg)
	if err != nil {
		return err
	}
	formatted, err := engine.Format(name, text)
	if err != nil {
		return err
	}
	same := bytes.Equal(text, formatted)
	if list && !same {
		fmt.Fprintln(cmd.OutOrStdout(), source.Visible(name))
	}
	if write {
		if filepath.Ext(arg) == ".json" {
			return usagef(cmd, "-w rewrites .irgl files: %s is JSON", arg)
		}
		if !isFile(arg) {
			return usagef(cmd, "-w rewrites files: %s is not a file", arg)
		}
		if same {
			return nil
		}
		return writeTo(cmd.Context(), cmd, name, func(w io.Writer) error {
			_, err := w.Write(formatted)
			return err
		})
	}
	if list {
		return nil
	}
	_, err = cmd.OutOrStdout().Write(formatted)
	return err
}

func programsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "programs [NAME]",
		Short: "List the problems and the bundled programs that solve them, or print a program",
		Args:  argRange(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				p, err := engine.Bundled(args[0])
				if err != nil {
					return err
				}
				_, err = cmd.OutOrStdout().Write(p.Source())
				return err
			}
			for _, problem := range engine.Problems() {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", problem); err != nil {
					return err
				}
				for _, name := range engine.Solvers(problem) {
					p, err := engine.Bundled(name)
					if err != nil {
						return err
					}
					if _, err := io.WriteString(cmd.OutOrStdout(), programLine(p)); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}
