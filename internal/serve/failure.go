package serve

import (
	"errors"
	"fmt"
	"strings"

	"irgl/graph"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/engine"
	"irgl/internal/run"
	"irgl/internal/source"
)

// The kinds of errors; docs/serve.md says what holds after each.
const (
	kindProtocol  = "protocol"
	kindArgument  = "argument"
	kindSyntax    = "syntax"
	kindRefused   = "refused"
	kindInput     = "input"
	kindDevice    = "device"
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
	Hint     string `cbor:"hint,omitempty"` // how to put it right
	// Diagnostics are all that is to be said about a program's text.
	Diagnostics []diagnostic `cbor:"diagnostics,omitempty"`
}

// A diagnostic is one message about a program's text, as syntax.Diagnostic.
type diagnostic struct {
	Severity  string `cbor:"severity"`
	Code      string `cbor:"code"`
	File      string `cbor:"file"`
	Line      int    `cbor:"line"`
	Column    int    `cbor:"column"`
	EndLine   int    `cbor:"endline"`
	EndColumn int    `cbor:"endcolumn"`
	Message   string `cbor:"message"`
	Hint      string `cbor:"hint"`
	Source    string `cbor:"source"` // the text's line
	Origin    string `cbor:"origin"` // the place that a front end has generated it from
}

// maxDiagnostics bounds those of a reply.
const maxDiagnostics = 100

// diagnosticsOf returns diagnostics as replies have them.
func diagnosticsOf(list []*source.Diagnostic) []diagnostic {
	var out []diagnostic
	for _, d := range list[:min(maxDiagnostics, len(list))] {
		r := diagnostic{Severity: d.Severity.String(), Code: string(d.Code), Message: short(d.Message), Hint: short(d.Hint)}
		if d.Pos.IsValid() {
			r.File, r.Line, r.Column = short(d.Pos.File.Name), d.Pos.Line(), d.Pos.Column()
			r.Source, r.Origin = short(d.Pos.File.Line(r.Line)), short(d.Pos.Origin())
		}
		if d.End.IsValid() {
			r.EndLine, r.EndColumn = d.End.Line(), d.End.Column()
		}
		out = append(out, r)
	}
	return out
}

// maxShort bounds a text of a reply that has several.
const maxShort = 1 << 12

// short returns a text that fits a message, as valid UTF-8.
func short(s string) string {
	if len(s) > maxShort {
		s = s[:maxShort] + "..."
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// positionOf returns where an input is wrong.
func positionOf(e *graph.ReadError) string {
	if e.Line == 0 {
		return short(e.File)
	}
	return short(fmt.Sprintf("%s:%d", e.File, e.Line))
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
	return failureOfEngine(err)
}

// failureOfEngine returns what a reply says of an error of package engine.
func failureOfEngine(err error) *failure {
	f := &failure{Kind: kindArgument, Message: err.Error()}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		f.Hint = h.Hint()
	}
	weights, isWeights := errors.AsType[*run.NeedWeightsError](err)
	negative, isNegative := errors.AsType[*run.NegativeWeightError](err)
	switch list := source.Diagnostics(err); {
	case list != nil:
		list.Sort()
		f.Kind, f.Diagnostics = kindSyntax, diagnosticsOf(list.Diags)
		for _, d := range f.Diagnostics {
			if d.Severity == source.Error.String() {
				f.Message, f.Code, f.Hint = d.Message, d.Code, d.Hint
				if d.Line > 0 {
					f.Position = fmt.Sprintf("%s:%d:%d", d.File, d.Line, d.Column)
				}
				break
			}
		}
	case isWeights && weights != nil, isNegative && negative != nil:
		f.Kind = kindInput
	case errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice):
		f.Kind = kindDevice
	default:
		if _, ok := errors.AsType[*engine.FaultsError](err); ok {
			f.Kind = kindFault
		}
	}
	return f
}
