//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"strings"
	"syscall"

	"irgl/internal/device"
)

// entries are the fake driver's functions by exported name.
func (f *fakeDriver) entries() map[string]fakeEntry {
	all := map[string]fakeEntry{
		"cuGetErrorName":     {args: 2, bare: f.errorText(0)},
		"cuGetErrorString":   {args: 2, bare: f.errorText(1)},
		"cuInit":             {args: 1, bare: func([]uintptr) int { return 0 }},
		"cuDriverGetVersion": {args: 1, bare: func([]uintptr) int { return 0 }},
		"cuDeviceGetCount":   {args: 1, bare: func(a []uintptr) int { *pointer[int32](a[0]) = 2; return 0 }},
		"cuDeviceGet":        {args: 2, bare: func(a []uintptr) int { *pointer[int32](a[0]) = int32(a[1]); return 0 }},
		"cuDeviceGetName": {args: 3, bare: func(a []uintptr) int {
			copy(bytesAt(a[0], a[1]), "fake\x00")
			return 0
		}},
		"cuDeviceTotalMem_v2": {args: 2, bare: func(a []uintptr) int {
			*pointer[uint64](a[0]) = uint64(f.system[a[1]].Info().Memory)
			return 0
		}},
		"cuDeviceGetAttribute": {args: 3, bare: f.deviceAttribute},
		"cuDeviceCanAccessPeer": {args: 3, bare: func(a []uintptr) int {
			*pointer[int32](a[0]) = int32(one(a[1] != a[2]))
			return 0
		}},
	}
	for _, part := range []map[string]fakeEntry{f.contextEntries(), f.memoryEntries(), f.streamEntries(), f.eventEntries(), f.moduleEntries(), f.linkEntries()} {
		for name, e := range part {
			all[name] = e
		}
	}
	return all
}

func (f *fakeDriver) deviceAttribute(a []uintptr) int {
	i := f.system[a[2]].Info()
	v, ok := map[uintptr]int{
		attrMaxThreadsPerBlock: i.MaxThreadsPerBlock, attrSharedPerBlock: i.SharedMemoryPerBlock, attrWarpSize: i.WarpSize,
		attrMultiprocessors: i.Multiprocessors, attrThreadsPerSM: i.MaxThreadsPerSM, attrMajor: i.Major, attrMinor: i.Minor,
		attrCooperative: one(i.Cooperative), attrSharedPerBlockOptin: 227 << 10, attrClusters: one(i.Clusters),
	}[a[1]]
	if !ok {
		return codeInvalidValue
	}
	*pointer[int32](a[0]) = int32(v)
	return 0
}

func (f *fakeDriver) newContext(ordinal int) (uintptr, *fakeContext) {
	c := &fakeContext{dev: f.system[ordinal], ordinal: ordinal, memory: map[uintptr]uintptr{}, peers: map[*fakeContext]bool{}}
	return f.add(c), c
}

