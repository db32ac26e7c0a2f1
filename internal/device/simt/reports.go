package simt

import (
	"cmp"
	"fmt"
	"strings"

	"irgl/internal/device"
)

// maxReports bounds the list; a broken kernel would fill it with one fault.
const maxReports = 1000

// reports collects faults, each once.
type reports struct {
	list   []device.Report
	keys   []reportKey       // of list
	seen   map[reportKey]int // where in list
	last   reportKey         // that was found last, at lastAt in list; the zero key if none was
	lastAt int
}

// A reportKey identifies a fault: the same two places of kernels and the same
// buffer are one fault, whatever the threads and addresses.
type reportKey struct {
	kind, buffer string
	at, other    reportPlace // other is that of the other side of a race
}

// A reportPlace is a line of a kernel, as keyLine has it. Modules are told apart, since
// the same source may be compiled in several ways.
type reportPlace struct {
	module int
	kernel string
	line   int32
}

// compare orders places in some way.
func (p reportPlace) compare(o reportPlace) int {
	return cmp.Or(cmp.Compare(p.module, o.module), strings.Compare(p.kernel, o.kernel), cmp.Compare(p.line, o.line))
}

// place returns the place of a line of the PTX.
func (k *kernel) place(line int32) reportPlace {
	return reportPlace{k.mod.number, k.fn.name, k.mod.keyLine(line)}
}

func (r *reports) add(key reportKey, report device.Report) {
	if r.seen == nil {
		r.seen = map[reportKey]int{}
	}
	if _, ok := r.seen[key]; ok || len(r.list) >= maxReports {
		return
	}
	r.seen[key] = len(r.list)
	r.keys = append(r.keys, key)
	r.list = append(r.list, report)
}

// again counts a race that was reported before, and reports whether it was.
func (r *reports) again(key reportKey) bool {
	if key == r.last && key != (reportKey{}) {
		r.list[r.lastAt].Count++
		return true
	}
	i, ok := r.seen[key]
	if ok {
		r.list[i].Count++
		r.last, r.lastAt = key, i
	}
	return ok
}

// merge adds the faults that o has.
func (r *reports) merge(o *reports) {
	for i, key := range o.keys {
		if at, ok := r.seen[key]; ok {
			r.list[at].Count += o.list[i].Count
			continue
		}
		r.add(key, o.list[i])
	}
}

// forget drops all faults but the first n.
func (r *reports) forget(n int) {
	if n < 0 || n >= len(r.list) {
		return
	}
	for _, key := range r.keys[n:] {
		delete(r.seen, key)
	}
	r.last = reportKey{}
	r.list, r.keys = r.list[:n], r.keys[:n]
}

// unordered is what two accesses of a race are.
const unordered = "unordered"

// report reports a race between two sides, the earlier one first.
func (r *raceState) report(d *Device, then, now side, b *buffer, off uint64, note string) {
	apart := then.task() != now.task()
	name, place := b.describe(off)
	key := raceKey(then.place(), now.place(), name)
	if d.reports.again(key) {
		return
	}
	kernel := cmp.Or(now.kernel(), then.kernel())
	if first := then.kernel(); apart && first != "" && first != kernel {
		kernel = first + " and " + kernel
	}
	text := then.text(apart) + ", " + now.text(apart) + ", " + note
	if then.position.File+now.position.File != "" {
		var lines []string
		for _, s := range []side{then, now} {
			if s.l != nil {
				lines = append(lines, fmt.Sprint(s.line))
			}
		}
		text += fmt.Sprintf(" (PTX lines %s)", strings.Join(lines, ", "))
	}
	d.reports.add(key, device.Report{Kind: device.Race, Kernel: kernel, Buffer: name, Place: place, Message: text, Count: 1,
		Positions: []device.Position{then.position, now.position}, Rule: raceRule(then, now), Sites: append([]device.Site{then.site(apart), now.site(apart)}, launchSites(then.l, now.l)...)})
}

// raceRule tells apart what races.
func raceRule(then, now side) string {
	switch {
	case then.async || now.async:
		return device.RuleRaceAsync
	case then.l == nil || now.l == nil:
		return device.RuleRaceCopy
	case then.l != now.l:
		return device.RuleRaceLaunches
	case then.scope != weak && now.scope != weak:
		return device.RuleRaceScope
	}
	return ""
}

// site returns the side for a report; apart says that the other is of another item.
func (s *side) site(apart bool) device.Site {
	if s.w != nil {
		return s.w.site(s.in, s.what(apart))
	}
	if s.l == nil {
		out := device.Site{What: s.what(apart)}
		if stack := s.copy.it.calling; len(stack) > 0 {
			out.At, out.Calls = stack[0], stack[1:]
		}
		return out
	}
	out := device.Site{What: s.what(apart), Kernel: s.kernel(), Line: int(s.line)}
	out.At = device.Frame{Function: s.l.k.mod.within(s.line, s.kernel(), &out.Calls), Position: s.position}
	return out
}

