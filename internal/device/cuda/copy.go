//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"irgl/internal/device"
)

// smallCopy is the most bytes that CopyOut fetches into page-locked memory of
// the stream's own, from which a spinning wait takes them soonest.
const smallCopy = 64 << 10

// copyIn has taken the contents of src when it returns, unless src is page-locked.
func (s *stream) copyIn(dst device.Ptr, src []byte) error {
	if s.d.cu.pinned.contains(src) {
		return s.copyInDriver(dst, src)
	}
	ring, err := s.d.staged(len(src), stagingLeastIn)
	if err != nil {
		return err
	}
	if ring != nil {
		return s.copyInStaged(ring, dst, src)
	}
	return s.copyInDriver(dst, src)
}

// copyInDriver hands memory to the driver, which has taken the contents of ordinary
// memory when the call returns.
func (s *stream) copyInDriver(dst device.Ptr, src []byte) error {
	return s.d.check(call(s.d.cu.memcpyHtoDAsync, uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)), s.handle),
		"cuMemcpyHtoDAsync(%d)", len(src))
}

// copyOut has filled dst when it returns.
func (s *stream) copyOut(ctx context.Context, dst []byte, src device.Ptr) error {
	if len(dst) <= smallCopy {
		return s.copyOutSmall(ctx, dst, src)
	}
	// Waiting first gives errors of earlier kernels to this call, and keeps
	// the driver's own wait, which spins, short.
	if err := s.wait(ctx); err != nil {
		return err
	}
	ring, err := s.d.staged(len(dst), stagingLeastOut)
	if err != nil {
		return err
	}
	if ring != nil {
		return s.copyOutStaged(ring, dst, src)
	}
	return s.copyOutDriver(dst, src)
}

// copyOutDriver has the driver write to ordinary memory, which it has done
// when the call returns.
func (s *stream) copyOutDriver(dst []byte, src device.Ptr) error {
	touch(dst)
	err := s.copyOutAsync(dst, src)
	if err == nil {
		err = s.wait(context.Background())
	}
	runtime.KeepAlive(dst)
	return err
}

// touchLeast is the size from which touch pays.
const touchLeast = 1 << 20

// touch writes to each page of memory that will be overwritten, by all processors: the
// driver copies to pages that were never accessed at 1.5 GB/s, a tenth of its rate.
func touch(b []byte) {
	if len(b) < touchLeast {
		return
	}
	const page = 4 << 10
	parts := min(runtime.GOMAXPROCS(0), len(b)/(touchLeast/4))
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() {
			part := b[len(b)*p/parts : len(b)*(p+1)/parts]
			for i := 0; i < len(part); i += page {
				part[i] = 0
			}
			part[len(part)-1] = 0
		})
	}
	wait.Wait()
}

// copyOutAsync queues a copy to page-locked memory.
func (s *stream) copyOutAsync(dst []byte, src device.Ptr) error {
	return s.d.check(call(s.d.cu.memcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(src), uintptr(len(dst)), s.handle),
		"cuMemcpyDtoHAsync(%d)", len(dst))
}

func (s *stream) copyOutSmall(ctx context.Context, dst []byte, src device.Ptr) error {
	if s.small == nil {
		var err error
		if s.small, err = s.d.hostAlloc(smallCopy, 0); err != nil {
			return err
		}
	}
	err := s.copyOutAsync(s.small[:len(dst)], src)
	if err == nil {
		err = s.wait(ctx)
	}
	if err == nil {
		copy(dst, s.small)
	}
	return err
}
