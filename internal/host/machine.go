package host

import (
	"context"
	"errors"
	"fmt"
	"io"

	"irgl/internal/abi"
	"irgl/internal/device"
	"irgl/internal/source"
	"irgl/syntax"
)

// A machine executes compiled host functions.
type machine struct {
	ctx   context.Context
	mem   *memory
	stack []byte // the stack segment
	fp    int64  // start of the running function's frame
	top   int64  // end of it
	out   io.Writer
	err   io.Writer

	dev     device.Device
	module  device.Module
	kernels map[string]device.Kernel
	rec     *recorder // nil when recording is off
	span    span      // from the first to the last launch
	// resident caches the device's answers to occupancy queries.
	resident map[occupancyKey]int

	program  *Program
	args     []uint64 // stack of arguments of the calls being evaluated
	literals map[*syntax.BasicLit]uint64
	result   uint64 // of the last function that returned
	returned []byte // the bytes of a struct result
	depth    int
	sites    []syntax.Node // the active calls, the innermost last
	ticks    int
	launches int64
	// allocated are the device allocations of the program that are not freed.
	allocated map[device.Ptr]bool

	lastError  uint64 // for cudaGetLastError
	errorTexts map[uint64]errorText
}

// A runError ends a run; it is a panic value that does not leave the package.
type runError struct {
	pos source.Pos
	err error
}

func (e *runError) Error() string {
	if p, ok := errors.AsType[device.Positioned](e.err); ok && p.Position().File != "" {
		return e.err.Error() // the error has the kernel's position; e.pos is where the host waited
	}
	if e.pos.IsValid() {
		return fmt.Sprintf("%s: %v", e.pos, e.err)
	}
	return e.err.Error()
}

func (e *runError) Unwrap() error { return e.err }

// A faultError is an error of the program with a code: with its position it is a
// diagnostic.
type faultError struct {
	code    source.Code
	message string
}

func (e *faultError) Error() string { return e.message }

// inSource gives an error in the device library, or in code that lowering
// generated, the position in file of the innermost call that led to it.
func (m *machine) inSource(err error, file string) error {
	e, ok := err.(*runError)
	if !ok {
		return err
	}
	in := func(p source.Pos) bool { return p.IsValid() && p.File.Name == file }
	pos, end := e.pos, source.Pos{}
	for i := len(m.sites) - 1; i >= 0 && !in(pos); i-- {
		pos, end = m.sites[i].Pos(), m.sites[i].End()
	}
	if !in(pos) {
		pos = source.Pos{}
	}
	if exit, ok := e.err.(*exitError); ok && exit.status != 0 {
		e.err = &faultError{CodeExit, exit.Error()}
	}
	if fault, ok := e.err.(*faultError); ok {
		var diags source.List
		diags.Errorf(pos, end, fault.code, "%s", fault.message)
		return diags.Err()
	}
	return &runError{pos, e.err}
}

// An exitError is a call of exit by the program.
type exitError struct{ status int32 }

func (e *exitError) Error() string {
	return fmt.Sprintf("the program exited with status %d", e.status)
}

// An overflowError holds the number of items that a worklist needs.
type overflowError struct{ need int64 }

func (e *overflowError) Error() string {
	return fmt.Sprintf("a worklist overflowed: it needs room for %d items", e.need)
}

func fail(n syntax.Node, err error) {
	panic(&runError{n.Pos(), err})
}

// bytes returns host memory for an access by n.
func (m *machine) bytes(n syntax.Node, a uint64, size int64) []byte {
	b, err := m.mem.bytes(a, size)
	if err != nil {
		fail(n, err)
	}
	return b
}

// tick is called by every loop iteration: it ends a run whose context is done.
func (m *machine) tick(n syntax.Node) {
	if m.ticks++; m.ticks&0xff == 0 {
		if err := m.ctx.Err(); err != nil {
			fail(n, err)
		}
	}
}

// protect runs f and returns the error that ended it.
func protect(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *runError:
			err = e
		default:
			panic(e)
		}
	}()
	f()
	return nil
}

// rounds returns the number of iterations of Iterate and Pipe that the program has
// counted.
func (m *machine) rounds() int64 {
	n, err := m.getGlobal(abi.IterationsVar)
	if err != nil {
		return 0 // the program does not count them
	}
	return int64(n)
}
