package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"irgl/internal/atomicfile"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/findings"
	"irgl/internal/ptxrun"
)

func ptxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ptx",
		Short: "Run kernels of PTX that any compiler has made",
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(ptxRunCommand())
	return cmd
}

// ptxFlags are the flags of irgl ptx run.
type ptxFlags struct {
	device, report string
	grid, block    string
	args, out      []string
	print          []int
	files          []outFile // of --out
	launch         ptxrun.Launch
}

// An outFile gets the memory of an argument.
type outFile struct {
	arg  int
	path string
}

func ptxRunCommand() *cobra.Command {
	var f ptxFlags
	cmd := &cobra.Command{
		Use:   "run FILE.ptx",
		Short: "Launch a kernel of a PTX file on the emulator, or on a GPU",
		Long: `Launch a kernel of a PTX file, of nvcc's or another compiler's. On the emulator all accesses are checked, and
what is found is reported. An argument is, in the order of the parameters,

  u32=5            a number by value: s8 to u64, f16, bf16, f32, f64
  bytes=@FILE      a struct by value: what a file holds
  null             a null pointer
  f32[1024]=0      a pointer to 1024 numbers, all zero
  s32[4]=1,2,3     a pointer to numbers that are listed; behind them the last one goes on
  s32[64]=iota     0, 1, 2 and so on
  f32[64]=rand     random ones: of integers from 0 to 99, of others from 0 to 1
  u8[]=@FILE       what a file holds
  f32[1024]        memory that nothing has written

Arguments are counted from 0 by --print and --out.`,
		Example: `  nvcc -ptx -lineinfo scale.cu && irgl ptx run scale.ptx --kernel scale --block 64 \
      --arg 'f32[64]' --arg 'f32[64]=iota' --arg f32=2.5 --arg s32=64 --print 0`,
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.launch.Kernel, "kernel", "", "the kernel's `NAME`, in C++ or in the PTX; the only one without it")
	flags.StringArrayVar(&f.args, "arg", nil, "an argument, such as 'f32[64]=0': `ARGUMENT`")
	flags.StringVar(&f.grid, "grid", "1", "blocks, `X` or X,Y or X,Y,Z")
	flags.StringVar(&f.block, "block", "1", "threads a block, `X` or X,Y or X,Y,Z")
	flags.Uint32Var(&f.launch.Shared, "shared", 0, "`BYTES` of dynamic shared memory")
	flags.BoolVar(&f.launch.Cooperative, "cooperative", false, "launch a grid whose blocks can wait for each other")
	flags.IntSliceVar(&f.print, "print", nil, "print the memory of argument `N` when the kernel has ended")
	flags.StringArrayVar(&f.out, "out", nil, "write the memory of an argument to a file: `N=FILE`")
	flags.StringVar(&f.device, "device", "simt", "`simt` is the emulator, cuda a GPU")
	flags.Uint64Var(&f.launch.Seed, "seed", 0, "`NUMBER` of the order of threads on the emulator, and of random arguments")
	flags.StringVar(&f.report, "report", "", "write reports: text, json, sarif or junit, as `FORMAT[:FILE]`, several with commas")
	return cmd
}

// parse reads the flags.
func (f *ptxFlags) parse(cmd *cobra.Command) (err error) {
	if f.launch.Grid, err = ptxrun.ParseDim(f.grid); err != nil {
		return usagef(cmd, "--grid %s: %w", f.grid, err)
	}
	if f.launch.Block, err = ptxrun.ParseDim(f.block); err != nil {
		return usagef(cmd, "--block %s: %w", f.block, err)
	}
	for _, text := range f.args {
		a, err := ptxrun.ParseArg(text)
		if err != nil {
			return &usageError{cmd.CommandPath(), err}
		}
		f.launch.Args = append(f.launch.Args, a)
	}
	for _, n := range f.print {
		if err := f.hasMemory(n); err != nil {
			return usagef(cmd, "--print %d: %w", n, err)
		}
		f.launch.Read = append(f.launch.Read, n)
	}
	for _, o := range f.out {
		number, file, ok := strings.Cut(o, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || file == "" {
			return usagef(cmd, "--out %s: it is of the form N=FILE", o)
		}
		if err := f.hasMemory(n); err != nil {
			return usagef(cmd, "--out %s: %w", o, err)
		}
		f.launch.Read = append(f.launch.Read, n)
		f.files = append(f.files, outFile{n, file})
	}
	return nil
}

// hasMemory reports whether an argument points to memory.
func (f *ptxFlags) hasMemory(n int) error {
	switch {
	case n < 0 || n >= len(f.launch.Args):
		return fmt.Errorf("there are %d arguments", len(f.launch.Args))
	case !f.launch.Args[n].Pointer || f.launch.Args[n].Fill == "null":
		return errors.New("the argument points to no memory")
	}
	return nil
}

func (f *ptxFlags) run(cmd *cobra.Command, file string) error {
	if err := f.parse(cmd); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var d device.Device
	switch f.device {
	case "simt":
		o := simt.Checked()
		o.Seed, o.Stdout = f.launch.Seed, cmd.OutOrStdout()
		d = simt.Open(o)
	case "cuda":
		if f.report != "" {
			return usagef(cmd, "--report is for --device simt")
		}
		if d, err = cuda.Open(0); err != nil {
			return err
		}
	default:
		return usagef(cmd, "there is no device %q (there are simt, cuda)", f.device)
	}
	defer d.Close()
	reports, err := newReporter(cmd, file, f.report, f.launch.Seed)
	if err != nil {
		return err
	}
	memory, failed := f.launch.Run(cmd.Context(), d, file, string(text))
	if memory != nil {
		if err := f.results(cmd, memory); err != nil {
			return err
		}
	}
	return f.found(cmd, d, reports, failed)
}

// results prints and writes memory.
func (f *ptxFlags) results(cmd *cobra.Command, memory map[int][]byte) error {
	for _, n := range f.print {
		a := f.launch.Args[n]
		fmt.Fprintf(cmd.OutOrStdout(), "argument %d: %s\n", n, a.Text(memory[n]))
	}
	for _, o := range f.files {
		err := atomicfile.Write(cmd.Context(), o.path, func(w io.Writer) error {
			_, err := w.Write(memory[o.arg])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// found says what the emulator has found, and writes the reports.
func (f *ptxFlags) found(cmd *cobra.Command, d device.Device, reports *reporter, failed error) error {
	e, ok := d.(*simt.Device)
	if !ok {
		return failed
	}
	log := findings.NewLog(findings.About{})
	if reports != nil {
		log = reports.r.Log
	}
	log.Ran(e.KernelCounters(), e.Reports())
	fault, isFault := errors.AsType[*simt.Fault](failed)
	if isFault {
		log.Fault(0, fault)
	}
	log.Ended()
	list := log.Run().Findings
	for i := range list {
		fmt.Fprint(cmd.ErrOrStderr(), list[i].Text())
	}
	if reports != nil {
		lines, err := reports.r.Finish()
		for _, l := range lines {
			fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %s\n", l)
		}
		if err != nil {
			return err
		}
	}
	if failed != nil && !isFault {
		return failed
	}
	if len(list) > 0 {
		return errReported
	}
	return failed
}
