package ptxrun

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/infile"
	"irgl/internal/ptx"
)

// An Arg is an argument of a kernel.
type Arg struct {
	Type    ptx.Type // of the number or of the elements; "" for bytes of a file
	Pointer bool     // to memory, or null
	Count   int64    // of elements; -1 for those of a file
	Fill    string   // what stands behind the equals sign, "" for nothing
}

var argForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z]+[0-9]*)(?:\[([0-9]*)\])?(?:=(.+))?$`) })

// types are those that numbers can have.
var types = []ptx.Type{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"}

// maxElements bounds the memory of an argument; a test replaces it.
var maxElements = int64(1 << 30)

// ParseArg reads the description of an argument.
func ParseArg(text string) (*Arg, error) {
	if text == "null" {
		return &Arg{Type: "u64", Pointer: true, Fill: "null"}, nil
	}
	m := argForm().FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("the argument %q is of none of the forms TYPE=NUMBER, TYPE[COUNT]=NUMBERS, bytes=@FILE and null", text)
	}
	a := &Arg{Type: ptx.Type(m[1]), Pointer: strings.Contains(text, "["), Count: -1, Fill: m[3]}
	file := strings.HasPrefix(a.Fill, "@")
	switch {
	case m[1] == "bytes":
		if a.Type = ""; a.Pointer || !file {
			return nil, fmt.Errorf("the argument %q: bytes are those of a file, bytes=@FILE", text)
		}
		return a, nil
	case !slices.Contains(types, a.Type):
		return nil, fmt.Errorf("the argument %q: there is no type %s (there are u8, s8 ... u64, s64, f16, bf16, f32 and f64)", text, a.Type)
	case a.Pointer && m[2] == "":
		if !file {
			return nil, fmt.Errorf("the argument %q has no number of elements", text)
		}
	case a.Pointer:
		n, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil || n < 1 || n > maxElements {
			return nil, fmt.Errorf("the argument %q: there can be 1 to %d elements", text, maxElements)
		}
		a.Count = n
	case a.Fill == "":
		return nil, fmt.Errorf("the argument %q has no value", text)
	}
	if !file {
		_, err := a.fill(rand.New(rand.NewPCG(0, 0)), min(max(a.Count, 1), 64))
		if err != nil {
			return nil, fmt.Errorf("the argument %q: %w", text, err)
		}
	}
	return a, nil
}

// data returns the bytes of the argument or of what it points to; nil for memory that nothing has written.
func (a *Arg) data(ctx context.Context, rng *rand.Rand) ([]byte, error) {
	name, ok := strings.CutPrefix(a.Fill, "@")
	if !ok {
		return a.fill(rng, max(a.Count, 1))
	}
	b, err := a.read(ctx, name)
	switch size := int64(a.size()); {
	case err != nil:
		return nil, err
	case len(b) == 0:
		return nil, fmt.Errorf("%s is empty", name)
	case a.Count >= 0 && int64(len(b)) != a.Count*size:
		return nil, fmt.Errorf("%s has %d bytes, %d elements of %s have %d", name, len(b), a.Count, a.Type, a.Count*size)
	case int64(len(b))%size != 0:
		return nil, fmt.Errorf("%s has %d bytes, which is no multiple of the %d of %s", name, len(b), size, a.Type)
	}
	return b, nil
}

// read returns what a file holds: maxElements at most, and as many bytes of a pipe or device, which need not end.
func (a *Arg) read(ctx context.Context, name string) ([]byte, error) {
	f, err := infile.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	most := maxElements
	if f.Size() > 0 {
		most *= int64(a.size())
	}
	b, err := infile.ReadAll(f, infile.Bounds{Size: f.Size(), Memory: most})
	if err != nil {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return b, errors.Join(err, f.Close())
}

// size returns the bytes of an element.
func (a *Arg) size() int { return max(1, a.Type.Size()) }

// fill returns n elements.
func (a *Arg) fill(rng *rand.Rand, n int64) ([]byte, error) {
	var out []byte
	add := func(v uint64) {
		out = append(out, binary.LittleEndian.AppendUint64(nil, v)[:a.size()]...)
	}
	switch a.Fill {
	case "", "null":
		return nil, nil
	case "iota", "rand":
		for i := range n {
			x := float64(i)
			if a.Fill == "rand" && a.isFloat() {
				x = rng.Float64()
			} else if a.Fill == "rand" {
				x = float64(rng.IntN(100))
			}
			add(a.bits(x))
		}
		return out, nil
	}
	list := strings.Split(a.Fill, ",")
	if int64(len(list)) > n {
		return nil, fmt.Errorf("%d numbers are given, there are %d elements", len(list), n)
	}
	var last uint64
	for i := range n {
		if i < int64(len(list)) {
			var err error
			if last, err = a.number(list[i]); err != nil {
				return nil, err
			}
		}
		add(last)
	}
	return out, nil
}

func (a *Arg) isFloat() bool { return a.Type[0] == 'f' || a.Type[0] == 'b' }

// number reads a number of the type.
func (a *Arg) number(text string) (uint64, error) {
	bits := 8 * a.size()
	var v uint64
	var err error
	switch a.Type[0] {
	case 'u':
		v, err = strconv.ParseUint(text, 0, bits)
	case 's':
		var s int64
		s, err = strconv.ParseInt(text, 0, bits)
		v = uint64(s)
	default:
		var x float64
		x, err = strconv.ParseFloat(text, max(32, bits))
		v = a.bits(x)
	}
	if err != nil {
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%s is out of the range of %s", text, a.Type)
		}
		return 0, fmt.Errorf("%q is no number of type %s", text, a.Type)
	}
	return v, nil
}

// bits returns a number as memory holds it.
func (a *Arg) bits(x float64) uint64 {
	switch a.Type {
	case "f64":
		return math.Float64bits(x)
	case "f32":
		return uint64(math.Float32bits(float32(x)))
	case "f16", "bf16":
		return uint64(toHalf(a.Type, x))
	}
	if x < 0 {
		return uint64(int64(x))
	}
	return uint64(x)
}

// Text returns the elements of memory that the argument points to, with commas between them.
func (a *Arg) Text(data []byte) string {
	var list []string
	for size := a.size(); len(data) >= size; data = data[size:] {
		var word [8]byte
		copy(word[:], data[:size])
		v := binary.LittleEndian.Uint64(word[:])
		switch a.Type[0] {
		case 'u':
			list = append(list, strconv.FormatUint(v, 10))
		case 's':
			shift := 64 - 8*size
			list = append(list, strconv.FormatInt(int64(v<<shift)>>shift, 10))
		default:
			list = append(list, a.float(v))
		}
	}
	return strings.Join(list, ", ")
}

// float returns the shortest text of a floating-point number.
func (a *Arg) float(v uint64) string {
	switch a.Type {
	case "f64":
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case "f32":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	}
	return strconv.FormatFloat(fromHalf(a.Type, uint16(v)), 'g', -1, 32)
}

// fromHalf returns the value of an f16 or a bf16.
func fromHalf(t ptx.Type, h uint16) float64 {
	if t == "bf16" {
		return float64(math.Float32frombits(uint32(h) << 16))
	}
	exp, frac := int(h>>10&31), float64(h&1023)
	x := math.Ldexp(frac+1024, exp-25)
	switch {
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		x = math.Inf(1)
	case exp == 0:
		x = math.Ldexp(frac, -24)
	}
	if h>>15 != 0 {
		return -x
	}
	return x
}

// toHalf returns the f16 or bf16 that is nearest, of two the even one.
func toHalf(t ptx.Type, x float64) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	mag, inf := math.Abs(x), uint16(0x7c00)
	if t == "bf16" {
		inf = 0x7f80
	}
	if x != x {
		return inf | 1
	}
	// The bits of numbers that are not negative are in the order of the numbers.
	lo, hi := uint16(0), inf
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; fromHalf(t, mid) <= mag {
			lo = mid
		} else {
			hi = mid
		}
	}
	next := fromHalf(t, hi)
	if hi == inf { // where infinity stands
		next = 2*fromHalf(t, lo) - fromHalf(t, lo-1)
	}
	if middle := (fromHalf(t, lo) + next) / 2; mag > middle || mag == middle && lo&1 != 0 {
		lo = hi
	}
	return sign | lo
}
