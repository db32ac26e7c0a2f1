package nvccdiff

import (
	"bytes"
	"context"
	_ "embed" // for testmath.h
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/cudabuild"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// Options say how files are compiled and kernels are run.
type Options struct {
	NVCC   string   // the compiler
	Args   []string // for it, besides those that say what is compiled
	Survey cudabuild.SurveyOptions
	Seed   uint64
	// FastMath is -use_fast_math, for both compilers.
	FastMath bool
	Dir      string // for temporary files
}

// An Outcome is the verdict on a kernel.
type Outcome uint8

// The outcomes.
const (
	Agrees             Outcome = iota
	AgreesUncontracted         // once multiplications and additions are not contracted
	AgreesSameMath             // once both take the same functions for sinf and its like
	Differs
	NoInputs        // no arguments were found that nvcc's code takes
	WeRefuse        // we do not compile it
	NVCCRefuses     // nvcc does not
	EmulatorRefuses // the emulator does not load nvcc's PTX
	numOutcomes
)

var outcomeNames = [numOutcomes]string{"agrees", "agrees without contraction", "agrees with the same math functions", "differs", "no valid inputs", "we refuse", "nvcc refuses", "the emulator refuses"}

func (o Outcome) String() string { return outcomeNames[o] }

// A Result is about a kernel, or about all kernels of a file.
type Result struct {
	File    string
	Kernel  string // its symbol, "" for those of a file that does not compile
	Outcome Outcome
	Detail  string // the first difference, or the reason
	Runs    int    // valid ones
	Exact   int    // of them, those whose results are equal bit for bit
	Special int    // of them, those with special numbers
}

// A pairedFile is a file compiled by both.
type pairedFile struct {
	ours, theirs, reordered *program
	unit                    *compile.Unit
	tree                    *ptx.Module // nvcc's
	text                    string      // nvcc's
}

func (f *pairedFile) close() {
	f.ours.close()
	f.theirs.close()
	f.reordered.close()
}

// A refusal is why a file has no pair.
type refusal struct {
	outcome Outcome
	err     error
}

func (r *refusal) Error() string { return firstLine(r.err) }

// compileTime bounds what nvcc takes for a file.
const compileTime = 90 * time.Second

// File compares the kernels of a file.
func File(ctx context.Context, path string, o Options) []Result {
	contracted, err := o.pair(ctx, path, explanation{contract: true})
	if err != nil {
		r := Result{File: path, Outcome: NVCCRefuses, Detail: firstLine(err)}
		if why, ok := errors.AsType[*refusal](err); ok {
			r.Outcome = why.outcome
		}
		return []Result{r}
	}
	defer contracted.close()
	var out []Result
	var differing []difference
	for _, symbol := range entries(contracted.tree) {
		r, k, c := contracted.kernel(ctx, symbol, o.Seed)
		if r.File = path; r.Outcome == Differs {
			differing = append(differing, difference{k, c.failed, len(out)})
		}
		out = append(out, r)
	}
	for _, e := range explanations {
		if differing = o.explain(ctx, path, e, differing, out); len(differing) == 0 {
			break
		}
	}
	return out
}

// A difference is a kernel whose results differ.
type difference struct {
	k      *kernelPair
	failed []failure
	at     int // in the results
}

// An explanation is how both compilers compile a file once more, and the outcome for kernels that
// agree then.
type explanation struct {
	outcome  Outcome
	contract bool
	sameMath bool // both take the functions of testmath.h in place of their own
}

var explanations = []explanation{
	{outcome: AgreesUncontracted},
	{outcome: AgreesSameMath, sameMath: true},
}

// explain sets the outcomes of the kernels that agree with another compilation, and returns the
// others.
func (o *Options) explain(ctx context.Context, path string, e explanation, list []difference, out []Result) []difference {
	if len(list) == 0 {
		return nil
	}
	f, err := o.pair(ctx, path, e)
	if err != nil {
		return list
	}
	defer f.close()
	return slices.DeleteFunc(list, func(d difference) bool {
		why := f.again(ctx, d.k, e, d.failed)
		if why == "" {
			out[d.at].Outcome = e.outcome
		} else if text, ok := strings.CutPrefix(why, tooFar); ok {
			out[d.at].Detail += fmt.Sprintf("; it %s, but differs by more than a rounding: %s", e.outcome, text)
		}
		return why == ""
	})
}

// kernel compares one kernel.
func (f *pairedFile) kernel(ctx context.Context, symbol string, seed uint64) (Result, *kernelPair, comparison) {
	r := Result{Kernel: symbol, Outcome: WeRefuse, Detail: "it is not in our PTX"}
	i := slices.IndexFunc(f.unit.CUDAInfo.Funcs, func(g *check.FuncInfo) bool { return sameKernel(g.Object.Name, symbol) })
	if i < 0 || entry(f.unit.PTX, f.unit.CUDAInfo.Funcs[i].Object.Name) == nil {
		return r, nil, comparison{}
	}
	k, err := newPair(symbol, f.tree, f.text, f.unit.CUDAInfo.Funcs[i])
	if err != nil {
		r.Outcome, r.Detail = NoInputs, firstLine(err)
		return r, nil, comparison{}
	}
	k.globals = sharedVariables(f.ours, f.theirs, f.unit.CUDA, f.unit.CUDAInfo)
	c := f.compare(ctx, k, seed)
	r.Runs, r.Exact, r.Special = c.runs, c.exact, c.special
	switch {
	case len(c.failed) > 0:
		r.Outcome, r.Detail = Differs, fmt.Sprintf("%s; %d of %d runs", c.diff, len(c.failed), c.runs)
	case c.runs > 0:
		r.Outcome, r.Detail = Agrees, ""
	default:
		r.Outcome, r.Detail = NoInputs, c.reason
	}
	return r, k, c
}

// pair compiles a file by both compilers and loads the PTX.
func (o *Options) pair(ctx context.Context, path string, e explanation) (*pairedFile, error) {
	opts, err := o.Survey.FileOptions(path)
	if err != nil {
		return nil, err
	}
	if o.FastMath {
		opts.Math = cudabuild.FastMath()
	}
	opts.Math.Separate = !e.contract
	if e.sameMath {
		header := filepath.Join(o.Dir, "testmath.h")
		if err := os.WriteFile(header, []byte(testMath), 0o666); err != nil {
			return nil, err
		}
		opts.Forced = append(opts.Forced, header)
	}
	f := &pairedFile{}
	if f.text, err = o.nvcc(ctx, path, opts); err != nil {
		return nil, &refusal{NVCCRefuses, err}
	}
	if f.tree, err = ptx.Parse(source.NewFile(path+" (nvcc)", []byte(f.text))); err != nil {
		return nil, &refusal{EmulatorRefuses, err}
	}
	if err := o.ours(ctx, path, opts, f); err != nil {
		return nil, &refusal{WeRefuse, err}
	}
	err = f.load(path, f.unit.PTXText(), o.Seed)
	if err != nil {
		f.close()
		return nil, &refusal{EmulatorRefuses, err}
	}
	return f, nil
}

// load loads the PTX of both compilers: nvcc's twice, for two schedules.
func (f *pairedFile) load(path, ours string, seed uint64) (err error) {
	if f.theirs, err = load(path+" (nvcc)", f.text, 0, maxInstructions); err != nil {
		return err
	}
	if f.reordered, err = load(path+" (nvcc)", f.text, seed+1, slack*maxInstructions); err != nil {
		return err
	}
	if f.ours, err = load(path, ours, 0, slack*maxInstructions); err == nil {
		f.ours.own = true
	}
	return err
}

// ours compiles a file here. A panic is an error.
func (o *Options) ours(ctx context.Context, path string, opts *cudabuild.Options, f *pairedFile) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	f.unit, err = opts.Unit(ctx, path, entries(f.tree))
	if err != nil && f.unit != nil {
		for _, d := range f.unit.Diags.Diags {
			if d.Severity == source.Error {
				return fmt.Errorf("%s [%s]", d.Message, d.Code)
			}
		}
	}
	return err
}

