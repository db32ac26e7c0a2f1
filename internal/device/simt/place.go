package simt

import (
	"fmt"
	"strings"

	"irgl/internal/device"
	"irgl/internal/ptx"
)

// This file names what reports are about: places in the source and in memory,
// threads and accesses.

// A position is what a line of PTX was made of (.loc).
type position = device.Position

// libraryPrefix begins the names of the files of the device library.
const libraryPrefix = "devlib/"

func inLibrary(p position) bool { return strings.HasPrefix(p.File, libraryPrefix) }

// A sourcePlace is what an instruction was made of.
type sourcePlace struct {
	position
	inlined *inlined // nil where the function of the PTX has it itself
}

// inlined says which function's body an instruction was made of, and by which calls it came into that of the PTX.
type inlined struct {
	function string
	calls    []device.Frame // the innermost first; the outermost, of the PTX's function, has no name
}

// A locator notes what the instructions of a function were made of.
type locator struct {
	m     *module
	at    sourcePlace
	calls map[ptx.Site]*inlined // what the calls at places so far are in
}

// locate notes what the instructions of a function were made of.
func (m *module) locate(body []ptx.Stmt) {
	(&locator{m: m, calls: map[ptx.Site]*inlined{}}).block(body)
}

func (l *locator) block(body []ptx.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *ptx.Loc:
			here := ptx.Site{File: s.File, Line: s.Line, Column: s.Column}
			l.at = sourcePlace{l.position(here), l.inlined(s)}
			l.calls[here] = l.at.inlined
		case *ptx.Scope:
			l.block(s.Body)
		case *ptx.Inst:
			line := int32(s.Pos.Line())
			if l.at.File != "" {
				l.m.positions[line] = l.at.position
			}
			if l.at.inlined != nil {
				l.m.inlined[line] = l.at.inlined
			}
		}
	}
}

// position returns a place of the source.
func (l *locator) position(s ptx.Site) position {
	at := position{Line: s.Line, Column: s.Column}
	for _, f := range l.m.tree.Files {
		if f.Index == s.File {
			at.File = f.Name
		}
	}
	return at
}

// inlined returns the calls that led to a place: that of its function, and those that led to the place of the call,
// which is that of a .loc before.
func (l *locator) inlined(loc *ptx.Loc) *inlined {
	if loc.At == nil {
		return nil
	}
	in := &inlined{function: l.m.debugName(loc)}
	call := device.Frame{Position: l.position(*loc.At)}
	if outer := l.calls[*loc.At]; outer != nil {
		call.Function = outer.function
		in.calls = append(in.calls, call)
		in.calls = append(in.calls, outer.calls...)
	} else {
		in.calls = append(in.calls, call)
	}
	return in
}

// debugName returns the name of an inlined function, "" if the text has none.
func (m *module) debugName(loc *ptx.Loc) string {
	for _, s := range m.tree.Strings {
		if s.Label == loc.Function && loc.Offset < len(s.Text) {
			return CXXName(s.Text[loc.Offset:])
		}
	}
	return ""
}

// position returns what an instruction was made of: in the program, where that was
// in the device library and a call in the program led there.
func (w *warp) position(in *inst) position {
	m := w.l.k.mod
	first := m.positions[in.line]
	inLibrary := func(p position) bool {
		return inLibrary(p) || w.l.d.opts.Library != nil && w.l.d.opts.Library(p.File)
	}
	if first.File != "" && !inLibrary(first) {
		return first
	}
	if by := m.inlined[in.line]; by != nil {
		for _, c := range by.calls {
			if p := c.Position; p.File != "" && !inLibrary(p) {
				return p
			}
		}
	}
	for fr := w.fr; fr != nil && fr.caller != nil; fr = fr.caller {
		if p := m.positions[fr.caller.fn.code[fr.ret-1].line]; p.File != "" && !inLibrary(p) {
			return p
		}
	}
	return first
}

// near is position for where a thread is, which need not be in the program's text: then the position
// is that of the last instruction before it that has one.
func (w *warp) near(in *inst) position {
	code := w.fr.fn.code
	first := w.position(in)
	for i := len(code) - 1; i >= 0 && first.File == ""; i-- {
		if code[i].line < in.line {
			first = w.position(&code[i])
		}
	}
	return first
}

// NameKernels has reports call kernels by other names.
func (m *module) NameKernels(name func(kernel string, at device.Position) string) {
	m.d.sys.mu.Lock()
	defer m.d.sys.mu.Unlock()
	m.titles = name
}

// NameVariables has reports call variables by other names.
func (m *module) NameVariables(name func(variable string) string) {
	m.d.sys.mu.Lock()
	defer m.d.sys.mu.Unlock()
	m.variables = name
	for _, b := range m.vars {
		b.name = name(b.name)
	}
	for _, k := range m.kernels {
		for i := range k.sharedVars {
			k.sharedVars[i].name = name(k.sharedVars[i].name)
		}
	}
}

