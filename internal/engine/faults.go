package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/findings"
)

// takeFaults returns an error about what a checking device has found, and has the
// device forget it: the reports of a run, failed or not, are not those of the next one,
// which finds the same faults again.
func (x *Executable) takeFaults() error {
	checking, ok := x.dev.(device.Forgetting)
	if !ok {
		return nil
	}
	reports := checking.Reports()
	checking.Forget(0)
	x.reports = nil
	e := &FaultsError{}
	info := x.program.info
	for _, r := range reports {
		if r.Kind == device.Race && x.declared(r.Buffer) {
			continue
		}
		// Another compiler's code may read ahead what it then does not use.
		if r.Kind == device.Uninitialised && x.o.PTX != "" {
			continue
		}
		x.reports = append(x.reports, r)
		e.faults = append(e.faults, r.String()+x.origins(r))
		if r.Kind != device.Race {
			continue
		}
		e.races = true
		name := strings.TrimPrefix(r.Buffer, "property ")
		global := slices.ContainsFunc(info.Globals, func(o *check.Object) bool { return o.Name == name })
		if (global || info.PropOf(name) != nil) && !slices.Contains(e.racing, name) {
			e.racing = append(e.racing, name)
		}
	}
	if len(e.faults) == 0 {
		return nil
	}
	return e
}

// Report adds what the emulator has found in the last run to a log, err, the error of the run, included.
func (x *Executable) Report(l *findings.Log, err error) {
	d, ok := x.dev.(*simt.Device)
	if !ok {
		return
	}
	l.Ran(d.KernelCounters(), x.reports)
	if f, ok := errors.AsType[*simt.Fault](err); ok {
		l.Fault(0, f)
	}
	l.Ended()
}

// origins returns a line with the places in the program of a front end that the positions
// of a report were generated from, "" where there are none.
func (x *Executable) origins(r device.Report) string {
	var places []string
	file := x.program.file
	for _, p := range r.Positions {
		if p.File != file.Name {
			continue
		}
		if from := file.At(p.Line, p.Column).Origin(); from != "" && !slices.Contains(places, from) {
			places = append(places, from)
		}
	}
	if len(places) == 0 {
		return ""
	}
	return "\n  from " + strings.Join(places, " and ")
}

// A FaultsError is an error about what a checking device found in kernels that ran to
// their end.
type FaultsError struct {
	faults []string
	racing []string // properties and variables on which there are races, each once
	races  bool
}

// maxFaults is how many faults an error names.
const maxFaults = 20

// Error has a line for each fault, up to a limit.
func (e *FaultsError) Error() string {
	text := strings.Join(e.faults[:min(len(e.faults), maxFaults)], "\n")
	if n := len(e.faults) - maxFaults; n > 0 {
		text += fmt.Sprintf("\nand %d more faults", n)
	}
	return text
}

// Hint returns what puts races right, "" where there are none.
func (e *FaultsError) Hint() string {
	if !e.races {
		return ""
	}
	declare := ""
	if len(e.racing) > 0 {
		declare = fmt.Sprintf("; if every outcome of a race is right, declare %s Racy", strings.Join(e.racing, ", "))
	}
	return "order the accesses: change what threads share by an atomic such as atomicAdd or atomicMin, put SyncRunningThreads() between them, or invoke another kernel" + declare
}

// declared reports whether the program says that races on a buffer are meant.
// irgl_reduced, in which kernels reduce, is polled on purpose.
func (x *Executable) declared(buffer string) bool {
	for name := range x.program.info.Racy {
		if buffer == name || buffer == "property "+name {
			return true
		}
	}
	return false
}
