package irgl

import (
	"context"
	"errors"
	"fmt"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/engine"
	"irgl/internal/source"
	"irgl/syntax"
)

// A ProgramError says what is wrong at positions of a program, as a list of diagnostics
// with hints; its method Render writes them with their source lines. Loading a program
// returns one for its text, compiling it one for what the device's compiler refuses, and
// a run one for the statement that failed, such as an assert.
type ProgramError = syntax.Error

// A NoDeviceError says that the device that was asked for cannot be had: the machine
// has no driver or no GPU, or the GPU is too old.
type NoDeviceError struct{ err error }

func (e *NoDeviceError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *NoDeviceError) Unwrap() error { return e.err }

// A MemoryError says that a program's data does not fit in the memory of the device.
type MemoryError struct {
	What       string // what was to be allocated
	Size, Free int64  // in bytes; Free is -1 where it is not known
	err        error
}

func (e *MemoryError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *MemoryError) Unwrap() error { return e.err }

// An InterruptedError says that a context ended a call before it was done. It wraps
// the context's error, so that errors.Is finds [context.Canceled] and
// [context.DeadlineExceeded] in it.
type InterruptedError struct {
	During string // what was interrupted: "load", "choose", "compile", "prepare", "run", "verify"
	err    error
}

func (e *InterruptedError) Error() string { return fmt.Sprintf("%s: interrupted: %v", e.During, e.err) }

// Unwrap returns the context's error.
func (e *InterruptedError) Unwrap() error { return e.err }

// A TypeError says that [Values] was asked for values of another type than an output
// has.
type TypeError struct {
	Output, Program string
	Type, Asked     string // Go types: of the output's values, and the one that was asked for
	// Distance says that the values are distances, whose width depends on the graph:
	// Values[int64] returns them.
	Distance bool
}

func (e *TypeError) Error() string {
	if e.Distance {
		return fmt.Sprintf("the output %s of %s has distances, of type %s on this graph and not %s (hint: Values[int64] returns distances on every graph)", e.Output, e.Program, e.Type, e.Asked)
	}
	return fmt.Sprintf("the output %s of %s has values of type %s, not %s", e.Output, e.Program, e.Type, e.Asked)
}

// ErrNoReference is [Executable.Verify]'s error for a program that is not bundled:
// there is no independent answer to compare its results with.
var ErrNoReference = engine.ErrNoReference

// public returns an error of the packages below as one of the types of this package,
// if it is of a kind that has one.
func public(err error) error {
	if err == nil {
		return nil
	}
	if list := source.Diagnostics(err); list != nil {
		if e := syntax.NewError(list); e != nil {
			return e
		}
	}
	if m, ok := errors.AsType[*device.OutOfMemoryError](err); ok {
		return &MemoryError{What: m.Name, Size: m.Size, Free: m.Free, err: err}
	}
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		return &NoDeviceError{err}
	}
	return err
}

// publicDuring is public for a call with a context.
func publicDuring(ctx context.Context, what string, err error) error {
	if err != nil && ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		return &InterruptedError{During: what, err: err}
	}
	return public(err)
}
