package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"irgl/internal/cudabuild"
	"irgl/internal/engine"
	"irgl/internal/findings"
	"irgl/internal/hosteval"
)

// cudaRunFlags are the flags of irgl cuda run that the compiler has not.
type cudaRunFlags struct {
	device string // "cuda", "simt", or "" for what IRGL_DEVICE says
	host   string // "auto", "compiler", "evaluate", or "" for auto
	report string // where reports go, as in IRGL_REPORT
	leaks  bool   // memory that is not freed is reported
}

// cudaRunFlag is a flag with a value of some.
type cudaRunFlag struct {
	to     *string
	values []string // nil for any
	what   string
}

// flag returns the flag of a name, nil if it is the compiler's.
func (f *cudaRunFlags) flag(name string) *cudaRunFlag {
	switch name {
	case "--device":
		return &cudaRunFlag{&f.device, []string{"cuda", "simt"}, "kernels of a CUDA program run on cuda, a GPU, or simt, the emulator"}
	case "--host":
		return &cudaRunFlag{&f.host, []string{"auto", "compiler", "evaluate"}, "host code is compiled by a compiler, or evaluated; auto evaluates it where there is no compiler"}
	case "--report":
		return &cudaRunFlag{&f.report, nil, "text, json, sarif or junit, with a file as in sarif:out.sarif"}
	}
	return nil
}

// take takes the flags out of those in front of the first source, and returns the rest.
func (f *cudaRunFlags) take(args []string) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !strings.HasPrefix(a, "-") {
			return append(rest, args[i:]...), nil
		}
		name, v, ok := strings.Cut(a, "=")
		flag := f.flag(name)
		switch {
		case a == "--leak-check":
			f.leaks = true
			continue
		case flag == nil:
			rest = append(rest, a)
			continue
		case !ok:
			if i++; i == len(args) {
				return nil, fmt.Errorf("%s needs a value: %s", name, cmp.Or(strings.Join(flag.values, " or "), flag.what))
			}
			v = args[i]
		}
		if flag.values != nil && !slices.Contains(flag.values, v) {
			return nil, fmt.Errorf("%s %s: %s", name, v, flag.what)
		}
		*flag.to = v
	}
	return rest, nil
}

// evaluates reports whether the program's host code is evaluated.
func (f *cudaRunFlags) evaluates(o *cudabuild.Options) (bool, error) {
	if f.host == "evaluate" {
		return true, nil
	}
	err := cudabuild.HasCompiler(o)
	if errors.Is(err, cudabuild.ErrNoCompiler) && f.host != "compiler" {
		return true, nil
	}
	return false, err
}

// cudaEvaluate runs a program whose host code irgl evaluates.
func cudaEvaluate(cmd *cobra.Command, o *cudabuild.Options, f cudaRunFlags, args []string) error {
	if len(o.Inputs) != 1 {
		return errors.New("irgl evaluates the host code of one source; programs of several need g++ or clang++")
	}
	why := "no host compiler"
	if f.host == "evaluate" {
		why = "--host evaluate"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "irgl: host code evaluated (%s)\n", why)
	options := os.Getenv("IRGL_SIMT")
	if f.leaks {
		options = withLeaks(options)
	}
	device := cmp.Or(f.device, os.Getenv("IRGL_DEVICE"), "cuda")
	if device != "cuda" && device != "simt" {
		return fmt.Errorf("IRGL_DEVICE is %s: it is cuda or simt", device)
	}
	p, diags, err := hosteval.Compile(cmd.Context(), o.Inputs[0], o)
	if diags != nil {
		diags.Render(cmd.ErrOrStderr())
	}
	switch {
	case err != nil:
		return err
	case p == nil:
		return errReported
	}
	status, err := p.Run(cmd.Context(), hosteval.Run{
		Device: device, Args: append([]string{strings.TrimSuffix(o.Inputs[0], ".cu")}, args...),
		Report: cmp.Or(f.report, os.Getenv("IRGL_REPORT")), Version: engine.Version(), Options: options,
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
	})
	if cause := context.Cause(cmd.Context()); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	if status != 0 {
		return &programStatus{status}
	}
	return nil
}

// withLeaks adds the search for leaks to options of the emulator.
func withLeaks(list string) string {
	if list == "" {
		return "leaks=1"
	}
	return list + ",leaks=1"
}

// check looks at the flags before anything is built.
func (f *cudaRunFlags) check() error {
	if device := cmp.Or(f.device, os.Getenv("IRGL_DEVICE"), "cuda"); device != "simt" && (f.report != "" || f.leaks) {
		return errors.New("--report and --leak-check are about what the emulator finds: --device simt")
	}
	_, err := findings.ParseTargets(f.report)
	return err
}

// environment returns that of a program that is run.
func (f *cudaRunFlags) environment() []string {
	env := os.Environ()
	if f.device != "" {
		env = append(env, "IRGL_DEVICE="+f.device)
	}
	if f.report != "" {
		env = append(env, "IRGL_REPORT="+f.report)
	}
	if f.leaks {
		env = append(env, "IRGL_SIMT="+withLeaks(os.Getenv("IRGL_SIMT")))
	}
	return env
}

// A programStatus ends irgl with the status of a program that it has evaluated.
type programStatus struct{ number int }

func (e *programStatus) Error() string {
	return fmt.Sprintf("the program exited with status %d", e.number)
}
