package simt

import (
	"fmt"

	"irgl/internal/device"
)

// maxReports bounds the list; a broken kernel would fill it with one fault.
const maxReports = 1000

// reports collects faults, each once.
type reports struct {
	list []device.Report
	keys []reportKey // of list
	seen map[reportKey]bool
}

// A reportKey identifies a fault: the same two places of a kernel and the
// same buffer are one fault, whatever the threads and addresses.
type reportKey struct {
	kind, kernel, buffer string
	line1, line2         int32
}

func (r *reports) add(key reportKey, message string) {
	if r.seen == nil {
		r.seen = map[reportKey]bool{}
	}
	if r.seen[key] || len(r.list) >= maxReports {
		return
	}
	r.seen[key] = true
	r.keys = append(r.keys, key)
	r.list = append(r.list, device.Report{Kind: key.kind, Kernel: key.kernel, Buffer: key.buffer, Message: message})
}

// forget drops all faults but the first n.
func (r *reports) forget(n int) {
	if n < 0 || n >= len(r.list) {
		return
	}
	for _, key := range r.keys[n:] {
		delete(r.seen, key)
	}
	r.list, r.keys = r.list[:n], r.keys[:n]
}

// A Fault is the error of a launch that went wrong.
type Fault struct {
	Report device.Report // Kind "" when the device's Reports do not hold it
	File   string        // name of the PTX text
	Line   int           // PTX line; 0 when no instruction is to blame
}

// Error names kernel, place and cause.
func (f *Fault) Error() string {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf(" (%s:%d)", f.File, f.Line)
	}
	if f.Report.Kind == "" {
		return fmt.Sprintf("kernel %s: %s%s", f.Report.Kernel, f.Report.Message, where)
	}
	return f.Report.String() + where
}

// fail stops the launch. A kind other than "" is also reported.
func (l *launch) fail(in *inst, kind, buffer, format string, args ...any) {
	if l.fault != nil {
		return
	}
	f := &Fault{File: l.k.mod.name}
	f.Report = device.Report{Kind: kind, Kernel: l.k.fn.name, Buffer: buffer, Message: fmt.Sprintf(format, args...)}
	if in != nil {
		f.Line = int(in.line)
	}
	l.fault = f
	if kind != "" {
		l.d.reports.add(reportKey{kind: kind, kernel: l.k.fn.name, buffer: buffer, line1: int32(f.Line)}, f.Report.Message)
	}
}

// thread names a lane for messages: "block (1,0,0) thread (5,0,0)".
func (w *warp) thread(lane int) string {
	return fmt.Sprintf("block (%d,%d,%d) thread (%d,%d,%d)", w.b.ctaid[0], w.b.ctaid[1], w.b.ctaid[2],
		w.tid[0][lane], w.tid[1][lane], w.tid[2][lane])
}

// threadName names a thread of the launch by its number.
func (l *launch) threadName(thread uint32) string {
	block, t := thread/l.tpb, thread%l.tpb
	c, x := l.coords(block), l.threadCoords(t)
	return fmt.Sprintf("block (%d,%d,%d) thread (%d,%d,%d)", c[0], c[1], c[2], x[0], x[1], x[2])
}

// threadCoords returns the coordinates in the block of its thread number t.
func (l *launch) threadCoords(t uint32) [3]uint32 {
	b := l.block
	return [3]uint32{t % b.X, t / b.X % b.Y, t / (b.X * b.Y)}
}

// coords returns the coordinates of a block in the grid.
func (l *launch) coords(block uint32) [3]uint32 {
	g := l.grid
	return [3]uint32{block % g.X, block / g.X % g.Y, uint32(uint64(block) / (uint64(g.X) * uint64(g.Y)))}
}
