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
	rest = rest[splices(rest, 0):]
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

// spliceLen returns the length of the line splice that text begins with, or 0.
func spliceLen(text string) int {
	switch {
	case len(text) < 2 || text[0] != '\\':
	case text[1] == '\n':
		return 2
	case len(text) >= 3 && text[1] == '\r' && text[2] == '\n':
		return 3
	}
	return 0
}

// splices returns the offset behind the line splices at i.
func splices(text string, i int) int {
	for i < len(text) && text[i] == '\\' {
		n := spliceLen(text[i:])
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// comment reads the comment at i, which is a slash, and returns where it ends. It returns false where there is
// none, or none that has an end.
func (s *scanner) comment(i int) (int, bool) {
	end, ok := commentEnd(s.src, i)
	if !ok {
		return i, false
	}
	if s.comments != nil {
		to := end
		if j := splices(s.src, i+1); s.src[j] == '/' { // splices at the end are not part of the comment
			for to > j+2 && s.src[to-1] == '\n' {
				to = strings.LastIndexByte(s.src[:to], '\\')
			}
		}
		*s.comments = append(*s.comments, Comment{s.file, int32(i), int32(to)})
	}
	return end, true
}

// commentEnd returns where the comment ends whose slash is src[i].
func commentEnd(src string, i int) (int, bool) {
	j := splices(src, i+1)
	if j >= len(src) {
		return 0, false
	}
	switch src[j] {
	case '/':
		return lineEnd(src, j+1), true
	case '*':
		for j++; ; {
			n := strings.IndexByte(src[j:], '*')
			if n < 0 {
				return 0, false
			}
			j += n + 1
			if k := splices(src, j); k < len(src) && src[k] == '/' {
				return k + 1, true
			}
		}
	}
	return 0, false
}

// lineEnd returns where the line ends, splices included, that goes on at i: the offset of its newline, or of the
// end of the text.
func lineEnd(src string, i int) int {
	for from := i; ; {
		n := strings.IndexByte(src[i:], '\n')
		if n < 0 {
			return len(src)
		}
		i += n
		if !(i > from && src[i-1] == '\\' || i > from+1 && src[i-1] == '\r' && src[i-2] == '\\') {
			return i
		}
		i++
	}
}