func (f *fakeDriver) contextEntries() map[string]fakeEntry {
	return map[string]fakeEntry{
		"cuCtxCreate_v2": {args: 3, bare: func(a []uintptr) int {
			h, c := f.newContext(int(a[2]))
			*pointer[uintptr](a[0]), f.threads[syscall.Gettid()] = h, c
			return 0
		}},
		"cuCtxDestroy_v2": {args: 1, bare: func(a []uintptr) int {
			c := thing[fakeContext](f, a[0])
			if c == nil {
				return codeInvalidContext
			}
			f.destroy(a[0], c)
			return 0
		}},
		"cuDevicePrimaryCtxRetain": {args: 2, bare: func(a []uintptr) int {
			ordinal := int(a[1])
			for h, t := range f.things {
				if c, ok := t.(*fakeContext); ok && c == f.primary[ordinal] {
					c.retains++
					*pointer[uintptr](a[0]) = h
					return 0
				}
			}
			h, c := f.newContext(ordinal)
			c.retains, f.primary[ordinal] = 1, c
			*pointer[uintptr](a[0]) = h
			return 0
		}},
		"cuDevicePrimaryCtxRelease_v2": {args: 1, bare: func(a []uintptr) int {
			// Systems of earlier tests have a context of that GPU, too: the
			// one that is current is meant.
			c := f.threads[syscall.Gettid()]
			if c == nil || c.ordinal != int(a[0]) || c.retains == 0 {
				return codeInvalidContext
			}
			if c.retains--; c.retains == 0 && c.broken == 0 && f.live(c) > 0 {
				return codeLeak
			}
			return 0
		}},
		"cuCtxSetCurrent": {args: 1, bare: func(a []uintptr) int {
			c := thing[fakeContext](f, a[0])
			if c == nil {
				return codeInvalidContext
			}
			f.threads[syscall.Gettid()] = c
			return 0
		}},
		"cuCtxSetLimit": {args: 2, f: func(*fakeContext, []uintptr) int { return 0 }},
		"cuCtxGetStreamPriorityRange": {args: 2, f: func(_ *fakeContext, a []uintptr) int {
			*pointer[int32](a[0]), *pointer[int32](a[1]) = 0, -5
			return 0
		}},
		"cuCtxEnablePeerAccess": {args: 2, f: func(c *fakeContext, a []uintptr) int {
			o := thing[fakeContext](f, a[0])
			switch {
			case o == nil || o == c || a[1] != 0:
				return codeInvalidContext
			case c.peers[o]:
				return codePeerEnabled
			}
			c.peers[o] = true
			return c.code(c.dev.EnablePeer(o.dev))
		}},
	}
}

// destroy ends a context with everything in it.
func (f *fakeDriver) destroy(handle uintptr, c *fakeContext) {
	for tid, current := range f.threads {
		if current == c {
			delete(f.threads, tid)
		}
	}
	if c.broken == 0 {
		_ = c.dev.Close()
	}
	delete(f.things, handle)
	for h, t := range f.things {
		if s, ok := t.(*fakeStream); ok && s.c == c {
			delete(f.things, h)
		}
		if e, ok := t.(*fakeEvent); ok && e.c == c {
			delete(f.things, h)
		}
	}
}

func (f *fakeDriver) memoryEntries() map[string]fakeEntry {
	return map[string]fakeEntry{
		"cuMemAlloc_v2": {args: 2, f: func(c *fakeContext, a []uintptr) int {
			p, err := c.dev.Alloc("fake", int64(a[1]))
			if err == nil {
				*pointer[uint64](a[0]), c.memory[uintptr(p)] = uint64(p), a[1]
			}
			return c.code(err)
		}},
		"cuMemFree_v2": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			if _, ok := c.memory[a[0]]; !ok {
				return codeInvalidValue
			}
			delete(c.memory, a[0])
			return c.code(c.dev.Free(device.Ptr(a[0])))
		}},
		"cuMemGetInfo_v2": {args: 2, f: func(c *fakeContext, a []uintptr) int {
			*pointer[uint64](a[0]), *pointer[uint64](a[1]) = 1<<20, uint64(c.dev.Info().Memory)
			return 0
		}},
		"cuMemGetAddressRange_v2": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			for p, size := range c.memory {
				if p <= a[2] && a[2] < p+size {
					*pointer[uint64](a[0]), *pointer[uint64](a[1]) = uint64(p), uint64(size)
					return 0
				}
			}
			return codeNotFound
		}},
		"cuMemHostAlloc": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			h, err := c.dev.AllocHost("fake", int64(a[1]))
			if err != nil {
				return codeOutOfMemory
			}
			p := rangeOf(h.Bytes()).from
			*pointer[uintptr](a[0]), f.things[p] = p, &fakeHost{c, h}
			return 0
		}},
		"cuMemFreeHost": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			h := thing[fakeHost](f, a[0])
			if h == nil {
				return codeInvalidValue
			}
			delete(f.things, a[0])
			return c.code(h.h.Close())
		}},
		"cuMemHostGetDevicePointer_v2": {args: 3, f: func(_ *fakeContext, a []uintptr) int {
			h := thing[fakeHost](f, a[1])
			if h == nil || a[2] != 0 {
				return codeInvalidValue
			}
			*pointer[uint64](a[0]) = uint64(h.h.Ptr())
			return 0
		}},
	}
}

