//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"irgl/internal/device"
)

// A launchArea holds what a launch passes by address. It is one pinned object
// of the device, so that its own addresses can be stored inside it.
type launchArea struct {
	extra  [5]uintptr // tag, address, tag, address, end
	size   uint64     // of params
	config launchConfig
	attr   launchAttribute
	args   [11]uintptr
	params [maxParams]byte
}

// maxParams is the size of the parameter space of PTX kernels before CUDA
// 12.1, and of every kernel that the compiler makes.
const maxParams = 4096

// Tags in the list of extra arguments of cuLaunchKernel.
const (
	extraEnd    = 0
	extraBuffer = 1
	extraSize   = 2
)

// launchConfig is the driver's CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	shared      uint32
	stream      uintptr
	attrs       uintptr
	count       uint32
}

// launchAttribute is the driver's CUlaunchAttribute: an identifier, and at
// offset 8 a union of 64 bytes.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

const attributeCooperative = 2

func (d *gpu) Launch(k device.Kernel, l device.Launch) error {
	return d.launchIn(k, &l, d.main.handle)
}

func (d *gpu) launchIn(k device.Kernel, l *device.Launch, stream uintptr) error {
	kn, ok := k.(*kernel)
	if !ok || kn.m.d != d {
		return errors.New("launch: the kernel is not of this device")
	}
	if err := d.startKernel(kn, l, stream); err != nil {
		return fmt.Errorf("launch %s on %v blocks of %v threads: %w", kn.info.Name, l.Grid, l.Block, err)
	}
	return nil
}

func (d *gpu) startKernel(k *kernel, l *device.Launch, stream uintptr) error {
	grid, block := l.Grid.Norm(), l.Block.Norm()
	if err := k.checkLaunch(block, l); err != nil {
		return err
	}
	if err := k.m.enter(); err != nil {
		return err
	}
	defer d.leave()
	if l.Shared > k.shared {
		if err := k.allowShared(l.Shared); err != nil {
			return err
		}
	}
	if c := k.info.Cluster; grid.X%c.X != 0 || grid.Y%c.Y != 0 || grid.Z%c.Z != 0 {
		return fmt.Errorf("the grid is not a multiple of the kernel's cluster of %v blocks", c)
	}
	if l.Cooperative {
		if err := k.checkResident(grid, block, l.Shared); err != nil {
			return err
		}
	}
	a := d.launch
	a.size = uint64(copy(a.params[:], l.Params))
	var extra uintptr // stays 0 for a kernel without parameters
	if a.size > 0 {
		a.extra = [5]uintptr{
			extraBuffer, uintptr(unsafe.Pointer(&a.params)),
			extraSize, uintptr(unsafe.Pointer(&a.size)),
			extraEnd,
		}
		extra = uintptr(unsafe.Pointer(&a.extra))
	}
	var r result
	if l.Cooperative {
		// cuLaunchCooperativeKernel takes the parameters one by one
		// only; the attribute says the same and takes the block of all.
		a.attr = launchAttribute{id: attributeCooperative}
		a.attr.value[0] = 1
		a.config = launchConfig{
			grid:   [3]uint32{grid.X, grid.Y, grid.Z},
			block:  [3]uint32{block.X, block.Y, block.Z},
			shared: l.Shared,
			stream: stream,
			attrs:  uintptr(unsafe.Pointer(&a.attr)),
			count:  1,
		}
		r = call(d.cu.launchEx, uintptr(unsafe.Pointer(&a.config)), k.handle, 0, extra)
	} else {
		a.args = [11]uintptr{
			k.handle,
			uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z),
			uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
			uintptr(l.Shared), stream, 0, extra,
		}
		r = hotCall(d.cu.launch, a.args[:])
	}
	runtime.KeepAlive(a)
	if r != 0 {
		return d.check(r, "cuLaunchKernel")
	}
	d.note(k)
	return nil
}

