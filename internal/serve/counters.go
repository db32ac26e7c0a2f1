package serve

import (
	"context"
	"encoding/json"
	"io"

	"irgl/internal/atomicfile"
	"irgl/internal/device"
)

// Counted is the file of [Options].Counters: what the emulated devices of a client have counted.
type Counted struct {
	device.Counters
	Kernels map[string]device.Counters // by their names in PTX
}

// count adds what a device has counted, before it is closed.
func (s *server) count(g *gpu) {
	d, ok := g.dev.(device.KernelCounting)
	if !ok || s.o.Counters == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counted.Kernels == nil {
		s.counted.Kernels = map[string]device.Counters{}
	}
	s.counted.Counters = s.counted.Counters.Add(d.Counters())
	for name, c := range d.KernelCounters() {
		s.counted.Kernels[name] = s.counted.Kernels[name].Add(c)
	}
}

// writeCounters writes the file.
func (s *server) writeCounters() error {
	if s.o.Counters == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return atomicfile.Write(context.Background(), s.o.Counters, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(&s.counted)
	})
}
