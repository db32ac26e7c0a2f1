package serve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"irgl/internal/codecache"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
)

type helloArgs struct {
	header
	Protocol []uint64 `cbor:"protocol"`
	Client   string   `cbor:"client"`
	Arena    int64    `cbor:"arena"`
	Base     uint64   `cbor:"base"`
}

type helloResult struct {
	reply
	Protocol [2]uint64    `cbor:"protocol"`
	Irgl     string       `cbor:"irgl"`
	Arena    int64        `cbor:"arena"`
	Window   int          `cbor:"window"`
	Devices  []deviceInfo `cbor:"devices"`
	Report   bool         `cbor:"report"` // there is one: notes are asked for
}

// A deviceInfo is [device.Info].
type deviceInfo struct {
	Kind            string `cbor:"kind"`
	Name            string `cbor:"name"`
	Driver          string `cbor:"driver"`
	Major           int    `cbor:"major"`
	Minor           int    `cbor:"minor"`
	Multiprocessors int    `cbor:"multiprocessors"`
	Warp            int    `cbor:"warp"`
	MaxThreads      int    `cbor:"maxthreads"`
	ThreadsPerSM    int    `cbor:"threadspersm"`
	Shared          int    `cbor:"shared"`
	Memory          int64  `cbor:"memory"`
	Cooperative     bool   `cbor:"cooperative"`
	Clusters        bool   `cbor:"clusters"`
}

func infoOf(i device.Info) deviceInfo {
	return deviceInfo{
		Kind: i.Kind, Name: i.Name, Driver: i.Driver, Major: i.Major, Minor: i.Minor, Multiprocessors: i.Multiprocessors,
		Warp: i.WarpSize, MaxThreads: i.MaxThreadsPerBlock, ThreadsPerSM: i.MaxThreadsPerSM, Shared: i.SharedMemoryPerBlock,
		Memory: i.Memory, Cooperative: i.Cooperative, Clusters: i.Clusters,
	}
}

func hello(s *server, a *helloArgs) (*gpu, any, error) {
	switch {
	case s.greeted:
		return nil, nil, protocolf("hello comes once")
	case len(a.Protocol) != 2:
		return nil, nil, protocolf("hello: protocol is a major and a minor number")
	case a.Protocol[0] != Major:
		return nil, nil, protocolf("hello: the client speaks version %d.%d of the protocol, irgl %s speaks %d.%d",
			a.Protocol[0], a.Protocol[1], s.o.Version, Major, Minor)
	}
	r := &helloResult{Protocol: [2]uint64{Major, min(Minor, a.Protocol[1])}, Irgl: s.o.Version, Window: window, Report: s.o.Report != ""}
	if s.o.HasArena {
		size := min(a.Arena, maxArena) &^ (pageSize - 1)
		if size < pageSize {
			return nil, nil, protocolf("hello: an arena of %d bytes is too small", a.Arena)
		}
		if a.Base%pageSize != 0 || a.Base > 0 && a.Base+uint64(size) < a.Base {
			return nil, nil, protocolf("hello: the arena cannot be at %#x", a.Base)
		}
		var err error
		if s.arena, err = openArena(s.o.Arena, size); err != nil {
			return nil, nil, protocolf("hello: %v", err)
		}
		s.arena.base, r.Arena = a.Base, size
	}
	s.greeted = true
	if list, err := cuda.List(); err == nil {
		for _, i := range list {
			r.Devices = append(r.Devices, infoOf(i))
		}
	}
	emulated := simt.Open(simt.Options{})
	r.Devices = append(r.Devices, infoOf(emulated.Info()))
	return nil, r, emulated.Close()
}

// A system is emulated devices that are peers, opened or not.
type system struct {
	args    emulation
	devices []*simt.Device
	said    []*printed
	open    []bool
}

// emulation is what is the same for all devices of a system.
type emulation struct {
	Devices         int    `cbor:"devices"`
	Seed            uint64 `cbor:"seed"`
	Unchecked       bool   `cbor:"unchecked"`
	Memory          int64  `cbor:"memory"`
	Multiprocessors int    `cbor:"multiprocessors"`
	Instructions    uint64 `cbor:"instructions"`
	Leaks           uint64 `cbor:"leaks"` // 1: memory that is not freed is reported
}

