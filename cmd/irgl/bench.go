package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"irgl/internal/bench"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/device/warm"
	"irgl/internal/measured"
)

// benchFlags are the flags of irgl bench scalar.
type benchFlags struct {
	device    string
	size      string
	kernels   string
	match     string
	macros    macroFlags
	include   []string
	static    bool
	registers bool
	repeat    int
	compiles  int
	only      bool
	nvcc      string
	nvccPTX   string
	ptxas     string
	format    string
	out       string
	target    string
	passes    bool
	ahead     int
}

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure programs and the compiler",
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(benchPaperCommand(), benchVerifyCommand(), benchScalarCommand(), benchListCommand(), benchCompareCommand(), benchCompileCommand(), benchKlapCommand(), benchReportCommand())
	return cmd
}

func benchListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kernels [NAME]",
		Short: "List the kernels of bench scalar, or print one",
		Args:  argRange(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := bench.Kernels()
			if err != nil {
				return err
			}
			for _, s := range specs {
				if len(args) == 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "%-18s %-10s %s\n", s.Name, s.Suite, s.Doc)
				} else if s.Name == args[0] {
					_, err := io.WriteString(cmd.OutOrStdout(), s.Text)
					return err
				}
			}
			if len(args) > 0 {
				return usagef(cmd, "there is no kernel %q ('irgl bench kernels' lists them)", args[0])
			}
			return nil
		},
	}
}

func benchScalarCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "scalar",
		Short: "Measure the scalar passes, and compare with nvcc's PTX, on a set of kernels",
		Long: `Compile a set of kernels in CUDA text, run them on one device, and print tables:
each kernel against nvcc's PTX of the same text, registers and spills, compile
times, the effect of each pass, and the cumulative effect of the passes. On a GPU
the measure is the median time between events, with all programs of a kernel in
turns; on the emulator, warp instructions. The outputs of all programs are
compared first.

Without --nvcc and --nvcc-ptx there is no comparison with nvcc; without --ptxas,
registers are what the driver reports. --out DIR prints nothing unless --format is given, and writes measurements.csv, the tables
that 'irgl bench report' makes of it (report.md), ratio.svg, passes.svg, cumulative.svg
and the PTX (ptx/irgl and ptx/nvcc): on a machine without nvcc, --nvcc-ptx takes that folder.

--kernels FOLDER measures the kernels of any .cu files instead: device code, or files whose
kernels can be taken out of their host code. The header of a file (bench kernels axpy4 prints
one), or FILE.bench beside FILE.cu, says how its kernels are launched. Without one a kernel is
launched with arguments by the types of its parameters: buffers of numbers that are valid as
indices, the number of threads for integers, 0.5 for floats. The emulator runs it first: a kernel that faults
or takes too long is left out, with the reason, and so is a file that the compiler refuses.
--static counts the instructions of the PTX of all that compile, and runs nothing; --registers
compares the registers that passes reckon with and those that ptxas allocates.

--compile-only measures compile times only: whole processes of irgl and of
nvcc, from CUDA text to PTX, in turns.

An interrupt, or SIGTERM, ends measuring: the report has the kernels that were
finished, with exit status 1.`,
		Example: `  irgl bench scalar --device simt --nvcc nvcc --ptxas ptxas --out results
  irgl bench scalar --device cuda --nvcc-ptx results/ptx/nvcc --out gpu
  irgl bench scalar --match '^spmv' --format csv
  irgl bench scalar --kernels polybench --device simt --out results
  irgl bench scalar --registers --ptxas ptxas
  irgl bench scalar --compile-only --nvcc nvcc --compile-repeat 5`,
		Args: argRange(0, 0),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "auto", "run on `DEVICE`: auto, cuda, simt")
	flags.StringVar(&f.size, "size", "auto", "the `SIZE` of the inputs: small, large (auto: large on cuda)")
	flags.StringVar(&f.kernels, "kernels", "", "measure the kernels of the .cu files in `FOLDER` and below, instead of the built-in set")
	flags.StringVar(&f.match, "match", "", "only kernels whose names match `REGEXP`")
	f.macros.add(flags)
	flags.StringArrayVar(&f.include, "include", nil, "look for the files that those of --kernels include in `FOLDER` too")
	flags.BoolVar(&f.static, "static", false, "count the instructions of the PTX, and run nothing")
	flags.BoolVar(&f.registers, "registers", false, "compare the estimate of registers that passes ask with --ptxas, and run nothing")
	flags.IntVar(&f.repeat, "repeat", 15, "runs of each program on a GPU; the median counts")
	flags.IntVar(&f.compiles, "compile-repeat", 3, "compilations of each kernel by a process of irgl and of nvcc; 0 for none")
	flags.BoolVar(&f.only, "compile-only", false, "take compile times alone, and run nothing")
	flags.StringVar(&f.nvcc, "nvcc", os.Getenv("NVCC"), "compare with this nvcc (default: $NVCC): `PATH`")
	flags.StringVar(&f.nvccPTX, "nvcc-ptx", "", "compare with the PTX that nvcc has made, NAME.ptx in `DIR`")
	flags.StringVar(&f.ptxas, "ptxas", os.Getenv("PTXAS"), "count registers with this ptxas (default: $PTXAS): `PATH`")
	flags.StringVar(&f.target, "target", "", "make PTX for `ARCH` (default: the device's; sm_90 on simt)")
	flags.BoolVar(&f.passes, "passes", true, "study the passes one by one")
	flags.IntVar(&f.ahead, "compilers", -1, "have `N` processes compile what a kernel becomes under all passes for the GPU, before it is timed (-1: some; 0: none)")
	flags.StringVar(&f.format, "format", "md", "what to print: `FORMAT` md, csv (kernels), svg (the cumulative figure)")
	flags.StringVar(&f.out, "out", "", "write all tables and figures to the folder `DIR`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.main(cmd) }
	return cmd
}

