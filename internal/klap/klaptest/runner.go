package klaptest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/dynpar"
)

// A Runner runs a program on the emulator, and what its device code launches as the runtime does
// (internal/cudart/runtime/launches.h): chains of launches that follow each other, side by side.
type Runner struct {
	Device *simt.Device
	Module device.Module
	// Counts are the launches in device code, by kernel, and Errors those that failed and
	// whose error the program has not asked for.
	Counts map[string]int
	Errors int
	// Exhausted is how often there was no room in the pool of an aggregated program.
	Exhausted uint32
	// Held is the state of the pool in the end, 0 if all of it has been given back.
	Held uint64
	// Launched are the launches in device code, in order.
	Launched []Launched

	launched *dynpar.Module
	queue    device.Ptr // the header, and the slots behind it
	streams  []device.Stream
	order    *rand.Rand // of chains; nil for that of the launches
	seed     uint64
	number   uint64 // of launches with a kernel behind them
}

// Alone is the seed of a schedule in which no kernel has another one behind it.
const Alone = 4

// A Launched is a launch in device code.
type Launched struct {
	Grid, Block uint64 // of the thread that launches
	Site        string // file:line
	Kernel      string
	device.Launch
}

// The layout of the queue (internal/dynpar/common.cu).
const (
	capacity = 1 << 14
	stride   = 64 + 512
	header   = 40
	front    = 1 << 13 // with the list of errors
)

// NewRunner returns a device with the program loaded. The seed is that of its schedule.
func NewRunner(u *compile.Unit, o simt.Options) (*Runner, error) {
	r := &Runner{Device: simt.Open(o), launched: u.Dynpar, Counts: map[string]int{}, seed: o.Seed}
	if o.Seed != 0 {
		r.order = rand.New(rand.NewPCG(o.Seed, 3))
	}
	var err error
	if r.Module, err = r.Device.Load("in.ptx", u.PTXText()); err != nil || r.launched == nil {
		return r, err
	}
	if r.queue, err = r.Device.Alloc(device.LaunchQueue, front+capacity*stride); err != nil {
		return nil, err
	}
	at, _, err := r.Module.Global(dynpar.Queue)
	if err != nil {
		return nil, err
	}
	if err := r.Device.CopyIn(at, binary.LittleEndian.AppendUint64(nil, uint64(r.queue))); err != nil {
		return nil, err
	}
	for range 8 {
		s, err := r.Device.NewStream(device.StreamOptions{})
		if err != nil {
			return nil, err
		}
		r.streams = append(r.streams, s)
	}
	return r, r.reset(0)
}

// Close closes the device.
func (r *Runner) Close() { r.Device.Close() }

// reset empties the queue for grids of a depth.
func (r *Runner) reset(depth uint32) error {
	h := make([]byte, front)
	for i, v := range []uint32{0, 0, 0, capacity, stride, depth, 24, 0} {
		binary.LittleEndian.PutUint32(h[4*i:], v)
	}
	binary.LittleEndian.PutUint64(h[32:], uint64(r.queue)+front)
	return cmp.Or(r.Device.CopyIn(r.queue, h), r.Device.Sync(context.Background()))
}

// A slot is a launch in the queue.
type slot struct {
	stream uint64
	kernel uint32
	at     device.Ptr
	Launched
}

// Run launches a kernel, and all that it launches.
func (r *Runner) Run(kernel string, l device.Launch) error {
	k, err := r.Module.Kernel(kernel)
	if err != nil {
		return err
	}
	behind, err := r.Module.Kernel(kernel + "_behind")
	var number []byte
	if err == nil {
		if r.seed != Alone {
			r.number++
		}
		number = binary.LittleEndian.AppendUint64(nil, r.number)
		l.Params = append(append(l.Params, make([]byte, -len(l.Params)&7)...), number...)
	}
	if err := r.Device.Launch(k, l); err != nil {
		return err
	}
	if err := r.Device.Sync(context.Background()); err != nil || r.launched == nil {
		return err
	}
	if err := r.drain(0); err != nil {
		return err
	}
	if behind != nil && r.seed != Alone {
		grid := device.Dim3{X: 1 + uint32(r.seed%3)} // any will do
		if err := cmp.Or(r.Device.Launch(behind, device.Launch{Grid: grid, Block: device.Dim3{X: 256}, Params: number}), r.Device.Sync(context.Background())); err != nil {
			return err
		}
	}
	exhausted, err := r.value("__klap_exhausted", 4)
	r.Exhausted = uint32(exhausted)
	if err == nil {
		r.Held, err = r.value("__klap_state", 8)
	}
	return err
}