// variable returns what reports call a variable.
func (m *module) variable(name string) string {
	if m.variables == nil {
		return name
	}
	m.naming.Lock()
	defer m.naming.Unlock()
	return m.variables(name)
}

// title returns what reports call the kernel, for what it did at a position.
func (k *kernel) title(at position) string {
	if k.mod.titles == nil {
		return k.fn.name
	}
	k.mod.naming.Lock()
	defer k.mod.naming.Unlock()
	return k.mod.titles(k.fn.name, at)
}

// keyLine returns what identifies a line of the PTX in a reportKey: the line of the
// program that it was made of, so that the copies of a loop's body are one place, or
// itself, negative, where there is none.
func (m *module) keyLine(line int32) int32 {
	if p := m.positions[line]; p.File != "" && !inLibrary(p) {
		return int32(p.Line)
	}
	return -line
}

// describe names the place at byte off of b: "property a of node 4", and the buffer
// or variable alone.
func (b *buffer) describe(off uint64) (name, place string) {
	if v := b.varAt(off); v != nil {
		return v.name, fmt.Sprintf("%s+%d", v.name, off-v.off)
	}
	if e := b.elements; e.Size > 0 && e.Of == "" {
		return b.name, fmt.Sprintf("%s[%d]", b.name, off/uint64(e.Size))
	} else if e.Size > 0 {
		return b.name, fmt.Sprintf("%s of %s %d", b.name, e.Of, off/uint64(e.Size))
	}
	if b.module != nil && b.size <= 8 && off == 0 { // a scalar of the program
		return b.name, b.name
	}
	return b.name, fmt.Sprintf("%s+%d", b.name, off)
}

// nameAt returns the name of the buffer, or of the variable in it, at byte off.
func (b *buffer) nameAt(off uint64) string {
	if v := b.varAt(off); v != nil {
		return v.name
	}
	return b.name
}

// varAt returns the variable of shared memory at byte off, or nil.
func (b *buffer) varAt(off uint64) *sharedVar {
	for i := len(b.vars) - 1; i >= 0; i-- {
		if v := &b.vars[i]; off >= v.off {
			return v
		}
	}
	return nil
}

// thread names a lane: "thread 5 of block 1".
func (w *warp) thread(lane int) string {
	return w.l.threadName(w.b.index, w.first+uint32(lane))
}

// threadName names a thread of the launch by the numbers of its block and in it.
func (l *launch) threadName(block, thread uint32) string {
	return "thread " + coordsName(l.threadCoords(thread)) + " of block " + coordsName(l.coords(block))
}

// coordsName returns x where there is no y and z, else (x,y,z).
func coordsName(c [3]uint32) string {
	if c[1] == 0 && c[2] == 0 {
		return fmt.Sprint(c[0])
	}
	return fmt.Sprintf("(%d,%d,%d)", c[0], c[1], c[2])
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

// A side is one of the two accesses of a race: of a thread, or of a copy.
type side struct {
	l        *launch // nil for a copy
	copy     *bulk
	thread   string
	write    bool
	scope    scope
	line     int32 // of the PTX
	position position
	w        *warp // of what is done now, by in
	in       *inst
	async    bool // a copy in the kernel that the thread goes on beside
}

// side returns the side of an earlier access by a thread of l.
func (l *launch) side(a *access, wrote bool) side {
	thread := a.thread - 1
	name := l.threadName(l.blockOfThread(thread), uint32((thread-l.span.first)%uint64(l.tpb)))
	return side{l: l, thread: name, write: wrote, scope: a.scope, line: a.pc, position: l.k.mod.positions[a.pc]}
}

// side returns the side of what a lane does now.
func (w *warp) side(in *inst, lane int, write bool) side {
	return side{l: w.l, thread: w.thread(lane), write: write, scope: in.scope, line: in.line, position: w.position(in), w: w, in: in}
}

func (c *bulk) side() side { return side{copy: c, write: c.write} }

// task returns the item of which the side is.
func (s *side) task() *task {
	if s.l != nil {
		return &s.l.item.task
	}
	return &s.copy.it.task
}

// text describes the side with its place; apart says that the other is of another item.
func (s *side) text(apart bool) string {
	switch {
	case s.l == nil:
		return s.what(apart)
	case s.position.File != "":
		return fmt.Sprintf("%s at %s", s.what(apart), s.position)
	}
	return fmt.Sprintf("%s at PTX line %d", s.what(apart), s.line)
}

// what describes the side without its place.
func (s *side) what(apart bool) string {
	verb := "reads"
	if s.write {
		verb = "writes"
	}
	if s.l == nil {
		return fmt.Sprintf("a %s in %s %s it", s.copy.what, s.task().stream.name(), verb)
	}
	thread := s.thread
	if apart {
		thread += fmt.Sprintf(" of kernel %s in %s", s.kernel(), s.task().stream.name())
	}
	if s.async {
		verb = "copies to it, by cp.async,"
	}
	if s.scope != weak {
		verb += " (atomic or volatile, scope " + scopeNames[s.scope] + ")"
	}
	return thread + " " + verb
}
