package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"irgl/internal/atomicfile"
	"irgl/internal/compile"
	"irgl/internal/cudabuild"
	"irgl/internal/klap/emit"
	"irgl/internal/source"
	"irgl/syntax"
)

func klapCommand() *cobra.Command {
	var f klapCommandFlags
	cmd := &cobra.Command{
		Use:   "klap FILE.cu [-o OUT.cu]",
		Short: "Transform the launches in device code of a CUDA C++ program",
		Long: `Transform the launches in device code of a CUDA C++ program, and write the program as CUDA C++ that nvcc compiles
(with -rdc=true), or its device code as PTX. The text of the source stays as it is where nothing changes. Without a
transformation, or if no launch can be transformed, the text is written as it is.

--explain says on standard error for each launch what was done, or why not. docs/cuda.md has the rest.`,
		Example: `  irgl klap bfs.cu --granularity=block -o bfs_block.cu
  irgl klap qt.cu --granularity=grid --default-stream=per-thread --explain -o qt_grid.cu
  irgl klap run bfs.cu --granularity=grid --device simt -- --size test`,
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	f.klap.add(flags)
	f.macros.add(flags)
	f.cxx.add(flags)
	flags.StringVar(&f.target, "target", "", "compile device code for `ARCH`, such as sm_90: __CUDA_ARCH__ and the PTX's")
	flags.StringVar(&f.emit, "emit", "cu", "the `FORM` to write: cu or ptx")
	flags.StringVarP(&f.out, "output", "o", "", "write to `FILE` (default: standard output)")
	flags.BoolVar(&f.explain, "explain", false, "say on standard error for each launch what was done, or why not")
	cmd.AddCommand(klapRunCommand())
	return cmd
}

// klapCommandFlags are the flags of irgl klap.
type klapCommandFlags struct {
	klap              klapFlags
	macros            macroFlags
	cxx               cxxFlags
	target, emit, out string
	explain           bool
}

// options returns the compiler's options.
func (f *klapCommandFlags) options() (o compile.Options, err error) {
	if err := checkTarget(f.target); err != nil {
		return o, err
	}
	if f.emit != "cu" && f.emit != "ptx" {
		return o, fmt.Errorf("--emit %s: irgl klap writes cu or ptx", f.emit)
	}
	o.PTX.Target = f.target
	if o.Klap, err = f.klap.options(); err != nil {
		return o, err
	}
	if o.Defines, err = f.macros.defines(); err != nil {
		return o, err
	}
	if o.CXX, err = f.cxx.options(); err == nil && o.CXX == nil {
		err = fmt.Errorf("--std=%s: irgl klap reads C++, which C is nearly always, too", f.cxx.std)
	}
	return o, err
}

func (f *klapCommandFlags) run(cmd *cobra.Command, path string) error {
	o, err := f.options()
	if err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	if err := atomicfile.KeepInput("-o", f.out, path); err != nil {
		return err
	}
	name, text, err := f.cxx.text(cmd, path)
	if err != nil {
		return err
	}
	if filepath.Ext(name) != ".cu" {
		return usagef(cmd, "%s: irgl klap transforms CUDA programs, whose files end in .cu; -x cu takes others", name)
	}
	file, folder := source.NewFile(name, text), ""
	if st, err := os.Stat(filepath.Dir(f.out)); f.out != "" && err == nil && st.IsDir() {
		folder = filepath.Dir(f.out) // writing says what is wrong with others
	}
	var b bytes.Buffer
	if f.emit == "ptx" {
		err = f.ptx(cmd, file, o, &b)
	} else {
		err = f.text(cmd, file, o, folder, &b)
	}
	if err != nil {
		return err
	}
	return writeTo(cmd.Context(), cmd, f.out, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// text writes the transformed program.
func (f *klapCommandFlags) text(cmd *cobra.Command, file *source.File, o compile.Options, folder string, w *bytes.Buffer) error {
	r, err := emit.Text(file, o, folder)
	if r != nil {
		r.Diags.Render(cmd.ErrOrStderr())
		if r.Diags.Errors() > 0 {
			return errReported
		}
	}
	if list := source.Diagnostics(err); list != nil {
		list.Render(cmd.ErrOrStderr())
		return errReported
	}
	if err := cmp.Or(err, atomicfile.KeepInput("-o", f.out, r.Headers...)); err != nil {
		return err
	}
	if !r.Changed {
		note(cmd, "%s: there is nothing to transform: the text is as it was", file.Name)
	}
	w.Write(r.Text)
	if f.explain && r.Report != nil {
		return r.Report.Write(cmd.ErrOrStderr())
	}
	return nil
}

// ptx writes the PTX of the transformed program.
func (f *klapCommandFlags) ptx(cmd *cobra.Command, file *source.File, o compile.Options, w *bytes.Buffer) error {
	o.Klap.HostLaunch = false // what launches these kernels does not know of kernels behind them
	u, err := compile.Compile(file, syntax.CUDA, "", o)
	u.Diags.Render(cmd.ErrOrStderr())
	if u.Diags.Errors() > 0 {
		return errReported
	}
	if err := cmp.Or(err, atomicfile.KeepInput("-o", f.out, u.CXX.Includes...)); err != nil {
		return err
	}
	if f.explain && u.Klap != nil {
		if err := u.Klap.Write(cmd.ErrOrStderr()); err != nil {
			return err
		}
	}
	return u.Emit(w, "ptx")
}

func klapRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run FILE.cu [FLAGS] [--device simt|cuda] [-- ARGUMENTS]",
		Short: "Run a CUDA C++ program with its launches in device code transformed",
		Long: `Run a CUDA C++ program with its launches in device code transformed, as irgl cuda run does. Flags may be in front of the file
and behind it; the program's arguments are behind --.
` + cudaFlagsHelp,
		Example:            `  irgl klap run bfs.cu --granularity=grid --device simt -- --size test`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			var rest []string
			if n := slices.Index(args, "--"); n >= 0 {
				args, rest = args[:n], args[n+1:]
			}
			n := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") && filepath.Ext(a) == ".cu" })
			if n >= 0 { // the file goes behind the flags
				args = append(append(slices.Clone(args[:n]), args[n+1:]...), args[n])
			}
			var f cudaRunFlags
			args, err := f.take(args)
			if err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			o, help, err := cudaFlags(cmd, args)
			if help || err != nil {
				return err
			}
			if o.Mode != cudabuild.Program || o.Output != "" || len(o.Inputs) != 1 {
				return usagef(cmd, "name one file, and no output: irgl klap FILE.cu -o OUT.cu writes one")
			}
			return cudaRun(cmd, o, f, rest)
		},
	}
}
