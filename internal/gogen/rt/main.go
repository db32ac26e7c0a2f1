package rt

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strconv"
	"unsafe"
)

// The subprocess protocol. A program built on its own is run as
//
//	program GRAPH RESULT WORKERS ARG...
//
// GRAPH is a file of three numbers (nodes, arcs, 1 with weights), RowStart, Dst,
// and Weight, each padded to 8 bytes. An ARG is a value's bits in hexadecimal.
// What the program prints goes to standard output. RESULT is written as
// [WriteResult] does it. Numbers are in the machine's own byte order.

// Main is the main function of a program built on its own.
func Main(p *Program) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := p.main(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (p *Program) main(ctx context.Context, args []string) error {
	if len(args) != 3+len(p.Params) {
		return fmt.Errorf("usage: %s GRAPH RESULT WORKERS ARG... (%d of them)", p.Name, len(p.Params))
	}
	g, err := ReadGraph(args[0])
	if err != nil {
		return err
	}
	in := Input{Graph: g, Stdout: os.Stdout}
	if in.Workers, err = strconv.Atoi(args[2]); err != nil {
		return err
	}
	for i, k := range p.Params {
		b, err := strconv.ParseUint(args[3+i], 16, 64)
		if err != nil {
			return err
		}
		v := Value{Kind: k, Int: int64(b)}
		if k >= Float32 {
			v.Float = math.Float64frombits(b)
		}
		in.Args = append(in.Args, v)
	}
	res, err := p.Execute(ctx, in)
	if err != nil {
		return err
	}
	f, err := os.Create(args[1])
	if err != nil {
		return err
	}
	return errors.Join(WriteResult(f, res), f.Close())
}

// ArgBits returns a value as the protocol writes it.
func ArgBits(v Value) string {
	if v.Kind >= Float32 {
		return strconv.FormatUint(math.Float64bits(v.Float), 16)
	}
	return strconv.FormatUint(uint64(v.Int), 16)
}

// pod returns the bytes of s.
func pod[T Scalar](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// aligned returns n rounded up to a multiple of 8.
func aligned(n int) int { return (n + 7) &^ 7 }

// WriteGraph writes g as the protocol has it.
func WriteGraph(w io.Writer, g *Graph) error {
	head := []uint64{uint64(max(1, len(g.RowStart)) - 1), uint64(len(g.Dst)), 0}
	row := g.RowStart
	if len(row) == 0 {
		row = []uint64{0}
	}
	if g.Weight != nil {
		head[2] = 1
	}
	for _, part := range [][]byte{pod(head), pod(row), pod(g.Dst), pod(g.Weight)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, aligned(len(part))-len(part))); err != nil {
			return err
		}
	}
	return nil
}

// ReadGraph maps a file that WriteGraph made. The mapping stays until the
// process ends.
func ReadGraph(name string) (*Graph, error) {
	b, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	u64 := binary.NativeEndian.Uint64
	if len(b) < 24 {
		return nil, fmt.Errorf("%s: too short for a graph", name)
	}
	n, m, weights := u64(b), u64(b[8:]), u64(b[16:])
	b = b[24:]
	size := uint64(len(b))
	if n >= size/8 || m > size/4 || 8*(n+1)+(4*m+7)&^7*(1+min(weights, 1)) != size {
		return nil, fmt.Errorf("%s: not a graph of %d nodes and %d arcs", name, n, m)
	}
	g := &Graph{RowStart: slice[uint64](b, int(n)+1)}
	b = b[8*(n+1):]
	g.Dst = slice[uint32](b, int(m))
	if weights != 0 {
		g.Weight = slice[int32](b[(4*m+7)&^7:], int(m))
	}
	return g, nil
}

