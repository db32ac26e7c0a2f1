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
	"syscall"
	"unsafe"
)

// The protocol between a program built on its own and the process that starts it:
//
//	program INPUT RESULT WORKERS ROOM COLLECT ARG...
//
// INPUT and RESULT are numbers of inherited file descriptors, or names of files
// where a process inherits none. INPUT holds eight numbers (nodes, arcs, 1 with
// weights, points, elements, 1 with marks of deleted elements, 1 with the transposed
// graph, 3 with that but not its weights or 2 when it is the graph itself, 1 with
// sources of arcs) and these arrays, each padded to 8 bytes: RowStart, Dst, and
// Weight of the graph and of the transposed graph, the sources, X, Y, Points,
// Neighbors and Deleted of the mesh. An array that the program does not use is
// empty. An ARG is a value's bits in hexadecimal. What the program prints goes to
// standard output. RESULT is written as [WriteResult] or [WriteFault] does it.
// Numbers are in the machine's own byte order.
//
// Standard input is a lifeline: the parent never writes to it, and its end of file
// says that the parent has ended, however it did. The program then removes INPUT and
// RESULT, if they are named files, and ends.

// Main is the main function of a program built on its own.
func Main(p *Program) {
	// A broken pipe is an error of the write, not a signal that ends the process.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := p.main(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// mainArgs is how many arguments are before those of the entry function.
const mainArgs = 5

func (p *Program) main(ctx context.Context, args []string) error {
	if len(args) != mainArgs+len(p.Params) {
		return fmt.Errorf("usage: %s INPUT RESULT WORKERS ROOM COLLECT ARG... (%d of them)", p.Name, len(p.Params))
	}
	go endWithParent(args[0], args[1])
	input, err := inherited(args[0])
	if err != nil {
		return err
	}
	g, m, err := ReadInput(input)
	if err != nil {
		return err
	}
	in := Input{Graph: g, Mesh: m, Stdout: os.Stdout}
	collect := 0
	for i, to := range []*int{&in.Workers, &in.Room, &collect} {
		if *to, err = strconv.Atoi(args[2+i]); err != nil {
			return err
		}
	}
	in.Collect = Collect(collect)
	for i, k := range p.Params {
		b, err := strconv.ParseUint(args[mainArgs+i], 16, 64)
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
	fault, ok := errors.AsType[*Fault](err)
	if err != nil && !ok {
		return err
	}
	f, err := inherited(args[1])
	if err != nil {
		return err
	}
	if fault != nil {
		return errors.Join(WriteFault(f, fault), f.Close())
	}
	return errors.Join(WriteResult(f, res), f.Close())
}

// endWithParent waits for the end of the lifeline, and ends the process.
func endWithParent(files ...string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, name := range files {
		if _, err := strconv.Atoi(name); err != nil {
			_ = os.Remove(name)
		}
	}
	os.Exit(1)
}

// inherited opens an argument that is a file descriptor's number or a file's name.
func inherited(arg string) (*os.File, error) {
	if fd, err := strconv.Atoi(arg); err == nil {
		return os.NewFile(uintptr(fd), "file descriptor "+arg), nil
	}
	return os.OpenFile(arg, os.O_RDWR, 0)
}

// ArgBits returns a value as the protocol writes it.
func ArgBits(v Value) string {
	if v.Kind >= Float32 {
		return strconv.FormatUint(math.Float64bits(v.Float), 16)
	}
	return strconv.FormatUint(uint64(v.Int), 16)
}

// pod returns the bytes of s.
func pod[T Scalar | [3]int32 | bool](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// aligned returns n rounded up to a multiple of 8.
func aligned(n uint64) uint64 { return (n + 7) &^ 7 }

// WriteInput writes a graph and a mesh as the protocol has it; nil is for none.
func WriteInput(w io.Writer, g *Graph, m *Mesh) error {
	if g == nil {
		g = &Graph{}
	}
	if m == nil {
		m = &Mesh{}
	}
	head := make([]uint64, inputNumbers)
	copy(head, []uint64{uint64(max(1, len(g.RowStart)) - 1), uint64(len(g.Dst)), 0, uint64(len(m.X)), uint64(len(m.Points)), 0})
	row := g.RowStart
	if len(row) == 0 {
		row = []uint64{0}
	}
	if g.Weight != nil {
		head[2] = 1
	}
	if m.Deleted != nil {
		head[5] = 1
	}
	in := &Graph{}
	switch {
	case g.In == g:
		head[6] = 2
	case g.In != nil && len(g.RowStart) > 0:
		head[6], in = 1, g.In
		if in.Weight == nil {
			head[6] = 3
		}
	}
	if g.Src != nil {
		head[7] = 1
	}
	for _, part := range [][]byte{
		pod(head), pod(row), pod(g.Dst), pod(g.Weight), pod(in.RowStart), pod(in.Dst), pod(in.Weight), pod(g.Src), pod(m.X), pod(m.Y), pod(m.Points), pod(m.Neighbors), pod(m.Deleted),
	} {
		if _, err := w.Write(part); err != nil {
			return err
		}
		n := uint64(len(part))
		if _, err := w.Write(make([]byte, aligned(n)-n)); err != nil {
			return err
		}
	}
	return nil
}

// inputNumbers is how many numbers are before the arrays of an input.
const inputNumbers = 8

// ReadInput maps a file that WriteInput made, and closes it. The mapping stays until
// the process ends.
func ReadInput(f *os.File) (*Graph, *Mesh, error) {
	name := f.Name()
	b, err := mapFile(f)
	err = errors.Join(err, f.Close())
	if err != nil {
		return nil, nil, err
	}
	if len(b) < 8*inputNumbers {
		return nil, nil, fmt.Errorf("%s: too short for a graph and a mesh", name)
	}
	var head [inputNumbers]uint64
	for i := range head {
		head[i] = binary.NativeEndian.Uint64(b[8*i:])
	}
	nodes, arcs, weights, points, elements, marks := head[0], head[1], min(head[2], 1), head[3], head[4], min(head[5], 1)
	in := reader{b: b[8*inputNumbers:], ok: max(nodes, elements) < math.MaxInt64/4}
	g := &Graph{RowStart: take[uint64](&in, nodes+1), Dst: take[uint32](&in, arcs)}
	if w := take[int32](&in, weights*arcs); weights != 0 {
		g.Weight = w
	}
	g.readViews(&in, nodes, weights, head[6], head[7])
	m := &Mesh{X: take[float64](&in, points), Y: take[float64](&in, points)}
	corners, neighbors := take[int32](&in, 3*elements), take[int32](&in, 3*elements)
	deleted := take[uint8](&in, marks*elements)
	if !in.ok || len(in.b) != 0 {
		return nil, nil, fmt.Errorf("%s: not a graph of %d nodes and %d arcs and a mesh of %d points and %d elements", name, nodes, arcs, points, elements)
	}
	m.Points, m.Neighbors = triples(corners), triples(neighbors)
	if marks != 0 {
		m.Deleted = make([]bool, len(deleted))
		for i, v := range deleted {
			m.Deleted[i] = v != 0
		}
	}
	return g, m, nil
}

// readViews takes the graph transposed and the sources from an input; the
// numbers are those of its head.
func (g *Graph) readViews(in *reader, nodes, weights, turned, sources uint64) {
	arcs := uint64(len(g.Dst))
	switch turned {
	case 1, 3:
		g.In = &Graph{RowStart: take[uint64](in, nodes+1), Dst: take[uint32](in, arcs)}
		if turned == 3 {
			break // no program asks for its weights
		}
		if w := take[int32](in, weights*arcs); weights != 0 {
			g.In.Weight = w
		}
	case 2:
		g.In = g
	}
	if s := take[uint32](in, min(sources, 1)*arcs); sources != 0 {
		g.Src = s
	}
}

// A reader is what is left of an input; ok says that it was long enough so far.
type reader struct {
	b  []byte
	ok bool
}

// take returns the next n Ts, and passes over their padding.
func take[T Scalar](in *reader, n uint64) []T {
	var x T
	size := uint64(unsafe.Sizeof(x))
	if in.ok = in.ok && n <= uint64(len(in.b))/size && aligned(n*size) <= uint64(len(in.b)); !in.ok || n == 0 {
		return []T{}
	}
	s := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(in.b))), n)
	in.b = in.b[aligned(n*size):]
	return s
}

