package sema

import "irgl/internal/cxx/ast"

// A request is the first use of an instance, which notes of errors in it name. Bodies are
// analysed one after another, not inside of what calls them, so that each instance refers to
// the one whose body asked for it.
type request struct {
	at ast.Span
	by *function // whose body asks; nil outside of functions
}

// isInstance reports whether a function is an instance of a template or a member of one.
func (f *function) isInstance() bool { return f.of != nil || f.class != nil && f.class.tmpl != nil }

// request notes a use of a function.
func (f *function) request(at ast.Span, by *function) {
	if f.isInstance() && f.requested == (request{}) && at != (ast.Span{}) && by != f {
		f.requested = request{at, by}
	}
}

// requestedAt returns where an instance is first used, or its own place if nothing in the text
// uses it.
func (f *function) requestedAt() ast.Span {
	if f.requested.at == (ast.Span{}) {
		return f.at
	}
	return f.requested.at
}

// requests calls yield for the instances whose bodies led to f, the nearest first.
func (f *function) requests(yield func(*function) bool) {
	for by := f.requested.by; by != nil; by = by.requested.by {
		if by.isInstance() && !yield(by) {
			return
		}
	}
}