// checkLaunch finds what the driver would call an invalid value.
func (k *kernel) checkLaunch(block device.Dim3, l *device.Launch) error {
	if n := block.Count(); n > uint64(k.info.MaxThreads) {
		return fmt.Errorf("a block can have at most %d threads of this kernel, not %d", k.info.MaxThreads, n)
	}
	if k.params && len(l.Params) != k.info.ParamsLength {
		return fmt.Errorf("the parameters take %d bytes, not %d", k.info.ParamsLength, len(l.Params))
	}
	if len(l.Params) > maxParams {
		return fmt.Errorf("the parameters take %d bytes, more than the limit of %d", len(l.Params), maxParams)
	}
	if l.Cooperative && !k.m.d.info.Cooperative {
		return errors.New("cooperative launches need a newer GPU or driver (CUDA 11.8)")
	}
	return nil
}

// checkResident says how many blocks can be resident when grid has more.
func (k *kernel) checkResident(grid, block device.Dim3, shared uint32) error {
	threads := int(block.Count())
	if k.resident.threads != threads || k.resident.shared != shared {
		var n int
		var err error
		if per := int(k.info.Cluster.Count()); per > 1 {
			n, err = k.activeClusters(threads, shared)
			n *= per
		} else {
			n, err = k.occupancy(threads, shared)
			n *= k.m.d.info.Multiprocessors
		}
		if err != nil {
			return err
		}
		k.resident = residency{threads, shared, n}
	}
	most := uint64(k.resident.blocks)
	if n := grid.Count(); n > most {
		return fmt.Errorf("a cooperative launch of such blocks can have at most %d, not %d", most, n)
	}
	return nil
}

// allowShared raises the kernel's limit of dynamic shared memory to n bytes.
// Its current value is all that raising it costs: the attribute changes no
// launch that asks for less.
func (k *kernel) allowShared(n uint32) error {
	d := k.m.d
	if most := d.optin - k.info.SharedBytes; int64(n) > int64(most) {
		return fmt.Errorf("a block can have at most %d bytes of dynamic shared memory of this kernel, not %d", most, n)
	}
	if err := d.check(call(d.cu.funcSetAttribute, k.handle, funcMaxDynamicShared, uintptr(n)), "cuFuncSetAttribute(shared %d)", n); err != nil {
		return err
	}
	k.shared = n
	return nil
}

func (k *kernel) Info() device.KernelInfo { return k.info }

// Occupancy returns 0 for a block that the kernel cannot have.
func (k *kernel) Occupancy(threads int, shared uint32) (int, error) {
	return k.fitting(threads, shared, k.occupancy)
}

// fitting asks the driver how many fit of blocks that the kernel can have.
func (k *kernel) fitting(threads int, shared uint32, ask func(threads int, shared uint32) (int, error)) (int, error) {
	d := k.m.d
	if threads < 1 {
		return 0, fmt.Errorf("occupancy of %s: %d threads", k.info.Name, threads)
	}
	if threads > k.info.MaxThreads || int64(shared) > int64(d.optin-k.info.SharedBytes) {
		return 0, nil
	}
	if err := k.m.enter(); err != nil {
		return 0, fmt.Errorf("occupancy of %s: %w", k.info.Name, err)
	}
	defer d.leave()
	if shared > k.shared {
		if err := k.allowShared(shared); err != nil {
			return 0, fmt.Errorf("occupancy of %s: %w", k.info.Name, err)
		}
	}
	n, err := ask(threads, shared)
	if err != nil {
		return 0, fmt.Errorf("occupancy of %s: %w", k.info.Name, err)
	}
	return n, nil
}

func (k *kernel) occupancy(threads int, shared uint32) (int, error) {
	d := k.m.d
	var n int32
	err := d.check(call(d.cu.occupancyMaxActiveBlocksPerMultiprocessor, uintptr(unsafe.Pointer(&n)), k.handle, uintptr(threads), uintptr(shared)), "cuOccupancyMaxActiveBlocksPerMultiprocessor")
	return int(n), err
}
