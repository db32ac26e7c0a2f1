package ptxtest

import (
	"bytes"
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
	if bytes.Equal(got, want) {
		return nil
	}
	var first *Difference
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		thread := i / stride
		name, begin, size := value(i % stride)
		begin += thread * stride
		d := &Difference{thread / p.Threads, thread % p.Threads, name, number(got[begin : begin+size]), number(want[begin : begin+size])}
		if name != "the digest" {
			return d
		}
		if first == nil {
			first = d
		}
	}
	return first
}

// number returns the number in some bytes.
func number(b []byte) (n uint64) {
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	return n
}
