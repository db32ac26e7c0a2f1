package hosteval

import (
	"context"
	"math"

	"irgl/internal/device"
)

// An event is one of the program's.
type event struct {
	e        device.Event
	recorded bool
	timed    bool
}

// Flags of streams and events.
const (
	nonBlocking   = 1
	disableTiming = 2
)

// cudaStreamFunctions returns those of the CUDA runtime for streams and events.
func cudaStreamFunctions() map[string]function {
	return map[string]function{
		"cudaStreamCreateWithPriority": withDevice(func(m *machine, c *call) uint64 {
			s := &m.cuda
			if c.Args[0] == 0 || c.Args[1] > nonBlocking {
				return cudaErrorInvalidValue
			}
			o, err := s.dev.NewStream(device.StreamOptions{Blocking: c.Args[1] == 0, High: int32(c.Args[2]) < 0})
			if err != nil {
				return m.failed(err)
			}
			s.handle += 16
			s.streams[s.handle] = o
			m.made(c, "cudaStreamCreate", s.handle)
			put64(c, c.Args[0], s.handle)
			return cudaSuccess
		}),
		"cudaStreamDestroy": withDevice(func(m *machine, c *call) uint64 {
			s, ok := m.cuda.streams[c.Args[0]]
			if !ok {
				return m.refused(cudaErrorInvalidResourceHandle, "%#x is no stream, or is destroyed", c.Args[0])
			}
			m.log.Destroyed(c.Args[0])
			delete(m.cuda.streams, c.Args[0])
			return m.told(s.Close())
		}),
		"cudaStreamSynchronize": withDevice(func(m *machine, c *call) uint64 {
			if _, e := m.queueOf(c.Args[0]); e != cudaSuccess {
				return e
			}
			return m.told(m.wait(c.Args[0]))
		}),
		"cudaStreamQuery": withDevice(func(m *machine, c *call) uint64 {
			if _, e := m.queueOf(c.Args[0]); e != cudaSuccess {
				return e
			}
			return m.told(m.wait(c.Args[0]))
		}),
		"cudaStreamWaitEvent": withDevice(func(m *machine, c *call) uint64 {
			e, ok := m.cuda.events[c.Args[1]]
			if !ok {
				return cudaErrorInvalidResourceHandle
			}
			if s, ok := m.cuda.streams[c.Args[0]]; ok {
				return m.failed(s.Wait(e.e))
			}
			return m.told(e.e.Sync(m.ctx))
		}),
		"cudaEventCreateWithFlags": withDevice(createEvent),
		"cudaEventDestroy": withEvent(func(m *machine, c *call, e *event) uint64 {
			m.log.Destroyed(c.Args[0])
			delete(m.cuda.events, c.Args[0])
			return m.failed(e.e.Close())
		}),
		"cudaEventRecord": withEvent(func(m *machine, c *call, e *event) uint64 {
			e.recorded = true
			if s, ok := m.cuda.streams[c.Args[1]]; ok {
				return m.failed(s.Record(e.e))
			}
			if c.Args[1] > 2 {
				return cudaErrorInvalidResourceHandle
			}
			return m.failed(e.e.Record())
		}),
		"cudaEventSynchronize": withEvent(func(m *machine, c *call, e *event) uint64 { return m.told(e.e.Sync(context.WithoutCancel(m.ctx))) }),
		"cudaEventQuery": withEvent(func(m *machine, c *call, e *event) uint64 {
			done, err := e.e.Done()
			if err == nil && !done {
				m.told(e.e.Sync(m.ctx)) // a program that asks again and again gets on
				return cudaErrorNotReady
			}
			return m.failed(err)
		}),
		"cudaEventElapsedTime": withDevice(func(m *machine, c *call) uint64 {
			start, ok := m.cuda.events[c.Args[1]]
			end, ok2 := m.cuda.events[c.Args[2]]
			if !ok || !ok2 || !start.recorded || !end.recorded || !start.timed || !end.timed {
				return cudaErrorInvalidResourceHandle
			}
			if done, err := end.e.Done(); err == nil && !done {
				return cudaErrorNotReady
			}
			ms, err := end.e.Since(start.e)
			if err == nil {
				put32(c, c.Args[0], math.Float32bits(float32(ms)))
			}
			return m.failed(err)
		}),
	}
}

// withEvent is withDevice for a function whose first argument is an event.
func withEvent(f func(m *machine, c *call, e *event) uint64) function {
	return withDevice(func(m *machine, c *call) uint64 {
		e, ok := m.cuda.events[c.Args[0]]
		if !ok {
			return m.refused(cudaErrorInvalidResourceHandle, "%#x is no event, or is destroyed", c.Args[0])
		}
		return f(m, c, e)
	})
}

// told is failed after a wait: the emulator's reports are printed.
func (m *machine) told(err error) uint64 {
	e := m.failed(err)
	m.tell()
	return e
}

// createEvent makes an event: of the address of its handle, and its flags.
func createEvent(m *machine, c *call) uint64 {
	s := &m.cuda
	if c.Args[0] == 0 || c.Args[1] > 7 {
		return cudaErrorInvalidValue
	}
	e, err := s.dev.NewEvent()
	if err != nil {
		return m.failed(err)
	}
	s.handle += 16
	s.events[s.handle] = &event{e: e, timed: c.Args[1]&disableTiming == 0}
	m.made(c, "cudaEventCreate", s.handle)
	put64(c, c.Args[0], s.handle)
	return cudaSuccess
}