// hostSites returns the site of a call of the host, if that is known.
func hostSites(role, what string, stack []device.Frame) []device.Site {
	if len(stack) == 0 {
		return nil
	}
	return []device.Site{{Role: role, What: what, At: stack[0], Calls: stack[1:]}}
}

// launchSites returns where the host has launched kernels.
func launchSites(list ...*launch) []device.Site {
	var out []device.Site
	for i, l := range list {
		if l != nil && l.item != nil && (i == 0 || l != list[0]) {
			out = append(out, hostSites("launched", l.k.title(position{}), l.item.calling)...)
		}
	}
	return out
}

// site returns what an instruction of the warp does, for a report.
func (w *warp) site(in *inst, what string) device.Site {
	at := w.position(in)
	function, calls := w.stack(in)
	return device.Site{What: what, Kernel: w.l.k.title(at), At: device.Frame{Function: function, Position: at}, Calls: calls, Line: int(in.line)}
}

// stack returns the function that an instruction is in, and the calls that led there, the innermost first.
func (w *warp) stack(in *inst) (function string, calls []device.Frame) {
	if w.fr == nil {
		return "", nil
	}
	m := w.l.k.mod
	named := func(fr *frame) string {
		if fr.fn == w.l.k.fn {
			return w.l.k.title(w.position(in))
		}
		return CXXName(fr.fn.name)
	}
	function = m.within(in.line, named(w.fr), &calls)
	for fr := w.fr; fr.caller != nil; fr = fr.caller {
		line := fr.caller.fn.code[fr.ret-1].line
		at := len(calls)
		calls = append(calls, device.Frame{Position: m.positions[line]})
		name := m.within(line, named(fr.caller), &calls)
		calls[at].Function = name
	}
	return function, calls
}

// within returns the function that a line was made of, which is in the PTX's function outer: itself, or one that was inlined. It
// appends the calls that led there from outer.
func (m *module) within(line int32, outer string, calls *[]device.Frame) string {
	by := m.inlined[line]
	if by == nil {
		return outer
	}
	for _, c := range by.calls {
		if c.Function == "" {
			c.Function = outer
		}
		*calls = append(*calls, c)
	}
	return cmp.Or(by.function, outer)
}

// raceKey returns the key of a race, the same for both orders.
func raceKey(a, b reportPlace, buffer string) reportKey {
	if a.compare(b) > 0 {
		a, b = b, a
	}
	return reportKey{device.Race, buffer, a, b}
}

// place returns the place of the access; that of a copy is empty.
func (s *side) place() reportPlace {
	if s.l == nil {
		return reportPlace{}
	}
	return s.l.k.place(s.line)
}

// kernel returns what reports call the kernel, "" for a copy.
func (s *side) kernel() string {
	if s.l == nil {
		return ""
	}
	return s.l.k.title(s.position)
}

// A Fault is the error of a launch that went wrong.
type Fault struct {
	Report  device.Report // Kind "" when the device's Reports do not hold it
	Code    string        // Report.Kind, or one of the codes below; "" for others
	At      position      // in the source
	What    string        // in the words of every device, "" where there are none
	Line    int           // line of the PTX; 0 when no instruction is to blame
	Address uint64        // of [device.OutOfBounds]: what was accessed, and how
	Size    uint64
	Write   bool
	Where   string // of [device.OutOfBounds]: where the address is
	Before  bool   // of [device.OutOfBounds]: the address is before the memory that it was computed from
}

// The codes of faults besides the kinds of reports.
const (
	CodeAssert   = "assert"
	CodeTrap     = "trap"
	CodeTimeout  = "timeout" // more instructions than [Options.MaxInstructions]
	CodeDeadlock = "deadlock"
)

// Error names the place, the kernel and the cause.
func (f *Fault) Error() string {
	if f.Report.Kind == "" && f.At.File != "" {
		return f.At.String() + ": " + f.Detail()
	}
	return f.Detail()
}

// Position, Summary and Detail are those of [device.Positioned].
func (f *Fault) Position() device.Position { return f.At }

// Summary says what is wrong in the words of every device, "" where there are none.
func (f *Fault) Summary() string { return f.What }

// Detail names the kernel and the cause.
func (f *Fault) Detail() string {
	if f.Report.Kind != "" {
		return f.Report.String()
	}
	text := fmt.Sprintf("kernel %s: %s", f.Report.Kernel, f.Report.Message)
	if f.Line > 0 {
		text += fmt.Sprintf(" (PTX line %d)", f.Line)
	}
	return text
}

