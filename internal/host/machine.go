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
	rec     *recorder // nil when nothing is recorded
	span    span      // of what is launched
	// resident is what the device said of how many blocks it holds.
	resident map[occupancyKey]int

	program  *Program
	args     []uint64 // of the calls whose arguments are being evaluated
	literals map[*syntax.BasicLit]uint64
	result   uint64 // of the function that returned last
	returned []byte // the bytes of a struct result
	depth    int
	sites    []syntax.Node // the calls that are being executed, the innermost last
	ticks    int
	launches int64
	// allocated are the device addresses that the program has not freed.
	allocated map[device.Ptr]bool

	lastError  uint64 // that cudaGetLastError returns
	errorTexts map[uint64]errorText
}

// A runError ends a run; it is thrown inside the package and never leaves it.
type runError struct {
	pos source.Pos
	err error
}

func (e *runError) Error() string {
	if p, ok := errors.AsType[device.Positioned](e.err); ok && p.Position() != "" {
		return e.err.Error() // it is about the kernel; e.pos is where the host waited
	}
	if e.pos.IsValid() {
		return fmt.Sprintf("%s: %v", e.pos, e.err)
	}
	return e.err.Error()
}

func (e *runError) Unwrap() error { return e.err }

// inSource gives an error that happened in the device library, or in text that
// lowering wrote, the position in file of the innermost call that led there.
func (m *machine) inSource(err error, file string) error {
	e, ok := err.(*runError)
	if !ok {
		return err
	}
	in := func(p source.Pos) bool { return p.IsValid() && p.File.Name == file }
	pos := e.pos
	for i := len(m.sites) - 1; i >= 0 && !in(pos); i-- {
		pos = m.sites[i].Pos()
	}
	if !in(pos) {
		pos = source.Pos{}
	}
	return &runError{pos, e.err}
}

// An exitError is the program calling exit.
type exitError struct{ status int32 }

func (e *exitError) Error() string {
	return fmt.Sprintf("the program exited with status %d", e.status)
}

// An overflowError says how many items a worklist needs.
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

// tick is called by every loop: a run whose context has ended stops.
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

// rounds returns how many rounds of Iterate and Pipe the program has counted.
func (m *machine) rounds() int64 {
	n, err := m.getGlobal(abi.IterationsVar)
	if err != nil {
		return 0 // it counts none
	}
	return int64(n)
}
