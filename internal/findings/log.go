package findings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// A Log collects what is found in a run. Its methods may be called at the same time.
type Log struct {
	mu      sync.Mutex
	run     Run
	devices map[int]*simt.Device      // that are open
	origins map[string][]device.Frame // of allocations, by their names
	ofHost  map[uint64]string         // what host code has at addresses that kernels have accessed
	handles []handle                  // streams and events that are not destroyed
	symbols func(stack []device.Frame) []device.Frame
}

// A handle is a stream or an event.
type handle struct {
	device int
	key    uint64
	name   string
	stack  []device.Frame
}

// NewLog returns a log of a run that begins.
func NewLog(a About) *Log {
	return &Log{run: Run{About: a}, devices: map[int]*simt.Device{}, origins: map[string][]device.Frame{}, ofHost: map[uint64]string{}}
}

// Resolve has frames of host code resolved by a function when a report is made of them.
func (l *Log) Resolve(f func(stack []device.Frame) []device.Frame) { l.symbols = f }

// Opened notes a device, whose reports are the log's until it is closed.
func (l *Log) Opened(number int, d *simt.Device, a About) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.devices[number] = d
	l.run.Devices = max(l.run.Devices, number+1)
	l.run.Multiprocessors, l.run.Seed, l.run.Checked, l.run.Leaks = a.Multiprocessors, a.Seed, a.Checked, a.Leaks
}

// Closing takes what there is to report of a device before it is closed, at the end of the program or when it is reset.
func (l *Log) Closing(number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.devices[number]
	if d == nil {
		return
	}
	l.run.Findings, l.run.Kernels = l.gathered(l.run.Findings, l.run.Kernels, number, d)
	if l.run.Leaks {
		l.leaks(number, d)
	}
	l.handles = slices.DeleteFunc(l.handles, func(h handle) bool { return h.device == number })
	delete(l.devices, number)
}

// gathered adds the reports and kernels of a device.
func (l *Log) gathered(list []Finding, kernels []Kernel, number int, d *simt.Device) ([]Finding, []Kernel) {
	for _, r := range d.Reports() {
		list = l.with(list, OfReport(r, number))
	}
	for name, c := range d.KernelCounters() {
		kernels = append(kernels, Kernel{simt.CXXName(name), c.Launches, c.Instructions})
	}
	return list, kernels
}

// with adds a finding, with the place of the allocation that it is about, unless it is there.
func (l *Log) with(list []Finding, f Finding) []Finding {
	if text := l.ofHost[f.address]; text != "" && f.Rule == device.OutOfBounds {
		f.Rule = device.RuleHostMemory
		f.Message += text
	}
	f.Message = stable(f.Message, l.run.Devices)
	f.Sites = slices.Clone(f.Sites)
	for i := range f.Sites {
		f.Sites[i].What = stable(f.Sites[i].What, l.run.Devices)
	}
	if slices.ContainsFunc(list, func(o Finding) bool { return o.same(&f) }) {
		return list
	}
	if stack := l.origins[f.Memory]; stack != nil {
		f.Sites = append(f.Sites, Site{Role: roleAllocated, What: f.Memory, Stack: stack})
	}
	return append(list, f)
}

// Ran adds the kernels and the reports of a device that is not the log's.
func (l *Log) Ran(kernels map[string]device.Counters, reports []device.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, c := range kernels {
		l.run.Kernels = append(l.run.Kernels, Kernel{simt.CXXName(name), c.Launches, c.Instructions})
	}
	for _, r := range reports {
		l.run.Findings = l.with(l.run.Findings, OfReport(r, 0))
	}
}

