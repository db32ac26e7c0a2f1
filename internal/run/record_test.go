package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TestRecorder checks what a recorder sums up and in which order, that a restart
// begins the sums again, and that only as much is kept as was asked for.
func TestRecorder(t *testing.T) {
	if NewRecorder(CollectNothing) != nil {
		t.Error("a recorder without anything to record")
	}
	var none *Recorder
	s := Stats{}
	if none.Store(&s); !reflect.DeepEqual(s, Stats{}) {
		t.Errorf("nothing recorded: %+v", s)
	}
	for _, c := range []Collect{CollectKernels, CollectEvents} {
		r := NewRecorder(c)
		r.Launched(Event{Name: "old", Time: 99})
		r.Restart()
		r.Launched(Event{Name: "b", Time: 1, Items: 3, Pushes: 2})
		r.Launched(Event{Name: "z", Time: 3.00000000004})
		r.Launched(Event{Name: "a", Time: 3})
		r.Launched(Event{Name: "b", Time: 1, Items: 2, Retries: 7})
		i := r.Add(Event{Kind: CopyEvent, Name: "copy"})
		r.Event(i).Bytes = 8
		var s Stats
		r.Store(&s)
		want := []KernelStats{{Name: "a", Launches: 1, Time: 3}, {Name: "z", Launches: 1, Time: 3}, {Name: "b", Launches: 2, Time: 2, Items: 5, Pushes: 2, Retries: 7}}
		if !reflect.DeepEqual(s.Kernels, want) {
			t.Errorf("kernels %+v", s.Kernels)
		}
		var names []string
		for _, e := range s.Events {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); c == CollectKernels && (got != "" || i != -1) || c == CollectEvents && got != "old restart b z a b copy" {
			t.Errorf("events %s", got)
		}
		if c == CollectEvents && (s.Events[6].Bytes != 8 || s.Events[1].Kind != RestartEvent) {
			t.Errorf("events %+v", s.Events)
		}
	}
}

// TestMaxEvents checks that events beyond the limit are counted only.
func TestMaxEvents(t *testing.T) {
	r := NewRecorder(CollectEvents)
	r.events = make([]Event, MaxEvents-1)
	if a, b := r.Add(Event{}), r.Add(Event{Name: "x"}); a != MaxEvents-1 || b != -1 || r.Event(b).Name != "" {
		t.Errorf("events %d, %d", a, b)
	}
	var s Stats
	if r.Store(&s); len(s.Events) != MaxEvents || s.DroppedEvents != 1 {
		t.Errorf("%d events, %d dropped", len(s.Events), s.DroppedEvents)
	}
	s.Events = nil
	var b bytes.Buffer
	if err := s.WriteTrace(&b, "t"); err != nil || !json.Valid(b.Bytes()) || !strings.HasSuffix(b.String(), "\n],\"otherData\":{\"dropped_events\":1}}\n") {
		t.Errorf("the trace does not say what is missing: %v\n%s", err, b.String())
	}
}

// TestTrace pins the text of a small trace, and that it is JSON.
func TestTrace(t *testing.T) {
	s := Stats{Iterations: 2, Events: []Event{
		{Kind: KernelEvent, Name: "init", Start: 0.25, Time: 0.1234567, Blocks: 4, Threads: 256},
		{Kind: RestartEvent, Name: "restart", Start: 0.5},
		{Kind: KernelEvent, Name: "k", Start: 1, Time: 0.5, Items: 3, Pushes: 2, Retries: 1},
		{Kind: CopyEvent, Name: "copy from device", Start: 1.25, Time: 0.5, Bytes: 4},
		{Kind: KernelEvent, Name: "k", Start: 2, Time: 1, Iteration: 1},
		{Kind: HostEvent, Name: "host \"functions\"", Start: 0, Time: 4},
	}}
	const want = `{"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"p on d"}}
{"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0,"args":{"name":"host"}}
{"ph":"M","name":"thread_name","pid":1,"tid":2,"ts":0,"args":{"name":"kernels"}}
{"ph":"X","name":"init","cat":"kernel","pid":1,"tid":2,"ts":250,"dur":123.457,"args":{"blocks":4,"iteration":0,"threads":256}}
{"ph":"C","name":"iterations","pid":1,"tid":0,"ts":250,"args":{"rounds":0}}
{"ph":"i","name":"restart","cat":"host","pid":1,"tid":1,"ts":500,"s":"p"}
{"ph":"X","name":"k","cat":"kernel","pid":1,"tid":2,"ts":1000,"dur":500,"args":{"items":3,"iteration":0,"pushes":2,"retries":1}}
{"ph":"C","name":"iterations","pid":1,"tid":0,"ts":1000,"args":{"rounds":0}}
{"ph":"C","name":"worklist","pid":1,"tid":0,"ts":1000,"args":{"items":3}}
{"ph":"X","name":"copy from device","cat":"copy","pid":1,"tid":1,"ts":1250,"dur":500,"args":{"bytes":4}}
{"ph":"X","name":"k","cat":"kernel","pid":1,"tid":2,"ts":2000,"dur":1000,"args":{"iteration":1}}
{"ph":"C","name":"iterations","pid":1,"tid":0,"ts":2000,"args":{"rounds":1}}
{"ph":"C","name":"worklist","pid":1,"tid":0,"ts":2000,"args":{"items":0}}
{"ph":"X","name":"host \"functions\"","cat":"host","pid":1,"tid":1,"ts":0,"dur":4000}
{"ph":"C","name":"iterations","pid":1,"tid":0,"ts":3000,"args":{"rounds":2}}
{"ph":"C","name":"worklist","pid":1,"tid":0,"ts":3000,"args":{"items":0}}
]}
`
	var b bytes.Buffer
	if err := s.WriteTrace(&b, "p on d"); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(b.String(), "},\n", "}\n"); got != want {
		t.Errorf("got\n%s", got)
	}
	for _, s := range []Stats{s, {}} {
		b.Reset()
		if err := s.WriteTrace(&b, "x"); err != nil || !json.Valid(b.Bytes()) {
			t.Errorf("%v: not JSON:\n%s", err, b.String())
		}
	}
	if err := s.WriteTrace(full{}, "x"); err == nil {
		t.Error("a full disk goes unnoticed")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