// triples returns s, three at a time.
func triples(s []int32) [][3]int32 {
	if len(s) < 3 {
		return [][3]int32{}
	}
	return unsafe.Slice((*[3]int32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)/3)
}

// The first number of a result says what it is.
const (
	resultOK = iota
	resultFault
)

// WriteFault writes a fault in place of a result.
func WriteFault(w io.Writer, f *Fault) error {
	b := bufio.NewWriter(w)
	putInts(b, resultFault, int64(f.Kind), int64(f.Place.From), int64(f.Place.To))
	putArray(b, "", "", Uint8, []byte(f.Message))
	return b.Flush()
}

// WriteResult writes a result: the three counts, the properties, the globals, and
// the mesh and the profile when there is one.
func WriteResult(w io.Writer, res *Result) error {
	b := bufio.NewWriterSize(w, 1<<16)
	putInts(b, resultOK, res.Iterations, res.Launches, res.Restarts, int64(len(res.Props)), int64(len(res.Globals)), B[int64](res.Mesh != nil), B[int64](res.Profile != nil))
	for _, c := range res.Props {
		putInts(b, int64(c.Of))
		putArray(b, c.Name, c.Type, c.Kind, c.Data)
	}
	for _, g := range res.Globals {
		putArray(b, g.Name, g.Type, g.Kind, g.Data)
	}
	if m := res.Mesh; m != nil {
		corners, neighbors := flat(m.Points), flat(m.Neighbors)
		deleted := make([]uint8, len(m.Points))
		for i, is := range m.Deleted {
			deleted[i] = B[uint8](is)
		}
		for i, data := range []any{m.X, m.Y, corners, neighbors, deleted} {
			putArray(b, "", "", meshKinds[i], data)
		}
	}
	if res.Profile != nil {
		putProfile(b, res.Profile)
	}
	return b.Flush()
}