// testMath replaces the functions of <math.h> in device code: by others, the same for both compilers.
//
//go:embed testmath.h
var testMath string

// removed are functions and members of cudaDeviceProp that CUDA 13 has no longer, and headers that those of earlier versions
// included, for host code.
const removed = `#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define clockRate warpSize
#define memoryClockRate warpSize
#define deviceOverlap asyncEngineCount
#define computeMode warpSize
#define kernelExecTimeoutEnabled warpSize
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <malloc.h>
#include <sys/time.h>
`

// nvcc returns nvcc's PTX of a file.
func (o *Options) nvcc(ctx context.Context, path string, opts *cudabuild.Options) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	shim, out := filepath.Join(o.Dir, "removed.h"), filepath.Join(o.Dir, "nvcc.ptx")
	if err := os.WriteFile(shim, []byte(removed), 0o666); err != nil {
		return "", err
	}
	args := []string{"-ptx", "-w", "-O3", "-std=c++17", "-arch=sm_90", "-include", shim, "-o", out}
	if o.FastMath {
		args = append(args, "-use_fast_math")
	}
	if opts.Math.Separate {
		args = append(args, "-fmad=false")
	}
	if cccl := filepath.Join(filepath.Dir(o.NVCC), "../include/cccl"); isFolder(cccl) { // of a Python package
		args = append(args, "-isystem", cccl)
	}
	for _, d := range opts.Defines {
		args = append(args, "-D"+d.Name+"="+d.Value)
	}
	for _, dir := range opts.Includes {
		args = append(args, "-I"+dir)
	}
	for _, header := range opts.Forced {
		args = append(args, "-include", header)
	}
	cmd := exec.CommandContext(ctx, o.NVCC, slices.Concat(args, o.Args, []string{path})...)
	var messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &messages, &messages
	if err := cmd.Run(); err != nil {
		return "", errors.New(firstError(messages.String(), err))
	}
	text, err := os.ReadFile(out)
	return string(text), err
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// firstError returns the first line of nvcc's messages that is an error.
func firstError(messages string, err error) string {
	for line := range strings.Lines(messages) {
		if strings.Contains(line, "error") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}