// A fakeQueue is a stream, or the device for its legacy default stream.
type fakeQueue interface {
	Launch(k device.Kernel, l device.Launch) error
	CopyIn(dst device.Ptr, src []byte) error
	CopyOut(dst []byte, src device.Ptr) error
	Copy(dst, src device.Ptr, size int64) error
	Fill(dst device.Ptr, value byte, size int64) error
}

// inStream runs g on the stream of a handle, which must be of the context.
func (f *fakeDriver) inStream(c *fakeContext, handle uintptr, g func(q fakeQueue) error) int {
	if handle == streamLegacy {
		return c.code(g(c.dev))
	}
	s := thing[fakeStream](f, handle)
	if s == nil || s.c != c {
		return codeInvalidHandle
	}
	return c.code(g(s.s))
}

func (f *fakeDriver) streamEntries() map[string]fakeEntry {
	return map[string]fakeEntry{
		"cuStreamCreateWithPriority": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			s, err := c.dev.NewStream(device.StreamOptions{Blocking: a[1] == streamBlocking, High: int32(a[2]) < 0})
			if err != nil {
				return codeInvalidValue
			}
			*pointer[uintptr](a[0]) = f.add(&fakeStream{c, s, a[1], int32(a[2])})
			return 0
		}},
		"cuStreamDestroy_v2": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			s := thing[fakeStream](f, a[0])
			if s == nil || s.c != c {
				return codeInvalidHandle
			}
			delete(f.things, a[0])
			return c.code(s.s.Close())
		}},
		"cuStreamSynchronize": {args: 1, f: func(*fakeContext, []uintptr) int { return 0 }},
		"cuStreamQuery": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			if a[0] == streamLegacy {
				e, err := c.dev.NewEvent()
				if err == nil {
					err = e.Record()
				}
				if err != nil {
					return codeInvalidValue
				}
				return f.query(c, a[0], e.Done, e.Sync)
			}
			s := thing[fakeStream](f, a[0])
			if s == nil || s.c != c {
				return codeInvalidHandle
			}
			return f.query(c, a[0], s.s.Idle, s.s.Sync)
		}},
		"cuStreamWaitEvent": {args: 3, f: f.streamWait},
		"cuMemcpyHtoDAsync_v2": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			return f.inStream(c, a[3], func(q fakeQueue) error { return q.CopyIn(device.Ptr(a[0]), bytesAt(a[1], a[2])) })
		}},
		"cuMemcpyDtoHAsync_v2": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			return f.inStream(c, a[3], func(q fakeQueue) error { return q.CopyOut(bytesAt(a[0], a[2]), device.Ptr(a[1])) })
		}},
		"cuMemcpyDtoDAsync_v2": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			return f.inStream(c, a[3], func(q fakeQueue) error { return q.Copy(device.Ptr(a[0]), device.Ptr(a[1]), int64(a[2])) })
		}},
		"cuMemsetD8Async": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			return f.inStream(c, a[3], func(q fakeQueue) error { return q.Fill(device.Ptr(a[0]), byte(a[1]), int64(a[2])) })
		}},
		"cuMemcpyPeerAsync": {args: 6, f: func(c *fakeContext, a []uintptr) int {
			s, from := thing[fakeStream](f, a[5]), thing[fakeContext](f, a[3])
			if s == nil || s.c != c || from == nil || thing[fakeContext](f, a[1]) != c {
				return codeInvalidHandle
			}
			return c.code(s.s.CopyPeer(device.Ptr(a[0]), from.dev, device.Ptr(a[2]), int64(a[4])))
		}},
	}
}