// value returns the value of a variable; 0 if the program has none.
func (r *Runner) value(name string, bytes int) (uint64, error) {
	at, _, err := r.Module.Global(name)
	if err != nil {
		return 0, nil // not aggregated
	}
	b := make([]byte, 8)
	err = r.Device.CopyOut(b[:bytes], at)
	return binary.LittleEndian.Uint64(b), err
}

// drain launches what grids of a depth have put into the queue.
func (r *Runner) drain(depth uint32) error {
	list, err := r.read()
	if err != nil || len(list) == 0 {
		return err
	}
	chains := map[[3]uint64][]slot{}
	var tails []slot
	for i, s := range list {
		switch {
		case s.stream == 3:
			tails = append(tails, s)
			continue
		case s.stream == 4:
			chains[[3]uint64{s.Grid, s.Block, 1<<32 + uint64(i)}] = []slot{s}
			continue
		case s.stream < 3:
			s.stream = 0
		}
		key := [3]uint64{s.Grid, s.Block, s.stream}
		chains[key] = append(chains[key], s)
	}
	for len(chains) > 0 {
		if err := r.reset(depth + 1); err != nil {
			return err
		}
		keys := make([][3]uint64, 0, len(chains))
		for k := range chains {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
		if r.order != nil {
			r.order.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		}
		for i, k := range keys {
			if err := r.launch(chains[k][0], r.streams[i%len(r.streams)]); err != nil {
				return err
			}
			if chains[k] = chains[k][1:]; len(chains[k]) == 0 {
				delete(chains, k)
			}
		}
		if err := r.Device.Sync(context.Background()); err != nil {
			return err
		}
		if err := r.drain(depth + 1); err != nil {
			return err
		}
	}
	for _, s := range tails {
		if err := cmp.Or(r.reset(depth), r.launch(s, r.streams[0]), r.Device.Sync(context.Background()), r.drain(depth)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) launch(s slot, stream device.Stream) error {
	k, err := r.Module.Kernel(s.Kernel)
	if err != nil {
		return err
	}
	s.Launch.Origin = &device.Origin{Grid: s.Grid, Slot: s.at}
	if s.stream == 3 {
		s.Launch.Origin.Slot = 0
	}
	s.Params = s.Params[:r.launched.Kernels[s.kernel].Bytes]
	return stream.Launch(k, s.Launch)
}

// read takes the launches out of the queue, and counts launches and errors.
func (r *Runner) read() ([]slot, error) {
	h := make([]byte, header)
	if err := r.Device.CopyOut(h, r.queue); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(h)
	r.Errors += int(binary.LittleEndian.Uint32(h[4:]))
	if n > capacity {
		return nil, fmt.Errorf("%d launches are too many for the queue", n)
	}
	text := make([]byte, n*stride)
	if n > 0 {
		if err := r.Device.CopyOut(text, r.queue+front); err != nil {
			return nil, err
		}
	}
	var out []slot
	for i := range int(n) {
		b := text[i*stride:]
		word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
		long := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
		s := slot{stream: long(16), kernel: word(28), at: r.queue + front + device.Ptr(i*stride), Launched: Launched{
			Grid: long(0), Block: long(8), Site: r.launched.Sites[word(60)], Kernel: r.launched.Kernels[word(28)].Symbol,
			Launch: device.Launch{
				Grid: device.Dim3{X: word(32), Y: word(36), Z: word(40)}, Block: device.Dim3{X: word(44), Y: word(48), Z: word(52)}, Shared: word(56),
				Params: bytes.Clone(b[64:stride])}}}
		r.Counts[s.Kernel]++
		r.Launched = append(r.Launched, s.Launched)
		out = append(out, s)
	}
	return out, nil
}

// Counted returns the launches in device code by kernel.
func (r *Runner) Counted() string {
	var out []string
	for k, n := range r.Counts {
		out = append(out, fmt.Sprintf("%s %d", k, n))
	}
	slices.Sort(out)
	return strings.Join(append(out, fmt.Sprintf("errors %d", r.Errors)), ", ")
}
