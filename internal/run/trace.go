package run

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
)

// Tracks of a trace.
const (
	tracePid    = 1
	hostTrack   = 1
	kernelTrack = 2
)

// A traceEvent is an element of traceEvents, with the names that the format
// gives its fields; times are in microseconds.
type traceEvent struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Ts    float64        `json:"ts"`
	Dur   *float64       `json:"dur,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// WriteTrace writes the events of a run in Chrome's trace event format, as an
// object with one event a line: kernels on one track, what the host did on
// another, the rounds and the size of the worklist as counters. title names the
// whole.
func (s *Stats) WriteTrace(w io.Writer, title string) error {
	b := bufio.NewWriterSize(w, 1<<16)
	t := tracer{b: b}
	b.WriteString("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")
	t.meta("process_name", 0, title)
	t.meta("thread_name", hostTrack, "host")
	t.meta("thread_name", kernelTrack, "kernels")
	end, pops, rounds := 0.0, false, int64(-1)
	for _, e := range s.Events {
		t.event(e)
		if e.Kind == RestartEvent { // the rounds of what follows are new ones
			rounds = -1
		}
		if e.Kind != KernelEvent {
			continue
		}
		if e.Iteration != rounds {
			rounds = e.Iteration
			t.counter("iterations", "rounds", e.Start, rounds)
		}
		if pops = pops || e.Items > 0; pops {
			t.counter("worklist", "items", e.Start, e.Items)
		}
		end = e.Start + e.Time
	}
	if s.Iterations != max(rounds, 0) {
		t.counter("iterations", "rounds", end, s.Iterations)
	}
	if pops {
		t.counter("worklist", "items", end, 0)
	}
	b.WriteString("\n]")
	if s.DroppedEvents > 0 && t.err == nil {
		note, err := json.Marshal(map[string]int64{"dropped_events": s.DroppedEvents})
		t.err = err
		b.WriteString(",\"otherData\":")
		b.Write(note)
	}
	b.WriteString("}\n")
	if err := b.Flush(); t.err == nil {
		t.err = err
	}
	return t.err
}

// A tracer writes trace events; the first error stays.
type tracer struct {
	b    *bufio.Writer
	some bool
	err  error
}

func (t *tracer) write(e traceEvent) {
	if t.err != nil {
		return
	}
	e.Pid = tracePid
	text, err := json.Marshal(e)
	if err != nil {
		t.err = err
		return
	}
	if t.some {
		t.b.WriteByte(',')
	}
	t.some = true
	t.b.WriteByte('\n')
	_, t.err = t.b.Write(text)
}

func (t *tracer) meta(what string, tid int, name string) {
	t.write(traceEvent{Phase: "M", Name: what, Tid: tid, Args: map[string]any{"name": name}})
}

func (t *tracer) counter(name, unit string, at float64, v int64) {
	t.write(traceEvent{Phase: "C", Name: name, Ts: micros(at), Args: map[string]any{unit: v}})
}

func (t *tracer) event(e Event) {
	us := micros(e.Time)
	out := traceEvent{Phase: "X", Name: e.Name, Tid: hostTrack, Ts: micros(e.Start), Dur: &us}
	switch e.Kind {
	case KernelEvent:
		out.Cat, out.Tid = "kernel", kernelTrack
		out.Args = map[string]any{"iteration": e.Iteration}
		for name, v := range map[string]int64{
			"blocks": e.Blocks, "threads": e.Threads, "items": e.Items, "pushes": e.Pushes, "retries": e.Retries,
		} {
			if v != 0 {
				out.Args[name] = v
			}
		}
	case CopyEvent:
		out.Cat, out.Args = "copy", map[string]any{"bytes": e.Bytes}
	case HostEvent:
		out.Cat = "host"
	case RestartEvent:
		out.Phase, out.Cat, out.Scope, out.Dur = "i", "host", "p", nil
	}
	t.write(out)
}

// micros returns milliseconds in microseconds, to a nanosecond.
func micros(ms float64) float64 { return math.Round(1e6*ms) / 1e3 }