// meshKinds are the kinds of the five arrays of a mesh in a result.
var meshKinds = [...]Kind{Float64, Float64, Int32, Int32, Uint8}

// flat is the inverse of triples.
func flat(s [][3]int32) []int32 {
	if len(s) == 0 {
		return []int32{}
	}
	return unsafe.Slice(&s[0][0], 3*len(s))
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

// ReadResult reads what WriteResult wrote, of at most size bytes. The error is the
// *Fault that WriteFault wrote.
func ReadResult(r io.Reader, size int64) (*Result, error) {
	d := decoder{r: bufio.NewReaderSize(r, 1<<16), left: size}
	if d.int() == resultFault {
		return nil, d.fault()
	}
	res := &Result{Iterations: d.int(), Launches: d.int(), Restarts: d.int()}
	props, globals, mesh, profile := d.int(), d.int(), d.int(), d.int()
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
	if mesh != 0 && d.err == nil {
		res.Mesh = d.mesh()
	}
	if profile != 0 && d.err == nil {
		res.Profile = d.profile()
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

// fault reads a fault.
func (d *decoder) fault() error {
	f := &Fault{Kind: FaultKind(d.int()), Place: Place{int32(d.int()), int32(d.int())}, at: -1}
	_, _, kind, data := d.array()
	if text, ok := data.([]byte); ok && kind == Uint8 && d.err == nil {
		f.Message = string(text)
		return f
	}
	return fmt.Errorf("result of the program: %w", errors.Join(d.err, errors.New("not well formed")))
}

// mesh reads the mesh of a result.
func (d *decoder) mesh() *Mesh {
	var parts [len(meshKinds)]any
	for i := range parts {
		var k Kind
		if _, _, k, parts[i] = d.array(); d.err == nil && k != meshKinds[i] {
			d.err = errors.New("not a mesh")
		}
		if d.err != nil {
			return nil
		}
	}
	m := &Mesh{X: parts[0].([]float64), Y: parts[1].([]float64), Points: triples(parts[2].([]int32)), Neighbors: triples(parts[3].([]int32))}
	for _, v := range parts[4].([]uint8) {
		m.Deleted = append(m.Deleted, v != 0)
	}
	return m
}

func (d *decoder) array() (name, typ string, k Kind, data any) {
	nameLen, typLen, kind, n := d.int(), d.int(), d.int(), d.int()
	within := func(v, limit int64) bool { return v >= 0 && v < limit }
	if d.err == nil && !(within(nameLen, d.left+1) && within(typLen, d.left+1) && within(kind, int64(numKinds)) && within(n, d.left+1)) {
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
