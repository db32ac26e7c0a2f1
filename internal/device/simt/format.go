package simt

import (
	"strings"

	"irgl/internal/cformat"
)

// A formatter is one call of vprintf: its arguments lie in memory, each at the next multiple
// of its size.
type formatter struct {
	w    *warp
	in   *inst
	lane int
	args uint64 // where the next argument is
	n    int    // how many conversions have been done
	ok   bool   // the launch has not stopped
}

// format expands a C format; n is the number of conversions.
func (w *warp) format(in *inst, lane int, text string, args uint64) (out string, n int, ok bool) {
	f := formatter{w: w, in: in, lane: lane, args: args, ok: true}
	var b strings.Builder
	for f.ok {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		c, used := cformat.Parse(text[i+1:], f.star)
		if c.Verb == 0 || c.Verb == 'n' {
			b.WriteString(text[i : i+1+used])
		} else {
			b.WriteString(f.convert(c))
		}
		text = text[i+1+used:]
	}
	return b.String(), f.n, f.ok
}

// maxField bounds the width and precision that a kernel can ask for.
const maxField = 1 << 12

// star returns the width or precision that is an argument.
func (f *formatter) star(int) int32 { return int32(f.next(4)) }

// next returns the next argument.
func (f *formatter) next(size uint64) uint64 {
	if !f.ok {
		return 0
	}
	f.args = alignUp(f.args, size)
	raw := f.w.peek(f.in, f.lane, f.args, size)
	if raw == nil {
		f.ok = false
		return 0
	}
	f.args += size
	return load(raw, uint8(size))
}

// convert returns what a conversion makes of the next argument.
func (f *formatter) convert(c cformat.Conversion) string {
	if c.Verb == '%' {
		return "%"
	}
	size := uint64(4)
	if c.Wide() {
		size = 8
	}
	x := f.next(size)
	f.n++
	if !f.ok || c.Width > maxField || c.Prec > maxField {
		return ""
	}
	switch c.Verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		return c.Int(x)
	case 'c':
		return c.Char(byte(x))
	case 'p':
		return c.Pointer(x)
	case 's':
		if x == 0 {
			return c.Null()
		}
		most := longest
		if c.Prec >= 0 { // behind that a string may have no end
			most = c.Prec
		}
		var s string
		s, f.ok = f.w.stringOf(f.in, f.lane, x, most)
		return c.String(s)
	}
	return c.Float(f64of(x))
}
