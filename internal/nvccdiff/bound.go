package nvccdiff

import (
	"bytes"
	"fmt"
	"math"
)

// Contraction, and another sinf, change results by little. A difference that is not little is a
// fault, even if the results agree without contraction: of the contraction itself.

const (
	// boundULP is how many units in the last place of the largest result in a buffer a
	// result may be off; with special numbers, of the result itself.
	boundULP = 256
	// boundTimes is how many times as far as a result may be off as contraction moves it, in the code of
	// both compilers.
	boundTimes = 4
)

// A change is what the code of both compilers leaves in a buffer with contraction and without.
type change struct{ before, ours, theirs, plainOurs, plainTheirs []byte }

// unexplained returns the first difference of the results of a run that is larger than contraction makes it, "" if
// there is none. The results without contraction may be nil.
func (w *failure) unexplained(k *kernelPair, plainOurs, plainTheirs *memory) string {
	if plainOurs == nil {
		plainOurs, plainTheirs = w.ours, w.theirs
	}
	for i, b := range w.a.buffers {
		if d := b.unexplained(k, w.a, change{b.data, w.ours.buffers[i], w.theirs.buffers[i], plainOurs.buffers[i], plainTheirs.buffers[i]}); d != "" {
			return d
		}
	}
	for i, g := range k.globals {
		if d := g.unexplained(k, w.a, change{w.a.vars[i], w.ours.globals[i], w.theirs.globals[i], plainOurs.globals[i], plainTheirs.globals[i]}); d != "" {
			return d
		}
	}
	return ""
}

func (b *buffer) unexplained(k *kernelPair, a *attempt, c change) string {
	largest, widens := map[format]float64{}, k.widens
	b.elements(c.theirs, func(l *leaf, from, to int64) bool {
		if c.before != nil && bytes.Equal(c.theirs[from:to], c.before[from:to]) || a.special == specialFloats {
			return true
		}
		x := get(c.theirs[from:to], l.size)
		if f, ok := l.format(x, x); ok {
			if x := math.Abs(f.value(x)); !math.IsInf(x, 0) && x > largest[f] { // false for NaN
				largest[f] = x
			}
		}
		return true
	})
	found := ""
	b.elements(c.theirs, func(l *leaf, from, to int64) bool {
		found = l.compare(c.ours[from:to], c.theirs[from:to], MaxULP)
		if found == "" {
			return true
		}
		at := func(data []byte) uint64 { return get(data[from:to], l.size) }
		if l.near(at(c.ours), at(c.theirs), at(c.plainOurs), at(c.plainTheirs), largest, widens) {
			found = ""
			return true
		}
		found = fmt.Sprintf("%s, byte %d: %s", b.name, from, found)
		return false
	})
	return found
}

// near reports whether x, which differs from nvcc's y, is as near to it as contraction explains; plainX and
// plainY are the results without. widens says that doubles come from floats.
func (l *leaf) near(x, y, plainX, plainY uint64, largest map[format]float64, widens bool) bool {
	f, ok := l.format(x, y)
	if !ok { // a number cut to an integer, or what a comparison selects
		return x-y+1 <= 2 || x != plainX && y != plainY
	}
	a, b := f.value(x), f.value(y)
	off := math.Abs(a - b)
	if math.IsNaN(off) || math.IsInf(off, 0) {
		return f.distance(x, plainX) > MaxULP && f.distance(y, plainY) > MaxULP
	}
	fraction := f.fraction
	if widens {
		fraction = min(fraction, formats[float].fraction)
	}
	if off <= boundULP*math.Ldexp(max(largest[f], math.Abs(b)), -int(fraction)) {
		return true
	}
	moved := min(math.Abs(a-f.value(plainX)), math.Abs(b-f.value(plainY)))
	return off <= boundTimes*moved
}

// elements calls visit for each scalar of a content but pointers, until it returns false.
func (b *buffer) elements(data []byte, visit func(l *leaf, from, to int64) bool) {
	for at := int64(0); at+b.stride <= int64(len(data)); at += b.stride {
		for i := range b.leaves {
			if l := &b.leaves[i]; l.kind != pointer && !visit(l, at+l.at, at+l.at+l.size) {
				return
			}
		}
	}
}

// value returns the number that bits stand for.
func (f format) value(a uint64) float64 {
	switch f.bits {
	case 64:
		return math.Float64frombits(a)
	case 32:
		return float64(math.Float32frombits(uint32(a)))
	}
	if f.fraction == 7 {
		return float64(math.Float32frombits(uint32(a) << 16))
	}
	sign, exponent, fraction := 1.0, int(a>>10&31), float64(a&1023)
	if a&0x8000 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
