package hosteval

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/codecache"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/findings"
)

// sticky reports whether an error leaves the device unusable until it is reset.
func sticky(e uint64) bool { return slices.Contains(stickyErrors[:], e) }

// A block is memory of the CUDA runtime.
type block struct {
	base, size uint64
	name       string
	kind       blockKind
	host       device.HostMemory // of page-locked and managed memory
}

type blockKind uint8

const (
	deviceBlock blockKind = iota
	hostBlock
	managedBlock
)

// A cudaState is the CUDA runtime of one program.
type cudaState struct {
	dev     device.Device
	simt    *simt.Device // the same, if it is the emulator
	broken  uint64       // the error that the device is unusable by
	absent  uint64       // why there is no device
	last    uint64
	number  int     // of allocations
	blocks  []block // by address
	limits  map[uint64]uint64
	told    int    // reports that have been printed
	reports bool   // there were some
	reason  string // of the last error that refused returned
	unasked string // the first launch that failed before the error that no call has asked for yet

	unaskedAt device.Position // where it is

	module  device.Module
	kernels map[string]*loadedKernel
	streams map[uint64]device.Stream
	events  map[uint64]*event
	handle  uint64 // of the last stream or event
}

// A loadedKernel is a kernel of the program's device.
type loadedKernel struct {
	k       device.Kernel
	params  []struct{ at, size uint64 }
	bytes   int
	dynamic uint64 // most bytes of dynamic shared memory
}

// A cudaFunction is a function of the CUDA runtime that needs its device.
type cudaFunction func(m *machine, c *call) uint64

// withDevice opens the device before f, and notes its error for cudaGetLastError.
func withDevice(f cudaFunction) function {
	return func(m *machine, c *call) uint64 {
		s := &m.cuda
		m.stack = nil
		if m.log.Reports() {
			m.stack = c.Stack()
		}
		e := m.ready()
		if m.stack != nil && s.simt != nil {
			s.simt.Calling(m.stack)
		}
		if e == cudaSuccess {
			e = s.broken
		}
		if e == cudaSuccess {
			e = f(m, c)
		}
		if e != cudaSuccess {
			s.last = e
		}
		if sticky(e) {
			s.broken = e
		}
		return e
	}
}

// ready opens the device.
func (m *machine) ready() uint64 {
	s := &m.cuda
	if s.dev != nil || s.absent != cudaSuccess {
		return s.absent
	}
	switch m.run.Device {
	case "simt":
		o, leaks, err := emulatorOptions(m.run.Options)
		if err != nil {
			m.errorf("irgl: %v\n", err)
			s.absent = cudaErrorInitializationError
			return s.absent
		}
		o.Stdout = m.out
		s.simt = simt.Open(o)
		s.dev = s.simt
		m.emulator.Store(s.simt)
		m.log.Opened(0, s.simt, findings.About{Multiprocessors: s.simt.Info().Multiprocessors, Seed: o.Seed, Checked: o.CheckRaces, Leaks: leaks})
	case "cuda", "":
		dev, err := cuda.OpenWith(0, cuda.Options{Primary: true, Cache: codecache.User()})
		if err != nil {
			m.errorf("irgl: %v; --device simt runs the program on the emulator\n", err)
			s.absent = cudaErrorNoDevice
			return s.absent
		}
		s.dev = dev
	}
	s.kernels, s.streams, s.events = map[string]*loadedKernel{}, map[uint64]device.Stream{}, map[uint64]*event{}
	s.handle, s.limits = 0x1000, map[uint64]uint64{}
	return cudaSuccess
}

// emulatorOptions reads IRGL_SIMT; leaks says whether memory that is not freed is reported.
func emulatorOptions(list string) (o simt.Options, leaks bool, err error) {
	o = simt.Checked()
	for item := range strings.SplitSeq(list, ",") {
		if item == "" {
			continue
		}
		name, value, _ := strings.Cut(item, "=")
		n, err := strconv.ParseUint(value, 10, 64)
		if why := outOfRange(name, n, err); why != "" {
			return o, leaks, fmt.Errorf("IRGL_SIMT has %s: %s", item, why)
		}
		switch name {
		case "seed":
			o.Seed = n
		case "check":
			if n == 0 {
				o.CheckRaces, o.CheckUninitialised, o.CheckDeclared = false, false, false
			}
		case "memory":
			o.Memory = int64(n)
		case "multiprocessors":
			o.Multiprocessors = int(n)
		case "instructions":
			o.MaxInstructions = n
		case "leaks":
			leaks = n == 1
		case "devices":
			if n != 1 {
				return o, leaks, errors.New("IRGL_SIMT: host code that irgl evaluates has one device")
			}
		}
	}
	return o, leaks, nil
}

