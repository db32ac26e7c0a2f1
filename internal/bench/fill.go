package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
)

// mix is the finaliser of splitmix64: it maps consecutive integers to
// pseudorandom ones.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fill returns the initial bytes of buffer i, the same in every run.
func (r *resolved) fill(i int) ([]byte, error) {
	b := &r.spec.Buffers[i]
	n, size := r.counts[i], b.Type.Size()
	data := make([]byte, n*int64(size))
	if b.Fill == "zero" {
		return data, nil
	}
	seed := uint64(len(b.Name))
	for _, c := range []byte(b.Name) {
		seed = mix(seed + uint64(c))
	}
	if b.Type.float() {
		return data, r.fillFloats(b, data, seed)
	}
	at, err := r.numbers(b, n, seed)
	if err != nil {
		return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
	}
	each(data, size, func(k int64, cell []byte) { putInt(cell, at(k)) })
	return data, nil
}

// each calls f for all cells of size bytes, on all processors: large sizes
// have hundreds of millions of elements.
func each(data []byte, size int, f func(k int64, cell []byte)) {
	const chunk = 1 << 20
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from := 0; from < len(data); from += chunk * size {
		free <- struct{}{}
		all.Go(func() {
			part := data[from:min(len(data), from+chunk*size)]
			for at := 0; at < len(part); at += size {
				f(int64((from+at)/size), part[at:at+size])
			}
			<-free
		})
	}
	all.Wait()
}

func (r *resolved) fillFloats(b *Buffer, data []byte, seed uint64) error {
	var args [2]float64
	for k, text := range b.Args {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("buffer %s: %q is not a number", b.Name, text)
		}
		args[k] = v
	}
	if b.Fill != "const" && b.Fill != "uniform" {
		return fmt.Errorf("buffer %s: %s requires an integer type", b.Name, b.Fill)
	}
	spread := 0.0
	if b.Fill == "uniform" {
		spread = (args[1] - args[0]) / (1 << 53)
	}
	each(data, b.Type.Size(), func(k int64, cell []byte) {
		putFloat(cell, args[0]+spread*float64(mix(seed+uint64(k))>>11))
	})
	return nil
}

// numbers returns the function that gives element k of a buffer of n numbers.
func (r *resolved) numbers(b *Buffer, n int64, seed uint64) (func(k int64) int64, error) {
	var args [2]int64
	for k, text := range b.Args {
		v, err := Expr(text).eval(r.env)
		if err != nil {
			return nil, err
		}
		args[k] = v
	}
	low, high := args[0], args[1]
	random := func(k int64, below uint64) int64 { return int64(mix(seed+uint64(k)) % below) }
	switch b.Fill {
	case "const":
		return func(int64) int64 { return low }, nil
	case "uniform":
		if high <= low {
			return nil, fmt.Errorf("the range from %d to %d is empty", low, high)
		}
		return func(k int64) int64 { return low + random(k, uint64(high-low)) }, nil
	case "sorted":
		if low < 1 {
			return nil, fmt.Errorf("the range below %d is empty", low)
		}
		return func(k int64) int64 { return within(k, n, low, mix(seed+uint64(k))) }, nil
	case "permutation":
		p := make([]int64, n)
		for k := range n { // swap with an earlier element
			j := random(k, uint64(k+1))
			p[k] = p[j]
			p[j] = k
		}
		return func(k int64) int64 { return p[k] }, nil
	case "rows":
		return func(k int64) int64 { return rowStart(k, n-1, low) }, nil
	case "neighbours":
		return neighbours(n, low, high, seed)
	}
	return nil, fmt.Errorf("there is no fill %q", b.Fill)
}

// within returns a pseudorandom number in the k-th of n equal parts of [0,
// high), so that the numbers ascend with k.
func within(k, n, high int64, random uint64) int64 {
	from, to := k*high/n, (k+1)*high/n
	if to <= from {
		return from
	}
	return from + int64(random%uint64(to-from))
}

// rowStart returns the start of row k of n rows: k*degree plus an offset of
// up to degree, so that rows have up to twice the degree, and all n together
// exactly n*degree entries.
func rowStart(k, n, degree int64) int64 {
	if k == 0 || k >= n {
		return k * degree
	}
	return k*degree + int64(mix(uint64(k)^0x726f7773)%uint64(degree+1))
}

// neighbours returns the columns, ascending in each row, of the rows that
// "rows degree" generates: total entries, all below n.
func neighbours(total, n, degree int64, seed uint64) (func(k int64) int64, error) {
	if degree < 1 || total%degree != 0 || n < 2*degree {
		return nil, fmt.Errorf("neighbours of degree %d do not fit %d entries below %d", degree, total, n)
	}
	rows := total / degree
	return func(k int64) int64 {
		row := k / degree // or the previous one: the row may begin up to degree later
		if rowStart(row, rows, degree) > k {
			row--
		}
		start, end := rowStart(row, rows, degree), rowStart(row+1, rows, degree)
		return within(k-start, end-start, n, mix(seed+uint64(k)))
	}, nil
}

// compare returns an error if the contents of a result differ by more than its
// tolerance.
func (b *Buffer) compare(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	size := b.Type.Size()
	wrong, first := 0, -1
	for k := 0; k < len(want); k += size {
		g, w := got[k:k+size], want[k:k+size]
		if bytes.Equal(g, w) {
			continue
		}
		if b.Tolerance > 0 {
			x, y := b.Type.value(g), b.Type.value(w)
			if math.Abs(x-y) <= b.Tolerance*max(math.Abs(x), math.Abs(y), 1) {
				continue
			}
		}
		if wrong++; first < 0 {
			first = k
		}
	}
	n := len(want) / size
	if float64(wrong) <= b.Share*float64(n) {
		return nil
	}
	return fmt.Errorf("%d of %d elements of %s differ, the first at %d: %v, want %v", wrong, n, b.Name, first/size,
		b.Type.value(got[first:first+size]), b.Type.value(want[first:first+size]))
}

// value returns the value of an element's bytes.
func (t Type) value(b []byte) float64 {
	switch t {
	case "i8":
		return float64(int8(b[0]))
	case "u8":
		return float64(b[0])
	case "i16":
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case "u16":
		return float64(binary.LittleEndian.Uint16(b))
	case "i32":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "u32":
		return float64(binary.LittleEndian.Uint32(b))
	case "i64":
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case "u64":
		return float64(binary.LittleEndian.Uint64(b))
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}
