package host

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/syntax"
)

// This file has the calls of the CUDA runtime that take a kernel as a value:
// occupancy queries and cooperative launches.

// The name of a kernel, as a value, is an address above those of devices and
// below those of host memory, which can be neither read nor written. Kernels
// are kernelStep apart, so that pointer arithmetic on one does not give
// another.
const (
	kernelBase = uint64(1) << 61
	kernelStep = 16
)

// A kernelLayout is the layout of a kernel's parameters.
type kernelLayout struct {
	name    string
	types   []check.Type
	offsets []int64 // of the parameters in the parameter block
	size    int64   // of that block
	lists   []int64 // offsets in it of the addresses of the worklists' counts
	hides   bool    // other parameters contain worklists
}

func newKernelLayout(name string, ft *check.Func) *kernelLayout {
	k := &kernelLayout{name: name, types: ft.Params}
	for _, t := range ft.Params {
		k.size = roundUp(k.size, t.Align())
		k.offsets = append(k.offsets, k.size)
		if at, ok := countOffset(t); ok {
			k.lists = append(k.lists, k.size+at)
		}
		k.hides = k.hides || hidesLists(t, hiddenDepth)
		k.size += t.Size()
	}
	k.hides = k.hides || strings.HasPrefix(name, abi.ControlPrefix) // or its frame does, in a variable
	return k
}

// kernelValue returns the value of a kernel's name. Few kernels of a program
// are used as values; they are numbered in order of use.
func (p *Program) kernelValue(obj *check.Object) (uint64, bool) {
	ft, ok := obj.Type.(*check.Func)
	if !ok || obj.Kind != check.FuncObj || !obj.Attrs.Has(syntax.Global) {
		return 0, false
	}
	for i, k := range p.kernels {
		if k.name == obj.Name {
			return kernelBase + uint64(i)*kernelStep, true
		}
	}
	p.kernels = append(p.kernels, newKernelLayout(obj.Name, ft))
	return kernelBase + uint64(len(p.kernels)-1)*kernelStep, true
}

// kernelAt returns the kernel that a value denotes.
func (m *machine) kernelAt(n syntax.Node, v uint64) *kernelLayout {
	i := (v - kernelBase) / kernelStep
	if v < kernelBase || (v-kernelBase)%kernelStep != 0 || i >= uint64(len(m.program.kernels)) {
		what := "another pointer"
		if v == 0 {
			what = "null"
		}
		fail(n, fmt.Errorf("a kernel is needed here, not %s", what))
	}
	return m.program.kernels[i]
}

// An occupancyKey is the key of a cached result of [machine.occupancy].
type occupancyKey struct {
	kernel  *kernelLayout
	threads int
	shared  uint32
}

// occupancy returns the number of resident blocks of a kernel per
// multiprocessor. Drivers take microseconds for the query, so the results are
// cached for the run.
func (m *machine) occupancy(n syntax.Node, k *kernelLayout, threads int, shared uint32) int {
	key := occupancyKey{k, threads, shared}
	if blocks, ok := m.resident[key]; ok {
		return blocks
	}
	dk, err := m.kernel(k.name)
	blocks := 0
	if err == nil {
		blocks, err = dk.Occupancy(threads, shared)
	}
	if err != nil {
		fail(n, fmt.Errorf("occupancy of %s: %w", k.name, err))
	}
	if m.resident == nil {
		m.resident = map[occupancyKey]int{}
	}
	m.resident[key] = blocks
	return blocks
}

// maxActiveBlocks is cudaOccupancyMaxActiveBlocksPerMultiprocessor.
func maxActiveBlocks(m *machine, n syntax.Node, v [4]uint64) uint64 {
	to, k := m.bytes(n, v[0], 4), m.kernelAt(n, v[1])
	store(to, uint64(m.occupancy(n, k, int(int32(v[2])), uint32(v[3]))))
	return cudaSuccess
}

// maxActiveClusters is cudaOccupancyMaxActiveClusters. The kernel's attributes
// give the number of blocks per cluster.
func maxActiveClusters(m *machine, n syntax.Node, v [4]uint64) uint64 {
	const block, dynamic = 12, 24 // in cudaLaunchConfig_t
	to, k := m.bytes(n, v[0], 4), m.kernelAt(n, v[1])
	threads := m.dim3(n, v[2]+block).Count()
	shared := load(m.bytes(n, v[2]+dynamic, 8))
	dk, err := m.kernel(k.name)
	clusters := 0
	if err == nil {
		clusters, err = dk.Clusters(int(min(threads, math.MaxInt32)), uint32(min(shared, math.MaxUint32)))
	}
	if err != nil {
		fail(n, fmt.Errorf("clusters of %s: %w", k.name, err))
	}
	store(to, uint64(clusters))
	return cudaSuccess
}

