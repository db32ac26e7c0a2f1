package difftest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"irgl/internal/device"
)

// A Buffer is one of the pieces of memory that a kernel gets.
type Buffer struct {
	Name string
	Data []byte
}

// buffers of a program, in the order of the kernel's parameters; a struct arg
// and an int follow.
const nBuffers = 9

// argSize is the size of struct arg.
const argSize = 40

// Image returns the memory before the launch: out (zero), in, five buffers of
// eight elements a thread, and cells that all threads add to. The last two are
// no buffers but parameters: the struct arg, and n.
func (p *Program) Image() []Buffer {
	r := rand.New(rand.NewPCG(p.Seed, 0x11))
	n := p.Threads()
	words := []uint64{0, 1, 2, 5, 31, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, math.MaxUint64, math.MaxInt64, 1 << 63, math.MaxUint64 - 6}
	ints := func(name string, count, size int) Buffer {
		var b []byte
		for range count {
			w := r.Uint64()
			if r.IntN(2) == 0 {
				w = words[r.IntN(len(words))]
			}
			b = append(b, binary.LittleEndian.AppendUint64(nil, w)[:size]...)
		}
		return Buffer{name, b}
	}
	floats := make([]byte, 0, 32*n)
	for range 8 * n {
		f := []float64{0, 1, -1, 0.5, 1e-40, -3e38, 1e10, r.NormFloat64(), 100 * r.NormFloat64()}[r.IntN(9)]
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(f)))
	}
	image := []Buffer{
		{"out", make([]byte, 8*n*p.Slots)}, ints("in", 64, 4), ints("gs", 8*n, 2), {"gf", floats}, ints("gb", 8*n, 1),
		ints("gl", 8*n, 8), ints("gu", 8*n, 4), ints("acc", 8, 4), ints("acc64", 8, 8), ints("pa", argSize/8, 8), ints("n", 1, 4),
	}
	binary.LittleEndian.PutUint64(image[9].Data[8:], math.Float64bits(r.NormFloat64()*1e5))
	return image
}

// Launch runs a PTX text of the program on a device and returns the memory
// afterwards: the data of the buffers, one after the other.
func Launch(ctx context.Context, d device.Device, p *Program, text string) ([]byte, error) {
	m, err := d.Load(p.Name, text)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	defer m.Close()
	return LaunchIn(ctx, d, p, m)
}

// LaunchIn is Launch with a module that is loaded already and has the program's
// kernel.
func LaunchIn(ctx context.Context, d device.Device, p *Program, m device.Module) ([]byte, error) {
	k, err := m.Kernel(p.Name)
	if err != nil {
		return nil, err
	}
	image := p.Image()
	var params []byte
	ptrs := make([]device.Ptr, nBuffers)
	for i, b := range image[:nBuffers] {
		if ptrs[i], err = d.Alloc(b.Name, int64(len(b.Data))); err != nil {
			return nil, err
		}
		defer d.Free(ptrs[i])
		if err := d.CopyIn(ptrs[i], b.Data); err != nil {
			return nil, err
		}
		params = binary.LittleEndian.AppendUint64(params, uint64(ptrs[i]))
	}
	params = slices.Concat(params, image[nBuffers].Data, image[nBuffers+1].Data)
	if err := d.Launch(k, device.Launch{Grid: device.Dim3{X: p.Grid}, Block: device.Dim3{X: p.Block}, Params: params}); err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	if err := d.Sync(ctx); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	var out []byte
	for i, b := range image[:nBuffers] {
		data := make([]byte, len(b.Data))
		if err := d.CopyOut(data, ptrs[i]); err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	return out, nil
}

// Diff describes the first difference between two memories of the program, or
// returns "".
func (p *Program) Diff(a, b []byte) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d bytes", len(a), len(b))
	}
	at := 0
	for _, buf := range p.Image()[:nBuffers] {
		n := len(buf.Data)
		x, y := a[at:at+n], b[at:at+n]
		at += n
		for i := range x {
			if x[i] == y[i] {
				continue
			}
			where := fmt.Sprintf("%s+%d", buf.Name, i)
			if buf.Name == "out" {
				i &^= 7
				where = fmt.Sprintf("thread %d out[%d]", i/8/p.Slots, i/8%p.Slots)
				return fmt.Sprintf("%s: %#x and %#x", where, binary.LittleEndian.Uint64(x[i:]), binary.LittleEndian.Uint64(y[i:]))
			}
			return fmt.Sprintf("%s: byte %#x and %#x", where, x[i], y[i])
		}
	}
	return ""
}
