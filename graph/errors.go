package graph

import (
	"bytes"
	"fmt"
)

// A ReadError says what is wrong with an input, and where.
type ReadError struct {
	File   string // path or name of the input
	Line   int    // line, from 1; 0 in a binary file
	Offset int64  // byte of the uncompressed content, from 0
	Reason string
}

// Error returns "FILE:LINE: REASON", or "FILE: byte OFFSET: REASON" for a
// binary file.
func (e *ReadError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s: byte %d: %s", e.File, e.Offset, e.Reason)
}

// textError makes the error for the byte at off of a text input. Lines are
// counted here, once, and not while parsing.
func (in *input) textError(off int, format string, args ...any) error {
	off = min(off, len(in.data))
	return &ReadError{
		File:   in.name,
		Line:   1 + bytes.Count(in.data[:off], []byte{'\n'}),
		Offset: int64(off),
		Reason: fmt.Sprintf(format, args...),
	}
}

// binaryError makes the error for the byte at off of a binary input.
func (in *input) binaryError(off uint64, format string, args ...any) error {
	return &ReadError{File: in.name, Offset: int64(off), Reason: fmt.Sprintf(format, args...)}
}
