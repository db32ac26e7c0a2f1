package source

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// A File is a source text with its name. Files are immutable after NewFile, but for
// Origin, which the reader of a generated text sets before it reports anything.
type File struct {
	Name    string
	Content []byte
	// Origin, if not nil, returns the place that the text at an offset was generated
	// from, such as "bfs.cpp:21"; "" if it is unknown.
	Origin func(offset int) string
	lines  []int // byte offset of each line's first byte
}

// NewFile returns a file over content, which the caller must not change.
func NewFile(name string, content []byte) *File {
	lines := make([]int, 1, 1+bytes.Count(content, []byte{'\n'}))
	for i := 0; len(lines) < cap(lines); {
		i += bytes.IndexByte(content[i:], '\n') + 1
		lines = append(lines, i)
	}
	return &File{Name: name, Content: content, lines: lines}
}

// Pos returns the position of the byte at offset, which is clamped to the file.
func (f *File) Pos(offset int) Pos {
	return Pos{File: f, Offset: int32(max(0, min(offset, len(f.Content))))}
}

// At returns the position of a line and column, both from 1, as [Pos.Line] and
// [Pos.Column] count them. It is not valid where the file has no such line.
func (f *File) At(line, column int) Pos {
	if line < 1 || line > len(f.lines) {
		return Pos{}
	}
	return f.Pos(f.lines[line-1] + max(0, column-1))
}

// LineCount returns the number of lines; a final newline ends the last line.
func (f *File) LineCount() int { return len(f.lines) }

// Line returns the text of line n (from 1) without its line terminator.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	start, end := f.lines[n-1], len(f.Content)
	if n < len(f.lines) {
		end = f.lines[n]
	}
	return strings.TrimRight(string(f.Content[start:end]), "\r\n")
}

// lineOf returns the line (from 1) that holds the byte at offset.
func (f *File) lineOf(offset int) int {
	return sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset })
}

// A Pos is a byte offset in a file. The zero Pos is "no position".
type Pos struct {
	File   *File
	Offset int32
}

// IsValid reports whether p names a place in a file.
func (p Pos) IsValid() bool { return p.File != nil }

// Line returns the line of p, from 1, or 0 if p is not valid.
func (p Pos) Line() int {
	if p.File == nil {
		return 0
	}
	return p.File.lineOf(int(p.Offset))
}

// Column returns the column of p in bytes, from 1, or 0 if p is not valid.
func (p Pos) Column() int {
	if p.File == nil {
		return 0
	}
	return int(p.Offset) - p.File.lines[p.Line()-1] + 1
}

// Origin returns the place that the text at p was generated from; see [File].
func (p Pos) Origin() string {
	if p.File == nil || p.File.Origin == nil {
		return ""
	}
	return p.File.Origin(int(p.Offset))
}

// Before reports whether p is before q in the same file.
func (p Pos) Before(q Pos) bool { return p.File == q.File && p.Offset < q.Offset }

// String returns "file:line:column", or "-" for no position.
func (p Pos) String() string {
	if p.File == nil {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File.Name, p.Line(), p.Column())
}

// Comment returns a text, such as a file's name, so that it can stand in a comment of
// generated C or Go: on one line, without a comment's end, and without a backslash
// at its end, which would continue the line.
func Comment(text string) string {
	q := strconv.Quote(text)
	q = q[1 : len(q)-1]
	q = strings.NewReplacer(`\"`, `"`, "*/", "* /", "/*", "/ *").Replace(q)
	if strings.HasSuffix(q, `\`) {
		q += "."
	}
	return q
}