type openArgs struct {
	header
	emulation
	As      uint64 `cbor:"as"`
	Kind    string `cbor:"kind"`
	Number  int    `cbor:"number"`
	Primary bool   `cbor:"primary"`
	System  uint64 `cbor:"system"`
	Program string `cbor:"program"` // the client's file
	Process int    `cbor:"process"` // and its number
}

type openResult struct {
	reply
	Info deviceInfo `cbor:"info"`
}

func open(s *server, a *openArgs) (*gpu, any, error) {
	if err := s.handles.check(a.As); err != nil {
		return nil, nil, err
	}
	var g *gpu
	var err error
	switch a.Kind {
	case "cuda":
		if a.System != 0 || a.emulation != (emulation{}) {
			return nil, nil, argumentf("open: an option of the emulator, for a GPU")
		}
		var dev device.Device
		if dev, err = cuda.OpenWith(a.Number, cuda.Options{Primary: a.Primary, Cache: codecache.User()}); err != nil {
			return nil, nil, argumentf("%v", err)
		}
		g = &gpu{dev: dev, kind: a.Kind}
	case "simt":
		if err = s.startLog(a); err != nil {
			return nil, nil, err
		}
		if g, err = s.openEmulated(a); err != nil {
			return nil, nil, err
		}
		s.opened(a.Number, g, a.emulation)
	default:
		return nil, nil, argumentf("open: kind %q: it is cuda or simt", a.Kind)
	}
	s.handles[a.As] = g
	return g, &openResult{Info: infoOf(g.dev.Info())}, nil
}

// Limits of what is emulated.
const (
	maxEmulatedSMs    = 1024
	maxEmulatedMemory = 1 << 42
)

// openEmulated opens a device of a system, or one alone.
func (s *server) openEmulated(a *openArgs) (*gpu, error) {
	e := a.emulation
	e.Devices = max(1, e.Devices)
	sys := s.systems[a.System]
	switch {
	case e.Multiprocessors < 0 || e.Multiprocessors > maxEmulatedSMs || e.Memory < 0 || e.Memory > maxEmulatedMemory:
		return nil, argumentf("open: %d multiprocessors and %d bytes of memory cannot be emulated", e.Multiprocessors, e.Memory)
	case sys != nil && a.System != 0 && sys.args != e:
		return nil, argumentf("open: system %d was opened with other options", a.System)
	case sys == nil || a.System == 0:
		sys = &system{args: e}
		var err error
		if sys.devices, sys.said, err = emulate(e); err != nil {
			return nil, argumentf("open: %v", err)
		}
		sys.open = make([]bool, len(sys.devices))
		if a.System != 0 {
			s.systems[a.System] = sys
		}
	}
	if a.Number < 0 || a.Number >= len(sys.devices) {
		return nil, argumentf("open: there is no emulated device %d: the system has %d", a.Number, len(sys.devices))
	}
	if sys.open[a.Number] {
		return nil, argumentf("open: device %d of system %d is open", a.Number, a.System)
	}
	sys.open[a.Number] = true
	return &gpu{dev: sys.devices[a.Number], kind: "simt", said: sys.said[a.Number], sys: a.System}, nil
}

// emulate opens the devices of a system. What their kernels print is of the system.
func emulate(e emulation) ([]*simt.Device, []*printed, error) {
	o := simt.Checked()
	if e.Unchecked {
		o = simt.Options{}
	}
	said := new(printed)
	o.Seed, o.Memory, o.Multiprocessors, o.MaxInstructions, o.Stdout = e.Seed, e.Memory, e.Multiprocessors, e.Instructions, said
	devices, err := simt.OpenSystem(e.Devices, o)
	return devices, slices.Repeat([]*printed{said}, e.Devices), err
}

// closeDevice forgets the handles of a device. A system goes with the first of its
// devices that is closed: the client opens all of them again.
func (s *server) closeDevice(g *gpu) {
	maps.DeleteFunc(s.handles, func(_ uint64, o any) bool {
		switch o := o.(type) {
		case *stream:
			return o.g == g
		case *event:
			return o.g == g
		case *module:
			return o.g == g
		case *kernel:
			return o.g == g
		case *hostMemory:
			if o.g != g {
				return false
			}
			s.arena.free(o.r)
			return true
		}
		return false
	})
	delete(s.systems, g.sys)
}

