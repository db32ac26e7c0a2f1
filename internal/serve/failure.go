package serve

import (
	"errors"
	"fmt"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
)

// The kinds of errors; docs/serve.md says what holds after each.
const (
	kindProtocol  = "protocol"
	kindArgument  = "argument"
	kindRefused   = "refused"
	kindMemory    = "memory"
	kindFault     = "fault"
	kindCancelled = "cancelled"
	kindInternal  = "internal"
)

// A failure is the error of a reply.
type failure struct {
	Kind     string `cbor:"kind"`
	Message  string `cbor:"message"`
	Position string `cbor:"position,omitempty"`
	Code     string `cbor:"code,omitempty"` // of a fault: [simt.Fault].Code, or the name of the driver's error
	Reported bool   `cbor:"reported,omitempty"`
	Size     int64  `cbor:"size,omitempty"`
	Free     int64  `cbor:"free,omitempty"`
}

func (f *failure) Error() string { return f.Message }

// argumentf returns the error of a wrong argument.
func argumentf(format string, args ...any) error {
	return &failure{Kind: kindArgument, Message: fmt.Sprintf(format, args...)}
}

// protocolf returns the error of a message that is out of turn, which ends the server.
func protocolf(format string, args ...any) *failure {
	return &failure{Kind: kindProtocol, Message: fmt.Sprintf(format, args...)}
}

// failureOf returns what a reply says of an error.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if m, ok := errors.AsType[*device.OutOfMemoryError](err); ok {
		return &failure{Kind: kindMemory, Message: err.Error(), Size: m.Size, Free: m.Free}
	}
	if e, ok := errors.AsType[*simt.Fault](err); ok {
		f := &failure{Kind: kindFault, Message: err.Error(), Code: e.Code, Reported: e.Report.Kind != ""}
		if e.At.File != "" {
			f.Position = e.At.String()
		}
		return f
	}
	if e, ok := errors.AsType[*cuda.Error](err); ok {
		return &failure{Kind: kindFault, Message: err.Error(), Code: e.Name}
	}
	return &failure{Kind: kindArgument, Message: err.Error()}
}