func (f *fakeDriver) streamWait(c *fakeContext, a []uintptr) int {
	e := thing[fakeEvent](f, a[1])
	if e == nil || a[2] != 0 {
		return codeInvalidHandle
	}
	if !e.recorded {
		return 0
	}
	if a[0] != streamLegacy {
		s := thing[fakeStream](f, a[0])
		if s == nil || s.c != c {
			return codeInvalidHandle
		}
		return c.code(s.s.Wait(e.e))
	}
	if c.legacy == nil {
		s, err := c.dev.NewStream(device.StreamOptions{Blocking: true})
		if err != nil {
			return codeInvalidValue
		}
		c.legacy = s
	}
	return c.code(c.legacy.Wait(e.e))
}

func (f *fakeDriver) eventEntries() map[string]fakeEntry {
	find := func(c *fakeContext, h uintptr) *fakeEvent {
		if e := thing[fakeEvent](f, h); e != nil && e.c == c {
			return e
		}
		return nil
	}
	return map[string]fakeEntry{
		"cuEventCreate": {args: 2, f: func(c *fakeContext, a []uintptr) int {
			e, err := c.dev.NewEvent()
			if err == nil {
				*pointer[uintptr](a[0]) = f.add(&fakeEvent{c: c, e: e})
			}
			return c.code(err)
		}},
		"cuEventDestroy_v2": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			if find(c, a[0]) == nil {
				return codeInvalidHandle
			}
			delete(f.things, a[0])
			return 0
		}},
		"cuEventRecord": {args: 2, f: func(c *fakeContext, a []uintptr) int {
			e := find(c, a[0])
			if e == nil {
				return codeInvalidHandle
			}
			e.recorded = true
			if a[1] == streamLegacy {
				return c.code(e.e.Record())
			}
			s := thing[fakeStream](f, a[1])
			if s == nil || s.c != c {
				return codeInvalidHandle
			}
			return c.code(s.s.Record(e.e))
		}},
		"cuEventQuery": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			e := find(c, a[0])
			if e == nil {
				return codeInvalidHandle
			}
			if !e.recorded {
				return 0
			}
			return f.query(c, a[0], e.e.Done, func(ctx context.Context) error { return e.e.Sync(ctx) })
		}},
		"cuEventElapsedTime": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			start, end := find(c, a[1]), find(c, a[2])
			if start == nil || end == nil {
				return codeInvalidHandle
			}
			ms, err := end.e.Since(start.e)
			*pointer[float32](a[0]) = float32(ms)
			return c.code(err)
		}},
	}
}

