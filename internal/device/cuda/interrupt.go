//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"runtime"
	"time"
	"unsafe"

	"irgl/internal/device"
)

var _ device.Interrupting = (*gpu)(nil)

// Interrupt copies a word on a stream of its own, beside the kernel that runs:
// copies to the device have an engine for themselves. It uses nothing of the
// device that changes, since another goroutine waits for that kernel meanwhile.
func (d *gpu) Interrupt(p device.Ptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.cu.check(call(d.cu.ctxSetCurrent, d.ctx), "cuCtxSetCurrent"); err != nil {
		return err
	}
	from, size := uintptr(unsafe.Pointer(unsafe.SliceData(d.one))), uintptr(len(d.one))
	if err := d.cu.check(call(d.cu.memcpyHtoDAsync, uintptr(p), from, size, d.aside), "cuMemcpyHtoDAsync(%d)", size); err != nil {
		return err
	}
	for {
		r := call(d.cu.streamQuery, d.aside)
		if r != codeNotReady {
			return d.cu.check(r, "cuStreamQuery")
		}
		time.Sleep(pauseTime)
	}
}
