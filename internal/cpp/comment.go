package cpp

import (
	"strings"

	"irgl/internal/source"
)

// A Comment is one // or /* */ comment of a text.
type Comment struct {
	File     *source.File
	From, To int32
}

// Pos returns where the comment begins.
func (c *Comment) Pos() source.Pos { return source.Pos{File: c.File, Offset: c.From} }

// End returns where the comment ends.
func (c *Comment) End() source.Pos { return source.Pos{File: c.File, Offset: c.To} }

// Text returns the comment with its markers. Its lines end by newlines alone, blanks and line splices at the end
// are dropped, and the marker is written as one, also where a splice divides it.
func (c *Comment) Text() string {
	text := string(c.File.Content[c.From:c.To])
	marker, rest := text[:1], text[1:]
	for rest[0] == '\\' {
		rest = rest[spliceLen(rest):]
	}
	text = marker + rest[:1] + unixLines(rest[1:])
	// Blanks and splices at the end of a // comment go, save one blank that
	// keeps a backslash from becoming a splice.
	const blanks = " \t\r\f\v"
	for text = strings.TrimRight(text, blanks); strings.HasSuffix(text, "\\\n"); {
		text = strings.TrimRight(text[:len(text)-2], blanks)
	}
	if strings.HasSuffix(text, "\\") {
		text += " "
	}
	return text
}

// unixLines ends the lines of text by newlines alone, however many carriage
// returns stand before them.
func unixLines(text string) string {
	if !strings.Contains(text, "\r\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return strings.Join(lines, "\n")
}
