//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A driver is the table of the driver library's functions, which does not change
// once loaded, and what all devices share.
type driver struct {
	version int // of CUDA: 1000*major + 10*minor

	pinned ranges // of AllocHost, of all devices

	getErrorName, getErrorString, initialize, driverGetVersion                            uintptr
	deviceGetCount, deviceGet, deviceGetName, deviceGetAttribute, deviceTotalMem          uintptr
	primaryCtxRetain, primaryCtxRelease, deviceCanAccessPeer, ctxEnablePeerAccess         uintptr
	ctxCreate, ctxDestroy, ctxSetCurrent, ctxSetLimit, ctxGetStreamPriorityRange          uintptr
	memAlloc, memFree, memGetInfo, memGetAddressRange                                     uintptr
	memHostAlloc, memFreeHost, memHostGetDevicePointer                                    uintptr
	memcpyHtoDAsync, memcpyDtoHAsync, memcpyDtoDAsync, memcpyPeerAsync, memsetD8Async     uintptr
	streamCreateWithPriority, streamDestroy                                               uintptr
	streamQuery, streamSynchronize, streamWaitEvent                                       uintptr
	eventCreate, eventDestroy, eventRecord, eventQuery, eventElapsedTime                  uintptr
	moduleLoadDataEx, moduleUnload, moduleGetFunction, moduleGetGlobal                    uintptr
	funcGetAttribute, funcSetAttribute, occupancyMaxActiveBlocksPerMultiprocessor, launch uintptr

	// Zero with a driver that lacks them.
	launchEx         uintptr // CUDA 11.8
	activeClusters   uintptr // CUDA 11.8
	funcGetParamInfo uintptr // CUDA 12.4

	linkCreate, linkAddData, linkAddFile, linkComplete, linkDestroy uintptr
}

// load opens the driver once; the process keeps it, as the library keeps
// threads of its own.
var load = sync.OnceValues(openDriver)

func openDriver() (*driver, error) {
	var lib uintptr
	var first error
	for _, name := range libraryNames {
		var err error
		if lib, err = openLibrary(name); err == nil {
			break
		}
		if first == nil {
			first = err
		}
		lib = 0
	}
	if lib == 0 {
		return nil, fmt.Errorf("%w: %s was not found (%v)", ErrNoDriver, libraryNames[0], first)
	}
	d := new(driver)
	for _, f := range d.functions() {
		p, err := librarySymbol(lib, f.name)
		if (err != nil || p == 0) && !f.optional {
			return nil, fmt.Errorf("%w: %s has no %s; the driver is too old", ErrNoDriver, libraryNames[0], f.name)
		}
		*f.p = p
	}
	if err := d.check(call(d.initialize, 0), "cuInit"); err != nil {
		if hasCode(err, codeNoDevice) {
			return nil, fmt.Errorf("%w: %w", ErrNoDevice, err)
		}
		// A library without its kernel module, or a mismatch of the two.
		return nil, fmt.Errorf("%w that works: %w", ErrNoDriver, err)
	}
	var v int32
	if err := d.check(call(d.driverGetVersion, uintptr(unsafe.Pointer(&v))), "cuDriverGetVersion"); err != nil {
		return nil, err
	}
	d.version = int(v)
	return d, nil
}

// A function is one row of the table: where the address goes and the exported
// name. The suffixes are the versions of the functions' binary interface.
type function struct {
	p        *uintptr
	name     string
	optional bool
}

