package nvccdiff

import (
	"bytes"
	"context"
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
	Dir    string // for temporary files
}

// An Outcome is the verdict on a kernel.
type Outcome uint8

// The outcomes.
const (
	Agrees             Outcome = iota
	AgreesUncontracted         // once multiplications and additions are not contracted
	Differs
	NoInputs        // no arguments were found that nvcc's code takes
	WeRefuse        // we do not compile it
	NVCCRefuses     // nvcc does not
	EmulatorRefuses // the emulator does not load nvcc's PTX
	numOutcomes
)

var outcomeNames = [numOutcomes]string{"agrees", "agrees without contraction", "differs", "no valid inputs", "we refuse", "nvcc refuses", "the emulator refuses"}

func (o Outcome) String() string { return outcomeNames[o] }

// A Result is about a kernel, or about all kernels of a file.
type Result struct {
	File    string
	Kernel  string // its symbol, "" for those of a file that does not compile
	Outcome Outcome
	Detail  string // the first difference, or the reason
	Runs    int    // valid ones
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
	contracted, err := o.pair(ctx, path, true)
	if err != nil {
		r := Result{File: path, Outcome: NVCCRefuses, Detail: firstLine(err)}
		if why, ok := errors.AsType[*refusal](err); ok {
			r.Outcome = why.outcome
		}
		return []Result{r}
	}
	defer contracted.close()
	var out []Result
	var failed []*kernelPair
	var differing []comparison
	var places []int
	for _, symbol := range entries(contracted.tree) {
		r, k, c := contracted.kernel(ctx, symbol, o.Seed)
		if r.File = path; r.Outcome == Differs && k != nil {
			failed, differing, places = append(failed, k), append(differing, c), append(places, len(out))
		}
		out = append(out, r)
	}
	if len(failed) == 0 {
		return out
	}
	plain, err := o.pair(ctx, path, false)
	if err != nil {
		return out
	}
	defer plain.close()
	for i, k := range failed {
		if plain.again(ctx, k, differing[i].failed) == "" {
			out[places[i]].Outcome = AgreesUncontracted
		}
	}
	return out
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
	r.Runs = c.runs
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
func (o *Options) pair(ctx context.Context, path string, contract bool) (*pairedFile, error) {
	opts, err := o.Survey.FileOptions(path)
	if err != nil {
		return nil, err
	}
	opts.Math.Fuse = contract
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
	f.theirs, err = load(path+" (nvcc)", f.text, 0, maxInstructions)
	if err == nil {
		f.reordered, err = load(path+" (nvcc)", f.text, o.Seed+1, slack*maxInstructions)
	}
	if err == nil {
		f.ours, err = load(path, f.unit.PTXText(), 0, slack*maxInstructions)
		if err == nil {
			f.ours.own = true
		}
	}
	if err != nil {
		f.close()
		return nil, &refusal{EmulatorRefuses, err}
	}
	return f, nil
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

// removed are functions and members of cudaDeviceProp that CUDA 13 has no longer, and headers that those of earlier versions
// included, for host code.
const removed = `#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define clockRate warpSize
#define memoryClockRate warpSize
#define deviceOverlap asyncEngineCount
#define computeMode major
#define kernelExecTimeoutEnabled minor
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
	if !opts.Math.Fuse {
		args = append(args, "-fmad=false")
	}
	for _, d := range opts.Defines {
		args = append(args, "-D"+d.Name+"="+d.Value)
	}
	for _, dir := range opts.Includes {
		args = append(args, "-I"+dir)
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

// firstError returns the first line of nvcc's messages that is an error.
func firstError(messages string, err error) string {
	for line := range strings.Lines(messages) {
		if strings.Contains(line, "error") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}
