package bench

import (
	"context"
	"errors"
	"fmt"

	"irgl/internal/device"
)

// An instance is a benchmark with its buffers on a device.
type instance struct {
	*resolved
	dev         device.Device
	at          []device.Ptr // the address of each buffer
	pristine    []device.Ptr // a copy of its initial contents, if it is written
	bytes       []int64
	start, stop device.Event
}

// newInstance fills the buffers and places them on the device. The instance
// must be closed, also after an error.
func newInstance(dev device.Device, s *Spec, large bool) (*instance, error) {
	r, err := s.resolve(large)
	if err != nil {
		return nil, err
	}
	x := &instance{resolved: r, dev: dev}
	for i := range s.Buffers {
		b := &s.Buffers[i]
		data, err := r.fill(i)
		if err != nil {
			return x, err
		}
		x.bytes = append(x.bytes, int64(len(data)))
		p, err := x.place(b.Name, data)
		x.at = append(x.at, p)
		var q device.Ptr
		if err == nil && (b.Out || b.Scratch) {
			q, err = x.place(b.Name+" at first", data)
		}
		x.pristine = append(x.pristine, q)
		if err != nil {
			return x, err
		}
	}
	if x.start, err = dev.NewEvent(); err == nil {
		x.stop, err = dev.NewEvent()
	}
	return x, err
}

func (x *instance) place(name string, data []byte) (device.Ptr, error) {
	p, err := x.dev.Alloc(name, int64(len(data)))
	if err == nil {
		err = x.dev.CopyIn(p, data)
	}
	return p, err
}

func (x *instance) close() error {
	var errs []error
	for _, list := range [][]device.Ptr{x.at, x.pristine} {
		for _, p := range list {
			if p != 0 {
				errs = append(errs, x.dev.Free(p))
			}
		}
	}
	for _, e := range []device.Event{x.start, x.stop} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	return errors.Join(errs...)
}

// reset restores the buffers that kernels write.
func (x *instance) reset() error {
	for i, p := range x.pristine {
		if p == 0 {
			continue
		}
		if err := x.dev.Copy(x.at[i], p, x.bytes[i]); err != nil {
			return err
		}
	}
	return nil
}

// params lays out the arguments of launch l in a PTX parameter block.
func (x *instance) params(l *resolvedLaunch) []byte {
	var block []byte
	for _, a := range l.args {
		b := a.bytes
		if a.buffer >= 0 {
			b = make([]byte, 8)
			putInt(b, int64(x.at[a.buffer]))
		}
		align := len(b)
		if align == 0 {
			align = 8
		}
		for len(block)%align != 0 {
			block = append(block, 0)
		}
		block = append(block, b...)
	}
	return block
}

// A program is a PTX text loaded for an instance.
type program struct {
	module  device.Module
	kernels []device.Kernel // for each launch
	params  [][]byte
	times   []float64
}

func (x *instance) load(text string) (*program, error) {
	m, err := x.dev.Load(x.spec.Name, text)
	if err != nil {
		return nil, err
	}
	p := &program{module: m}
	for i := range x.launches {
		k, err := m.Kernel(x.launches[i].kernel)
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		p.kernels = append(p.kernels, k)
		p.params = append(p.params, x.params(&x.launches[i]))
	}
	return p, nil
}

// usage returns the device's resource usage of a loaded program, for machines
// without ptxas. It does not distinguish spills from other local memory.
func (p *program) usage() Usage {
	var u Usage
	for _, k := range p.kernels {
		info := k.Info()
		u.Known = u.Known || info.Registers > 0
		u.Registers = max(u.Registers, info.Registers)
		u.Stack = max(u.Stack, info.LocalBytes)
		u.Shared = max(u.Shared, info.SharedBytes)
	}
	return u
}

// run runs a program once on fresh buffers and returns the milliseconds
// between the events around its launches.
func (x *instance) run(ctx context.Context, p *program) (float64, error) {
	if err := x.reset(); err != nil {
		return 0, err
	}
	// Wait for the copies of reset before the clock starts.
	if err := x.dev.Sync(ctx); err != nil {
		return 0, err
	}
	if err := x.start.Record(); err != nil {
		return 0, err
	}
	for i := range x.launches {
		l := &x.launches[i]
		err := x.dev.Launch(p.kernels[i], device.Launch{Grid: l.grid, Block: l.block, Shared: l.shared, Params: p.params[i]})
		if err != nil {
			return 0, fmt.Errorf("kernel %s: %w", l.kernel, err)
		}
	}
	if err := x.stop.Record(); err != nil {
		return 0, err
	}
	if err := x.dev.Sync(ctx); err != nil {
		return 0, err
	}
	return x.stop.Since(x.start)
}

// results returns the contents of the result buffers, nil for the others.
func (x *instance) results() ([][]byte, error) {
	out := make([][]byte, len(x.spec.Buffers))
	for i := range x.spec.Buffers {
		if !x.spec.Buffers[i].Out {
			continue
		}
		out[i] = make([]byte, x.bytes[i])
		if err := x.dev.CopyOut(out[i], x.at[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compare returns a description of the differences from the expected results, or nil.
func (s *Spec) compare(got, want [][]byte) error {
	for i := range s.Buffers {
		if want[i] == nil {
			continue
		}
		if err := s.Buffers[i].compare(got[i], want[i]); err != nil {
			return err
		}
	}
	return nil
}

// A Measure is the result of measuring a program.
type Measure struct {
	// Value is the median time in milliseconds, or, on a device that counts, the
	// number of warp instructions.
	Value float64
	// Transactions are the 32-byte sectors that loads and stores moved; zero
	// on a device that does not count.
	Transactions uint64
}

// measure runs the programs in turns, repeat times each, and returns the
// measure of each. On a device that counts, one run suffices.
func (x *instance) measure(ctx context.Context, programs []*program, repeat int) ([]Measure, error) {
	out := make([]Measure, len(programs))
	if counting, ok := x.dev.(device.Counting); ok {
		for i, p := range programs {
			before := counting.Counters()
			if _, err := x.run(ctx, p); err != nil {
				return nil, err
			}
			after := counting.Counters()
			out[i] = Measure{float64(after.Instructions - before.Instructions), after.Transactions - before.Transactions}
		}
		return out, nil
	}
	for _, p := range programs {
		p.times = p.times[:0]
	}
	for round := range max(repeat, 1) {
		for i := range programs {
			// Rotate the order, so that no program always follows the same one.
			p := programs[(i+round)%len(programs)]
			ms, err := x.run(ctx, p)
			if err != nil {
				return nil, err
			}
			p.times = append(p.times, ms)
		}
	}
	for i, p := range programs {
		out[i].Value = median(p.times)
	}
	return out, nil
}