func (f *fakeDriver) moduleEntries() map[string]fakeEntry {
	function := func(h uintptr) device.Kernel {
		if k := thing[fakeFunction](f, h); k != nil {
			return k.k
		}
		return nil
	}
	return map[string]fakeEntry{
		"cuModuleLoadDataEx": {args: 5, f: f.loadModule},
		"cuModuleUnload": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			m := thing[fakeModule](f, a[0])
			if m == nil || m.c != c {
				return codeInvalidHandle
			}
			delete(f.things, a[0])
			return c.code(m.m.Close())
		}},
		"cuModuleGetFunction": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			m := thing[fakeModule](f, a[1])
			if m == nil || m.c != c {
				return codeInvalidHandle
			}
			k, err := m.m.Kernel(stringAt(a[2]))
			if err != nil {
				return codeNotFound
			}
			*pointer[uintptr](a[0]) = f.add(&fakeFunction{c, k})
			return 0
		}},
		"cuModuleGetGlobal_v2": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			p, size, err := thing[fakeModule](f, a[2]).m.Global(stringAt(a[3]))
			if err != nil {
				return codeNotFound
			}
			*pointer[uint64](a[0]), *pointer[uint64](a[1]) = uint64(p), uint64(size)
			return 0
		}},
		"cuFuncGetAttribute": {args: 3, f: func(_ *fakeContext, a []uintptr) int {
			i := function(a[2]).Info()
			v, ok := map[uintptr]int{
				funcMaxThreads: i.MaxThreads, funcSharedBytes: i.SharedBytes, funcLocalBytes: i.LocalBytes, funcRegisters: i.Registers,
				funcClusterWidth: int(i.Cluster.X), funcClusterWidth + 1: int(i.Cluster.Y), funcClusterWidth + 2: int(i.Cluster.Z),
			}[a[1]]
			if !ok {
				return codeInvalidValue
			}
			*pointer[int32](a[0]) = int32(v)
			return 0
		}},
		"cuFuncSetAttribute": {args: 3, f: func(*fakeContext, []uintptr) int { return 0 }},
		"cuFuncGetParamInfo": {args: 4, f: func(_ *fakeContext, a []uintptr) int {
			*pointer[uint64](a[2]), *pointer[uint64](a[3]) = 0, uint64(function(a[0]).Info().ParamsLength)
			return 0
		}},
		"cuOccupancyMaxActiveBlocksPerMultiprocessor": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			n, err := function(a[1]).Occupancy(int(a[2]), uint32(a[3]))
			*pointer[int32](a[0]) = int32(n)
			return c.code(err)
		}},
		"cuOccupancyMaxActiveClusters": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			config := pointer[launchConfig](a[2])
			n, err := function(a[1]).Clusters(int(config.block[0]), config.shared)
			*pointer[int32](a[0]) = int32(n)
			return c.code(err)
		}},
		"cuLaunchKernel": {args: 11, f: func(c *fakeContext, a []uintptr) int {
			return f.launchKernel(c, a[0], a[8], a[10], device.Launch{
				Grid:   device.Dim3{X: uint32(a[1]), Y: uint32(a[2]), Z: uint32(a[3])},
				Block:  device.Dim3{X: uint32(a[4]), Y: uint32(a[5]), Z: uint32(a[6])},
				Shared: uint32(a[7]),
			})
		}},
		"cuLaunchKernelEx": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			config := pointer[launchConfig](a[0])
			l := device.Launch{
				Grid:   device.Dim3{X: config.grid[0], Y: config.grid[1], Z: config.grid[2]},
				Block:  device.Dim3{X: config.block[0], Y: config.block[1], Z: config.block[2]},
				Shared: config.shared,
			}
			if config.count == 1 {
				attr := pointer[launchAttribute](config.attrs)
				l.Cooperative = attr.id == attributeCooperative && attr.value[0] == 1
			}
			return f.launchKernel(c, a[1], config.stream, a[3], l)
		}},
	}
}

func (f *fakeDriver) launchKernel(c *fakeContext, function, stream, extra uintptr, l device.Launch) int {
	k := thing[fakeFunction](f, function)
	if k == nil || k.c != c {
		return codeInvalidHandle
	}
	if extra != 0 {
		e := pointer[[5]uintptr](extra)
		if e[0] != extraBuffer || e[2] != extraSize || e[4] != extraEnd {
			return codeInvalidValue
		}
		l.Params = append(l.Params, bytesAt(e[1], uintptr(*pointer[uint64](e[3])))...)
	}
	return f.inStream(c, stream, func(q fakeQueue) error { return q.Launch(k.k, l) })
}

func (f *fakeDriver) loadModule(c *fakeContext, a []uintptr) int {
	text := stringAt(a[1])
	if text, ok := strings.CutPrefix(text, fakeCode); ok {
		m, err := c.dev.Load("code", text)
		if err == nil {
			*pointer[uintptr](a[0]) = f.add(&fakeModule{c, m})
		}
		return c.code(err)
	}
	if strings.HasPrefix(text, "\x7fELF") {
		return 209 // CUDA_ERROR_NO_BINARY_FOR_GPU
	}
	m, err := c.dev.Load("text", text)
	if err == nil {
		*pointer[uintptr](a[0]) = f.add(&fakeModule{c, m})
		return 0
	}
	var log, size uintptr
	for i := range a[2] {
		value := *pointer[uintptr](a[4] + 8*i)
		switch *pointer[uint32](a[3] + 4*i) {
		case jitErrorLog:
			log = value
		case jitErrorLogSize:
			size = value
		}
	}
	copy(bytesAt(log, size), err.Error()+"\x00")
	return 218 // CUDA_ERROR_INVALID_PTX
}
