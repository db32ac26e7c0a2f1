package hosteval

import (
	"context"
	"fmt"
	"os"
	"slices"

	"irgl/internal/compile"
	"irgl/internal/cudabuild"
	"irgl/internal/cxx"
	"irgl/internal/device/simt"
	"irgl/internal/source"
	"irgl/syntax"
)

// A Program is a compiled source: its host code for the machine, and its device code.
type Program struct {
	name   string
	host   string // PTX
	device *cudabuild.Device
}

// Compile compiles a source. Errors and warnings in it are in the list; the program is nil
// where there are errors.
func Compile(ctx context.Context, path string, o *cudabuild.Options) (*Program, *source.List, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	opts, err := o.CompileOptions(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	opts.CXX.Host = &cxx.Host{Headers: library{}, Machine: isMachines, Stack: simt.MachineStack}
	// The emulator's own version is the least restricted.
	opts.PTX.Target = "sm_90"
	file := source.NewFile(path, text)
	refused := refuse(file, o)
	if refused != nil && refused.Diags[0].Code == codeMain {
		return nil, refused, nil
	}
	u, err := compile.Compile(file, syntax.CUDA, "", opts)
	if u != nil {
		advise(&u.Diags)
	}
	if u == nil || err != nil || u.Diags.Errors() > 0 {
		if u == nil {
			return nil, nil, err
		}
		if refused != nil && u.Diags.Errors() > 0 { // what is missing is in those headers
			return nil, refused, nil
		}
		return nil, &u.Diags, ignoreReported(u, err)
	}
	p := &Program{name: path, host: u.PTXText()}
	var kernels []string
	for _, k := range u.CXX.HIR.Kernels {
		kernels = append(kernels, k.Symbol)
	}
	if err := refuseLambdas(path, kernels); err != nil {
		return nil, &u.Diags, err
	}
	d, diags, err := cudabuild.CompileDevice(ctx, path, kernels, o)
	if diags == nil {
		diags = &source.List{}
	}
	diags.Diags = merged(u.Diags.Diags, diags.Diags)
	switch {
	case diags.Errors() > 0: // they are the error
		return nil, diags, nil
	case err != nil:
		return nil, diags, err
	}
	if d != nil && len(d.Launched) > 0 {
		return nil, diags, fmt.Errorf("%s: device code launches kernels, which the runtime of compiled host code runs: install g++ or clang++", path)
	}
	p.device = d
	return p, diags, nil
}

// merged returns the diagnostics of the host's half and those of the device's that are not among
// them: both read the functions that run on both.
func merged(host, device []*source.Diagnostic) []*source.Diagnostic {
	out := slices.Clip(host)
	for _, d := range device {
		if !slices.ContainsFunc(host, func(h *source.Diagnostic) bool {
			return h.Code == d.Code && h.Message == d.Message && h.Pos.String() == d.Pos.String() // of two files of one name
		}) {
			out = append(out, d)
		}
	}
	return out
}

// advise adds what to do to errors that are limits of evaluated host code alone.
func advise(diags *source.List) {
	for _, d := range diags.Diags {
		if d.Code == codeOnlyCalled && d.Hint == "" {
			d.Hint = "functions of the C library have no address here: write a function that calls it, or " + install
		}
	}
}

// ignoreReported returns an error that is not the diagnostics'.
func ignoreReported(u *compile.Unit, err error) error {
	if u.Diags.Errors() > 0 {
		return nil
	}
	return err
}
