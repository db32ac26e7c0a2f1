package prepare

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/source"
	"irgl/syntax"
)

//go:embed prepare.cu
var kernels []byte

// The shape of the kernels, as prepare.cu has it.
const (
	threads  = 256
	digits   = 256 // values of a digit of a sort
	digit    = 8   // its bits
	tile     = 4096
	listTile = 2048
	scanTile = 2048
)

// MaxArcs is the largest number of arcs of a list: indices of 32 bits do not wrap at the
// end of its last tile.
const MaxArcs = 1<<32 - 1 - tile

// A Kit is the kernels on a device. Like the device, it is not safe for use by several
// goroutines at once.
type Kit struct {
	dev    device.Device
	module device.Module
	kernel map[string]device.Kernel
}

// New compiles the kernels and loads them.
func New(ctx context.Context, dev device.Device) (*Kit, error) {
	o := compile.Options{Context: ctx}
	o.PTX.Target = dev.Info().Target()
	u, err := compile.Compile(source.NewFile("prepare.cu", kernels), syntax.CUDA, "", o)
	if err != nil {
		return nil, err
	}
	k := &Kit{dev: dev, kernel: map[string]device.Kernel{}}
	if k.module, err = dev.Load("prepare.ptx", u.PTXText()); err != nil {
		return nil, err
	}
	for _, name := range []string{"list", "digits", "scatter", "scan", "add", "mark", "most", "keep", "rows", "look", "weigh"} {
		if k.kernel[name], err = k.module.Kernel(name); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

// Close unloads the kernels. Graphs stay.
func (k *Kit) Close() error { return k.module.Close() }

// A Graph is a graph in device memory.
type Graph struct {
	Nodes, Arcs uint32
	Row         device.Ptr // Nodes+1 offsets of 32 bits
	Dst         device.Ptr // Arcs nodes of 32 bits
	Weight      device.Ptr // Arcs integers of 32 bits; 0 without weights
}

// Free gives the memory of a graph back; nil has none.
func (k *Kit) Free(g *Graph) error {
	if g == nil {
		return nil
	}
	var err error
	for _, p := range []device.Ptr{g.Row, g.Dst, g.Weight} {
		if p != 0 {
			err = errors.Join(err, k.dev.Free(p))
		}
	}
	*g = Graph{}
	return err
}

// words returns the memory of a list of 32-bit numbers: all supported hosts have the byte
// order of devices.
func words[T int32 | uint32](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
}

// Upload copies a graph to the device.
func (k *Kit) Upload(ctx context.Context, g *graph.Graph) (*Graph, error) {
	if err := g.Validate(ctx); err != nil {
		return nil, err
	}
	switch {
	case g.WeightF != nil:
		return nil, errors.New("prepare on a device: the graph has real weights")
	case g.NumEdges() > MaxArcs:
		return nil, tooMany(g.NumEdges())
	}
	row := make([]uint32, g.NumNodes()+1)
	for i, r := range g.RowStart {
		row[i] = uint32(r)
	}
	m := k.memory()
	out := &Graph{Nodes: uint32(g.NumNodes()), Arcs: uint32(g.NumEdges())}
	out.Row = m.upload("row", words(row))
	out.Dst = m.upload("dst", words(g.Dst))
	if g.Weight != nil {
		out.Weight = m.upload("weight", words(g.Weight))
	}
	return out, m.end(out.Row, out.Dst, out.Weight)
}

func tooMany(arcs int64) error {
	return fmt.Errorf("prepare on a device: a list of %d arcs, and at most %d are supported", arcs, int64(MaxArcs))
}

// Download copies a graph from the device.
func (k *Kit) Download(ctx context.Context, g *Graph) (*graph.Graph, error) {
	row := make([]uint32, g.Nodes+1)
	out := &graph.Graph{RowStart: make([]uint64, g.Nodes+1), Dst: make([]uint32, g.Arcs)}
	err := errors.Join(ctx.Err(), k.dev.CopyOut(words(row), g.Row))
	if g.Arcs > 0 && err == nil {
		err = k.dev.CopyOut(words(out.Dst), g.Dst)
	}
	if g.Weight != 0 {
		out.Weight = make([]int32, g.Arcs)
		if g.Arcs > 0 && err == nil {
			err = k.dev.CopyOut(words(out.Weight), g.Weight)
		}
	}
	for i, r := range row {
		out.RowStart[i] = uint64(r)
	}
	return out, err
}

// A work says what becomes of a graph's arcs.
type work struct {
	reverse   bool // every arc
	both      bool // add the reverse of every arc
	sort      bool // rows by destination
	dropLoops bool
	dedup     bool // of sorted rows: keep the smallest weight
}

// Transpose is [graph.Graph.Transpose].
func (k *Kit) Transpose(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{reverse: true})
}

// Symmetrize is [graph.Graph.Symmetrize].
func (k *Kit) Symmetrize(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{both: true, sort: true, dropLoops: true, dedup: true})
}

// Deduplicate is [graph.Graph.Deduplicate].
func (k *Kit) Deduplicate(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{sort: true, dedup: true})
}