// slice returns the first n Ts of b, which is aligned and long enough.
func slice[T Scalar](b []byte, n int) []T {
	if n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// WriteResult writes a result: the two counts, the properties, the globals.
func WriteResult(w io.Writer, res *Result) error {
	b := bufio.NewWriterSize(w, 1<<16)
	putInts(b, res.Iterations, res.Launches, int64(len(res.Props)), int64(len(res.Globals)))
	for _, c := range res.Props {
		putInts(b, int64(c.Of))
		putArray(b, c.Name, c.Type, c.Kind, c.Data)
	}
	for _, g := range res.Globals {
		putArray(b, g.Name, g.Type, g.Kind, g.Data)
	}
	return b.Flush()
}

// putInts and putArray leave errors to the Flush at the end.
func putInts(b *bufio.Writer, v ...int64) { b.Write(pod(v)) }

func putArray(b *bufio.Writer, name, typ string, k Kind, data any) {
	raw, n := bytesOf(data)
	putInts(b, int64(len(name)), int64(len(typ)), int64(k), int64(n))
	b.WriteString(name + typ)
	b.Write(raw)
}

// bytesOf returns the bytes of a slice of a kind, and its length.
func bytesOf(data any) ([]byte, int) {
	switch d := data.(type) {
	case []int8:
		return pod(d), len(d)
	case []uint8:
		return d, len(d)
	case []int16:
		return pod(d), len(d)
	case []uint16:
		return pod(d), len(d)
	case []int32:
		return pod(d), len(d)
	case []uint32:
		return pod(d), len(d)
	case []int64:
		return pod(d), len(d)
	case []uint64:
		return pod(d), len(d)
	case []float32:
		return pod(d), len(d)
	case []float64:
		return pod(d), len(d)
	}
	return nil, 0
}

// makeSlice returns a slice of n values of kind k.
func makeSlice(k Kind, n int) any {
	return [numKinds]func() any{
		func() any { return make([]int8, n) }, func() any { return make([]uint8, n) },
		func() any { return make([]int16, n) }, func() any { return make([]uint16, n) },
		func() any { return make([]int32, n) }, func() any { return make([]uint32, n) },
		func() any { return make([]int64, n) }, func() any { return make([]uint64, n) },
		func() any { return make([]float32, n) }, func() any { return make([]float64, n) },
	}[k]()
}

// ReadResult reads what WriteResult wrote, of at most size bytes.
func ReadResult(r io.Reader, size int64) (*Result, error) {
	d := decoder{r: bufio.NewReaderSize(r, 1<<16), left: size}
	res := &Result{Iterations: d.int(), Launches: d.int()}
	props, globals := d.int(), d.int()
	for i := int64(0); i < props && d.err == nil; i++ {
		c := Column{Of: uint8(d.int())}
		c.Name, c.Type, c.Kind, c.Data = d.array()
		res.Props = append(res.Props, c)
	}
	for i := int64(0); i < globals && d.err == nil; i++ {
		var g Global
		g.Name, g.Type, g.Kind, g.Data = d.array()
		res.Globals = append(res.Globals, g)
	}
	if d.err != nil {
		return nil, fmt.Errorf("result of the program: %w", d.err)
	}
	return res, nil
}

type decoder struct {
	r    *bufio.Reader
	left int64
	err  error
}

func (d *decoder) read(b []byte) {
	if d.err == nil {
		_, d.err = io.ReadFull(d.r, b)
		d.left -= int64(len(b))
	}
}

func (d *decoder) int() int64 {
	var v [1]int64
	d.read(pod(v[:]))
	return v[0]
}

func (d *decoder) array() (name, typ string, k Kind, data any) {
	nameLen, typLen, kind, n := d.int(), d.int(), d.int(), d.int()
	within := func(v, limit int64) bool { return v >= 0 && v < limit }
	if d.err == nil && !(within(nameLen, d.left) && within(typLen, d.left) && within(kind, int64(numKinds)) && within(n, d.left+1)) {
		d.err = errors.New("not well formed")
	}
	if d.err != nil {
		return "", "", 0, nil
	}
	b := make([]byte, nameLen+typLen)
	d.read(b)
	data = makeSlice(Kind(kind), int(n))
	raw, _ := bytesOf(data)
	d.read(raw)
	return string(b[:nameLen]), string(b[nameLen:]), Kind(kind), data
}