// where returns " at bfs.irgl:7:5 (PTX line 60)", as far as it is known.
func (f *Fault) where() string {
	text := ""
	if f.At.File != "" {
		text = " at " + f.At.String()
	}
	if f.Line > 0 {
		text += fmt.Sprintf(" (PTX line %d)", f.Line)
	}
	return text
}

// fail stops the launch with a fault, of which the caller knows the code, What, the place if it is
// not the instruction's, or the report's kind and what it is about. A kind other than "" is also reported. It is about what the instruction
// did, or no instruction if in is nil; w is the warp that did it, or nil.
func (l *launch) fail(w *warp, in *inst, of Fault, format string, args ...any) {
	if l.fault != nil {
		return
	}
	f := &of
	if r := f.Report; r.Kind != "" {
		f.Code = r.Kind
	}
	if in != nil {
		f.Line = int(in.line)
		switch {
		case f.At.File != "":
		case w != nil:
			f.At = w.position(in)
		default:
			f.At = l.k.mod.positions[in.line]
		}
	}
	f.Report.Kernel, f.Report.Message = l.k.title(f.At), fmt.Sprintf(format, args...)
	if len(f.Report.Sites) == 0 {
		f.Report.Sites = []device.Site{{What: f.Report.Message, Kernel: f.Report.Kernel, At: device.Frame{Function: f.Report.Kernel, Position: f.At}, Line: f.Line}}
		if w != nil && in != nil {
			f.Report.Sites[0].At.Function, f.Report.Sites[0].Calls = w.stack(in)
		}
	}
	f.Report.Sites = append(f.Report.Sites, launchSites(l)...)
	if r := f.Report; r.Kind != "" {
		f.Report.Message += f.where()
		l.d.reports.add(reportKey{kind: r.Kind, buffer: r.Buffer, at: l.k.place(int32(f.Line))}, f.Report)
	}
	l.fault = f
}

// Reported returns the fault as a report, with the code as its kind where the device's Reports do not hold it.
func (f *Fault) Reported() device.Report {
	r := f.Report
	r.Kind = cmp.Or(r.Kind, f.Code)
	return r
}

// failed is launch.fail for what an instruction of the warp did, without a report.
func (w *warp) failed(in *inst, format string, args ...any) {
	w.l.fail(w, in, Fault{}, format, args...)
}

// Rules of reports that are of no kind of their own.
const (
	wrongMask    = "wrong-mask"
	wrongBarrier = "wrong-barrier"
	inactiveLane = "inactive-lane"
	different    = "different-operands"
)

// misused is failed with the rule of reports.
func (w *warp) misused(in *inst, rule, format string, args ...any) {
	w.l.fail(w, in, Fault{Report: device.Report{Rule: rule}}, format, args...)
}

// failedAs is failed with a code.
func (w *warp) failedAs(code string, in *inst, format string, args ...any) {
	w.l.fail(w, in, Fault{Code: code}, format, args...)
}

// faulted is launch.fail for what an instruction of the warp did, with a report.
func (w *warp) faulted(in *inst, kind, format string, args ...any) {
	w.l.fail(w, in, Fault{Report: device.Report{Kind: kind}}, format, args...)
}

// UnderWay says for each launch under way which kernel it is of, and where one of its threads is.
// It may be called while another goroutine waits for the device.
func (d *Device) UnderWay() (out []string) {
	d.sys.look(func() {
		for _, l := range d.sys.active {
			if l.d != d {
				continue
			}
			text := "kernel " + l.k.title(position{})
			if w, sp := l.someSplit(); w != nil {
				in := sp.inst()
				w.enter(sp)
				f := Fault{Line: int(in.line), At: w.near(in)}
				text = fmt.Sprintf("kernel %s, %s%s", l.k.title(f.At), w.thread(lowest(sp.mask)), f.where())
			}
			out = append(out, text)
		}
	})
	return out
}

// Positions returns where in the source a thread of each launch under way is, as far as that is known. It
// may be called while another goroutine waits for the device.
func (d *Device) Positions() (out []device.Position) {
	d.sys.look(func() {
		for _, l := range d.sys.active {
			if w, sp := l.someSplit(); w != nil && l.d == d {
				w.enter(sp)
				if at := w.near(sp.inst()); at.File != "" {
					out = append(out, at)
				}
			}
		}
	})
	return out
}

// someSplit returns lanes of a resident block that have not ended.
func (l *launch) someSplit() (*warp, *split) {
	if l.attempt != nil {
		return l.attempt.someSplit()
	}
	for _, b := range l.slots {
		if b == nil {
			continue
		}
		for _, w := range b.warps {
			for _, sp := range w.splits {
				return w, sp
			}
		}
	}
	return nil, nil
}
