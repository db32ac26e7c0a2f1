package host

import (
	"encoding/binary"
	"fmt"

	"irgl/internal/device"
	"irgl/internal/dynpar"
	"irgl/internal/run"
)

// Launches in device code: those of control kernels that launch kernels (package lower, fire.go). Where the
// device has CUDA's device runtime, it runs them itself. Elsewhere they go into a queue in device memory
// (internal/dynpar/queue.cu), and when a kernel that may launch has ended, the host launches what is there,
// until nothing is left:
//
//	irgl_control_1<<<1, 1>>>      queue: BFS<<<9, 256>>> (fire and forget), irgl_control_1<<<1, 1>>> (tail)
//	BFS<<<9, 256>>>
//	irgl_control_1<<<1, 1>>>      queue: BFS<<<40, 256>>>, irgl_control_1<<<1, 1>>>
//	...
//
// One thread launches, its children launch nothing but by the tail, and all of them follow each other in the
// default stream: that order is one that CUDA's semantics allow. The runtime of C++ programs does the same
// for any launches (internal/cudart/runtime/launches.h).

// A childQueue is the queue of an engine's module.
type childQueue struct {
	module *dynpar.Module
	at     device.Ptr
	stride int64
}

// The layout of the queue: a header with a list of errors, and slots with arguments behind them.
const (
	queueHead  = 40
	queueFront = (queueHead + 64*64 + 63) / 64 * 64
	queueSlots = 16
	slotSize   = 64
	// The streams of device code.
	tailStream, forgetStream = 3, 4
)

// newChildQueue makes the queue of a module, and tells it.
func newChildQueue(dev device.Device, module device.Module, launches *dynpar.Module) (*childQueue, error) {
	q := &childQueue{module: launches}
	for _, k := range launches.Kernels {
		q.stride = max(q.stride, k.Bytes)
	}
	q.stride = roundUp(q.stride+slotSize, 64)
	var err error
	if q.at, err = dev.Alloc(device.LaunchQueue, queueFront+queueSlots*q.stride); err != nil {
		return nil, err
	}
	p, _, err := module.Global(dynpar.Queue)
	if err != nil {
		return nil, err
	}
	about := make([]byte, 16) // struct irgl_launch_module
	binary.LittleEndian.PutUint64(about, uint64(q.at))
	return q, dev.CopyIn(p, about)
}

// clear empties the queue and its list of errors: a run that has been given up leaves both as they are.
func (q *childQueue) clear(dev device.Device) error {
	if err := dev.Fill(q.at, 0, queueFront); err != nil {
		return err
	}
	return q.reset(dev)
}

// reset empties the queue.
func (q *childQueue) reset(dev device.Device) error {
	h := make([]byte, queueHead)
	for i, v := range []uint32{0, 0, 0, queueSlots, uint32(q.stride), 0, 24, 0} {
		binary.LittleEndian.PutUint32(h[4*i:], v)
	}
	binary.LittleEndian.PutUint64(h[32:], uint64(q.at)+queueFront)
	return dev.CopyIn(q.at, h)
}

// launchChildren launches what a kernel has launched, and what that launches.
func (m *machine) launchChildren(k *kernelLayout) error {
	q := m.program.queue
	if q == nil || !q.module.Launching[k.name] {
		return nil
	}
	buf := make([]byte, queueFront+queueSlots*q.stride)
	for {
		if err := m.wait(); err != nil { // a kernel that runs can be interrupted, a copy cannot
			return err
		}
		if err := m.copyOut(buf, q.at); err != nil {
			return err
		}
		count, failed := binary.LittleEndian.Uint32(buf), binary.LittleEndian.Uint32(buf[4:])
		switch {
		case failed > 0:
			return q.failure(buf[queueHead:])
		case count > queueSlots:
			return fmt.Errorf("device code launches %d kernels at once, and there is room for %d", count, queueSlots)
		case count == 0:
			return nil
		}
		if err := q.reset(m.dev); err != nil {
			return err
		}
		for _, stream := range []uint64{forgetStream, tailStream} {
			for i := range int64(count) {
				slot := queueFront + i*q.stride
				if binary.LittleEndian.Uint64(buf[slot+16:]) != stream {
					continue
				}
				if err := m.launchChild(buf[slot:slot+q.stride], q.at+device.Ptr(slot)); err != nil {
					return err
				}
			}
		}
	}
}

// launchChild launches what is in a slot.
func (m *machine) launchChild(slot []byte, at device.Ptr) error {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(slot[i:]) }
	k := m.program.queue.module.Kernels[word(28)]
	origin := &device.Origin{Grid: binary.LittleEndian.Uint64(slot), Slot: at}
	if binary.LittleEndian.Uint64(slot[16:]) == tailStream {
		origin.Slot = 0
	}
	dk, err := m.kernel(k.Symbol)
	if err != nil {
		return err
	}
	l := device.Launch{Grid: device.Dim3{X: word(32), Y: word(36), Z: word(40)}, Block: device.Dim3{X: word(44), Y: word(48), Z: word(52)},
		Shared: word(56), Params: slot[slotSize : slotSize+k.Bytes], Origin: origin}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if m.rec != nil {
		err = m.rec.child(m, k.Symbol, dk, l)
	} else {
		err = m.dev.Launch(dk, l)
	}
	m.span.launched()
	if err != nil {
		return fmt.Errorf("launch of %s in device code: %w", k.Symbol, err)
	}
	return nil
}

// failure describes the first launch that failed; list is the list of errors.
func (q *childQueue) failure(list []byte) error {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(list[i:]) }
	name, at := "a kernel", ""
	if n := word(24); int(n) < len(q.module.Kernels) {
		name = q.module.Kernels[n].Symbol
	}
	if n := word(28); int(n) < len(q.module.Sites) {
		at = " at " + q.module.Sites[n]
	}
	return fmt.Errorf("the launch of %s in device code%s failed with error %d: %d blocks of %d threads", name, at, word(16), word(32), word(44))
}

// child records a launch in device code: what it pops and pushes is not known to the host.
func (r *recorder) child(m *machine, name string, dk device.Kernel, l device.Launch) error {
	kernel := r.Kernel(r.name(name))
	kernel.Outlined = true
	return r.timed(m, kernel, run.Event{Kind: run.KernelEvent, Name: kernel.Name, Blocks: int64(l.Grid.Count()), Threads: int64(l.Block.Count())}, nil, dk, l)
}