// addresses matches those beyond what masks and offsets are.
var addresses = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b0x[0-9a-f]{9,16}\b`) })

// stable returns a text without addresses of the host's own, which differ from one run to the next.
func stable(text string, devices int) string {
	return addresses().ReplaceAllStringFunc(text, func(s string) string {
		if n, err := strconv.ParseUint(s[2:], 16, 64); err == nil && simt.Chosen(device.Ptr(n), devices) {
			return s
		}
		return "0x... (of the host)"
	})
}

// OfHost notes that host code has memory at the address of a report; text is for the end of its message.
func (l *Log) OfHost(address uint64, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ofHost[address] = text
}

// Add notes a finding of a runtime.
func (l *Log) Add(f Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run.Findings = l.with(l.run.Findings, f)
}

// Fault notes the fault of a launch that is in no report of the device.
func (l *Log) Fault(number int, f *simt.Fault) {
	if f.Report.Kind == "" {
		l.Add(OfReport(f.Reported(), number))
	}
}

// Call notes what is wrong with a call of host code: the rule, the message, and the stack.
func (l *Log) Call(rule, message string, stack []device.Frame) {
	f := Finding{Rule: rule, Message: fmt.Sprintf("%s: %s", rule, message)}
	if stack != nil {
		f.Sites = []Site{{Role: roleCall, What: message, Stack: stack}}
	}
	l.Add(f)
}

// Allocated notes where host code has allocated memory.
func (l *Log) Allocated(name string, stack []device.Frame) {
	if len(stack) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.origins[name] = stack
}

// Made notes a stream or an event.
func (l *Log) Made(number int, key uint64, name string, stack []device.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handles = append(l.handles, handle{number, key, name, stack})
}

// Destroyed forgets it.
func (l *Log) Destroyed(key uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handles = slices.DeleteFunc(l.handles, func(h handle) bool { return h.key == key })
}

// Ended notes that the program has come to its end.
func (l *Log) Ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run.Complete = true
}

// ofProgram reports whether a name is of what a call of the program has made, and that it has to free, such as "cudaMalloc #3".
// What references to textures are bound by ends with the next binding.
func ofProgram(name string) bool {
	call, number, _ := strings.Cut(name, " #")
	_, err := strconv.Atoi(number)
	return err == nil && (strings.HasPrefix(call, "cudaMalloc") || strings.HasPrefix(call, "cudaHostAlloc") || strings.HasPrefix(call, "cudaCreate"))
}

// leaks adds what is not freed of a device.
func (l *Log) leaks(number int, d *simt.Device) {
	type place struct {
		rule string
		at   device.Position
		name string
	}
	where := map[place]int{}
	add := func(rule, name string, size int64, s Site) {
		key := place{rule, s.Position(), name}
		if key.at.File != "" {
			key.name = "" // those of one place are one finding
		}
		if i, ok := where[key]; ok {
			f := &l.run.Findings[i]
			f.Count++
			f.size += size
			f.Message = leakMessage(rule, f.Memory, f.size, f.Count, key.at)
			return
		}
		where[key] = len(l.run.Findings)
		f := Finding{Rule: rule, Kernel: s.Kernel, Memory: name, Count: 1, Device: number, size: size, Message: leakMessage(rule, name, size, 1, key.at)}
		if s.Stack != nil {
			f.Sites = []Site{s}
		}
		l.run.Findings = append(l.run.Findings, f)
	}
	for _, m := range d.Live() {
		switch {
		case m.Site != nil:
			add(DeviceLeak, m.Name, m.Size, siteOf(*m.Site, roleAllocated))
		case ofProgram(m.Name):
			add(Leak, m.Name, m.Size, Site{Role: roleAllocated, What: m.Name, Stack: l.resolved(l.origins[m.Name])})
		}
	}
	for _, h := range l.handles {
		if h.device == number {
			add(Leak, h.name, -1, Site{Role: roleAllocated, What: h.name, Stack: l.resolved(h.stack)})
		}
	}
}

// leakMessage says what is not freed.
func leakMessage(rule, name string, size int64, count int, at device.Position) string {
	text := fmt.Sprintf("%s: %d bytes of %s are not freed", rule, size, name)
	switch {
	case size < 0 && count > 1:
		text = fmt.Sprintf("%s: %s and %d more of this place are not destroyed", rule, name, count-1)
	case size < 0:
		text = fmt.Sprintf("%s: %s is not destroyed", rule, name)
	case count > 1:
		text = fmt.Sprintf("%s: %d bytes of %s and %d more of this place are not freed", rule, size, name, count-1)
	}
	if at.File != "" {
		text += fmt.Sprintf(", allocated at %s", at)
	}
	return text
}

// resolved returns a stack with the positions of its frames, as far as they can be found.
func (l *Log) resolved(stack []device.Frame) []device.Frame {
	if l.symbols == nil || stack == nil {
		return stack
	}
	return l.symbols(stack)
}

// Untold returns the messages of findings that no device has reported: leaks, and with calls also of calls that failed.
func (l *Log) Untold(calls bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for i := range l.run.Findings {
		f := &l.run.Findings[i]
		if f.Rule == Leak || f.Rule == DeviceLeak || calls && f.Rule == CallFailed {
			told := l.withLines(*f)
			out = append(out, strings.TrimSuffix(text(&told), "\n"))
		}
	}
	return out
}

// Leaked reports whether there are leaks.
func (l *Log) Leaked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.run.Findings, func(f Finding) bool { return f.Rule == Leak || f.Rule == DeviceLeak })
}

// Run returns what was found so far.
func (l *Log) Run() *Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	run := l.run
	run.Findings, run.Kernels = slices.Clone(run.Findings), slices.Clone(run.Kernels)
	for _, number := range slices.Sorted(maps.Keys(l.devices)) {
		run.Findings, run.Kernels = l.gathered(run.Findings, run.Kernels, number, l.devices[number])
	}
	run.Kernels = sortKernels(run.Kernels)
	for i := range run.Findings {
		run.Findings[i] = l.withLines(run.Findings[i])
	}
	return &run
}

// withLines returns a finding with the lines of its sites in host code.
func (l *Log) withLines(f Finding) Finding {
	f.Sites = slices.Clone(f.Sites)
	for i := range f.Sites {
		s := &f.Sites[i]
		s.Stack = l.resolved(s.Stack)
		if s.Role == roleLaunched && len(s.Stack) > 1 && s.Stack[0].Function == s.What {
			s.Stack = s.Stack[1:] // the function of the host that stands for the kernel
		}
	}
	return f
}
