//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"irgl/internal/device"
)

// A staging area is a ring of chunks of page-locked memory through which
// large copies between host and device go: half of them are being filled or
// emptied by one goroutine each, half are on the bus. One thread copies at a
// fraction of the speed of the bus, and waking a goroutine takes as long as
// moving a chunk, hence several whole chunks at a time rather than parts of
// one.
type staging struct {
	size  int // of a chunk
	slots []stagingSlot
}

type stagingSlot struct {
	chunk []byte
	event uintptr       // the end of the chunk's last transfer
	used  bool          // event has been recorded and not been waited for
	ready chan struct{} // receives a value when a goroutine is done with the chunk
}

// The shape of the ring and when it is used. On an H200 with 16 cores, 1 GiB
// took, in GB/s to and from the device:
//
//	ordinary memory left to the driver   9  17
//	ring of 2 chunks of 1 MiB            7   9
//	ring of 8 chunks of 1 MiB           20  27
//	ring of 16 chunks of 1 MiB          33  34
//	ring of 16 chunks of 4 MiB          37  40
//	ring of 16 chunks of 16 MiB         28  33
//
// Making the ring takes 0.6 ms a MiB, so it pays from some 100 MiB on in all;
// once it exists, from about 20 MiB (in) or 8 MiB (out) on: out, goroutines also meet the
// first accesses to pages, at which a single copy crawls. Few cores cannot fill it fast
// enough.
const (
	chunkSize       = 1 << 20
	chunkCount      = 16
	stagingFirst    = 64 << 20 // bytes of a copy that makes the ring
	stagingLeastIn  = 32 << 20 // bytes of a copy that uses it
	stagingLeastOut = 8 << 20
	stagingCores    = 4
)

// staged returns the ring when a copy of n bytes should go through it, which is so from
// the least number on, else nil.
func (d *gpu) staged(n, least int) (*staging, error) {
	if n < least || d.staging == nil && n < stagingFirst {
		return nil, nil
	}
	if d.staging == nil {
		cores := runtime.GOMAXPROCS(0)
		if cores < stagingCores {
			return nil, nil
		}
		s, err := d.newStaging(chunkSize, min(chunkCount, 2*cores))
		if err != nil {
			return nil, err
		}
		d.staging = s
	}
	return d.staging, nil
}

func (d *gpu) newStaging(size, count int) (*staging, error) {
	s := &staging{size: size, slots: make([]stagingSlot, count)}
	// One allocation for all chunks: page-locking has a price a call.
	all, err := d.hostAlloc(size*count, 0)
	if err != nil {
		return nil, err
	}
	for i := range s.slots {
		slot := &s.slots[i]
		slot.chunk = all[i*size : (i+1)*size : (i+1)*size]
		slot.ready = make(chan struct{}, 1)
		if slot.event, err = d.createEvent(eventNoTiming); err != nil {
			// The next large copy tries again.
			for _, made := range s.slots[:i] {
				err = errors.Join(err, d.destroyEvent(made.event))
			}
			return nil, errors.Join(err, d.hostFree(all))
		}
	}
	return s, nil
}

// slot returns the slot of the i-th chunk of a copy.
func (s *staging) slot(i int) *stagingSlot { return &s.slots[i%len(s.slots)] }

// part returns the i-th chunk of data.
func (s *staging) part(data []byte, i int) []byte {
	return data[i*s.size : min(len(data), (i+1)*s.size)]
}

// copy copies in a goroutine and then tells slot.ready.
func (slot *stagingSlot) copy(dst, src []byte) {
	go func() {
		copy(dst, src)
		slot.ready <- struct{}{}
	}()
}

// copyInStaged returns when the last bytes are in a chunk; the GPU may still
// be fetching them.
func (q *stream) copyInStaged(s *staging, dst device.Ptr, src []byte) error {
	d := q.d
	n := (len(src) + s.size - 1) / s.size
	filling, sent := 0, 0
	defer func() {
		// After an error, goroutines may still read src.
		for ; sent < filling; sent++ {
			<-s.slot(sent).ready
		}
	}()
	for sent < n {
		for filling < n && filling-sent < len(s.slots)/2 {
			slot := s.slot(filling)
			if err := d.transferred(slot); err != nil {
				return err
			}
			slot.copy(slot.chunk, s.part(src, filling))
			filling++
		}
		slot := s.slot(sent)
		<-slot.ready
		to, size := uintptr(dst)+uintptr(sent*s.size), uintptr(len(s.part(src, sent)))
		sent++
		err := d.check(call(d.cu.memcpyHtoDAsync, to, uintptr(unsafe.Pointer(unsafe.SliceData(slot.chunk))), size, q.handle),
			"cuMemcpyHtoDAsync(%d)", size)
		if err == nil {
			err = q.mark(slot)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyOutStaged returns when dst is complete. The stream must be empty, and what
// other streams have in the ring is waited for, so that the slots' events are
// about this copy alone.
func (q *stream) copyOutStaged(s *staging, dst []byte, src device.Ptr) error {
	d := q.d
	for i := range s.slots {
		if err := d.transferred(&s.slots[i]); err != nil {
			return err
		}
	}
	n := (len(dst) + s.size - 1) / s.size
	fetched, emptying, emptied := 0, 0, 0
	defer func() {
		// Goroutines write to dst until they say that they are done.
		for ; emptied < emptying; emptied++ {
			<-s.slot(emptied).ready
		}
	}()
	for emptying < n {
		for fetched < n && fetched-emptying < len(s.slots)/2 {
			if fetched-emptied == len(s.slots) {
				<-s.slot(emptied).ready
				emptied++
			}
			slot := s.slot(fetched)
			from, size := uintptr(src)+uintptr(fetched*s.size), uintptr(len(s.part(dst, fetched)))
			err := d.check(call(d.cu.memcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(slot.chunk))), from, size, q.handle),
				"cuMemcpyDtoHAsync(%d)", size)
			if err == nil {
				err = q.mark(slot)
			}
			if err != nil {
				return err
			}
			fetched++
		}
		slot := s.slot(emptying)
		if err := d.transferred(slot); err != nil {
			return err
		}
		slot.copy(s.part(dst, emptying), slot.chunk)
		emptying++
	}
	return nil
}

// mark records the point in the stream where the slot's transfer has ended.
func (q *stream) mark(slot *stagingSlot) error {
	slot.used = true
	return q.d.check(call(q.d.cu.eventRecord, slot.event, q.handle), "cuEventRecord")
}

// transferred waits for the slot's last transfer.
func (d *gpu) transferred(slot *stagingSlot) error {
	if !slot.used {
		return nil
	}
	slot.used = false
	return d.poll(context.Background(), d.cu.eventQuery, slot.event, "cuEventQuery")
}
