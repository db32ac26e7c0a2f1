package syntax

import (
	"io"

	"irgl/internal/source"
)

// An Error says what is wrong with a program's text: one diagnostic or more, of
// which at least one is an error. Get it from an error by errors.As.
type Error struct {
	Diagnostics []Diagnostic // in order of position, warnings included
	list        *source.List
	err         error
}

// A Diagnostic is one message about a program's text.
type Diagnostic struct {
	Severity string // "error", "warning" or "note"
	Code     string // stable name of the kind, such as C0015; docs/diagnostics.md lists them
	File     string // as it was named to the parser; "" when the message has no place
	// The range that the message is about: lines and columns count from 1, columns
	// in bytes. They are 0 when the message has no place, the end also when it is
	// not known.
	Line, Column, EndLine, EndColumn int
	Message                          string
	Hint                             string       // how to correct it; may be empty
	Notes                            []Diagnostic // at other places
}

// NewError returns the public form of a list of diagnostics that the compiler has
// collected, or nil when the list holds no error. The parser calls it for
// [ParseFile]; other modules have no use for it.
func NewError(list *source.List) *Error {
	err := list.Err()
	if err == nil {
		return nil
	}
	return &Error{Diagnostics: PublicDiagnostics(list), list: list, err: err}
}

// PublicDiagnostics returns the diagnostics of a list in order of position. It is for
// the packages of this module, as [NewError] is.
func PublicDiagnostics(list *source.List) []Diagnostic {
	list.Sort()
	var out []Diagnostic
	for _, d := range list.Diags {
		out = append(out, publicDiagnostic(d))
	}
	return out
}

func publicDiagnostic(d *source.Diagnostic) Diagnostic {
	out := Diagnostic{Severity: d.Severity.String(), Code: string(d.Code), Message: d.Message, Hint: d.Hint}
	if d.Pos.IsValid() {
		out.File, out.Line, out.Column = d.Pos.File.Name, d.Pos.Line(), d.Pos.Column()
	}
	if d.End.IsValid() {
		out.EndLine, out.EndColumn = d.End.Line(), d.End.Column()
	}
	for i := range d.Notes {
		out.Notes = append(out.Notes, publicDiagnostic(&d.Notes[i]))
	}
	return out
}

// Error returns the errors, one a line: "file:line:column: error: message [code]".
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the compiler's own form of the error.
func (e *Error) Unwrap() error { return e.err }

// Render writes the diagnostics as the command does: each with its source line, a
// caret below the range, the hint and the notes.
func (e *Error) Render(w io.Writer) error {
	f := &firstError{w: w}
	e.list.Render(f)
	return f.err
}

// A firstError keeps the first error of a writer.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(b []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(b)
	f.err = err
	return n, err
}
