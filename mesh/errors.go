package mesh

import "fmt"

// A ReadError says what is wrong with a file, and where.
type ReadError struct {
	File   string
	Line   int // from 1
	Reason string
}

// Error returns "FILE:LINE: REASON".
func (e *ReadError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }
