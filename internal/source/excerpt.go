package source

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxExcerpt is the length of a line in bytes up to which it is printed whole.
	maxExcerpt = 160
	// Of a longer line there are up to excerptBefore bytes before the range of the
	// diagnostic, excerptRange of the range and excerptAfter behind it.
	excerptBefore = 60
	excerptRange  = 60
	excerptAfter  = 30

	ellipsis = "..."
)

// An excerpt is what is printed of a source line.
type excerpt struct {
	text   string // what is printed
	blanks string // as wide as the text before the range, with tabs kept
	width  int    // the characters of the range, as they are printed
}

// cut returns the excerpt of a line around the bytes from..to, with an ellipsis for
// what is left out on either side.
func cut(line string, from, to int) excerpt {
	start, end := 0, len(line)
	if len(line) > maxExcerpt {
		to = min(to, max(from, boundary(line, from+excerptRange)))
		start, end = boundary(line, from-excerptBefore), boundary(line, to+excerptAfter)
	}
	before, after := "", ""
	if start > 0 {
		before = ellipsis
	}
	if end < len(line) {
		after = ellipsis
	}
	var blanks strings.Builder
	for _, r := range before + Visible(line[start:from]) {
		if r != '\t' {
			r = ' '
		}
		blanks.WriteRune(r)
	}
	return excerpt{
		text:   before + Visible(line[start:end]) + after,
		blanks: blanks.String(),
		width:  utf8.RuneCountInString(Visible(line[from:to])),
	}
}

// boundary returns the last beginning of a character of line that is not behind i.
// The length of a text that is not UTF-8 bounds how far it looks.
func boundary(line string, i int) int {
	if i <= 0 || i >= len(line) {
		return max(0, min(i, len(line)))
	}
	for n := 0; n < utf8.UTFMax && i > 0 && !utf8.RuneStart(line[i]); n++ {
		i--
	}
	return i
}
