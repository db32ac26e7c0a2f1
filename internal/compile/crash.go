package compile

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/cxx"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// A Crash is a fault of the compiler, not of the program: a stage or pass
// that panicked or left the program broken, or PTX that its reader refused.
type Crash struct {
	Stage   string
	Err     error  // a *pass.InternalError for a scalar pass
	Stack   []byte // of a panic
	Source  *source.File
	Dialect syntax.Dialect
	FromSSA bool // the source is SSA: see CompileSSA
	Options Options
	// PTX is the text that was refused, when that is the fault.
	PTX string
}

func (c *Crash) Error() string {
	if strings.HasPrefix(c.Err.Error(), "internal ") {
		return c.Err.Error()
	}
	return fmt.Sprintf("internal compiler error: %s: %v", c.Stage, c.Err)
}

// Unwrap returns the fault itself.
func (c *Crash) Unwrap() error { return c.Err }

// guard runs a stage and makes its panics and internal errors crashes.
func (u *Unit) guard(s Stage) (err error) {
	crash := func(err error, stack []byte) error {
		return &Crash{Stage: s.Name, Err: err, Stack: stack, Source: u.Source, Dialect: u.Dialect, FromSSA: u.FromSSA, Options: u.Options}
	}
	defer func() {
		if v := recover(); v != nil {
			err = crash(fmt.Errorf("panic: %v", v), debug.Stack())
		}
	}()
	err = s.run(u)
	if in, ok := errors.AsType[*pass.InternalError](err); ok {
		return crash(err, in.Stack)
	}
	if _, ok := errors.AsType[*internalError](err); ok {
		return crash(err, nil)
	}
	return err
}

// Refused returns the crash that a device's refusal of u's PTX is.
func (u *Unit) Refused(err error) *Crash {
	return &Crash{Stage: "load", Err: err, Source: u.Source, Dialect: u.Dialect, Options: u.Options, PTX: u.PTXText()}
}

// An internalError is what a stage reports of the stage before it.
type internalError struct {
	what string
	err  error
}

func (e *internalError) Error() string { return fmt.Sprintf("internal error: %s: %v", e.what, e.err) }
func (e *internalError) Unwrap() error { return e.err }

// Reproducer returns a text archive (txtar) with what is needed to see the
// crash again: how to, the program's text, the SSA form before the pass that
// failed, the PTX that was refused, the stack. The version is that of the
// compiler, and command the command line that met the crash.
func (c *Crash) Reproducer(version, command string) []byte {
	name := oneLine(c.Source.Name[strings.LastIndexAny(c.Source.Name, `/\`)+1:])
	var b strings.Builder
	fmt.Fprintf(&b, "A fault of the IrGL compiler.\n\nversion: %s\nerror: %v\ncommand: %s\n", version, c, command)
	flags := c.Options.flags()
	if c.Dialect == syntax.CUDA && !c.FromSSA {
		flags += cxxFlags(c.Options.CXX)
	}
	again := fmt.Sprintf("irgl build %s --emit=ptx --check-passes%s", name, flags)
	if c.FromSSA {
		again = fmt.Sprintf("irgl opt %s --emit=ptx%s", name, flags)
	}
	fmt.Fprintf(&b, "\nTo see it again, write the files below and run\n\n  %s\n", again)
	fmt.Fprintf(&b, "\nThe first step of the passes that matters is between the largest N for which\n\n  %s --opt-bisect-limit=N\n\nsucceeds and the next; --print-after=all shows what each pass leaves.\n", again)
	a := &txtar.Archive{Files: []txtar.File{{Name: name, Data: c.Source.Content}}}
	add := func(name, text string) {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if text != "" {
			a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	if in, ok := errors.AsType[*pass.InternalError](c.Err); ok {
		text, step := c.before(in.Pass)
		if text != "" {
			fmt.Fprintf(&b, "\nThe pass %[1]s begins after step %[2]d; before-%[1]s.ssa is the program it was given:\n\n  irgl opt before-%[1]s.ssa --passes=%[1]s\n", in.Pass, step)
		}
		add("before-"+in.Pass+".ssa", text)
	}
	add(strings.TrimSuffix(name, ".cu")+".ptx", c.PTX)
	add("stack.txt", string(c.Stack))
	a.Comment = []byte(b.String())
	return txtar.Format(a)
}

// before compiles the program again as far as the pass and returns its SSA form
// there and how many steps came before. A compiler that is broken in another
// error than before gives "".
func (c *Crash) before(name string) (text string, steps int) {
	defer func() { _ = recover() }() // the pass will fail again; the text is there by then
	o := c.Options
	o.Opt.Out, o.Opt.PrintAfter, o.Times, o.Stats = nil, nil, nil, nil
	u, err := c.module(o)
	if err != nil {
		return "", 0
	}
	then := o.Opt.Before
	at := 0
	o.Opt.OnUnit = func(n int, _, _ string, _ bool) { at = n }
	o.Opt.Before = func(pass string, m *ssa.Module) {
		if pass == name {
			text, steps = m.String(), at
		}
		if then != nil {
			then(pass, m)
		}
	}
	_, _ = opt.Run(u.SSA, o.scalar())
	return text, steps
}

// module compiles the source of the crash as far as the scalar passes.
func (c *Crash) module(o Options) (*Unit, error) {
	if c.FromSSA {
		return CompileSSA(c.Source, "parse", o)
	}
	return Compile(c.Source, c.Dialect, "ssagen", o)
}

// flags returns the options as a command line has them, each after a
// blank.
func (o Options) flags() string {
	var b strings.Builder
	for _, field := range strings.Fields(o.Lower.String()) {
		b.WriteString(" --" + field)
	}
	if o.Lower.Index64 {
		b.WriteString(" --index64")
	}
	if o.Wide {
		b.WriteString(" --dist64")
	}
	if o.PTX.Target != "" {
		b.WriteString(" --target=" + o.PTX.Target)
	}
	if o.PTX.Lines {
		b.WriteString(" -g")
	}
	if o.WrapSigned {
		b.WriteString(" --wrapv")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		fmt.Fprintf(&b, " -D%s='%s'", name, strings.ReplaceAll(o.Defines[name], "'", `'\''`))
	}
	if o.Opt.Passes != nil {
		b.WriteString(" --passes=" + strings.Join(o.Opt.Passes, ","))
	}
	var names [2][]string
	for name, on := range o.Opt.Switch {
		if on {
			names[1] = append(names[1], name)
		} else {
			names[0] = append(names[0], name)
		}
	}
	for i, flag := range []string{" --disable=", " --enable="} {
		slices.Sort(names[i])
		if len(names[i]) > 0 {
			b.WriteString(flag + strings.Join(names[i], ","))
		}
	}
	if o.Opt.Limit != 0 {
		fmt.Fprintf(&b, " --opt-bisect-limit=%d", o.Opt.Limit)
	}
	return b.String()
}

// cxxFlags returns the flags that choose the language of CUDA text.
func cxxFlags(o *cxx.Options) string {
	if o == nil {
		return " --std=c99"
	}
	flags := fmt.Sprintf(" --std=c++%02d", o.Std/100%100)
	if o.Std == 0 {
		flags = " --std=c++17"
	}
	for _, dir := range o.User {
		flags += " -I " + dir
	}
	for _, dir := range o.System {
		flags += " --isystem " + dir
	}
	return flags
}
