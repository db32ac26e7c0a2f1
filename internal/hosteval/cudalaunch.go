package hosteval

import (
	"encoding/binary"
	"fmt"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// load loads the program's device code.
func (m *machine) load() uint64 {
	s := &m.cuda
	if s.module != nil {
		return cudaSuccess
	}
	mod, err := s.dev.Load(m.prog.name, m.prog.device.PTX)
	if err != nil {
		m.errorf("irgl: %v\n", err)
		return cudaErrorInvalidPtx
	}
	simt.NameAsCXX(mod)
	s.module = mod
	return cudaSuccess
}

// kernel returns the kernel that an address of the host code stands for.
func (m *machine) kernel(standIn uint64) (*loadedKernel, uint64) {
	s := &m.cuda
	name, ok := m.names[standIn]
	if !ok {
		return nil, cudaErrorInvalidDeviceFunction
	}
	if k := s.kernels[name]; k != nil {
		return k, cudaSuccess
	}
	if e := m.load(); e != cudaSuccess {
		return nil, e
	}
	k, err := s.module.Kernel(name)
	if err != nil {
		m.errorf("irgl: %v\n", err)
		return nil, cudaErrorInvalidDeviceFunction
	}
	l := &loadedKernel{k: k, dynamic: max(0, defaultShared-uint64(k.Info().SharedBytes))}
	for _, d := range m.prog.device.Kernels {
		if d.Symbol != name {
			continue
		}
		l.bytes = int(d.Bytes)
		for _, p := range d.Params {
			l.params = append(l.params, struct{ at, size uint64 }{uint64(p.Offset), uint64(p.Size)})
		}
	}
	s.kernels[name] = l
	return l, cudaSuccess
}

// launchFunction is a launch: of the kernel's stand-in, the addresses of the grid and the block, the
// dynamic shared memory and the stream; then the addresses of the arguments, or, of __irgl_launch,
// the address of an array of them and whether the launch is cooperative.
var launchFunction function = func(m *machine, c *call) uint64 {
	m.cuda.reason = ""
	m.launching = c.Name != "__irgl_launch"
	e := withDevice(launch)(m, c)
	m.launching = false
	// A grid without blocks has nothing to do: programs rely on that for empty inputs.
	grid, ok := dim3(c, c.Args[1])
	empty := !ok || grid.X == 0 || grid.Y == 0 || grid.Z == 0
	if s := &m.cuda; e != cudaSuccess && !sticky(e) && !empty && s.unasked == "" && c.Name != "__irgl_launch" {
		at := c.Position()
		s.unaskedAt = at
		s.unasked = fmt.Sprintf("the launch of %s at %s:%d failed with %s", simt.CXXName(m.names[c.Args[0]]), at.File, at.Line, errorOf(e).name)
		if s.reason != "" {
			s.unasked += " (" + s.reason + ")"
		}
	}
	return e
}

func launch(m *machine, c *call) uint64 {
	k, e := m.kernel(c.Args[0])
	if e != cudaSuccess {
		return e
	}
	grid, ok := dim3(c, c.Args[1])
	if !ok {
		return 0
	}
	block, ok := dim3(c, c.Args[2])
	if !ok {
		return 0
	}
	l := device.Launch{Grid: grid, Block: block, Shared: uint32(c.Args[3]), Params: make([]byte, k.bytes)}
	args := c.Args[5:]
	if c.Name == "__irgl_launch" {
		l.Cooperative = c.Args[6] != 0
		if args, ok = pointers(c, c.Args[5], len(k.params)); !ok {
			return cudaErrorInvalidValue
		}
	}
	threads := uint64(block.X) * uint64(block.Y) * uint64(block.Z)
	why := unlaunchable(grid, block, threads)
	switch i := k.k.Info(); {
	case why != "":
		return m.refused(cudaErrorInvalidConfiguration, "a grid of %d, %d, %d blocks of %d, %d, %d threads: %s", grid.X, grid.Y, grid.Z, block.X, block.Y, block.Z, why)
	case threads > uint64(i.MaxThreads):
		return m.refused(cudaErrorLaunchOutOfResources, "blocks of %d threads: the kernel allows at most %d", threads, i.MaxThreads)
	case c.Args[3] > k.dynamic:
		return m.refused(cudaErrorInvalidValue, "%d bytes of dynamic and %d of static shared memory: %d are allowed; cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize allows more", c.Args[3], i.SharedBytes, k.dynamic)
	case len(args) < len(k.params):
		return cudaErrorInvalidValue
	}
	for i, p := range k.params {
		b := c.Bytes(args[i], p.size, false)
		if b == nil {
			return 0
		}
		copy(l.Params[p.at:], b)
	}
	q, e := m.queueOf(c.Args[4])
	if e != cudaSuccess {
		return e
	}
	if l.Cooperative {
		n, err := k.k.Occupancy(int(threads), l.Shared)
		if err == nil && grid.Count() > uint64(n*m.cuda.dev.Info().Multiprocessors) {
			return m.refused(cudaErrorCooperativeLaunchTooLarge, "a cooperative launch of %d blocks: %d can be resident", grid.Count(), n*m.cuda.dev.Info().Multiprocessors)
		}
	}
	e = m.failed(q.Launch(k.k, l))
	m.tell()
	return e
}

// unlaunchable returns what is wrong with a grid and a block whatever the kernel, or "".
func unlaunchable(g, b device.Dim3, threads uint64) string {
	switch {
	case g.X == 0 || g.Y == 0 || g.Z == 0:
		return "the grid has no blocks"
	case b.X == 0 || b.Y == 0 || b.Z == 0:
		return "the blocks have no threads"
	case g.X > maxGridX || g.Y > maxGridYz || g.Z > maxGridYz:
		return fmt.Sprintf("a grid has at most %d blocks in x, %d in y and z", maxGridX, maxGridYz)
	case b.X > maxBlockXy || b.Y > maxBlockXy || b.Z > maxBlockZ:
		return fmt.Sprintf("a block has at most %d threads in x and y, %d in z", maxBlockXy, maxBlockZ)
	case threads > maxThreads:
		return fmt.Sprintf("a block has at most %d threads", maxThreads)
	}
	return ""
}

// dim3 reads a dim3. A zero stays one, and is refused.
func dim3(c *call, at uint64) (device.Dim3, bool) {
	b := c.Bytes(at, 12, false)
	if b == nil {
		return device.Dim3{}, false
	}
	return device.Dim3{X: binary.LittleEndian.Uint32(b), Y: binary.LittleEndian.Uint32(b[4:]), Z: binary.LittleEndian.Uint32(b[8:])}, true
}

// pointers reads n pointers.
func pointers(c *call, at uint64, n int) ([]uint64, bool) {
	if n == 0 {
		return nil, true
	}
	if at == 0 {
		return nil, false
	}
	b := c.Bytes(at, uint64(8*n), false)
	if b == nil {
		return nil, false
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return list, true
}

// kernelNumbers is __irgl_kernel(kernel, int *numbers): registers, static shared memory, local
// memory, threads a block, dynamic shared memory.
func kernelNumbers(m *machine, c *call) uint64 {
	k, e := m.kernel(c.Args[0])
	if e != cudaSuccess {
		return e
	}
	i := k.k.Info()
	for n, v := range []int{i.Registers, i.SharedBytes, i.LocalBytes, i.MaxThreads, int(k.dynamic)} {
		put32(c, c.Args[1]+uint64(4*n), uint32(v))
	}
	return cudaSuccess
}

// raiseDynamic is __irgl_dynamic(kernel, bytes): cudaFuncAttributeMaxDynamicSharedMemorySize.
func raiseDynamic(m *machine, c *call) uint64 {
	k, e := m.kernel(c.Args[0])
	if e != cudaSuccess {
		return e
	}
	if n := int64(int32(c.Args[1])); n < 0 || uint64(n)+uint64(k.k.Info().SharedBytes) > optInShared {
		return cudaErrorInvalidValue
	}
	k.dynamic = c.Args[1]
	return cudaSuccess
}

// occupancy is __irgl_occupancy(kernel, threads, shared, int *blocks).
func occupancy(m *machine, c *call) uint64 {
	k, e := m.kernel(c.Args[0])
	if e != cudaSuccess {
		return e
	}
	threads := int(int32(c.Args[1]))
	if threads <= 0 {
		return cudaErrorInvalidValue
	}
	n := 0
	if threads <= k.k.Info().MaxThreads {
		var err error
		if n, err = k.k.Occupancy(threads, uint32(c.Args[2])); err != nil {
			return m.failed(err)
		}
	}
	put32(c, c.Args[3], uint32(n))
	return cudaSuccess
}

// deviceNumbers is __irgl_device(char *name, size_t *numbers).
func deviceNumbers(m *machine, c *call) uint64 {
	i := m.cuda.dev.Info()
	name := i.Name
	if b := c.Bytes(c.Args[0], 256, true); b != nil {
		clear(b)
		copy(b[:255], name)
	}
	truth := map[bool]uint64{true: 1}
	for n, v := range []uint64{uint64(i.Memory), uint64(i.SharedMemoryPerBlock), uint64(i.WarpSize), uint64(i.MaxThreadsPerBlock), uint64(i.Major), uint64(i.Minor),
		uint64(i.Multiprocessors), uint64(i.MaxThreadsPerSM), truth[i.Cooperative], truth[i.Clusters]} {
		put64(c, c.Args[1]+uint64(8*n), v)
	}
	return cudaSuccess
}