func (d *driver) functions() []function {
	return []function{
		{&d.getErrorName, "cuGetErrorName", false},
		{&d.getErrorString, "cuGetErrorString", false},
		{&d.initialize, "cuInit", false},
		{&d.driverGetVersion, "cuDriverGetVersion", false},
		{&d.deviceGetCount, "cuDeviceGetCount", false},
		{&d.deviceGet, "cuDeviceGet", false},
		{&d.deviceGetName, "cuDeviceGetName", false},
		{&d.deviceGetAttribute, "cuDeviceGetAttribute", false},
		{&d.deviceTotalMem, "cuDeviceTotalMem_v2", false},
		{&d.primaryCtxRetain, "cuDevicePrimaryCtxRetain", false},
		{&d.primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", false},
		{&d.deviceCanAccessPeer, "cuDeviceCanAccessPeer", false},
		{&d.ctxEnablePeerAccess, "cuCtxEnablePeerAccess", false},
		{&d.ctxCreate, "cuCtxCreate_v2", false},
		{&d.ctxDestroy, "cuCtxDestroy_v2", false},
		{&d.ctxSetCurrent, "cuCtxSetCurrent", false},
		{&d.ctxSetLimit, "cuCtxSetLimit", false},
		{&d.ctxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", false},
		{&d.memAlloc, "cuMemAlloc_v2", false},
		{&d.memFree, "cuMemFree_v2", false},
		{&d.memGetInfo, "cuMemGetInfo_v2", false},
		{&d.memGetAddressRange, "cuMemGetAddressRange_v2", false},
		{&d.memHostAlloc, "cuMemHostAlloc", false},
		{&d.memFreeHost, "cuMemFreeHost", false},
		{&d.memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", false},
		{&d.memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", false},
		{&d.memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", false},
		{&d.memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", false},
		{&d.memcpyPeerAsync, "cuMemcpyPeerAsync", false},
		{&d.memsetD8Async, "cuMemsetD8Async", false},
		{&d.streamCreateWithPriority, "cuStreamCreateWithPriority", false},
		{&d.streamDestroy, "cuStreamDestroy_v2", false},
		{&d.streamQuery, "cuStreamQuery", false},
		{&d.streamSynchronize, "cuStreamSynchronize", false},
		{&d.streamWaitEvent, "cuStreamWaitEvent", false},
		{&d.eventCreate, "cuEventCreate", false},
		{&d.eventDestroy, "cuEventDestroy_v2", false},
		{&d.eventRecord, "cuEventRecord", false},
		{&d.eventQuery, "cuEventQuery", false},
		{&d.eventElapsedTime, "cuEventElapsedTime", false},
		{&d.moduleLoadDataEx, "cuModuleLoadDataEx", false},
		{&d.moduleUnload, "cuModuleUnload", false},
		{&d.moduleGetFunction, "cuModuleGetFunction", false},
		{&d.moduleGetGlobal, "cuModuleGetGlobal_v2", false},
		{&d.funcGetAttribute, "cuFuncGetAttribute", false},
		{&d.funcSetAttribute, "cuFuncSetAttribute", false},
		{&d.occupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", false},
		{&d.launch, "cuLaunchKernel", false},
		{&d.launchEx, "cuLaunchKernelEx", true},
		{&d.activeClusters, "cuOccupancyMaxActiveClusters", true},
		{&d.funcGetParamInfo, "cuFuncGetParamInfo", true},
		{&d.linkCreate, "cuLinkCreate_v2", true},
		{&d.linkAddData, "cuLinkAddData_v2", true},
		{&d.linkAddFile, "cuLinkAddFile_v2", true},
		{&d.linkComplete, "cuLinkComplete", true},
		{&d.linkDestroy, "cuLinkDestroy", true},
	}
}

// A result is a CUresult.
type result int32

// call calls a function of the driver. A Go pointer among the arguments must
// be converted in the call itself, as uintptr(unsafe.Pointer(p)): the
// directive then moves what it points to to the heap, where nothing moves,
// and keeps it alive until the call returns.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) result {
	r, _, _ := purego.SyscallN(fn, args...)
	return result(int32(r))
}

// hotCall is call for the few functions that loops call. Its arguments are in
// memory of the device, since those of call escape to the heap; Go
// pointers among them must be pinned.
func hotCall(fn uintptr, args []uintptr) result {
	r, _, _ := purego.SyscallN(fn, args...)
	return result(int32(r))
}

// check turns a result into an error; format and args, used only then, say
// which call it was.
func (d *driver) check(r result, format string, args ...any) error {
	if r == 0 {
		return nil
	}
	return d.failure(r, fmt.Sprintf(format, args...))
}

func (d *driver) failure(r result, what string) *Error {
	e := &Error{Call: what, Code: int(r), Name: fmt.Sprintf("CUresult %d", r), Text: "unknown to the driver"}
	// Both functions set a pointer to a constant string of the library.
	var name, text *byte
	if call(d.getErrorName, uintptr(r), uintptr(unsafe.Pointer(&name))) == 0 && name != nil {
		e.Name = goString(name)
	}
	if call(d.getErrorString, uintptr(r), uintptr(unsafe.Pointer(&text))) == 0 && text != nil {
		e.Text = goString(text)
	}
	return e
}

// goString copies a NUL-terminated string out of the library's memory.
func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// cString returns s with a NUL after it.
func cString(s string) []byte {
	return append([]byte(s), 0)
}