// SortAdjacency is [graph.Graph.SortAdjacency].
func (k *Kit) SortAdjacency(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{sort: true})
}

// DropSelfLoops is [graph.Graph.DropSelfLoops].
func (k *Kit) DropSelfLoops(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{dropLoops: true})
}

// Facts are what is true of a graph.
type Facts struct {
	Sorted   bool // see [graph.Graph.IsSorted]
	LoopFree bool // see [graph.Graph.HasSelfLoops]
	// Simple says that no arc of a sorted graph has a repeat; of another graph it says
	// nothing.
	Simple bool
	// Symmetric and Mirrored say that the graph is its own transpose, without and with
	// its weights; see [graph.Graph.IsSymmetric], also for the probability of an error.
	Symmetric, Mirrored bool
}

// symmetryKey makes the hashes unpredictable, so that no graph can be made to deceive them.
var symmetryKey = rand.Uint64()

// Facts finds out about a graph.
func (k *Kit) Facts(ctx context.Context, g *Graph) (Facts, error) {
	m := k.memory()
	at := m.alloc("facts", 8)
	out := make([]byte, 8*4)
	m.launch("look", int64(g.Arcs), listTile, g.Row, g.Dst, device.Ptr(0), g.Nodes, g.Arcs, symmetryKey, at, at+16)
	if g.Weight != 0 {
		m.launch("look", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, symmetryKey, at+8, at+16)
	}
	if m.err == nil {
		m.err = k.dev.Sync(ctx)
	}
	if m.err == nil {
		m.err = k.dev.CopyOut(out, at)
	}
	sum, weighted, found := binary.LittleEndian.Uint64(out), binary.LittleEndian.Uint64(out[8:]), out[16]
	const unsorted, loops, repeats = 1, 2, 4 // as prepare.cu has them
	f := Facts{Sorted: found&unsorted == 0, LoopFree: found&loops == 0, Simple: found&repeats == 0, Symmetric: sum == 0}
	f.Mirrored = f.Symmetric && weighted == 0
	return f, m.end()
}

// RandomWeights is [graph.Graph.RandomWeights]. The arrays of rows and destinations are
// copies.
func (k *Kit) RandomWeights(ctx context.Context, g *Graph, wmax int, seed uint64) (*Graph, error) {
	if wmax < 1 || wmax > math.MaxInt32 {
		return nil, fmt.Errorf("random weights: largest weight %d; expected 1 to %d", wmax, math.MaxInt32)
	}
	m := k.memory()
	out := &Graph{Nodes: g.Nodes, Arcs: g.Arcs, Row: m.copy("row", g.Row, g.Nodes+1), Dst: m.copy("dst", g.Dst, g.Arcs)}
	out.Weight = m.alloc("weight", g.Arcs)
	m.launch("weigh", int64(g.Arcs), listTile, g.Row, g.Dst, g.Nodes, g.Arcs, seed, uint32(wmax), out.Weight)
	if m.err == nil {
		m.err = k.dev.Sync(ctx)
	}
	return out, m.end(out.Row, out.Dst, out.Weight)
}

// arcs are records in device memory.
type arcs struct {
	n       uint32
	u, v, w device.Ptr // w is 0 without weights
}

// rebuild makes a graph of the arcs of g.
func (k *Kit) rebuild(ctx context.Context, g *Graph, w work) (*Graph, error) {
	total := int64(g.Arcs)
	if w.both {
		total *= 2
	}
	if total > MaxArcs {
		return nil, tooMany(total)
	}
	m := k.memory()
	out := &Graph{Nodes: g.Nodes}
	a, spare := m.arcs(uint32(total), g.Weight != 0), m.arcs(uint32(total), g.Weight != 0)
	m.list(g, a, w)
	// Rows that are only reversed are in order of their sources already.
	width := bits.Len32(max(g.Nodes, 1) - 1)
	if w.sort {
		a.u, a.v = a.v, a.u
		spare.u, spare.v = spare.v, spare.u
		a, spare = m.sort(a, spare, width)
		a.u, a.v = a.v, a.u
		spare.u, spare.v = spare.v, spare.u
	}
	if w.sort || w.reverse {
		a, spare = m.sort(a, spare, width)
	}
	if w.dropLoops || w.dedup {
		a = m.drop(a, spare, w)
	}
	out.Arcs, out.Dst, out.Weight = a.n, a.v, a.w
	out.Row = m.alloc("row", g.Nodes+1)
	m.launch("rows", int64(g.Nodes)+1, threads, a.u, a.n, g.Nodes, out.Row)
	if m.err == nil {
		m.err = k.dev.Sync(ctx)
	}
	if err := m.end(out.Row, out.Dst, out.Weight); err != nil {
		return nil, fmt.Errorf("prepare on a device: %w", err)
	}
	return out, nil
}

// memory is the device memory of one piece of work, with its first error: after that
// nothing is done.
type memory struct {
	*Kit
	blocks []device.Ptr
	err    error
}

func (k *Kit) memory() *memory { return &memory{Kit: k} }

