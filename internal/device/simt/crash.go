package simt

import (
	"fmt"
	"runtime/debug"
)

// An InternalError is a fault of the emulator: a panic while it executes a kernel, on whatever goroutine. What waits for the
// kernel panics with it.
type InternalError struct {
	Kernel string
	Panic  any
	Stack  []byte // of the goroutine
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("the emulator, in kernel %s: %v", e.Kernel, e.Panic)
}

// internalError returns the error of a panic that is recovered; l is the launch that was executed, or nil.
func internalError(l *launch, v any) *InternalError {
	e := &InternalError{Kernel: "(of several)", Panic: v, Stack: debug.Stack()}
	if l != nil {
		e.Kernel = CXXName(l.k.Info().Name)
	}
	return e
}

// crash panics with a fault of the emulator. The launch ends first, so that nothing waits for it.
func (s *system) crash(l *launch, e *InternalError) {
	if l != nil {
		s.end(l, e)
	}
	panic(e)
}
