package hostcode

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// places are the markers of lines in a preprocessed text, # 12 "file.h" 3, in order: they say
// which line of which file each place of the text is.
type places []place

// A place is where a marker takes effect.
type place struct {
	from int32  // the first byte of the line after the marker
	line int    // the number of that line
	file string // as the marker has it, with the flags that say that it is a system's
}

// placesOf returns the markers of a text. In front of the first one, it is itself the file.
func placesOf(f *source.File) places {
	ps := places{{0, 1, strconv.Quote(f.Name)}}
	at := 0
	for line := range bytes.Lines(f.Content) {
		at += len(line)
		if rest, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			if n, file, ok := strings.Cut(strings.TrimSpace(string(rest)), " "); ok {
				if number, err := strconv.Atoi(n); err == nil && strings.HasPrefix(file, `"`) {
					ps = append(ps, place{int32(at), number, steadyFlags(file)})
				}
			}
		}
	}
	return ps
}

// steadyFlags removes the flags 1 and 2 of a marker, which say that a file begins or ends.
func steadyFlags(file string) string {
	end := strings.LastIndexByte(file, '"') + 1
	name, flags := file[:end], ""
	for _, f := range strings.Fields(file[end:]) {
		if f == "3" || f == "4" {
			flags += " " + f
		}
	}
	return name + flags
}

// marker returns lines that give what follows the line and column of the byte at.
func (ps places) marker(text []byte, at int32) string {
	p := ps[sort.Search(len(ps), func(i int) bool { return ps[i].from > at })-1]
	line := p.line + bytes.Count(text[p.from:at], []byte{'\n'})
	return fmt.Sprintf("\n# %d %s\n%s", line, p.file, strings.Repeat(" ", column(text, at)))
}

// column returns the number of bytes between the start of the line and at.
func column(text []byte, at int32) int {
	return int(at) - 1 - bytes.LastIndexByte(text[:at], '\n')
}

// resume ends a change of the text: out, which has all up to the byte at, goes on with blanks or a
// marker where it would differ from the text in line or column. otherLine says that it is
// on another line than the text.
func (ps places) resume(out, text []byte, at int32, otherLine bool) []byte {
	if !otherLine {
		if end := bytes.IndexByte(text[at:], '\n'); end >= 0 && len(bytes.TrimSpace(text[at:int(at)+end])) == 0 {
			return out
		}
		if have, want := column(out, int32(len(out))), column(text, at); have <= want {
			return append(out, bytes.Repeat([]byte{' '}, want-have)...)
		}
	}
	return append(out, ps.marker(text, at)...)
}
