package serve

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

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

// maxDiagnostics and maxDiagnosticText bound those of a reply: their number, and the bytes of their texts.
const (
	maxDiagnostics    = 100
	maxDiagnosticText = 256 << 10
)

// diagnosticsOf returns diagnostics as replies have them.
func diagnosticsOf(list []*source.Diagnostic) []diagnostic {
	var out []diagnostic
	text := 0
	for _, d := range list[:min(maxDiagnostics, len(list))] {
		r := diagnostic{Severity: d.Severity.String(), Code: string(d.Code), Message: short(d.Message), Hint: short(d.Hint)}
		if d.Pos.IsValid() {
			r.File, r.Line, r.Column = short(d.Pos.File.Name), d.Pos.Line(), d.Pos.Column()
			r.Source, r.Origin = short(d.Pos.File.Line(r.Line)), short(d.Pos.Origin())
		}
		if d.End.IsValid() {
			r.EndLine, r.EndColumn = d.End.Line(), d.End.Column()
		}
		if text += len(r.Message) + len(r.Hint) + len(r.File) + len(r.Source) + len(r.Origin); text > maxDiagnosticText {
			break
		}
		out = append(out, r)
	}
	return out
}

// maxShort bounds a text of a reply that has several, and maxLong the message of an error.
const (
	maxShort = 1 << 12
	maxLong  = 1 << 16
)

// short returns a text that fits a message, as valid UTF-8.
func short(s string) string { return strings.ToValidUTF8(cut(s, maxShort), "\ufffd") }

// cut returns at most the first bytes of a text, which end with a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "..."
}

// bounded returns the failure with texts that fit a message.
func (f *failure) bounded() *failure {
	b := *f
	b.Message = cut(b.Message, maxLong)
	for _, text := range []*string{&b.Position, &b.Code, &b.Hint} {
		*text = cut(*text, maxShort)
	}
	return &b
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

// failureOf returns what a reply says of an error, in texts that fit it.
func failureOf(err error) *failure { return unboundedFailure(err).bounded() }

func unboundedFailure(err error) *failure {
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