// funcSetAttribute is cudaFuncSetAttribute. It is a no-op: devices set the
// attribute when they load a kernel.
func funcSetAttribute(m *machine, n syntax.Node, v [4]uint64) uint64 {
	k := m.kernelAt(n, v[0])
	if allowed := check.LookupBuiltin("cudaFuncAttributeNonPortableClusterSizeAllowed").Const.Int; int64(int32(v[1])) != allowed {
		fail(n, fmt.Errorf("attribute %d of %s is not known here", int32(v[1]), k.name))
	}
	return cudaSuccess
}

// deviceAttributes are the attributes that programs may query.
var deviceAttributes = sync.OnceValue(func() map[string]func(i device.Info) int {
	return map[string]func(i device.Info) int{
		"cudaDevAttrMultiProcessorCount":         func(i device.Info) int { return i.Multiprocessors },
		"cudaDevAttrMaxThreadsPerBlock":          func(i device.Info) int { return i.MaxThreadsPerBlock },
		"cudaDevAttrMaxThreadsPerMultiProcessor": func(i device.Info) int { return i.MaxThreadsPerSM },
		"cudaDevAttrMaxSharedMemoryPerBlock":     func(i device.Info) int { return i.SharedMemoryPerBlock },
		"cudaDevAttrWarpSize":                    func(i device.Info) int { return i.WarpSize },
		"cudaDevAttrComputeCapabilityMajor":      func(i device.Info) int { return i.Major },
		"cudaDevAttrComputeCapabilityMinor":      func(i device.Info) int { return i.Minor },
		"cudaDevAttrCooperativeLaunch":           func(i device.Info) int { return int(truth(i.Cooperative)) },
		"cudaDevAttrClusterLaunch":               func(i device.Info) int { return int(truth(i.Clusters)) },
	}
})

// attributeByNumber is deviceAttributes by the values of their constants.
var attributeByNumber = sync.OnceValue(func() map[int64]func(i device.Info) int {
	byNumber := map[int64]func(i device.Info) int{}
	for name, get := range deviceAttributes() {
		byNumber[check.LookupBuiltin(name).Const.Int] = get
	}
	return byNumber
})

// deviceAttribute is cudaDeviceGetAttribute.
func deviceAttribute(m *machine, n syntax.Node, v [4]uint64) uint64 {
	to, get := m.bytes(n, v[0], 4), attributeByNumber()[int64(v[1])]
	if get == nil {
		fail(n, fmt.Errorf("device attribute %d is not known here", int64(v[1])))
	}
	store(to, uint64(get(m.dev.Info())))
	return cudaSuccess
}

// cooperativeLaunch compiles cudaLaunchCooperativeKernel(kernel, grid, block,
// args, shared, stream). args points to the addresses of the arguments, whose
// values are copied at the launch.
func (f *frame) cooperativeLaunch(x *syntax.CallExpr, ft *check.Func) eval {
	args := f.args(x.Args, ft)
	return func(m *machine) uint64 {
		k := m.kernelAt(x, args[0](m))
		l := device.Launch{Grid: m.dim3(x, args[1](m)), Block: m.dim3(x, args[2](m)), Cooperative: true, Params: make([]byte, k.size)}
		list := args[3](m)
		if len(args) > 4 {
			l.Shared = uint32(args[4](m))
		}
		if len(args) > 5 {
			args[5](m)
		}
		for i, t := range k.types {
			at := load(m.bytes(x, list+uint64(8*i), 8))
			b, err := m.mem.bytes(at, t.Size())
			if err != nil {
				fail(x, fmt.Errorf("launch of %s: argument %d: %w", k.name, i+1, err))
			}
			copy(l.Params[k.offsets[i]:], b)
		}
		if !m.dev.Info().Cooperative {
			fail(x, fmt.Errorf("launch of %s: its blocks wait for each other, and this device cannot launch them all at once", k.name))
		}
		m.launch(x, k, l)
		if m.dev.Info().Kind == "simt" {
			// A cooperative kernel may contain all iterations of a program; the emulator
			// can be interrupted between them.
			return m.check(x, m.wait())
		}
		return cudaSuccess
	}
}

// launch passes a launch to the device.
func (m *machine) launch(n syntax.Node, k *kernelLayout, l device.Launch) {
	if err := m.ctx.Err(); err != nil {
		fail(n, err)
	}
	dk, err := m.kernel(k.name)
	if err == nil {
		m.launches++
		err = m.span.begin()
	}
	if err == nil {
		if m.rec != nil {
			err = m.rec.launch(m, k, dk, l)
		} else {
			err = m.dev.Launch(dk, l)
		}
		m.span.launched()
	}
	if err == nil {
		err = m.launchChildren(k)
	}
	if err != nil {
		fail(n, fmt.Errorf("launch of %s: %w", k.name, err))
	}
}
