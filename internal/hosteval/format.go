package hosteval

import (
	"math"
	"strings"

	"irgl/internal/cformat"
)

// A cursor takes the arguments of a call one after the other.
type cursor struct {
	c         *call
	args, all []uint64
}

// from returns a cursor at an argument, from 1.
func (a *cursor) from(position int) *cursor {
	return &cursor{a.c, a.all[min(position-1, len(a.all)):], a.all}
}

func (a *cursor) next() uint64 {
	if len(a.args) == 0 {
		a.c.Stop("the format of %s asks for more arguments than there are", a.c.Name)
		return 0
	}
	v := a.args[0]
	a.args = a.args[1:]
	return v
}

// star returns the width or precision that is an argument.
func (a *cursor) star(position int) int32 {
	if position > 0 {
		a = a.from(position)
	}
	return int32(a.next())
}

// sprintf expands the format at an address with the arguments; false after it has stopped the
// program.
func sprintf(c *call, format uint64, args []uint64) (string, bool) {
	f, ok := text(c, format)
	if !ok {
		return "", false
	}
	a := &cursor{c, args, args}
	var b strings.Builder
	for i := 0; i < len(f) && !c.Stopped(); {
		n := strings.IndexByte(f[i:], '%')
		if n < 0 {
			b.WriteString(f[i:])
			break
		}
		b.WriteString(f[i : i+n])
		i += n
		v, used := cformat.Parse(f[i+1:], a.star)
		if v.Verb == 0 {
			b.WriteString(f[i : i+1+used])
		} else {
			b.WriteString(a.convert(v, b.Len()))
		}
		i += 1 + used
	}
	return b.String(), !c.Stopped()
}

// convert returns what a conversion makes of the next argument, behind so many bytes.
func (a *cursor) convert(v cformat.Conversion, written int) string {
	if v.Verb == '%' {
		return "%"
	}
	if v.Position > 0 {
		a = a.from(v.Position)
	}
	x := a.next()
	if a.c.Stopped() {
		return ""
	}
	switch v.Verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		return v.Int(x)
	case 'c':
		return v.Char(byte(x))
	case 's':
		return a.string(v, x)
	case 'p':
		return v.Pointer(x)
	case 'n':
		put32(a.c, x, uint32(written))
		return ""
	}
	return v.Float(math.Float64frombits(x))
}

// string reads no more of a string than the precision says: behind that it may have no end.
func (a *cursor) string(v cformat.Conversion, p uint64) string {
	switch {
	case p == 0:
		return v.Null()
	case v.Prec >= 0:
		return v.String(bounded(a.c, p, uint64(v.Prec)))
	}
	s, _ := text(a.c, p)
	return v.String(s)
}