// printers are the forms that --format names.
var printers = map[string]func(*bench.Report, io.Writer) error{
	"md":  (*bench.Report).WriteMarkdown,
	"csv": (*bench.Report).WriteKernelsCSV,
	"svg": (*bench.Report).WriteCumulativeSVG,
}

func (f *benchFlags) main(cmd *cobra.Command) (err error) {
	o := bench.Options{Repeat: f.repeat, CompileRepeat: f.compiles, CompileOnly: f.only, Static: f.static, Passes: f.passes, Target: f.target}
	o.Tools = bench.Tools{NVCC: f.nvcc, NVCCTexts: f.nvccPTX, PTXAS: f.ptxas}
	if err := checkTarget(f.target); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	switch {
	case printers[f.format] == nil:
		return usagef(cmd, "there is no format %q (there are md, csv, svg)", f.format)
	case !slices.Contains([]string{"auto", "small", "large"}, f.size):
		return usagef(cmd, "there is no size %q (there are small, large)", f.size)
	case f.repeat < 1 || f.compiles < 0:
		return usagef(cmd, "--repeat is at least 1, --compile-repeat at least 0")
	case f.ahead < -1:
		return usagef(cmd, "--compilers %d: want 1 or more, 0 for none, or -1 for some", f.ahead)
	case f.only && (f.nvcc == "" || f.compiles == 0):
		return usagef(cmd, "--compile-only compares two compilers: it needs --nvcc, and --compile-repeat of at least 1")
	case f.only && f.static, f.only && f.registers, f.static && f.registers:
		return usagef(cmd, "--compile-only, --static and --registers exclude each other")
	case f.registers && f.ptxas == "":
		return usagef(cmd, "--registers compares with ptxas: it needs --ptxas, or $PTXAS")
	case f.registers && f.format == "svg":
		return usagef(cmd, "--registers has no figure")
	case f.format == "svg" && (!f.passes || f.only):
		return usagef(cmd, "the figure shows the passes: it needs them studied")
	}
	for _, tool := range []struct{ flag, path string }{{"nvcc", f.nvcc}, {"ptxas", f.ptxas}} {
		if tool.path == "" {
			continue
		}
		if _, err := exec.LookPath(tool.path); err != nil { // else each kernel would say so
			return fmt.Errorf("--%s: %w", tool.flag, err)
		}
	}
	if f.match != "" {
		if o.Match, err = regexp.Compile(f.match); err != nil {
			return usagef(cmd, "--match: %v", err)
		}
	}
	if err := f.folder(cmd, &o); err != nil {
		return err
	}
	o.Progress = func(done, all int, name string) {
		line(cmd, fmt.Sprintf("%d of %d: %s", done+1, all, name))
	}
	if f.registers {
		return f.writeRegisters(cmd, o)
	}
	if !f.only && !f.static {
		if o.Device, err = f.open(cmd); err != nil {
			return err
		}
		defer func() {
			if cmd.Context().Err() == nil { // else it would wait for the kernel that was interrupted
				err = errors.Join(err, o.Device.Close())
			}
		}()
		onGPU := o.Device.Info().Kind == "cuda"
		o.Large = f.size == "large" || f.size == "auto" && onGPU
		if onGPU && f.passes {
			if o.Ahead = f.pool(); o.Ahead != nil {
				defer o.Ahead.Close()
			}
		}
	}
	if self, err := os.Executable(); err == nil {
		o.Tools.Self = []string{self}
	}
	if f.out != "" {
		o.Save = filepath.Join(f.out, "ptx")
	}
	rep, ended := bench.Scalar(cmd.Context(), o)
	endLine(cmd)
	if rep == nil {
		return ended
	}
	// What was measured is written, whatever ended it.
	if f.out != "" {
		if err := writeReport(context.WithoutCancel(cmd.Context()), cmd, f.out, rep); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "written: %s, beside the tables that it was made of\n", filepath.Join(f.out, "report.md"))
	}
	if f.out == "" || cmd.Flags().Changed("format") {
		if err := printers[f.format](rep, cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return errors.Join(interrupted(cmd, ended), failures(cmd, rep))
}

// writeRegisters compares the estimate of registers with ptxas.
func (f *benchFlags) writeRegisters(cmd *cobra.Command, o bench.Options) error {
	rep, ended := bench.Registers(cmd.Context(), o)
	endLine(cmd)
	if rep == nil {
		return ended
	}
	if f.out != "" {
		if err := writeAll(context.WithoutCancel(cmd.Context()), cmd, f.out, pageOf(f.out, []*measured.Block{rep.Block(origin(cmd))})); err != nil {
			return err
		}
	}
	if f.out == "" || cmd.Flags().Changed("format") {
		write := map[string]func(io.Writer) error{"md": rep.WriteMarkdown, "csv": rep.WriteCSV}[f.format]
		if err := write(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return interrupted(cmd, ended)
}

// folder sets the options of a folder of kernels.
func (f *benchFlags) folder(cmd *cobra.Command, o *bench.Options) error {
	for _, name := range []string{"include", "define"} {
		if f.kernels == "" && cmd.Flags().Changed(name) {
			return usagef(cmd, "--%s is for the files of --kernels", name)
		}
	}
	if f.kernels == "" && cmd.Flags().Changed("kernels") {
		return usagef(cmd, "--kernels needs a folder")
	}
	if f.kernels != "" {
		if info, err := os.Stat(f.kernels); err != nil {
			return fmt.Errorf("--kernels: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("--kernels: %s is not a folder (--match chooses kernels by name)", f.kernels)
		}
		o.Folder, o.Include = f.kernels, f.include
		var err error
		if o.Macros, err = f.macros.defines(); err != nil {
			return &usageError{cmd.CommandPath(), err}
		}
	}
	return nil
}

// pool returns the processes that compile for the GPU ahead, nil for none.
func (f *benchFlags) pool() *warm.Pool {
	helper, n := helperFor("cuda"), f.ahead
	if n < 0 {
		n = someCompilers()
	}
	if helper == nil || n == 0 {
		return nil
	}
	return warm.NewPool(n, func() (warm.Compiler, error) { return warm.Start(helper...) })
}

// failures says which benchmarks were not measured; the tables have the
// reasons.
func failures(cmd *cobra.Command, rep *bench.Report) error {
	n := 0
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.Failed != "" && !r.Left() || r.NVCCFailed != "" {
			n++
			fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %s: %s%s\n", r.Name, r.Failed, r.NVCCFailed)
		}
	}
	if n > 0 {
		return errReported
	}
	return nil
}

// open opens the device. Automatic is a GPU where there is one.
func (f *benchFlags) open(cmd *cobra.Command) (device.Device, error) {
	switch f.device {
	case "auto", "cuda":
		d, err := cuda.Open(0)
		if err == nil {
			return d, nil
		}
		if f.device == "cuda" || !errors.Is(err, cuda.ErrNoDriver) && !errors.Is(err, cuda.ErrNoDevice) {
			return nil, err
		}
	case "simt":
	default:
		return nil, usagef(cmd, "there is no device %q (there are auto, cuda, simt)", f.device)
	}
	return simt.Open(simt.Options{}), nil
}

// writeReport writes every form of a report to a folder.
func writeReport(ctx context.Context, cmd *cobra.Command, dir string, rep *bench.Report) error {
	list := append(pageOf(dir, rep.Blocks(origin(cmd))), output{"ratio.svg", rep.WriteRatioSVG})
	if len(rep.Passes) > 0 {
		list = append(list, output{"passes.svg", rep.WritePassesSVG}, output{"cumulative.svg", rep.WriteCumulativeSVG})
	}
	if rep.CompileOnly {
		list = slices.DeleteFunc(list, func(o output) bool { return filepath.Ext(o.name) == ".svg" })
	}
	return writeAll(ctx, cmd, dir, list)
}
