package irgl

import (
	"context"
	"errors"
	"slices"
	"sync"

	"irgl/internal/engine"
)

// An Executable is a program compiled for a device. It is safe for use by several
// goroutines at once: their calls take turns, and a call that waits for its turn
// gives up when its context ends. To run programs at the same time, compile one
// Executable for each goroutine.
type Executable struct {
	turn   chan struct{} // holds a value during a call
	x      *engine.Executable
	closed bool

	// What Device and Notes return, which do not wait for their turn.
	mu     sync.Mutex
	device Device
	notes  []string
}

// Compile makes the program ready to run on a device, which is opened here. The
// error of a program that cannot be compiled for it is a [*ProgramError], that of a
// device that cannot be had a [*NoDeviceError].
func (p *Program) Compile(ctx context.Context, o Options) (*Executable, error) {
	x, err := p.p.Compile(ctx, o.engine())
	if err != nil {
		return nil, publicDuring(ctx, "compile", err)
	}
	e := &Executable{turn: make(chan struct{}, 1), x: x}
	e.describe()
	return e, nil
}

// errClosed is the error of calls after Close.
var errClosed = errors.New("the executable is closed")

// errZero is the error of the zero Executable.
var errZero = errors.New("the executable was not made by Program.Compile")

// begin waits for the executable to be free; end must follow if the error is nil.
func (x *Executable) begin(ctx context.Context, what string) error {
	if x.turn == nil {
		return errZero
	}
	select {
	case x.turn <- struct{}{}:
	case <-ctx.Done():
		return &InterruptedError{During: what, err: ctx.Err()}
	}
	if x.closed {
		x.end()
		return errClosed
	}
	return nil
}

func (x *Executable) end() {
	x.describe()
	<-x.turn
}

// describe keeps what Device and Notes return: a call may change it.
func (x *Executable) describe() {
	kind, about := x.x.Device()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.device, x.notes = Device{Name: kind, Model: about}, slices.Clone(x.x.Notes())
}

// Run runs the program on its input, which is not changed. Cancelling ctx ends the
// run at its next step with an [*InterruptedError]. Faults that the simt device
// finds, except for races that the program declares, are an error. The result holds
// no memory of the device and stays valid after Close, as long as the input does.
func (x *Executable) Run(ctx context.Context, in Input, args Args) (*Result, error) {
	if err := x.begin(ctx, "run"); err != nil {
		return nil, err
	}
	defer x.end()
	r, err := x.x.RunOn(ctx, in.engine(), engine.Args(args))
	if err != nil {
		return nil, publicDuring(ctx, "run", err)
	}
	return newResult(r), nil
}

// Prepare makes the input fit what the program requires, and places it on the device.
// Run does so when needed; doing it before keeps it out of a run. It chooses the
// switches where [Options] leave them to the executable.
func (x *Executable) Prepare(ctx context.Context, in Input) error {
	if err := x.begin(ctx, "prepare"); err != nil {
		return err
	}
	defer x.end()
	return publicDuring(ctx, "prepare", x.x.PrepareInput(ctx, in.engine()))
}

// Verify compares a result of the executable with an answer computed independently
// of the compiler, node by node. The error says what differs; it is
// [ErrNoReference] for a program that is not bundled.
func (x *Executable) Verify(ctx context.Context, r *Result) error {
	if err := x.begin(ctx, "verify"); err != nil {
		return err
	}
	defer x.end()
	if r == nil || r.r == nil {
		return errors.New("there is no result to verify")
	}
	return publicDuring(ctx, "verify", x.x.Verify(ctx, r.r))
}

// Device returns the device that the program was compiled for.
func (x *Executable) Device() Device {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.device
}

// Notes returns what a user should know about how the program will run, such as
// that the interpreter takes the place of compiled code; most often nothing.
func (x *Executable) Notes() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.notes)
}

// Close releases the device and all its memory, after the end of a run in progress.
// Later calls return an error, except Close itself.
func (x *Executable) Close() error {
	if err := x.begin(context.Background(), "close"); err != nil {
		return nil // closed before, or never open
	}
	defer x.end()
	x.closed = true
	return x.x.Close()
}
