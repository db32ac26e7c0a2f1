package source

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Severity says what a diagnostic means for the run.
type Severity uint8

const (
	Error   Severity = iota // the program is refused
	Warning                 // the program is accepted, but probably wrong
	Note                    // context of another diagnostic
)

func (s Severity) String() string {
	return [...]string{"error", "warning", "note"}[s]
}

// A Code is the stable name of a kind of diagnostic: a letter and four digits.
// The letter names the stage: S syntax, C check, L lower, G device code, E
// generated Go, H host code, J a program as JSON, R a run in the interpreter, I the text of the SSA
// form, P the text of PTX, T the PTX target. Codes are documented by a smallest program, only
// appended, and never reused.
type Code string

// A Diagnostic is one message about a source text.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Pos, End Pos // the range the message is about; End may be invalid
	Message  string
	Hint     string // how to put it right; may be empty
	Notes    []Diagnostic
}

// Error returns the one-line form "file:line:column: error: message [code]".
func (d *Diagnostic) Error() string {
	var b strings.Builder
	if d.Pos.IsValid() {
		fmt.Fprintf(&b, "%s:%d:%d: ", visibleName(d.Pos.File.Name), d.Pos.Line(), d.Pos.Column())
	}
	fmt.Fprintf(&b, "%s: %s", d.Severity, Visible(d.Message))
	if d.Code != "" {
		fmt.Fprintf(&b, " [%s]", d.Code)
	}
	return b.String()
}

// Render writes the diagnostic as users see it: the one-line form, the place that
// a front end generated the text from, the source line, a caret under the range, the
// hint and the notes.
func (d *Diagnostic) Render(w io.Writer) {
	fmt.Fprintln(w, d.Error())
	if from := d.Pos.Origin(); from != "" {
		fmt.Fprintf(w, "  from %s\n", visibleName(from))
	}
	d.renderExcerpt(w)
	if d.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", Visible(d.Hint))
	}
	for i := range d.Notes {
		d.Notes[i].Render(w)
	}
}

func (d *Diagnostic) renderExcerpt(w io.Writer) {
	if !d.Pos.IsValid() {
		return
	}
	n := d.Pos.Line()
	line := d.Pos.File.Line(n)
	from := min(d.Pos.Column()-1, len(line))
	to := from
	if d.End.File == d.Pos.File && d.Pos.Before(d.End) {
		to = len(line)
		if d.End.Line() == n {
			to = min(d.End.Column()-1, len(line))
		}
	}
	x := cut(line, from, to)
	fmt.Fprintf(w, "%5d | %s\n", n, x.text)
	fmt.Fprintf(w, "      | %s^%s\n", x.blanks, strings.Repeat("~", max(1, x.width)-1))
}

// A List collects diagnostics. The zero List is ready to use.
type List struct {
	Diags []*Diagnostic
}

// Errorf appends an error and returns it, so that a hint or notes can be set.
func (l *List) Errorf(pos, end Pos, code Code, format string, args ...any) *Diagnostic {
	return l.add(Error, pos, end, code, format, args...)
}

// Warnf appends a warning and returns it.
func (l *List) Warnf(pos, end Pos, code Code, format string, args ...any) *Diagnostic {
	return l.add(Warning, pos, end, code, format, args...)
}

func (l *List) add(s Severity, pos, end Pos, code Code, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Severity: s, Code: code, Pos: pos, End: end, Message: fmt.Sprintf(format, args...)}
	l.Diags = append(l.Diags, d)
	return d
}

// Errors returns the number of errors in the list.
func (l *List) Errors() int {
	n := 0
	for _, d := range l.Diags {
		if d.Severity == Error {
			n++
		}
	}
	return n
}

// Err returns nil when the list holds no error, and otherwise an error whose
// text is the one-line forms; [Diagnostics] gets the list back from it.
func (l *List) Err() error {
	if l.Errors() == 0 {
		return nil
	}
	return &listError{l}
}

// Sort orders the diagnostics by position, those without one first, and
// drops repeats of the same code at the same place.
func (l *List) Sort() {
	slices.SortStableFunc(l.Diags, func(a, b *Diagnostic) int {
		if a.Pos.File != b.Pos.File {
			return strings.Compare(fileName(a.Pos), fileName(b.Pos))
		}
		return int(a.Pos.Offset) - int(b.Pos.Offset)
	})
	l.Diags = slices.CompactFunc(l.Diags, func(a, b *Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}

func fileName(p Pos) string {
	if p.File == nil {
		return ""
	}
	return p.File.Name
}

// maxRendered is how many errors Render prints before it only counts.
const maxRendered = 20

// Render writes every diagnostic, at most 20 errors, in order of position.
func (l *List) Render(w io.Writer) {
	l.Sort()
	shown := 0
	for _, d := range l.Diags {
		if d.Severity == Error {
			if shown++; shown > maxRendered {
				continue
			}
		}
		d.Render(w)
	}
	if shown > maxRendered {
		fmt.Fprintf(w, "and %d more errors\n", shown-maxRendered)
	}
}

type listError struct{ list *List }

func (e *listError) Error() string {
	var b strings.Builder
	for _, d := range e.list.Diags {
		if d.Severity == Error {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(d.Error())
		}
	}
	return b.String()
}

// Diagnostics returns the list behind an error made by [List.Err], or nil.
func Diagnostics(err error) *List {
	if e, ok := errors.AsType[*listError](err); ok {
		return e.list
	}
	return nil
}