// outOfRange says what is wrong with an option in IRGL_SIMT, or returns "".
func outOfRange(name string, n uint64, err error) string {
	var names []string
	for _, r := range emulatorOptionRanges {
		if r.name == name && err == nil && n >= r.least && n <= r.most {
			return ""
		}
		if r.name == name {
			return fmt.Sprintf("%s is a number from %d to %d", name, r.least, r.most)
		}
		names = append(names, r.name)
	}
	return "the options are " + strings.Join(names, ", ")
}

// close gives the device back.
func (s *cudaState) close() {
	if s.dev != nil {
		s.dev.Close()
		s.dev = nil
	}
}

// failed returns the runtime's error of one of the device's.
func (m *machine) failed(err error) uint64 {
	if err == nil {
		return cudaSuccess
	}
	if _, ok := errors.AsType[*device.OutOfMemoryError](err); ok {
		return cudaErrorMemoryAllocation
	}
	f, ok := errors.AsType[*simt.Fault](err)
	if ok {
		m.log.Fault(0, f)
	}
	if !ok {
		if e, ok := errors.AsType[*cuda.Error](err); ok {
			return uint64(e.Code)
		}
		return m.refused(cudaErrorInvalidValue, "%v", err)
	}
	if f.Report.Kind == "" {
		m.errorf("irgl: %v\n", err)
		m.reported()
	}
	if e, ok := faultErrors[f.Code]; ok {
		return e
	}
	return cudaErrorLaunchFailure
}

// refused returns an error, whose reason is printed if IRGL_LOG asks for it, and kept for the report of
// a launch whose error no call asks for.
func (m *machine) refused(e uint64, format string, args ...any) uint64 {
	m.cuda.reason = fmt.Sprintf(format, args...)
	if os.Getenv("IRGL_LOG") != "" {
		m.errorf("irgl: %s: %s\n", errorOf(e).name, m.cuda.reason)
	}
	if !m.launching { // launchFunction tells of launches
		m.log.Call(findings.CallFailed, errorOf(e).name+": "+m.cuda.reason, m.stack)
	}
	return e
}

// reported makes the exit status that of a program about which there are reports.
func (m *machine) reported() {
	if m.status == 0 {
		m.status = statusError
	}
	m.cuda.reports = true
}

// tell prints the reports that the emulator has made since the last time.
func (m *machine) tell() {
	s := &m.cuda
	if s.simt == nil {
		return
	}
	list := s.simt.Reports()
	for _, r := range list[min(s.told, len(list)):] {
		m.errorf("irgl: %v\n", r)
		s.reports = true
	}
	s.told = len(list)
	m.updateLog()
}

// finish waits for the device at the end of the program.
func (m *machine) finish() error {
	s := &m.cuda
	if s.dev != nil && s.broken == cudaSuccess && m.ctx.Err() == nil {
		m.failed(s.dev.Sync(m.ctx))
	}
	m.tell()
	if s.unasked != "" && s.simt != nil {
		text := s.unasked + ", and no call asked for the error"
		m.errorf("irgl: %s\n", text)
		m.log.Call(findings.LaunchFailed, text, findings.Frames(s.unaskedAt))
		s.reports, s.unasked = true, ""
	}
	if s.reports && m.status == 0 {
		m.status = statusError
	}
	return nil
}

// add notes memory.
func (s *cudaState) add(b block) {
	i, _ := slices.BinarySearchFunc(s.blocks, b.base, func(b block, at uint64) int { return cmp.Compare(b.base, at) })
	s.blocks = slices.Insert(s.blocks, i, b)
}

// find returns the memory that an address is in, or nil.
func (s *cudaState) find(addr uint64) *block {
	i, found := slices.BinarySearchFunc(s.blocks, addr, func(b block, at uint64) int { return cmp.Compare(b.base, at) })
	if !found {
		i--
	}
	if i < 0 || addr-s.blocks[i].base >= max(1, s.blocks[i].size) {
		return nil
	}
	return &s.blocks[i]
}

// nameOf returns the name of the device memory at an address, and the place in it, or "".
func (s *cudaState) nameOf(addr uint64) string {
	b := s.find(addr)
	if b == nil || b.kind != deviceBlock {
		return ""
	}
	return fmt.Sprintf("%s+%d", b.name, addr-b.base)
}

// take forgets memory that begins at an address.
func (s *cudaState) take(addr uint64, kinds ...blockKind) (block, bool) {
	b := s.find(addr)
	if b == nil || b.base != addr || !slices.Contains(kinds, b.kind) {
		return block{}, false
	}
	old := *b
	s.blocks = slices.DeleteFunc(s.blocks, func(b block) bool { return b.base == addr })
	return old, true
}

// next returns the name of the next allocation.
func (s *cudaState) next(function string) string {
	s.number++
	return fmt.Sprintf("%s #%d", function, s.number)
}