// end frees all blocks but those that are kept; after an error, all.
func (m *memory) end(keep ...device.Ptr) error {
	err := m.err
	for _, p := range m.blocks {
		kept := false
		for _, q := range keep {
			kept = kept || p == q
		}
		if !kept || m.err != nil {
			err = errors.Join(err, m.dev.Free(p))
		}
	}
	return err
}

// alloc returns memory for n numbers of 32 bits.
func (m *memory) alloc(name string, n uint32) device.Ptr {
	if m.err != nil {
		return 0
	}
	var p device.Ptr
	if p, m.err = m.dev.Alloc("prepare."+name, 4*max(1, int64(n))); m.err == nil {
		m.blocks = append(m.blocks, p)
	}
	return p
}

// copy returns a copy of n numbers.
func (m *memory) copy(name string, from device.Ptr, n uint32) device.Ptr {
	p := m.alloc(name, n)
	if m.err == nil && n > 0 {
		m.err = m.dev.Copy(p, from, 4*int64(n))
	}
	return p
}

func (m *memory) upload(name string, b []byte) device.Ptr {
	p := m.alloc(name, uint32(len(b)/4))
	if m.err == nil && len(b) > 0 {
		m.err = m.dev.CopyIn(p, b)
	}
	return p
}

// arcs returns memory for n arcs.
func (m *memory) arcs(n uint32, weighted bool) arcs {
	a := arcs{n: n, u: m.alloc("u", n), v: m.alloc("v", n)}
	if weighted {
		a.w = m.alloc("w", n)
	}
	return a
}

// launch launches a kernel for n items, so many for a block; for none it does nothing.
func (m *memory) launch(name string, n int64, each int64, args ...any) {
	if m.err != nil || n == 0 {
		return
	}
	var params []byte
	for _, a := range args {
		if p, ok := a.(device.Ptr); ok {
			a = uint64(p)
		}
		switch a := a.(type) {
		case uint64:
			for len(params)%8 > 0 {
				params = append(params, 0)
			}
			params = binary.LittleEndian.AppendUint64(params, a)
		case uint32:
			params = binary.LittleEndian.AppendUint32(params, a)
		case int:
			params = binary.LittleEndian.AppendUint32(params, uint32(a))
		case bool:
			v := uint32(0)
			if a {
				v = 1
			}
			params = binary.LittleEndian.AppendUint32(params, v)
		}
	}
	m.err = m.dev.Launch(m.kernel[name], device.Launch{
		Grid: device.Dim3{X: uint32((n + each - 1) / each)}, Block: device.Dim3{X: threads}, Params: params,
	})
}

// list writes the arcs of g to a.
func (m *memory) list(g *Graph, a arcs, w work) {
	m.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, w.reverse, uint32(0), a.u, a.v, a.w)
	if w.both {
		m.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, true, g.Arcs, a.u, a.v, a.w)
	}
}

// sort orders a by u, a number of so many bits, stably, with the help of spare. It returns
// the ordered arcs and the other memory.
func (m *memory) sort(a, spare arcs, width int) (ordered, other arcs) {
	blocks := (int64(a.n) + tile - 1) / tile
	counts := int64(digits) * blocks
	count := m.alloc("digits", uint32(counts))
	for shift := 0; shift < width; shift += digit {
		m.launch("digits", int64(a.n), tile, a.u, a.n, shift, count)
		m.scan(count, uint32(counts))
		m.launch("scatter", int64(a.n), tile, a.u, a.v, a.w, a.n, shift, count, spare.u, spare.v, spare.w)
		a, spare = spare, a
	}
	return a, spare
}

// scan replaces n numbers by the sums of those before them.
func (m *memory) scan(x device.Ptr, n uint32) {
	if n == 0 {
		return
	}
	tiles := uint32((int64(n) + scanTile - 1) / scanTile)
	sums := m.alloc("sums", tiles)
	m.launch("scan", int64(n), scanTile, x, n, sums)
	if tiles > 1 {
		m.scan(sums, tiles)
		m.launch("add", int64(n), scanTile, x, n, sums)
	}
}

// drop returns what stays of the ordered arcs a, in the memory of spare.
func (m *memory) drop(a, spare arcs, w work) arcs {
	place := m.alloc("place", a.n)
	m.launch("mark", int64(a.n), threads, a.u, a.v, a.n, w.dropLoops, w.dedup, place)
	var last [2][4]byte // the last mark, and the last place
	read := func(i int) {
		if m.err == nil && a.n > 0 {
			m.err = m.dev.CopyOut(last[i][:], place+device.Ptr(4*int64(a.n-1)))
		}
	}
	read(0)
	m.scan(place, a.n)
	read(1)
	spare.n = binary.LittleEndian.Uint32(last[0][:]) + binary.LittleEndian.Uint32(last[1][:])
	if a.w != 0 {
		m.launch("most", int64(spare.n), threads, spare.w, spare.n)
	}
	m.launch("keep", int64(a.n), threads, a.u, a.v, a.w, a.n, w.dropLoops, place, spare.n, spare.u, spare.v, spare.w)
	return spare
}