type loadArgs struct {
	header
	As     uint64 `cbor:"as"`
	Device uint64 `cbor:"device"`
	Name   string `cbor:"name"`
	Text   string `cbor:"text"`
	At     *int64 `cbor:"at"`
	Size   int64  `cbor:"size"`
}

func load(s *server, a *loadArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err := cmp.Or(err, s.handles.check(a.As)); err != nil {
		return nil, nil, err
	}
	text := a.Text
	if a.At != nil {
		b, err := s.arena.bytes(*a.At, a.Size)
		if err != nil {
			return g, nil, err
		}
		text = string(b) // a copy: the client may change the arena
	}
	defer g.enter()()
	m, err := g.dev.Load(a.Name, text)
	if err != nil {
		return g, nil, &failure{Kind: kindRefused, Message: err.Error()}
	}
	simt.NameAsCXX(m)
	s.handles[a.As] = &module{g, m}
	return g, nil, nil
}

type unloadArgs struct {
	header
	Module uint64 `cbor:"module"`
}

func unload(s *server, a *unloadArgs) (*gpu, any, error) {
	if _, err := lookup[*module](s.handles, a.Module); err != nil {
		return nil, nil, err
	}
	return closeHandle(s, &closeArgs{Handle: a.Module})
}

type kernelArgs struct {
	header
	As     uint64 `cbor:"as"`
	Module uint64 `cbor:"module"`
	Name   string `cbor:"name"`
}

type kernelResult struct {
	reply
	Info kernelInfo `cbor:"info"`
}

// A kernelInfo is [device.KernelInfo].
type kernelInfo struct {
	Name       string    `cbor:"name"`
	Registers  int       `cbor:"registers"`
	Shared     int       `cbor:"shared"`
	Local      int       `cbor:"local"`
	MaxThreads int       `cbor:"maxthreads"`
	Params     int       `cbor:"params"`
	Cluster    [3]uint32 `cbor:"cluster"`
}

func kernelOf(s *server, a *kernelArgs) (*gpu, any, error) {
	m, err := lookup[*module](s.handles, a.Module)
	if err := cmp.Or(err, s.handles.check(a.As)); err != nil {
		return nil, nil, err
	}
	defer m.g.enter()()
	k, err := m.m.Kernel(a.Name)
	if err != nil {
		return m.g, nil, err
	}
	s.handles[a.As] = &kernel{m.g, k}
	i := k.Info()
	c := i.Cluster.Norm()
	return m.g, &kernelResult{Info: kernelInfo{i.Name, i.Registers, i.SharedBytes, i.LocalBytes, i.MaxThreads, i.ParamsLength, [3]uint32{c.X, c.Y, c.Z}}}, nil
}

type globalArgs struct {
	header
	Module uint64 `cbor:"module"`
	Name   string `cbor:"name"`
}

type globalResult struct {
	reply
	Ptr  uint64 `cbor:"ptr"`
	Size int64  `cbor:"size"`
}

func global(s *server, a *globalArgs) (*gpu, any, error) {
	m, err := lookup[*module](s.handles, a.Module)
	if err != nil {
		return nil, nil, err
	}
	defer m.g.enter()()
	p, size, err := m.m.Global(a.Name)
	return m.g, &globalResult{Ptr: uint64(p), Size: size}, err
}

type occupancyArgs struct {
	header
	Kernel  uint64 `cbor:"kernel"`
	Threads int    `cbor:"threads"`
	Shared  uint32 `cbor:"shared"`
}

type occupancyResult struct {
	reply
	Blocks   int `cbor:"blocks"`
	Clusters int `cbor:"clusters"`
}

func occupancy(s *server, a *occupancyArgs) (*gpu, any, error) {
	k, err := lookup[*kernel](s.handles, a.Kernel)
	if err != nil {
		return nil, nil, err
	}
	defer k.g.enter()()
	r := &occupancyResult{}
	if r.Blocks, err = k.k.Occupancy(a.Threads, a.Shared); err != nil {
		return k.g, nil, err
	}
	if k.g.dev.Info().Clusters {
		r.Clusters, err = k.k.Clusters(a.Threads, a.Shared)
	}
	return k.g, r, err
}

