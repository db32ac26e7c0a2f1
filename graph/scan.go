package graph

import (
	"bytes"
	"context"
	"math"
	"strconv"
)

// This file has the byte-level reading that all text formats share. Functions
// ending in At take the content and an index and return the index after what
// they read; none of them allocates.

func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' }
func isDigit(c byte) bool  { return c-'0' <= 9 }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// blanksAt skips spaces, tabs and carriage returns.
func blanksAt(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

// separatorAt skips blanks with at most one comma among them.
func separatorAt(b []byte, i int) int {
	i = blanksAt(b, i)
	if i < len(b) && b[i] == ',' {
		i = blanksAt(b, i+1)
	}
	return i
}

// uintAt reads an unsigned number. It returns i itself when there is no digit
// there, and -1 when the number has more than 19 digits.
func uintAt(b []byte, i int) (uint64, int) {
	var v uint64
	j := i
	for j < len(b) {
		c := b[j] - '0'
		if c > 9 {
			break
		}
		v = v*10 + uint64(c)
		j++
	}
	if j-i > 19 { // 10^19-1 fits in 64 bits
		return 0, -1
	}
	return v, j
}

// intAt reads a number of 32 bits with an optional sign. It returns i itself
// when there is no number there, and -1 when it does not fit.
func intAt(b []byte, i int) (int32, int) {
	start, negative := i, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	v, j := uintAt(b, i)
	switch {
	case j == i:
		return 0, start
	case j < 0 || v > math.MaxInt32+1 || v > math.MaxInt32 && !negative:
		return 0, -1
	case negative:
		return int32(-int64(v)), j
	}
	return int32(v), j
}

// powers of ten that a float64 holds exactly.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// floatAt reads a decimal number, correctly rounded. It returns i itself when
// there is none there or when it is not finite.
//
// When the digits and the power of ten are both exact in a float64, one
// multiplication or division rounds correctly; strconv does the other cases.
func floatAt(b []byte, i int) (float64, int) {
	j := i
	if j < len(b) && (b[j] == '-' || b[j] == '+') {
		j++
	}
	var mantissa uint64
	digits, scale := 0, 0
	for point := false; j < len(b); j++ {
		if c := b[j]; isDigit(c) {
			mantissa = mantissa*10 + uint64(c-'0')
			digits++
			if point {
				scale--
			}
		} else if c == '.' && !point {
			point = true
		} else {
			break
		}
	}
	if digits == 0 {
		return 0, i
	}
	simple := digits <= 15 && -scale <= 22
	if j < len(b) && (b[j] == 'e' || b[j] == 'E') {
		k := j + 1
		if k < len(b) && (b[k] == '-' || b[k] == '+') {
			k++
		}
		if k < len(b) && isDigit(b[k]) {
			for k < len(b) && isDigit(b[k]) {
				k++
			}
			j, simple = k, false
		}
	}
	if !simple {
		v, err := strconv.ParseFloat(string(b[i:j]), 64)
		if err != nil {
			return 0, i
		}
		return positiveZero(v), j
	}
	v := float64(mantissa) / pow10[-scale]
	if b[i] == '-' {
		v = -v
	}
	return positiveZero(v), j
}

// positiveZero makes -0 the 0 that an integer weight of -0 is: which of the two
// readers takes a line must not show.
func positiveZero(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v
}

// nextLine returns the start of the line after the one that i is in.
func nextLine(b []byte, i int) int {
	if k := bytes.IndexByte(b[i:], '\n'); k >= 0 {
		return i + k + 1
	}
	return len(b)
}

// lineAt returns the rest of the line at i, without its end and blanks around.
func lineAt(b []byte, i int) []byte {
	end := nextLine(b, i)
	for i < end && isBlank(b[i]) {
		i++
	}
	for end > i && (isBlank(b[end-1]) || b[end-1] == '\n') {
		end--
	}
	return b[i:end]
}

// skipComments returns the start of the first line, from off on, that is not
// blank and does not start with one of the given bytes.
func skipComments(b []byte, off int, marks string) int {
	for off < len(b) {
		line := lineAt(b, off)
		if len(line) > 0 && bytes.IndexByte([]byte(marks), line[0]) < 0 {
			break
		}
		off = nextLine(b, off)
	}
	return off
}

// splitFields cuts a line at blanks and commas.
func splitFields(line []byte) [][]byte {
	return bytes.FieldsFunc(line, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\r' || r == ','
	})
}

// minChunk is the size from which text is cut into pieces.
const minChunk = 1 << 18

// chunks cuts the text from off on into pieces that end at line ends, and
// returns their bounds: piece i is data[bounds[i]:bounds[i+1]]. There are at
// most 2048 pieces, for the construction keeps counters for each.
func (in *input) chunks(off int) []int {
	b := in.data
	size := max(1, in.minChunk, (len(b)-off)/2048)
	bounds := []int{off}
	for off < len(b) {
		off = min(off+size, len(b))
		if off < len(b) {
			off = nextLine(b, off-1)
		}
		bounds = append(bounds, off)
	}
	return bounds
}

// parseChunks calls parse for every piece of the text from off on, in
// parallel, and returns the results in order.
func parseChunks[T any](ctx context.Context, in *input, off int, parse func(lo, hi int) (T, error)) ([]T, error) {
	bounds := in.chunks(off)
	results := make([]T, len(bounds)-1)
	err := parallelTasks(ctx, len(results), func(_, i int) error {
		var err error
		results[i], err = parse(bounds[i], bounds[i+1])
		in.advanceParsed(bounds[i+1] - bounds[i])
		return err
	})
	return results, err
}

// checkNodes refuses a number of nodes that is too large, or out of all
// proportion to the size of the input, before memory is taken for it. off is
// the place of the number.
func (in *input) checkNodes(n uint64, off int) error {
	if n > MaxNodes {
		return in.textError(off, "%d nodes; at most %d are supported", n, MaxNodes)
	}
	if n > 1<<20+16*uint64(len(in.data)) {
		return in.textError(off, "the header promises %d nodes, but the file has only %d bytes", n, len(in.data))
	}
	return nil
}
