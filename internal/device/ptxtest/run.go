package ptxtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"irgl/internal/device"
)

// Inputs returns the words that programs read: special values of all types, and random ones.
func Inputs() []byte {
	special := []uint32{0, 1, 2, 31, 32, 127, 128, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
		0xff800000, 0x7fc00000, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0x5f000000, 0x3c003c00, 0xbc007c00, 0x7e01fc00, 0x7bff0001,
		0x3f803f80, 0xff807f80, 0x7f7f0080, 0x3ff00000, 0x7ff00000, 0x7ff80000, 0x80000000, 0x00100000, 0x43e00000, 0xc1e00000}
	rng := rand.New(rand.NewPCG(5, 6))
	var out []byte
	for range InputWords {
		v := rng.Uint32()
		switch rng.IntN(5) {
		case 0:
			v = special[rng.IntN(len(special))]
		case 1:
			v >>= rng.IntN(32)
		case 2: // a float near one
			v = v&0x80000000 | 0x3f000000 + v&0x1ffffff
		case 3: // a pair of halves near one
			v = v&0x83ff83ff + 0x38003800
		}
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return out
}

// Run runs programs, in one module, and returns what the threads of each have stored.
func Run(ctx context.Context, d device.Device, programs ...*Program) (_ [][]byte, err error) {
	module, err := d.Load("programs.ptx", Module(programs...))
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := module.Close(); err == nil {
			err = e
		}
	}()
	in := Inputs()
	total := 0
	for _, p := range programs {
		total += p.OutputBytes()
	}
	var from, to device.Ptr
	for _, m := range []struct {
		at   *device.Ptr
		name string
		size int
	}{{&from, "in", len(in)}, {&to, "out", total}} {
		if *m.at, err = d.Alloc(m.name, int64(m.size)); err != nil {
			return nil, err
		}
		defer func() {
			if e := d.Free(*m.at); err == nil {
				err = e
			}
		}()
	}
	if err := d.CopyIn(from, in); err != nil {
		return nil, err
	}
	at := to
	for _, p := range programs {
		k, err := module.Kernel(p.Kernel())
		if err != nil {
			return nil, err
		}
		params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(from)), uint64(at))
		l := device.Launch{Grid: device.Dim3{X: uint32(p.Blocks)}, Block: device.Dim3{X: uint32(p.Threads)}, Params: params}
		if err := d.Launch(k, l); err != nil {
			return nil, fmt.Errorf("program %d: %w", p.Seed, err)
		}
		at += device.Ptr(p.OutputBytes())
	}
	if err := d.Sync(ctx); err != nil {
		return nil, err
	}
	out := make([]byte, total)
	if err := d.CopyOut(out, to); err != nil {
		return nil, err
	}
	var list [][]byte
	for _, p := range programs {
		list = append(list, out[:p.OutputBytes():p.OutputBytes()])
		out = out[p.OutputBytes():]
	}
	return list, nil
}

// A Difference is a value that two runs of a program have stored differently.
type Difference struct {
	Block, Thread int
	Value         string
	Got, Want     uint64
}

func (d *Difference) String() string {
	return fmt.Sprintf("thread %d of block %d: %s is %#x, want %#x", d.Thread, d.Block, d.Value, d.Got, d.Want)
}

// Compare returns the first value that differs, or nil. Values that a thread has at its end come before its digest of others.
func (p *Program) Compare(got, want []byte) *Difference {
	var first *Difference
	for i := 0; i < len(want); i += 8 {
		g, w := binary.LittleEndian.Uint64(got[i:]), binary.LittleEndian.Uint64(want[i:])
		if g == w {
			continue
		}
		at := i % stride
		if at > slotBytes+8*longWords && at%8 == 0 && uint32(g) == uint32(w) {
			at, g, w = at+4, g>>32, w>>32
		}
		thread := i / stride
		d := &Difference{thread / p.Threads, thread % p.Threads, valueName(at), g, w}
		if at != slotBytes {
			return d
		}
		if first == nil {
			first = d
		}
	}
	return first
}
