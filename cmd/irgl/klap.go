package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"irgl/internal/compile"
	"irgl/internal/klap"
	"irgl/internal/source"
	"irgl/syntax"
)

// klapFlags transform launches in device code.
type klapFlags struct{ granularity, flatten, gridLaunch, promote, pool, stream, threshold, coarsen, parts, residency string }

func (f *klapFlags) add(flags *pflag.FlagSet) {
	grouped(flags, groupSwitches, func() {
		flags.StringVar(&f.granularity, "granularity", "none", "aggregate launches in device code of .cu text over each `GROUP` of threads: warp, block, multiblock, multiblock:M, grid, or auto")
		flags.StringVar(&f.flatten, "flatten", "auto", "let the lanes of aggregated kernels do the threads that launches ask for, `on`, or their blocks do whole blocks of launches, off, as auto does with --threshold or --coarsen")
		flags.StringVar(&f.gridLaunch, "grid-launch", "device", "have what --granularity=grid joins be launched by the `SIDE`: by the host behind the kernel, host, or by the grid's last block, device")
		flags.StringVar(&f.promote, "promote", "none", "launch kernels in device code of .cu text that launch themselves before they are due, in `FORM`: basic, aggregate:N (N descendants a launch), overlap or aggregate:N,overlap")
		flags.Lookup("promote").NoOptDefVal = "basic"
		flags.StringVar(&f.threshold, "threshold", "0", "let the thread that launches a child of at most `N` threads, or auto, do its work")
		flags.StringVar(&f.coarsen, "coarsen", "0", "let a block of a child do `N` blocks, or auto, one after the other")
		flags.StringVar(&f.pool, "pool", "32M", "`BYTES` of device memory for the arguments of aggregated launches")
		flags.StringVar(&f.parts, "parts", "", "let the bits of the program's device variable `VAR` switch parts of launches in device code off, to measure them")
		flags.StringVar(&f.residency, "residency", "", "add the nanoseconds of each warp to the program's device variable `VAR`")
		flags.StringVar(&f.stream, "default-stream", "legacy", "the default `STREAM` of device code: legacy, of the block, or per-thread, as nvcc has it")
	})
}

// options returns the transformations that the flags ask for.
func (f *klapFlags) options() (klap.Options, error) {
	var o klap.Options
	if f.granularity == "" { // the command does not have the flags
		return o, nil
	}
	if err := o.SetGranularity(f.granularity); err != nil {
		return o, fmt.Errorf("--granularity %s: %w", f.granularity, err)
	}
	if err := o.SetFlatten(f.flatten); err != nil {
		return o, fmt.Errorf("--flatten %s: %w", f.flatten, err)
	}
	if err := o.SetGridLaunch(f.gridLaunch); err != nil {
		return o, fmt.Errorf("--grid-launch %s: %w", f.gridLaunch, err)
	}
	if err := o.SetPromote(f.promote); err != nil {
		return o, fmt.Errorf("--promote %s: %w", f.promote, err)
	}
	if err := o.SetThreshold(f.threshold); err != nil {
		return o, fmt.Errorf("--threshold %s: %w", f.threshold, err)
	}
	if err := o.SetCoarsen(f.coarsen); err != nil {
		return o, fmt.Errorf("--coarsen %s: %w", f.coarsen, err)
	}
	if err := o.SetPool(f.pool); err != nil {
		return o, fmt.Errorf("--pool %s: %w", f.pool, err)
	}
	if f.parts != "" {
		if err := o.SetParts(f.parts); err != nil {
			return o, fmt.Errorf("--parts %s: %w", f.parts, err)
		}
	}
	if f.residency != "" {
		if err := o.SetResidency(f.residency); err != nil {
			return o, fmt.Errorf("--residency %s: %w", f.residency, err)
		}
	}
	if err := o.SetDefaultStream(f.stream); err != nil {
		return o, fmt.Errorf("--default-stream %s: %w", f.stream, err)
	}
	return o, nil
}

// explained writes what becomes of the launches in device code of a .cu file.
func (f *klapFlags) explained(w io.Writer, name string, text []byte, o compile.Options) error {
	if !o.Klap.On() {
		return fmt.Errorf("--explain: %s is CUDA: it has no loops to outline, and none of --granularity, --promote, --threshold and --coarsen asks for a transformation", name)
	}
	u, err := compile.Compile(source.NewFile(name, text), syntax.CUDA, "check", o)
	if err != nil {
		return err
	}
	return u.Klap.Write(w)
}