type limitArgs struct {
	header
	Device uint64 `cbor:"device"`
	Heap   int64  `cbor:"heap"` // bytes that kernels' malloc can give
}

func limit(s *server, a *limitArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	d, ok := g.dev.(*simt.Device)
	if !ok || a.Heap < 0 {
		return g, nil, argumentf("limit: the heap of an emulated device has at least 0 bytes, not %d", a.Heap)
	}
	d.SetHeap(a.Heap)
	return g, nil, nil
}

type launchArgs struct {
	header
	Stream      uint64   `cbor:"stream"`
	Kernel      uint64   `cbor:"kernel"`
	Grid        []uint32 `cbor:"grid"`
	Block       []uint32 `cbor:"block"`
	Shared      uint32   `cbor:"shared"`
	Cooperative bool     `cbor:"cooperative"`
	Params      []byte   `cbor:"params"`
	Child       bool     `cbor:"child"` // of a launch in device code
	Parent      uint64   `cbor:"parent"`
	Slot        uint64   `cbor:"slot"`
	Called      string   `cbor:"stack"` // of the call in host code
}

func dim3(what string, d []uint32) (device.Dim3, error) {
	if len(d) == 0 || len(d) > 3 {
		return device.Dim3{}, argumentf("launch: %s has %d numbers, want 1 to 3", what, len(d))
	}
	var v [3]uint32
	copy(v[:], d)
	return device.Dim3{X: v[0], Y: v[1], Z: v[2]}, nil
}

func launch(s *server, a *launchArgs) (*gpu, any, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	k, err := lookup[*kernel](s.handles, a.Kernel)
	if err != nil {
		return o.g, nil, err
	}
	l := device.Launch{Shared: a.Shared, Cooperative: a.Cooperative, Params: a.Params}
	if l.Grid, err = dim3("grid", a.Grid); err != nil {
		return o.g, nil, err
	}
	if l.Block, err = dim3("block", a.Block); err != nil {
		return o.g, nil, err
	}
	if a.Child {
		l.Origin = &device.Origin{Grid: a.Parent, Slot: device.Ptr(a.Slot)}
	}
	defer o.g.enter()()
	o.g.calling(a.Called)
	return o.g, nil, o.queue().Launch(k.k, l)
}

type reportArgs struct {
	header
	Device uint64 `cbor:"device"`
	From   int    `cbor:"from"`
}

type reportResult struct {
	reply
	Reports []reportText `cbor:"reports"`
	Total   int          `cbor:"total"`
	Printed []byte       `cbor:"printed"`
	Lost    int64        `cbor:"lost"`
}

// A reportText is a [device.Report].
type reportText struct {
	Kind      string   `cbor:"kind"`
	Kernel    string   `cbor:"kernel"`
	Buffer    string   `cbor:"buffer"`
	Place     string   `cbor:"place"`
	Text      string   `cbor:"text"` // all of it, for people
	Positions []string `cbor:"positions"`
	Count     int      `cbor:"count"`
	Address   uint64   `cbor:"address,omitempty"`
}

// Limits of one reply to report; what is more comes with the next.
const (
	maxReportBytes = 256 << 10
	maxReportCount = 64
)

func report(s *server, a *reportArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	defer g.enter()()
	r := &reportResult{}
	if g.said != nil {
		r.Printed, r.Lost = g.said.take(maxReportBytes)
	}
	if c, ok := g.dev.(device.Checking); ok {
		list := c.Reports()
		if a.From < 0 || a.From > len(list) {
			return g, nil, argumentf("report: from %d: there are %d", a.From, len(list))
		}
		r.Total = len(list)
		more := list[a.From:]
		more = more[:min(len(more), maxReportCount)]
		g.told.Store(int64(a.From + len(more)))
		for _, x := range more {
			t := reportText{Kind: x.Kind, Kernel: x.Kernel, Buffer: x.Buffer, Place: x.Place, Text: x.String(), Count: x.Count, Address: x.Address}
			for _, p := range x.Positions {
				if p.File != "" {
					t.Positions = append(t.Positions, fmt.Sprint(p))
				}
			}
			r.Reports = append(r.Reports, t)
		}
	}
	return g, r, s.found()
}
